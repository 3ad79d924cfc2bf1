"""`birkez schedule …`: the entries by which this computer's scheduler starts jobs."""

from __future__ import annotations

from datetime import UTC

from trayapp import clock, exit_code
from trayapp.adoption.exchange import undo
from trayapp.cli.answers import error_json, instant, near
from trayapp.cli.arguments import Parser, add_command, add_json, count, known_job
from trayapp.cli.registering import started_line, tell_obstacles
from trayapp.cli.schedule_log_on import add_while, check_while, choose_while, tell_while
from trayapp.cli.schedule_telling import (
    entry_row,
    is_well,
    jobs_by_id,
    overview_json,
    state_word,
    tell_around,
    tell_faults,
)
from trayapp.cli.terminal import columns, paint, say_many, show, show_json, warn
from trayapp.errors import BirkezError, TriggerError, UsageError
from trayapp.job.file import read_job
from trayapp.job.schedule import next_fires
from trayapp.job.schedule_words import schedule_words
from trayapp.places import find_places
from trayapp.trigger import registration
from trayapp.trigger.backend import ALL_JOBS
from trayapp.trigger.findings import scheduler_words
from trayapp.trigger.health import look
from trayapp.trigger.here import NAMES, backend_here, backend_named
from trayapp.trigger.task_reading import starts_without_log_on
from trayapp.wording.instants import show_instant
from trayapp.wording.mark import N_, NN_
from trayapp.wording.speech import _, say, sentence

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse

    from trayapp.cli.arguments import Subparsers
    from trayapp.places import Places
    from trayapp.trigger.backend import Backend
    from trayapp.trigger.health import Health
    from trayapp.trigger.registration import Registration

_FIRES = 5


def add_parsers(commands: Subparsers) -> None:
    """Offer `schedule` and what it can do."""
    schedule = commands.add_parser("schedule", help=_("Let this computer's scheduler start jobs, or no longer."))
    inner = schedule.add_subparsers(title=_("commands"), metavar=_("COMMAND"), required=True, parser_class=Parser)
    for name, summary, handler in (
        ("install", _("Let the scheduler start jobs as their job files say."), _handle_install),
        ("remove", _("Take jobs out of the scheduler; the jobs themselves stay."), _handle_remove),
    ):
        parser = add_command(inner, name, summary, handler)
        _add_jobs(parser, _("the jobs"))
        parser.add_argument("--all", action="store_true", help=_("all jobs"))
        if name == "install":
            add_while(parser)
        add_json(parser)
    add_json(add_command(inner, "list", _("List all jobs with their entries in the scheduler."), _handle_list))
    show_ = add_command(inner, "show", _("Show when a job starts next, and its entry as it is."), _handle_show)
    show_.add_argument("job", metavar=_("JOB"), help=_("short name of the job"))
    show_.add_argument("--for", dest="scheduler", choices=NAMES, help=_("how another system's scheduler would say it"))
    show_.add_argument("-n", type=count, default=_FIRES, metavar=_("N"), help=_("so many starts; 5 by default"))
    add_json(show_)
    check = add_command(inner, "check", _("Compare the entries in the scheduler with the jobs."), _handle_check)
    _add_jobs(check, _("the jobs; all of them when none is named"))
    check.add_argument("--repair", action="store_true", help=_("mend what is wrong"))
    add_json(check)
    add_command(inner, "undo", _("Take back the last change in the scheduler."), _handle_undo)


def _add_jobs(parser: argparse.ArgumentParser, text: str) -> None:
    parser.add_argument("jobs", nargs="*", metavar=_("JOB"), help=text)


def _backend(places: Places) -> Backend:
    backend = backend_here(places)
    if backend is None:
        raise UsageError("scheduler-none")
    return backend


# --------------------------------------------------------------- install, remove


def _handle_install(words: argparse.Namespace) -> int:
    places = find_places()
    wanted = _chosen(words)
    for job_id in wanted or ():
        known_job(places, job_id)
    backend = _backend(places)
    check_while(backend, words.when)
    done = registration.install(places, backend, wanted)
    choose_while(places, backend, done.installed, words.when)
    if words.json:
        return _show_done(done)
    jobs = jobs_by_id(places)
    show(*(started_line(backend, jobs[job_id]) for job_id in done.installed if job_id in jobs))
    if not done.installed and not done.refused:
        show(_("There is no enabled job with a schedule."))
    if done.installed:
        tell_while(backend, words.when)
        tell_obstacles(backend)
    return _tell_refused(done)


def _handle_remove(words: argparse.Namespace) -> int:
    places = find_places()
    wanted = _chosen(words)
    backend = _backend(places)
    if wanted is None:
        wanted = [entry.job for entry in backend.entries() if entry.job != ALL_JOBS]
    done = registration.remove(places, backend, wanted)
    if words.json:
        return _show_done(done)
    name = scheduler_words(backend.name)
    for job_id in done.removed:
        show(say("{scheduler} does not start {job} any more.", scheduler=name, job=job_id))
    for job_id in wanted:
        if job_id not in done.removed:
            show(say("{scheduler} has no entry for {job}.", scheduler=name, job=job_id))
    if not wanted:
        show(say("{scheduler} has no entries of Birkez.", scheduler=name))
    return exit_code.DONE


