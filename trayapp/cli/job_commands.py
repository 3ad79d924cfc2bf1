"""`birkez job …`: which jobs there are, and how one is looked at, changed and removed."""

from __future__ import annotations

from trayapp import clock, exit_code
from trayapp.cli import job_adding, job_moving, trial_command
from trayapp.cli.answers import error_json, instant, near, paused_line
from trayapp.cli.arguments import Parser, add_command, add_job, add_json, job_file_of, known_job, state_trouble
from trayapp.cli.concerns import concerns_of
from trayapp.cli.item_telling import first_items_json, item_rows
from trayapp.cli.registering import register, start_lines, tell_way_back, unregister
from trayapp.cli.terminal import columns, paint, show, show_json, warn
from trayapp.errors import BirkezError, JobFileError
from trayapp.job import shelf
from trayapp.job.file import parse_job, read_text
from trayapp.job.model import CommandEffect, DownloadEffect, Job, PythonEffect, SqlEffect
from trayapp.job.pause import read_pause, resume
from trayapp.job.schedule import first_fire_from
from trayapp.job.schedule_words import schedule_words
from trayapp.places import find_places
from trayapp.runner.opening import ledger_path
from trayapp.wording.instants import show_duration, show_instant
from trayapp.wording.mark import N_
from trayapp.wording.speech import _, say, sentence

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse

    from trayapp.cli.arguments import Subparsers
    from trayapp.job.model import WindowRule
    from trayapp.job.pause import Pause
    from trayapp.places import Places

_KINDS = {
    SqlEffect: ("sql", N_("SQL script")),
    PythonEffect: ("python", N_("Python function")),
    CommandEffect: ("command", N_("program")),
    DownloadEffect: ("download", N_("download")),
}
_CATCH_UP = {
    "all": N_("every missed period is done"),
    "latest": N_("of missed periods only the newest is done"),
    "none": N_("missed periods are passed over"),
}


def add_parsers(commands: Subparsers) -> None:
    """Offer `job` and what it can do."""
    import argparse  # noqa: PLC0415  # loaded by whoever calls this

    job = commands.add_parser("job", help=_("List, add, look at, change and remove jobs."))
    inner = job.add_subparsers(title=_("commands"), metavar=_("COMMAND"), required=True, parser_class=Parser)
    add_json(add_command(inner, "list", _("List all jobs."), _handle_list))
    show_ = add_command(inner, "show", _("Show how a job is set up."), _handle_show)
    add_job(show_)
    add_json(show_)
    job_adding.add_parsers(inner)
    job_moving.add_parsers(inner)
    trial_command.add_parser(inner)
    validate = add_command(inner, "validate", _("Check a job file without adding it."), _handle_validate)
    validate.epilog = _("How a job file is written: birkez help job-file")
    validate.add_argument("file", metavar=_("FILE"), help=_("job file, or the short name of a job"))
    validate.add_argument("--place", metavar="PATH", help=argparse.SUPPRESS)  # where an editor's file will lie
    add_json(validate)
    add_job(add_command(inner, "enable", _("Let the scheduler start a job again."), _handle_enable))
    add_job(add_command(inner, "disable", _("Keep the scheduler from starting a job."), _handle_disable))
    remove = add_command(inner, "remove", _("Remove a job; what it did stays recorded."), _handle_remove)
    add_job(remove)
    remove.add_argument("--forget", action="store_true", help=_("forget what the job did, too"))


# ------------------------------------------------------------------- list, show


def _handle_list(words: argparse.Namespace) -> int:
    places = find_places()
    found = shelf.read_all(places)
    if words.json:
        show_json({"jobs": [_listed_json(places, job) for job in found]})
        return exit_code.DONE
    jobs = [job for job in found if isinstance(job, Job)]
    if jobs:
        show(*columns([(job.id, _state_of(places, job), _listed_schedule(job), job.title) for job in jobs]))
    for job in found:
        if isinstance(job, JobFileError):
            warn(sentence(job))
    if not found:
        show(_("There are no jobs yet. To see one at work: birkez demo. To add one: birkez job add FILE"))
    return exit_code.DONE


