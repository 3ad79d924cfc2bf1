"""The tables of history, the steps that made them, and what happens to a file that is unfit.

Each step and its number are recorded in one transaction. A newer schema is refused; a
file that is damaged, cut to nothing or no history is set aside under a dated name,
together with its `-wal` and `-shm`, and a new one is begun.

Making, changing and setting aside happen under a lock file, so that of two processes
that meet a damaged file one sets it aside and the other finds the new one.
"""

from __future__ import annotations

import os
import sqlite3
import sys

from trayapp import clock
from trayapp.errors import SetupError, StateError
from trayapp.lock.short_lock import ShortLock

BUSY_TIMEOUT_S = 5.0
_LOCK_WAIT_S = 10.0
_APPLICATION_ID = 0x42524B5A  # "BRKZ"
_CORRUPT, _NOT_A_DATABASE, _PLAIN_ERROR = 11, 26, 1  # SQLITE_CORRUPT, _NOTADB, _ERROR
_HEADER_BYTES = 100  # https://www.sqlite.org/fileformat.html
_COMPANIONS = ("-wal", "-shm")

_COUNTED_BY = "job, started_by, started_at, outcome"
_COUNT_NEW = """
    INSERT INTO day VALUES (new.job, new.started_at / 86400000000, new.started_by, new.outcome, 1),
                           (0, new.started_at / 86400000000, new.started_by, new.outcome, 1)
        ON CONFLICT DO UPDATE SET run_count = run_count + 1;"""
_UNCOUNT_OLD = """
    UPDATE day SET run_count = run_count - 1 WHERE job IN (old.job, 0) AND day = old.started_at / 86400000000
        AND started_by = old.started_by AND outcome = old.outcome;"""
# Instants are microseconds since 1970 in UTC. `folded` is set where SQLite's lower() does not do.
_STEP_1 = (
    "CREATE TABLE job (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE)",
    """CREATE TABLE run (
        id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, job INTEGER NOT NULL REFERENCES job,
        started_by TEXT NOT NULL CHECK (started_by IN ('manual', 'schedule', 'boot', '')),
        pid INTEGER NOT NULL, started_at INTEGER NOT NULL, ended_at INTEGER,
        outcome TEXT NOT NULL CHECK (outcome IN ('running', 'done', 'skipped', 'failed', 'uncertain', 'stopped')),
        reason TEXT NOT NULL, folded TEXT, window_count INTEGER NOT NULL, new_count INTEGER, repeated_count INTEGER,
        waiting_count INTEGER NOT NULL, exit_status INTEGER)""",
    # A page of the list is merged from one index range for each trigger and outcome: see run_filter.
    "CREATE INDEX run_by_job ON run (job, started_by, outcome, started_at)",
    "CREATE INDEX run_by_start ON run (started_by, outcome, started_at)",
    # Stored by run, since a search looks at the lines of one run after the other.
    """CREATE TABLE line (
        run INTEGER NOT NULL REFERENCES run, number INTEGER NOT NULL, at INTEGER NOT NULL,
        token TEXT NOT NULL, text TEXT NOT NULL, folded TEXT, PRIMARY KEY (run, number)) WITHOUT ROWID""",
    "CREATE INDEX line_by_time ON line (at)",
    "CREATE TABLE ledger (id INTEGER PRIMARY KEY, identity TEXT NOT NULL UNIQUE)",
    """CREATE TABLE ledger_mark (
        ledger INTEGER NOT NULL REFERENCES ledger, job INTEGER NOT NULL REFERENCES job, seq INTEGER NOT NULL,
        PRIMARY KEY (ledger, job)) WITHOUT ROWID""",
    """CREATE TABLE ledger_window (
        id INTEGER PRIMARY KEY, ledger INTEGER NOT NULL REFERENCES ledger, job INTEGER NOT NULL REFERENCES job,
        key TEXT NOT NULL, seq INTEGER NOT NULL, start INTEGER NOT NULL, "end" INTEGER NOT NULL, state TEXT NOT NULL,
        attempt INTEGER NOT NULL, run TEXT NOT NULL, started_by TEXT NOT NULL, at INTEGER NOT NULL,
        reason TEXT NOT NULL, new_count INTEGER, repeated_count INTEGER, duration_ms INTEGER,
        UNIQUE (job, key, ledger))""",
    "CREATE INDEX window_by_start ON ledger_window (job, start)",
    "CREATE INDEX window_of_run ON ledger_window (run)",
    "CREATE INDEX window_by_age ON ledger_window (at)",
    # Runs counted by UTC day, of each job and (job 0) of all, in the run's own transaction: 5,000,000 runs in 2 ms.
    """CREATE TABLE day (
        job INTEGER NOT NULL, day INTEGER NOT NULL, started_by TEXT NOT NULL, outcome TEXT NOT NULL,
        run_count INTEGER NOT NULL, PRIMARY KEY (job, day, started_by, outcome)) WITHOUT ROWID""",
    f"CREATE TRIGGER run_added AFTER INSERT ON run BEGIN {_COUNT_NEW} END",
    f"CREATE TRIGGER run_changed AFTER UPDATE OF {_COUNTED_BY} ON run BEGIN {_UNCOUNT_OLD} {_COUNT_NEW} END",
    f"CREATE TRIGGER run_removed AFTER DELETE ON run BEGIN {_UNCOUNT_OLD} END",
    "CREATE TABLE note (name TEXT PRIMARY KEY, value INTEGER NOT NULL) WITHOUT ROWID",
    f"PRAGMA application_id = {_APPLICATION_ID}",
)
STEPS = (_STEP_1,)
VERSION = len(STEPS)


