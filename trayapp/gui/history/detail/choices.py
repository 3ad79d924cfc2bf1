"""What a person may decide about one period, each with its consequences, and the commands that do it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from trayapp import clock
from trayapp.gui.state.words import many
from trayapp.history.records import WindowRecord
from trayapp.job.model import CommandEffect
from trayapp.value import NamedTuple
from trayapp.wording.mark import N_, NN_
from trayapp.wording.speech import _

if TYPE_CHECKING:
    from trayapp.gui.state.snapshot import JobState, Unsettled

    Asked = WindowRecord | Unsettled

Wish = Literal["decide", "again", "skip"]
_SETTLED = ("done", "skipped", "passed")
_OPEN = ("failed", "again", "started", "uncertain")
_REASON = "--reason"


class Choice(NamedTuple):
    """One way to decide. `words` is the command without its reason; `runs` starts a run of the period afterwards."""

    title: str
    text: str
    words: tuple[str, ...]
    answer: str
    runs: bool = False

    def command(self, reason: str) -> list[str]:
        """Words of the `birkez` command that records the decision."""
        return [*self.words, _REASON, reason]


class Question(NamedTuple):
    """What a person is asked: a title, what is the matter, and the ways to decide."""

    title: str
    text: str
    choices: tuple[Choice, ...]
    hint: str


def wishes_for(window: WindowRecord | None) -> tuple[Wish, ...]:
    """What may be decided about a period, the most likely first."""
    if window is None:
        return ()
    if window.state == "uncertain":
        return ("decide", "skip")
    if window.state in _OPEN:
        return ("skip",)
    return ("again",) if window.state in _SETTLED else ()


def can_run(window: WindowRecord | None) -> bool:
    """Tell whether a run of the period is harmless and may have something to do: it is not settled."""
    return window is not None and window.state in ("failed", "again", "started")


def question_for(wish: Wish, window: Asked, job: str, state: JobState | None, period: str) -> Question:
    """What is asked for that wish about the period, in the spoken language."""
    makers = {"decide": _decide, "again": _again, "skip": _skip}
    return makers[wish](window, job, state, period)


def _decide(window: Asked, job: str, state: JobState | None, period: str) -> Question:
    resolve = ("resolve", job, window.key)
    more = (state.waiting if state is not None else 0) or 0
    forms = NN_(
        "This period is not run again. {count:number} more waits and goes on.",
        "This period is not run again. {count:number} more wait and go on.",
    )
    stays = many(forms, more) if more else _("This period is not run again; later ones go on.")
    return Question(
        _("{period}: was its work done?").format(period=period),
        _(
            "It began, and nobody recorded how it ended. Birkez cannot know whether its work was done, and does "
            "nothing a second time without asking you. Look first where its work shows: sent mails, the bank's page, "
            "the files it writes."
        ),
        (
            Choice(
                _("It was done: count it as done"),
                stays,
                (*resolve, "--done"),
                _("It counts as done."),
            ),
            Choice(
                _("It was not done: run it again"),
                _(
                    "It is run from its beginning, with the same key. If a part had been done after all, "
                    "that part happens twice."
                ),
                (*resolve, "--again"),
                _("It runs again, with the same key."),
                runs=True,
            ),
        ),
        _("How do you know? Example: the portal shows 42 invoices"),
    )


def _again(window: Asked, job: str, state: JobState | None, period: str) -> Question:
    reopen = ("reopen", job, window.key, "--yes")
    is_command = state is None or state.file.job is None or isinstance(state.file.job.effect, CommandEffect)
    risk = (
        _("The command does its work a second time for this period: what it sends is sent once more.")
        if is_command
        else _("It is done beside what it did before: a script that adds up would count twice, one that replaces not.")
    )
    count = window.new_count if isinstance(window, WindowRecord) else None
    if count and not is_command:
        forms = NN_(
            "{count:number} record that it took counts as new again.",
            "{count:number} records that it took count as new again.",
        )
        risk = f"{risk} {many(forms, count)}"
    return Question(
        _("{period} is settled. Have it done once more?").format(period=period),
        risk,
        (
            Choice(
                _("Run this period again now"),
                _("It is opened again under a new key, and a run takes it at once."),
                reopen,
                _("It was opened again."),
                runs=True,
            ),
            Choice(
                _("Only open it again"),
                _("The next run takes it first, whenever that starts."),
                reopen,
                _("It was opened again; the next run takes it first."),
            ),
        ),
        _("Why once more? Example: the price list was wrong"),
    )


def _skip(window: Asked, job: str, state: JobState | None, period: str) -> Question:
    del state
    return Question(
        _("Leave out {period}?").format(period=period),
        _("What it has not done stays undone. It can be opened again later."),
        (
            Choice(
                _("Leave this period out"),
                _("No run takes it any more; later periods go on."),
                ("skip", job, clock.format_instant(window.start)),
                _("It is left out; later periods go on."),
            ),
        ),
        _("Why is it left out? Example: the shop was closed"),
    )


BUTTONS: dict[Wish, tuple[str, str]] = {
    "decide": (N_("Decide…"), "state-uncertain"),
    "again": (N_("Run this period again…"), "refresh"),
    "skip": (N_("Leave it out…"), "state-skipped"),
}