def _state_of(places: Places, job: Job) -> str:
    if _pause_of(places, job) is not None:
        return paint(_("paused"), "warn")
    return _("enabled") if job.enabled else paint(_("disabled"), "idle")


def _listed_schedule(job: Job) -> str:
    return schedule_words(job.schedule) if job.schedule is not None else _("by hand")


def _pause_of(places: Places, job: Job) -> Pause | None:
    return None if state_trouble(places) else read_pause(places, job.id, clock.now())


def _listed_json(places: Places, job: Job | JobFileError) -> dict[str, object]:
    if isinstance(job, JobFileError):
        return {"id": job.facts["job"], "file": job.facts["file"], "valid": False, "error": error_json(job)}
    paused = _pause_of(places, job)
    return {
        "id": job.id,
        "title": job.title,
        "file": job.file,
        "valid": True,
        "enabled": job.enabled,
        "paused": paused is not None,
        "paused_until": instant(paused.until) if paused else None,
        "error": None,
    }


def _handle_show(words: argparse.Namespace) -> int:
    places = find_places()
    job = _read(places, words.job)
    if words.json:
        show_json({**_listed_json(places, job), **job_json(job)})
    else:
        show(*_job_lines(places, job))
    return exit_code.DONE


def _read(places: Places, job_id: str) -> Job:
    path = places.job_file(known_job(places, job_id))
    return parse_job(read_text(path, job_id), path, job_id)


def _job_lines(places: Places, job: Job) -> list[str]:
    rows = [
        (_("file"), job.file),
        (_("enabled"), _("yes") if job.enabled else _("no")),
        (_("schedule"), _schedule_of(job)),
        *(item_rows(job.items) if job.items is not None else _period_rows(job.window)),
        (_("does"), f"{_(_KINDS[type(job.effect)][1])}: {_work_of(job)}"),
    ]
    if job.items is None:
        rows.append((_("ledger"), ledger_path(places, job)))
    paused = _pause_of(places, job)
    title = [paint(job.title, "strong")]
    return [*title, *columns(rows), *([paused_line(job.id, paused.until)] if paused else []), *start_lines(places, job)]


def _period_rows(rule: WindowRule) -> list[tuple[str, str]]:
    return [
        (_("period"), f"{rule.step} {rule.timezone or ''}".rstrip()),
        (_("begins"), show_instant(rule.start)),
        (_("late records"), show_duration(rule.lateness_s)),
        (_("at most per run"), str(rule.max_per_run)),
        (_("catch-up"), _(_CATCH_UP[rule.catch_up])),
    ]


def _schedule_of(job: Job) -> str:
    """Schedule in words, and when it fires next."""
    if job.schedule is None:
        return _("none: it is started by hand")
    fire = first_fire_from(job.schedule, clock.now())
    if fire is None:
        return schedule_words(job.schedule)
    # Translators: {at} comes with its Turkish ending: 13:05'te
    text = N_("{schedule}; next at {at}")
    return say(text, schedule=schedule_words(job.schedule), at=near(fire, "locative"))


def _work_of(job: Job) -> str:
    effect = job.effect
    if isinstance(effect, SqlEffect):
        return effect.script
    if isinstance(effect, PythonEffect):
        return f"{effect.file}:{effect.function}"
    if isinstance(effect, DownloadEffect):
        return effect.url
    return effect.shell or " ".join(effect.argv)


