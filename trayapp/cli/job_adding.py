"""`birkez job add` and `job import`: a new job comes onto the shelf, and meets what its name left behind.

A job that is added twice would do its work twice, and an id that was used before has a
ledger. Neither is passed over: the person decides, at the terminal or by an option.
"""

from __future__ import annotations

import os

from trayapp import clock, exit_code
from trayapp.cli.arguments import add_command
from trayapp.cli.crontab import starter_lines
from trayapp.cli.new_start import FROM_NOW, FROM_START, begin_here, with_offset
from trayapp.cli.old_ledger import FORGET, GO_ON, PATIENCE_S, Choice, decide_about_left, forget_seen, look_for_left
from trayapp.cli.registering import add_no_schedule, offer, register
from trayapp.cli.terminal import say_many, show, warn
from trayapp.errors import BirkezError, UsageError
from trayapp.job import shelf
from trayapp.job.file import parse_job, read_text
from trayapp.job.model import CommandEffect, Job, PythonEffect, SqlEffect, propose_id
from trayapp.ledger.sqlite import open_sqlite_ledger
from trayapp.ledger.sqlite_file import create_database
from trayapp.places import find_places
from trayapp.runner.by_hand import forget
from trayapp.runner.opening import ledger_path
from trayapp.window.grid import grid_of
from trayapp.wording.instants import show_instant
from trayapp.wording.mark import NN_
from trayapp.wording.speech import _, say, sentence

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse
    from datetime import datetime

    from trayapp.cli.arguments import Subparsers
    from trayapp.places import Places


_MOST_CONCERNS = 10  # lines of a list: a person sees by then what is wrong with it


def add_parsers(commands: Subparsers) -> None:
    """Offer `job add` and `job import`."""
    add = add_command(commands, "add", _("Add a job from a job file."), _handle_add)
    add.add_argument("file", metavar=_("FILE"), help=_("job file, .toml"))
    add.add_argument("--id", metavar=_("ID"), help=_("its short name; made from the title when left out"))
    add.add_argument("--create-database", action="store_true", help=_("make the job's database, which must not exist"))
    _add_ledger_choice(add)
    add_no_schedule(add)
    import_ = add_command(commands, "import", _("Add the jobs of a file that job export wrote."), _handle_import)
    import_.add_argument("file", metavar=_("FILE"), help=_("a .zip or .toml file"))
    import_.add_argument(
        "--as", dest="as_id", metavar=_("ID"), help=_("another short name, where the file holds one job")
    )
    _add_ledger_choice(import_)
    begin = import_.add_mutually_exclusive_group()
    begin.add_argument(
        "--from-start",
        dest="begin",
        action="store_const",
        const=FROM_START,
        help=_("do all periods since its start here"),
    )
    begin.add_argument(
        "--from-now",
        dest="begin",
        action="store_const",
        const=FROM_NOW,
        help=_("begin with the period that is open now"),
    )
    start = import_.add_mutually_exclusive_group()
    start.add_argument(
        "--schedule", action="store_true", default=None, help=_("let this computer's scheduler start them, unasked")
    )
    start.add_argument(
        "--no-schedule", dest="schedule", action="store_false", help=_("do not let it, and do not ask either")
    )


def _add_ledger_choice(parser: argparse.ArgumentParser) -> None:
    choice = parser.add_mutually_exclusive_group()
    choice.add_argument(
        "--go-on", dest="choice", action="store_const", const=GO_ON, help=_("go on where a job of this name ended")
    )
    choice.add_argument(
        "--forget", dest="choice", action="store_const", const=FORGET, help=_("forget what a job of this name did")
    )
    parser.add_argument("--yes", action="store_true", help=_("do not ask"))
    parser.epilog = _("How a job file is written: birkez help job-file")


def grid_line_now(step: str, timezone: str | None) -> datetime:
    """Where a new job begins whose file does not say: at the last line of its grid."""
    return grid_of(step, timezone).line_at_or_before(clock.now())


# ------------------------------------------------------------------------- add


def _handle_add(words: argparse.Namespace) -> int:
    places = find_places()
    places.make_folders()
    source = os.path.abspath(words.file)
    stem = os.path.splitext(os.path.basename(source))[0]
    text = read_text(source, words.id or stem)
    wanted = parse_job(text, source, words.id or stem, start_for=grid_line_now)
    twin = None if words.id else _twin_of(places, wanted)
    if twin is not None:
        return _finish_twin(places, twin, wanted, create=words.create_database)
    job_id = words.id or propose_id(wanted.title, _taken(places))
    text = with_offset(text, wanted)
    job = _add(places, job_id, text, source, Choice(words.choice, words.yes, "--id"))
    try:
        # Birkez's own ledger is made by the first run, whatever the person wishes.
        if words.create_database and ledger_path(places, job) != places.ledger_db:
            create_database(ledger_path(places, job))
    except BirkezError:
        shelf.remove(places, job.id)
        raise
    _tell_added(places, job)
    natural = propose_id(wanted.title, ())
    if not words.id and job_id != natural:
        show(say("“{natural}” is the short name of another job, so this one got “{job}”.", natural=natural, job=job_id))
    if words.no_schedule:
        show(*starter_lines(job))
    else:
        register(places, job)
    return exit_code.DONE


