"""What history keeps of the ledger: rows copied in bounded batches, from where the last copy ended."""

from __future__ import annotations

from trayapp.history.store import WindowRecord

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from trayapp.history.store import History
    from trayapp.ledger.ledger import Ledger, WindowRow

_ROWS_AT_ONCE = 500


def copy_ledger(history: History, ledger: Ledger, identity: str, job_id: str) -> None:
    """Copy what the ledger *identity* has of the job and history has not."""
    seq = history.high_water_mark(identity, job_id)
    history.copy_windows(identity, job_id, _changed(ledger, job_id, seq))


def _changed(ledger: Ledger, job_id: str, seq: int) -> Iterator[WindowRecord]:
    while rows := ledger.changed_since(job_id, seq, _ROWS_AT_ONCE):
        yield from map(_window_record, rows)
        seq = rows[-1].seq


def _window_record(row: WindowRow) -> WindowRecord:
    return WindowRecord(  # in order: a catch-up makes thousands, and named fields take three times as long
        row.seq,
        row.key,
        row.start,
        row.end,
        row.state,
        row.attempt,
        row.run,
        row.trigger,
        row.at,
        row.reason,
        row.new_count,
        row.repeated_count,
        row.duration_ms,
    )
