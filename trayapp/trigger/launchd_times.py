"""A schedule as launchd's calendar intervals: exactly what it says, or a refusal with the nearest it can say.

Each interval names parts of a wall clock time, and a part that is left out may be any
(launchd.plist(5)). Several stand side by side and each of them fires.
What launchd does with a wall clock time that a clock change leaves out or repeats is Apple's
to say and has changed over the years: there it may come up to an hour late, rest for the
repeated hour, or fire in both. Windows are cut in UTC, so none of it does work twice.
"""

from __future__ import annotations

from itertools import product

from trayapp.errors import TriggerError
from trayapp.job.cron_fields import (
    ALL_HOURS,
    ALL_MONTH_DAYS,
    ALL_MONTHS,
    ALL_WEEK_DAYS,
    cron_fields,
    timetable_of,
)
from trayapp.job.schedule import LAST_DAY, Cron, Every, Monthly, Weekly, follows_clock, wall_times
from trayapp.job.schedule_text import schedule_text
from trayapp.wording.language import _
from trayapp.wording.mark import N_
from trayapp.wording.speech import say

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from trayapp.job.cron_fields import CronFields
    from trayapp.job.schedule import Daily, Schedule

    Interval = dict[str, int]

_HOUR = 60  # minutes
_FEBRUARY, _FEBRUARY_28 = 2, 28
# Of February both: in a leap year the runner's guard jumps the first.
_LAST_DAYS = {month: (30,) if month in (4, 6, 9, 11) else (31,) for month in ALL_MONTHS} | {_FEBRUARY: (28, 29)}
_MOST_INTERVALS = 2000
_COUNTS_DAYS = N_("it can name days, and not count them.")
_BOTH_DAYS = N_("it takes a day of the month and a day of the week as either of the two.")
_TOO_MANY = N_("it would need {count:number} entries.")


def calendar_intervals(schedule: Schedule) -> list[Interval]:
    """Intervals that fire as *schedule* does, in one order; with `needs_last_day_guard` together with the runner's.

    Raises: TriggerError `schedule-not-sayable`.
    """
    if isinstance(schedule, Cron):
        return _of_cron(schedule)
    times = _times_of(schedule)
    if isinstance(schedule, Monthly):
        return [day | time for day in _month_days(schedule.days, ALL_MONTHS) for time in times]
    if isinstance(schedule, Weekly | Every) and schedule.days and schedule.days != ALL_WEEK_DAYS:
        return [day | time for day in _week_days(schedule.days) for time in times]
    return times


def needs_last_day_guard(schedule: Schedule) -> bool:
    """Tell whether the intervals fire on 28 February of a leap year, and should not."""
    days: Sequence[int] = ()
    if isinstance(schedule, Monthly):
        days = schedule.days
    elif isinstance(schedule, Cron):
        fields = cron_fields(schedule.expression)
        days = fields.month_days if fields is not None and _FEBRUARY in fields.months else ()
    return LAST_DAY in days and _FEBRUARY_28 not in days


def _times_of(schedule: Every | Daily | Weekly | Monthly) -> list[Interval]:
    if isinstance(schedule, Every) and follows_clock(schedule):
        return [{"Minute": minute} for minute in range(schedule.offset_minutes, _HOUR, schedule.minutes)]
    return [{"Hour": minute // _HOUR, "Minute": minute % _HOUR} for minute in wall_times(schedule)]


def _week_days(days: Iterable[int]) -> list[Interval]:
    return [{"Weekday": day} for day in sorted((day + 1) % 7 for day in days)]  # launchd's 0 is Sunday


def _month_days(days: Sequence[int], months: Sequence[int]) -> list[Interval]:
    if LAST_DAY not in days:
        return list(_named({"Month": months, "Day": days}, {"Month": ALL_MONTHS, "Day": ALL_MONTH_DAYS}))
    named = set(days) - {LAST_DAY}
    return [{"Month": month, "Day": day} for month in months for day in sorted(named | set(_LAST_DAYS[month]))]


def _of_cron(schedule: Cron) -> list[Interval]:
    fields = cron_fields(schedule.expression)
    if fields is None:
        raise _refusal(schedule, _(_COUNTS_DAYS))
    days = _cron_days(schedule, fields)
    # Without a star in front cron(8) takes a line for a list of wall clock times, also one of all hours.
    follows = any(field.startswith("*") for field in schedule.expression.split()[:2])
    every_hour = ALL_HOURS if follows else ()
    times = list(_named({"Hour": fields.hours, "Minute": fields.minutes}, {"Hour": every_hour, "Minute": ()}))
    if len(days) * len(times) > _MOST_INTERVALS:
        raise _refusal(schedule, say(_TOO_MANY, count=len(days) * len(times)))
    return [day | time for day in days for time in times]


def _cron_days(schedule: Cron, fields: CronFields) -> list[Interval]:
    by_month = fields.month_days != ALL_MONTH_DAYS
    by_week = fields.week_days != ALL_WEEK_DAYS
    month_days = _month_days(fields.month_days, fields.months)
    if not by_week:
        return month_days
    months = list(_named({"Month": fields.months}, {"Month": ALL_MONTHS}))
    week_days = [month | day for month in months for day in _week_days(fields.week_days)]
    if not by_month:
        return week_days
    if not fields.either_day or needs_last_day_guard(schedule):  # the guard would jump the week day, too
        raise _refusal(schedule, _(_BOTH_DAYS))
    return month_days + week_days


def _named(parts: dict[str, Sequence[int]], anything: dict[str, Sequence[int]]) -> Iterator[Interval]:
    """Yield each combination of *parts*; one that names just *anything* is left out."""
    kept = {name: values for name, values in parts.items() if tuple(values) != tuple(anything[name])}
    for values in product(*kept.values()):
        yield dict(zip(kept, values, strict=True))


def _refusal(schedule: Cron, reason: str) -> TriggerError:
    minutes, hours, _days, _months, week_days = schedule.expression.split()
    attempts = (f"{minutes} {hours} * * {week_days}", f"{minutes} {hours} * * *", f"0 {hours} * * *")
    nearest: Schedule = next((near for near in map(timetable_of, attempts) if near is not None), Every(_HOUR))
    return TriggerError(
        "schedule-not-sayable",
        scheduler="launchd",
        schedule=schedule_text(schedule),
        reason=reason,
        nearest=schedule_text(nearest),
    )
