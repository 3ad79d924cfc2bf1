"""Runs, lines and windows as values, and how they stand in the tables."""

from __future__ import annotations

from datetime import timedelta

from trayapp import clock
from trayapp.value import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Sequence
    from datetime import datetime
    from typing import Any

OUTCOMES = ("running", "done", "skipped", "failed", "uncertain", "stopped")
TRIGGERS = ("manual", "schedule", "boot", "")  # the last: of a run that nothing but lines is known of

MARKED = (("ş", "s"), ("ç", "c"), ("ğ", "g"), ("ö", "o"), ("ü", "u"), ("â", "a"), ("î", "i"), ("û", "u"))

_UNMARKED = str.maketrans(dict(MARKED))
_MICROSECOND = timedelta(microseconds=1)

RUN_COLUMNS = (
    "run.name, job.name, run.started_by, run.pid, run.started_at, run.ended_at, run.outcome, run.reason,"
    " run.window_count, run.new_count, run.repeated_count, run.waiting_count, run.exit_status"
)
WINDOW_COLUMNS = (
    'seq, key, start, "end", state, attempt, run, started_by, at, reason, new_count, repeated_count, duration_ms'
)

_PUT_RUN = """
    INSERT INTO run (name, job, started_by, pid, started_at, ended_at, outcome, reason, folded,
                     window_count, new_count, repeated_count, waiting_count, exit_status)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
    ON CONFLICT (name) DO UPDATE SET
        job = excluded.job, started_by = excluded.started_by, pid = excluded.pid, started_at = excluded.started_at,
        ended_at = excluded.ended_at, outcome = excluded.outcome, reason = excluded.reason, folded = excluded.folded,
        window_count = excluded.window_count, new_count = excluded.new_count,
        repeated_count = excluded.repeated_count, waiting_count = excluded.waiting_count,
        exit_status = excluded.exit_status
    RETURNING id"""
_PUT_LINE = """
    INSERT INTO line (run, number, at, token, text, folded)
    VALUES (?1, (SELECT coalesce(max(number), 0) + 1 FROM line WHERE run = ?1), ?2, ?3, ?4, ?5)"""
# A batch may come again after a kill, and two runs may copy at once: the later change of a row stays.
_PUT_WINDOW = f"""
    INSERT INTO ledger_window (ledger, job, {WINDOW_COLUMNS})
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
    ON CONFLICT (job, key, ledger) DO UPDATE SET
        seq = excluded.seq, start = excluded.start, "end" = excluded."end", state = excluded.state,
        attempt = excluded.attempt, run = excluded.run, started_by = excluded.started_by, at = excluded.at,
        reason = excluded.reason, new_count = excluded.new_count, repeated_count = excluded.repeated_count,
        duration_ms = excluded.duration_ms
    WHERE excluded.seq > seq"""  # noqa: S608  # our own names
_RAISE_MARK = """
    INSERT INTO ledger_mark (ledger, job, seq) VALUES (?, ?, ?)
    ON CONFLICT DO UPDATE SET seq = max(seq, excluded.seq)"""


class RunRecord(NamedTuple):
    """One start of the runner. *windows* and *waiting* count the periods processed and still waiting."""

    run: str
    job: str
    trigger: str
    pid: int
    started_at: datetime
    ended_at: datetime | None
    outcome: str
    reason: str = ""
    windows: int = 0
    new_count: int | None = None
    repeated_count: int | None = None
    waiting: int = 0
    exit_status: int | None = None


class WindowRecord(NamedTuple):
    """A window as a ledger has it; *seq* grows with each change of any of its rows."""

    seq: int
    key: str
    start: datetime
    end: datetime
    state: str
    attempt: int
    run: str
    trigger: str
    at: datetime
    reason: str = ""
    new_count: int | None = None
    repeated_count: int | None = None
    duration_ms: int | None = None


def microseconds(at: datetime) -> int:
    """Write an instant as the tables have it."""
    return (at - clock.EPOCH) // _MICROSECOND


def instant(microseconds_: int) -> datetime:
    """Read an instant as the tables have it."""
    return clock.EPOCH + timedelta(microseconds=microseconds_)


