"""An SQLite database file of the user's, opened with care.

Never created silently: an unmounted drive must be an error, not a fresh empty database.
Its journal mode is never changed; `synchronous` is set, for our connection alone, to what
makes a commit survive power loss in the mode that is found: FULL in WAL, EXTRA with a
rollback journal (with FULL 1 of 15 cut disks lost the last commit: measured).
"""

from __future__ import annotations

import os
import sqlite3
import sys
import time

from trayapp.companion_files import mend_companions
from trayapp.errors import SetupError, StateError
from trayapp.network_folder import network_kind

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from trayapp.errors import BirkezError

# sqlite3 sleeps this long in C, where no signal is seen; longer waits are loops of ours.
BUSY_SLICE_S = 0.25
LONGEST_WAIT_S = 60.0

_LEAST_FREE_BYTES = 1 << 16  # SQLite's file of shared memory grows by half of this

_BUSY, _LOCKED, _READONLY, _IOERR, _CORRUPT, _FULL, _CANTOPEN, _NOTADB = 5, 6, 8, 10, 11, 13, 14, 26
_CODES = {
    _BUSY: "database-busy",
    _LOCKED: "database-busy",
    _READONLY: "database-read-only",
    _IOERR: "database-disk-error",
    _CORRUPT: "database-corrupt",
    _FULL: "database-disk-full",
    _CANTOPEN: "database-cannot-open",
    _NOTADB: "database-not-sqlite",
}


class OwnConnection(sqlite3.Connection):
    """A connection of ours. Each use from a thread that did not open it is refused, cursors included.

    While code of the user's runs, the effect puts a watched class in this one's place, and
    in `watch` who watches.
    """

    __slots__ = ("watch",)
    watch: Any


class Patience:
    """How long to wait for others who keep a database busy.

    *wait_s* bounds one wait, at most 60 s; *stop* is asked in between and ends it early
    when it answers true.
    """

    def __init__(self, path: str, wait_s: float = LONGEST_WAIT_S, stop: Callable[[], bool] | None = None) -> None:
        self._path = path
        self._wait_s = min(wait_s, LONGEST_WAIT_S)
        self._stop = stop

    def fetch(
        self, connection: sqlite3.Connection, sql: str, parameters: tuple[object, ...] = ()
    ) -> list[tuple[Any, ...]]:
        """Run one statement to its last row, again and again while others keep the database busy.

        Raises: SetupError, StateError when the environment fails, `database-busy` when the
        wait is over; sqlite3.Error for the statement's own faults.
        """
        deadline = time.monotonic() + self._wait_s
        while True:
            try:
                return connection.execute(sql, parameters).fetchall()
            except sqlite3.Error as error:
                stopped = self._stop is not None and self._stop()
                if stopped or not is_busy(error) or time.monotonic() >= deadline:
                    raise environment_error(error, self._path) or error from error


def open_database(path: str, *, read_only: bool = False, patience: Patience | None = None) -> OwnConnection:
    """Open an existing SQLite file for our own transactions (no implicit ones).

    Raises: SetupError when the file is missing, a folder, unreadable, on a network
    folder or no database; the code names which.
    """
    _check_file(path, read_only=read_only)
    try:
        connection = sqlite3.connect(
            f"file:{_uri_path(path)}?mode={'ro' if read_only else 'rw'}",
            uri=True,
            timeout=BUSY_SLICE_S,
            isolation_level=None,
            factory=OwnConnection,
        )
    except sqlite3.Error as error:
        raise environment_error(error, path) or error from error
    try:
        _make_durable(connection, patience or Patience(path), read_only=read_only)
    except BaseException:
        connection.close()
        raise
    return connection


def create_database(path: str) -> None:
    """Make a new, empty database in WAL mode; a person asked for it by name.

    Raises: SetupError `database-exists`, `database-folder-missing` or what the system said.
    """
    if os.path.exists(path):
        raise SetupError("database-exists", path=path)
    if not os.path.isdir(os.path.dirname(path)):
        raise SetupError("database-folder-missing", path=path, folder=os.path.dirname(path))
    try:
        connection = sqlite3.connect(f"file:{_uri_path(path)}?mode=rwc", uri=True, isolation_level=None)
        connection.execute("PRAGMA journal_mode=WAL")
        connection.close()
    except sqlite3.Error as error:
        raise environment_error(error, path) or error from error


