"""Task Scheduler as its documentation has it: when a document's triggers fire, read apart from what wrote it.

- A calendar trigger fires on each of its days at a local time. Of a time that comes twice
  the first counts; one that the clock leaves out fires at the first instant behind it
  (Microsoft's remarks on DailyTrigger, WeeklyTrigger and MonthlyTrigger).
- A repetition begins with its trigger and counts real time; a fire at the very end of its
  duration counts too (remarks on "Repeating a task"), and without a duration it never ends.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import UTC, date, datetime, timedelta
from xml.etree import ElementTree as ET
from xml.etree.ElementTree import Element

from tests.job.clock_reading import DAY, Stretch

_NS = "{http://schemas.microsoft.com/windows/2004/02/mit/task}"
_WEEK = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"]
_UNITS = {"D": 86_400, "H": 3600, "M": 60, "S": 1}


def task_fires(document: bytes, over: list[Stretch], start: datetime, end: datetime) -> list[datetime]:
    """Instants of `[start, end)` at which the task starts, ascending, each once."""
    task = ET.fromstring(document.decode("utf-16").partition("?>")[2])
    found = set()
    for trigger in task.find(_NS + "Triggers") or ():
        found.update(fire for fire in _of_trigger(trigger, over, start, end) if start <= fire < end)
    return sorted(found)


def _of_trigger(trigger: Element, over: list[Stretch], start: datetime, end: datetime) -> Iterator[datetime]:
    anchor = datetime.fromisoformat(_text(trigger, "StartBoundary"))
    assert anchor.tzinfo is None, "with an offset it would not be local time"
    repetition = trigger.find(_NS + "Repetition")
    if trigger.tag == _NS + "TimeTrigger":
        assert repetition is not None, "it would fire once"
        yield from _repeated(_instant(anchor, over), repetition, start, end)
        return
    day = max(anchor.date(), (start - 2 * DAY).date())
    while day <= (end + DAY).date():
        if _is_on(trigger, day):
            first = _instant(datetime.combine(day, anchor.time()), over)
            if repetition is None:
                yield first
            else:
                yield from _repeated(first, repetition, start, end)
        day += DAY


def _repeated(first: datetime, repetition: Element, start: datetime, end: datetime) -> Iterator[datetime]:
    interval = _length(_text(repetition, "Interval"))
    lasting = repetition.find(_NS + "Duration")
    last = end if lasting is None else first + _length(lasting.text or "")
    at = first + max(0, (start - first) // interval) * interval
    while at <= min(last, end):
        yield at
        at += interval


def _is_on(trigger: Element, day: date) -> bool:
    week = trigger.find(f"{_NS}ScheduleByWeek/{_NS}DaysOfWeek")
    month = trigger.find(f"{_NS}ScheduleByMonth")
    if week is not None:
        return _WEEK[day.weekday()] in {child.tag.removeprefix(_NS) for child in week}
    if month is not None:
        assert len(month.find(_NS + "Months") or ()) == 12
        days = {child.text for child in month.iter(_NS + "Day")}
        return str(day.day) in days or ("Last" in days and (day + DAY).day == 1)
    assert _text(trigger, f"ScheduleByDay/{_NS}DaysInterval") == "1"
    return True


def _instant(wall: datetime, over: list[Stretch]) -> datetime:
    """First instant whose local time is *wall*, or the change of the clock that left it out."""
    local = wall.replace(tzinfo=UTC)
    for stretch in over:
        at = local - stretch.offset
        if at < stretch.start:
            return stretch.start
        if at < stretch.end:
            return at
    raise AssertionError("beyond what was asked for")


def _length(text: str) -> timedelta:
    assert re.fullmatch(r"P(\d+D)?(T(\d+H)?(\d+M)?(\d+S)?)?", text)
    days, _, clock = text.removeprefix("P").partition("T")
    parts = re.findall(r"(\d+)([DHMS])", days) + re.findall(r"(\d+)([DHMS])", clock)
    return timedelta(seconds=sum(int(number) * _UNITS[unit] for number, unit in parts))


def _text(element: Element, path: str) -> str:
    found = element.find(_NS + path)
    assert found is not None
    return found.text or ""
