"""No success for too long: a job whose runs neither fail nor get anywhere is told to a person.

One hangs and holds its lock, is stopped again and again, or is started by nobody. A success is a
run that did its periods, or found that all of them were done.
"""

from __future__ import annotations

import os
from datetime import timedelta

from trayapp import clock
from trayapp.errors import BirkezError, SetupError
from trayapp.history.query import open_for_reading
from trayapp.history.run_filter import RunFilter
from trayapp.job.pause import read_pause
from trayapp.job.schedule import first_fire_from
from trayapp.lock.holder import read_state
from trayapp.patience import NEVER, patience_s
from trayapp.settings import read_settings
from trayapp.value import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from datetime import datetime

    from trayapp.history.query import HistoryReader
    from trayapp.history.records import RunRecord
    from trayapp.job.model import Job
    from trayapp.places import Places

STARTS = 3  # of its schedule that go by without a success, where nothing else is wished
_LEAST = timedelta(hours=1)  # a job that starts each minute is not told within three
_AT_WORK = timedelta(days=1)  # a long catch-up is no trouble; who knows better writes it
_GRACE = timedelta(minutes=3)  # a start takes a moment, and a computer that wakes up takes one more
_MOMENT = timedelta(microseconds=1)
_ALL_DONE = ("kapanmis pencere yok", "anahtar mevcut", "bekleyen dosya yok", "telafi politikasi")
_BY_HAND = "karar"  # a person looked and decided: the wait begins anew
_LOOKED_THROUGH = 100  # runs that did nothing, as where a lock was held


class Quiet(NamedTuple):
    """A job without a success *since* (its newest one, or the day from which it should have had one)."""

    since: datetime
    has_succeeded: bool


def is_success(run: RunRecord) -> bool:
    """Tell whether all that was to be done was done at the end of *run*, or decided by it."""
    return run.outcome == "done" or (run.outcome == "skipped" and run.reason in (*_ALL_DONE, _BY_HAND))


def last_success(reader: HistoryReader, job: str, newest: RunRecord | None = None) -> datetime | None:
    """When *job* had its newest success; *newest* is its newest run, where that is known.

    Raises: BirkezError as all that reads history.
    """
    if newest is not None and is_success(newest):
        return newest.ended_at or newest.started_at
    found = [
        run
        for outcome, count in (("done", 1), ("skipped", _LOOKED_THROUGH))
        for run in reader.runs(RunFilter(jobs=[job], outcomes=[outcome]), count=count).runs
        if is_success(run)
    ]
    return max((run.ended_at or run.started_at for run in found), default=None)


def due_at(job: Job, wish: str, since: datetime, *, at_work_since: datetime | None = None) -> datetime | None:
    """When *job*, quiet since *since*, is to be told; None for never.

    *wish* is `warn_after` of the settings, before which goes the job's own. Where neither says
    anything, three starts of its schedule may go by, and a day more while a run is at work.
    """
    wish = job.warn_after or wish
    if wish == NEVER or not job.enabled:
        return None
    seconds = patience_s(wish)
    if seconds is not None:
        return since + timedelta(seconds=seconds)
    if job.schedule is None:
        return None
    due = since
    for _start in range(STARTS):
        fire = first_fire_from(job.schedule, due + _MOMENT)
        if fire is None:
            return None
        due = fire
    due = max(due + _GRACE, since + _LEAST)
    return due if at_work_since is None else max(due, at_work_since + _AT_WORK)


def quiet(
    job: Job, wish: str, success: datetime | None, from_at: datetime, now: datetime, at_work_since: datetime | None
) -> Quiet | None:
    """Say since when *job* has had no success, where that is too long *now*; *from_at* is when its file was written."""
    since = max(success, from_at) if success is not None else from_at
    due = due_at(job, wish, since, at_work_since=at_work_since)
    return Quiet(success or from_at, success is not None) if due is not None and due <= now else None


def quiet_jobs(places: Places, jobs: Iterable[Job], now: datetime) -> dict[str, Quiet]:
    """Those of *jobs* that have had no success for too long, by id; none where history cannot be read."""
    try:
        wish = read_settings(places).warn_after
    except SetupError:
        wish = ""  # `doctor` tells it
    try:
        reader = open_for_reading(places.history_db)
    except BirkezError:
        return {}
    try:
        newest = {run.job: run for run in reader.latest_runs()}
        # A job that never ran is none: that no start came is told as that.
        known = [job for job in jobs if job.id in newest]
        successes = {job.id: last_success(reader, job.id, newest[job.id]) for job in known}
    except BirkezError:
        return {}
    finally:
        reader.close()
    found = {job.id: _quiet_now(places, job, wish, successes[job.id], now) for job in known}
    return {job: told for job, told in found.items() if told is not None}


def _quiet_now(places: Places, job: Job, wish: str, success: datetime | None, now: datetime) -> Quiet | None:
    if read_pause(places, job.id, now) is not None:
        return None
    lock = read_state(places.lock_file(job.id))
    at_work_since = lock.holder.since if lock.state == "held" and lock.holder is not None else None
    try:
        written_at = clock.from_epoch(os.stat(job.file).st_mtime)
    except OSError:
        return None  # deleted meanwhile
    return quiet(job, wish, success, written_at, now, at_work_since)
