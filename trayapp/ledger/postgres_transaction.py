"""One transaction on the ledger's tables in PostgreSQL; the only code that changes them."""

from __future__ import annotations

import os
import time

from trayapp import clock
from trayapp.clock import from_epoch, to_epoch
from trayapp.errors import SetupError, StateError
from trayapp.ledger.ledger import DONE, SETTLED, STARTED, TAKEABLE, UNCERTAIN, edition_of, window_key
from trayapp.ledger.sqlite_rows import COLUMNS, row_of, write_identity

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from datetime import datetime
    from typing import Any, Self

    from trayapp.ledger.ledger import Counts, Taking, WindowRow
    from trayapp.ledger.postgres import PostgresLedger
    from trayapp.window.grid import Window

_KEYS_AT_ONCE = 10_000
_LOOKS_FOR_COMMIT = 60  # a second apart
_LOCK_JOB = "SELECT number FROM birkez.birkez_job WHERE job = %s FOR UPDATE NOWAIT"
# Who works at the job, and by which transaction last: no other overwrites it, since only the owner's next one does.
_REMEMBER = """INSERT INTO birkez.birkez_owner AS known (job, owner, seen_s, token) VALUES (%s, %s, %s, %s)
    ON CONFLICT (job, owner) DO UPDATE SET seen_s = greatest(known.seen_s, excluded.seen_s), token = excluded.token"""
_REMEMBERED = """SELECT 1 FROM birkez.birkez_owner
    WHERE owner = %s AND job = (SELECT number FROM birkez.birkez_job WHERE job = %s) AND token = %s"""
_NEXT = "SELECT nextval('birkez.birkez_change')"
_FIRST_ENDING_AFTER = """SELECT id, key, start_s, end_s, state FROM birkez.birkez_window
    WHERE job = %s AND end_s > %s AND state <> 'superseded' ORDER BY end_s LIMIT 1"""
_INSERT = """INSERT INTO birkez.birkez_window (job, key, start_s, end_s, state, attempt, id, run, trigger, at_ms,
    reason, process, runner) VALUES (%s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s)
    ON CONFLICT (job, key) DO NOTHING RETURNING id"""
_RETAKE = """UPDATE birkez.birkez_window SET state = %s, attempt = attempt + 1, id = %s, run = %s, trigger = %s,
    at_ms = %s, reason = '', new_count = NULL, repeated_count = NULL, duration_ms = NULL, process = %s, runner = %s
    WHERE id = %s AND state IN ('failed', 'again') RETURNING id"""
_CLAIM = """INSERT INTO birkez.birkez_key (job, key, window_id) SELECT %s, given, %s FROM unnest(%s::text[]) AS given
    ON CONFLICT DO NOTHING RETURNING key"""
_CHANGED = "UPDATE birkez.birkez_window SET {} WHERE job = %s AND key = %s AND {} RETURNING id"


