"""`birkez support FILE`: how Birkez stands here, in one file for whoever helps."""

from __future__ import annotations

import os

from trayapp import exit_code
from trayapp.cli.arguments import add_command
from trayapp.cli.terminal import columns, show, warn
from trayapp.places import find_places
from trayapp.support.bundle import PARTS, README, make_bundle
from trayapp.wording.speech import _, say, sentence

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse

    from trayapp.cli.arguments import Subparsers


def add_parsers(commands: Subparsers) -> None:
    """Offer `support`."""
    text = _("Gather in one file what a helper needs, without passwords.")
    support = add_command(commands, "support", text, _handle_support)
    support.add_argument("file", metavar=_("FILE"), help=_("the .zip file to make; it must not exist"))


def _handle_support(words: argparse.Namespace) -> int:
    from trayapp.cli.main import version  # noqa: PLC0415  # it loads this module

    path = os.path.abspath(words.file)
    bundle = make_bundle(find_places(), path, version())
    show(say("{path} was made, and sent nowhere. It holds:", path=path))
    rows = [(name, _(text)) for name, text in PARTS.items() if any(found.startswith(name) for found in bundle.names)]
    show(*(f"  {line}" for line in columns(rows)))
    for trouble in bundle.troubles:
        warn(say("Could not be gathered: {reason}", reason=sentence(trouble)))
    show(_("Not in it: scripts, databases, what commands printed, passwords, values of the environment."))
    show(say("Look through it before you give it away; {readme} in it says what is what.", readme=README))
    return exit_code.DONE
