"""What failed, durably: how often, why, and from when on it may be tried again; and servers at rest.

A small database of each job's own, which all of its workers write. Losing it costs nothing
but the count: what is done stands in the targets' folder. One that is damaged is set aside.
"""

from __future__ import annotations

import json
import os
import sqlite3
import time

from trayapp.errors import SetupError
from trayapp.value import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import TypeVar

    from trayapp.errors import BirkezError

    Result = TypeVar("Result")

_FILE = "failures.db"
_BUSY_S, _BUSY_PAUSE_S = 30.0, 0.02
_FIRST_PAUSE_S, _GROWTH, _LONGEST_PAUSE_S = 2.0, 4, 300.0
_JITTER_S = 1.0  # by which a clock is set right all the time
_UNBELIEVABLE_S = 7 * 86_400.0  # a moment that far ahead was written under a clock that was wrong
_TABLES = """
CREATE TABLE IF NOT EXISTS failure (
    name TEXT PRIMARY KEY, item TEXT NOT NULL, attempt INTEGER NOT NULL, code TEXT NOT NULL, facts TEXT NOT NULL,
    at REAL NOT NULL, next_at REAL NOT NULL, is_final INTEGER NOT NULL) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS host (
    host TEXT PRIMARY KEY, strikes INTEGER NOT NULL, rests INTEGER NOT NULL, rest_until REAL NOT NULL) WITHOUT ROWID;
"""
_PUT = """
INSERT INTO failure VALUES (?, ?, 1, ?, ?, ?, ?, ?)
ON CONFLICT (name) DO UPDATE SET item = excluded.item, attempt = attempt + 1, code = excluded.code,
    facts = excluded.facts, at = excluded.at, next_at = excluded.next_at, is_final = excluded.is_final
"""


class Failure(NamedTuple):
    """An item's failures so far. Instants are seconds since 1970; `is_final`: more attempts are useless."""

    name: str
    item: str
    attempt: int
    code: str
    facts: dict[str, object]
    at: float
    next_at: float
    is_final: bool

    def has_failed(self, attempts: int) -> bool:
        """Tell whether it counts as failed where a job allows *attempts*."""
        return self.is_final or self.attempt >= attempts

    def wait_s(self, now: float) -> float:
        """Seconds until it may be tried again; none where the clock was set back since."""
        left_s = self.next_at - now if now >= self.at - _JITTER_S else 0.0
        return left_s if 0 < left_s < _UNBELIEVABLE_S else 0.0


def pause_s(attempt: int) -> float:
    """Seconds to wait after the *attempt*-th failure in a row: 2, 8, 32, … 300."""
    grown: float = _FIRST_PAUSE_S * _GROWTH ** (min(attempt, 8) - 1)
    return min(grown, _LONGEST_PAUSE_S)


