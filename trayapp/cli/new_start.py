"""Where a job begins that comes from elsewhere, and when it starts where its file does not say.

An imported job brings no record of what it did on another computer. Its `start` may lie
years back, and to begin there again would send each mail once more: the person decides.
"""

from __future__ import annotations

import tomllib
from datetime import timedelta
from itertools import islice

from trayapp import clock
from trayapp.cli.terminal import ask, can_ask, say_many, show
from trayapp.errors import UsageError
from trayapp.job.file import set_values
from trayapp.job.schedule import Every
from trayapp.window.catch_up import closed_windows_after
from trayapp.window.grid import grid_of
from trayapp.wording.instants import show_instant
from trayapp.wording.mark import NN_
from trayapp.wording.speech import _

TYPE_CHECKING = False
if TYPE_CHECKING:
    from trayapp.job.model import Job

FROM_START, FROM_NOW = "start", "now"
_COUNTED = 10_000  # of more it is enough to know that they are many
_MINUTE = 60  # seconds


def begin_here(text: str, job: Job, begin: str | None) -> str:
    """Text of an imported *job* that no ledger here knows, with the `start` that the person chose.

    Nothing is asked where at most one period has closed since.

    Raises: UsageError `job-import-start` where nobody can be asked.
    """
    count = closed_count(job)
    if count <= 1 or begin == FROM_START:
        return text
    if begin is None and not _ask_from_now(job, count):
        return text
    now = grid_of(job.window.step, job.window.timezone).line_at_or_before(clock.now())
    return set_values(text, {("window", "start"): now})


def with_offset(text: str, job: Job) -> str:
    """*text* of a new job with the `offset` that it leaves out: its lateness, so that a start meets a closed period."""
    schedule = job.schedule
    if not isinstance(schedule, Every) or job.items is not None or "offset" in tomllib.loads(text)["schedule"]:
        return text
    minutes = -(-job.window.lateness_s // _MINUTE) % schedule.minutes
    return set_values(text, {("schedule", "offset"): f"{minutes}m"}) if minutes else text


def closed_count(job: Job) -> int:
    """How many periods have closed since the start of *job*, which works through no items if any; at most 10,000."""
    if job.items is not None:
        return 0
    grid = grid_of(job.window.step, job.window.timezone)
    horizon = clock.now() - timedelta(seconds=job.window.lateness_s)
    return sum(1 for _ in islice(closed_windows_after(job.window.start, horizon, grid, ()), _COUNTED))


def _ask_from_now(job: Job, count: int) -> bool:
    if not can_ask():
        raise UsageError("job-import-start", job=job.id, count=count, start=job.window.start)
    forms = NN_(
        "This computer has no record of what the job “{title}” did. Since its start, {start}, {count:number} period "
        "has closed.",
        "This computer has no record of what the job “{title}” did. Since its start, {start}, {count:number} periods "
        "have closed.",
    )
    show(say_many(forms, count, title=job.title, start=show_instant(job.window.start)))
    return not ask(_("Shall they all be done here (yes), or does the job begin now (no)?"))