def put_run(connection: sqlite3.Connection, record: RunRecord) -> int:
    """Write a run, or write it anew; returns its number."""
    values = (
        clean(record.run),
        _id_of(connection, "job", "name", record.job),
        record.trigger,
        record.pid,
        microseconds(record.started_at),
        None if record.ended_at is None else microseconds(record.ended_at),
        record.outcome,
        clean(record.reason),
        _folded(record.reason),
        record.windows,
        record.new_count,
        record.repeated_count,
        record.waiting,
        record.exit_status,
    )
    return int(connection.execute(_PUT_RUN, values).fetchone()[0])


def put_line(connection: sqlite3.Connection, run_id: int, at: datetime, token: str, text: str) -> None:
    """Add a line to the run with that number."""
    connection.execute(_PUT_LINE, (run_id, microseconds(at), token, clean(text), _folded(text)))


def put_windows(connection: sqlite3.Connection, identity: str, job: str, rows: Sequence[WindowRecord]) -> None:
    """Write a ledger's windows and raise its mark to the last of them."""
    ids = _id_of(connection, "ledger", "identity", identity), _id_of(connection, "job", "name", job)
    connection.executemany(_PUT_WINDOW, (_window_values(ids, row) for row in rows))
    connection.execute(_RAISE_MARK, (*ids, max(row.seq for row in rows)))


def read_run(row: Sequence[Any]) -> RunRecord:
    """Make a record of what `RUN_COLUMNS` names."""
    run, job, trigger, pid, started_at, ended_at, *rest = row
    return RunRecord(
        run, job, trigger, pid, instant(started_at), None if ended_at is None else instant(ended_at), *rest
    )


def read_window(row: Sequence[Any]) -> WindowRecord:
    """Make a record of what `WINDOW_COLUMNS` names."""
    seq, key, start, end, state, attempt, run, trigger, at, *rest = row
    return WindowRecord(seq, key, instant(start), instant(end), state, attempt, run, trigger, instant(at), *rest)


def _window_values(ids: tuple[int, int], row: WindowRecord) -> tuple[Any, ...]:
    seq, key, start, end, state, attempt, run, trigger, at, reason, *counts = row
    bounds = microseconds(start), microseconds(end)
    return (*ids, seq, key, *bounds, state, attempt, run, trigger, microseconds(at), clean(reason), *counts)


def _id_of(connection: sqlite3.Connection, table: str, column: str, text: str) -> int:
    """Number of a job or a ledger, which is written down when it is new."""
    found = connection.execute(f"SELECT id FROM {table} WHERE {column} = ?", (text,)).fetchone()  # noqa: S608  # our own names
    if found is None:
        found = connection.execute(f"INSERT INTO {table} ({column}) VALUES (?) RETURNING id", (text,)).fetchone()  # noqa: S608  # as above
    return int(found[0])


def clean(text: str) -> str:
    r"""Text that SQLite takes: half a surrogate pair, as a file name can hold, is written as `\udc80`."""
    return text if text.isascii() else text.encode("utf-8", "backslashreplace").decode("utf-8")


def fold(text: str) -> str:
    """Text without letter case, the Turkish way and the English way at once.

    `istanbul` finds `İSTANBUL`, `ısparta` finds `ISPARTA`, `şube` finds `ŞUBE`, and `file`
    finds `FILE`: I, ı, İ and i fold to one letter. A strictly Turkish fold would take
    `FILE` for `fıle`; finding a word too many beats missing one.
    """
    if text.isascii():
        return text.lower()
    import unicodedata  # noqa: PLC0415  # a megabyte that ASCII lines need not load

    dot_above = "\u0307"  # 'İ'.lower() is 'i' and this; macOS writes file names with it apart
    folded = text.casefold().replace("ı", "i").replace("i" + dot_above, "i")
    return unicodedata.normalize("NFC", folded)


def unmarked(folded: str) -> str:
    """Folded text as somebody types it who has no Turkish keys: `sube` for şube."""
    return folded.translate(_UNMARKED)


def is_found(sought: str, text: str) -> bool:
    """Tell whether *sought* stands in *text*, as a search of history finds it."""
    wanted, there = fold(sought), fold(text)
    return wanted in (unmarked(there) if unmarked(wanted) == wanted else there)


def _folded(text: str) -> str | None:
    """Text for the search, None where SQLite's own lower() gives the same."""
    return None if text.isascii() else fold(clean(text))
