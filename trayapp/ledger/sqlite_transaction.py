"""One transaction on the ledger's tables; the only code that changes them."""

from __future__ import annotations

import sqlite3

from trayapp import clock
from trayapp.clock import from_epoch, to_epoch
from trayapp.errors import StateError
from trayapp.ledger.ledger import DONE, SETTLED, STARTED, TAKEABLE, UNCERTAIN, edition_of, window_key
from trayapp.ledger.sqlite_file import damaged
from trayapp.ledger.sqlite_rows import BY_KEY, FIRST_ENDING_AFTER, row_of, write_identity

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from datetime import datetime
    from typing import Self

    from trayapp.ledger.ledger import Counts, Taking, WindowRow
    from trayapp.ledger.sqlite import SqliteLedger
    from trayapp.window.grid import Window

# Sorted keys in slices of this size reach 0.66 of the plain INSERT limit (measured).
_KEYS_AT_ONCE = 10_000
_CLAIM_KEYS = """INSERT INTO birkez_key (job, key, window) SELECT ?, value, ? FROM json_each(?) WHERE true
    ON CONFLICT DO NOTHING RETURNING key"""
# The same, quicker where most keys are known and slower where most are new.
_CLAIM_UNKNOWN_KEYS = """INSERT INTO birkez_key (job, key, window) SELECT ?1, value, ?2 FROM json_each(?3) AS given
    WHERE NOT EXISTS (SELECT 1 FROM birkez_key WHERE job = ?1 AND key = given.value)
    ON CONFLICT DO NOTHING RETURNING key"""
_NEXT = "SELECT max(commits, (SELECT coalesce(max(id), 0) FROM birkez_window)) + 1 FROM birkez_ledger"
_INSERT = """INSERT INTO birkez_window (job, key, start_s, end_s, state, attempt, id, run, trigger, at_ms, reason,
    process, runner) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"""
_RETAKE = """UPDATE birkez_window SET state = ?, attempt = attempt + 1, id = ?, run = ?, trigger = ?, at_ms = ?,
    reason = '', new_count = NULL, repeated_count = NULL, duration_ms = NULL, process = ?, runner = ?
    WHERE id = ? AND state IN ('failed', 'again')"""


