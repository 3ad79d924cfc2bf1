"""A schedule as cron's five fields: exactly what it says, or a refusal with the nearest that cron can say.

cron has two kinds of lines, told apart by a star at the beginning of minute or hour (cron(8)).
With one, a line follows the clock as it runs; without, it fires once for each wall clock time,
also where a clock change repeats or leaves one out. So has `schedule`, and the star is set
by its rule and by nothing else: 24 hours are `*` for the one kind and `0-23` for the other.
"""

from __future__ import annotations

import re
from itertools import pairwise

from trayapp.errors import TriggerError
from trayapp.job.cron_fields import timetable_of
from trayapp.job.schedule import LAST_DAY, Cron, Daily, Every, Monthly, Weekly, follows_clock, wall_times
from trayapp.job.schedule_text import schedule_text
from trayapp.wording.language import _
from trayapp.wording.mark import N_

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

    from trayapp.job.schedule import Schedule

_HOUR = 60  # minutes
_HOURS, _MINUTES = range(24), range(_HOUR)
_SHORTEST_RANGE = 3  # "1,2" but "1-3"
_SHORTEST_STEPS = 6  # "5,20,35,50" but "5-55/10"
_FEBRUARY, _FEBRUARY_28 = 2, 28
_DAYS_OF = {month: 30 if month in (4, 6, 9, 11) else 31 for month in range(1, 13)} | {_FEBRUARY: 29}

_RANGES = (range(60), range(24), range(1, 32), range(1, 13), range(8))  # of cron's fields
_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_WEEKDAYS = ("sun", "mon", "tue", "wed", "thu", "fri", "sat")
_NAMES: tuple[tuple[str, ...], ...] = ((), (), (), _MONTHS, _WEEKDAYS)
_PART = re.compile(r"(?:\*|(\d+)(?:-(\d+))?)(?:/(\d+))?")

_UNKNOWN_TO_CRON = N_("it does not know “{part}”, or would take it for something else.")


def crontab_times(schedule: Schedule) -> tuple[str, ...]:
    """Five fields of cron for *schedule*; several lines where its times fit into no single one.

    With `needs_last_day_guard` they say it together with the runner's `--last-day`.

    Raises: TriggerError `schedule-not-sayable`.
    """
    if isinstance(schedule, Cron):
        return (_checked(schedule),)
    months = _days_by_month(schedule.days) if isinstance(schedule, Monthly) else (("*", "*"),)
    weekdays = "*"
    if isinstance(schedule, Weekly | Every) and schedule.days:
        weekdays = _listed({(day + 1) % 7 for day in schedule.days})  # cron's 0 is Sunday
    is_running = isinstance(schedule, Every) and follows_clock(schedule)
    return tuple(
        f"{minutes} {hours} {days} {month} {weekdays}"
        for minutes, hours in _clock_fields(schedule, is_running=is_running)
        for days, month in months
    )


def needs_last_day_guard(schedule: Schedule) -> bool:
    """Tell whether the lines fire on 28 February of a leap year, and should not: cron knows no leap years."""
    return isinstance(schedule, Monthly) and LAST_DAY in schedule.days and _FEBRUARY_28 not in schedule.days


def cron_takes(fields: str) -> bool:
    """Tell whether Debian's cron takes *fields*, which may hold names of months and weekdays."""
    words = fields.lower().split()
    if len(words) != len(_RANGES) or "\r" in fields:
        return False
    return all(
        all(_is_known(_in_numbers(part, names, allowed.start), allowed) for part in field.split(","))
        for field, allowed, names in zip(words, _RANGES, _NAMES, strict=True)
    )


