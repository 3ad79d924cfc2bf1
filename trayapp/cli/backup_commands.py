"""`birkez backup FILE` and `birkez restore FILE`."""

from __future__ import annotations

import os

from trayapp import backup, exit_code
from trayapp.cli.arguments import add_command
from trayapp.cli.terminal import ask, can_ask, say_many, show
from trayapp.errors import UsageError
from trayapp.places import find_places
from trayapp.wording.mark import NN_
from trayapp.wording.speech import _

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse

    from trayapp.cli.arguments import Subparsers


def add_parsers(commands: Subparsers) -> None:
    """Offer both."""
    back_up = add_command(commands, "backup", _("Save jobs, settings and state in one file."), _handle_backup)
    back_up.add_argument("file", metavar=_("FILE"), help=_("the file to make; it must not exist"))
    restore = add_command(commands, "restore", _("Bring back what a backup holds."), _handle_restore)
    restore.add_argument("file", metavar=_("FILE"), help=_("a file that birkez backup made"))
    restore.add_argument("--yes", action="store_true", help=_("do not ask"))


def _handle_backup(words: argparse.Namespace) -> int:
    path = os.path.abspath(words.file)
    contents = backup.back_up(find_places(), path)
    show(say_many(NN_("{count} job saved in {path}.", "{count} jobs saved in {path}."), len(contents.jobs), path=path))
    show(_("The databases and scripts that the jobs work with are not in it; save them as you always do."))
    return exit_code.DONE


def _handle_restore(words: argparse.Namespace) -> int:
    places, path = find_places(), os.path.abspath(words.file)
    contents = backup.look_into(path)
    forms = NN_(
        "The backup is from {made_at} and holds {count} job.", "The backup is from {made_at} and holds {count} jobs."
    )
    show(say_many(forms, len(contents.jobs), made_at=contents.made_at))
    show(_("Jobs of the same name, settings and history are replaced by it."))
    if not words.yes:
        if not can_ask():
            raise UsageError("restore-unconfirmed", path=path)
        if not ask(_("Bring it back?")):
            return exit_code.DONE
    backup.restore(places, path)
    show(_("What starts jobs by schedule is not in a backup. To compare it with the jobs: birkez schedule check"))
    show(_("Done. A job whose ledger is now older than it was stops and says so; birkez ledger accept lets it go on."))
    return exit_code.DONE
