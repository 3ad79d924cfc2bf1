"""How it stands with the entries in the system's scheduler: a value for each job, and what is left over.

Looking changes nothing. What cannot be read is unknown, and neither missing nor left over:
a job file that is broken keeps its entry, and jobs that cannot be listed make no orphan.
"""

from __future__ import annotations

import os

from trayapp.errors import BirkezError, JobFileError, StateError
from trayapp.job.model import Job
from trayapp.job.shelf import read_all
from trayapp.trigger.adopted import waiting_jobs
from trayapp.trigger.backend import ALL_JOBS
from trayapp.trigger.command import LAST_DAY_GUARD, started_job
from trayapp.value import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from typing import Literal

    from trayapp.places import Places
    from trayapp.trigger.backend import Backend, Entry

    State = Literal[
        "installed",  # as the job says
        "missing",
        "disabled",  # it stands, switched off
        "edited",  # somebody changed it outside of Birkez
        "moved",  # it starts another program or interpreter than this Birkez would
        "stopped",  # it stands, and the scheduler itself does not work: `error` says why
        "not-sayable",  # this scheduler cannot say the job's schedule: `error` names the nearest
        "not-wanted",  # the job is disabled or has no schedule, and no entry stands
        "unwanted",  # the same, and an entry stands
        "unknown",  # it could not be read: `error` says why
    ]

NO_STOP = ("trigger-program-vanishes", "crontab-misleading-variable")  # obstacles that may come, or may not matter
WELL: tuple[State, ...] = ("installed", "not-wanted")
REPAIRABLE: tuple[State, ...] = ("missing", "disabled", "edited", "moved", "unwanted")


class Health(NamedTuple):
    """One job's entry: as it stands, as it shall be, and what that comes to."""

    job: str
    state: State
    standing: tuple[Entry, ...] = ()  # more than one where somebody copied it
    wanted: Entry | None = None
    error: BirkezError | None = None


class Overview(NamedTuple):
    """All entries of one home. `trouble` says why they, or the jobs, could not be read.

    `boot` is the health of the entry for all jobs. `orphans` start jobs that are gone.
    """

    backend: str
    jobs: tuple[Health, ...]
    boot: Health
    orphans: tuple[Entry, ...] = ()
    obstacles: tuple[BirkezError, ...] = ()
    trouble: BirkezError | None = None

    def of(self, job_id: str) -> Health:
        """Health of one job; unknown for one that was not looked at."""
        return next((health for health in self.jobs if health.job == job_id), Health(job_id, "unknown"))


def is_wanted(job: Job) -> bool:
    """Tell whether the scheduler shall start *job*."""
    return job.enabled and job.schedule is not None


def shelf_trouble(places: Places) -> StateError | None:
    """Tell why nothing may be taken for removed: the folder of the jobs is not there, as on a drive that is not."""
    return None if os.path.isdir(places.jobs_dir) else StateError("trigger-jobs-missing", path=places.jobs_dir)


def look(places: Places, backend: Backend) -> Overview:
    """Compare what stands in the scheduler with what the jobs say; raises nothing that a person can mend."""
    try:
        found = read_all(places)
        waiting = waiting_jobs(places)
    except BirkezError as error:
        return Overview(backend.name, (), Health(ALL_JOBS, "unknown", error=error), trouble=error)
    try:
        entries = backend.entries()
        obstacles = tuple(backend.obstacles())
    except BirkezError as error:
        jobs = tuple(_unread(job, error) for job in found)
        return Overview(backend.name, jobs, Health(ALL_JOBS, "unknown", error=error), trouble=error)
    stops = [obstacle for obstacle in obstacles if obstacle.code not in NO_STOP]
    jobs = tuple(_health_of(job, _of(entries, _id_of(job)), backend, stops) for job in found)
    known = {ALL_JOBS, *map(_id_of, found), *waiting}
    trouble = shelf_trouble(places) if entries else None
    orphans = tuple(entry for entry in entries if entry.job not in known and trouble is None)
    return Overview(backend.name, jobs, _boot_health(entries, jobs, stops), orphans, obstacles, trouble)


def _id_of(job: Job | JobFileError) -> str:
    return job.id if isinstance(job, Job) else str(job.facts["job"])


def _of(entries: Iterable[Entry], job_id: str) -> tuple[Entry, ...]:
    return tuple(entry for entry in entries if entry.job == job_id)


def _unread(job: Job | JobFileError, error: BirkezError) -> Health:
    """Health of a job whose entry cannot be read."""
    if isinstance(job, Job) and not is_wanted(job):
        return Health(job.id, "not-wanted")
    return Health(_id_of(job), "unknown", error=error)


def _health_of(
    job: Job | JobFileError, standing: tuple[Entry, ...], backend: Backend, stops: Sequence[BirkezError]
) -> Health:
    if isinstance(job, JobFileError):
        return Health(_id_of(job), "unknown", standing, error=job)
    if not is_wanted(job):
        return Health(job.id, "unwanted" if standing else "not-wanted", standing)
    try:
        wanted = backend.entry_for(job)
    except BirkezError as error:
        state: State = "not-sayable" if error.code == "schedule-not-sayable" else "unknown"
        return Health(job.id, state, standing, error=error)
    state = _state_of(standing, wanted)
    if state == "installed" and stops:
        return Health(job.id, "stopped", standing, wanted, stops[0])
    return Health(job.id, state, standing, wanted)


def _state_of(standing: tuple[Entry, ...], wanted: Entry) -> State:
    if not standing:
        return "missing"
    entry = standing[0]
    if len(standing) > 1 or entry.times != wanted.times or not entry.is_in_place:
        return "edited"
    if entry.command != wanted.command:
        is_ours = started_job(entry.command) == wanted.job
        return "moved" if is_ours and _program_of(entry.command) != _program_of(wanted.command) else "edited"
    return "installed" if entry.is_enabled else "disabled"


def _program_of(command: Sequence[str]) -> Sequence[str]:
    """Words of a command before the first that says what to do."""
    return command[: command.index("run")] if "run" in command else command


def _home_of(command: Sequence[str]) -> list[str]:
    """Words of a command behind those that say which job and that a scheduler starts it."""
    return [word for word in command[command.index("run") + 4 :] if word != LAST_DAY_GUARD]


def _boot_health(entries: Sequence[Entry], jobs: Sequence[Health], stops: Sequence[BirkezError]) -> Health:
    """Health of the entry for all jobs; it is wanted where any other is."""
    standing = _of(entries, ALL_JOBS)
    commands = [health.wanted.command for health in jobs if health.wanted is not None]
    state: State = "installed"
    if not commands:
        # As long as an entry stands that is not wanted either, it is the one to tell of: they go together.
        is_alone = all(entry.job == ALL_JOBS for entry in entries)
        state = "unwanted" if standing and is_alone else "not-wanted"
    elif not standing:
        state = "missing"
    elif len(standing) > 1 or started_job(standing[0].command) != ALL_JOBS or not standing[0].is_in_place:
        state = "edited"
    elif not standing[0].is_enabled:
        state = "disabled"
    elif standing[0].command[0] != commands[0][0]:
        state = "moved"
    elif _home_of(standing[0].command) != _home_of(commands[0]):
        state = "edited"
    elif stops:
        return Health(ALL_JOBS, "stopped", standing, error=stops[0])
    return Health(ALL_JOBS, state, standing)
