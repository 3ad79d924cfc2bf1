"""When a job shall fire: plain values, and the instants that they mean on this machine.

A schedule speaks of the local clock, since people and every native scheduler do; the
instants returned are aware UTC. What a clock change does to a wall clock time:
- `daily`, `weekly`, `monthly`, an `every` above one hour and an `every` with `hours` are
  lists of wall clock times. Each fires once a day: of a time that comes twice the first
  counts, one that is left out fires at the moment of the transition.
- an `every` of at most one hour without `hours` follows the clock as it runs: in a repeated
  hour it fires in both passes, in an hour that is left out not at all.

Why two rules: cron knows just these (cron(8): "jobs that run at a specific time" and "with
a granularity greater than one hour" are handled specially), and a schedule that fires hourly
must not rest for two hours because a clock was set. Nothing is done twice or left out by
either, since windows are cut in UTC and a fire only looks for closed ones.
"""

from __future__ import annotations

from datetime import UTC, date, datetime, time, timedelta
from functools import partial

from trayapp import clock
from trayapp.value import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    _IsDay = Callable[[date], bool]

LAST_DAY = -1  # of a month
_HOUR = 60  # minutes
_DAY = 24 * _HOUR
_ONE_DAY = timedelta(days=1)
_ONE_MINUTE = timedelta(minutes=1)
_ONE_SECOND = timedelta(seconds=1)
_MOMENT = timedelta(microseconds=1)
_LONGEST_REST = 400  # days; a 31st comes within 62, so a checked schedule fires far earlier
_LONGEST_REST_OF_CRON = 41 * 366  # days; a 29 February on one day of the week comes within 40 years


class Every(NamedTuple):
    """Every *minutes* of the local clock, *offset_minutes* past.

    *minutes* divide an hour, or are whole hours that divide a day. *days* are weekdays,
    0 is Monday, none means all; *hours* are first and end, the end exclusive: (8, 18).
    """

    minutes: int
    offset_minutes: int = 0
    days: tuple[int, ...] = ()
    hours: tuple[int, int] | None = None


class Daily(NamedTuple):
    """Each day *at* these minutes of the day, ascending: 150 is 02:30."""

    at: tuple[int, ...]


class Weekly(NamedTuple):
    """On these weekdays, 0 is Monday, *at* these minutes of the day."""

    days: tuple[int, ...]
    at: tuple[int, ...]


class Monthly(NamedTuple):
    """On these days of the month, `LAST_DAY` is its last, *at* these minutes of the day.

    A day that a month does not have does not fire in it.
    """

    days: tuple[int, ...]
    at: tuple[int, ...]


class Cron(NamedTuple):
    """A cron expression of five fields, as Debian's cron means it."""

    expression: str


Schedule = Every | Daily | Weekly | Monthly | Cron


def first_fire_from(schedule: Schedule, at: datetime) -> datetime | None:
    """First instant not before *at* at which *schedule* fires; None when it never does."""
    if isinstance(schedule, Cron):
        return _first_by_cron(schedule.expression, at)
    times, is_day = wall_times(schedule), partial(_fires_on, schedule)
    if isinstance(schedule, Every) and follows_clock(schedule):
        return _first_on_clock(times, is_day, at, _LONGEST_REST)
    return _first_by_wall_clock(times, is_day, at, _LONGEST_REST)


def fires_between(schedule: Schedule, start: datetime, end: datetime) -> Iterator[datetime]:
    """Yield the instants of `[start, end)` at which *schedule* fires, ascending, each once."""
    fire = first_fire_from(schedule, start)
    while fire is not None and fire < end:
        yield fire
        fire = first_fire_from(schedule, fire + _MOMENT)


def next_fires(schedule: Schedule, at: datetime, count: int) -> list[datetime]:
    """First *count* instants not before *at* at which *schedule* fires; fewer when there are no more."""
    fires: list[datetime] = []
    fire = first_fire_from(schedule, at)
    while fire is not None and len(fires) < count:
        fires.append(fire)
        fire = first_fire_from(schedule, fire + _MOMENT)
    return fires


def follows_clock(schedule: Every) -> bool:
    """Tell whether *schedule* fires in both passes of a repeated hour; see the module."""
    return schedule.minutes <= _HOUR and schedule.hours is None


