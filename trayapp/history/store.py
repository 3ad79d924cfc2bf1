"""Writing history: runs, their lines, and the ledger's windows copied for people.

Nothing decides from it, and a run goes on without it. Readers and writers work side by
side (WAL); a commit is not flushed to the disk (`synchronous=NORMAL`): a power cut may
take the newest rows and never the file. What the ledger holds is copied again then.

A damaged file is set aside and begun anew at the write that meets the damage.
"""

from __future__ import annotations

import os
import sqlite3

from trayapp.companion_files import mend_companions
from trayapp.history import schema
from trayapp.history.records import (
    OUTCOMES,
    TRIGGERS,
    RunRecord,
    WindowRecord,
    microseconds,
    put_line,
    put_run,
    put_windows,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from datetime import datetime
    from typing import Any, TypeVar

    Line = tuple[datetime, str, str]  # at, token, the whole line
    Result = TypeVar("Result")

ABANDONED = "yarida kesildi"  # the reason of a run that ended without saying so

_WINDOWS_AT_ONCE = 500  # a transaction of some 10 ms; nobody waits longer for it
_BEFORE_ALL = -(1 << 62)  # microseconds; before every instant that a table can hold
_WAL_LIMIT = 512 * 1024  # bytes; what the next opener must read again when we leave without closing

_left_open: list[sqlite3.Connection] = []  # at most one; a connection that nothing holds would close

__all__ = ["ABANDONED", "OUTCOMES", "History", "RunRecord", "WindowRecord", "open_history"]


def open_history(path: str) -> History:
    """Open the history at *path* for writing; it is made when missing, upgraded when older.

    An unfit file is set aside: see `History.set_aside`.

    Raises: SetupError `history-unusable`; StateError `history-newer`.
    """
    connection, aside = _open_as_it_is(path), None
    if connection is None:
        connection, aside = schema.prepare(path)
    return History(path, connection, aside)


class History:
    """An open history. Its methods raise SetupError `history-unusable` when a write or read fails.

    `set_aside` is the name that an unfit file got, None as long as none was met.
    """

    def __init__(self, path: str, connection: sqlite3.Connection, set_aside: str | None) -> None:
        self._path = path
        self.set_aside = set_aside
        self._use(connection)

    def add_run(self, record: RunRecord, lines: Iterable[Line] = ()) -> None:
        """Write a run, or write it anew, and add *lines* to those that it has: one short transaction."""
        new_lines = tuple(lines)

        def write(connection: sqlite3.Connection) -> None:
            run_id = put_run(connection, record)
            for at, token, text in new_lines:
                put_line(connection, run_id, at, token, text)

        self.transact(write)

    def end_abandoned_runs(self, job: str, living_run: str) -> None:
        """Mark the job's other runs that still count as running as `stopped`: they were killed.

        Only for *living_run* that holds the job's lock: then no other can be alive.
        """
        self.transact(
            lambda connection: connection.execute(
                "UPDATE run SET outcome = 'stopped', reason = ? WHERE outcome = 'running' AND name <> ?"
                " AND job = (SELECT id FROM job WHERE name = ?)",
                (ABANDONED, living_run, job),
            )
        )

    def end_run(self, run: str, outcome: str, reason: str, at: datetime) -> None:
        """Mark a run as ended whose end the log tells and this history could not take."""
        ended_at = microseconds(at)
        self.transact(
            lambda connection: connection.execute(
                "UPDATE run SET outcome = ?, reason = ?, ended_at = ? WHERE name = ?", (outcome, reason, ended_at, run)
            )
        )

    def high_water_mark(self, ledger_identity: str, job: str) -> int:
        """Largest `seq` of that ledger's rows of *job* that was copied; 0 before the first."""
        found = self.read(
            "SELECT seq FROM ledger_mark WHERE ledger = (SELECT id FROM ledger WHERE identity = ?)"
            " AND job = (SELECT id FROM job WHERE name = ?)",
            (ledger_identity, job),
        )
        return int(found[0][0]) if found else 0

    def copy_windows(self, ledger_identity: str, job: str, rows: Iterable[WindowRecord]) -> int:
        """Copy ledger *rows*, which must come in the order of `seq`; returns how many came.

        Each batch and the mark behind it are one transaction, so a kill here leaves no
        hole. The mark only rises: what retention deletes does not come back.
        """
        copied = 0
        batch: list[WindowRecord] = []
        for row in rows:
            batch.append(row)
            if len(batch) == _WINDOWS_AT_ONCE:
                copied += self._copy_batch(ledger_identity, job, batch)
                batch = []
        return copied + (self._copy_batch(ledger_identity, job, batch) if batch else 0)

    def last_scheduled_end(self, job: str) -> str | None:
        """Outcome of the newest run that nobody started by hand and that got to its ledger; None before the first.

        A skip for want of work is an end like any other: what had failed is mended.
        """
        found = self.read(
            "SELECT outcome FROM run WHERE job = (SELECT id FROM job WHERE name = ?) AND started_by <> 'manual'"
            " AND outcome <> 'running'"
            " AND NOT (outcome = 'skipped' AND reason IN ('kilit', 'duraklatildi', 'devre disi'))"
            " ORDER BY id DESC LIMIT 1",
            (job,),
        )
        return str(found[0][0]) if found else None

    def cut_off_in_a_row(self, job: str) -> int:
        """How many of the job's newest runs that worked were cut off, since one came to an end."""
        found = self.read(
            "SELECT count(*) FROM run WHERE job = (SELECT id FROM job WHERE name = ?1) AND reason = ?2"
            " AND id > coalesce((SELECT max(id) FROM run WHERE job = (SELECT id FROM job WHERE name = ?1)"
            " AND outcome IN ('done', 'failed', 'uncertain')), 0)",
            (job, ABANDONED),
        )
        return int(str(found[0][0]))

    def unfinished_runs(self, job: str, living_run: str) -> list[str]:
        """Names of the job's other runs that still count as running, oldest first."""
        found = self.read(
            "SELECT name FROM run WHERE job = (SELECT id FROM job WHERE name = ?) AND outcome = 'running' AND name <> ?"
            " ORDER BY id",
            (job, living_run),
        )
        return [str(name) for (name,) in found]

    def failures_in_a_row(self, job: str) -> int:
        """Runs that failed or became uncertain since the job's last success; skips do not count."""
        found = self.read(
            f"SELECT count(*) FROM run WHERE job = (SELECT id FROM job WHERE name = ?) AND started_by IN {TRIGGERS!r}"  # noqa: S608
            " AND outcome IN ('failed', 'uncertain') AND started_at > ?",
            (job, self._newest(job, "done")),
        )
        return int(found[0][0])

    def transact(self, work: Callable[[sqlite3.Connection], Result], *, again: bool = True) -> Result:
        """Do *work* in one transaction that waits up to 5 s for other writers.

        A damaged file is set aside and, with *again*, the work done once more on the new one.

        Raises: SetupError `history-unusable`; nothing of the work is written then.
        """
        try:
            return self._transact_once(work)
        except sqlite3.Error as error:
            if not schema.is_unfit(error):
                raise schema.unusable(self._path, error) from error
            self._begin_anew()
            if not again:
                raise schema.unusable(self._path, error) from error
        try:
            return self._transact_once(work)
        except sqlite3.Error as error:
            raise schema.unusable(self._path, error) from error

    def read(self, sql: str, parameters: tuple[object, ...] = ()) -> list[tuple[Any, ...]]:
        """Rows of a small query.

        Raises: SetupError `history-unusable`.
        """
        try:
            return self._connection.execute(sql, parameters).fetchall()
        except sqlite3.Error as error:
            raise schema.unusable(self._path, error) from error

    def leave(self) -> None:
        """Finish before a process that ends by `os._exit`: cheap most of the times.

        Closing the last connection flushes and removes the WAL (1.2 ms more in a no-op run).
        Left open, it stays for the next opener, who reads it again: so it is closed once
        it has grown. Without `os._exit` the interpreter closes it after all.
        """
        try:
            grown = os.stat(self._path + "-wal").st_size > _WAL_LIMIT
        except OSError:
            grown = True
        while _left_open:
            _left_open.pop().close()
        if grown:
            self.close()
        else:
            _left_open.append(self._connection)

    def close(self) -> None:
        """Close; what was written is flushed to the disk when nobody else has history open."""
        self._connection.close()

    def _copy_batch(self, ledger_identity: str, job: str, batch: list[WindowRecord]) -> int:
        def write(connection: sqlite3.Connection) -> int:
            put_windows(connection, ledger_identity, job, batch)
            return len(batch)

        # Not again on a new file: its mark would stand above rows that were never copied to it.
        return self.transact(write, again=False)

    def _newest(self, job: str, outcome: str) -> int:
        """When the job's newest run of that outcome started; each trigger has a range of its own in the index."""
        sql = (
            "SELECT max(started_at) FROM run WHERE job = (SELECT id FROM job WHERE name = ?)"
            " AND started_by = ? AND outcome = ?"
        )
        newest = [self.read(sql, (job, trigger, outcome))[0][0] for trigger in TRIGGERS]
        return max((at for at in newest if at is not None), default=_BEFORE_ALL)

    def _transact_once(self, work: Callable[[sqlite3.Connection], Result]) -> Result:
        connection = self._connection
        connection.execute("BEGIN IMMEDIATE")
        try:
            result = work(connection)
            connection.execute("COMMIT")
        except BaseException:
            if connection.in_transaction:
                connection.execute("ROLLBACK")
            raise
        return result

    def _begin_anew(self) -> None:
        self._connection.close()
        connection, aside = schema.prepare(self._path, unfit_file=self._file)
        self.set_aside = aside or self.set_aside
        self._use(connection)

    def _use(self, connection: sqlite3.Connection) -> None:
        self._connection = connection
        self._file = schema.file_identity(self._path)


def _open_as_it_is(path: str) -> sqlite3.Connection | None:
    """Open a history that needs nothing done to it; None when `schema.prepare` must look at it."""
    connection = None
    try:
        if not schema.looks_like_database(path):
            return None
        if os.access(path, os.W_OK):
            mend_companions(path)  # what it cannot mend, the first write tells
        connection = schema.connect(path, "rw")
        if schema.version_of(connection) == schema.VERSION:
            return connection
    except (sqlite3.Error, OSError):
        pass  # prepare meets it again, and tells it
    if connection is not None:
        connection.close()
    return None
