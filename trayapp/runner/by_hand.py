"""What a person decides about a job's windows: resolve, skip, reopen, watermark, accept.

Each takes the job's lock first, so that no run works on what is being decided, changes
the ledger in one transaction, and leaves a line with the reason in the job's log.
"""

from __future__ import annotations

import contextlib

from trayapp import clock, exit_code
from trayapp.errors import StateError, UsageError
from trayapp.job.cache import load_job
from trayapp.ledger.ledger import AGAIN, DONE, SETTLED, SKIPPED, UNCERTAIN, UNSETTLED, Taking, window_key
from trayapp.ledger.seen import forget_mark, remember_mark
from trayapp.lock.holder import own_holder
from trayapp.lock.job_lock import acquire
from trayapp.runner.decision import Wish, decide
from trayapp.runner.opening import open_ledger
from trayapp.runner.pipeline import running_window
from trayapp.runner.record import Record, window_fields
from trayapp.value import NamedTuple
from trayapp.window.grid import Window, grid_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from datetime import datetime

    from trayapp.job.model import Job
    from trayapp.ledger.ledger import Standing, WindowRow
    from trayapp.ledger.sqlite import SqliteLedger
    from trayapp.places import Places


class Desk(NamedTuple):
    """What a decision needs at hand while the job's lock is held."""

    job: Job
    ledger: SqliteLedger
    record: Record
    taking: Taking


class Reopened(NamedTuple):
    """What reopening did: the windows to be taken again, and the record keys it released."""

    windows: tuple[Window, ...]
    released: int


class WatermarkMoved(NamedTuple):
    """What moving the watermark did: how many windows are looked at again or were skipped."""

    before: datetime
    after: datetime
    settled_again: int
    skipped: int


def resolve(places: Places, job_id: str, key: str, *, done: bool, reason: str) -> None:
    """Decide an uncertain window: it was done, or it shall be run again under the same key.

    Raises: UsageError `window-not-uncertain`; StateError `job-running`, `command-still-running`;
    what opening raises.
    """
    state = DONE if done else AGAIN
    with _desk(places, job_id) as desk:
        _refuse_while_running(desk.ledger.standing(job_id, desk.job.window.start), key)
        with desk.ledger.transaction() as transaction:
            if not transaction.change(job_id, key, (UNCERTAIN,), state, reason, clock.now()):
                raise UsageError("window-not-uncertain", job=job_id, key=key)
            transaction.advance(job_id)
            transaction.commit()
        _note(desk, "karar", ("anahtar", key), ("karar", "islendi" if done else "yeniden"), reason=reason)


def skip(places: Places, job_id: str, start: datetime, reason: str) -> Window:
    """Settle one window without its effect, so that later ones go on; returns its bounds.

    Raises: UsageError as `--window` would, or `window-settled`.
    """
    with _desk(places, job_id) as desk:
        standing = desk.ledger.standing(job_id, desk.job.window.start, start)
        row = next((row for row in standing.rows if row.start == start), None)
        if row is None:
            window = _window_at(desk.job, standing, start)
        elif row.state in SETTLED:
            raise UsageError("window-settled", job=job_id, key=row.key)
        else:
            window = Window(row.start, row.end)
        _refuse_while_running(standing)
        with desk.ledger.transaction() as transaction:
            transaction.begin_job(job_id, desk.job.window.start)
            if row is None:
                transaction.cover(job_id, (window,), desk.taking._replace(state=SKIPPED), reason)
            else:
                transaction.change(job_id, row.key, UNSETTLED, SKIPPED, reason, clock.now())
            transaction.advance(job_id)
            transaction.commit()
        _note(desk, "elle gecildi", *window_fields(window, "")[:1], reason=reason)
    return window


def key_at(places: Places, job_id: str, start: datetime) -> str:
    """Key of the period that begins at *start*, as it is recorded; only reads."""
    job = load_job(places, job_id)
    ledger, _ = open_ledger(places, job)
    try:
        rows = ledger.standing(job_id, job.window.start, start).rows
    finally:
        ledger.close()
    return next((row.key for row in rows if row.start == start), window_key(job_id, start))


def claimed_count(places: Places, job_id: str, key: str) -> int:
    """How many record keys reopening *key* would release; only reads."""
    ledger, _ = open_ledger(places, load_job(places, job_id))
    try:
        return ledger.claimed_count(job_id, key)
    finally:
        ledger.close()


def reopen(places: Places, job_id: str, key: str, reason: str) -> Reopened:
    """Have a settled window done once more, under a new key; the next run takes it first.

    A range that was passed over or skipped is cut into its windows again.
    Raises: UsageError `window-not-settled`.
    """
    with _desk(places, job_id) as desk:
        with desk.ledger.transaction() as transaction:
            row = transaction.row(job_id, key)
            if row is None or row.state not in SETTLED:
                raise UsageError("window-not-settled", job=job_id, key=key)
            windows = tuple(_windows_of(row, desk.job))
            taking = desk.taking._replace(state=AGAIN)
            released = transaction.reopen(job_id, key, windows, taking, reason)
            transaction.commit()
        _note(desk, "yeniden acildi", ("anahtar", key), ("serbest", released), reason=reason)
    return Reopened(windows, released)


