"""A run of a job with items, and a worker that a person adds: each leaves its line and its row.

The lock and all that comes before are the pipeline's. A job with items has no ledger: what
is done stands in its targets' folder.
"""

from __future__ import annotations

import time

from trayapp import clock, exit_code
from trayapp.errors import BirkezError, EffectError, UsageError
from trayapp.fan_out.supervisor import Supervisor
from trayapp.fan_out.worker_process import work
from trayapp.job.cache import load_job
from trayapp.job.pause import read_pause
from trayapp.log import job_log
from trayapp.runner.record import Record
from trayapp.runner.run import Stopper
from trayapp.value import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from trayapp.fan_out.place import Standing
    from trayapp.job.model import Job
    from trayapp.places import Places
    from trayapp.runner.decision import Wish
    from trayapp.runner.record import Answer
    from trayapp.runner.run import Run

NOTHING_WAITS = "bekleyen dosya yok"


class ItemCounts(NamedTuple):
    """What a run of a job with items came to: made by it, of them failed, refused or left in the list."""

    total: int
    made: int
    before: int
    failed: int
    refused: int
    waiting: int


def run_items(this: Run, job: Job) -> Answer:
    """Have the list worked through by workers side by side; one closing line and one row tell the counts.

    Raises: UsageError `job-without-periods` when a period was asked for; SetupError, StateError
    when no worker can begin.
    """
    if this.wish.window is not None:
        raise UsageError("job-without-periods", job=job.id)
    record, began_s = this.record, time.monotonic()
    stop = this.stopper.interruption().asked
    record.begin_work()
    outcome = Supervisor(this.places, job, record.run, stop).run()
    counts = _counts(outcome.standing, outcome.made, outcome.before)
    record.count_items(counts)
    if outcome.is_stopped:
        _close(record, counts, began_s)
        return record.stopped(this.stopper.signal_number(), counts.waiting)._replace(items=counts)
    if outcome.error is not None:
        _close(record, counts, began_s)
        return record.broke(outcome.error)._replace(items=counts, waiting=counts.waiting)
    return _finish(record, job, counts, began_s)


def work_beside(places: Places, wish: Wish, begin: float) -> Answer:
    """Work on the job's items beside whoever does, until nothing is left to claim.

    Takes no job's lock. Raises: UsageError `job-without-items`; what `run` raises before it works.
    """
    places.make_folders()
    job, now = load_job(places, wish.job), clock.now()
    if job.items is None:
        raise UsageError("job-without-items", job=job.id)
    record, stopper, began_s = Record(places, wish, now), Stopper(), time.monotonic()
    try:
        paused = read_pause(places, job.id, now)
        if paused is not None:
            record.skip("duraklatildi", ("kadar", paused.until and clock.format_instant(paused.until)))
            return record.finish("skipped", exit_code.DONE, "duraklatildi", next_at=paused.until)
        stop = stopper.interruption().asked
        ended, standing = work(places, job, record.run, begin, stop)
        counts = _counts(standing, ended.made, standing.done - ended.made)
        record.count_items(counts)
        if ended.is_stopped:
            _close(record, counts, began_s)
            return record.stopped(stopper.signal_number(), counts.waiting)._replace(items=counts)
        if ended.unreachable:
            _close(record, counts, began_s)
            hosts = ", ".join(ended.unreachable)
            gone = EffectError("hosts-unreachable", job=job.id, hosts=hosts, count=counts.waiting)
            return record.broke(gone)._replace(items=counts, waiting=counts.waiting)
        return _finish(record, job, counts, began_s)
    except Exception as error:
        _note_end(record, error)
        raise
    finally:
        record.close()


def _note_end(record: Record, error: Exception) -> None:
    if isinstance(error, BirkezError):
        record.broke(error)
    else:
        record.bug(error)


def _finish(record: Record, job: Job, counts: ItemCounts, began_s: float) -> Answer:
    _close(record, counts, began_s)
    lost = counts.failed + counts.refused
    if lost:
        error = EffectError("items-failed", job=job.id, count=lost)
        return record.finish("failed", error.exit_status, error.code, counts.waiting, error=error, items=counts)
    if not counts.made:
        return record.finish("skipped", exit_code.DONE, NOTHING_WAITS, counts.waiting, items=counts)
    return record.finish("done", exit_code.DONE, "", counts.waiting, items=counts)


def _close(record: Record, counts: ItemCounts, began_s: float) -> None:
    """Write the closing line: `ISLENDI` where something was made, else why nothing was."""
    numbers = (
        ("adet", counts.made),
        ("hatali", counts.failed),
        ("atlanan", counts.refused),
        ("onceden", counts.before),
        ("bekleyen", counts.waiting or None),
        ("sure_ms", int((time.monotonic() - began_s) * 1000)),
    )
    if counts.made:
        record.line(job_log.ISLENDI, result=numbers)
    elif counts.failed or counts.refused:
        record.line(job_log.HATA, ("sebep", "items-failed"), result=numbers)
    else:
        record.line(job_log.ATLANDI, ("sebep", NOTHING_WAITS), result=numbers)


def _counts(standing: Standing, made: int, before: int) -> ItemCounts:
    return ItemCounts(standing.total, made, before, standing.failed, standing.refused, standing.waiting)
