"""The state of jobs in words: what the panel, the list, the tray and the menu say."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trayapp.gui.look.icons import SIGN_TONES
from trayapp.gui.state.item_words import last_items_words, lost_words, percent_words, progress_words
from trayapp.wording.instants import show_date, show_near, show_time, show_window
from trayapp.wording.mark import N_, NN_
from trayapp.wording.speech import _, fill, ngettext_, say, sentence

if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import datetime

    from trayapp.gui.look.icons import Sign, TrayState
    from trayapp.gui.look.theme import Tone
    from trayapp.gui.state.snapshot import JobState, Kind, Snapshot
    from trayapp.history.records import RunRecord
    from trayapp.lock.holder import Holder

_A_WEEK = 7
_MOST_IN_TIP = 2  # lists at work; a tooltip is cut off by the desktop
_WEEKDAYS = (N_("Mon"), N_("Tue"), N_("Wed"), N_("Thu"), N_("Fri"), N_("Sat"), N_("Sun"))
STARTERS = {"manual": N_("by hand"), "schedule": N_("scheduler"), "boot": N_("at boot")}
SIGNS: dict[Kind, Sign] = {
    "broken": "failed",
    "failed": "failed",
    "uncertain": "uncertain",
    "trigger": "trigger",
    "late": "late",
    "running": "running",
    "unknown": "unknown",
    "paused": "paused",
    "disabled": "paused",
    "well": "free",
}
_TRAY: dict[Kind, TrayState] = {
    "broken": "failed",
    "failed": "failed",
    "uncertain": "needs-you",
    "trigger": "needs-you",
    "late": "needs-you",
    "running": "running",
}
_COUNTED: dict[Kind, tuple[str, str]] = {
    "broken": NN_("{count:number} job file with a mistake", "{count:number} job files with mistakes"),
    "failed": NN_("{count:number} failed", "{count:number} failed"),
    "uncertain": NN_("{count:number} uncertain", "{count:number} uncertain"),
    "trigger": NN_("{count:number} entry missing", "{count:number} entries missing"),
    "late": NN_("{count:number} late", "{count:number} late"),
    "running": NN_("{count:number} running", "{count:number} running"),
}
_RAN = N_("Ran at {at}")
_ENTRY_TROUBLE = N_("The scheduler's entry has a problem")
_TRIGGERS = {
    "missing": N_("The scheduler's entry is missing"),
    "stopped": N_("The scheduler itself stands still"),
    "not-sayable": N_("The scheduler cannot say its schedule"),
    "disabled": N_("The scheduler's entry is switched off"),
    "edited": N_("The scheduler's entry was changed outside Birkez"),
    "moved": N_("The scheduler's entry starts a program that has moved"),
}


def tone_of(job: JobState) -> Tone:
    """Tone of a job's state."""
    return SIGN_TONES[SIGNS[job.kind]]


def tray_state(snapshot: Snapshot) -> TrayState:
    """Which of the four icons: the worst wins."""
    return _TRAY.get(snapshot.worst, "well")


def status_words(job: JobState, now: datetime) -> str:
    """State of a job in one line: what is, and since when."""
    return _STATUS[job.kind](job, now)


def next_words(job: JobState, now: datetime) -> str:
    """When the job's schedule starts it next, as short as it can be said: `13:05`, `Mon 18:00`, `04.10.2026`."""
    is_started = job.trigger is None or job.trigger.state not in ("missing", "disabled", "stopped", "not-sayable")
    return short_words(job.next_at, now) if job.next_at is not None and is_started else "—"


def short_words(at: datetime, now: datetime) -> str:
    """Write an instant as a list has room for."""
    day, today = at.astimezone().date(), now.astimezone().date()
    distance = (day - today).days
    if -1 <= distance <= 1:
        return show_near(at, now) if distance else show_time(at)
    if 1 < distance < _A_WEEK:
        return f"{_(_WEEKDAYS[day.weekday()])} {show_time(at)}"
    return show_date(at)


def headline(snapshot: Snapshot) -> str:
    """State of everything in a few words: what the panel is headed by."""
    if snapshot.trouble is not None:
        return _("The jobs cannot be read")
    if not snapshot.is_read:
        return _("Reading…")
    if not snapshot.jobs:
        return _("No jobs yet")
    if snapshot.needing:
        return many(NN_("{count:number} job needs you", "{count:number} jobs need you"), snapshot.needing)
    if snapshot.worst == "running":
        return many(
            NN_("{count:number} job is running", "{count:number} jobs are running"), snapshot.counts.get("running", 0)
        )
    return _("All is well")


def counts_line(snapshot: Snapshot) -> str:
    """What the headline is made of: `1 failed · 1 uncertain`, or what comes next when all is well."""
    if snapshot.trouble is not None:
        return sentence(snapshot.trouble)
    counts = snapshot.counts
    found = [many(forms, counts[kind]) for kind, forms in _COUNTED.items() if kind in counts]
    if found and snapshot.needing:
        return " · ".join(found)
    following = next_line(snapshot)
    if not snapshot.jobs:
        return _("Birkez does scheduled jobs once, even if they start twice.") if snapshot.is_read else ""
    return following or (many(NN_("{count:number} job", "{count:number} jobs"), len(snapshot.jobs)))


def next_line(snapshot: Snapshot) -> str:
    """Which job starts next, and when; empty when none will."""
    job = min((job for job in snapshot.jobs if job.next_at), key=lambda job: job.next_at or snapshot.at, default=None)
    if job is None or job.next_at is None:
        return ""
    return say("Next: {at} {title}", at=show_near(job.next_at, snapshot.at), title=job.title)