def set_watermark(places: Places, job_id: str, at: datetime, reason: str) -> WatermarkMoved:
    """Move the watermark by hand.

    Back: windows are looked at again, settled ones are jumped; those settled before they
    closed, by a clock that was ahead, are reopened.

    Forward: what is not settled is skipped, with the reason, so that coverage stays whole.
    Raises: UsageError `watermark-in-future`.
    """
    now = clock.now()
    if at > now:
        raise UsageError("watermark-in-future", at=at, now=now)
    with _desk(places, job_id) as desk:
        before = desk.ledger.standing(job_id, desk.job.window.start)
        _refuse_while_running(before)
        with desk.ledger.transaction() as transaction:
            transaction.begin_job(job_id, desk.job.window.start)
            skipped = 0
            if at > before.watermark:
                for row in before.rows:
                    if row.state in UNSETTLED and row.end <= at:
                        skipped += transaction.change(job_id, row.key, UNSETTLED, SKIPPED, reason, now)
                gaps = tuple(_gaps(before, at))
                skipped += transaction.cover(job_id, gaps, desk.taking._replace(state=SKIPPED), reason)
                transaction.advance(job_id)
            else:
                transaction.set_watermark(job_id, at, now)
            transaction.commit()
        if at <= before.watermark:
            _reopen_what_is_ahead(desk, now, reason)
        after = desk.ledger.standing(job_id, desk.job.window.start)
        settled = sum(row.state in SETTLED for row in after.rows)
        moved = WatermarkMoved(before.watermark, after.watermark, settled, skipped)
        _note(
            desk,
            "su seviyesi",
            ("once", clock.format_instant(moved.before)),
            ("sonra", clock.format_instant(moved.after)),
            reason=reason,
        )
    return moved


def accept_ledger(places: Places, job_id: str, reason: str) -> None:
    """Accept the ledger as it stands, though it is another one or older than the one remembered."""
    with _desk(places, job_id, checked=False) as desk:
        with desk.ledger.transaction() as transaction:
            transaction.commit()  # makes the tables of a new database, which else had nothing to remember
        _note(desk, "defter kabul edildi", ("defter", desk.ledger.path), reason=reason)


def forget(places: Places, job_id: str) -> None:
    """Delete what the ledger knows of a job: an id used again then begins anew."""
    with _desk(places, job_id) as desk:
        with desk.ledger.transaction() as transaction:
            transaction.forget(job_id, clock.now())
            transaction.commit()
        desk.record.skip("defter unutuldu")
    forget_mark(places, job_id)


@contextlib.contextmanager
def _desk(places: Places, job_id: str, *, checked: bool = True) -> Iterator[Desk]:
    """Hold the job's lock and its open ledger; at the end, history and state folder follow."""
    now = clock.now()
    record = Record(places, Wish(job_id), now)
    with acquire(places.lock_file(job_id), own_holder(record.run, "manual", now)):
        job = load_job(places, job_id)
        ledger = open_ledger(places, job, checked=checked)[0]
        try:
            yield Desk(job, ledger, record, Taking(record.run, "manual", now))
            mark = ledger.mark()
            record.copy_ledger(ledger, mark)
            unremembered = remember_mark(places, job_id, mark)
            if unremembered is not None and not checked:
                raise unremembered  # else the next run would ask once more
            record.finish("skipped", exit_code.DONE, "karar")
        finally:
            ledger.close()
            record.close()


def _refuse_while_running(standing: Standing, key: str = "") -> None:
    """Refuse to settle windows, or the one with *key*, while a command that outlived its run is at work on one."""
    row = running_window(standing)
    if row is not None and key in ("", row.key):
        raise StateError("command-still-running", key=row.key, pid=row.process and row.process.pid)


def _reopen_what_is_ahead(desk: Desk, now: datetime, reason: str) -> None:
    """Have windows taken again that were settled before they closed: the clock was ahead then."""
    job, standing = desk.job, desk.ledger.standing(desk.job.id, desk.job.window.start)
    ahead = [row for row in standing.rows if row.state in SETTLED and row.end > now]
    if not ahead:
        return
    with desk.ledger.transaction() as transaction:
        for row in ahead:
            windows = tuple(_windows_of(row, job))
            transaction.reopen(job.id, row.key, windows, desk.taking._replace(state=AGAIN), reason)
        transaction.commit()
    for row in ahead:
        _note(desk, "saat ileriydi", ("anahtar", row.key), reason=reason)


def _note(desk: Desk, what: str, *fields: tuple[str, object], reason: str) -> None:
    desk.record.skip(what, *fields, ("neden", reason))


def _window_at(job: Job, standing: Standing, start: datetime) -> Window:
    decision = decide(job, standing, Wish(job.id, window=start), clock.now())
    if not decision.take:
        raise UsageError("window-settled", job=job.id, key=decision.covered.key if decision.covered else "")
    return decision.take[0].window


def _windows_of(row: WindowRow, job: Job) -> Iterator[Window]:
    """Bounds to take again: the row's own, or the grid's where a whole range was settled at once."""
    if row.state == DONE:
        yield Window(row.start, row.end)
        return
    grid = grid_of(job.window.step, job.window.timezone)
    start = row.start
    while start < row.end:
        end = min(grid.line_after(start), row.end)
        yield Window(start, end)
        start = end


def _gaps(standing: Standing, until: datetime) -> Iterator[Window]:
    """What no row covers between the watermark and *until*."""
    at = standing.watermark
    for row in sorted(standing.rows, key=lambda row: row.start):
        if row.end <= at:
            continue
        if at < min(row.start, until):
            yield Window(at, min(row.start, until))
        at = max(at, row.end)
    if at < until:
        yield Window(at, until)
