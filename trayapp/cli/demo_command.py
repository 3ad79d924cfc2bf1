"""`birkez demo`: a job that is started seven times, and does its work once.

The real command, as processes, on a real small database; only the orders are made up. The
table of causes is played in front of the person's eyes: a missed hour caught up, two starts
at once, starts by hand, a period asked for again. Then the totals are compared.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import sys
import tempfile

from trayapp import exit_code
from trayapp.cli.arguments import add_command
from trayapp.cli.demo_shop import JOB, open_shop
from trayapp.cli.demo_stage import HOURS, Ending, Stage
from trayapp.cli.terminal import show
from trayapp.errors import SetupError, UsageError
from trayapp.places import find_places
from trayapp.settings import change_settings
from trayapp.trigger.here import NO_SCHEDULER
from trayapp.wording.language import spoken_language
from trayapp.wording.speech import _, say

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator

    from trayapp.cli.arguments import Subparsers

_PAUSE_S = 0.9  # between two steps, so that eyes can follow; the whole stays under ten seconds


def add_parsers(commands: Subparsers) -> None:
    """Offer `demo`."""
    parser = add_command(commands, "demo", _("See a job that is started seven times and does its work once."), _handle)
    parser.add_argument("--keep", metavar=_("DIR"), help=_("make the demo's files in this folder and leave them there"))
    parser.add_argument("--fast", action="store_true", help=_("do not pause between the steps"))


def _handle(words: argparse.Namespace) -> int:
    ending = Ending()
    ending.install()
    with _folder(words.keep) as folder:
        # For this process and those that it starts, whose words it reads from a pipe.
        home = os.path.join(folder, "birkez")
        # The demo's job is no job of this computer: no scheduler hears of it.
        os.environ.update(BIRKEZ_HOME=home, BIRKEZ_SCHEDULER=NO_SCHEDULER, PYTHONIOENCODING="utf-8")
        places = find_places()
        try:
            places.make_folders()
            change_settings(places, language=spoken_language())
            shop = open_shop(folder, HOURS, spoken_language())
        except OSError as error:
            reason = error.strerror or str(error)
            raise SetupError("demo-folder-unusable", path=folder, reason=reason) from error
        is_right = Stage(places, shop, ending, 0 if words.fast else _PAUSE_S).play()
        if words.keep:
            _tell_kept(folder)
    return exit_code.DONE if is_right else exit_code.EFFECT_FAILED


@contextlib.contextmanager
def _folder(keep: str | None) -> Iterator[str]:
    """Folder of the demo: the one to keep, or a new one that is gone afterwards, unless a step failed."""
    if keep is not None:
        folder = os.path.abspath(keep)
        try:
            os.makedirs(folder, exist_ok=True)
            is_empty = not os.listdir(folder)
        except OSError as error:
            raise SetupError("demo-folder-unusable", path=folder, reason=error.strerror or str(error)) from error
        if not is_empty:
            raise UsageError("demo-folder-not-empty", path=folder)
        yield folder
        return
    try:
        folder = tempfile.mkdtemp(prefix="birkez-demo-")
    except OSError as error:
        raise SetupError("demo-folder-unusable", path=tempfile.gettempdir(), reason=str(error)) from error
    is_needed = False
    try:
        yield folder
    except SetupError:
        is_needed = True  # a step failed, and what it said names files in there
        show(say("The demo's files are left in {path}, so that the cause can be found.", path=folder))
        raise
    finally:
        if not is_needed:
            shutil.rmtree(folder, ignore_errors=True)


def _tell_kept(folder: str) -> None:
    home = os.path.join(folder, "birkez")
    setting = f'set "BIRKEZ_HOME={home}"' if sys.platform == "win32" else f'export BIRKEZ_HOME="{home}"'
    show("", say("Everything is kept in {path}. To go on with it yourself:", path=folder))
    show(f"  {setting}", f"  birkez run {JOB}", f"  birkez status {JOB}")