def _chosen(words: argparse.Namespace) -> list[str] | None:
    """Jobs that were named; None for all of them."""
    if bool(words.jobs) == words.all:
        raise UsageError("job-or-all")
    return None if words.all else words.jobs


def _tell_refused(done: Registration) -> int:
    worst = exit_code.DONE
    for _job, error in done.refused:
        warn(sentence(error))
        worst = max(worst, error.exit_status)
    return worst


def _show_done(done: Registration) -> int:
    refused = [{"job": job, "error": error_json(error)} for job, error in done.refused]
    show_json({"installed": done.installed, "removed": done.removed, "refused": refused})
    return max((error.exit_status for _job, error in done.refused), default=exit_code.DONE)


# ------------------------------------------------------------------- list, check


def _handle_list(words: argparse.Namespace) -> int:
    places = find_places()
    overview = look(places, _backend(places))
    if words.json:
        show_json(overview_json(places, overview))
        return exit_code.DONE
    jobs = jobs_by_id(places) if overview.jobs else {}
    rows = [entry_row(health, jobs.get(health.job)) for health in overview.jobs]
    show(*columns(rows))
    tell_around(overview)
    if not rows:
        show(_("There are no jobs yet. To see one at work: birkez demo. To add one: birkez job add FILE"))
    return exit_code.DONE


def _handle_check(words: argparse.Namespace) -> int:
    places = find_places()
    for job_id in words.jobs:
        known_job(places, job_id)
    backend = _backend(places)
    if words.repair:  # no folder is made here: an empty one, where a drive should be, would make orphans of all
        done = registration.repair(places, backend, words.jobs or None)
        if not words.json:
            _tell_repaired(done, scheduler_words(backend.name))
    overview = look(places, backend)
    if words.jobs:
        chosen = tuple(health for health in overview.jobs if health.job in words.jobs)
        overview = overview._replace(jobs=chosen, orphans=(), boot=overview.boot._replace(state="not-wanted"))
    if words.json:
        show_json(overview_json(places, overview))
    else:
        tell_faults(overview)
    return exit_code.DONE if is_well(overview) else exit_code.ENVIRONMENT


def _tell_repaired(done: Registration, name: str) -> None:
    count = len(done.installed) + len(done.removed)
    forms = NN_("{count:number} entry in {scheduler} was mended.", "{count:number} entries in {scheduler} were mended.")
    if count or not (done.changes or done.refused):
        show(say_many(forms, count, scheduler=name))
    for text in dict.fromkeys(sentence(error) for _job, error in done.refused if error.code in registration.OF_ONE_JOB):
        warn(text)  # any other is the entry's health, and told with it


# -------------------------------------------------------------------- show, undo


def _handle_show(words: argparse.Namespace) -> int:
    places = find_places()
    job_id = known_job(places, words.job)
    job = read_job(places.job_file(job_id), job_id)
    if job.schedule is None:
        raise TriggerError("trigger-no-schedule", job=job_id)
    backend = backend_named(words.scheduler, places) if words.scheduler else _backend(places)
    fires = next_fires(job.schedule, clock.now(), words.n)
    health = None if words.scheduler else look(places, backend).of(job_id)
    try:
        text, error = backend.entry_for(job).text, None
    except BirkezError as refused:
        text, error = "", refused
    if words.json:
        told = {"schedule": schedule_words(job.schedule), "next_starts": [instant(fire) for fire in fires]}
        state = None if health is None else health.state
        entry = {"scheduler": backend.name, "state": state, "entry": text or None, "error": error_json(error)}
        show_json({"job": job_id, **told, **entry})
    else:
        head = (_("next starts"), _("universal time (UTC)"))
        show(f"{paint(job.title, 'strong')}: {schedule_words(job.schedule)}")
        show(*columns([head, *((show_instant(at), show_instant(at, UTC)) for at in fires)]), "")
        _show_entry(backend, text, error, health)
    return error.exit_status if error else exit_code.DONE


def _show_entry(backend: Backend, text: str, error: BirkezError | None, health: Health | None) -> None:
    """Show the entry as it shall be, and as it stands where that is another."""
    name = scheduler_words(backend.name)
    if health is not None:
        show(f"{name}: {state_word(health)}")
        if any(starts_without_log_on(entry.text) for entry in health.standing):
            show(_("It starts while nobody is logged on, too."))
    if error is not None:
        warn(sentence(error))
        return
    show(say("The entry for {scheduler}:", scheduler=name), *text.splitlines())
    if health is not None and health.state in ("edited", "moved"):
        show(_("As it stands there:"), *(line for entry in health.standing for line in entry.text.splitlines()))


def _handle_undo(_words: argparse.Namespace) -> int:
    places = find_places()
    backend = _backend(places)
    record = undo(places, backend)
    # Translators: {at} is a day and a time
    text = N_("The change of {at} in {scheduler} was taken back. It concerned: {jobs}.")
    show(say(text, at=near(record.at), scheduler=scheduler_words(backend.name), jobs=list(record.jobs)))
    overview = look(places, backend)
    if not is_well(overview):
        show(_("The entries do not fit the jobs now; what differs: birkez schedule check"))
    return exit_code.DONE
