"""`birkez tray`: the tray application, where Qt and a desktop are there for it."""

from __future__ import annotations

import importlib
import importlib.util
import os
import sys

from trayapp.cli.arguments import add_command
from trayapp.errors import SetupError
from trayapp.places import find_places
from trayapp.wording.speech import _

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse

    from trayapp.cli.arguments import Subparsers

_LIBRARY = "libxcb-cursor.so.0"  # Qt's X11 part aborts the process without it, since 6.5


def main() -> int:
    """Do `birkez tray`, for the start menu's `birkez-tray`; returns the exit status."""
    from trayapp.cli.main import main as cli_main  # noqa: PLC0415  # which loads this module by its name

    return cli_main(["tray", *sys.argv[1:]])


def add_parsers(commands: Subparsers) -> None:
    """Offer `tray`."""
    parser = add_command(commands, "tray", _("Show Birkez in the notification area."), _handle)
    parser.add_argument("--hidden", action="store_true", help=_("show the icon only, as at log-on"))


def _handle(words: argparse.Namespace) -> int:
    check_desktop()
    try:
        # By name: the command line does without Qt, and imports go downward only.
        application = importlib.import_module("trayapp.gui.application")
    except ImportError as error:  # PySide6 is there, a library of the system below it is not
        raise SetupError("tray-library-missing", reason=str(error)) from error
    status: int = application.main(find_places(), is_hidden=words.hidden)
    return status


def check_desktop() -> None:
    """Find out what Qt would abort for, since it does so without a sentence.

    Raises: SetupError `tray-needs-qt`, `tray-no-display` or `tray-library-missing`.
    """
    if importlib.util.find_spec("PySide6") is None:
        raise SetupError("tray-needs-qt")
    if not sys.platform.startswith("linux") or os.environ.get("QT_QPA_PLATFORM", "xcb") != "xcb":
        return
    if os.environ.get("WAYLAND_DISPLAY"):
        return
    if not os.environ.get("DISPLAY"):
        raise SetupError("tray-no-display")
    import ctypes  # noqa: PLC0415  # only here

    try:
        ctypes.CDLL(_LIBRARY)
    except OSError as error:
        raise SetupError("tray-library-missing", reason=str(error)) from error
