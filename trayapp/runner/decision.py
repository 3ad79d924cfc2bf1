"""What a run would do now: one function for the run itself, `--dry-run` and the preview.

It reads no clock, no file and no database: the same facts give the same decision, so a
preview cannot disagree with the run.
"""

from __future__ import annotations

from datetime import timedelta

from trayapp.errors import StateError, UsageError
from trayapp.job.model import CommandEffect
from trayapp.ledger.ledger import FAILED, SETTLED, STARTED, UNCERTAIN, Standing, window_key
from trayapp.value import NamedTuple
from trayapp.window.catch_up import Offer, Recorded, closed_windows_after, is_own_fire, select
from trayapp.window.grid import Window, grid_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from datetime import datetime

    from trayapp.job.model import Job
    from trayapp.window.grid import Grid

_WATERMARK_AHEAD_AT_MOST = timedelta(minutes=5)  # two clocks may differ by so much
_CLOCK_JUMP_AT_MOST = timedelta(days=400)


class Wish(NamedTuple):
    """What the runner was started for. *trigger*: `manual`, `schedule` or `boot`."""

    job: str
    trigger: str = "manual"
    window: datetime | None = None
    max_windows: int | None = None


class Decision(NamedTuple):
    """What a run does: take these windows in order, settle those as passed over.

    `covered` is the settled or running row that a window asked for by hand met;
    `blocked_by` the uncertain window that ends the run after `take`; `waiting` counts
    closed windows left for later; `next_at` is when the next window can be taken.
    """

    take: tuple[Offer, ...] = ()
    passed: tuple[Window, ...] = ()
    waiting: int = 0
    blocked_by: Recorded | None = None
    covered: Recorded | None = None
    next_at: datetime | None = None


def decide(job: Job, standing: Standing, wish: Wish, now: datetime) -> Decision:
    """Decide what a run of *job* does at *now*.

    Raises: UsageError when the window asked for cannot be taken, with the reason.
    """
    grid = grid_of(job.window.step, job.window.timezone)
    recorded = [Recorded(row.start, row.end, _state_of(row.state, job), row.key) for row in standing.rows]
    horizon = now - timedelta(seconds=job.window.lateness_s)
    if wish.window is not None:
        return _decide_asked(grid, standing, recorded, wish.window, horizon, job)
    return _decide_all(job, grid, standing, recorded, wish, now, horizon)


def check_clock(standing: Standing, now: datetime, job_id: str) -> None:
    """Stop a job whose clock cannot be right.

    Raises: StateError `clock-behind` (the watermark lies in the future: windows of the
    future must never be committed empty) or `clock-jumped`.
    """
    if standing.watermark > now + _WATERMARK_AHEAD_AT_MOST:
        raise StateError("clock-behind", job=job_id, watermark=standing.watermark, now=now)
    last = standing.last_commit_at
    if last is not None and not standing.is_new and now > last + _CLOCK_JUMP_AT_MOST:
        raise StateError("clock-jumped", job=job_id, last=last, now=now)


def key_of(offer: Offer, job_id: str) -> str:
    """Key of a window to take: its row's where there is one, so that a retry bears the same."""
    return offer.recorded.key if offer.recorded else window_key(job_id, offer.window.start)


def orphan_state(job: Job) -> str:
    """What a window is that was started by a process that died: uncertain, unless it may be repeated."""
    return FAILED if isinstance(job.effect, CommandEffect) and job.effect.repeatable else UNCERTAIN


def _state_of(state: str, job: Job) -> str:
    return orphan_state(job) if state == STARTED else state


def _decide_all(
    job: Job, grid: Grid, standing: Standing, recorded: list[Recorded], wish: Wish, now: datetime, horizon: datetime
) -> Decision:
    rule = job.window
    limit = rule.max_per_run if wish.max_windows is None else min(wish.max_windows, rule.max_per_run)
    selection = select(
        rule.catch_up,
        offers=closed_windows_after(standing.watermark, horizon, grid, recorded),
        limit=limit,
        by_hand=wish.trigger == "manual",
        own_fire=lambda window: _is_own_fire(job, window, now),
    )
    take, blocked_by, behind = _until_uncertain(selection.take)
    return Decision(
        take=take,
        passed=selection.passed,
        waiting=selection.waiting + behind,
        blocked_by=blocked_by,
        next_at=_next_at(job, grid, standing, recorded, horizon),
    )


def _until_uncertain(offers: tuple[Offer, ...]) -> tuple[tuple[Offer, ...], Recorded | None, int]:
    for index, offer in enumerate(offers):
        if offer.recorded is not None and offer.recorded.state == UNCERTAIN:
            return offers[:index], offer.recorded, len(offers) - index
    return offers, None, 0


def _decide_asked(
    grid: Grid, standing: Standing, recorded: list[Recorded], start: datetime, horizon: datetime, job: Job
) -> Decision:
    for row in recorded:
        if row.start <= start < row.end:
            if row.start == start and row.state not in SETTLED:
                return _decide_recorded(row, horizon, job)
            return Decision(covered=row)
    if start < standing.origin:
        raise UsageError("window-before-start", window=start, start=standing.origin)
    if not grid.is_line(start) and start != standing.watermark:
        before, after = grid.line_at_or_before(start), grid.line_after(start)
        raise UsageError("window-off-grid", window=start, before=before, after=after)
    following = min((row.start for row in recorded if row.start > start), default=None)
    end = grid.line_after(start)
    window = Window(start, end if following is None else min(end, following))
    if window.end > horizon:
        raise UsageError("window-not-closed", window=start, at=window.end + _lateness(job))
    if start < standing.watermark:
        return Decision(covered=Recorded(window.start, window.end, "done", window_key(job.id, start)))
    return Decision(take=(Offer(window, None),))


def _decide_recorded(row: Recorded, horizon: datetime, job: Job) -> Decision:
    if row.end > horizon:
        raise UsageError("window-not-closed", window=row.start, at=row.end + _lateness(job))
    if row.state == UNCERTAIN:
        return Decision(blocked_by=row)
    return Decision(take=(Offer(Window(row.start, row.end), row),))


def _next_at(job: Job, grid: Grid, standing: Standing, recorded: list[Recorded], horizon: datetime) -> datetime:
    """When the next window, of those still open, can be taken: its end plus the lateness."""
    start = max([standing.watermark, horizon, *(row.end for row in recorded if row.state in SETTLED)])
    return grid.line_after(start) + _lateness(job)


def _is_own_fire(job: Job, window: Window, now: datetime) -> bool | None:
    from trayapp.job.schedule import first_fire_from  # noqa: PLC0415  # only `catch_up = "none"` asks

    schedule = job.schedule
    assert schedule is not None  # the job file is refused without
    return is_own_fire(window, _lateness(job), now, lambda at: first_fire_from(schedule, at))


def _lateness(job: Job) -> timedelta:
    return timedelta(seconds=job.window.lateness_s)