class UnfitError(Exception):
    """The file is no history that can be worked with: damaged, foreign, or half a schema."""


def connect(path: str, mode: str) -> sqlite3.Connection:
    """Open the file for our own transactions (no implicit ones); *mode* is SQLite's `ro` or `rw`.

    Raises: sqlite3.Error, which `is_unfit` tells apart.
    """
    uri = f"file:{_uri_path(path)}?mode={mode}"
    connection = sqlite3.connect(uri, uri=True, timeout=BUSY_TIMEOUT_S, isolation_level=None, check_same_thread=False)
    try:
        connection.execute("PRAGMA synchronous = NORMAL")  # reads the tables' definitions, so damage may show here
    except BaseException:
        connection.close()
        raise
    return connection


def looks_like_database(path: str) -> bool:
    """Tell whether the file begins as a database does; SQLite would throw away the `-wal` of one that does not.

    Raises: OSError when it is missing or cannot be read.
    """
    with open(path, "rb") as file:
        header = file.read(_HEADER_BYTES)
    return len(header) == _HEADER_BYTES and header.startswith(b"SQLite format 3\0")


def version_of(connection: sqlite3.Connection) -> int:
    """Number of the last step that this file went through."""
    return int(connection.execute("PRAGMA user_version").fetchone()[0])


def is_unfit(error: BaseException) -> bool:
    """Tell whether an error says that the file itself is damaged, and not that it cannot be used now."""
    code = getattr(error, "sqlite_errorcode", 0) & 0xFF
    return isinstance(error, UnfitError) or code in (_CORRUPT, _NOT_A_DATABASE)


def unusable(path: str, error: BaseException) -> SetupError:
    """What a person is told when history cannot be used just now."""
    reason = (error.strerror if isinstance(error, OSError) else None) or str(error)
    return SetupError("history-unusable", path=path, reason=reason)


def newer(path: str, found: int) -> StateError:
    """What a person is told about a history of a newer Birkez."""
    return StateError("history-newer", path=path, found=found, known=VERSION)


