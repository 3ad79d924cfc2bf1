"""A schedule as the table `[schedule]` of a job file says it: `every = "15m", hours = "08-18"`."""

from __future__ import annotations

from trayapp.job.schedule import LAST_DAY, Cron, Daily, Every, Weekly

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from trayapp.job.schedule import Schedule

_HOUR = 60  # minutes
_WEEKDAYS = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")


def schedule_text(schedule: Schedule) -> str:
    """Keys and values of *schedule* on one line; between braces it is TOML and means the same schedule."""
    if isinstance(schedule, Cron):
        return f'cron = "{schedule.expression}"'
    if isinstance(schedule, Daily):
        return f"daily = {_times(schedule.at)}"
    if isinstance(schedule, Weekly):
        return f"weekly = {{ days = {_weekdays(schedule.days)}, at = {_times(schedule.at)} }}"
    if isinstance(schedule, Every):
        return _every_text(schedule)
    days = ", ".join('"last"' if day == LAST_DAY else str(day) for day in schedule.days)
    return f"monthly = {{ days = [{days}], at = {_times(schedule.at)} }}"


def _every_text(schedule: Every) -> str:
    parts = [f'every = "{_length(schedule.minutes)}"']
    if schedule.offset_minutes:
        parts.append(f'offset = "{_length(schedule.offset_minutes)}"')
    if schedule.days:
        parts.append(f"days = {_weekdays(schedule.days)}")
    if schedule.hours:
        first, end = schedule.hours
        parts.append(f'hours = "{first:02}-{end:02}"')
    return ", ".join(parts)


def _length(minutes: int) -> str:
    return f"{minutes}m" if minutes % _HOUR else f"{minutes // _HOUR}h"


def _weekdays(days: Iterable[int]) -> str:
    return "[" + ", ".join(f'"{_WEEKDAYS[day]}"' for day in days) + "]"


def _times(at: Iterable[int]) -> str:
    return "[" + ", ".join(f'"{minute // _HOUR:02}:{minute % _HOUR:02}"' for minute in at) + "]"
