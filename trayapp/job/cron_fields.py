"""A cron expression taken apart: for those who must say it otherwise than by its letters.

The instants at which it fires are `schedule`'s to tell; here is what its fields name.
"""

from __future__ import annotations

from datetime import UTC, datetime

from trayapp.job.schedule import LAST_DAY, Daily, Every, Monthly, Weekly
from trayapp.value import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

ALL_HOURS = tuple(range(24))
ALL_MINUTES = tuple(range(60))
ALL_MONTH_DAYS = tuple(range(1, 32))
ALL_MONTHS = tuple(range(1, 13))
ALL_WEEK_DAYS = tuple(range(7))
_HOUR = 60  # minutes
_LISTED_TIMES = 3  # of a day: up to so many are a list, more may be an interval
_MOST_TIMES = 24  # of a day: more are no timetable that a person would read
_ANY_DAY = datetime(2026, 1, 1, tzinfo=UTC)


class CronFields(NamedTuple):
    """What the five fields name, ascending; week days as everywhere, 0 is Monday.

    A day counts when both kinds of days name it, or with *either_day* when one does: then
    neither of them names all days.
    """

    minutes: tuple[int, ...]
    hours: tuple[int, ...]
    month_days: tuple[int, ...]
    months: tuple[int, ...]
    week_days: tuple[int, ...]
    either_day: bool = False


def cron_fields(expression: str) -> CronFields | None:
    """Take a checked expression apart; None where a field counts (`5#2`, `LW`) instead of naming.

    `L` as a day of the month is LAST_DAY, behind the others.
    """
    from cronsim import CronSim  # noqa: PLC0415  # only jobs with `cron` pay for it

    read = CronSim(expression, _ANY_DAY)
    if read.days & {CronSim.LAST_WEEKDAY} or any(isinstance(day, tuple) for day in read.weekdays):
        return None
    month_days = _ascending(day for day in read.days if day != CronSim.LAST)
    month_days += (LAST_DAY,) if CronSim.LAST in read.days else ()
    week_days = _ascending((day - 1) % 7 for day in read.weekdays if isinstance(day, int))
    either_day = not read.day_and
    if either_day and (month_days == ALL_MONTH_DAYS or week_days == ALL_WEEK_DAYS):
        month_days, week_days, either_day = ALL_MONTH_DAYS, ALL_WEEK_DAYS, False
    hours, minutes = _ascending(read.hours), _ascending(read.minutes)
    return CronFields(minutes, hours, month_days, _ascending(read.months), week_days, either_day)


def timetable_of(expression: str) -> Every | Daily | Weekly | Monthly | None:
    """Timetable that says the same as a checked expression; None where no plain one does.

    The same on every day without a clock change: there cron has rules of its own.
    """
    fields = cron_fields(expression)
    if fields is None or fields.months != ALL_MONTHS:
        return None
    by_month, by_week = fields.month_days != ALL_MONTH_DAYS, fields.week_days != ALL_WEEK_DAYS
    if by_month and by_week:
        return None
    times = tuple(hour * _HOUR + minute for hour in fields.hours for minute in fields.minutes)
    week_days = fields.week_days if by_week else ()
    interval = _interval_of(fields, week_days) if len(times) > _LISTED_TIMES and not by_month else None
    if interval is not None or len(times) > _MOST_TIMES:
        return interval
    if by_month:
        return Monthly(fields.month_days, times)
    return Weekly(week_days, times) if by_week else Daily(times)


def _interval_of(fields: CronFields, days: tuple[int, ...]) -> Every | None:
    minutes, hours = fields.minutes, fields.hours
    if len(minutes) == 1 and hours != ALL_HOURS and _is_even(hours, len(ALL_HOURS)):
        step = len(ALL_HOURS) // len(hours)
        return Every(step * _HOUR, hours[0] * _HOUR + minutes[0], days)
    if hours != tuple(range(hours[0], hours[-1] + 1)) or not _is_even(minutes, len(ALL_MINUTES)):
        return None
    within = None if hours == ALL_HOURS else (hours[0], hours[-1] + 1)
    return Every(len(ALL_MINUTES) // len(minutes), minutes[0], days, within)


def _is_even(values: tuple[int, ...], length: int) -> bool:
    """Tell whether *values* cut a round of *length* into equal parts."""
    return length % len(values) == 0 and values == tuple(range(values[0], length, length // len(values)))


def _ascending(values: Iterable[int]) -> tuple[int, ...]:
    return tuple(sorted(set(values)))