def prepare(path: str, unfit_file: tuple[int, int] | None = None) -> tuple[sqlite3.Connection, str | None]:
    """Make, upgrade or replace the file, and open it; also returns the name that an unfit one got.

    *unfit_file* names (by `file_identity`) the file in which damage was met; it is set aside unless
    somebody else has done so.

    Raises: SetupError `history-unusable`; StateError `history-newer`.
    """
    lock = ShortLock(path + ".lock")
    try:
        if not lock.acquire(_LOCK_WAIT_S):
            raise SetupError("history-unusable", path=path, reason="another process keeps it locked")
        identity = file_identity(path)
        aside = None
        # Under the lock nobody is just making it, so a file of 0 bytes was cut off.
        if identity is not None and (identity == unfit_file or not looks_like_database(path)):
            aside = _set_aside(path)
        try:
            return _make_or_upgrade(path), aside
        except UnfitError:
            aside = _set_aside(path)
            return _make_or_upgrade(path), aside
    except (sqlite3.Error, OSError, UnfitError) as error:
        raise unusable(path, error) from error
    finally:
        lock.close()


def file_identity(path: str) -> tuple[int, int] | None:
    """Which file stands at *path* now; None when there is none."""
    try:
        state = os.stat(path)
    except FileNotFoundError:
        return None
    return state.st_dev, state.st_ino


def make_tables(connection: sqlite3.Connection, version: int = 0) -> None:
    """Take the steps after *version*, each with its number in one transaction."""
    for number, step in enumerate(STEPS[version:], version + 1):
        connection.execute("BEGIN IMMEDIATE")
        for statement in step:
            connection.execute(statement)
        connection.execute(f"PRAGMA user_version = {number}")
        connection.execute("COMMIT")


def set_aside_files(path: str) -> list[str]:
    """Files that were set aside here, oldest first: `doctor` tells of them."""
    folder, name = os.path.split(path)
    try:
        names = os.listdir(folder or ".")
    except OSError:
        return []  # whatever ails the folder is told about the folder
    prefix = name + ".aside-"
    return [os.path.join(folder, found) for found in sorted(names) if found.startswith(prefix) and found[-1] == "Z"]


def _make_or_upgrade(path: str) -> sqlite3.Connection:
    os.close(os.open(path, os.O_RDWR | os.O_CREAT, 0o600))  # SQLite alone would let everybody read it
    connection = None
    try:
        connection = connect(path, "rw")
        version = _known_version(connection, path)
        if not version:
            connection.execute("PRAGMA auto_vacuum = INCREMENTAL")  # works before the first table only
        # A file system without shared memory answers "delete", and that works too.
        connection.execute("PRAGMA journal_mode = WAL")
        make_tables(connection, version)
    except BaseException as error:
        if connection is not None:
            connection.close()
        if is_unfit(error) or getattr(error, "sqlite_errorcode", 0) & 0xFF == _PLAIN_ERROR:
            raise UnfitError(path) from error  # a plain error is a step that does not fit the tables
        raise
    return connection


def _known_version(connection: sqlite3.Connection, path: str) -> int:
    """Number of the file's last step, 0 for an empty file; another program's tables are unfit."""
    version = version_of(connection)
    if connection.execute("PRAGMA application_id").fetchone()[0] == _APPLICATION_ID:
        if version > VERSION:
            raise newer(path, version)
        return version
    if connection.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]:
        raise UnfitError(path)
    return 0


def _set_aside(path: str) -> str:
    """Give the file and its companions a dated name, and return that."""
    stamp = f"{clock.now():%Y%m%dT%H%M%S}"
    aside, number = f"{path}.aside-{stamp}Z", 1
    while os.path.lexists(aside):
        number += 1
        aside = f"{path}.aside-{stamp}-{number}Z"
    # The database first: a process that opens it now waits for our lock to make a new one.
    for companion in ("", *_COMPANIONS):
        if os.path.lexists(path + companion):
            os.rename(path + companion, aside + companion)
    return aside


def _uri_path(path: str) -> str:
    # RFC 3986: the three characters that would end or change the path; the rest may stand.
    path = os.path.abspath(path).replace("%", "%25").replace("?", "%3f").replace("#", "%23")
    return "///" + path.replace("\\", "/").lstrip("/") if sys.platform == "win32" else path
