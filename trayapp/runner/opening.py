"""Opening a job's ledger: which database it is, and whether it is the one that was seen last."""

from __future__ import annotations

import os
import sys
from datetime import timedelta

from trayapp import clock
from trayapp.errors import BirkezError, SetupError, StateError
from trayapp.job.model import PythonEffect, SqlEffect
from trayapp.ledger.seen import check_mark, has_run
from trayapp.ledger.sqlite import open_sqlite_ledger
from trayapp.ledger.sqlite_file import create_database

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import datetime

    from trayapp.job.model import Job
    from trayapp.ledger.sqlite import SqliteLedger
    from trayapp.places import Places

_CLOCK_ACCEPTED_FOR = timedelta(days=1)


def ledger_path(places: Places, job: Job) -> str:
    """Path of the database that holds the job's ledger."""
    if isinstance(job.effect, SqlEffect | PythonEffect) and job.effect.database:
        return job.effect.database
    return job.ledger_database or places.ledger_db


def open_ledger(
    places: Places, job: Job, *, checked: bool = True, stop: Callable[[], bool] | None = None
) -> tuple[SqliteLedger, bool]:
    """Open the job's ledger; also tells whether it is one that the job has seen before.

    Birkez's own `ledger.db` is made when the job has never run; nothing else is ever made.
    Not *checked*, the ledger may be any: a person accepts it as it is.
    Raises: SetupError, StateError: missing, of another identity, older than remembered, …
    """
    path = ledger_path(places, job)
    if path == places.ledger_db and not os.path.exists(path):
        if checked and has_run(places, job.id):
            raise StateError("ledger-missing", job=job.id, path=path)
        _create_own_ledger(path)
    ledger = open_sqlite_ledger(path, wait_s=job.effect.timeout_s, stop=stop, owner=lambda: owner_of(places))
    try:
        return ledger, not checked or check_mark(places, job.id, path, ledger.mark)
    except BaseException:
        ledger.close()
        raise


def owner_of(places: Places) -> str:
    """Name this account and its state folder: `ayse@muhasebe:/home/ayse/.local/state/birkez`."""
    # A folder's name may hold bytes that are no text; the ledger keeps text.
    return f"{_account_and_host()}:{places.state}".encode("utf-8", "backslashreplace").decode("utf-8")


def _account_and_host() -> str:
    if sys.platform == "win32":
        return f"{os.environ.get('USERNAME', '')}@{os.environ.get('COMPUTERNAME', '')}"
    import pwd  # noqa: PLC0415  # POSIX alone has it

    try:
        account = pwd.getpwuid(os.getuid()).pw_name
    except KeyError:  # a container's user without a name
        account = str(os.getuid())
    return f"{account}@{os.uname().nodename}"


def accept_clock(places: Places, now: datetime) -> None:
    """Note that a person says: the clock is right as it stands."""
    with open(_clock_file(places), "w", encoding="utf-8") as file:
        file.write(clock.format_instant(now) + "\n")


def is_clock_accepted(places: Places, now: datetime) -> bool:
    """Tell whether a person accepted the clock within a day of *now*."""
    try:
        with open(_clock_file(places), encoding="utf-8") as file:
            accepted_at = clock.parse_instant(file.read().strip())
    except (OSError, ValueError):
        return False
    return abs(now - accepted_at) <= _CLOCK_ACCEPTED_FOR


def _create_own_ledger(path: str) -> None:
    try:
        create_database(path)
        os.chmod(path, 0o600)  # SQLite's own files beside it follow
    except BirkezError as error:
        if error.code != "database-exists":  # another job's first run was quicker
            raise
    except OSError as error:
        raise SetupError("state-folder-unusable", path=path, reason=error.strerror or str(error)) from error


def _clock_file(places: Places) -> str:
    return os.path.join(places.state, "clock-accepted")
