"""`birkez job export` and `job import`: jobs and settings go to another computer, and arrive from one.

What arrives meets another computer: each path, database and program that is not there is
told by itself, nothing starts by schedule before the person says so, and a job whose ledger
stayed behind asks where it begins.
"""

from __future__ import annotations

import os

from trayapp import exit_code
from trayapp.cli import job_adding
from trayapp.cli.answers import error_json
from trayapp.cli.arguments import add_command, add_json, known_job
from trayapp.cli.concerns import concerns_of_arrival
from trayapp.cli.job_adding import add_ledger_choice, grid_line_now, tell_added, twin_of
from trayapp.cli.new_start import FROM_NOW, FROM_START, begin_here, closed_count
from trayapp.cli.old_ledger import Choice, look_for_left
from trayapp.cli.registering import offer
from trayapp.cli.terminal import ask, can_ask, say_many, show, show_json, warn
from trayapp.errors import BirkezError, UsageError
from trayapp.job import shelf
from trayapp.job.confidential import taken_from
from trayapp.job.file import parse_job, set_values
from trayapp.job.folders import foreign_path
from trayapp.job.model import Job, propose_id
from trayapp.job.moving import export_jobs, read_parcel
from trayapp.places import find_places
from trayapp.settings import change_settings, read_settings
from trayapp.wording.mark import N_, NN_
from trayapp.wording.speech import _, say, sentence

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse

    from trayapp.cli.arguments import Subparsers
    from trayapp.job.moving import Arrival, Departure, Parcel
    from trayapp.places import Places


def add_parsers(commands: Subparsers) -> None:
    """Offer `job export` and `job import`."""
    text = _("Write jobs, and with all of them the settings, into one file for another computer.")
    export = add_command(commands, "export", text, _handle_export)
    export.add_argument("file", metavar=_("FILE"), help=_("a .zip file; a .toml file for one job"))
    export.add_argument("jobs", nargs="*", metavar=_("JOB"), help=_("the jobs; all of them when none is named"))
    export.add_argument("--with-secrets", action="store_true", help=_("passwords of the job files go along, readable"))
    import_ = add_command(commands, "import", _("Add the jobs of a file that job export wrote."), _handle_import)
    import_.add_argument("file", metavar=_("FILE"), help=_("a .zip or .toml file"))
    import_.add_argument("--check", action="store_true", help=_("say what would happen and what is missing; add none"))
    add_json(import_)
    import_.add_argument(
        "--as", dest="as_id", metavar=_("ID"), help=_("another short name, where the file holds one job")
    )
    import_.add_argument(
        "--folder",
        dest="moves",
        action="append",
        default=[],
        metavar=_("OLD=NEW"),
        help=_("what lay below the folder OLD lies below NEW here; may be given several times"),
    )
    add_ledger_choice(import_)
    _add_choices(import_)


def _add_choices(import_: argparse.ArgumentParser) -> None:
    begin, start = import_.add_mutually_exclusive_group(), import_.add_mutually_exclusive_group()
    text = _("do all periods since its start here")
    begin.add_argument("--from-start", dest="begin", action="store_const", const=FROM_START, help=text)
    text = _("begin with the period that is open now")
    begin.add_argument("--from-now", dest="begin", action="store_const", const=FROM_NOW, help=text)
    text = _("let this computer's scheduler start them, unasked")
    start.add_argument("--schedule", action="store_true", default=None, help=text)
    start.add_argument(
        "--no-schedule", dest="schedule", action="store_false", help=_("do not let it, and do not ask either")
    )
    settings = import_.add_mutually_exclusive_group()
    text = _("take the settings over, too, unasked")
    settings.add_argument("--settings", action="store_true", default=None, help=text)
    settings.add_argument("--no-settings", dest="settings", action="store_false", help=_("leave the settings alone"))


# ---------------------------------------------------------------------- export


def _handle_export(words: argparse.Namespace) -> int:
    places, path = find_places(), os.path.abspath(words.file)
    wanted = [known_job(places, job_id) for job_id in words.jobs] or None
    gone = export_jobs(places, wanted, path, with_secrets=words.with_secrets)
    forms = NN_("{count:number} job was written to {path}.", "{count:number} jobs were written to {path}.")
    show(say_many(forms, len(gone.jobs), path=words.file))
    _tell_gone(gone, with_secrets=words.with_secrets)
    for fault in gone.left:
        warn(sentence(fault))
    return max((fault.exit_status for fault in gone.left), default=exit_code.DONE)


def _tell_gone(gone: Departure, *, with_secrets: bool) -> None:
    if gone.settings is not None:
        show(_("The settings are in it, too."))
    show(_("Scripts, databases and records of what was done are not in it; take scripts and databases along yourself."))
    if with_secrets:
        warn(_("Passwords and the like are in it as they are: give it to nobody else, and delete it in the end."))
    for job_id, keys in gone.taken.items():
        text = N_("Of {job}, what may be secret was left out, to be entered again there: {keys}")
        show(say(text, job=job_id, keys=", ".join(keys)))


# ---------------------------------------------------------------------- import


