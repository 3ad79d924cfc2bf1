"""What a first job may be, each with the answers that are right for most offices."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING

from trayapp import clock
from trayapp.errors import BirkezError
from trayapp.gui.jobs.editor.draft import CALENDAR_STEPS, Draft
from trayapp.gui.jobs.editor.form.form import system_zone
from trayapp.job.fields import duration_s
from trayapp.value import NamedTuple
from trayapp.window.grid import grid_of
from trayapp.wording.mark import N_
from trayapp.wording.speech import _

if TYPE_CHECKING:
    from datetime import datetime

SQL, SCRIPT, ADOPT, LIST, SAMPLE = "sql", "script", "adopt", "list", "sample"
_TINY = timedelta(microseconds=1)


class Template(NamedTuple):
    """A kind of first job; *title* and *note* are marked."""

    name: str
    title: str
    note: str
    proposal: str = ""


TEMPLATES = (
    Template(
        SQL,
        N_("A summary in a database, every hour"),
        N_("An SQL script adds up the hours that are over. No hour is counted twice."),
        N_("Hourly sales summary"),
    ),
    Template(
        SCRIPT,
        N_("A script or program, every night"),
        N_("A backup, a transfer, mails. It is never started twice for the same day unless you allow it."),
        N_("Nightly script"),
    ),
    Template(
        ADOPT,
        N_("Something that this computer starts already"),
        N_("A line of the crontab or a task of Windows becomes a job, at the same times. You can give it back."),
    ),
    Template(
        LIST,
        N_("Downloads from a list"),
        N_("Each entry of a text or CSV file is fetched from its address. Each file whole, and once."),
        N_("Document download"),
    ),
    Template(
        SAMPLE,
        N_("Only try it: the sample job"),
        N_("It has a small database of its own, takes a few seconds and can be deleted. Nothing is registered."),
    ),
)


def draft_of_template(name: str) -> Draft:
    """Form as that template begins."""
    draft = Draft(timezone=system_zone())
    draft.title = next((_(one.proposal) for one in TEMPLATES if one.name == name and one.proposal), "")
    if name == SCRIPT:
        draft.kind, draft.timing, draft.step, draft.timeout, draft.lateness = "command", "daily", "1d", "60", "0"
    elif name == LIST:
        draft.works, draft.kind, draft.timing, draft.times = "list", "download", "daily", "02:30"
    if draft.works == "periods":
        draft.start = start_of_last(draft, 1)
    return draft


def start_of_last(draft: Draft, count: int) -> datetime | None:
    """Begin of the last *count* periods that are over, late records allowed for; None where that cannot be said."""
    late = draft.lateness.strip()
    late_s = duration_s(f"{late}m" if late.isdecimal() else late)
    if late_s is None:
        return None
    try:
        grid = grid_of(draft.step, draft.timezone.strip() if draft.step in CALENDAR_STEPS else None)
        start = grid.line_at_or_before(clock.now() - timedelta(seconds=late_s))
        for _number in range(count):
            start = grid.line_at_or_before(start - _TINY)
    except (BirkezError, ValueError, OverflowError):
        return None
    return start
