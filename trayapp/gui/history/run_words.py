"""A run in words: what came of it, who started it, which periods it took and how long that took."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

from trayapp.gui.state.words import clock_words, many, period_words
from trayapp.log.job_log import parse_line
from trayapp.value import NamedTuple
from trayapp.wording.instants import show_duration, show_instant
from trayapp.wording.mark import N_, NN_
from trayapp.wording.reasons import CUT_OFF, UNDECIDED, ending_words
from trayapp.wording.speech import _, say

if TYPE_CHECKING:
    from datetime import datetime

    from trayapp.gui.history.run_pages import RunRow
    from trayapp.gui.look.icons import Sign
    from trayapp.gui.look.theme import Tone
    from trayapp.gui.state.snapshot import Snapshot
    from trayapp.history.records import RunRecord, WindowRecord
    from trayapp.log.job_log import LogLine

STARTERS = {
    "schedule": ("by-schedule", N_("Scheduler")),
    "manual": ("by-hand", N_("By hand")),
    "boot": ("by-boot", N_("At boot")),
}
OUTCOMES: dict[str, tuple[Sign, str]] = {
    "done": ("free", N_("Done")),
    "skipped": ("skipped", N_("Skipped")),
    "failed": ("failed", N_("Failed")),
    "uncertain": ("uncertain", N_("Uncertain")),
    "running": ("running", N_("Under way")),
    "stopped": ("paused", N_("Stopped")),
}
_STATES: dict[str, tuple[Tone, str]] = {
    "done": ("ok", N_("done {at}")),
    "skipped": ("idle", N_("left out by a person {at}")),
    "passed": ("idle", N_("passed over {at}")),
    "started": ("warn", N_("began {at}, its end is not recorded")),
    "failed": ("bad", N_("failed {at}")),
    "uncertain": ("warn", N_("began {at}; whether it finished is not known")),
    "again": ("warn", N_("will be done again")),
    "superseded": ("idle", N_("opened again since")),
}


class Result(NamedTuple):
    """What came of a run: its sign, the tone of its words, and whether they want to be seen."""

    sign: Sign
    tone: Tone | None
    text: str


def result_of(row: RunRow, snapshot: Snapshot, now: datetime) -> Result:
    """Say what came of a run."""
    run = row.run
    if run.outcome == "running":
        return _unfinished(run, snapshot, now)
    if run.outcome == "done":
        forms = NN_("{count:number} period done", "{count:number} periods done")
        return Result("free", None, many(forms, run.windows))
    if run.outcome == "skipped" or run.reason == UNDECIDED:
        return Result("skipped", None, ending_words(run.outcome, run.reason))
    return _troubled(row)


def _troubled(row: RunRow) -> Result:
    run, line = row.run, trouble_of(row.mark.trouble)
    said = line.fields.get("ileti", "") if line is not None else ""
    text = ending_words(run.outcome, run.reason, said)
    if run.outcome == "failed":
        return Result("failed", "bad", text + _attempt(line))
    if run.outcome == "uncertain":
        return Result("uncertain", "warn", text)
    return Result("unknown", "warn", text) if run.reason == CUT_OFF else Result("paused", None, text)


def cell_words(row: RunRow, snapshot: Snapshot, now: datetime) -> tuple[str, ...]:
    """All that a row of the list says, column by column."""
    run = row.run
    job = snapshot.job(run.job)
    return (
        start_words(run, now),
        job.title if job is not None else run.job,
        _(STARTERS[run.trigger][1]) if run.trigger in STARTERS else "—",
        result_of(row, snapshot, now).text,
        span_words(row, now),
        duration_words(run, snapshot, now),
    )


def start_words(run: RunRecord, now: datetime) -> str:
    """When a run started, to the second: runs of one minute want to be told apart."""
    local = run.started_at.astimezone()
    words = show_instant(run.started_at, now=now)
    return words[:1].upper() + words[1:].replace(f"{local:%H:%M}", f"{local:%H:%M:%S}", 1)


def span_words(row: RunRow, now: datetime) -> str:
    """Periods that a run took, from the first to the last."""
    mark = row.mark
    if mark.start is None or mark.end is None:
        return "—"
    return period_words(mark.start, mark.end, now)


def duration_words(run: RunRecord, snapshot: Snapshot, now: datetime) -> str:
    """How long a run took, or takes till now."""
    if run.ended_at is not None:
        return show_duration((run.ended_at - run.started_at).total_seconds())
    return clock_words((now - run.started_at).total_seconds()) if is_alive(run, snapshot) else "—"


def is_alive(run: RunRecord, snapshot: Snapshot) -> bool:
    """Tell whether a run that has not ended holds its job's lock."""
    job = snapshot.job(run.job)
    if job is None or job.lock.state != "held":
        return False
    return job.lock.holder is None or job.lock.holder.run == run.run


def window_words(window: WindowRecord, now: datetime) -> tuple[Tone, str]:
    """How a period stands, as the last run that touched it left it."""
    tone, text = _STATES.get(window.state, ("idle", N_("recorded {at}")))
    words = say(text, at=show_instant(window.at, now=now, case="locative"))
    return tone, words


@lru_cache(maxsize=1024)
def trouble_of(text: str) -> LogLine | None:
    """Line of trouble, taken apart."""
    return parse_line(text) if text else None


def _unfinished(run: RunRecord, snapshot: Snapshot, now: datetime) -> Result:
    if is_alive(run, snapshot):
        elapsed = clock_words((now - run.started_at).total_seconds())
        return Result("running", "run", say("Running {elapsed}", elapsed=elapsed))
    return Result("unknown", "warn", _("Cut off: its end is not recorded"))


def _attempt(line: LogLine | None) -> str:
    """How often a period failed, where it was more than once."""
    attempt = line.fields.get("deneme", "") if line is not None else ""
    if not attempt.isdigit() or int(attempt) < 2:  # noqa: PLR2004  # the first is not counted aloud
        return ""
    return " " + say("(attempt {number})", number=int(attempt))
