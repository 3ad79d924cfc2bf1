"""How `birkez adopt` tells of entries: for people and for programs."""

from __future__ import annotations

from trayapp.cli.answers import error_json, instant
from trayapp.cli.registering import started_line, tell_obstacles
from trayapp.cli.terminal import columns, paint, plain, say_many, show, warn
from trayapp.job.schedule_words import schedule_words
from trayapp.trigger.adopted import entry_text
from trayapp.wording.mark import NN_
from trayapp.wording.numbers import show_number
from trayapp.wording.speech import _, fill, ngettext_, say, sentence

TYPE_CHECKING = False
if TYPE_CHECKING:
    from trayapp.adoption.entry import Entry
    from trayapp.adoption.listing import Listing
    from trayapp.job.model import Job
    from trayapp.trigger.backend import Backend
    from trayapp.trigger.backend import Entry as SchedulerEntry

_LETTERS = 90  # of a command in a list


def tell_listing(listing: Listing) -> None:
    """Show what can be adopted, what stays and why, and what is the system's."""
    if listing.trouble is not None:
        warn(sentence(listing.trouble))
    can = [entry for entry in listing.entries if entry.refusal is None]
    stay = [entry for entry in listing.entries if entry.refusal is not None]
    if can:
        forms = NN_("{count:number} entry can be adopted:", "{count:number} entries can be adopted:")
        show(paint(say_many(forms, len(can)), "strong"))
        show(*columns([(entry.name, *_named(entry), times_words(entry), _cut(entry.command)) for entry in can]))
        for entry in can:
            for caution in entry.cautions:
                warn(f"{entry.name}: {sentence(caution)}")
        _warn_of_refused_lines(stay)
        show(_("To adopt one: birkez adopt ENTRY. To see first what it becomes: birkez adopt ENTRY --dry-run"))
    if stay:
        show(*([""] if can else []), paint(_("These stay as they are:"), "strong"))
        for entry in stay:
            assert entry.refusal is not None
            place = plain(entry.text) if _named(entry) else say("line {number}", number=entry.number)
            show(f"{place}: {_cut(entry.command if _named(entry) else entry.text)}", "    " + sentence(entry.refusal))
    if listing.system:
        show("", paint(_("Of the system, only shown:"), "strong"))
        rows = [(f"{entry.source}:{entry.number}", times_words(entry), _cut(entry.command)) for entry in listing.system]
        show(*columns(rows))
    if listing.adopted:
        show("", paint(_("Adopted before; birkez release JOB gives one back:"), "strong"))
        show(*columns([(record.job, _cut(entry_text(record))) for record in listing.adopted]))
    if not (listing.entries or listing.adopted or listing.trouble):
        show(_("This computer's scheduler starts nothing of yours beside Birkez's own jobs."))


def _warn_of_refused_lines(stay: list[Entry]) -> None:
    """Say that the program crontab takes no table back that holds a line which cron refuses."""
    numbers = [
        show_number(entry.number) for entry in stay if entry.refusal and entry.refusal.code == "adopt-invalid-line"
    ]
    if numbers:
        forms = NN_(
            "Mend line {numbers} first (crontab -e): as long as it stands, cron takes no changed table, and nothing"
            " can be adopted.",
            "Mend lines {numbers} first (crontab -e): as long as they stand, cron takes no changed table, and nothing"
            " can be adopted.",
        )
        warn(fill(ngettext_(*forms, len(numbers)), {"numbers": ", ".join(numbers)}))


def listing_json(listing: Listing) -> dict[str, object]:
    """Say the same to a program."""
    return {
        "scheduler": listing.scheduler,
        "entries": [_entry_json(entry) for entry in listing.entries],
        "system": [_entry_json(entry) for entry in listing.system],
        "adopted": [
            {"job": record.job, "at": instant(record.at), "entry": entry_text(record)} for record in listing.adopted
        ],
        "trouble": error_json(listing.trouble),
    }


def tell_plan(job: Job, text: str, entry: SchedulerEntry, scheduler: str) -> None:
    """Show the job that an entry would become."""
    show(say("It would become the job {job}, with this job file:", job=job.id), "", *text.splitlines(), "")
    show(say("The entry for {scheduler}:", scheduler=scheduler), *entry.text.splitlines())


def tell_adopted(backend: Backend, entry: Entry, job: Job) -> None:
    """Say what an entry has become, what is otherwise now, and the way back."""
    show(
        say("The job “{title}” was made of it: {job}.", title=job.title, job=job.id),
        started_line(backend, job),
        say("What it prints is kept (birkez history {job}), and no longer mailed by cron.", job=job.id)
        if backend.name == "crontab"
        else say("What it prints is kept: birkez history {job}", job=job.id),
    )
    for caution in entry.cautions:
        warn(sentence(caution))
    show(say("To have it as it was: birkez release {job}", job=job.id))
    tell_obstacles(backend)


def entry_words(entry: Entry) -> str:
    """Say what an entry is: a line as it stands, a task's path and its command."""
    return ": ".join((*_named(entry), entry.command)) if _named(entry) else entry.text


def times_words(entry: Entry) -> str:
    """Say when an entry starts, as far as that can be said in words."""
    if entry.schedule is not None:
        return schedule_words(entry.schedule)
    return _("at the computer's start") if entry.times.lower() == "@reboot" else entry.times


def _named(entry: Entry) -> tuple[str, ...]:
    """Path of a task; a line of a crontab has no name, and is all that it is."""
    return (plain(entry.text),) if entry.key else ()


def _entry_json(entry: Entry) -> dict[str, object]:
    return {
        "entry": entry.name or None,
        "source": entry.source,
        "number": entry.number,
        "text": entry.text,
        "times": entry.times or None,
        "schedule": times_words(entry) or None,
        "command": entry.command,
        "title": entry.title,
        "adoptable": entry.refusal is None,
        "reason": error_json(entry.refusal),
        "cautions": [error_json(caution) for caution in entry.cautions],
    }


def _cut(text: str) -> str:
    shown = plain(text)
    return shown if len(shown) <= _LETTERS else shown[: _LETTERS - 1] + "…"