def tooltip(snapshot: Snapshot) -> str:
    """What the tray says where the pointer rests on it."""
    if snapshot.trouble is not None or not snapshot.jobs:
        return say("Birkez: {state}", state=headline(snapshot))
    parts = [headline(snapshot)]
    if snapshot.needing:
        parts = [counts_line(snapshot)]
    parts += [
        say("{title}: {percent}", title=job.title, percent=percent_words(job.progress))
        for job in snapshot.jobs
        if job.progress is not None
    ][:_MOST_IN_TIP]
    following = next_line(snapshot)
    if following:
        parts.append(following)
    return say("Birkez: {state}", state=". ".join(parts))


def holder_words(holder: Holder | None, now: datetime) -> str:
    """Since when a job runs, who started it, as which process."""
    if holder is None:
        return _("Running, pid unknown")
    return say(
        "Running {elapsed} · {by} · pid {pid}",
        elapsed=clock_words((now - holder.since).total_seconds()),
        by=_(STARTERS.get(holder.trigger, holder.trigger)),
        pid=holder.pid,
    )


def clock_words(seconds: float) -> str:
    """Elapsed time as a clock shows it: 00:16:03."""
    whole = max(0, int(seconds))
    return f"{whole // 3600:02}:{whole // 60 % 60:02}:{whole % 60:02}"


def many(forms: tuple[str, str], count: int, **facts: object) -> str:
    """Say the one of two marked forms that fits *count*."""
    return fill(ngettext_(*forms, count), {"count": count, **facts})


def period_words(start: datetime, end: datetime, now: datetime) -> str:
    """Write a period; one of today without its day."""
    words = show_window(start, end, now=now)
    day, _blank, times = words.partition(" ")
    return times if times and " " not in times and day == _("today") else words


def last_words(run: RunRecord | None, now: datetime) -> str:
    """What became of the newest run."""
    if run is None:
        return _("Has not run yet")
    at = show_near(run.started_at, now, "locative")
    if run.outcome == "done":
        return many(
            NN_("{count:number} period done at {at}", "{count:number} periods done at {at}"), run.windows, at=at
        )
    texts = {
        "skipped": N_("Nothing to do at {at}"),
        "stopped": N_("The run was stopped at {at}"),
        "failed": N_("Failed at {at}"),
        "uncertain": N_("Stopped by an uncertain period at {at}"),
        "running": N_("The run was cut off at {at}"),
    }
    return say(texts.get(run.outcome, _RAN), at=at)


def _broken(job: JobState, _now: datetime) -> str:
    return sentence(job.file.error) if job.file.error else ""


def _failed(job: JobState, now: datetime) -> str:
    found = job.survey
    reason = (found.problem if found else "") or job.failure
    if found is not None and found.items is not None and not found.problem:
        reason = lost_words(found.items) or reason
    count = max(job.streak, *(row.attempt for row in job.unsettled if row.state == "failed"), 0)
    if count > 1:
        forms = NN_("Failed {count} times in a row", "Failed {count} times in a row")
        return f"{many(forms, count)}: {reason}" if reason else many(forms, count)
    return say("Failed: {reason}", reason=reason) if reason else last_words(job.last, now)


def _uncertain(job: JobState, now: datetime) -> str:
    row = job.uncertain
    if row is None:
        return _("A period is uncertain and waits for your decision")
    return say("{period}: done or not, nobody knows", period=period_words(row.start, row.end, now))


def _trigger(job: JobState, _now: datetime) -> str:
    trigger = job.trigger
    return _(_TRIGGERS.get(trigger.state, _ENTRY_TROUBLE)) if trigger else ""


def _late(job: JobState, now: datetime) -> str:
    if job.late_since is None:
        return quiet_words(job, now)
    return say("Should have started at {at}", at=show_near(job.late_since, now, "locative"))


def quiet_words(job: JobState, now: datetime) -> str:
    """Say since when a job has had no success, and that one of its runs is at work, if so."""
    assert job.quiet is not None
    # Translators: {since} comes with its Turkish ending: 12:05'ten
    text = N_("No success since {since}")
    words = (
        say(text, since=show_near(job.quiet.since, now, "ablative"))
        if job.quiet.has_succeeded
        else _("No success since it was set up")
    )
    return f"{words} · {_running(job, now)}" if job.lock.state == "held" else words


def _running(job: JobState, now: datetime) -> str:
    if job.progress is not None:
        return progress_words(job.progress)
    if job.lock.state != "held":
        return _("Its run has ended, the command that it started is still at work")
    return holder_words(job.lock.holder, now)


def _unknown(_job: JobState, _now: datetime) -> str:
    return _("Whether it is running cannot be seen here")


def _paused(job: JobState, now: datetime) -> str:
    if job.pause is None or job.pause.until is None:
        return _("Paused until you resume it")
    return say("Paused until {until}", until=show_near(job.pause.until, now, "dative"))


def _disabled(_job: JobState, _now: datetime) -> str:
    return _("Switched off: no scheduler starts it")


def _well(job: JobState, now: datetime) -> str:
    if job.has_items and job.last is not None:
        words = last_items_words(job.last, now)
        if words:
            return words
    return last_words(job.last, now)


_STATUS: dict[Kind, Callable[[JobState, datetime], str]] = {
    "broken": _broken,
    "failed": _failed,
    "uncertain": _uncertain,
    "trigger": _trigger,
    "late": _late,
    "running": _running,
    "unknown": _unknown,
    "paused": _paused,
    "disabled": _disabled,
    "well": _well,
}
