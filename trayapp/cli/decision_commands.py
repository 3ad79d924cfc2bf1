"""What a person decides about a job: `resolve`, `skip`, `reopen`, `watermark` and `ledger accept`.

Each needs a reason, which stays in the log and, where a period is concerned, in the ledger.
"""

from __future__ import annotations

import argparse

from trayapp import exit_code
from trayapp.cli.arguments import Parser, add_command, add_job, add_reason, known_job, moment
from trayapp.cli.terminal import ask, can_ask, say_many, show
from trayapp.errors import UsageError
from trayapp.places import find_places
from trayapp.runner import by_hand
from trayapp.wording.instants import show_instant, show_window
from trayapp.wording.mark import NN_
from trayapp.wording.speech import _, say

TYPE_CHECKING = False
if TYPE_CHECKING:
    from datetime import datetime

    from trayapp.cli.arguments import Subparsers
    from trayapp.places import Places


def add_parsers(commands: Subparsers) -> None:
    """Offer the five commands."""
    resolve = add_command(commands, "resolve", _("Decide about an uncertain period."), _handle_resolve)
    add_job(resolve)
    _add_period(resolve)
    answer = resolve.add_mutually_exclusive_group(required=True)
    answer.add_argument("--done", action="store_true", help=_("its work was done: count it as done"))
    answer.add_argument(
        "--again", action="store_true", help=_("its work was not done: run it again, with the same key")
    )
    add_reason(resolve)
    skip = add_command(commands, "skip", _("Leave a period out, so that later ones go on."), _handle_skip)
    add_job(skip)
    _add_period(skip)
    add_reason(skip)
    reopen = add_command(commands, "reopen", _("Have a settled period done once more."), _handle_reopen)
    add_job(reopen)
    _add_period(reopen)
    add_reason(reopen)
    reopen.add_argument("--yes", action="store_true", help=_("do not ask"))
    watermark = add_command(commands, "watermark", _("Change up to where a job is done."), _handle_watermark)
    add_job(watermark)
    watermark.add_argument(
        "--set",
        dest="at",
        required=True,
        type=moment,
        metavar=_("TIME"),
        help=_("done up to then: 2026-09-04T10:00:00Z"),
    )
    add_reason(watermark)
    ledger = commands.add_parser("ledger", help=_("Accept a ledger that was restored or replaced."))
    inner = ledger.add_subparsers(title=_("commands"), metavar=_("COMMAND"), required=True, parser_class=Parser)
    accept = add_command(inner, "accept", _("Go on with the ledger as it stands now."), _handle_accept)
    add_job(accept)
    add_reason(accept)


def _add_period(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "period", metavar=_("PERIOD"), help=_("where the period begins: 2026-09-04T10:00:00Z; or its key")
    )


def _key_of(places: Places, job_id: str, period: str) -> str:
    """Key that *period* names: itself, or that of the period which begins then."""
    if period.startswith(f"{job_id}:"):
        return period
    return by_hand.key_at(places, job_id, _start_of(job_id, period))


def _start_of(job_id: str, period: str) -> datetime:
    """Instant at which *period*, a key or an instant, begins.

    Raises: UsageError `no-period`.
    """
    try:
        return moment(period.removeprefix(f"{job_id}:").partition("#")[0])
    except argparse.ArgumentTypeError as error:
        raise UsageError("no-period", given=period, reason=str(error), job=job_id) from None


def _places_of(job_id: str) -> Places:
    places = find_places()
    known_job(places, job_id)
    places.make_folders()
    return places


def _handle_resolve(words: argparse.Namespace) -> int:
    places = _places_of(words.job)
    key = _key_of(places, words.job, words.period)
    by_hand.resolve(places, words.job, key, done=words.done, reason=words.reason)
    if words.done:
        show(say("The period with the key {key} counts as done.", key=key))
    else:
        show(say("The period with the key {key} runs again, with the same key.", key=key))
    _tell_next(words.job)
    return exit_code.DONE


def _handle_skip(words: argparse.Namespace) -> int:
    window = by_hand.skip(_places_of(words.job), words.job, _start_of(words.job, words.period), words.reason)
    show(say("The period {period} is left out; later ones go on.", period=show_window(window.start, window.end)))
    _tell_next(words.job)
    return exit_code.DONE


def _handle_reopen(words: argparse.Namespace) -> int:
    places = _places_of(words.job)
    key = _key_of(places, words.job, words.period)
    if not words.yes:
        _confirm_reopening(places, words.job, key)
    reopened = by_hand.reopen(places, words.job, key, words.reason)
    forms = NN_(
        "{count:number} period was reopened; the next run takes it first. Record keys released: {released:number}.",
        "{count:number} periods were reopened; the next run takes them first. Record keys released: {released:number}.",
    )
    show(say_many(forms, len(reopened.windows), released=reopened.released))
    _tell_next(words.job)
    return exit_code.DONE


def _confirm_reopening(places: Places, job_id: str, key: str) -> None:
    """Tell how many record keys would be released, and ask.

    Raises: UsageError `reopen-unconfirmed` where nobody can be asked, or the answer is no.
    """
    count = by_hand.claimed_count(places, job_id, key)
    if can_ask():
        show(say("Reopened, the period {key} is done once more as a whole, beside what it did before.", key=key))
        if count:
            forms = NN_(
                "{count:number} record key of it is released: that record is processed once more.",
                "{count:number} record keys of it are released: those records are processed once more.",
            )
            show(say_many(forms, count))
        if ask(_("Reopen it?")):
            return
    raise UsageError("reopen-unconfirmed", key=key, count=count)


def _handle_watermark(words: argparse.Namespace) -> int:
    moved = by_hand.set_watermark(_places_of(words.job), words.job, words.at, words.reason)
    show(
        say(
            "Done up to: {after} (before: {before}).",
            after=show_instant(moved.after),
            before=show_instant(moved.before),
        )
    )
    if moved.after > words.at:
        show(say("What follows {at} is settled already, so it counts too.", at=show_instant(words.at)))
    if moved.skipped:
        forms = NN_(
            "{count:number} stretch that was not done yet was left out.",
            "{count:number} stretches that were not done yet were left out.",
        )
        show(say_many(forms, moved.skipped))
    if moved.after < moved.before and moved.settled_again:
        forms = NN_(
            "{count:number} period after it is settled already and stays so; only birkez reopen repeats it.",
            "{count:number} periods after it are settled already and stay so; only birkez reopen repeats them.",
        )
        show(say_many(forms, moved.settled_again))
    _tell_next(words.job)
    return exit_code.DONE


def _handle_accept(words: argparse.Namespace) -> int:
    by_hand.accept_ledger(_places_of(words.job), words.job, words.reason)
    show(say("The ledger of the job {job} is accepted as it stands.", job=words.job))
    _tell_next(words.job)
    return exit_code.DONE


def _tell_next(job_id: str) -> None:
    show(say("To see what a run would do: birkez run {job} --dry-run", job=job_id))
