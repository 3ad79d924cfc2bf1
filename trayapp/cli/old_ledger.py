"""What a job of the same name has left behind, and the person's decision about it.

An id that was used before has a ledger: going on there repeats nothing, forgetting may
repeat much. Neither is passed over in silence: the person decides, at the terminal or by
an option.
"""

from __future__ import annotations

import os

from trayapp.cli.answers import near
from trayapp.cli.terminal import ask, can_ask, say_many, show
from trayapp.errors import BirkezError, UsageError
from trayapp.job import shelf
from trayapp.job.model import CommandEffect, Job, propose_id
from trayapp.ledger.ledger import DONE
from trayapp.ledger.seen import check_mark, forget_mark
from trayapp.ledger.sqlite import open_sqlite_ledger
from trayapp.runner.opening import ledger_path
from trayapp.value import NamedTuple
from trayapp.wording.mark import NN_
from trayapp.wording.speech import _, say

TYPE_CHECKING = False
if TYPE_CHECKING:
    from datetime import datetime

    from trayapp.ledger.sqlite import SqliteLedger
    from trayapp.places import Places

FORGET, GO_ON = "forget", "go on"
PATIENCE_S = 5.0  # for a look into a database that others keep busy; a person waits for the answer
_ROWS_AT_ONCE = 1_000


class Left(NamedTuple):
    """What the ledger knows of a name: up to where it is done, and how many done periods the new job would meet."""

    watermark: datetime
    done_count: int


class Choice(NamedTuple):
    """What the options say: `what` is `FORGET`, `GO_ON` or None; `option` names another name in this command."""

    what: str | None
    is_sure: bool
    option: str


def look_for_left(places: Places, job: Job) -> Left | None:
    """What a job of this id has left in the ledger; None when the ledger does not know it.

    A ledger that cannot be looked into knows nothing here: the job is added, and told of it.
    """
    path = ledger_path(places, job)
    if job.items is not None or not os.path.exists(path):
        return None  # of items the targets themselves tell what is done
    try:
        ledger = open_sqlite_ledger(path, wait_s=PATIENCE_S)
    except BirkezError:
        return None
    try:
        standing = ledger.standing(job.id, job.window.start)
        return None if standing.is_new else Left(standing.watermark, _done_count(ledger, job))
    except BirkezError:
        return None
    finally:
        ledger.close()


def decide_about_left(places: Places, job: Job, left: Left, choice: Choice) -> str:
    """Return `FORGET` or `GO_ON`, as the options say or the person answers.

    Raises: UsageError `job-known-to-ledger` or `forget-unconfirmed` where nobody can be
    asked, or the answer is no.
    """
    what = choice.what or _ask(places, job, left, choice.option)
    if what == FORGET and left.done_count and not choice.is_sure:
        _confirm_forgetting(job, left.done_count)
    return what


def forget_seen(places: Places, job: Job) -> None:
    """Forget which ledger a removed job of this id saw last, so that the new one is not measured by it.

    Not of a command where that ledger is missing or another: that the command has run before is all we know then.
    """
    if isinstance(job.effect, CommandEffect) and not _is_the_seen_one(places, job):
        return
    forget_mark(places, job.id)


def _is_the_seen_one(places: Places, job: Job) -> bool:
    path = ledger_path(places, job)
    if not os.path.exists(path):
        return False
    try:
        ledger = open_sqlite_ledger(path, wait_s=PATIENCE_S)
        try:
            check_mark(places, job.id, path, ledger.mark)
        finally:
            ledger.close()
    except BirkezError:
        return False
    return True


def _done_count(ledger: SqliteLedger, job: Job) -> int:
    """Count done periods from the new job's start on: those that forgetting could repeat."""
    count = seq = 0
    while rows := ledger.changed_since(job.id, seq, _ROWS_AT_ONCE):
        count += sum(row.state == DONE and row.start >= job.window.start for row in rows)
        seq = rows[-1].seq
    return count


def _ask(places: Places, job: Job, left: Left, option: str) -> str:
    path = ledger_path(places, job)
    if can_ask():
        show(
            say(
                # Translators: {at} comes with its Turkish ending, to which "kadar" fits: 12:00'ye
                "A job named “{job}” has worked in {path} before and is done up to {at} there.",
                job=job.id,
                path=path,
                at=near(left.watermark, "dative"),
            )
        )
        if ask(_("Go on from there?")):
            return GO_ON
        if ask(_("Forget what it did and begin anew? Periods may then be done a second time.")):
            return FORGET
    proposal = propose_id(job.id, {*shelf.job_ids(places), job.id})
    facts = {"job": job.id, "path": path, "watermark": left.watermark, "proposal": proposal, "option": option}
    raise UsageError("job-known-to-ledger", **facts)


def _confirm_forgetting(job: Job, count: int) -> None:
    if can_ask():
        forms = NN_(
            "Forgetting what “{job}” did lets {count:number} period that is done be done a second time.",
            "Forgetting what “{job}” did lets {count:number} periods that are done be done a second time.",
        )
        show(say_many(forms, count, job=job.id))
        if ask(_("Forget it?")):
            return
    raise UsageError("forget-unconfirmed", job=job.id, count=count)