def _clock_fields(schedule: Every | Daily | Weekly | Monthly, *, is_running: bool) -> Iterator[tuple[str, str]]:
    """Minutes and hours, as few pairs as name exactly the schedule's times of a day."""
    minutes_of: dict[int, list[int]] = {}
    for minute in wall_times(schedule):
        minutes_of.setdefault(minute // _HOUR, []).append(minute % _HOUR)
    hours_of: dict[tuple[int, ...], list[int]] = {}
    for hour, named in minutes_of.items():
        hours_of.setdefault(tuple(named), []).append(hour)
    for minutes, hours in hours_of.items():
        yield (
            "*" if is_running and len(minutes) == len(_MINUTES) else _listed(minutes),
            "*" if is_running and len(hours) == len(_HOURS) else _listed(hours),
        )


def _days_by_month(days: tuple[int, ...]) -> tuple[tuple[str, str], ...]:
    """Days and months, one pair for all months with the same days."""
    if LAST_DAY not in days:
        return ((_listed(days), "*"),)
    months_of: dict[tuple[int, ...], list[int]] = {}
    for month, length in _DAYS_OF.items():
        last = {_FEBRUARY_28, length} if month == _FEBRUARY else {length}
        months_of.setdefault(tuple(sorted({*days} - {LAST_DAY} | last)), []).append(month)
    return tuple((_listed(named), _listed(months)) for named, months in months_of.items())


def _listed(values: Collection[int]) -> str:
    """Field that names exactly *values*: never with a star, which would make another kind of line."""
    ordered = sorted(values)
    steps = {after - before for before, after in pairwise(ordered)}
    if len(ordered) >= _SHORTEST_STEPS and len(steps) == 1 and steps != {1}:
        return f"{ordered[0]}-{ordered[-1]}/{steps.pop()}"
    runs: list[list[int]] = []
    for value in ordered:
        if runs and value == runs[-1][-1] + 1:
            runs[-1].append(value)
        else:
            runs.append([value])
    return ",".join(f"{run[0]}-{run[-1]}" if len(run) >= _SHORTEST_RANGE else ",".join(map(str, run)) for run in runs)


def _checked(schedule: Cron) -> str:
    """Take an expression over in numbers; what only its reader here knows (`L`, `5#2`, `5/15`) is refused."""
    fields = []
    for field, allowed, names in zip(schedule.expression.lower().split(), _RANGES, _NAMES, strict=True):
        parts = [_in_numbers(part, names, allowed.start) for part in field.split(",")]
        unknown = [part for part in parts if not _is_known(part, allowed)]
        if unknown:
            raise TriggerError(
                "schedule-not-sayable",
                scheduler="cron",
                schedule=schedule_text(schedule),
                reason=_(_UNKNOWN_TO_CRON).format(part=unknown[0].upper()),
                nearest=schedule_text(_nearest(schedule)),
            )
        fields.append(",".join(parts))
    return " ".join(fields)


def _in_numbers(part: str, names: tuple[str, ...], first: int) -> str:
    """*part* without names: older crons take them alone, and not in lists or ranges."""
    for number, name in enumerate(names, first):
        part = part.replace(name, str(number))
    return part


def _is_known(part: str, allowed: range) -> bool:
    found = _PART.fullmatch(part)
    if found is None:
        return False
    low, high, step = found.groups()
    if step is not None and (int(step) == 0 or (low is not None and high is None)):
        return False  # "5/15": cron fires at 5 alone
    first = allowed.start if low is None else int(low)
    last = first if high is None else int(high)
    return first in allowed and last in allowed and first <= last


def _nearest(schedule: Cron) -> Schedule:
    """What cron can say: a plain timetable of the same meaning, or the expression without what cron does not know."""
    plain = timetable_of(schedule.expression)
    if plain is not None:
        return plain
    minutes, hours, month_days, months, weekdays = schedule.expression.upper().split()
    minutes, hours = (
        re.sub(r"(?<![-*\d])(\d+)/", rf"\1-{last}/", field) for field, last in ((minutes, 59), (hours, 23))
    )
    month_days = month_days.replace("LW", "L").replace("L", "28-31")
    weekdays = re.sub(r"#\d|L", "", weekdays)
    return Cron(f"{minutes} {hours} {month_days} {months} {weekdays}")
