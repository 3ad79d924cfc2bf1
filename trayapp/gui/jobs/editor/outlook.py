"""What would become of a job: its next starts and the periods each would take, what Run now would do, its entry.

By the functions that the runner itself uses. Blocks, since a long catch-up is counted
through: for a reader's thread.
"""

from __future__ import annotations

from datetime import datetime, timedelta
from itertools import chain, islice
from typing import TYPE_CHECKING

from trayapp import clock
from trayapp.errors import BirkezError
from trayapp.job.schedule import first_fire_from, next_fires
from trayapp.trigger.here import backend_here
from trayapp.value import NamedTuple
from trayapp.window.catch_up import Recorded, closed_windows_after, is_own_fire, select
from trayapp.window.grid import Window, grid_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trayapp.job.model import Job, WindowRule
    from trayapp.places import Places
    from trayapp.window.catch_up import Offer, Selection
    from trayapp.window.grid import Grid

_STARTS = 4
_MOST_OFFERS = 200_000  # more is said as that many and more
_DELAYS = 120  # closings that are looked at for the worst delay
_SEASON = timedelta(days=8)  # of which every weekday is one
_HALF_A_YEAR = timedelta(days=182)


class Standing(NamedTuple):
    """Up to where a job is done, and its periods that are begun and not settled; of a new one its start."""

    done_up_to: datetime
    recorded: tuple[Recorded, ...] = ()


class Start(NamedTuple):
    """One start, and what it does."""

    at: datetime
    take: tuple[Window, ...]
    passed: tuple[Window, ...]
    waiting: int


class Outlook(NamedTuple):
    """All that an editor shows of a job that it could become.

    `by_hand` is what a press on Run now does at `now`; `following` is the first period that
    is still open then, and when it can be taken. `delays` are the longest waits from a
    period's end to the start that takes it, now and in the other half of the year.
    """

    job: Job
    now: datetime
    starts: tuple[Start, ...]
    by_hand: Start
    following: Window
    takeable_at: datetime
    delays: tuple[timedelta, ...]
    scheduler: str = ""
    entry: str = ""
    refusal: BirkezError | None = None


class ListOutlook(NamedTuple):
    """All that an editor shows of a job with a list, but for the list itself: its next starts and its entry."""

    job: Job
    now: datetime
    fires: tuple[datetime, ...]
    scheduler: str = ""
    entry: str = ""
    refusal: BirkezError | None = None


def look_at_list_ahead(places: Places, job: Job) -> ListOutlook:
    """What would become of *job*, which has a list, if it were saved now."""
    now = clock.now()
    fires = tuple(next_fires(job.schedule, now, _STARTS)) if job.schedule else ()
    return ListOutlook(job, now, fires, *_entry_of(places, job))


def look_ahead(places: Places, job: Job, standing: Standing | None = None) -> Outlook:
    """What would become of *job* if it were saved now.

    Raises: BirkezError where the time zone is not known here.
    """
    rule, now = job.window, clock.now()
    grid = grid_of(rule.step, rule.timezone)
    known = standing or Standing(rule.start)
    following = _following(rule, grid, known, now)
    outlook = Outlook(
        job,
        now,
        tuple(_starts(job, grid, known, now)),
        _start(job, grid, known, now, by_hand=True),
        following,
        following.end + timedelta(seconds=rule.lateness_s),
        _delays(job, grid, now),
    )
    scheduler, entry, refusal = _entry_of(places, job)
    return outlook._replace(scheduler=scheduler, entry=entry, refusal=refusal)


def _entry_of(places: Places, job: Job) -> tuple[str, str, BirkezError | None]:
    """Name of the scheduler, its entry for *job* as it is, and why there can be none."""
    scheduler = ""
    try:
        backend = backend_here(places)
        if backend is None or job.schedule is None:
            return "", "", None
        scheduler = backend.name
        return scheduler, backend.entry_for(job).text, None
    except BirkezError as error:
        return scheduler, "", error


def _starts(job: Job, grid: Grid, known: Standing, now: datetime) -> Iterator[Start]:
    for at in next_fires(job.schedule, now, _STARTS) if job.schedule else ():
        start = _start(job, grid, known, at, by_hand=False)
        yield start
        settled = [*start.take, *start.passed]
        if settled:
            rows = (Recorded(window.start, window.end, "done", "") for window in settled)
            known = _settle(known, rows)


def _start(job: Job, grid: Grid, known: Standing, at: datetime, *, by_hand: bool) -> Start:
    rule = job.window
    lateness = timedelta(seconds=rule.lateness_s)
    offers = islice(closed_windows_after(known.done_up_to, at - lateness, grid, known.recorded), _MOST_OFFERS)

    def own_fire(window: Window) -> bool | None:
        schedule = job.schedule
        return is_own_fire(window, lateness, at, lambda since: first_fire_from(schedule, since) if schedule else None)

    found = _select(rule, offers, by_hand=by_hand, own_fire=own_fire)
    return Start(at, tuple(offer.window for offer in found.take), found.passed, found.waiting)


def _select(rule: WindowRule, offers: Iterator[Offer], *, by_hand: bool, own_fire: object) -> Selection:
    return select(rule.catch_up, offers=offers, limit=rule.max_per_run, by_hand=by_hand, own_fire=own_fire)  # type: ignore[arg-type]


def _settle(known: Standing, rows: Iterator[Recorded]) -> Standing:
    """Standing after *rows* are settled: the watermark moves over contiguous ones only."""
    new = {row.start: row for row in chain(known.recorded, rows)}
    up_to = known.done_up_to
    while up_to in new and new[up_to].is_settled:
        up_to = new.pop(up_to).end
    return Standing(up_to, tuple(new.values()))


def _following(rule: WindowRule, grid: Grid, known: Standing, now: datetime) -> Window:
    """First period that is not closed at *now*."""
    start = max(known.done_up_to, grid.line_at_or_before(now - timedelta(seconds=rule.lateness_s)))
    return Window(start, grid.line_after(start))


def _delays(job: Job, grid: Grid, now: datetime) -> tuple[timedelta, ...]:
    if job.schedule is None:
        return ()
    lateness = timedelta(seconds=job.window.lateness_s)
    found = []
    for since in (now, now + _HALF_A_YEAR):
        waits = []
        for number, line in enumerate(islice(grid.lines_after(since), _DELAYS)):
            if number and line > since + _SEASON:
                break  # the clock may change meanwhile
            fire = first_fire_from(job.schedule, line + lateness)
            if fire is not None:
                waits.append(fire - line)
        found.append(max(waits, default=timedelta()))
    return tuple(dict.fromkeys(found))
