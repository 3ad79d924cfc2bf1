"""What is wrong with the entries in the system's scheduler, as errors with their remedies.

For the check-up, `birkez schedule` and the tray alike: they say the same of the same state.
"""

from __future__ import annotations

from trayapp.errors import BirkezError, TriggerError
from trayapp.trigger.adopted import entry_text, read_adopted
from trayapp.trigger.backend import ALL_JOBS
from trayapp.trigger.health import NO_STOP, REPAIRABLE, look
from trayapp.trigger.here import backend_here
from trayapp.value import NamedTuple
from trayapp.wording.language import _
from trayapp.wording.mark import N_

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Literal

    from trayapp.places import Places
    from trayapp.trigger.backend import Backend, Entry
    from trayapp.trigger.health import Health, Overview, State

    Weight = Literal["ok", "warning", "problem"]

STATE_WORDS: dict[State, str] = {
    "installed": N_("registered"),
    "missing": N_("entry missing"),
    "disabled": N_("entry switched off"),
    "edited": N_("entry changed outside"),
    "moved": N_("entry starts an old copy"),
    "stopped": N_("scheduler stands still"),
    "not-sayable": N_("cannot be registered"),
    "not-wanted": N_("no entry wanted"),
    "unwanted": N_("entry left over"),
    "unknown": N_("unknown"),
}
_SCHEDULERS = {"crontab": N_("crontab"), "schtasks": N_("Windows Task Scheduler"), "launchd": N_("launchd")}
_CODES: dict[State, str] = {
    "missing": "trigger-missing",
    "disabled": "trigger-disabled",
    "edited": "trigger-edited",
    "moved": "trigger-moved",
    "unwanted": "trigger-unwanted",
}
_PERHAPS_MEANT: tuple[State, ...] = ("edited", "unwanted")  # somebody may have meant it so


class Found(NamedTuple):
    """One thing that was looked at; `remedy` are words behind `birkez` that mend it."""

    error: BirkezError
    weight: Weight
    job: str = ""
    remedy: tuple[str, ...] = ()


def scheduler_words(name: str) -> str:
    """Name of a scheduler as people know it."""
    return _(_SCHEDULERS.get(name, name))


def findings(places: Places) -> list[Found]:
    """Look at the entries of all jobs; nothing is said of a scheduler that nobody needs."""
    try:
        backend = backend_here(places)
    except BirkezError as error:
        return [Found(error, "problem")]
    if backend is None:
        return []
    overview = look(places, backend)
    doubles = [] if overview.trouble is not None else list(_doubles(places, backend, overview))
    is_needed = any(health.state != "not-wanted" for health in overview.jobs) or overview.orphans
    return [*(_findings(overview) if is_needed else ()), *doubles]


def fault_of(health: Health, scheduler: str) -> BirkezError | None:
    """What is wrong with one job's entry, None when nothing is."""
    if health.state not in _CODES:
        return health.error
    if health.job == ALL_JOBS:
        code = "trigger-boot-unwanted" if health.state == "unwanted" else "trigger-boot-broken"
        return TriggerError(code, scheduler=scheduler_words(scheduler))
    program = health.standing[0].command[:1] if health.standing else ()
    return TriggerError(
        _CODES[health.state],
        job=health.job,
        scheduler=scheduler_words(scheduler),
        program=program[0] if program else "-",
    )


def orphan_fault(entry: Entry, scheduler: str) -> TriggerError:
    """What to say of an entry whose job is gone."""
    return TriggerError("trigger-orphan", job=entry.job, scheduler=scheduler_words(scheduler))


def remedy_of(health: Health) -> tuple[str, ...]:
    """Words behind `birkez` that mend it; none where only a person can."""
    if health.state not in REPAIRABLE:
        return ()
    return ("schedule", "check", *([health.job] if health.job != ALL_JOBS else []), "--repair")


def _doubles(places: Places, backend: Backend, overview: Overview) -> Iterator[Found]:
    """Entries that were adopted and that somebody has switched on, or put back: both do the work."""
    adopted = [record for record in read_adopted(places) if record.backend == backend.name]
    if not adopted:
        return
    # As `here` does: a system has one scheduler.
    from trayapp.trigger.crontab import Crontab  # noqa: PLC0415  # as above
    from trayapp.trigger.schtasks import Schtasks  # noqa: PLC0415  # as above

    code = "trigger-twice" if backend.name == "schtasks" else "trigger-twice-line"
    for record in adopted:
        is_ours_at_work = overview.of(record.job).state in ("installed", "edited", "moved", "stopped")
        if not is_ours_at_work or not isinstance(backend, Crontab | Schtasks):
            continue
        if backend.is_at_work(record.name, record.content):
            fault = TriggerError(code, job=record.job, name=entry_text(record))
            yield Found(fault, "problem" if record.name else "warning", record.job)


def _findings(overview: Overview) -> Iterator[Found]:
    if overview.trouble is not None:
        yield Found(overview.trouble, "problem")
    for obstacle in overview.obstacles:
        yield Found(obstacle, "warning" if obstacle.code in NO_STOP else "problem")
    well = [health for health in overview.jobs if health.state in ("installed", "stopped")]
    told = {str(overview.trouble)}
    for health in (*overview.jobs, overview.boot):
        fault = fault_of(health, overview.backend)
        # An obstacle, a broken job file and what could not be read are told once, for all jobs.
        if fault is not None and health.state not in ("stopped", "unknown"):
            is_minor = health.state in _PERHAPS_MEANT or health.job == ALL_JOBS
            yield Found(fault, "warning" if is_minor else "problem", health.job, remedy_of(health))
        elif health.state == "unknown" and isinstance(health.error, TriggerError) and str(health.error) not in told:
            told.add(str(health.error))
            yield Found(health.error, "problem", health.job)
    for entry in overview.orphans:
        yield Found(orphan_fault(entry, overview.backend), "warning", entry.job, ("schedule", "remove", entry.job))
    if well:
        name = scheduler_words(overview.backend)
        yield Found(TriggerError("trigger-well", scheduler=name, count=len(well)), "ok")