class Failures:
    """The job's failures, open for writing.

    Raises, in every method: SetupError `failures-unusable`.
    """

    def __init__(self, folder: str) -> None:
        self._path = os.path.join(folder, _FILE)
        try:
            os.makedirs(folder, mode=0o700, exist_ok=True)
            self._connection = self._open()
        except (sqlite3.Error, OSError) as error:
            raise _unusable(self._path, error) from error

    def all(self) -> dict[str, Failure]:
        """Every failure, by its target's name."""
        return self._try(lambda: _read_all(self._connection))

    def get(self, name: str) -> Failure | None:
        """Failure of one target."""
        rows = self._try(lambda: self._connection.execute("SELECT * FROM failure WHERE name = ?", (name,)).fetchall())
        return _failure(rows[0]) if rows else None

    def add(self, name: str, item: str, error: BirkezError, *, is_final: bool, wait_s: float = 0.0) -> int:
        """Count one more failure of *name*, which is then left alone for a while, at least *wait_s*.

        Returns how many there are.
        """
        facts = json.dumps({key: value for key, value in error.facts.items() if isinstance(value, str | int | float)})

        def write() -> int:
            known = self._connection.execute("SELECT attempt FROM failure WHERE name = ?", (name,)).fetchone()
            attempt = (known[0] if known else 0) + 1
            now = time.time()
            next_at = now + max(pause_s(attempt), wait_s)
            values = (name, _text(item), error.code, facts, now, next_at, is_final)
            self._connection.execute(_PUT, values)
            return int(attempt)

        return self._transact(write)

    def clear(self, name: str) -> None:
        """Forget the failures of an item that has succeeded."""
        self._transact(lambda: self._connection.execute("DELETE FROM failure WHERE name = ?", (name,)))

    def forget_all(self) -> int:
        """Let everything be tried again at once; returns how many failures were forgotten."""

        def write() -> int:
            self._connection.execute("DELETE FROM host")
            return self._connection.execute("DELETE FROM failure").rowcount

        return self._transact(write)

    def host(self, host: str) -> tuple[int, int, float]:
        """Strikes of a server in a row, rests that they led to, and until when it rests (0: it does not)."""
        sql = "SELECT strikes, rests, rest_until FROM host WHERE host = ?"
        row = self._try(lambda: self._connection.execute(sql, (host,)).fetchone())
        return (int(row[0]), int(row[1]), float(row[2])) if row else (0, 0, 0.0)

    def set_host(
        self, host: str, change: Callable[[int, int, float], tuple[int, int, float]]
    ) -> tuple[int, int, float]:
        """Change what is known of a server, in one step for all workers; returns what it is then."""

        def write() -> tuple[int, int, float]:
            changed = change(*self.host(host))
            self._connection.execute("INSERT OR REPLACE INTO host VALUES (?, ?, ?, ?)", (host, *changed))
            return changed

        return self._transact(write)

    def forget_hosts(self) -> None:
        """Begin anew with all servers."""
        self._transact(lambda: self._connection.execute("DELETE FROM host"))

    def close(self) -> None:
        """Close the database."""
        self._connection.close()

    def _open(self) -> sqlite3.Connection:
        try:
            return _connect(self._path)
        except sqlite3.DatabaseError as error:
            if getattr(error, "sqlite_errorcode", 0) & 0xFF not in (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB):
                raise
        stamp = f"{time.time_ns()}"
        for companion in ("", "-wal", "-shm"):
            if os.path.lexists(self._path + companion):
                os.replace(self._path + companion, f"{self._path}.aside-{stamp}{companion}")
        return _connect(self._path)

    def _transact(self, work: Callable[[], Result]) -> Result:
        def once() -> Result:
            self._connection.execute("BEGIN IMMEDIATE")
            try:
                result = work()
                self._connection.execute("COMMIT")
            except BaseException:
                if self._connection.in_transaction:
                    self._connection.execute("ROLLBACK")
                raise
            return result

        return self._try(once)

    def _try(self, work: Callable[[], Result]) -> Result:
        try:
            return work()
        except sqlite3.Error as error:
            raise _unusable(self._path, error) from error


def read_failures(folder: str) -> dict[str, Failure]:
    """Every failure, for display: nothing is made, and nobody disturbed.

    Raises: SetupError `failures-unusable`.
    """
    path = os.path.join(folder, _FILE)
    if not os.path.exists(path):
        return {}
    try:
        connection = sqlite3.connect(path, timeout=_BUSY_S, isolation_level=None)
        try:
            return _read_all(connection)
        finally:
            connection.close()
    except sqlite3.Error as error:
        raise _unusable(path, error) from error


def _connect(path: str) -> sqlite3.Connection:
    os.close(os.open(path, os.O_RDWR | os.O_CREAT, 0o600))  # SQLite alone would let everybody read it
    connection = sqlite3.connect(path, timeout=_BUSY_S, isolation_level=None, check_same_thread=False)
    try:
        _make_ready(connection)
    except BaseException:
        connection.close()
        raise
    return connection


def _make_ready(connection: sqlite3.Connection) -> None:
    """Set the file up; of workers that begin together all but one find it busy, for which SQLite does not wait here."""
    deadline = time.monotonic() + _BUSY_S
    while True:
        try:
            connection.execute("PRAGMA journal_mode = WAL")
            connection.execute("PRAGMA synchronous = NORMAL")  # a count that a power cut takes is counted again
            connection.executescript(_TABLES)
        except sqlite3.OperationalError as error:
            is_busy = getattr(error, "sqlite_errorcode", 0) & 0xFF in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED)
            if not is_busy or time.monotonic() > deadline:
                raise
            time.sleep(_BUSY_PAUSE_S)
        else:
            return


def _read_all(connection: sqlite3.Connection) -> dict[str, Failure]:
    return {row[0]: _failure(row) for row in connection.execute("SELECT * FROM failure")}


def _failure(row: tuple[str, str, int, str, str, float, float, int]) -> Failure:
    name, item, attempt, code, facts, at, next_at, is_final = row
    return Failure(name, item, attempt, code, json.loads(facts), at, next_at, bool(is_final))


def _text(item: str) -> str:
    return item.encode("utf-8", "backslashreplace").decode("utf-8")


def _unusable(path: str, error: Exception) -> SetupError:
    return SetupError("failures-unusable", path=path, reason=str(error))
