"""When a foreign task of Windows starts, as a schedule: exactly that, or why it cannot be one.

A calendar trigger fires at wall clock times. A repetition counts real time from where it
begins: it is a timetable where no change of the clock comes in between.
"""

from __future__ import annotations

import re

from trayapp import clock
from trayapp.errors import TriggerError
from trayapp.job.schedule import LAST_DAY, Daily, Every, Monthly, Weekly
from trayapp.trigger.task_reading import name_of, text_at
from trayapp.trigger.task_schema import seconds_of
from trayapp.trigger.task_times import triggers_of
from trayapp.trigger.task_xml import DAYS, MONTHS, NAMESPACE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from xml.etree.ElementTree import Element

    from trayapp.job.schedule import Schedule

_DAY = 24 * 60  # minutes
_HOUR = 60
_QUIET = range(6 * 60, 21 * 60)  # minutes of a day in which no zone changes its clock
_BOUNDARY = re.compile(r"\d{4}-\d\d-\d\dT(\d\d):(\d\d):\d\d(?:\.\d+)?(Z|[+-]\d\d:\d\d)?")
_OFF = ("false", "0")


def task_schedule(task: Element) -> Schedule:
    """Schedule of *task*'s triggers.

    Raises: TriggerError `adopt-on-demand`, `adopt-boot`, `adopt-log-on`, `adopt-event`, `adopt-once`,
    `adopt-bounded`, `adopt-fixed-clock` or `adopt-task-times`.
    """
    triggers = [one for one in task.iterfind(_path("Triggers", "*")) if text_at(one, "Enabled").strip() not in _OFF]
    if not triggers:
        raise TriggerError("adopt-on-demand")
    schedules = [_of_trigger(trigger) for trigger in triggers]
    first = schedules[0]
    if len(schedules) == 1:
        return first
    if isinstance(first, Every) or any(_days_of(one) != _days_of(first) for one in schedules):
        raise TriggerError("adopt-task-times")
    at = tuple(sorted({minute for one in schedules if not isinstance(one, Every) for minute in one.at}))
    return first._replace(at=at)


def _of_trigger(trigger: Element) -> Daily | Weekly | Monthly | Every:
    kind = name_of(trigger)
    if kind not in ("CalendarTrigger", "TimeTrigger"):
        raise _no_clock(kind)
    start = _start_of(trigger)
    interval, duration = (
        seconds_of(text_at(trigger, f"Repetition/{name}").strip()) for name in ("Interval", "Duration")
    )
    is_stopped = text_at(trigger, "Repetition/StopAtDurationEnd").strip() not in ("", *_OFF)
    if text_at(trigger, "RandomDelay").strip() or (interval or 0) % 60 or (is_stopped and duration):
        raise TriggerError("adopt-task-times")
    if kind == "TimeTrigger":
        if interval is None or duration is not None:
            raise TriggerError("adopt-once")
        return _running(start, interval // 60)
    days = _days(trigger)
    if interval is None:
        return _timetable(days, (start,))
    if duration is None or duration >= _DAY * 60:
        if days is not None:
            raise TriggerError("adopt-task-times")
        return _running(start, interval // 60)
    times = tuple(range(start, start + duration // 60 + 1, interval // 60))  # a fire at its very end counts, too
    if not all(at in _QUIET for at in times):
        raise TriggerError("adopt-task-times")
    return _timetable(days, times)


def _no_clock(kind: str) -> TriggerError:
    if kind == "BootTrigger":
        return TriggerError("adopt-boot")
    return TriggerError("adopt-log-on") if kind == "LogonTrigger" else TriggerError("adopt-event")


def _start_of(trigger: Element) -> int:
    """Minute of the day at which *trigger* begins; seconds are left out."""
    text = text_at(trigger, "StartBoundary").strip()
    found = _BOUNDARY.fullmatch(text)
    if found is None:
        raise TriggerError("adopt-task-times")
    if found[3]:
        raise TriggerError("adopt-fixed-clock")
    today = clock.now().astimezone().strftime("%Y-%m-%dT%H:%M:%S")
    if text_at(trigger, "EndBoundary").strip() or text[: len(today)] > today:
        raise TriggerError("adopt-bounded")
    return int(found[1]) * _HOUR + int(found[2])


def _running(start: int, minutes: int) -> Every:
    """Repetition without an end: `every` says the same where the minutes of the hour stay what they are."""
    if not minutes or _HOUR % minutes:
        raise TriggerError("adopt-task-times")
    schedule = Every(minutes, start % minutes)
    try:
        triggers_of(schedule)  # which knows whether the clock here is changed by something else than hours
    except TriggerError:
        raise TriggerError("adopt-task-times") from None
    return schedule


def _timetable(days: tuple[str, tuple[int, ...]] | None, at: tuple[int, ...]) -> Daily | Weekly | Monthly:
    if days is None:
        return Daily(at)
    return Weekly(days[1], at) if days[0] == "week" else Monthly(days[1], at)


def _days(trigger: Element) -> tuple[str, tuple[int, ...]] | None:
    """Days of the week or of the month that *trigger* names, None for all."""
    week, month = trigger.find(_path("ScheduleByWeek")), trigger.find(_path("ScheduleByMonth"))
    if trigger.find(_path("ScheduleByDay")) is not None and text_at(trigger, "ScheduleByDay/DaysInterval") in ("", "1"):
        return None
    if week is not None and text_at(week, "WeeksInterval").strip() in ("", "1"):
        named = {name_of(day) for day in week.iterfind(_path("DaysOfWeek", "*"))}
        if named:
            return "week", tuple(number for number, day in enumerate(DAYS) if day in named)
    if month is not None:
        months = {name_of(one) for one in month.iterfind(_path("Months", "*"))}
        texts = [(day.text or "").strip() for day in month.iterfind(_path("DaysOfMonth", "Day"))]
        if texts and months in (set(), set(MONTHS)):
            numbers = sorted({int(text) for text in texts if text.isdigit()})
            return "month", (*numbers, *([LAST_DAY] if "Last" in texts else []))
    raise TriggerError("adopt-task-times")


def _days_of(schedule: Daily | Weekly | Monthly | Every) -> object:
    return type(schedule), () if isinstance(schedule, Daily) else schedule.days


def _path(*names: str) -> str:
    return "/".join(name if name == "*" else f"{{{NAMESPACE}}}{name}" for name in names)
