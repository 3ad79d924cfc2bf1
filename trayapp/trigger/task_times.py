"""A schedule as triggers of Windows' Task Scheduler, or the reason for which they cannot say it.

Two kinds of trigger keep to what a schedule means when clocks change:
- a calendar trigger fires once on each of its days at a wall clock time; of a time that
  comes twice the first counts, one that is left out fires at the transition (Microsoft's
  remarks on DailyTrigger and WeeklyTrigger). So do our wall clock times.
- a repetition counts real time from where it begins. It keeps to the minutes of the clock
  as long as every change of the clock is a multiple of its interval: an hour nearly
  everywhere, half an hour on Lord Howe.

So up to an hour, `every` is a repetition, where it is exact; everything else is one calendar
trigger for each wall clock time. A repetition may stand for several of them only between
06:00 and 21:00, when no clock on earth is changed.
"""

from __future__ import annotations

from datetime import date, datetime, time, timedelta

from trayapp import clock
from trayapp.errors import TriggerError
from trayapp.job.cron_fields import timetable_of
from trayapp.job.schedule import Cron, Daily, Every, Monthly, Weekly, follows_clock, wall_times
from trayapp.job.schedule_text import schedule_text
from trayapp.value import NamedTuple
from trayapp.wording.language import _
from trayapp.wording.mark import N_

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Literal

    from trayapp.job.schedule import Schedule

    TriggerKind = Literal["once", "day", "week", "month"]

TRIGGERS_AT_MOST = 48  # of one task: MS-TSCH 2.5.3, triggersType
ANCHOR = date(2024, 1, 1)  # where every trigger begins: a day gone by, so that one schedule is always one task

_HOUR = 60  # minutes
_DAY = 24 * _HOUR
_QUIET = range(6 * _HOUR, 21 * _HOUR)  # minutes of a day in which no zone changes its clock
_WHOLE_WEEK = 7  # days
_AT_LEAST = 3  # times in a row that are worth a repetition
_NIGHT_S = 12 * 3600  # longer than 00:00 to 06:00 with any change of the clock, and over before midnight
_MOMENT_S = 30  # a duration ends between two fires: whether its last instant counts, Windows' versions differ
_YEARS_AHEAD = 4
_STEPS = (1, 2, 5, 10, 15, 20, 30, 60)  # minutes of `every` up to an hour
_NAME = "Task Scheduler"

_TOO_MANY = N_("it has room for 48 times a day, and this takes {count}.")
_UNEVEN = N_("it counts minutes, and a clock that is changed by half an hour would shift them.")
_MIDNIGHT = N_("it counts minutes from midnight, and the clock is changed here around midnight of such a day.")
_OTHER_WORDS = N_("it knows no cron expressions, and this one is no plain timetable.")
_NIGHT_RULES = N_("where the clock is changed, cron would start it otherwise than a timetable does.")


class TaskTrigger(NamedTuple):
    """One trigger. *start* is a minute of the day; *days* are weekdays, 0 is Monday, or days of a month.

    With *every* it repeats at so many minutes, for *lasting_s* from *start*, or with 0 without end.
    """

    kind: TriggerKind
    start: int
    days: tuple[int, ...] = ()
    every: int = 0
    lasting_s: int = 0


def triggers_of(schedule: Schedule) -> tuple[TaskTrigger, ...]:
    """Triggers that together fire exactly when *schedule* does on this machine's clock.

    Raises: TriggerError `schedule-not-sayable` with the `reason` and the `nearest` schedule.
    """
    if isinstance(schedule, Cron):
        return _of_cron(schedule)
    if isinstance(schedule, Every) and follows_clock(schedule):
        return _on_clock(schedule)
    found = tuple(_by_wall_clock(schedule))
    if len(found) > TRIGGERS_AT_MOST:
        raise _refusal(schedule, _TOO_MANY, _sparser(schedule), count=len(wall_times(schedule)))
    return found


# ------------------------------------------------------------ as the clock runs


def _on_clock(schedule: Every) -> tuple[TaskTrigger, ...]:
    step, first = schedule.minutes, schedule.offset_minutes % schedule.minutes
    changes = list(_clock_changes())
    if any(change % step for change in changes):
        even = max(less for less in _STEPS if less < step and not any(change % less for change in changes))
        raise _refusal(schedule, _UNEVEN, schedule._replace(minutes=even, offset_minutes=first % even))
    if len(set(schedule.days)) in (0, _WHOLE_WEEK):
        return (TaskTrigger("once", first, every=step),)
    if _changes_around_midnight(schedule.days, first):
        raise _refusal(schedule, _MIDNIGHT, schedule._replace(days=()))
    # Two a day, since a day that begins with a change of the clock is an hour longer or
    # shorter: one counts from midnight into the day, one from the morning to midnight.
    morning = _QUIET.start + first
    return (
        TaskTrigger("week", first, schedule.days, step, _NIGHT_S),
        TaskTrigger("week", morning, schedule.days, step, (_DAY - step - _QUIET.start) * 60 + _MOMENT_S),
    )


