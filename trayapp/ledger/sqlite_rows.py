"""Rows of `birkez_window` as values, and the queries that read them."""

from __future__ import annotations

from trayapp.clock import from_epoch, to_epoch
from trayapp.ledger.ledger import Standing, WindowRow
from trayapp.process_identity import ProcessIdentity

TYPE_CHECKING = False
if TYPE_CHECKING:
    import sqlite3
    from datetime import datetime
    from typing import Any

COLUMNS = (
    "key, start_s, end_s, state, attempt, id, run, trigger, at_ms, reason, "
    "new_count, repeated_count, duration_ms, process, runner"
)
_UNSETTLED = "state IN ('started', 'failed', 'uncertain', 'again')"

ACTIVE_AFTER = f"""SELECT {COLUMNS} FROM birkez_window
    WHERE job = ? AND end_s > ? AND state <> 'superseded' ORDER BY end_s"""
ACTIVE_AT = f"""SELECT {COLUMNS} FROM birkez_window
    WHERE job = ? AND end_s > ? AND start_s <= ? AND state <> 'superseded' ORDER BY end_s LIMIT 1"""
UNSETTLED_UP_TO = f"SELECT {COLUMNS} FROM birkez_window WHERE {_UNSETTLED} AND job = ? AND +end_s <= ?"
# `+`: in the order of their changes, not the job's rows from its first window on.
CHANGED_SINCE = f"""SELECT {COLUMNS} FROM birkez_window
    WHERE +job = (SELECT number FROM birkez_job WHERE job = ?) AND id > ? ORDER BY id LIMIT ?"""
# How many changes there were, and when the last one was.
LAST_CHANGE = """SELECT commits, last_commit_s FROM birkez_ledger
    UNION ALL SELECT * FROM (SELECT id, at_ms / 1000 FROM birkez_window ORDER BY id DESC LIMIT 1)
    ORDER BY 1 DESC, 2 DESC LIMIT 1"""
ORPHANS = "SELECT 1 FROM birkez_window WHERE job NOT IN (SELECT number FROM birkez_job) LIMIT 1"
BY_KEY = f"SELECT {COLUMNS} FROM birkez_window WHERE job = ? AND key = ?"
# Active rows never overlap, so of those that end after an instant the first to end is
# also the first to begin: the only one that can meet a window beginning at the instant.
FIRST_ENDING_AFTER = """SELECT id, key, start_s, end_s, state FROM birkez_window
    WHERE job = ? AND end_s > ? AND state <> 'superseded' ORDER BY end_s LIMIT 1"""


def row_of(row: tuple[Any, ...]) -> WindowRow:
    """Turn a row of the table into a value with instants."""
    key, start_s, end_s, state, attempt, seq, run, trigger, at_ms, reason = row[:10]
    new_count, repeated_count, duration_ms, process, runner = row[10:]
    return WindowRow(  # in order: a catch-up makes thousands, and named fields take three times as long
        key,
        from_epoch(start_s),
        from_epoch(end_s),
        state,
        attempt,
        seq,
        run,
        trigger,
        from_epoch(at_ms / 1000),
        reason,
        new_count,
        repeated_count,
        duration_ms,
        read_identity(process),
        read_identity(runner),
    )


def write_identity(identity: ProcessIdentity | None) -> str | None:
    """Write a process identity as one column of text."""
    return None if identity is None else f"{identity.boot} {identity.pid} {identity.start}"


def read_identity(text: str | None) -> ProcessIdentity | None:
    """Read what `write_identity` wrote."""
    if text is None:
        return None
    boot, pid, start = text.split(" ")
    return ProcessIdentity(boot, int(pid), start)


def read_standing(
    connection: sqlite3.Connection, job_id: str, start: datetime, asked: datetime | None = None
) -> Standing:
    """Read a job's standing inside a transaction that is already open."""
    commits, last_commit_s = connection.execute(LAST_CHANGE).fetchone()
    last_commit_at = from_epoch(last_commit_s) if commits else None
    job = connection.execute("SELECT number, origin_s, watermark_s FROM birkez_job WHERE job = ?", (job_id,)).fetchone()
    if job is None:
        return Standing(start, start, (), last_commit_at, is_new=True)
    number, origin_s, watermark_s = job
    rows = connection.execute(UNSETTLED_UP_TO, (number, watermark_s)).fetchall()
    rows += connection.execute(ACTIVE_AFTER, (number, watermark_s)).fetchall()
    if asked is not None:
        at_s = to_epoch(asked)
        rows += connection.execute(ACTIVE_AT, (number, at_s, at_s)).fetchall()
    return Standing(
        from_epoch(watermark_s),
        from_epoch(origin_s),
        tuple(sorted(set(map(row_of, rows)), key=_by_start)),
        last_commit_at,
        is_new=False,
    )


def _by_start(row: WindowRow) -> datetime:
    return row.start
