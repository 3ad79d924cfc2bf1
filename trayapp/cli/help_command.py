"""`birkez help [TOPIC]`: the help files in the spoken language."""

from __future__ import annotations

from trayapp import exit_code
from trayapp.cli.arguments import add_command
from trayapp.cli.terminal import show
from trayapp.help_text import plain, read_help
from trayapp.wording.language import spoken_language
from trayapp.wording.speech import _

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse

    from trayapp.cli.arguments import Subparsers

_TOPICS = ("general", "app", "job-file")


def add_parsers(commands: Subparsers) -> None:
    """Offer `help`."""
    parser = add_command(commands, "help", _("Explain states and log lines, or how a job file is written."), _handle)
    parser.add_argument(
        "topic",
        metavar=_("TOPIC"),
        nargs="?",
        choices=_TOPICS,
        default="general",
        help=_("general: states, log lines, decisions; app: the application; job-file: every key of a job file"),
    )


def _handle(words: argparse.Namespace) -> int:
    show(plain(read_help(words.topic, spoken_language())).rstrip("\n"))
    return exit_code.DONE
