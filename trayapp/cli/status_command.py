"""`birkez status`: is all well, and if not, what to do.

What can be read is read without disturbing anybody: no lock is taken, no run hindered.
"""

from __future__ import annotations

from trayapp import clock, exit_code
from trayapp.cli.answers import (
    TRIGGERS,
    decision_lines,
    error_json,
    instant,
    near,
    paused_line,
    running_line,
    still_at_work_line,
)
from trayapp.cli.arguments import add_command, add_job, add_json, known_job, state_trouble
from trayapp.cli.item_telling import item_status_lines, progress_json
from trayapp.cli.previews import done_up_to_line, lock_json, preview_json
from trayapp.cli.schedule_telling import health_json
from trayapp.cli.terminal import paint, say_many, show, show_json
from trayapp.errors import BirkezError, JobFileError
from trayapp.fan_out.looking import look_at_items
from trayapp.history.query import open_for_reading
from trayapp.history.success import quiet_jobs
from trayapp.job import shelf
from trayapp.job.model import Job
from trayapp.job.schedule import first_fire_from
from trayapp.job.schedule_words import schedule_words
from trayapp.ledger.ledger import FAILED, STARTED, UNCERTAIN, UNSETTLED
from trayapp.lock.holder import read_state
from trayapp.places import find_places
from trayapp.runner.decision import Wish
from trayapp.runner.preview import preview
from trayapp.trigger.findings import fault_of, remedy_of, scheduler_words
from trayapp.trigger.health import look
from trayapp.trigger.here import backend_here
from trayapp.value import NamedTuple
from trayapp.wording.instants import show_window
from trayapp.wording.mark import N_, NN_
from trayapp.wording.reasons import brief_words
from trayapp.wording.speech import _, say, sentence

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse
    from collections.abc import Mapping

    from trayapp.cli.arguments import Subparsers
    from trayapp.fan_out.looking import Look
    from trayapp.history.records import RunRecord
    from trayapp.history.success import Quiet
    from trayapp.lock.holder import LockState
    from trayapp.places import Places
    from trayapp.runner.preview import Preview
    from trayapp.trigger.health import Health

OUTCOME_PAINTS = {"done": "ok", "skipped": "idle", "failed": "bad", "uncertain": "warn", "stopped": "warn"}


class Status(NamedTuple):
    """What is known of one job now; `problem` is what a run would stop with."""

    job_id: str
    job: Job | None
    lock: LockState
    found: Preview | None
    problem: BirkezError | None
    last: RunRecord | None
    trigger: Health | None = None  # None where no scheduler is asked
    scheduler: str = ""
    look: Look | None = None
    quiet: Quiet | None = None  # without a success for too long


def add_parsers(commands: Subparsers) -> None:
    """Offer `status`."""
    parser = add_command(commands, "status", _("Show whether all is well, and what waits."), _handle)
    add_job(parser, optional=True)
    add_json(parser)


def _handle(words: argparse.Namespace) -> int:
    places = find_places()
    wanted = known_job(places, words.job) if words.job else None
    last = _last_runs(places)
    jobs = [job for job in shelf.read_all(places) if wanted is None or _id_of(job) == wanted]
    every = _with_triggers(places, [_status_of(places, job, last) for job in jobs])
    quiet = quiet_jobs(places, [job for job in jobs if isinstance(job, Job)], clock.now())
    every = [status._replace(quiet=quiet.get(status.job_id)) for status in every]
    if words.json:
        show_json({"jobs": [_status_json(status) for status in every]})
    for index, status in enumerate([] if words.json else every):
        show(*([""] if index else []), *_status_lines(status))
    if not every and not words.json:
        show(_("There are no jobs yet. To see one at work: birkez demo. To add one: birkez job add FILE"))
    return exit_code.DONE


def _id_of(job: Job | JobFileError) -> str:
    return job.id if isinstance(job, Job) else str(job.facts["job"])


def _last_runs(places: Places) -> Mapping[str, RunRecord]:
    try:
        reader = open_for_reading(places.history_db)
    except BirkezError:
        return {}  # nothing decides from history; `history` and `doctor` tell what ails it
    try:
        return {run.job: run for run in reader.latest_runs()}
    except BirkezError:
        return {}
    finally:
        reader.close()


def _status_of(places: Places, job: Job | JobFileError, last: Mapping[str, RunRecord]) -> Status:
    job_id = _id_of(job)
    lock = read_state(places.lock_file(job_id))
    if isinstance(job, JobFileError):
        return Status(job_id, None, lock, None, job, last.get(job_id))
    trouble = state_trouble(places)
    if trouble is not None:
        return Status(job_id, job, lock, None, trouble, last.get(job_id))
    try:
        if job.items is not None:
            return Status(job_id, job, lock, None, None, last.get(job_id), look=look_at_items(places, job))
        found = preview(places, Wish(job_id))
    except BirkezError as error:
        return Status(job_id, job, lock, None, error, last.get(job_id))
    return Status(job_id, job, lock, found, None, last.get(job_id))


def _with_triggers(places: Places, every: list[Status]) -> list[Status]:
    """Add how it stands with the entries in the scheduler; it is asked once for all jobs."""
    if not any(status.job is not None and status.job.schedule is not None for status in every):
        return every
    try:
        backend = backend_here(places)
    except BirkezError:
        return every  # `doctor` and `schedule` tell what ails the environment
    if backend is None:
        return every
    overview = look(places, backend)
    return [status._replace(trigger=overview.of(status.job_id), scheduler=backend.name) for status in every]


# ------------------------------------------------------------------------ words


