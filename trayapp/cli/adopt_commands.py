"""`birkez adopt` and `birkez release`: entries of this computer's scheduler made jobs, and given back."""

from __future__ import annotations

from trayapp import exit_code
from trayapp.adoption.entry import named
from trayapp.adoption.exchange import Wish, adopt, keeper, plan, release, settle
from trayapp.adoption.listing import list_entries, read_own
from trayapp.cli.adopt_telling import entry_words, listing_json, tell_adopted, tell_listing, tell_plan
from trayapp.cli.answers import error_json
from trayapp.cli.arguments import add_command, add_job, add_json
from trayapp.cli.old_ledger import forget_seen, look_for_left
from trayapp.cli.terminal import ask, can_ask, show, show_json, warn
from trayapp.errors import BirkezError, UsageError
from trayapp.job.model import propose_id
from trayapp.places import find_places
from trayapp.trigger.findings import scheduler_words
from trayapp.trigger.here import backend_here
from trayapp.wording.mark import N_
from trayapp.wording.speech import _, say, sentence

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse

    from trayapp.adoption.entry import Entry
    from trayapp.cli.arguments import Subparsers
    from trayapp.job.model import Job
    from trayapp.places import Places
    from trayapp.trigger.backend import Backend

_ANSWERS = {"yes": True, "no": False}


def add_parsers(commands: Subparsers) -> None:
    """Offer `adopt` and `release`."""
    summary = _("Make jobs of what this computer's scheduler starts already; birkez release gives one back.")
    parser = add_command(commands, "adopt", summary, _handle_adopt)
    parser.add_argument(
        "entries", nargs="*", metavar=_("ENTRY"), help=_("as the list names it; without one, the list is shown")
    )
    parser.add_argument("--list", action="store_true", help=_("list what there is, and what can be adopted"))
    parser.add_argument(
        "--repeatable", choices=tuple(_ANSWERS), help=_("whether a command may run twice for one period")
    )
    parser.add_argument("--id", metavar=_("ID"), help=_("short name of the job; made from its title when left out"))
    parser.add_argument("--title", metavar=_("TEXT"), help=_("title of the job; what its line says when left out"))
    parser.add_argument("--dry-run", action="store_true", help=_("only show the job that it would become"))
    add_json(parser)
    back = add_command(commands, "release", _("Give an adopted job back to the scheduler, as it was."), _handle_release)
    add_job(back)
    add_json(back)


def _backend(places: Places) -> Backend:
    backend = backend_here(places)
    if backend is None:
        raise UsageError("scheduler-none")
    return backend


def _handle_adopt(words: argparse.Namespace) -> int:
    places = find_places()
    backend = _backend(places)
    if words.list or not words.entries:
        return _list(places, backend, as_json=words.json)
    if (words.id or words.title) and len(words.entries) > 1:
        raise UsageError("adopt-id-several")
    settle(places, keeper(backend))
    told, worst = [], exit_code.DONE
    for name in words.entries:
        try:
            told.append(_adopt(places, backend, name, words))
        except BirkezError as error:
            worst = max(worst, error.exit_status)
            told.append({"entry": name, "job": None, "error": error_json(error)})
            if not words.json:
                warn(sentence(error))
    if words.json:
        show_json({"adopted": told})
    return worst


def _list(places: Places, backend: Backend, *, as_json: bool) -> int:
    unsettled = None
    try:
        settle(places, keeper(backend))
    except BirkezError as error:  # the list tells it, with what can be seen all the same
        unsettled = error
    listing = list_entries(places, backend)
    if unsettled is not None and not as_json and str(unsettled) != str(listing.trouble):
        warn(sentence(unsettled))
    if as_json:
        show_json(listing_json(listing))
    else:
        tell_listing(listing)
    return listing.trouble.exit_status if listing.trouble else exit_code.DONE


def _adopt(places: Places, backend: Backend, name: str, words: argparse.Namespace) -> dict[str, object]:
    """Adopt one entry and tell it; returns the same for a program."""
    entry = named(read_own(backend), name)
    if entry.refusal is not None:
        raise entry.refusal
    wish = Wish(_may_repeat(entry, words), words.id or "", words.title or "")
    job, text = _plan(places, entry, wish)
    scheduler_entry = backend.entry_for(job)
    told: dict[str, object] = {"entry": name, "job": job.id, "title": job.title, "error": None}
    if words.dry_run:
        if not words.json:
            tell_plan(job, text, scheduler_entry, scheduler_words(backend.name))
        return {**told, "text": text, "scheduler_entry": scheduler_entry.text}
    places.make_folders()
    forget_seen(places, job)
    adopt(places, keeper(backend), entry, job, text)
    if not words.json:
        tell_adopted(backend, entry, job)
    return told


def _plan(places: Places, entry: Entry, wish: Wish) -> tuple[Job, str]:
    """Plan a job whose name no ledger knows: what a job of that name did is no record of this one."""
    known: set[str] = set()
    while True:
        job, text = plan(places, entry, wish, known)
        if look_for_left(places, job) is None:
            return job, text
        known.add(job.id)
        if wish.job_id:
            raise UsageError("adopt-id-known", job=job.id, proposal=propose_id(job.id, known))


def _may_repeat(entry: Entry, words: argparse.Namespace) -> bool:
    if words.repeatable is not None:
        return _ANSWERS[words.repeatable]
    if not can_ask():
        raise UsageError("adopt-repeatable")
    show(entry_words(entry))
    text = N_(
        "May this command run twice for one period, if nobody knows whether it was finished? Yes for one that only"
        " repeats itself (a backup, a clean-up); no for one that sends, books or adds: then a person decides."
    )
    show(_(text))
    return ask(_("May it run twice?"))


# --------------------------------------------------------------------- release


def _handle_release(words: argparse.Namespace) -> int:
    places = find_places()
    backend = _backend(places)
    settle(places, keeper(backend))
    done = release(places, keeper(backend), words.job)
    if words.json:
        show_json({"job": done.job, "entry": done.text, "is_at_its_place": done.is_at_its_place})
        return exit_code.DONE
    name = scheduler_words(backend.name)
    if done.had_job:
        show(say("The job {job} was removed; what it did stays recorded.", job=done.job))
    show(say("{scheduler} has its entry again, as it was: {entry}", scheduler=name, entry=done.text))
    if not done.is_at_its_place:
        text = N_(
            "Somebody had removed the line that kept its place, so it stands behind the other lines now. If variables"
            " stood above it (PATH, MAILTO), look with crontab -e whether they still do."
        )
        show(_(text))
    return exit_code.DONE
