"""Fires of a schedule by another way than the product's: from the zone's transitions alone.

The product asks the machine's clock for single instants. Here the zone database is read
into stretches of one offset each, and every wall clock time is looked up in them.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, date, datetime, timedelta
from typing import NamedTuple
from zoneinfo import ZoneInfo

from trayapp.job.schedule import Daily, Every, Monthly, Weekly

HOUR = timedelta(hours=1)
MINUTE = timedelta(minutes=1)
DAY = timedelta(days=1)


class Stretch(NamedTuple):
    """Time of one offset, `[start, end)` in UTC."""

    start: datetime
    end: datetime
    offset: timedelta


@contextmanager
def machine_in(zone: str) -> Iterator[None]:
    """Let this process's clock show the local time of *zone*; the test's fixtures put UTC back."""
    before = os.environ["TZ"]
    os.environ["TZ"] = zone
    time.tzset()
    try:
        yield
    finally:
        os.environ["TZ"] = before
        time.tzset()


def stretches(zone: str, start: datetime, end: datetime) -> list[Stretch]:
    info = ZoneInfo(zone)

    def offset_at(at: datetime) -> timedelta:
        return at.astimezone(info).utcoffset() or timedelta()

    found, begin, at = [], start, start
    while at < end:
        following = at + HOUR
        if offset_at(following) != offset_at(at):
            while offset_at(at + MINUTE) == offset_at(begin):
                at += MINUTE
            following = at + MINUTE
            found.append(Stretch(begin, following, offset_at(begin)))
            begin = following
        at = following
    return [*found, Stretch(begin, end, offset_at(begin))]


def fires(
    schedule: Every | Daily | Weekly | Monthly, over: list[Stretch], start: datetime, end: datetime
) -> list[datetime]:
    """Instants of `[start, end)`, which lies well inside *over*, ascending."""
    is_running = isinstance(schedule, Every) and schedule.minutes <= 60 and schedule.hours is None
    return sorted(set((_running if is_running else _by_wall_clock)(schedule, over, start, end)))


def _running(schedule: Every, over: list[Stretch], start: datetime, end: datetime) -> Iterator[datetime]:
    for stretch in over:
        at = max(stretch.start, start.replace(second=0, microsecond=0))
        while at < min(stretch.end, end):
            wall = at + stretch.offset
            is_due = (wall.hour * 60 + wall.minute - schedule.offset_minutes) % schedule.minutes == 0
            if at >= start and is_due and (not schedule.days or wall.weekday() in schedule.days):
                yield at
            at += MINUTE


def _by_wall_clock(
    schedule: Every | Daily | Weekly | Monthly, over: list[Stretch], start: datetime, end: datetime
) -> Iterator[datetime]:
    day = (start - 2 * DAY).date()
    while day <= (end + 2 * DAY).date():
        if _is_on(schedule, day):
            for minute in _minutes(schedule):
                fire = _instant(day, minute, over)
                if fire is not None and start <= fire < end:
                    yield fire
        day += DAY


def _instant(day: date, minute: int, over: list[Stretch]) -> datetime | None:
    wall = datetime(day.year, day.month, day.day, tzinfo=UTC) + minute * MINUTE
    for stretch in over:
        if wall - stretch.offset < stretch.start:  # it would have come before: it was left out
            return stretch.start if stretch is not over[0] else None
        if wall - stretch.offset < stretch.end:
            return wall - stretch.offset
    return None


def _minutes(schedule: Every | Daily | Weekly | Monthly) -> list[int]:
    if not isinstance(schedule, Every):
        return list(schedule.at)
    first, end = schedule.hours or (0, 24)
    due = [m for m in range(1440) if (m - schedule.offset_minutes) % schedule.minutes == 0]
    return [m for m in due if first * 60 <= m < end * 60]


def _is_on(schedule: Every | Daily | Weekly | Monthly, day: date) -> bool:
    if isinstance(schedule, Monthly):
        return day.day in schedule.days or (-1 in schedule.days and (day + DAY).month != day.month)
    return isinstance(schedule, Daily) or not schedule.days or day.weekday() in schedule.days