class PostgresTransaction:
    """An open transaction; leaving the block without `commit` takes all back.

    The first word about a job locks its row, and does not wait for another that holds it.
    """

    def __init__(self, ledger: PostgresLedger) -> None:
        self._ledger = ledger
        self.connection = ledger.connection
        self._run = ledger.run
        self._numbers: dict[str, int] = {}  # of the jobs whose rows we have locked
        self._window_id: int | None = None
        self._began: str | None = None
        self._token = os.urandom(8).hex()  # by which this transaction is found again
        self._forgotten: str | None = None

    def begin_job(self, job_id: str, start: datetime) -> None:
        """Make the job known, with *start* as its watermark, unless it is known already."""
        if job_id in self._ledger.begun:
            return
        start_s = to_epoch(start)
        self._run(
            "INSERT INTO birkez.birkez_job (job, origin_s, watermark_s) VALUES (%s, %s, %s) ON CONFLICT DO NOTHING",
            (job_id, start_s, start_s),
        )
        self._number(job_id)
        self._began = job_id

    def take(self, job_id: str, window: Window, key: str, taking: Taking) -> bool:
        """Take the right to run *window*; False when somebody has it or it is covered.

        Raises: SetupError `job-at-work-elsewhere` when another transaction holds the job's row.
        """
        number, start_s, end_s = self._number(job_id), to_epoch(window.start), to_epoch(window.end)
        met = self._first(_FIRST_ENDING_AFTER, (number, start_s))
        if met is None or met[2] >= end_s:
            return self._insert(number, key, (start_s, end_s), taking, 1)
        row_id, met_key, met_start_s, met_end_s, state = met
        if met_key != key or state not in TAKEABLE or (met_start_s, met_end_s) != (start_s, end_s):
            return False
        process, runner = write_identity(taking.process), write_identity(taking.runner)
        facts = (taking.run, taking.trigger, _ms(taking.at), process, runner)
        self._window_id = self._next_change()
        return self._first(_RETAKE, (taking.state, self._window_id, *facts, row_id)) is not None

    def count(self, counts: Counts, duration_ms: int) -> None:
        """Write what the effect did into the row that this transaction took."""
        self._run(
            "UPDATE birkez.birkez_window SET new_count = %s, repeated_count = %s, duration_ms = %s WHERE id = %s",
            (counts.new, counts.repeated, duration_ms, self._window_id),
        )

    def settle(self, job_id: str, key: str, run: str, at: datetime, duration_ms: int) -> bool:
        """Mark the window that *run* started as done; False when it is no longer that run's."""
        number = self._number(job_id)
        sql = _CHANGED.format("state = %s, id = %s, reason = '', duration_ms = %s", "run = %s AND state = ANY(%s)")
        change = self._note_change(at)
        return self._first(sql, (DONE, change, duration_ms, number, key, run, [STARTED, UNCERTAIN])) is not None

    def fail(self, job_id: str, window: Window, key: str, taking: Taking, reason: str) -> int:
        """Record an attempt that took no effect; returns how many there have been, 0 when the row is not ours."""
        if not self.take(job_id, window, key, taking):
            return 0
        sql = "UPDATE birkez.birkez_window SET reason = %s WHERE id = %s RETURNING attempt"
        return int(self._run(sql, (reason, self._window_id))[0][0])

    def change(self, job_id: str, key: str, states: Sequence[str], state: str, reason: str, at: datetime) -> bool:
        """Move a row from one of *states* to *state*; False when it is in none of them."""
        number = self._number(job_id)
        sql = _CHANGED.format("state = %s, reason = %s, id = %s", "state = ANY(%s)")
        return self._first(sql, (state, reason, self._note_change(at), number, key, list(states))) is not None

    def cover(self, job_id: str, windows: Iterable[Window], taking: Taking, reason: str) -> int:
        """Settle ranges without an effect, leaving out those that meet an active row; returns how many."""
        number, covered = self._number(job_id), 0
        for window in windows:
            start_s, end_s = to_epoch(window.start), to_epoch(window.end)
            met = self._first(_FIRST_ENDING_AFTER, (number, start_s))
            if met is None or met[2] >= end_s:
                key = window_key(job_id, window.start, self._free_edition(number, job_id, window.start))
                covered += self._insert(number, key, (start_s, end_s), taking, 0, reason)
        return covered

    def advance(self, job_id: str) -> datetime:
        """Move the watermark over contiguous settled rows; returns where it stands."""
        number = self._number(job_id)
        before_s = self._run("SELECT watermark_s FROM birkez.birkez_job WHERE number = %s", (number,))[0][0]
        watermark_s = before_s
        while True:
            met = self._first(_FIRST_ENDING_AFTER, (number, watermark_s))
            if met is None or met[2] > watermark_s or met[4] not in SETTLED:
                break
            watermark_s = met[3]
        if watermark_s != before_s:
            self._run("UPDATE birkez.birkez_job SET watermark_s = %s WHERE number = %s", (watermark_s, number))
        return from_epoch(watermark_s)

    def set_watermark(self, job_id: str, at: datetime, now: datetime) -> None:
        """Put the watermark where a person wants it; the origin follows when that is earlier."""
        number, at_s = self._number(job_id), to_epoch(at)
        self._note_change(now)
        self._run(
            "UPDATE birkez.birkez_job SET watermark_s = %s, origin_s = least(origin_s, %s) WHERE number = %s",
            (at_s, at_s, number),
        )

    def reopen(self, job_id: str, key: str, windows: Sequence[Window], taking: Taking, reason: str) -> int:
        """Supersede a settled row by rows to be done again; returns how many record keys it releases.

        Raises: StateError `window-not-settled` when the row is not there or not settled.
        """
        number = self._number(job_id)
        row = self._first("SELECT id, state FROM birkez.birkez_window WHERE job = %s AND key = %s", (number, key))
        if row is None or row[1] not in SETTLED:
            raise StateError("window-not-settled", job=job_id, key=key)
        self.change(job_id, key, SETTLED, "superseded", reason, taking.at)
        sql = "DELETE FROM birkez.birkez_key WHERE job = %s AND window_id = %s RETURNING 1"
        released = len(self._run(sql, (number, row[0])))
        for window in windows:
            again = window_key(job_id, window.start, self._free_edition(number, job_id, window.start))
            self._insert(number, again, (to_epoch(window.start), to_epoch(window.end)), taking, 0, reason)
        return released

    def row(self, job_id: str, key: str) -> WindowRow | None:
        """Read one row by its key; None when there is none."""
        sql = f"SELECT {COLUMNS} FROM birkez.birkez_window WHERE job = %s AND key = %s"
        found = self._first(sql, (self._number(job_id), key))
        return None if found is None else row_of(found)

    def claim_keys(self, job_id: str, record_keys: Sequence[str]) -> set[str]:
        """Claim record keys for the window that this transaction took; returns the new ones."""
        number, new = self._number(job_id), set[str]()
        ordered = sorted(record_keys)
        for first in range(0, len(ordered), _KEYS_AT_ONCE):
            claimed = self._run(_CLAIM, (number, self._window_id, ordered[first : first + _KEYS_AT_ONCE]))
            new.update(key for (key,) in claimed)
        return new

    def forget(self, job_id: str, now: datetime) -> None:
        """Delete all that the ledger knows of a job."""
        number = self._number(job_id)
        self._note_change(now)
        self._ledger.begun.discard(job_id)
        del self._numbers[job_id]
        self._forgotten = job_id
        for table, column in (("key", "job"), ("owner", "job"), ("window", "job"), ("job", "number")):
            self._run(f"DELETE FROM birkez.birkez_{table} WHERE {column} = %s", (number,))

    def commit(self) -> None:
        """Make everything durable, power loss included; an answer that is lost is asked for again.

        Raises: SetupError `server-lost` when nothing was committed, StateError
        `server-commit-unknown` when the server cannot be asked.
        """
        try:
            self._run("COMMIT")
        except SetupError as error:
            if error.code != "server-lost" or not self._has_committed():
                raise
        self._ledger.committed()
        if self._began is not None:
            self._ledger.begun.add(self._began)

    def rollback(self) -> None:
        """Take everything back; a connection that was cut has done so by itself."""
        self._ledger.give_up()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, _kind: object, error: BaseException | None, _traceback: object, /) -> None:
        try:
            self.rollback()
        except SetupError:
            if error is None:
                raise

    def _has_committed(self) -> bool:
        """Ask the server whether the transaction whose COMMIT was not answered has taken effect."""
        if not self._numbers and not self._forgotten:
            return False  # it wrote nothing
        for _ in range(_LOOKS_FOR_COMMIT):
            try:
                self._ledger.reconnect()
                return self._is_remembered()
            except (SetupError, StateError):
                time.sleep(1)  # the server is starting again, or the old session still holds the row
        raise StateError("server-commit-unknown", path=self._ledger.path)

    def _is_remembered(self) -> bool:
        # The server's own transaction numbers, and a sequence's, may be given anew after a crash; a token is not.
        self._run("BEGIN ISOLATION LEVEL READ COMMITTED")
        try:
            self._run(f"SET LOCAL lock_timeout = {self._ledger.wait_ms}")
            for job_id in self._numbers:
                # Once this row is ours, the transaction that held it has ended, one way or the other.
                self._run("SELECT 1 FROM birkez.birkez_job WHERE job = %s FOR UPDATE", (job_id,))
                return bool(self._run(_REMEMBERED, (self._ledger.owner(), job_id, self._token)))
            return not self._run("SELECT 1 FROM birkez.birkez_job WHERE job = %s FOR UPDATE", (self._forgotten,))
        finally:
            self.rollback()

    def _first(self, sql: str, parameters: Sequence[object]) -> tuple[Any, ...] | None:
        return next(iter(self._run(sql, parameters)), None)

    def _number(self, job_id: str) -> int:
        if job_id not in self._numbers:
            try:
                found = self._first(_LOCK_JOB, (job_id,))
            except SetupError as error:
                if error.code != "database-busy":
                    raise
                raise SetupError("job-at-work-elsewhere", path=self._ledger.path) from error
            if found is None:
                raise StateError("ledger-knows-no-job", job=job_id, path=self._ledger.path)
            self._numbers[job_id] = int(found[0])
            self._run(_REMEMBER, (found[0], self._ledger.owner(), to_epoch(clock.now()), self._token))
        return self._numbers[job_id]

    def _next_change(self) -> int:
        return int(self._run(_NEXT)[0][0])

    def _note_change(self, at: datetime) -> int:
        """Count a change that no row tells of, or none with its instant; returns its number."""
        number = self._next_change()
        self._run(
            "UPDATE birkez.birkez_ledger SET commits = greatest(commits, %s), last_commit_s = %s",
            (number, to_epoch(at)),
        )
        return number

    def _insert(
        self, number: int, key: str, bounds_s: tuple[int, int], taking: Taking, attempt: int, reason: str = ""
    ) -> bool:
        process, runner = write_identity(taking.process), write_identity(taking.runner)
        facts = (taking.run, taking.trigger, _ms(taking.at), reason, process, runner)
        change = self._next_change()
        # No row: a superseded one bears the key, and this window was done under it.
        if self._first(_INSERT, (number, key, *bounds_s, taking.state, attempt, change, *facts)) is None:
            return False
        self._window_id = change
        return True

    def _free_edition(self, number: int, job_id: str, start: datetime) -> int:
        base = window_key(job_id, start)
        sql = "SELECT key FROM birkez.birkez_window WHERE job = %s AND start_s = %s"
        keys = self._run(sql, (number, to_epoch(start)))
        return max((edition_of(key) for (key,) in keys if key.partition("#")[0] == base), default=0) + 1


def _ms(at: datetime) -> int:
    return int(at.timestamp() * 1000)