def _status_lines(status: Status) -> list[str]:
    job, found = status.job, status.found
    title = f"{paint(status.job_id, 'strong')}  {job.title if job and job.title != status.job_id else ''}".rstrip()
    lines = [_lock_line(status)]
    if job is not None and not job.enabled:
        lines.append(_("Disabled: no scheduler starts it."))
    if job is not None:
        lines += _schedule_lines(job, status)
    if status.problem is not None:
        lines.append(paint(sentence(status.problem), "bad"))
    if found is not None:
        if found.paused is not None:
            lines.append(paint(paused_line(status.job_id, found.paused.until), "warn"))
        lines += [done_up_to_line(found), *_waiting_lines(found), *_unsettled_lines(found, status.lock)]
    if status.look is not None:
        lines += item_status_lines(status.job_id, status.look)
    if status.last is not None:
        lines.append(_last_line(status.last))
    if status.quiet is not None:
        # Translators: {since} comes with its Turkish ending: 12:05'ten
        told = say(
            "No success since {since}. birkez history {job} shows its runs.",
            since=near(status.quiet.since, "ablative"),
            job=status.job_id,
        )
        lines.append(paint(told, "warn"))
    return [title, *(f"  {line}" for line in lines)]


def _schedule_lines(job: Job, status: Status) -> list[str]:
    """Say when it starts by schedule, and whether the scheduler knows."""
    health = status.trigger
    if job.schedule is None or (not job.enabled and (health is None or health.state == "not-wanted")):
        return []
    if health is None:
        return [say("Schedule: {schedule}.", schedule=schedule_words(job.schedule))]
    fault = fault_of(health, status.scheduler)
    if fault is not None:
        remedy = remedy_of(health)
        offer = [say("To do: {command}", command=" ".join(("birkez", *remedy)))] if remedy else []
        return [paint(sentence(fault), "bad"), *offer]
    fire = first_fire_from(job.schedule, clock.now())
    facts = {"scheduler": scheduler_words(status.scheduler), "schedule": schedule_words(job.schedule)}
    # Translators: {at} comes with its Turkish ending: 13:05'te
    text = N_("Started by {scheduler}: {schedule}; next at {at}.")
    return [say(text, **facts, at=near(fire, "locative"))] if fire is not None else []


def _lock_line(status: Status) -> str:
    if status.lock.state == "held":
        return paint(running_line(status.lock.holder), "ok")
    if status.found is not None and status.found.running is not None:
        return paint(still_at_work_line(status.found.running), "ok")
    if status.lock.state == "unknown":
        return _("Whether it is running cannot be seen. birkez doctor says why.")
    return _("Not running.")


def _waiting_lines(found: Preview) -> list[str]:
    decision = found.decision
    waiting = len(decision.take) + decision.waiting
    if waiting:
        first = decision.take[0].window if decision.take else None
        forms = NN_("{count:number} closed period waits.", "{count:number} closed periods wait.")
        if first is None:
            return [say_many(forms, waiting)]
        forms = NN_(
            "{count:number} closed period waits: {first}.", "{count:number} closed periods wait, the first is {first}."
        )
        return [say_many(forms, waiting, first=show_window(*first))]
    if decision.next_at is None:
        return []
    # Translators: {at} comes with its Turkish ending: 13:05'te
    return [say("Nothing waits; the next period can be taken at {at}.", at=near(decision.next_at, "locative"))]


def _unsettled_lines(found: Preview, lock: LockState) -> list[str]:
    lines = []
    for row in found.standing.rows:
        if found.running is not None and row.key == found.running.key:
            continue  # the first line tells it
        if row.state == UNCERTAIN:
            lines += decision_lines(found.job.id, row.key)
        elif row.state == STARTED and lock.state == "idle":
            text = N_(
                "The period {period} began, and its end was not recorded. To see what became of it: birkez run {job}"
            )
            lines.append(paint(say(text, period=show_window(row.start, row.end), job=found.job.id), "warn"))
        elif row.state == FAILED:
            forms = NN_(
                "The period {period} failed at its first try.", "The period {period} failed {count} times in a row."
            )
            lines.append(paint(say_many(forms, row.attempt, period=show_window(row.start, row.end)), "bad"))
    return lines


def _last_line(run: RunRecord) -> str:
    return say(
        "Last started {at} {trigger}: {outcome}.",
        at=near(run.started_at),
        trigger=_(TRIGGERS.get(run.trigger, run.trigger)),
        outcome=brief_words(run.outcome, run.reason),
    )


# --------------------------------------------------------------------- programs


def _status_json(status: Status) -> dict[str, object]:
    job, found = status.job, status.found
    return {
        "id": status.job_id,
        "title": job.title if job else None,
        "enabled": job.enabled if job else None,
        "lock": lock_json(status.lock),
        "problem": error_json(status.problem),
        "preview": preview_json(found, status.lock) if found else None,
        "items": {**status.look.standing._asdict(), "progress": progress_json(status.look.progress)}
        if status.look is not None
        else None,
        "unsettled": [
            {
                "key": row.key,
                "start": instant(row.start),
                "end": instant(row.end),
                "state": row.state,
                "attempt": row.attempt,
                "reason": row.reason,
            }
            for row in (found.standing.rows if found else ())
            if row.state in UNSETTLED
        ],
        "last_run": run_json(status.last) if status.last else None,
        "no_success_since": instant(status.quiet.since) if status.quiet else None,
        "trigger": {"scheduler": status.scheduler, **health_json(status.trigger, job)} if status.trigger else None,
    }


def run_json(run: RunRecord) -> dict[str, object]:
    """Say to a program what history knows of a run."""
    times = {
        name: clock.format_log_time(at) if at else None
        for name, at in (("started_at", run.started_at), ("ended_at", run.ended_at))
    }
    return {**run._asdict(), **times}