def _clock_changes() -> Iterator[int]:
    """Minutes by which this machine's clock is changed, from the anchor to some years ahead."""
    last = clock.now().year + _YEARS_AHEAD
    before = None
    day = datetime.combine(ANCHOR, time(12))
    while day.year < last:
        offset = day.astimezone().utcoffset() or timedelta()
        if before is not None and offset != before:
            yield abs(offset - before) // timedelta(minutes=1)
        before = offset
        day += timedelta(days=1)


def _changes_around_midnight(days: Sequence[int], first: int) -> bool:
    """Tell whether on one of the weekdays *days* an evening is longer or shorter, or lacks minute *first*."""
    last = clock.now().year + _YEARS_AHEAD
    day = datetime.combine(ANCHOR, time())
    while day.year < last:
        following = day + timedelta(days=1)
        if day.weekday() in days:
            length_s = following.timestamp() - day.replace(hour=_QUIET.start // _HOUR).timestamp()
            begin = day.replace(minute=first % _HOUR)
            is_left_out = bool(first) and datetime.fromtimestamp(begin.timestamp()) != begin  # noqa: DTZ006  # a wall clock time
            if length_s != (_DAY - _QUIET.start) * 60 or is_left_out:
                return True
        day = following
    return False


# --------------------------------------------------------- by wall clock times


def _by_wall_clock(schedule: Every | Daily | Weekly | Monthly) -> Iterator[TaskTrigger]:
    kind: TriggerKind = "month" if isinstance(schedule, Monthly) else "day"
    days = () if isinstance(schedule, Daily) else schedule.days
    if kind == "day" and len(set(days)) not in (0, _WHOLE_WEEK):
        kind = "week"
    elif kind == "day":
        days = ()
    times = wall_times(schedule)
    is_short = isinstance(schedule, Every) and schedule.minutes <= _HOUR
    rows = _rows_of(times) if is_short or len(times) > TRIGGERS_AT_MOST else [(at,) for at in times]
    for row in rows:
        if len(row) < _AT_LEAST:
            yield from (TaskTrigger(kind, at, days) for at in row)
        else:
            yield TaskTrigger(kind, row[0], days, row[1] - row[0], (row[-1] - row[0]) * 60 + _MOMENT_S)


def _rows_of(times: Sequence[int]) -> list[tuple[int, ...]]:
    """Cut ascending *times* into rows of even steps by day; by night each stands alone."""
    rows: list[tuple[int, ...]] = []
    for at in times:
        row = rows[-1] if rows else ()
        is_next = bool(row) and row[0] in _QUIET and at in _QUIET
        if is_next and (len(row) == 1 or at - row[-1] == row[1] - row[0]):
            rows[-1] = (*row, at)
        else:
            rows.append((at,))
    return rows


def _sparser(schedule: Every | Daily | Weekly | Monthly) -> Schedule:
    """Nearest schedule that has room: the same days, and times that are as close as can be."""
    if isinstance(schedule, Monthly):
        return schedule._replace(at=_some_of(schedule.at))
    if not isinstance(schedule, Every):
        days = schedule.days if isinstance(schedule, Weekly) else ()
        first, end = schedule.at[0] // _HOUR, schedule.at[-1] // _HOUR + 1
        schedule = Every((end - first) * _HOUR // len(schedule.at), 0, days, (first, end))
    for step in _STEPS:
        wider = schedule._replace(minutes=step, offset_minutes=schedule.offset_minutes % step)
        if step >= schedule.minutes and len(tuple(_by_wall_clock(wider))) <= TRIGGERS_AT_MOST:
            return wider
    return schedule._replace(minutes=_HOUR, offset_minutes=0)


def _some_of(times: tuple[int, ...]) -> tuple[int, ...]:
    return times[:: -(-len(times) // TRIGGERS_AT_MOST)]


# ------------------------------------------------------------- cron expressions


def _of_cron(schedule: Cron) -> tuple[TaskTrigger, ...]:
    plain = timetable_of(schedule.expression)
    if plain is None:
        raise _refusal(schedule, _OTHER_WORDS, _near_cron(schedule.expression))
    # As cron(8) tells them apart: a star in front of minute or hour follows the clock as it runs.
    is_running = any(field.startswith("*") for field in schedule.expression.split()[:2])
    if isinstance(plain, Every) and follows_clock(plain):
        return triggers_of(plain if is_running else plain._replace(hours=(0, 24)))
    if is_running and any(at not in _QUIET for at in wall_times(plain)):
        raise _refusal(schedule, _NIGHT_RULES, plain)
    return triggers_of(plain)


def _near_cron(expression: str) -> Schedule:
    """Plain timetable near *expression*: its times of the day, on all days."""
    minutes, hours = expression.split()[:2]
    return timetable_of(f"{minutes} {hours} * * *") or timetable_of(f"0 {hours} * * *") or Every(_HOUR)


# --------------------------------------------------------------------- refusal


def _refusal(schedule: Schedule, reason: str, nearest: Schedule, **facts: object) -> TriggerError:
    return TriggerError(
        "schedule-not-sayable",
        scheduler=_NAME,
        schedule=schedule_text(schedule),
        reason=_(reason).format(**facts),
        nearest=schedule_text(nearest),
    )
