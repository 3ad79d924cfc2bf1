"""How `birkez schedule` and `birkez status` tell of entries in the scheduler: for people and for programs."""

from __future__ import annotations

from trayapp import clock
from trayapp.cli.answers import error_json, instant
from trayapp.cli.terminal import paint, show, warn
from trayapp.job import shelf
from trayapp.job.model import Job
from trayapp.job.schedule import first_fire_from, next_fires
from trayapp.job.schedule_words import schedule_words
from trayapp.trigger.backend import ALL_JOBS
from trayapp.trigger.findings import STATE_WORDS, fault_of, orphan_fault, remedy_of
from trayapp.trigger.health import NO_STOP, WELL
from trayapp.wording.instants import show_instant
from trayapp.wording.speech import _, say, sentence

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from trayapp.places import Places
    from trayapp.trigger.health import Health, Overview

_PAINTS = {"installed": "ok", "not-wanted": "idle", "unknown": "warn", "edited": "warn", "unwanted": "warn"}


def jobs_by_id(places: Places) -> dict[str, Job]:
    """Jobs whose files can be read.

    Raises: SetupError `job-folder-unreadable`.
    """
    return {job.id: job for job in shelf.read_all(places) if isinstance(job, Job)}


def entry_row(health: Health, job: Job | None) -> tuple[str, str, str, str]:
    """Row of a list: the job, how it stands with its entry, its schedule, its next start."""
    schedule, at = "", ""
    if job is not None and job.schedule is not None:
        schedule = schedule_words(job.schedule)
        fire = first_fire_from(job.schedule, clock.now()) if health.state in ("installed", "stopped") else None
        at = show_instant(fire, now=clock.now()) if fire else ""
    return health.job, state_word(health), schedule, at


def state_word(health: Health) -> str:
    """Say in a word or two how it stands with an entry."""
    return paint(_(STATE_WORDS[health.state]), _PAINTS.get(health.state, "bad"))


def tell_around(overview: Overview) -> None:
    """Say what concerns no single job, and what is left of jobs that are gone."""
    if overview.trouble is not None:
        warn(sentence(overview.trouble))
    for obstacle in overview.obstacles:
        warn(sentence(obstacle))
    for entry in overview.orphans:
        warn(sentence(orphan_fault(entry, overview.backend)))
        _offer(("schedule", "remove", entry.job))


def _offer(remedy: Sequence[str]) -> None:
    if remedy:
        show("  " + say("To do: {command}", command=" ".join(("birkez", *remedy))))


def tell_faults(overview: Overview) -> None:
    """Say of each job how it stands with its entry, and what to do where it is not well."""
    told: set[str] = set()
    for health in (*overview.jobs, *([overview.boot] if overview.boot.state not in WELL else [])):
        fault = fault_of(health, overview.backend)
        if health.job != ALL_JOBS:
            show(f"{paint(health.job, 'strong')}: {state_word(health)}")
        text = sentence(fault) if fault is not None and health.state != "stopped" else ""
        if text and text not in told:
            told.add(text)
            warn(text)
        _offer(remedy_of(health))
    tell_around(overview._replace(trouble=None) if overview.jobs else overview)


def is_well(overview: Overview) -> bool:
    """Tell whether every job is started as it says, and nothing else."""
    is_stopped = any(obstacle.code not in NO_STOP for obstacle in overview.obstacles) and overview.jobs
    states = [health.state in WELL for health in (*overview.jobs, overview.boot)]
    return all(states) and not overview.orphans and not is_stopped and overview.trouble is None


def overview_json(places: Places, overview: Overview) -> dict[str, object]:
    """Say to a program how it stands with all entries."""
    jobs = jobs_by_id(places) if overview.jobs else {}
    return {
        "scheduler": overview.backend,
        "jobs": [health_json(health, jobs.get(health.job)) for health in overview.jobs],
        "all_jobs_entry": overview.boot.state,
        "orphans": [entry.job for entry in overview.orphans],
        "obstacles": [error_json(obstacle) for obstacle in overview.obstacles],
        "trouble": error_json(overview.trouble),
    }


def health_json(health: Health, job: Job | None) -> dict[str, object]:
    """Say to a program how it stands with one job's entry."""
    fires = next_fires(job.schedule, clock.now(), 1) if job is not None and job.schedule is not None else []
    is_started = health.state == "installed"
    return {
        "job": health.job,
        "state": health.state,
        "next_start": instant(fires[0]) if fires and is_started else None,
        "error": error_json(health.error),
        "remedy": list(remedy_of(health)),
    }
