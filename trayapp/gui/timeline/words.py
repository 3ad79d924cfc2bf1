"""What the timeline says about a period, a run or a column of periods: on the card, and to screen readers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QLocale

from trayapp import clock
from trayapp.gui.history.run_words import STARTERS
from trayapp.gui.state.words import many
from trayapp.gui.timeline.strip.blocks import KINDS, Kind
from trayapp.value import NamedTuple
from trayapp.wording.instants import show_duration, show_instant, show_near, show_window
from trayapp.wording.mark import N_, NN_
from trayapp.wording.reasons import ending_words
from trayapp.wording.speech import _, say

if TYPE_CHECKING:
    from datetime import datetime

    from trayapp.gui.state.snapshot import JobState
    from trayapp.gui.timeline.strip.reading import Mark, Period

KIND_WORDS: dict[Kind, str] = {
    "done": N_("done in time"),
    "late": N_("done later (catch-up)"),
    "waiting": N_("waiting"),
    "uncertain": N_("uncertain"),
    "failed": N_("failed"),
    "passed": N_("passed over"),
    "open": N_("not closed yet"),
    "running": N_("running"),
}
_RECORDED = N_("Recorded {at}.")
_COUNTED: dict[Kind, tuple[str, str]] = {
    "done": NN_("{count:number} in time", "{count:number} in time"),
    "late": NN_("{count:number} later (catch-up)", "{count:number} later (catch-up)"),
    "waiting": NN_("{count:number} waiting", "{count:number} waiting"),
    "uncertain": NN_("{count:number} uncertain", "{count:number} uncertain"),
    "failed": NN_("{count:number} failed", "{count:number} failed"),
    "passed": NN_("{count:number} passed over", "{count:number} passed over"),
    "open": NN_("{count:number} not closed yet", "{count:number} not closed yet"),
    "running": NN_("{count:number} running", "{count:number} running"),
}


class Card(NamedTuple):
    """Words of the card: when, how it stands, and what belongs to it."""

    title: str
    kind: Kind
    state: str
    lines: tuple[str, ...]
    run: str = ""
    key: str = ""

    @property
    def spoken(self) -> str:
        """All in one line."""
        return ". ".join((f"{self.title}: {self.state}", *self.lines))


def period_card(period: Period, job: JobState, now: datetime) -> Card:
    """Say what a period is, how it stands and by which run."""
    start, end = clock.from_epoch(period.start_s), clock.from_epoch(period.end_s)
    title = with_weekday(start, show_window(start, end, now=now))
    if period.counts is not None:
        counted = [many(_COUNTED[kind], period.counts[kind]) for kind in KINDS if kind in period.counts]
        return Card(title, period.kind, ", ".join(counted), (_("Zoom in to see each period."),))
    state = _(KIND_WORDS[period.kind])
    state = state[:1].upper() + state[1:]
    window = period.window
    if window is None:
        return Card(title, period.kind, state, tuple(_open_lines(period, job, end, now)))
    lines = [_how(period.kind, show_near(window.at, now, "locative"))]
    if window.attempt > 1:
        lines.append(many(NN_("Tried {count} times", "Tried {count} times"), window.attempt))
    facts = [say("Run {name}", name=window.run) if window.run else ""]
    facts.append(_(STARTERS[window.trigger][1]) if window.trigger in STARTERS else "")
    facts.append(show_duration(window.duration_ms / 1000) if window.duration_ms is not None else "")
    lines.append(" · ".join(fact for fact in facts if fact))
    lines.append(_(_AFTERWARDS.get(period.kind, "")))
    return Card(title, period.kind, state, tuple(line for line in lines if line), window.run, window.key)


def run_card(mark: Mark, now: datetime) -> Card:
    """Say what a run is and what came of it."""
    run = mark.run
    kinds: dict[str, Kind] = {"failed": "failed", "uncertain": "uncertain", "running": "running", "skipped": "passed"}
    title = with_weekday(run.started_at, show_instant(run.started_at, now=now))
    starter = _(STARTERS[run.trigger][1]) if run.trigger in STARTERS else ""
    lines = [starter]
    if run.windows:
        lines.append(many(NN_("{count:number} period done", "{count:number} periods done"), run.windows))
    if run.ended_at is not None:
        lines.append(show_duration((run.ended_at - run.started_at).total_seconds()))
    state = ending_words(run.outcome, run.reason)
    facts = (" · ".join(line for line in lines if line), say("Run {name}", name=run.run))
    return Card(title, kinds.get(run.outcome, "done"), state, facts, run.run)


def with_weekday(at: datetime, words: str) -> str:
    """Put the weekday in front: people remember it better than the date."""
    day = QLocale().dayName(at.astimezone().isoweekday())
    return f"{day}, {words}" if words[:1].isdigit() else f"{words[:1].upper()}{words[1:]}"


def block_words(period: Period, job: JobState, now: datetime) -> str:
    """Words that stand in a problem's block where it is wide enough."""
    if period.kind == "failed":
        times = period.window.attempt if period.window is not None else 1
        said = job.failure or _("failed")
        words = say("× failed: {reason}", reason=said) if job.failure else "× " + said
        forms = NN_("({count} times)", "({count} times)")
        return f"{words} {many(forms, times)}" if times > 1 else words
    if period.kind == "uncertain":
        return "? " + _("whether it finished is not known")
    if job.late_since is not None:
        return say("waiting: did not start {at}", at=show_near(job.late_since, now, "locative"))
    return _("waiting")


def short_words(kind: Kind) -> str:
    """The same in one word, for a narrower block."""
    signs: dict[Kind, str] = {"failed": "× ", "uncertain": "? "}
    return signs.get(kind, "") + _(KIND_WORDS[kind])


def gap_words(jobs: list[JobState]) -> str:
    """Name the jobs in which periods pile up; empty when there is none."""
    behind = [job for job in jobs if job.waiting > 1]
    if not behind:
        return ""
    named = ", ".join(f"{job.title} ({job.waiting})" for job in behind)
    forms = NN_(
        "Periods have piled up in {count:number} job: {jobs}.",
        "Periods have piled up in {count:number} jobs: {jobs}.",
    )
    return many(forms, len(behind), jobs=named)


_AFTERWARDS: dict[Kind, str] = {
    "done": N_("A further run skips it: it is recorded."),
    "late": N_("A further run skips it: it is recorded."),
    "passed": N_("No run takes it; it can be opened again in the history."),
    "uncertain": N_("It waits for your decision; nothing is done twice till then."),
    "failed": N_("The next run tries it again."),
}


def _how(kind: Kind, at: str) -> str:
    texts: dict[Kind, str] = {
        "done": N_("Processed {at}."),
        "late": N_("It was not processed at its own time, but later: {at}."),
        "passed": N_("It was settled {at} without being processed."),
        "uncertain": N_("It began {at}; whether it finished is not known."),
        "failed": N_("It failed {at}."),
        "waiting": N_("It was opened again {at}."),
    }
    return say(texts.get(kind, _RECORDED), at=at)


def _open_lines(period: Period, job: JobState, end: datetime, now: datetime) -> list[str]:
    if period.kind == "open":
        return [say("It is over {at}; a run can take it then.", at=show_near(end, now, "locative"))]
    lines = [_("It is over, and no run has taken it yet.")]
    if job.uncertain is not None:
        lines.append(_("An uncertain period before it waits for your decision."))
    elif job.next_at is not None:
        lines.append(say("The next start takes it: {at}.", at=show_near(job.next_at, now)))
    return lines
