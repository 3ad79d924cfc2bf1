"""The periods of an adopted job: as long as they can be with a new one closed at each fire, so that none is swallowed.

A sub-day step is not longer than the smallest gap between fires: then a line of its grid lies
in each gap, wherever it begins. A calendar step stands where every gap is at least one of its
days, weeks or months long, and a line lies in each, also in the nights when clocks change.

The `lateness` puts a period's closing at the fire and not before: else a start by hand or
with the computer, some hours before the fire, would take the period, and the fire find none.
"""

from __future__ import annotations

import os
from bisect import bisect_right
from datetime import UTC, datetime, timedelta
from itertools import pairwise

from trayapp.job.cron_fields import cron_fields
from trayapp.job.schedule import Cron, Daily, Monthly, Weekly, fires_between, first_fire_from, next_fires, wall_times
from trayapp.job.timing_fields import CALENDAR_STEPS, STEPS
from trayapp.value import NamedTuple
from trayapp.window.grid import grid_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from trayapp.job.schedule import Schedule
    from trayapp.window.grid import Grid

_DAY = timedelta(days=1)
_MINUTE = timedelta(minutes=1)
_MOMENT = timedelta(microseconds=1)
_AHEAD = 3 * 366 * _DAY  # a law that changes the clock is not known longer before
_LONG_AHEAD = 9 * 366 * _DAY  # two leap days lie within, but around 2100
_NOT_A_ZONE = ("right/", "posix/")  # folders beside the zones, with other rules or other names
# For systems that do not name their zone as everybody does (Windows): the likeliest of those with the same rules.
_LIKELY = ("Europe/Istanbul", "Europe/Berlin", "Europe/London", "Europe/Athens", "America/New_York", "America/Chicago")
_SOME = 200  # fires that tell where in its periods a job fires


class Periods(NamedTuple):
    """Step, zone (None with a sub-day step), lateness and start: as `[window]` of a job file has them."""

    step: str
    timezone: str | None
    lateness_s: int
    start: datetime


def periods_of(schedule: Schedule, now: datetime, timezone: str | None) -> Periods:
    """Periods for a job that fires by *schedule* from *now* on; without *timezone* no step is a calendar one.

    The first of them closes with the first fire.
    """
    found = _calendar_periods(schedule, now, timezone) if timezone is not None else None
    step, zone, lateness = found or (_sub_day_step(schedule, now), None, None)
    grid = grid_of(step, zone)
    if lateness is None:
        lateness = min(
            (fire - grid.line_at_or_before(fire) for fire in next_fires(schedule, now, _SOME)), default=_DAY * 0
        )
    fire = first_fire_from(schedule, now)
    closing = grid.line_at_or_before((fire or now) - lateness)
    return Periods(step, zone, int(lateness.total_seconds()), grid.line_at_or_before(closing - _MOMENT))


def local_timezone() -> str | None:
    """Name of this computer's zone; None where only its rules are known, or where they are not those of the name."""
    from zoneinfo import ZoneInfo, ZoneInfoNotFoundError  # noqa: PLC0415  # only who adopts

    for name in _zone_names():
        if name.startswith(_NOT_A_ZONE):
            continue
        try:
            zone = ZoneInfo(name)
        except (ZoneInfoNotFoundError, ValueError, OSError):
            continue
        days = [datetime.now(UTC) + 30 * number * _DAY for number in range(-13, 25)]
        if all(day.astimezone(zone).utcoffset() == day.astimezone().utcoffset() for day in days):
            return name
    return None


def _zone_names() -> Iterator[str]:
    from zoneinfo import available_timezones  # noqa: PLC0415  # as above

    wish = os.environ.get("TZ", "").removeprefix(":")
    if wish:
        yield wish
    yield os.path.realpath("/etc/localtime").partition("/zoneinfo/")[2]
    try:
        with open("/etc/timezone", encoding="utf-8", errors="replace") as file:
            yield file.read().strip()
    except OSError:
        pass
    yield from _LIKELY
    yield "UTC"
    yield from sorted(available_timezones())


# --------------------------------------------------------------------- calendar