def wall_times(schedule: Every | Daily | Weekly | Monthly) -> tuple[int, ...]:
    """Minutes of a day, ascending, at which *schedule* fires on the days that it names."""
    if not isinstance(schedule, Every):
        return schedule.at
    first, end = schedule.hours or (0, 24)
    every_day = range(schedule.offset_minutes % schedule.minutes, _DAY, schedule.minutes)
    return tuple(minute for minute in every_day if first <= minute // _HOUR < end)


def _first_by_wall_clock(times: tuple[int, ...], is_day: _IsDay, at: datetime, rest: int) -> datetime | None:
    """First fire of a list of wall clock *times* on the days that *is_day* tells, within *rest* days."""
    from bisect import bisect_left  # noqa: PLC0415  # only a start that passes windows over asks for a fire

    day = at.astimezone().date() - _ONE_DAY  # a time left out at midnight fires on the day after
    for _ in range(rest if times else 0):
        if is_day(day):
            # Instants ascend with the times of a day: those left out share the transition.
            found = bisect_left(times, at, key=partial(_instant_of, day))
            if found < len(times):
                return _instant_of(day, times[found])
        day += _ONE_DAY
    return None


def _fires_on(schedule: Every | Daily | Weekly | Monthly, day: date) -> bool:
    if isinstance(schedule, Monthly):
        is_last = (day + _ONE_DAY).day == 1
        return day.day in schedule.days or (is_last and LAST_DAY in schedule.days)
    if isinstance(schedule, Daily):
        return True
    return not schedule.days or day.weekday() in schedule.days


def _instant_of(day: date, minute: int) -> datetime:
    """Instant of a wall clock time: the first of two, for one left out the transition."""
    wall = datetime.combine(day, time(minute // _HOUR, minute % _HOUR))
    fire = _to_utc(wall)
    if fire.astimezone().replace(tzinfo=None) == wall:
        return fire
    # A gap: with fold=1 the new offset counts, which gives an instant before the transition;
    # with fold=0 the old one, an instant behind it (PEP 495).
    return _transition_in(_to_utc(wall.replace(fold=1)), fire)


def _to_utc(wall: datetime) -> datetime:
    """Instant of a naive local time, by its `fold`.

    Not `wall.astimezone(UTC)`: in a gap CPython's takes the offset behind the instant that
    PEP 495 means, and so lands on the wrong side of the transition (seen in 3.11).
    """
    return clock.from_epoch(wall.timestamp())


def _transition_in(before: datetime, after: datetime) -> datetime:
    """First second of `(before, after]` with the offset that *after* has."""
    old = before.astimezone().utcoffset()
    low, high = 0, (after - before) // _ONE_SECOND
    while high - low > 1:
        middle = (low + high) // 2
        if (before + middle * _ONE_SECOND).astimezone().utcoffset() == old:
            low = middle
        else:
            high = middle
    return before + high * _ONE_SECOND


def _first_on_clock(times: tuple[int, ...], is_day: _IsDay, at: datetime, rest: int) -> datetime | None:
    """First instant at which the running clock shows one of *times*, on a day as above."""
    from bisect import bisect_left  # noqa: PLC0415  # as above

    start = at = _next_minute(at)
    while at - start < rest * _ONE_DAY:
        local = at.astimezone()
        minute = local.hour * _HOUR + local.minute
        found = bisect_left(times, minute) if is_day(local.date()) else len(times)
        wait = (times[found] if found < len(times) else _DAY) - minute
        if not wait:
            return at
        later = at + wait * _ONE_MINUTE
        # With a clock change on the way the fires between would be jumped: go there on foot.
        is_even = later.astimezone().utcoffset() == local.utcoffset()
        at = later if is_even else at + _ONE_MINUTE
    return None


def _next_minute(at: datetime) -> datetime:
    whole = at.astimezone(UTC).replace(second=0, microsecond=0)
    return whole if whole == at else whole + _ONE_MINUTE


def _first_by_cron(expression: str, at: datetime) -> datetime | None:
    """First fire of a checked *expression*: a list of wall clock times, or with a star as the clock runs (cron(8)).

    cronsim only reads the fields: going through the fires it steps by whole hours, and where a
    clock is changed by half of one it misses some.
    """
    from cronsim import CronSim  # noqa: PLC0415  # only jobs with `cron` pay for enum and calendar

    read = CronSim(expression, at)
    times = tuple(hour * _HOUR + minute for hour in sorted(read.hours) for minute in sorted(read.minutes))

    def is_day(day: date) -> bool:
        return day.month in read.months and read.match_day(day)

    is_running = any(field.startswith("*") for field in expression.split()[:2])
    return (_first_on_clock if is_running else _first_by_wall_clock)(times, is_day, at, _LONGEST_REST_OF_CRON)
