"""Another reading of the calendar rules, for tests to compare the grid with.

It only asks which offset a zone has at an instant, and finds by bisection where that
changes; it never turns local time into UTC, knows no fold, and so shares no path with the
grid. The line of a date is the first instant at which the clocks show that date or a later
one: of each stretch with one offset, the moment at which the date begins, if it is in there.
"""

from __future__ import annotations

import zoneinfo
from bisect import bisect_right
from collections.abc import Iterator
from datetime import UTC, date, datetime, timedelta
from functools import cache
from typing import NamedTuple

FIRST = datetime(1970, 1, 1, tzinfo=UTC)
LAST = datetime(2038, 1, 1, tzinfo=UTC)
DAY = timedelta(days=1)
SECOND = timedelta(seconds=1)
SAMPLED_EVERY = 6 * DAY  # the shortest summer time lasted 6 days and 23 hours (America/Boa_Vista 2000)
_MARGIN = 40 * DAY  # whole months and weeks around both ends


class Stretch(NamedTuple):
    """A time without a change of clocks, from `start` on."""

    start: datetime
    offset: timedelta


class ZoneReading:
    """One zone's stretches from `FIRST` to `LAST`; *sampled_every* must be shorter than any of them."""

    def __init__(self, name: str, sampled_every: timedelta = SAMPLED_EVERY) -> None:
        self.name = name
        self._zone = zoneinfo.ZoneInfo(name)
        at, end = FIRST - _MARGIN, LAST + _MARGIN
        self.stretches = [Stretch(at, self._offset(at))]
        while at < end:
            following = at + sampled_every
            if self._offset(following) != self.stretches[-1].offset:
                change = self._change_between(at, following)
                self.stretches.append(Stretch(change, self._offset(change)))
                at = change
            else:
                at = following
        self._starts = [stretch.start for stretch in self.stretches]

    def _offset(self, at: datetime) -> timedelta:
        offset = at.astimezone(self._zone).utcoffset()
        assert offset is not None
        return offset

    def _change_between(self, low: datetime, high: datetime) -> datetime:
        before = self._offset(low)
        while high - low > SECOND:
            middle = low + (high - low) // (2 * SECOND) * SECOND
            if self._offset(middle) == before:
                low = middle
            else:
                high = middle
        return high

    @property
    def changes(self) -> list[datetime]:
        """Instants between `FIRST` and `LAST` at which the clocks change."""
        return [start for start in self._starts[1:] if FIRST <= start < LAST]

    def shown(self, at: datetime) -> datetime:
        """What the clocks show at *at*, as a naive time."""
        return (at + self.stretches[bisect_right(self._starts, at) - 1].offset).replace(tzinfo=None)

    def line(self, day: date) -> datetime:
        """First instant at which the clocks show *day* or a later date."""
        wall = datetime(day.year, day.month, day.day, tzinfo=UTC)
        # No zone is a day and a half away from UTC, so older stretches ended before the day began.
        number = max(bisect_right(self._starts, wall - 1.5 * DAY) - 1, 0)
        while True:
            start, offset = self.stretches[number]
            begins = max(start, wall - offset)
            if number + 1 == len(self._starts) or begins < self._starts[number + 1]:
                return begins
            number += 1

    def lines(self, step: str, first: date, last: date) -> list[datetime]:
        """Lines of the dates from *first* to *last* at which a period of *step* begins, each once."""
        return sorted({self.line(day) for day in _beginnings(step, first, last)})


def _beginnings(step: str, first: date, last: date) -> Iterator[date]:
    day = first
    while day <= last:
        if step == "1d" or (step == "1w" and day.isoweekday() == 1) or (step == "1mo" and day.day == 1):
            yield day
        day += DAY


@cache
def zone_names() -> tuple[str, ...]:
    """Every zone of the database, links included; Debian lists `localtime` too, which is none."""
    return tuple(sorted(zoneinfo.available_timezones() - {"localtime"}))


@cache
def all_readings() -> tuple[ZoneReading, ...]:
    """Read the whole database: a reading for each history, since half of the names are links."""
    histories: dict[tuple[Stretch, ...], ZoneReading] = {}
    for name in zone_names():
        reading = ZoneReading(name)
        histories.setdefault(tuple(reading.stretches), reading)
    return tuple(histories.values())
