"""What one job's strip shows between two instants: its periods by how they stand, and a mark for each run.

Blocks: for a reader's thread. Instants are seconds since 1970, since they become pixels.
"""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING

from trayapp import clock
from trayapp.gui.timeline.strip.blocks import KIND_OF_STATE, KINDS, Kind
from trayapp.history.query import RunFilter
from trayapp.job.schedule import Every, first_fire_from, follows_clock
from trayapp.value import NamedTuple
from trayapp.window.grid import grid_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from datetime import datetime

    from trayapp.history.query import HistoryReader
    from trayapp.history.records import RunRecord, WindowRecord
    from trayapp.job.model import Job

NARROWEST = 3  # pixels of a period; below, several share a column and the worst is seen
_MOST_CUT = 20_000  # periods that are cut from the grid for one strip
_MOMENT = timedelta(microseconds=1)


class Period(NamedTuple):
    """A period on the strip, or with `counts` a column of several: then `kind` is the worst of them."""

    start_s: float
    end_s: float
    kind: Kind
    window: WindowRecord | None = None
    counts: Mapping[Kind, int] | None = None


class Mark(NamedTuple):
    """A run on the strip."""

    at_s: float
    run: RunRecord


class Wish(NamedTuple):
    """What is to be read: a job between two instants, where a pixel is so many seconds.

    `done_up_to` is its watermark, None where nobody knows it: nothing is said to wait then.
    """

    job: Job
    since: datetime
    until: datetime
    second_per_px: float
    now: datetime
    done_up_to: datetime | None = None


class Strip(NamedTuple):
    """What was read for a wish. `is_coarse`: its periods are columns of several."""

    wish: Wish
    periods: list[Period]
    marks: list[Mark]
    is_coarse: bool


def read_strip(reader: HistoryReader, wish: Wish) -> Strip:
    """Read what *wish* asks for."""
    rows = reader.in_one_moment(lambda: _read(reader, wish))
    windows, runs = rows
    is_coarse = step_s_of(wish.job) / wish.second_per_px < NARROWEST
    late = _Lateness(wish.job)
    periods = [period for window in windows for period in _periods_of(window, wish.job, late, is_whole=is_coarse)]
    periods += _open_periods(wish, windows)
    periods.sort()
    if is_coarse:
        periods = columns_of(periods, NARROWEST * wish.second_per_px)
    marks = [Mark(run.started_at.timestamp(), run) for run in reversed(runs)]
    return Strip(wish, periods, marks, is_coarse)


def step_s_of(job: Job) -> float:
    """About how long one period of the job is; of one without periods a day."""
    step = job.rule.step if job.rule is not None else "1d"
    units = {"mo": 30 * 86400.0, "w": 7 * 86400.0, "d": 86400.0, "h": 3600.0, "m": 60.0}
    unit = next(unit for unit in units if step.endswith(unit))
    return int(step.removesuffix(unit)) * units[unit]


def columns_of(periods: list[Period], width_s: float) -> list[Period]:
    """Put periods that share a column of *width_s* into one, in which the worst is seen."""
    found: dict[int, dict[Kind, int]] = {}
    for period in periods:
        first, last = int(period.start_s // width_s), int((period.end_s - 1e-6) // width_s)
        for place in range(first, max(first, last) + 1):  # a long one fills all its columns
            counts = found.setdefault(place, {})
            counts[period.kind] = counts.get(period.kind, 0) + 1
    return [
        Period(place * width_s, (place + 1) * width_s, min(counts, key=KINDS.index), None, counts)
        for place, counts in sorted(found.items())
    ]


def _read(reader: HistoryReader, wish: Wish) -> tuple[list[WindowRecord], list[RunRecord]]:
    job = wish.job.id
    windows = [window for window in reader.windows_of_job(job, wish.since, wish.until) if window.state != "superseded"]
    wanted = RunFilter(jobs=(job,), since=wish.since, until=wish.until)
    count = sum(stretch.run_count for stretch in reader.stretches(wanted) or ())
    room = int((wish.until - wish.since).total_seconds() / wish.second_per_px / 2)
    if count > room:  # denser than marks can be told apart: only those that want to be seen
        wanted = wanted._replace(outcomes=("failed", "uncertain", "stopped"))
    return windows, reader.runs(wanted, count=max(room, 1)).runs


def _periods_of(window: WindowRecord, job: Job, late: _Lateness, *, is_whole: bool) -> Iterator[Period]:
    kind = KIND_OF_STATE.get(window.state, "passed")
    if kind == "done" and late.is_late(window):
        kind = "late"
    start_s, end_s = window.start.timestamp(), window.end.timestamp()
    rule = job.rule
    if kind != "passed" or is_whole or rule is None or end_s - start_s <= step_s_of(job) * 1.1:
        yield Period(start_s, end_s, kind, window)
        return
    grid = grid_of(rule.step, rule.timezone)  # a range that was settled at once is shown as the periods it is made of
    at = window.start
    for _count in range(_MOST_CUT):
        line = min(grid.line_after(at), window.end)
        yield Period(at.timestamp(), line.timestamp(), kind, window)
        at = line
        if at >= window.end:
            return


def _open_periods(wish: Wish, windows: list[WindowRecord]) -> Iterator[Period]:
    """Periods that nobody has taken: closed ones wait, the one that is not over is open."""
    rule = wish.job.rule
    if rule is None or wish.done_up_to is None:
        return
    taken = {window.start for window in windows}
    ahead = [(window.start, window.end) for window in windows if window.end > wish.done_up_to]
    grid = grid_of(rule.step, rule.timezone)
    at = max(wish.done_up_to, grid.line_at_or_before(wish.since)) if wish.done_up_to < wish.since else wish.done_up_to
    horizon = wish.now - timedelta(seconds=rule.lateness_s)
    for _count in range(_MOST_CUT):
        if at > wish.now or at >= wish.until:
            return
        line = grid.line_after(at)
        if not any(start <= at < end for start, end in ahead) and at not in taken:
            yield Period(at.timestamp(), line.timestamp(), "waiting" if line <= horizon else "open")
        at = line


class _Lateness:
    """Tells whether a period was done later than by the fire that was its own."""

    def __init__(self, job: Job) -> None:
        self._schedule = job.schedule
        self._lateness = timedelta(seconds=job.rule.lateness_s if job.rule is not None else 0)
        # Fires that are this far apart make most answers cheap: it cannot have been late before.
        evenly = isinstance(job.schedule, Every) and follows_clock(job.schedule)
        self._apart = timedelta(minutes=job.schedule.minutes if evenly else 0)  # type: ignore[union-attr]  # as just seen

    def is_late(self, window: WindowRecord) -> bool:
        if self._schedule is None:
            return False
        closed = window.end + self._lateness
        began = window.at - timedelta(milliseconds=window.duration_ms or 0)
        if began < closed + self._apart:
            return False
        own = first_fire_from(self._schedule, closed)
        following = first_fire_from(self._schedule, own + _MOMENT) if own is not None else None
        return following is not None and began >= following


def instant_of(at_s: float) -> datetime:
    """Instant of so many seconds since 1970."""
    return clock.from_epoch(at_s)
