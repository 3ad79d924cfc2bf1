"""From what was read to the state of a job: which of all that is true matters first."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING

from trayapp.gui.state.snapshot import JobState, Survey
from trayapp.history.success import due_at, is_success, quiet
from trayapp.job.schedule import first_fire_from

if TYPE_CHECKING:
    from datetime import datetime

    from trayapp.fan_out.progress import Progress
    from trayapp.gui.state.snapshot import JobFile, Kind
    from trayapp.history.records import RunRecord
    from trayapp.history.success import Quiet
    from trayapp.job.pause import Pause
    from trayapp.lock.holder import LockState

LATE_AFTER = timedelta(minutes=3)  # a scheduler fires within its minute; a machine that wakes up takes one more
_MOMENT = timedelta(microseconds=1)


class Told:
    """What the sources tell of one job, newest each; None where a source has nothing."""

    __slots__ = ("failure", "file", "last", "lock", "pause", "progress", "streak", "success", "survey", "warn_after")

    def __init__(self, file: JobFile, lock: LockState) -> None:
        self.file = file
        self.lock = lock
        self.pause: Pause | None = None
        self.last: RunRecord | None = None
        self.streak = 0
        self.failure = ""
        self.survey: Survey | None = None
        self.progress: Progress | None = None
        self.success: datetime | None = None  # when its newest run that got everything done ended
        self.warn_after = ""  # as the settings say for all jobs


def judge(told: Told, now: datetime) -> JobState:
    """State of a job at *now*."""
    pause = told.pause
    if pause is not None and pause.until is not None and pause.until <= now:
        pause = None
    late_since = missed_fire(told, now) if pause is None else None
    quiet_job = _quiet(told, now) if pause is None else None
    return JobState(
        file=told.file,
        kind=_kind(told, pause, late_since, quiet_job),
        lock=told.lock,
        pause=pause,
        last=told.last,
        next_at=_next_start(told, pause, now),
        late_since=late_since,
        quiet=quiet_job,
        streak=told.streak,
        failure=told.failure,
        survey=told.survey,
        progress=told.progress,
    )


def _next_start(told: Told, pause: Pause | None, now: datetime) -> datetime | None:
    """When the schedule starts the job next and the start does something: not while it is paused."""
    job = told.file.job
    if job is None or job.schedule is None or not job.enabled or (pause is not None and pause.until is None):
        return None
    return first_fire_from(job.schedule, now if pause is None or pause.until is None else pause.until)


def fresh_survey(survey: Survey | None, last: RunRecord | None) -> Survey | None:
    """Return *survey* unless a run has ended since: what it says of periods is then another's."""
    if survey is None or survey.at is None or last is None or last.ended_at is None or last.ended_at <= survey.at:
        return survey
    return Survey(trigger=survey.trigger, at=survey.at, waiting=last.waiting) if last.outcome == "done" else None


def missed_fire(told: Told, now: datetime) -> datetime | None:
    """Fire that should have come by *now* and did not; None when there was none, or its time is not up."""
    fire = _expected_fire(told)
    return fire if fire is not None and fire + LATE_AFTER <= now else None


def next_turn(told: Told, now: datetime) -> datetime | None:
    """Instant after *now* at which a job's state changes by the clock alone: a fire is missed, a pause is over."""
    fire = _expected_fire(told)
    until = told.pause.until if told.pause else None
    turns = [at for at in (fire + LATE_AFTER if fire else None, until, _due(told)) if at is not None and at > now]
    return min(turns, default=None)


def _expected_fire(told: Told) -> datetime | None:
    """First fire after the newest run, and after the schedule was written."""
    job = told.file.job
    if job is None or job.schedule is None or not job.enabled or told.lock.state == "held":
        return None
    since = told.file.changed_at
    if told.last is not None:
        since = max(since, told.last.started_at)
    if told.pause is not None and told.pause.until is not None:
        since = max(since, told.pause.until)
    return first_fire_from(job.schedule, since + _MOMENT)


def _quiet(told: Told, now: datetime) -> Quiet | None:
    job = told.file.job
    if job is None or told.last is None:  # that no start came is told as that
        return None
    return quiet(job, told.warn_after, _success(told), told.file.changed_at, now, _at_work_since(told))


def _due(told: Told) -> datetime | None:
    job, success = told.file.job, _success(told)
    if job is None or told.last is None:
        return None
    since = max(success, told.file.changed_at) if success is not None else told.file.changed_at
    return due_at(job, told.warn_after, since, at_work_since=_at_work_since(told))


def _success(told: Told) -> datetime | None:
    last = told.last
    return last.ended_at if last is not None and is_success(last) else told.success


def _at_work_since(told: Told) -> datetime | None:
    holder = told.lock.holder
    return holder.since if told.lock.state == "held" and holder is not None else None


def _kind(told: Told, pause: Pause | None, late_since: datetime | None, quiet_job: Quiet | None) -> Kind:
    found = told.survey
    states = {row.state for row in found.unsettled} if found else set()
    if told.file.job is None:
        return "broken"
    is_at_work = told.lock.state == "held" or told.progress is not None
    if is_at_work or (found is not None and found.is_left_running):
        return "running" if quiet_job is None else "late"
    if "uncertain" in states or (found is None and _ended(told, "uncertain")):
        return "uncertain"
    if pause is not None or not told.file.job.enabled:
        return "paused" if pause is not None else "disabled"
    if (found is not None and found.problem) or "failed" in states or _ended(told, "failed"):
        return "failed"
    return _outer_kind(told, is_late=late_since is not None or quiet_job is not None)


def _outer_kind(told: Told, *, is_late: bool) -> Kind:
    """State by what stands around the job: its scheduler, its lock's file system."""
    trigger = told.survey.trigger if told.survey else None
    if trigger is not None and trigger.is_broken:
        return "trigger"
    if is_late:
        return "late"
    return "unknown" if told.lock.state == "unknown" else "well"


def _ended(told: Told, outcome: str) -> bool:
    return told.last is not None and told.last.outcome == outcome
