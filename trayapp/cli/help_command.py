"""`birkez help [TOPIC]`: the help files, as they are, in the spoken language."""

from __future__ import annotations

import os

from trayapp import exit_code
from trayapp.cli.arguments import add_command
from trayapp.cli.terminal import show
from trayapp.errors import SetupError
from trayapp.places import resources_dir
from trayapp.wording.language import spoken_language
from trayapp.wording.speech import _

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse

    from trayapp.cli.arguments import Subparsers

_FILES = {"general": "{language}.md", "job-file": "job-file.{language}.md"}


def add_parsers(commands: Subparsers) -> None:
    """Offer `help`."""
    parser = add_command(commands, "help", _("Explain states and log lines, or how a job file is written."), _handle)
    parser.add_argument(
        "topic",
        metavar=_("TOPIC"),
        nargs="?",
        choices=tuple(_FILES),
        default="general",
        help=_("general: states, log lines, decisions; job-file: every key of a job file"),
    )


def _handle(words: argparse.Namespace) -> int:
    path = os.path.join(resources_dir(), "help", _FILES[words.topic].format(language=spoken_language()))
    try:
        with open(path, encoding="utf-8") as file:
            text = file.read()
    except OSError as error:
        raise SetupError("help-unreadable", path=path, reason=error.strerror or str(error)) from error
    show(text.rstrip("\n"))
    return exit_code.DONE