def job_json(job: Job) -> dict[str, object]:
    """Say to a program how a job is set up. Of the environment only the names, since values may be secret."""
    effect = job.effect
    facts = {name: value for name, value in effect._asdict().items() if name not in ("env", "sources", "headers")}
    if isinstance(effect, DownloadEffect):
        facts["headers"] = [name for name, _value in effect.headers]
    if isinstance(effect, CommandEffect):
        facts["env"] = [name for name, _value in effect.env]
    if isinstance(effect, SqlEffect):
        facts["sources"] = [source._asdict() for source in effect.sources]
    return {
        "schedule": {"kind": type(job.schedule).__name__.lower(), **job.schedule._asdict()} if job.schedule else None,
        "window": {**job.rule._asdict(), "start": instant(job.rule.start)} if job.rule is not None else None,
        "items": job.items._asdict() if job.items is not None else None,
        "effect": {"kind": _KINDS[type(effect)][0], **facts},
        "ledger_database": job.ledger_database or None,
    }


# --------------------------------------------------------------------- validate


def _handle_validate(words: argparse.Namespace) -> int:
    places = find_places()
    path, job_id = job_file_of(places, words.file)
    try:
        job = parse_job(read_text(path, job_id), words.place or path, job_id, start_for=job_adding.grid_line_now)
    except BirkezError as error:
        if not words.json:
            raise
        show_json({"file": path, "valid": False, "error": error_json(error), "concerns": []})
        return error.exit_status
    concerns = concerns_of(places, job)
    if words.json:
        found = {"file": path, "valid": True, "error": None, "concerns": [error_json(one) for one in concerns]}
        listing = first_items_json(job.items) if job.items is not None else None
        show_json({**found, "title": job.title, **job_json(job), "list": listing})
        return exit_code.DONE
    show(say("{path} is valid: “{title}”.", path=path, title=job.title))
    for concern in concerns:
        warn(sentence(concern))
    return exit_code.DONE


# --------------------------------------------------- enable, disable, remove


def _handle_enable(words: argparse.Namespace) -> int:
    places = find_places()
    job = shelf.set_enabled(places, known_job(places, words.job), enabled=True)
    show(say("The job {job} is enabled.", job=words.job))
    register(places, job)
    return exit_code.DONE


def _handle_disable(words: argparse.Namespace) -> int:
    places = find_places()
    shelf.set_enabled(places, known_job(places, words.job), enabled=False)
    show(say("The job {job} is disabled: no scheduler starts it; by hand it still runs.", job=words.job))
    unregister(places, words.job)
    return exit_code.DONE


def _handle_remove(words: argparse.Namespace) -> int:
    from trayapp.fan_out.removing import without_workers  # noqa: PLC0415  # only `job remove`
    from trayapp.lock.holder import own_holder  # noqa: PLC0415  # as above
    from trayapp.lock.job_lock import acquire  # noqa: PLC0415  # as above

    places = find_places()
    job_id = known_job(places, words.job)
    places.make_folders()
    was_forgotten = words.forget and _forget(places, job_id)
    with (
        acquire(places.lock_file(job_id), own_holder("remove", "manual", clock.now())),
        without_workers(places, job_id),
    ):
        shelf.remove(places, job_id)
        resume(places, job_id)
    if was_forgotten:
        show(say("The job {job} was removed, and what it did is forgotten.", job=job_id))
    elif words.forget:
        show(say("The job {job} was removed. It had never run, so there was nothing to forget.", job=job_id))
    else:
        show(say("The job {job} was removed. What it did stays recorded, as do its log and history.", job=job_id))
    unregister(places, job_id)
    tell_way_back(places, job_id)
    return exit_code.DONE


def _forget(places: Places, job_id: str) -> bool:
    """Delete what the ledger knows of the job; returns whether it knew anything."""
    from trayapp.fan_out.removing import forget_items  # noqa: PLC0415  # only `job remove --forget`
    from trayapp.ledger.seen import remembered_mark  # noqa: PLC0415  # as above
    from trayapp.runner.by_hand import forget  # noqa: PLC0415  # as above

    try:
        if _read(places, job_id).items is not None:
            return forget_items(places, job_id)
        forget(places, job_id)
    except BirkezError as error:
        never_ran = error.code == "database-missing" and remembered_mark(places, job_id) is None
        if not never_ran and error.code != "ledger-knows-no-job":
            raise
        return False
    return True