def _handle_import(words: argparse.Namespace) -> int:
    places = find_places()
    places.make_folders()
    parcel = read_parcel(places, words.file, grid_line_now, _moves(words.moves))
    if words.as_id is not None and len(parcel.arrivals) > 1:
        raise UsageError("job-import-several", path=words.file, count=len(parcel.arrivals))
    if words.check:
        return _check(places, parcel, words)
    if words.json:
        raise UsageError("job-import-json")
    worst, added = exit_code.DONE, list[Job]()
    for arrival in parcel.arrivals:
        try:
            job = _import(places, arrival, words)
        except BirkezError as error:
            warn(sentence(error))
            worst = max(worst, error.exit_status)
        else:
            added.append(job)
            tell_added(job, concerns_of_arrival(places, job, arrival.text))
    if len(parcel.arrivals) > 1:
        forms = NN_("{count:number} job was added.", "{count:number} jobs were added.")
        show(say_many(forms, len(added)))
    _take_settings(places, parcel, wish=words.settings)
    offer(places, added, wish=words.schedule)
    return worst


def _moves(given: list[str]) -> list[tuple[str, str]]:
    moves = []
    for word in given:
        old, equals, new = word.partition("=")
        if not (equals and old and new):
            raise UsageError("job-import-folder", word=word)
        moves.append((old, os.path.abspath(new)))
    return moves


def _import(places: Places, arrival: Arrival, words: argparse.Namespace) -> Job:
    job_id, wanted = _wanted(places, arrival, words)
    text = arrival.text
    if look_for_left(places, wanted) is None and job_id not in job_adding.taken(places):
        text = begin_here(text, wanted, words.begin)
    if wanted.enabled and taken_from(text):
        text = set_values(text, {("enabled",): False})  # started without its password it could only do harm
    return job_adding.put_on_shelf(places, job_id, text, arrival.source, Choice(words.choice, words.yes, "--as"))


def _wanted(places: Places, arrival: Arrival, words: argparse.Namespace) -> tuple[str, Job]:
    if arrival.error is not None:
        raise arrival.error
    job_id = words.as_id or arrival.job_id
    foreign = foreign_path(arrival.text)
    if foreign:
        raise UsageError("job-import-foreign-path", job=job_id, path=foreign)
    wanted = parse_job(arrival.text, arrival.source, job_id, start_for=grid_line_now)
    taken = job_adding.taken(places)
    twin = None if words.as_id or job_id in taken else twin_of(places, wanted)
    if twin is not None:
        raise UsageError("job-same-work", other=twin.id, option="--as", proposal=propose_id(job_id, taken))
    return job_id, wanted


def _take_settings(places: Places, parcel: Parcel, *, wish: bool | None) -> None:
    """Take over what differs, if *wish* says so; ask where it says nothing, and else tell how it is done."""
    changes = _differing(places, parcel)
    if not changes:
        return
    if wish is None and can_ask():
        wish = ask(say("Take over these settings, too: {names}?", names=_named(changes)))
    if wish:
        change_settings(places, **changes)
        show(_("The settings were taken over."))
    elif wish is None:
        text = N_(
            "The settings of this computer stay as they are. Others are in the file: {names}. To take them over, "
            "import once more with {option}."
        )
        show(say(text, names=_named(changes), option="--settings"))


def _differing(places: Places, parcel: Parcel) -> dict[str, str | int | bool]:
    here = read_settings(places)._asdict()
    return {name: value for name, value in parcel.settings.items() if here[name] != value}


def _named(changes: dict[str, str | int | bool]) -> str:
    return ", ".join(f"{name} = {value}" for name, value in changes.items())


# ----------------------------------------------------------------------- check


def _check(places: Places, parcel: Parcel, words: argparse.Namespace) -> int:
    found = [(arrival, *_judge(places, arrival, words)) for arrival in parcel.arrivals]
    changes = _differing(places, parcel)
    worst = max((error.exit_status for _arrival, error, *_rest in found if error is not None), default=exit_code.DONE)
    if words.json:
        jobs = [
            {
                "id": arrival.job_id,
                "title": arrival.title,
                "error": error_json(error),
                "concerns": [error_json(concern) for concern in concerns],
                "closed_periods": count,
            }
            for arrival, error, concerns, count in found
        ]
        show_json({"jobs": jobs, "settings": changes})
        return worst
    for arrival, error, concerns, count in found:
        if error is not None:
            warn(f"{arrival.job_id}: {sentence(error)}")
            continue
        show(say("{job} can come in: “{title}”.", job=arrival.job_id, title=arrival.title))
        for concern in concerns:
            warn(f"  {sentence(concern)}")
        if count > 1:
            text = NN_(
                "  {count:number} period has closed since its start: --from-start does it here, --from-now begins now.",
                "  {count:number} periods have closed since its start: --from-start does them all here, --from-now "
                "begins now.",
            )
            show(say_many(text, count))
    if changes:
        show(say("Settings that differ: {names}", names=_named(changes)))
    show(_("Nothing was changed."))
    return worst


def _judge(
    places: Places, arrival: Arrival, words: argparse.Namespace
) -> tuple[BirkezError | None, list[BirkezError], int]:
    """What would refuse the job, what would stop its runs, and how many periods it would have to decide about."""
    try:
        job_id, wanted = _wanted(places, arrival, words)
    except BirkezError as error:
        return error, [], 0
    if job_id in shelf.job_ids(places):
        return UsageError("job-id-taken", job=job_id, proposal=propose_id(job_id, job_adding.taken(places))), [], 0
    concerns = concerns_of_arrival(places, wanted, arrival.text)
    return None, concerns, closed_count(wanted) if look_for_left(places, wanted) is None else 0
