"""Which windows a run takes: the closed ones after the watermark, oldest first.

A run never asks for "the last hour". It asks what has closed and is not settled, so a start
that was missed is caught up by the next one, and a start too many finds nothing to do.
Nothing here reads a clock or a ledger: the same facts give the same windows, and a preview
cannot disagree with the run.
"""

from __future__ import annotations

from datetime import datetime, timedelta
from itertools import islice

from trayapp.value import NamedTuple
from trayapp.window.grid import Window

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from typing import Literal

    from trayapp.window.grid import Grid

# Never taken again by itself. Every other state is an attempt that has not come to its end.
SETTLED = frozenset({"done", "skipped", "passed"})

_MICROSECOND = timedelta(microseconds=1)


class Recorded(NamedTuple):
    """A window that the ledger of this job knows: its bounds, how it stands, its key.

    `state` is one of `SETTLED`, or `failed`, `again`, `started`, `uncertain`.
    """

    start: datetime
    end: datetime
    state: str
    key: str

    @property
    def is_settled(self) -> bool:
        """Whether only a person may have this window taken again."""
        return self.state in SETTLED


class Offer(NamedTuple):
    """A window to take; `recorded` is the attempt that it continues, None when it is new."""

    window: Window
    recorded: Recorded | None


class Selection(NamedTuple):
    """What one run does: take these in order, record those as passed over.

    `waiting` counts the closed windows that neither holds; a later run takes them.
    """

    take: tuple[Offer, ...]
    passed: tuple[Window, ...]
    waiting: int


def closed_windows_after(
    watermark: datetime, horizon: datetime, grid: Grid, recorded: Iterable[Recorded]
) -> Iterator[Offer]:
    """Windows that are closed and not settled: reopened ones first, then oldest first.

    *horizon* is now less the lateness; a window is closed when its end is not later.
    *recorded* are the rows that end after *watermark* and the unsettled ones before it, in any
    order, no two overlapping. An attempt keeps its bounds, a settled row is jumped, and only
    what no row covers is cut: from the watermark or a line to the next line or row. So coverage
    stays whole after a change of step or zone; the first window is then a bridge to the new grid.

    Lazy: nothing is held but *recorded*, however many windows there are.
    """
    at = watermark
    for row in sorted(recorded):
        if row.end <= watermark:
            if not row.is_settled and row.end <= horizon:
                yield Offer(Window(row.start, row.end), row)
            continue
        yield from _cut(at, row.start, horizon, grid)
        if row.end > horizon:
            return  # nothing that follows can be closed
        if not row.is_settled:
            yield Offer(Window(row.start, row.end), row)
        at = row.end
    yield from _cut(at, None, horizon, grid)


def _cut(start: datetime, until: datetime | None, horizon: datetime, grid: Grid) -> Iterator[Offer]:
    """Cut what no row covers, `[start, until)` or without an end, into its closed windows."""
    last = horizon if until is None or until > horizon else until
    if start >= last:
        return  # nothing between two rows; and asks no line, since a watermark may lie where the calendar ends
    for line in grid.lines_after(start):
        if line > last:
            break
        yield Offer(Window(start, line), None)
        start = line
    if until == last and start < last:
        yield Offer(Window(start, last), None)


def select(
    rule: Literal["all", "latest", "none"],
    *,
    offers: Iterator[Offer],
    limit: int,
    by_hand: bool,
    own_fire: Callable[[Window], bool | None],
) -> Selection:
    """Choose what this run takes from *offers*, at most *limit*, by the job's catch-up *rule*.

    `all`: the oldest. `latest`: the newest one. `none`: those for which *own_fire* is true; those
    for which it is None wait for a fire to come. What `latest` and `none` leave out is passed over,
    contiguous windows as one; but an attempt is never passed over: it is taken, in its turn.
    *by_hand*, `latest` and `none` take the attempts and the newest one, and pass nothing over.

    *offers* is read to its end, for the count of what waits.
    """
    if rule == "all":
        return Selection(tuple(islice(offers, limit)), (), sum(1 for _ in offers))
    take: list[Offer] = []
    passed: list[Window] = []
    waiting = 0
    following = next(offers, None)
    while (offer := following) is not None:
        following = next(offers, None)
        wanted: bool | None = offer.recorded is not None or following is None
        if rule == "none" and not by_hand and offer.recorded is None:
            wanted = own_fire(offer.window)
        if wanted and len(take) < limit:
            take.append(offer)
        elif wanted is False and not by_hand:
            _pass_over(offer.window, passed)
        else:
            waiting += 1
    return Selection(tuple(take), tuple(passed), waiting)


def _pass_over(window: Window, passed: list[Window]) -> None:
    """Add *window* to what is passed over, as part of the last range when it continues it."""
    if passed and passed[-1].end == window.start:
        passed[-1] = Window(passed[-1].start, window.end)
    else:
        passed.append(window)


def is_own_fire(
    window: Window, lateness: timedelta, now: datetime, first_fire_from: Callable[[datetime], datetime | None]
) -> bool | None:
    """Tell whether the job's latest fire is *window*'s own: the first one at which it is closed.

    True between that fire and the one after it, False from then on, and None as long as it is
    still to come or the job never fires: what nobody has missed may not be passed over.
    *first_fire_from* gives the first fire at or after an instant, None when there is none.
    """
    own_at = first_fire_from(window.end + lateness)
    if own_at is None or own_at > now:
        return None
    next_at = first_fire_from(own_at + _MICROSECOND)
    return next_at is None or next_at > now
