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
    recorded = tuple(Recorded(row.start, row.end, _state_of(row.state, job), row.key) for row in standing.rows)
    horizon = now - timedelta(seconds=job.window.lateness_s)
    grid = grid_of(job.window.step, job.window.timezone)
    facts = _Facts(job, grid, standing.watermark, standing.origin, recorded, now, horizon)
    return _decide_all(facts, wish) if wish.window is None else _decide_asked(facts, wish.window)


def check_clock(standing: Standing, now: datetime, job_id: str) -> None:
    """Stop a job whose clock cannot be right.

    Raises: StateError `clock-behind` (the watermark lies in the future: windows of the
    future must never be committed empty) or `clock-jumped`.
    """
    if standing.is_new:
        return  # a job may begin next month, or take its first look at an old ledger
    if standing.watermark > now + _WATERMARK_AHEAD_AT_MOST:
        raise StateError("clock-behind", job=job_id, watermark=standing.watermark, now=now)
    last = standing.last_commit_at
    if last is not None and now > last + _CLOCK_JUMP_AT_MOST:
        raise StateError("clock-jumped", job=job_id, last=last, now=now)


def settled_until(standing: Standing) -> datetime:
    """Up to where all is settled: the watermark, or beyond it after a person has set it back."""
    until = standing.watermark
    for row in standing.rows:  # ascending by their starts
        if row.state not in SETTLED or row.start > until:
            break
        until = max(until, row.end)
    return until


def key_of(offer: Offer, job_id: str) -> str:
    """Key of a window to take: its row's where there is one, so that a retry bears the same."""
    return offer.recorded.key if offer.recorded else window_key(job_id, offer.window.start)


def orphan_state(job: Job) -> str:
    """What a window is that was started by a process that died: uncertain, unless it may be repeated."""
    return FAILED if isinstance(job.effect, CommandEffect) and job.effect.repeatable else UNCERTAIN


def _state_of(state: str, job: Job) -> str:
    return orphan_state(job) if state == STARTED else state


class _Facts(NamedTuple):
    job: Job
    grid: Grid
    watermark: datetime
    origin: datetime
    recorded: tuple[Recorded, ...]
    now: datetime
    horizon: datetime  # a window that ends later is not closed yet


def _decide_all(facts: _Facts, wish: Wish) -> Decision:
    rule = facts.job.window
    limit = rule.max_per_run if wish.max_windows is None else min(wish.max_windows, rule.max_per_run)
    selection = select(
        rule.catch_up,
        offers=closed_windows_after(facts.watermark, facts.horizon, facts.grid, facts.recorded),
        limit=limit,
        by_hand=wish.trigger == "manual",
        own_fire=lambda window: _is_own_fire(facts, window),
    )
    take, blocked_by, behind = _until_uncertain(selection.take)
    waiting = selection.waiting + behind
    return Decision(take, selection.passed, waiting, blocked_by, next_at=_next_at(facts))


def _until_uncertain(offers: tuple[Offer, ...]) -> tuple[tuple[Offer, ...], Recorded | None, int]:
    for index, offer in enumerate(offers):
        if offer.recorded is not None and offer.recorded.state == UNCERTAIN:
            return offers[:index], offer.recorded, len(offers) - index
    return offers, None, 0


def _decide_asked(facts: _Facts, start: datetime) -> Decision:
    for row in facts.recorded:
        if row.start <= start < row.end:
            if row.start == start and row.state not in SETTLED:
                return _decide_recorded(facts, row)
            if row.start == start or facts.grid.is_line(start):
                return Decision(covered=row)
    if start < facts.origin:
        raise UsageError("window-before-start", window=start, start=facts.origin)
    if not facts.grid.is_line(start) and start != facts.watermark:
        before, after = facts.grid.line_at_or_before(start), facts.grid.line_after(start)
        raise UsageError("window-off-grid", window=start, before=before, after=after)
    following = min((row.start for row in facts.recorded if row.start > start), default=None)
    end = facts.grid.line_after(start)
    window = Window(start, end if following is None else min(end, following))
    _check_closed(facts, window)
    return Decision(take=(Offer(window, None),))


def _decide_recorded(facts: _Facts, row: Recorded) -> Decision:
    window = Window(row.start, row.end)
    _check_closed(facts, window)
    return Decision(blocked_by=row) if row.state == UNCERTAIN else Decision(take=(Offer(window, row),))


def _check_closed(facts: _Facts, window: Window) -> None:
    if window.end > facts.horizon:
        raise UsageError("window-not-closed", window=window.start, at=window.end + _lateness(facts.job))


def _next_at(facts: _Facts) -> datetime:
    """When the next window, of those still open, can be taken: its end plus the lateness."""
    settled_until = (row.end for row in facts.recorded if row.state in SETTLED)
    return facts.grid.line_after(max(facts.watermark, facts.horizon, *settled_until)) + _lateness(facts.job)


def _is_own_fire(facts: _Facts, window: Window) -> bool | None:
    from trayapp.job.schedule import first_fire_from  # noqa: PLC0415  # only `catch_up = "none"` asks

    schedule = facts.job.schedule
    assert schedule is not None  # the job file is refused without
    return is_own_fire(window, _lateness(facts.job), facts.now, lambda at: first_fire_from(schedule, at))


def _lateness(job: Job) -> timedelta:
    return timedelta(seconds=job.window.lateness_s)
