"""The `birkez` command: words in, exit status out, and never a traceback.

Each module of `MODULES` offers `add_parsers(commands)` for the commands beside it and sets
`handler`, a function from the parsed words to the exit status. Only the module of the
command that was asked for is loaded; `--help` and a wrong word load them all.
"""

from __future__ import annotations

import importlib
import sys

from trayapp import exit_code
from trayapp.cli import terminal
from trayapp.errors import BirkezError, JobFileError
from trayapp.wording.speech import _, sentence

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse
    from collections.abc import Sequence

    from trayapp.cli.arguments import Parser

MODULES: dict[str, tuple[str, ...]] = {
    "demo_command": ("demo",),
    "job_commands": ("job",),
    "run_commands": ("run", "pause", "resume"),
    "item_commands": ("work", "items"),
    "schedule_commands": ("schedule",),
    "adopt_commands": ("adopt", "release"),
    "status_command": ("status",),
    "record_commands": ("log", "history"),
    "decision_commands": ("resolve", "skip", "reopen", "watermark", "ledger"),
    "backup_commands": ("backup", "restore"),
    "doctor_commands": ("doctor",),
    "language_command": ("language",),
    "help_command": ("help",),
    "tray_command": ("tray",),
    "log_on_command": ("log-on",),
    "support_command": ("support",),
}
_SIGINT = 2


def main(words: Sequence[str]) -> int:
    """Do what *words* ask for; returns the exit status."""
    terminal.prepare()
    try:
        return _dispatch(words)
    except SystemExit as ended:  # argparse: help was shown, or the words are wrong
        return ended.code if isinstance(ended.code, int) else exit_code.USAGE
    except BrokenPipeError:
        return terminal.leave_quietly()
    except KeyboardInterrupt:
        return exit_code.STOPPED_BY_SIGNAL + _SIGINT
    except BirkezError as error:
        terminal.warn(sentence(error))
        if isinstance(error, JobFileError) and error.facts.get("key"):
            terminal.warn(_("How a job file is written: birkez help job-file"))
        return error.exit_status
    except Exception:  # noqa: BLE001  # a bug of ours: told as one, with its own exit status
        from trayapp.cli.bug import report_bug  # noqa: PLC0415  # only a bug pays for it

        return report_bug()


def _dispatch(words: Sequence[str]) -> int:
    parsed = make_parser(words).parse_args(words)
    status: int = parsed.handler(parsed)
    if sys.stdout is not None:
        sys.stdout.flush()  # a reader that has gone is noticed here and not at the interpreter's end
    return status


def make_parser(words: Sequence[str]) -> Parser:
    """Parser for *words*: with the commands of the one module that they ask for, or with all."""
    from trayapp.cli.arguments import Parser, teach_argparse  # noqa: PLC0415  # argparse costs 6 ms

    teach_argparse()
    parser = Parser(prog="birkez", description=_("Scheduled jobs that are safe to run twice."))
    _add_version(parser)
    # Translators: the place of a command in "birkez COMMAND"
    commands = parser.add_subparsers(title=_("commands"), metavar=_("COMMAND"), required=True, parser_class=Parser)
    asked = next((module for module, names in MODULES.items() if words and words[0] in names), None)
    for name in (asked,) if asked else MODULES:
        importlib.import_module(f"trayapp.cli.{name}").add_parsers(commands)
    return parser


def _add_version(parser: argparse.ArgumentParser) -> None:
    import argparse  # noqa: PLC0415  # as above

    class ShowVersion(argparse.Action):
        """Print the version and leave; it is looked up only then, since that costs 40 ms."""

        def __call__(self, *_words: object) -> None:
            terminal.show(f"birkez {version()}")
            sys.exit(exit_code.DONE)

    parser.add_argument("--version", action=ShowVersion, nargs=0, help=_("show the version and exit"))


def version() -> str:
    """Version of this copy: of the checkout that it lies in, or else of the installed package."""
    import os  # noqa: PLC0415  # only for --version
    import tomllib  # noqa: PLC0415  # as above
    from importlib import metadata  # noqa: PLC0415  # as above

    import trayapp  # noqa: PLC0415  # as above

    checkout = os.path.dirname(os.path.dirname(os.path.abspath(trayapp.__file__)))
    try:
        with open(os.path.join(checkout, "pyproject.toml"), "rb") as file:
            project = tomllib.load(file)["project"]
        if project["name"] == "birkez":
            return str(project["version"])
    except (OSError, ValueError, KeyError):
        pass  # no checkout
    try:
        return metadata.version("birkez")
    except metadata.PackageNotFoundError:
        return "?"
