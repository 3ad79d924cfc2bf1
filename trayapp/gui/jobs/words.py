"""What a job is, in words: what it does, with which data, how its entry is. For its page and the editor."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from trayapp.errors import BirkezError
from trayapp.gui.state.item_words import item_run_words
from trayapp.gui.state.words import many, status_words
from trayapp.job.fields import duration_s
from trayapp.job.model import CommandEffect, DownloadEffect, PythonEffect, SqlEffect
from trayapp.log.job_log import parse_line
from trayapp.trigger.findings import scheduler_words
from trayapp.trigger.here import backend_here
from trayapp.wording.instants import show_duration, show_near, show_window
from trayapp.wording.mark import N_, NN_
from trayapp.wording.reasons import ending_words
from trayapp.wording.speech import _, say

if TYPE_CHECKING:
    from datetime import datetime

    from trayapp.gui.jobs.one.reading import RunSeen
    from trayapp.gui.look.theme import Tone
    from trayapp.gui.state.snapshot import JobState
    from trayapp.history.records import RunRecord
    from trayapp.job.model import Job, WindowRule
    from trayapp.places import Places

_STEPS = {"1d": N_("periods of one day"), "1w": N_("periods of one week"), "1mo": N_("periods of one month")}
_CATCH_UP = {
    "all": N_("missed ones are done later"),
    "latest": N_("of missed ones the newest alone"),
    "none": N_("missed ones are passed over"),
}
_ENTRY: dict[str, tuple[str, Tone | None]] = {
    "installed": (N_("In place and switched on"), None),
    "well": (N_("In place and switched on"), None),
    "missing": (N_("Missing"), "warn"),
    "disabled": (N_("Switched off"), "warn"),
    "edited": (N_("Changed outside Birkez"), "warn"),
    "moved": (N_("Starts an older copy of Birkez"), "warn"),
    "stopped": (N_("In place, but the scheduler stands still"), "warn"),
    "not-sayable": (N_("This scheduler cannot say it"), "warn"),
    "unwanted": (N_("Left over, though none is wanted"), "warn"),
    "not-wanted": (N_("None is wanted"), None),
    "unknown": (N_("Not known"), "warn"),
}
OUTCOME_SIGNS = {
    "done": "state-free",
    "skipped": "state-skipped",
    "failed": "state-failed",
    "uncertain": "state-uncertain",
    "stopped": "state-skipped",
    "running": "state-running",
}
OUTCOME_TONES: dict[str, Tone] = {
    "done": "ok",
    "skipped": "idle",
    "failed": "bad",
    "uncertain": "warn",
    "stopped": "warn",
    "running": "run",
}


def short_status(state: JobState, now: datetime) -> str:
    """State of a job in so few words that the rest can stand beside it."""
    return _("The job file has a mistake") if state.kind == "broken" else status_words(state, now)


def what_words(job: Job) -> str:
    """What the job does: `SQL: summary.sql`."""
    effect = job.effect
    if isinstance(effect, SqlEffect):
        return f"SQL: {os.path.basename(effect.script)}"
    if isinstance(effect, PythonEffect):
        return f"Python: {os.path.basename(effect.file)}, {effect.function}()"
    if isinstance(effect, DownloadEffect):
        return say("Download: {url}", url=effect.url)
    if isinstance(effect, CommandEffect):
        return say("Program: {name}", name=effect.shell or " ".join(effect.argv))
    raise AssertionError


def database_words(job: Job) -> str:
    """Where it does it, or for how long at most."""
    effect = job.effect
    if isinstance(effect, SqlEffect | PythonEffect) and effect.database:
        return os.path.basename(effect.database)
    if isinstance(effect, CommandEffect) and job.items is None:
        twice = N_("may be repeated") if effect.repeatable else N_("never twice without you")
        return _(twice)
    return ""


def step_words(step: str) -> str:
    """How long the periods are."""
    seconds = duration_s(step)
    if seconds is None or step in _STEPS:
        return _(_STEPS.get(step, step))
    return say("periods of {length}", length=show_duration(seconds))


def catch_up_words(rule: WindowRule) -> str:
    """What becomes of missed periods."""
    return _(_CATCH_UP[rule.catch_up])


def entry_words(state: JobState) -> tuple[str, str, Tone | None]:
    """How the scheduler's entry is, what that means, and the tone to say it in."""
    trigger = state.trigger
    job = state.file.job
    if trigger is None:
        none_wanted = job is not None and (job.schedule is None or not job.enabled)
        return (
            (_("None is wanted"), _("it is started by hand"), None) if none_wanted else (_("Not looked at"), "", None)
        )
    text, tone = _ENTRY.get(trigger.state, _ENTRY["unknown"])
    return _(text), trigger.message if tone else "", tone


def scheduler_name(places: Places) -> str:
    """Name of this computer's scheduler; empty where none is used."""
    try:
        backend = backend_here(places)
    except BirkezError:
        return ""
    return scheduler_words(backend.name) if backend is not None else ""


def run_words(seen: RunSeen, now: datetime) -> str:
    """What became of a run, for a row of a list."""
    run, mark = seen.run, seen.mark
    of_list = item_run_words(run)
    if of_list:
        return of_list
    if run.outcome == "done":
        forms = NN_("{count:number} period done", "{count:number} periods done")
        words = many(forms, run.windows)
        if mark and mark.start and mark.end and run.windows == 1:
            words += ": " + show_window(mark.start, mark.end, now=now).removeprefix(_("today") + " ")
        return words
    line = parse_line(mark.trouble) if mark is not None and mark.trouble else None
    return ending_words(run.outcome, run.reason, line.fields.get("ileti", "") if line is not None else "")


def run_time(run: RunRecord, now: datetime) -> str:
    """When a run began, for a row of a list."""
    return show_near(run.started_at, now)


def run_length(run: RunRecord) -> str:
    """How long a run took."""
    return show_duration((run.ended_at - run.started_at).total_seconds()) if run.ended_at else ""
