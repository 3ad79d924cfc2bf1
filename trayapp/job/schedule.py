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

from datetime import UTC, date, datetime, time, timedelta, tzinfo
from functools import partial

from trayapp import clock
from trayapp.value import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

LAST_DAY = -1  # of a month
_HOUR = 60  # minutes
_DAY = 24 * _HOUR
_ONE_DAY = timedelta(days=1)
_ONE_MINUTE = timedelta(minutes=1)
_ONE_SECOND = timedelta(seconds=1)
_MOMENT = timedelta(microseconds=1)
_LONGEST_REST = 400  # days; a 31st comes within 62, so a checked schedule fires far earlier


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
    if isinstance(schedule, Every) and follows_clock(schedule):
        return _first_on_clock(schedule, at)
    return _first_by_wall_clock(schedule, at)


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


def _first_by_wall_clock(schedule: Every | Daily | Weekly | Monthly, at: datetime) -> datetime | None:
    from bisect import bisect_left  # noqa: PLC0415  # only a start that passes windows over asks for a fire

    times = wall_times(schedule)
    day = at.astimezone().date() - _ONE_DAY  # a time left out at midnight fires on the day after
    for _ in range(_LONGEST_REST if times else 0):
        if _fires_on(schedule, day):
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


def _first_on_clock(rule: Every, at: datetime) -> datetime | None:
    start = at = _next_minute(at)
    while at - start < _LONGEST_REST * _ONE_DAY:
        local = at.astimezone()
        minute = local.hour * _HOUR + local.minute
        wait = (rule.offset_minutes - minute) % rule.minutes
        if rule.days and local.weekday() not in rule.days:
            wait = _DAY - minute
        elif not wait:
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
    from cronsim import CronSim  # noqa: PLC0415  # only jobs with `cron` pay for enum and calendar

    # CronSim yields what comes after its start, and counts in whole seconds.
    second = at.astimezone(UTC).replace(microsecond=0)
    start = second if second < at else second - _ONE_SECOND
    for local in CronSim(expression, start.astimezone(_SystemZone())):
        fire: datetime = local.astimezone(UTC)
        # In the second pass of a repeated hour it still answers with times of the first.
        if fire >= at:
            return fire
    return None


class _SystemZone(tzinfo):
    """The machine's zone as a `tzinfo`, which cronsim needs and Python has none of."""

    def utcoffset(self, dt: datetime | None) -> timedelta | None:
        return None if dt is None else dt.replace(tzinfo=UTC) - _to_utc(dt.replace(tzinfo=None))

    def dst(self, _dt: datetime | None) -> timedelta | None:
        return None

    def tzname(self, _dt: datetime | None) -> str:
        return "local"

    def fromutc(self, dt: datetime) -> datetime:
        at = dt.replace(tzinfo=UTC)
        wall = at.astimezone().replace(tzinfo=None)
        is_repeated = _to_utc(wall) != at
        return wall.replace(tzinfo=self, fold=int(is_repeated))
