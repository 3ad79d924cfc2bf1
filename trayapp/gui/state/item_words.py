"""A job's list in words: how far its workers are, how it stands, what a run of it came to or would do."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trayapp.wording.instants import show_duration, show_near
from trayapp.wording.mark import NN_
from trayapp.wording.numbers import show_number, show_percent
from trayapp.wording.speech import _, fill, ngettext_, say

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime
    from typing import Any

    from trayapp.fan_out.progress import Progress
    from trayapp.gui.state.snapshot import ItemCounts
    from trayapp.history.records import RunRecord

_MINUTES_FROM_S = 100  # an estimate need not tell seconds
NOTHING_WAITS = "bekleyen dosya yok"  # the log's word for a list that is through


def share_of(progress: Progress) -> float:
    """How much of the list is settled, from 0 to 1."""
    return min(1.0, (progress.done + progress.failed) / progress.total) if progress.total else 1.0


def percent_words(progress: Progress) -> str:
    """Write how much of the list is settled; all of it only when nothing is left."""
    share = share_of(progress)
    return show_percent(100 if share >= 1 else min(99, int(share * 100)))


def progress_words(progress: Progress) -> str:
    """How far the workers are, in so few words that a row has room: `34%: 3,412 of 10,000, about 3 min left`."""
    facts = {"percent": percent_words(progress), "done": progress.done, "total": progress.total}
    left = _left(progress)
    if not left:
        return say("{percent}: {done:number} of {total:number}", **facts)
    return say("{percent}: {done:number} of {total:number}, about {left} left", **facts, left=left)


def pace_words(progress: Progress) -> str:
    """How quick they are, how long it will take, and how many work on it."""
    parts = []
    left = _left(progress)
    if left:
        rate = show_number(round(progress.rate, 1 if progress.rate < 10 else 0))  # noqa: PLR2004  # one digit behind the point
        parts = [say("{rate} a second", rate=rate), say("about {left} left", left=left)]
    if progress.workers:
        parts.append(_many(NN_("{count:number} worker", "{count:number} workers"), progress.workers))
    return " · ".join(parts)


def counts_words(counts: ItemCounts) -> str:
    """How the list stands: `9,998 of 10,000 done, 2 failed`."""
    parts = [say("{done:number} of {total:number} done", done=counts.done, total=counts.total)]
    if counts.failed:
        parts.append(failed_words(counts.failed))
    if counts.waiting:
        parts.append(say("{count:number} waiting", count=counts.waiting))
    if counts.refused:
        forms = NN_("{count:number} line cannot be used", "{count:number} lines cannot be used")
        parts.append(_many(forms, counts.refused))
    return ", ".join(parts)


def failed_words(count: int) -> str:
    """How many of the list failed."""
    return say("{count:number} failed", count=count)


def lost_words(counts: ItemCounts) -> str:
    """What a job whose last run failed is to be looked at for; empty where the list is whole."""
    lost = counts.failed + counts.refused
    return cannot_words(lost) if lost else ""


def cannot_words(count: int) -> str:
    """How many files are missing for good."""
    return _many(NN_("{count:number} file could not be made", "{count:number} files could not be made"), count)


def last_items_words(run: RunRecord, now: datetime) -> str:
    """What became of the newest run, where it made files or found that all are there; else empty."""
    at = show_near(run.started_at, now, "locative")
    if run.outcome == "done":
        # Translators: {at} comes with its Turkish ending: 13:05'te
        forms = NN_("{count:number} file made at {at}", "{count:number} files made at {at}")
        return _many(forms, run.new_count or 0, at=at)
    # Translators: {at} comes with its Turkish ending: 13:05'te
    return say("All files were there at {at}", at=at) if run.reason == NOTHING_WAITS else ""


def item_run_words(run: RunRecord) -> str:
    """What became of a run, for a row of a list; empty where that is none about files."""
    if run.reason == NOTHING_WAITS:
        return _("nothing to do: all files are there")
    if run.outcome != "done" or run.windows or run.new_count is None:
        return ""
    return _many(NN_("{count:number} file made", "{count:number} files made"), run.new_count)


def made_words(items: Mapping[str, Any]) -> str:
    """What a run that was started here made."""
    forms = NN_("{count:number} file was made", "{count:number} files were made")
    return _many(forms, int(items["made"]))


def rest_words(items: Mapping[str, Any]) -> str:
    """What of the list is missing after that run."""
    waiting = int(items["waiting"])
    if not waiting:
        return _("All of the list is there now.")
    forms = NN_("{count:number} more waits; the next run goes on.", "{count:number} more wait; the next run goes on.")
    return _many(forms, waiting)


def item_preview_line(told: Mapping[str, Any]) -> str:
    """What a run would do now, by what `run --dry-run --json` tells of a list."""
    waiting, failed = int(told["waiting"]), int(told["failed"])
    if waiting:
        forms = NN_("If pressed, {count:number} file is made.", "If pressed, {count:number} files are made.")
        return _many(forms, waiting)
    if failed:
        return _("If pressed, nothing is done: what is missing has failed and has to be allowed another try.")
    return _("If pressed, nothing is done: all files are there.")


def _left(progress: Progress) -> str:
    if progress.left_s is None or not progress.rate:
        return ""
    left_s = max(1, round(progress.left_s))
    return show_duration(left_s if left_s < _MINUTES_FROM_S else round(left_s / 60) * 60)


def _many(forms: tuple[str, str], count: int, **facts: object) -> str:
    return fill(ngettext_(*forms, count), {"count": count, **facts})