def clear_temp(connection: sqlite3.Connection) -> None:
    """Drop what TEMP tables, views and triggers a script has left on the connection.

    One connection serves all windows of a run, and a window must not see another's: rows
    left in a TEMP table would be counted once more by each later window of a catch-up.
    """
    kinds = "('trigger', 'view', 'table')"  # a table's indexes and triggers go with it
    left = connection.execute(
        f"SELECT type, name FROM sqlite_temp_schema WHERE type IN {kinds} AND name NOT LIKE 'sqlite~_%' ESCAPE '~'"
    ).fetchall()
    for kind, name in sorted(left, key=lambda row: kinds.index(row[0])):
        quoted = name.replace('"', '""')
        connection.execute(f'DROP {kind} IF EXISTS temp."{quoted}"')


def environment_error(error: BaseException, path: str) -> BirkezError | None:
    """Tell whether an SQLite error is the environment's, and in which words; None: the statement's own."""
    if not isinstance(error, sqlite3.Error):
        return None
    code = _CODES.get(getattr(error, "sqlite_errorcode", 0) & 0xFF)
    if code is None:
        return None
    if code == "database-disk-error" and _is_disk_full(path):
        code = "database-disk-full"  # SQLite says so of its main file only
    kind = StateError if code in ("database-corrupt", "database-not-sqlite") else SetupError
    return kind(code, path=path, reason=str(error))


def damaged(error: sqlite3.Error, path: str) -> BirkezError:
    """What a failed statement of ours means: the environment, or ledger tables that are not as we made them."""
    return environment_error(error, path) or StateError("ledger-damaged", path=path, reason=str(error))


def is_busy(error: sqlite3.Error) -> bool:
    """Tell whether somebody else holds the database just now."""
    return (getattr(error, "sqlite_errorcode", 0) & 0xFF) in (_BUSY, _LOCKED)


def _make_durable(connection: sqlite3.Connection, patience: Patience, *, read_only: bool) -> None:
    # The first read of the file: it waits for a writer who is just then committing.
    journal_mode = patience.fetch(connection, "PRAGMA journal_mode")[0][0]
    if read_only:
        return
    patience.fetch(connection, f"PRAGMA synchronous={'FULL' if journal_mode == 'wal' else 'EXTRA'}")
    if sys.platform == "darwin":
        patience.fetch(connection, "PRAGMA fullfsync=1")  # fsync alone leaves data in the drive there


def _check_file(path: str, *, read_only: bool) -> None:
    if os.path.isdir(path):
        raise SetupError("database-is-folder", path=path)
    if not os.path.exists(path):
        raise SetupError("database-missing", path=path)
    if not os.path.isfile(path):  # a pipe would wait for ever, and a device's errors mislead
        raise SetupError("database-not-regular", path=path)
    kind = network_kind(path)
    if kind is not None:
        raise SetupError("database-on-network", path=path, kind=kind)
    if not os.access(path, os.R_OK if read_only else os.R_OK | os.W_OK):
        raise SetupError(
            "database-unreadable" if not os.access(path, os.R_OK) else "database-read-only", path=path, reason=""
        )
    unwritable = "" if read_only else mend_companions(path)
    if unwritable:
        raise SetupError("database-read-only", path=unwritable, reason="")


def _is_disk_full(path: str) -> bool:
    from shutil import disk_usage  # noqa: PLC0415  # only after an error

    try:
        return disk_usage(os.path.dirname(os.path.abspath(path))).free < _LEAST_FREE_BYTES
    except OSError:
        return False


def _uri_path(path: str) -> str:
    # RFC 3986: the three characters that would end or change the path; the rest may stand.
    path = os.path.abspath(path).replace("%", "%25").replace("?", "%3f").replace("#", "%23")
    return "///" + path.replace("\\", "/").lstrip("/") if sys.platform == "win32" else path
