"""`birkez log-on on|off|check`: whether the tray starts when the person logs on."""

from __future__ import annotations

from trayapp import exit_code
from trayapp.cli.arguments import add_command, add_json
from trayapp.cli.terminal import show, show_json
from trayapp.log_on import forget_log_on, read_log_on, start_at_log_on
from trayapp.places import find_places
from trayapp.wording.mark import N_
from trayapp.wording.speech import _, say

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse

    from trayapp.cli.arguments import Subparsers

_TELLING = {
    "on": N_("Birkez starts when you log on."),
    "off": N_("Birkez does not start when you log on."),
    "moved": N_("Another Birkez than this one starts when you log on. To start this one: birkez log-on on"),
    "disabled": N_(
        "Birkez is set to start when you log on, but turned off in the system's list. To turn it on: birkez log-on on"
    ),
}
_DOES = {"on": start_at_log_on, "off": forget_log_on, "check": read_log_on}


def add_parsers(commands: Subparsers) -> None:
    """Offer `log-on`."""
    parser = add_command(commands, "log-on", _("Start the tray when you log on, or not."), _handle)
    parser.add_argument(
        "wish",
        metavar=_("WISH"),
        nargs="?",
        choices=tuple(_DOES),
        default="check",
        help=_("on (also mends the entry), off, or check: how it is now"),
    )
    add_json(parser)


def _handle(words: argparse.Namespace) -> int:
    found = _DOES[words.wish](find_places())
    if words.json:
        show_json({"state": found.state, "place": found.place})
    else:
        show(_(_TELLING[found.state]), say("Written in: {place}", place=found.place))
    return exit_code.DONE if found.state in ("on", "off") else exit_code.ENVIRONMENT
