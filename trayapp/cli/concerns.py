"""What would stop a job if it ran now, looked at when it comes in: each path, database and program by itself.

The job is valid all the same, since a drive may only be missing.
"""

from __future__ import annotations

import ntpath
import os
import shutil

from trayapp.cli.old_ledger import PATIENCE_S
from trayapp.cli.python_imports import import_concerns
from trayapp.effect.sql import read_script
from trayapp.errors import BirkezError, EffectError, SetupError
from trayapp.job.confidential import taken_from
from trayapp.job.model import CommandEffect, Job, PythonEffect, SqlEffect
from trayapp.ledger.sqlite import open_sqlite_ledger
from trayapp.runner.opening import ledger_path

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from trayapp.places import Places

_MOST_ITEMS = 10  # lines of a list: a person sees by then what is wrong with it
_SCRIPTS = (".py", ".sh", ".bat", ".cmd", ".ps1", ".vbs", ".js", ".pl", ".rb", ".php")


def concerns_of(places: Places, job: Job) -> list[BirkezError]:
    """What would stop *job* wherever it was written."""
    concerns: list[BirkezError] = []
    effect = job.effect
    path = ledger_path(places, job)
    if path != places.ledger_db:
        try:
            open_sqlite_ledger(path, wait_s=PATIENCE_S).close()
        except BirkezError as error:
            concerns.append(error)
    if isinstance(effect, PythonEffect):
        is_there = os.path.isfile(effect.file)
        concerns += import_concerns(effect.file) if is_there else [EffectError("python-missing", path=effect.file)]
    if isinstance(effect, SqlEffect):
        try:
            read_script(effect.script)
        except BirkezError as error:
            concerns.append(error)
        gone = [source for source in effect.sources if not os.path.isfile(source.database)]
        concerns += [SetupError("job-source-missing", name=source.name, path=source.database) for source in gone]
    if isinstance(effect, CommandEffect):
        concerns += _of_command(effect)
    if job.items is not None:
        from trayapp.fan_out.findings import item_concerns  # noqa: PLC0415  # few jobs have items

        concerns += item_concerns(places, job)[:_MOST_ITEMS]
    return concerns


def concerns_of_arrival(places: Places, job: Job, text: str) -> list[BirkezError]:
    """What would stop *job*, whose file is *text*, since it comes from another computer."""
    concerns = concerns_of(places, job)
    if isinstance(job.effect, CommandEffect):
        concerns += [SetupError("job-command-path-missing", path=path) for path in _missing_words(job.effect)]
    taken = taken_from(text)
    if taken:
        concerns.append(SetupError("job-secrets-missing", job=job.id, keys=taken))
    return concerns


def _of_command(effect: CommandEffect) -> Iterator[BirkezError]:
    if effect.cwd and not os.path.isdir(effect.cwd):
        reason = os.strerror(2)  # ENOENT, in the system's words
        yield EffectError("command-folder-missing", folder=effect.cwd, reason=reason)
        return
    if effect.argv and "{" not in effect.argv[0]:
        searched = effect.path or os.environ.get("PATH") or os.defpath
        program = effect.argv[0]
        has_folder = os.path.dirname(program) != ""
        here = os.path.join(effect.cwd, program) if has_folder else program
        if shutil.which(here, path=searched) is None and not os.path.lexists(here):
            yield EffectError("command-not-found", command=program, searched=here if has_folder else searched)


def _missing_words(effect: CommandEffect) -> Iterator[str]:
    """Words after the first that name a file which is not there; what the command makes itself may be among them."""
    for word in effect.argv[1:]:
        is_path = os.path.isabs(word) or ntpath.splitdrive(word)[0] != "" or word.lower().endswith(_SCRIPTS)
        if is_path and "{" not in word and "://" not in word and not os.path.lexists(os.path.join(effect.cwd, word)):
            yield word
