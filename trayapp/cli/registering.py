"""What the commands about jobs do with the scheduler, and how they tell it.

A job and its entry are two things: whatever the scheduler says, the job is added, changed
or removed. What went wrong is told together with the command that does it later.
"""

from __future__ import annotations

import contextlib

from trayapp import clock
from trayapp.cli.answers import near
from trayapp.cli.crontab import starter_lines
from trayapp.cli.schedule_log_on import tell_log_on
from trayapp.cli.terminal import ask, can_ask, plain, say_many, show, warn
from trayapp.errors import BirkezError
from trayapp.job.schedule import first_fire_from
from trayapp.job.schedule_words import schedule_words
from trayapp.trigger import registration
from trayapp.trigger.adopted import entry_text, read_adopted, write_adopted
from trayapp.trigger.findings import fault_of, remedy_of, scheduler_words
from trayapp.trigger.health import is_wanted, look
from trayapp.trigger.here import backend_here
from trayapp.wording.mark import N_, NN_
from trayapp.wording.speech import _, say, sentence

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse
    from collections.abc import Sequence

    from trayapp.job.model import Job
    from trayapp.places import Places
    from trayapp.trigger.backend import Backend


def add_no_schedule(parser: argparse.ArgumentParser) -> None:
    """Add `--no-schedule`."""
    parser.add_argument(
        "--no-schedule",
        action="store_true",
        help=_("register nothing with this computer's scheduler; birkez schedule install does it later"),
    )


def register(places: Places, job: Job) -> None:
    """Let the scheduler start *job*, which is new or enabled again, and say so; raises nothing of the scheduler's."""
    if not is_wanted(job):
        return
    try:
        backend = backend_here(places)
        if backend is None:
            show(*starter_lines(job))
            return
        done = registration.follow(places, backend, job.id, "add")
    except BirkezError as error:
        _tell_not_registered(job.id, error)
        return
    for _job, refusal in done.refused:
        _tell_not_registered(job.id, refusal)
    if done.installed:
        show(started_line(backend, job))
        tell_log_on(backend, job)
        tell_obstacles(backend)


def unregister(places: Places, job_id: str) -> None:
    """Take out the entry of a job that is disabled or gone, and say so; raises nothing of the scheduler's."""
    try:
        backend = backend_here(places)
        if backend is None:
            return
        done = registration.follow(places, backend, job_id, "remove")
    except BirkezError as error:
        _tell_left_over(job_id, error)
        return
    for _job, refusal in done.refused:
        _tell_left_over(job_id, refusal)
    if done.removed:
        show(say("Its entry was taken out of {scheduler}.", scheduler=scheduler_words(backend.name)))


def tell_way_back(places: Places, job_id: str) -> None:
    """Note of a removed job that was adopted that it is gone, and say how its old entry comes back.

    Until then nothing does its work.
    """
    records = [record for record in read_adopted(places) if record.job == job_id]
    if records:
        with contextlib.suppress(BirkezError):  # the job is gone all the same
            write_adopted(places, records[0]._replace(is_removed=True))
        name = scheduler_words(records[0].backend)
        text = N_(
            "It had been adopted, and its old entry in {scheduler} does not start either: {entry}. To have that back"
            " as it was: birkez release {job}"
        )
        warn(say(text, scheduler=name, entry=plain(entry_text(records[0])), job=job_id))


def offer(places: Places, jobs: Sequence[Job], *, wish: bool | None) -> None:
    """Register imported *jobs* if *wish* says so, ask where it says nothing, and else tell how it is done.

    They may still be started by the computer that they come from, so it is asked.
    """
    wanted = [job for job in jobs if is_wanted(job)]
    try:
        backend = backend_here(places)
    except BirkezError as error:
        warn(sentence(error))
        return
    if not wanted:
        return
    if backend is None:
        show(*(line for job in wanted for line in starter_lines(job)))
        return
    if wish is None and can_ask():
        forms = NN_(
            "Let {scheduler} of this computer start {count:number} job by its schedule?",
            "Let {scheduler} of this computer start {count:number} jobs by their schedules?",
        )
        wish = ask(say_many(forms, len(wanted), scheduler=scheduler_words(backend.name)))
    if wish:
        for job in wanted:
            register(places, job)
    else:
        names = " ".join(job.id for job in wanted)
        text = N_("Nothing starts them by schedule on this computer. To let it: birkez schedule install {jobs}")
        show(say(text, jobs=names))


def start_lines(places: Places, job: Job) -> list[str]:
    """Say of a job that is looked at why nothing starts it, and what to do; nothing of one that is started."""
    if job.schedule is None:
        return []
    try:
        backend = backend_here(places)
    except BirkezError as error:
        return [sentence(error)]
    if backend is None:
        return starter_lines(job)
    health = look(places, backend).of(job.id)
    fault = fault_of(health, backend.name)
    remedy = remedy_of(health)
    said = [sentence(fault)] if fault is not None else []
    return [*said, *([say("To do: {command}", command=" ".join(("birkez", *remedy)))] if remedy else [])]


def started_line(backend: Backend, job: Job) -> str:
    """Say who starts *job*, by which schedule, and when next."""
    assert job.schedule is not None
    fire = first_fire_from(job.schedule, clock.now())
    facts = {"scheduler": scheduler_words(backend.name), "job": job.id, "schedule": schedule_words(job.schedule)}
    if fire is None:
        return say("{scheduler} starts {job}: {schedule}.", **facts)
    # Translators: {at} comes with its Turkish ending: 13:05'te
    text = N_("{scheduler} starts {job}: {schedule}; next at {at}.")
    return say(text, **facts, at=near(fire, "locative"))


def tell_obstacles(backend: Backend) -> None:
    """Warn of what keeps the scheduler from working."""
    for obstacle in backend.obstacles():
        warn(sentence(obstacle))


def _tell_not_registered(job_id: str, error: BirkezError) -> None:
    warn(sentence(error))
    text = N_("The job is there, and nothing starts it by schedule yet. Later: birkez schedule install {job}")
    warn(say(text, job=job_id))


def _tell_left_over(job_id: str, error: BirkezError) -> None:
    warn(sentence(error))
    text = N_("Its entry in the scheduler was not taken out. Later: birkez schedule remove {job}")
    warn(say(text, job=job_id))
