"""`birkez job add`, shared with `job import`: a new job comes onto the shelf, and meets what its name left behind.

A job that is added twice would do its work twice, and an id that was used before has a
ledger. Neither is passed over: the person decides, at the terminal or by an option.
"""

from __future__ import annotations

import os
import shlex
import subprocess
import sys

from trayapp import clock, exit_code
from trayapp.cli.arguments import add_command
from trayapp.cli.concerns import concerns_of
from trayapp.cli.crontab import starter_lines
from trayapp.cli.new_start import with_offset
from trayapp.cli.old_ledger import FORGET, GO_ON, Choice, decide_about_left, forget_seen, look_for_left
from trayapp.cli.registering import add_no_schedule, register
from trayapp.cli.terminal import show, warn
from trayapp.errors import BirkezError, UsageError
from trayapp.job import shelf
from trayapp.job.file import parse_job, read_text
from trayapp.job.model import CommandEffect, Job, PythonEffect, SqlEffect, propose_id
from trayapp.ledger.sqlite_file import create_database
from trayapp.places import find_places
from trayapp.runner.by_hand import forget
from trayapp.runner.opening import ledger_path
from trayapp.window.grid import grid_of
from trayapp.wording.instants import show_instant
from trayapp.wording.mark import N_
from trayapp.wording.speech import _, say, sentence

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterable
    from datetime import datetime

    from trayapp.cli.arguments import Subparsers
    from trayapp.places import Places


def add_parsers(commands: Subparsers) -> None:
    """Offer `job add`."""
    import argparse  # noqa: PLC0415  # loaded by whoever calls this

    add = add_command(commands, "add", _("Add a job from a job file."), _handle_add)
    add.add_argument("file", metavar=_("FILE"), help=_("job file, .toml"))
    add.add_argument("--id", metavar=_("ID"), help=_("its short name; made from the title when left out"))
    add.add_argument("--place", metavar="PATH", help=argparse.SUPPRESS)  # where relative paths of an editor's begin
    add.add_argument("--create-database", action="store_true", help=_("make the job's database, which must not exist"))
    add_ledger_choice(add)
    add_no_schedule(add)


def add_ledger_choice(parser: argparse.ArgumentParser) -> None:
    """Add what decides about the records of a name that was used before."""
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
    source = os.path.abspath(words.place or words.file)
    stem = os.path.splitext(os.path.basename(source))[0]
    text = read_text(os.path.abspath(words.file), words.id or stem)
    wanted = parse_job(text, source, words.id or stem, start_for=grid_line_now)
    twin = twin_of(places, wanted)
    if words.id and (twin is None or twin.id != words.id or not words.create_database):
        twin = None  # a person who names it wants a second one, unless the first lacks its database
    if twin is not None:
        return _finish_twin(places, twin, wanted, create=words.create_database)
    job_id = words.id or propose_id(wanted.title, taken(places))
    text = with_offset(text, wanted)
    job = put_on_shelf(places, job_id, text, source, Choice(words.choice, words.yes, "--id"))
    try:
        # Birkez's own ledger is made by the first run, whatever the person wishes.
        if words.create_database and ledger_path(places, job) != places.ledger_db:
            create_database(ledger_path(places, job))
    except BirkezError:
        shelf.remove(places, job.id)
        raise
    concerns = concerns_of(places, job)
    tell_added(job, concerns)
    if any(concern.code == "database-missing" for concern in concerns):
        text = N_(
            "Until then it does nothing. For a new, empty database there: birkez job add {file} --create-database"
        )
        show(say(text, file=_quoted(words.file) + (f" --id {words.id}" if words.id else "")))
    natural = propose_id(wanted.title, ())
    if not words.id and job_id != natural:
        show(say("“{natural}” is the short name of another job, so this one got “{job}”.", natural=natural, job=job_id))
    if words.no_schedule:
        show(*starter_lines(job))
    else:
        register(places, job)
    return exit_code.DONE


def _quoted(path: str) -> str:
    """Path as this system's shell takes it for one word."""
    return subprocess.list2cmdline([path]) if sys.platform == "win32" else shlex.quote(path)


def put_on_shelf(places: Places, job_id: str, text: str, source: str, choice: Choice) -> Job:
    """Put the job on the shelf, after a decision about what a job of its name has left in the ledger."""
    job = parse_job(text, source, job_id, start_for=grid_line_now)
    left = look_for_left(places, job)
    is_forgotten = left is not None and choice.what == FORGET
    if left is not None and job_id not in taken(places):
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


def twin_of(places: Places, wanted: Job) -> Job | None:
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
    proposal = propose_id(wanted.title, taken(places))
    raise UsageError("job-same-work", other=twin.id, option="--id", proposal=proposal)


def taken(places: Places) -> set[str]:
    """Ids that no new job can have."""
    return set(shelf.job_ids(places))


# ------------------------------------------------------------------------ tell


def tell_added(job: Job, concerns: Iterable[BirkezError]) -> None:
    """Say what came in, what would stop it here, and how to look."""
    show(
        say("The job “{title}” was added as {job}.", title=job.title, job=job.id),
        say("It works through {source}.", source=job.items.source)
        if job.items is not None
        else say("Its first period begins at {start}.", start=show_instant(job.window.start)),
    )
    for concern in concerns:
        warn(sentence(concern))
    show(say("To see what a run would do: birkez run {job} --dry-run", job=job.id))
