"""`birkez language`: which of the two languages Birkez speaks."""

from __future__ import annotations

from trayapp import exit_code
from trayapp.cli.arguments import add_command
from trayapp.cli.terminal import show
from trayapp.places import find_places
from trayapp.wording.language import LANGUAGES, speak, spoken_language
from trayapp.wording.speech import _

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse

    from trayapp.cli.arguments import Subparsers


def add_parsers(commands: Subparsers) -> None:
    """Offer `language`."""
    parser = add_command(commands, "language", _("Choose the language, or tell which one is spoken."), _handle)
    parser.add_argument("language", nargs="?", choices=LANGUAGES, help=_("tr for Turkish, en for English"))


def _handle(words: argparse.Namespace) -> int:
    if words.language is not None:
        from trayapp.settings import change_settings  # noqa: PLC0415  # only a change

        change_settings(find_places(), language=words.language)
        speak(words.language)
    show(_("Birkez speaks English.") if spoken_language() == "en" else _("Birkez speaks Turkish."))
    return exit_code.DONE