class SqliteTransaction:
    """An open `BEGIN IMMEDIATE`; leaving the block without `commit` takes all back."""

    def __init__(self, ledger: SqliteLedger) -> None:
        self._ledger = ledger
        self.connection = ledger.connection
        self._execute = ledger.connection.execute
        self._window_id: int | None = None
        self._began: str | None = None

    def begin_job(self, job_id: str, start: datetime) -> None:
        """Make the job known, with *start* as its watermark, unless it is known already.

        Also notes who runs it; once a process, not once a window.
        """
        if job_id in self._ledger.begun:
            return
        start_s = to_epoch(start)
        self._execute(
            "INSERT INTO birkez_job (job, origin_s, watermark_s) VALUES (?, ?, ?) ON CONFLICT DO NOTHING",
            (job_id, start_s, start_s),
        )
        self._execute(
            "INSERT INTO birkez_owner (job, owner, seen_s) VALUES (?, ?, ?)"
            " ON CONFLICT DO UPDATE SET seen_s = max(seen_s, excluded.seen_s)",
            (self._number(job_id), self._ledger.owner(), to_epoch(clock.now())),
        )
        self._began = job_id

    def take(self, job_id: str, window: Window, key: str, taking: Taking) -> bool:
        """Take the right to run *window*; False when somebody has it or it is covered."""
        number, start_s, end_s = self._number(job_id), to_epoch(window.start), to_epoch(window.end)
        met = self._execute(FIRST_ENDING_AFTER, (number, start_s)).fetchone()
        if met is None or met[2] >= end_s:
            return self._insert(number, key, (start_s, end_s), taking, 1)
        row_id, met_key, met_start_s, met_end_s, state = met
        if met_key != key or state not in TAKEABLE or (met_start_s, met_end_s) != (start_s, end_s):
            return False
        facts = (
            taking.run,
            taking.trigger,
            _ms(taking.at),
            write_identity(taking.process),
            write_identity(taking.runner),
        )
        self._window_id = self._next_change()
        return self._execute(_RETAKE, (taking.state, self._window_id, *facts, row_id)).rowcount == 1

    def count(self, counts: Counts, duration_ms: int) -> None:
        """Write what the effect did into the row that this transaction took."""
        self._execute(
            "UPDATE birkez_window SET new_count = ?, repeated_count = ?, duration_ms = ? WHERE id = ?",
            (counts.new, counts.repeated, duration_ms, self._window_id),
        )

    def settle(self, job_id: str, key: str, run: str, at: datetime, duration_ms: int) -> bool:
        """Mark the window that *run* started as done; False when it is no longer that run's.

        A row that others gave up as uncertain while *run* was still at work counts too:
        *run* knows that it finished.
        """
        changed = self._execute(
            f"""UPDATE birkez_window SET state = '{DONE}', id = ?, reason = '', duration_ms = ?
                WHERE job = ? AND key = ? AND run = ? AND state IN ('{STARTED}', '{UNCERTAIN}')""",
            (self._note_change(at), duration_ms, self._number(job_id), key, run),
        ).rowcount
        return changed == 1

    def fail(self, job_id: str, window: Window, key: str, taking: Taking, reason: str) -> int:
        """Record an attempt that took no effect; returns how many there have been, 0 when the row is not ours."""
        if not self.take(job_id, window, key, taking):
            return 0
        self._execute("UPDATE birkez_window SET reason = ? WHERE id = ?", (reason, self._window_id))
        attempts = self._execute("SELECT attempt FROM birkez_window WHERE id = ?", (self._window_id,)).fetchone()[0]
        return int(attempts)

    def change(self, job_id: str, key: str, states: Sequence[str], state: str, reason: str, at: datetime) -> bool:
        """Move a row from one of *states* to *state*; False when it is in none of them."""
        marks = ", ".join("?" * len(states))
        changed = self._execute(
            f"UPDATE birkez_window SET state = ?, reason = ?, id = ? WHERE job = ? AND key = ? AND state IN ({marks})",
            (state, reason, self._note_change(at), self._number(job_id), key, *states),
        ).rowcount
        return changed == 1

    def cover(self, job_id: str, windows: Iterable[Window], taking: Taking, reason: str) -> int:
        """Settle ranges without an effect, leaving out those that meet an active row; returns how many."""
        number, covered = self._number(job_id), 0
        for window in windows:
            start_s, end_s = to_epoch(window.start), to_epoch(window.end)
            met = self._execute(FIRST_ENDING_AFTER, (number, start_s)).fetchone()
            if met is None or met[2] >= end_s:
                key = window_key(job_id, window.start, self._free_edition(number, job_id, window.start))
                covered += self._insert(number, key, (start_s, end_s), taking, 0, reason)
        return covered

    def advance(self, job_id: str) -> datetime:
        """Move the watermark over contiguous settled rows; returns where it stands."""
        number, before_s = self._execute(
            "SELECT number, watermark_s FROM birkez_job WHERE job = ?", (job_id,)
        ).fetchone()
        watermark_s = before_s
        while True:
            met = self._execute(FIRST_ENDING_AFTER, (number, watermark_s)).fetchone()
            if met is None or met[2] > watermark_s or met[4] not in SETTLED:
                break
            watermark_s = met[3]
        if watermark_s != before_s:
            self._execute("UPDATE birkez_job SET watermark_s = ? WHERE number = ?", (watermark_s, number))
        return from_epoch(watermark_s)

    def set_watermark(self, job_id: str, at: datetime, now: datetime) -> None:
        """Put the watermark where a person wants it; the origin follows when that is earlier."""
        at_s = to_epoch(at)
        self._note_change(now)
        self._execute(
            "UPDATE birkez_job SET watermark_s = ?, origin_s = min(origin_s, ?) WHERE job = ?", (at_s, at_s, job_id)
        )

    def reopen(self, job_id: str, key: str, windows: Sequence[Window], taking: Taking, reason: str) -> int:
        """Supersede a settled row by rows to be done again; returns how many record keys it releases.

        Raises: StateError `window-not-settled` when the row is not there or not settled.
        """
        number = self._number(job_id)
        row = self._execute("SELECT id, state FROM birkez_window WHERE job = ? AND key = ?", (number, key)).fetchone()
        if row is None or row[1] not in SETTLED:
            raise StateError("window-not-settled", job=job_id, key=key)
        self.change(job_id, key, SETTLED, "superseded", reason, taking.at)
        released = self._execute("DELETE FROM birkez_key WHERE job = ? AND window = ?", (number, row[0])).rowcount
        for window in windows:
            again = window_key(job_id, window.start, self._free_edition(number, job_id, window.start))
            self._insert(number, again, (to_epoch(window.start), to_epoch(window.end)), taking, 0, reason)
        return released

    def row(self, job_id: str, key: str) -> WindowRow | None:
        """Read one row by its key; None when there is none."""
        found = self._execute(BY_KEY, (self._number(job_id), key)).fetchone()
        return None if found is None else row_of(found)

    def claim_keys(self, job_id: str, record_keys: Sequence[str]) -> set[str]:
        """Claim record keys for the window that this transaction took; returns the new ones."""
        number, new = self._number(job_id), set[str]()
        # Random keys cost a page each; sorted ones fill pages in turn. Of a key that comes twice the second is known.
        ordered, claim = sorted(record_keys), _CLAIM_KEYS
        for first in range(0, len(ordered), _KEYS_AT_ONCE):
            slice_ = _as_json(ordered[first : first + _KEYS_AT_ONCE])
            claimed = self._execute(claim, (number, self._window_id, slice_)).fetchall()
            new.update(key for (key,) in claimed)
            claim = _CLAIM_KEYS if claimed else _CLAIM_UNKNOWN_KEYS  # the next slice will be like this one
        return new

    def forget(self, job_id: str, now: datetime) -> None:
        """Delete all that the ledger knows of a job."""
        number = self._number(job_id)
        self._note_change(now)
        self._ledger.begun.discard(job_id)
        for table, column in (
            ("birkez_key", "job"),
            ("birkez_owner", "job"),
            ("birkez_window", "job"),
            ("birkez_job", "number"),
        ):
            self._execute(f"DELETE FROM {table} WHERE {column} = ?", (number,))

    def commit(self) -> None:
        """Make everything durable, power loss included."""
        self._ledger.commit()
        if self._began is not None:
            self._ledger.begun.add(self._began)

    def rollback(self) -> None:
        """Take everything back; harmless when SQLite has already done so by itself."""
        if self.connection.in_transaction:
            self._execute("ROLLBACK")

    def __enter__(self) -> Self:
        return self

    def __exit__(self, _kind: object, error: BaseException | None, _traceback: object, /) -> None:
        try:
            self.rollback()
        except sqlite3.Error:
            if error is None:
                raise
        if isinstance(error, sqlite3.Error):
            raise damaged(error, self._ledger.path) from error

    def _number(self, job_id: str) -> int:
        found = self._execute("SELECT number FROM birkez_job WHERE job = ?", (job_id,)).fetchone()
        if found is None:
            raise StateError("ledger-knows-no-job", job=job_id, path=self._ledger.path)
        return int(found[0])

    def _next_change(self) -> int:
        """Number of the change that comes now, for a row that also tells when it came."""
        return int(self._execute(_NEXT).fetchone()[0])

    def _note_change(self, at: datetime) -> int:
        """Count a change that no row tells of, or none with its instant; returns its number."""
        number = self._next_change()
        self._execute("UPDATE birkez_ledger SET commits = ?, last_commit_s = ?", (number, to_epoch(at)))
        return number

    def _insert(
        self, number: int, key: str, bounds_s: tuple[int, int], taking: Taking, attempt: int, reason: str = ""
    ) -> bool:
        process, runner = write_identity(taking.process), write_identity(taking.runner)
        facts = (taking.run, taking.trigger, _ms(taking.at), reason, process, runner)
        change = self._next_change()
        try:
            self._execute(_INSERT, (number, key, *bounds_s, taking.state, attempt, change, *facts))
        except sqlite3.IntegrityError:
            return False  # a superseded row bears the key: this window was done under it
        self._window_id = change
        return True

    def _free_edition(self, number: int, job_id: str, start: datetime) -> int:
        base = window_key(job_id, start)
        keys = self._execute("SELECT key FROM birkez_window WHERE job = ? AND start_s = ?", (number, to_epoch(start)))
        return max((edition_of(key) for (key,) in keys if key.partition("#")[0] == base), default=0) + 1


def _as_json(keys: Sequence[str]) -> str:
    """Write a list of texts; one in which nothing has to be escaped, as in most keys, is only joined."""
    text = '","'.join(keys)
    if text.isprintable() and "\\" not in text and text.count('"') == 2 * (len(keys) - 1):
        return f'["{text}"]'
    from json import dumps  # noqa: PLC0415  # 4 ms

    return dumps(keys, ensure_ascii=False)


def _ms(at: datetime) -> int:
    return int(at.timestamp() * 1000)