def _calendar_periods(schedule: Schedule, now: datetime, timezone: str) -> tuple[str, str, timedelta] | None:
    """Longest calendar step that fits, with its zone and lateness; None where a job fires twice on some day."""
    if len(_times_of_day(schedule)) != 1:
        return None
    fires = list(fires_between(schedule, now, now + _AHEAD))
    if len(fires) < 2:  # noqa: PLR2004  # two make a gap
        fires = list(fires_between(schedule, now, now + _LONG_AHEAD))
    for step in reversed(CALENDAR_STEPS):
        grid = grid_of(step, timezone)
        lines = _lines(grid, fires)
        if all(_is_as_long(before, after, step) for before, after in pairwise(fires)) and all(
            earlier < later for earlier, later in pairwise(lines)
        ):
            lateness = min((fire - line for fire, line in zip(fires, lines, strict=True)), default=timedelta())
            return step, timezone, lateness
    return None


def _lines(grid: Grid, fires: Sequence[datetime]) -> list[datetime]:
    """For each fire the line of *grid* at or before it."""
    if not fires:
        return []
    lines = [grid.line_at_or_before(fires[0])]
    for line in grid.lines_after(lines[0]):
        if line > fires[-1]:
            break
        lines.append(line)
    return [lines[bisect_right(lines, fire) - 1] for fire in fires]


def _is_as_long(before: datetime, after: datetime, step: str) -> bool:
    """Tell whether *after* is at least one *step* of the local calendar behind *before*."""
    first, second = before.astimezone().date(), after.astimezone().date()
    if step != "1mo":
        return (second - first).days >= (7 if step == "1w" else 1)
    months = (second.year - first.year) * 12 + second.month - first.month
    is_last = (second + _DAY).month != second.month
    return months > 1 or (months == 1 and (second.day >= first.day or is_last))


# ---------------------------------------------------------------------- sub-day


def _sub_day_step(schedule: Schedule, now: datetime) -> str:
    gap_s = _smallest_gap(schedule, now).total_seconds()
    lengths = [length_s for length_s in STEPS if length_s is not None and length_s <= gap_s]
    return STEPS[max(lengths)]


def _smallest_gap(schedule: Schedule, now: datetime) -> timedelta:
    """Smallest time between two fires, as the clock runs from *now* on."""
    times = _times_of_day(schedule)
    gaps = [(after - before) * _MINUTE for before, after in pairwise(times)]
    if _MINUTE in gaps:
        return _MINUTE
    over_night = _DAY - (times[-1] - times[0]) * _MINUTE
    if not gaps or over_night < min(gaps):
        days = [fire.astimezone().date() for fire in fires_between(_once_a_day(schedule, times[0]), now, now + _AHEAD)]
        gaps += [after - before - _DAY + over_night for before, after in pairwise(days) if after > before]
    gap = min(gaps, default=_DAY)
    for change in _clock_changes(now):
        around = max(2 * gap, timedelta(hours=4))
        fires = list(fires_between(schedule, change - around, change + around))
        gap = min([gap, *(after - before for before, after in pairwise(fires))])
    return max(gap, _MINUTE)


def _times_of_day(schedule: Schedule) -> tuple[int, ...]:
    """Minutes of the day at which it fires, on the days that it fires on."""
    if isinstance(schedule, Cron):
        fields = cron_fields(schedule.expression)
        assert fields is not None, "a line of cron's own names what it fires at"
        return tuple(hour * 60 + minute for hour in fields.hours for minute in fields.minutes)
    return wall_times(schedule)


def _once_a_day(schedule: Schedule, minute: int) -> Schedule:
    """*schedule* with its days and only one of its times."""
    if isinstance(schedule, Cron):
        days = schedule.expression.split()[2:]
        return Cron(" ".join((str(minute % 60), str(minute // 60), *days)))
    if isinstance(schedule, Monthly):
        return schedule._replace(at=(minute,))
    days_of_week = () if isinstance(schedule, Daily) else schedule.days
    return Weekly(days_of_week or tuple(range(7)), (minute,))


def _clock_changes(now: datetime) -> Iterator[datetime]:
    """Hours in which this computer's clock is changed, from a year ago on."""
    at, hour = now.replace(minute=0, second=0, microsecond=0) - 366 * _DAY, timedelta(hours=1)
    end = now + _AHEAD
    while at < end:
        following = at + _DAY
        if following.astimezone().utcoffset() != at.astimezone().utcoffset():
            while (at + hour).astimezone().utcoffset() == at.astimezone().utcoffset():
                at += hour
            yield at + hour
        at = following if following > at else at + _DAY