def _add(places: Places, job_id: str, text: str, source: str, choice: Choice) -> Job:
    """Put the job on the shelf, after a decision about what a job of its name has left in the ledger."""
    job = parse_job(text, source, job_id, start_for=grid_line_now)
    left = look_for_left(places, job)
    is_forgotten = left is not None and choice.what == FORGET
    if left is not None and job_id not in _taken(places):
        is_forgotten = decide_about_left(places, job, left, choice) == FORGET
    job = shelf.add(places, job_id, text, source, grid_line_now)
    try:
        if left is None or is_forgotten:
            forget_seen(places, job)
        if is_forgotten:
            forget(places, job.id)
    except BaseException:
        shelf.remove(places, job.id)
        raise
    return job


def _twin_of(places: Places, wanted: Job) -> Job | None:
    """A job with this title that does the very same: most likely the file was added before."""
    return next(
        (
            job
            for job in shelf.read_all(places)
            if isinstance(job, Job) and job.title == wanted.title and _work_of(job) == _work_of(wanted)
        ),
        None,
    )


def _work_of(job: Job) -> tuple[object, ...]:
    effect = job.effect
    if job.items is not None:
        return job.items, effect
    if isinstance(effect, SqlEffect):
        return job.window.step, effect.database, effect.script
    if isinstance(effect, PythonEffect):
        return job.window.step, effect.database, effect.file, effect.function
    assert isinstance(effect, CommandEffect)  # a download has items
    return job.window.step, effect.argv, effect.shell, effect.cwd


def _finish_twin(places: Places, twin: Job, wanted: Job, *, create: bool) -> int:
    """Make the database that an earlier `job add` left out; anything else is refused.

    Raises: UsageError `job-same-work`.
    """
    path = ledger_path(places, twin)
    if create and not os.path.exists(path):
        create_database(path)
        show(say("The job {job} is there already; its database {path} was made.", job=twin.id, path=path))
        return exit_code.DONE
    proposal = propose_id(wanted.title, _taken(places))
    raise UsageError("job-same-work", other=twin.id, option="--id", proposal=proposal)


def _taken(places: Places) -> set[str]:
    return set(shelf.job_ids(places))


# ---------------------------------------------------------------------- import


def _handle_import(words: argparse.Namespace) -> int:
    places = find_places()
    places.make_folders()
    arrivals = shelf.read_arrivals(places, words.file, grid_line_now)
    if words.as_id is not None and len(arrivals) > 1:
        raise UsageError("job-import-several", path=words.file, count=len(arrivals))
    worst, added = exit_code.DONE, list[Job]()
    for arrival in arrivals:
        try:
            job = _import(places, arrival, words)
        except BirkezError as error:
            warn(sentence(error))
            worst = max(worst, error.exit_status)
        else:
            added.append(job)
            _tell_added(places, job)
    if len(arrivals) > 1:
        forms = NN_("{count:number} job was added.", "{count:number} jobs were added.")
        show(say_many(forms, len(added)))
    offer(places, added, wish=words.schedule)
    return worst


def _import(places: Places, arrival: shelf.Arrival, words: argparse.Namespace) -> Job:
    if arrival.error is not None:
        raise arrival.error
    job_id = words.as_id or arrival.job_id
    wanted = parse_job(arrival.text, arrival.source, job_id, start_for=grid_line_now)
    twin = None if words.as_id or job_id in _taken(places) else _twin_of(places, wanted)
    if twin is not None:
        raise UsageError("job-same-work", other=twin.id, option="--as", proposal=propose_id(job_id, _taken(places)))
    text = arrival.text
    if look_for_left(places, wanted) is None and job_id not in _taken(places):
        text = begin_here(text, wanted, words.begin)
    return _add(places, job_id, text, arrival.source, Choice(words.choice, words.yes, "--as"))


# ------------------------------------------------------------------------ tell


def _tell_added(places: Places, job: Job) -> None:
    show(
        say("The job “{title}” was added as {job}.", title=job.title, job=job.id),
        say("It works through {source}.", source=job.items.source)
        if job.items is not None
        else say("Its first period begins at {start}.", start=show_instant(job.window.start)),
    )
    for concern in concerns_of(places, job):
        warn(sentence(concern))
    show(say("To see what a run would do: birkez run {job} --dry-run", job=job.id))


def concerns_of(places: Places, job: Job) -> list[BirkezError]:
    """What would stop the job if it ran now: the job is valid all the same, since a drive may only be missing."""
    from trayapp.effect.sql import read_script  # noqa: PLC0415  # only where a job is looked at
    from trayapp.errors import EffectError  # noqa: PLC0415  # as above

    concerns: list[BirkezError] = []
    effect = job.effect
    path = ledger_path(places, job)
    if path != places.ledger_db:
        try:
            open_sqlite_ledger(path, wait_s=PATIENCE_S).close()
        except BirkezError as error:
            concerns.append(error)
    if isinstance(effect, PythonEffect) and not os.path.isfile(effect.file):
        concerns.append(EffectError("python-missing", path=effect.file))
    if isinstance(effect, SqlEffect):
        try:
            read_script(effect.script)
        except BirkezError as error:
            concerns.append(error)
    if job.items is not None:
        from trayapp.fan_out.findings import item_concerns  # noqa: PLC0415  # as above

        concerns += item_concerns(places, job)[:_MOST_CONCERNS]
    return concerns
