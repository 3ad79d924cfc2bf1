"""The tables `[schedule]` and `[window]` of a job file: when it fires, which data it takes."""

from __future__ import annotations

import sys
from datetime import UTC, date, datetime
from functools import cache

from trayapp import clock
from trayapp.job.fields import KEYS, Table, duration_s
from trayapp.job.model import WindowRule
from trayapp.job.schedule import LAST_DAY, Cron, Daily, Every, Monthly, Weekly, first_fire_from, wall_times

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from trayapp.job.model import CatchUp
    from trayapp.job.schedule import Schedule

    StartFor = Callable[[str, str | None], datetime]

CALENDAR_STEPS = ("1d", "1w", "1mo")
# What falls on the same minutes of each hour, or the same hours of each day. The grid of
# windows knows exactly these steps; a test holds the two lists together.
STEPS = {
    duration_s(step): step
    for step in ("1m", "2m", "5m", "10m", "15m", "20m", "30m", "1h", "2h", "3h", "4h", "6h", "8h", "12h")
}
_HOUR_S = 3600
_DAY_S = 86_400
_KINDS = ("every", "daily", "weekly", "monthly", "cron")
_WEEKDAYS = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")
_TIMES = '["02:30", "14:00"]'
_HOURS = '"08-18", "00-24"'
_MONTH_DAYS = '[1, 15, "last"]'
_CRON = "5 * * * *"
_CRON_FIELDS = 5
_START = "2026-09-04T10:00:00Z"
_MAX_PER_RUN = 100_000
_EARLIEST, _LATEST = datetime(1970, 1, 1, tzinfo=UTC), datetime(2100, 1, 1, tzinfo=UTC)
# Files beside the zones that are none: leap seconds counted, another zone on each machine.
_NOT_A_ZONE = ("right/", "posix/", "localtime", "posixrules", "Factory")


def take_schedule(job: Table) -> Schedule | None:
    """Schedule of the job; None where there is no `[schedule]`: a job that is run by hand."""
    if "schedule" not in job:
        return None
    table = job.table("schedule", KEYS["schedule"])
    kinds = [kind for kind in _KINDS if kind in table]
    if len(kinds) != 1:
        code = "job-schedule-several" if kinds else "job-schedule-empty"
        raise table.fault(code, kinds[1] if kinds else "", given=", ".join(kinds), allowed=", ".join(_KINDS))
    (kind,) = kinds
    for limit in ("offset", "days", "hours"):
        if limit in table and kind != "every":
            raise table.fault("job-schedule-limit", limit, given=kind, allowed="every")
    takers: dict[str, Callable[[Table], Schedule]] = {
        "every": _take_every,
        "daily": lambda table: Daily(_take_times(table, "daily")),
        "weekly": _take_weekly,
        "monthly": _take_monthly,
        "cron": _take_cron,
    }
    return takers[kind](table)


def take_window(job: Table, start_for: StartFor | None) -> WindowRule:
    """How the job's time is cut. *start_for* answers for a `start` that is left out."""
    table = job.table("window", KEYS["window"])
    step = _take_step(table)
    timezone = _take_timezone(table, step)
    catch_up = _take_catch_up(table)
    if catch_up == "none" and "schedule" not in job:
        raise table.fault("job-catch-up-without-schedule", "catch_up", allowed='"all", "latest"')
    return WindowRule(
        step,
        _take_start(table, step, timezone, start_for),
        timezone,
        table.seconds("lateness", "5m"),
        table.whole("max_per_run", WindowRule._field_defaults["max_per_run"], 1, _MAX_PER_RUN),
        catch_up,
    )


def _take_every(table: Table) -> Every:
    step = _take_even(table, "every", ())
    offset_s = table.seconds("offset", "0s")
    if offset_s % 60:
        raise table.fault("job-offset-seconds", "offset", allowed='"5m", "1h"')
    minutes = (duration_s(step) or 0) // 60
    rule = Every(
        minutes,
        offset_s // 60 % minutes,
        _take_weekdays(table) if "days" in table else (),
        _take_hours(table) if "hours" in table else None,
    )
    if not wall_times(rule):
        raise table.fault("job-schedule-never", "hours")
    return rule


def _take_even(table: Table, key: str, others: tuple[str, ...]) -> str:
    """Step in its usual writing ("60m" is "1h"), one of `STEPS` or *others*."""
    allowed = ", ".join(f'"{step}"' for step in (*STEPS.values(), *others))
    text = table.required(key, str, allowed)
    if text in others:
        return text
    length_s = duration_s(text)
    if length_s in STEPS:
        return STEPS[length_s]
    raise table.fault(_why_no_step(length_s), key, allowed=allowed)


def _why_no_step(length_s: int | None) -> str:
    if not length_s:
        return "job-duration-malformed"
    if length_s % 60:
        return "job-step-seconds"
    if length_s >= _DAY_S:
        return "job-step-long"
    is_even = _HOUR_S % length_s == 0 or (length_s % _HOUR_S == 0 and _DAY_S % length_s == 0)
    return "job-value-choice" if is_even else "job-step-uneven"


def _take_weekly(table: Table) -> Weekly:
    inner = table.table("weekly", ("days", "at"))
    return Weekly(_take_weekdays(inner), _take_times(inner, "at"))


def _take_monthly(table: Table) -> Monthly:
    inner = table.table("monthly", ("days", "at"))
    given: list[object] = inner.required("days", list, _MONTH_DAYS)
    if not given:
        raise inner.fault("job-list-empty", "days", allowed=_MONTH_DAYS)
    days = [LAST_DAY if day == "last" else day for day in given]
    whole = [day for day in days if type(day) is int and (day == LAST_DAY or 1 <= day <= 31)]  # noqa: PLR2004
    if len(whole) != len(given) or LAST_DAY in given:
        raise inner.fault("job-month-day", "days", allowed='1 … 31, "last"')
    ordered = sorted(set(whole), key=lambda day: (day == LAST_DAY, day))
    return Monthly(tuple(ordered), _take_times(inner, "at"))


def _take_cron(table: Table) -> Cron:
    from cronsim import CronSim, CronSimError  # noqa: PLC0415  # only jobs with `cron` pay for it

    text = table.text("cron", _CRON)
    fields = text.split()
    # CronSim takes six fields too, with seconds first: no backend can fire by the second.
    if len(fields) != _CRON_FIELDS:
        raise table.fault("job-cron-fields", "cron", allowed=f'"{_CRON}"')
    now = clock.now()
    try:
        CronSim(text, now)
        fire = first_fire_from(Cron(" ".join(fields)), now)
    except (CronSimError, ValueError, TypeError, AssertionError) as error:  # TypeError, AssertionError: "L/2", "L-3"
        part = _refused_part(str(error), fields)
        raise table.fault("job-cron-refused", "cron", part=part, allowed=f'"{_CRON}"') from error
    if fire is None:
        raise table.fault("job-schedule-never", "cron")
    return Cron(" ".join(fields))


def _refused_part(reason: str, fields: list[str]) -> str:
    """Part of an expression that cronsim's "Bad hour" means: it does not quote it itself."""
    names = ("minute", "hour", "day-of-month", "month", "day-of-week")
    return next((f'"{field}"' for name, field in zip(names, fields, strict=True) if reason == f"Bad {name}"), reason)


def _take_weekdays(table: Table) -> tuple[int, ...]:
    allowed = ", ".join(f'"{day}"' for day in _WEEKDAYS)
    days = table.items("days", str, f"[{allowed}]")
    if any(day not in _WEEKDAYS for day in days):
        raise table.fault("job-value-choice", "days", allowed=allowed)
    return _ascending(_WEEKDAYS.index(day) for day in days)


def _take_times(table: Table, key: str) -> tuple[int, ...]:
    minutes = [_minute_of_day(text) for text in table.items(key, str, _TIMES)]
    known = [minute for minute in minutes if minute is not None]
    if len(known) != len(minutes):
        raise table.fault("job-time-malformed", key, allowed='"00:00" … "23:59"')
    return _ascending(known)


def _minute_of_day(text: str) -> int | None:
    hour, colon, minute = text.partition(":")
    is_clock = bool(colon) and _is_two_digits(hour) and _is_two_digits(minute)
    if not is_clock or int(hour) > 23 or int(minute) > 59:  # noqa: PLR2004  # the clock's own numbers
        return None
    return int(hour) * 60 + int(minute)


def _take_hours(table: Table) -> tuple[int, int]:
    first, dash, end = table.required("hours", str, _HOURS).partition("-")
    is_written_right = bool(dash) and _is_two_digits(first) and _is_two_digits(end)
    if not is_written_right or not int(first) < int(end) <= 24:  # noqa: PLR2004  # the clock's own number
        raise table.fault("job-hours-malformed", "hours", allowed=_HOURS)
    return int(first), int(end)


def _is_two_digits(text: str) -> bool:
    return len(text) == 2 and text.isascii() and text.isdigit()  # noqa: PLR2004  # two, as the name says


def _ascending(values: Iterable[int]) -> tuple[int, ...]:
    return tuple(sorted(set(values)))


def _take_step(table: Table) -> str:
    return _take_even(table, "step", CALENDAR_STEPS)


def _take_timezone(table: Table, step: str) -> str | None:
    if step not in CALENDAR_STEPS:
        if "timezone" in table:
            raise table.fault("job-timezone-unneeded", "timezone", step=step, allowed=", ".join(CALENDAR_STEPS))
        return None
    if "timezone" not in table:
        raise table.fault("job-timezone-missing", "step", allowed='"Europe/Istanbul"')
    name = table.text("timezone", "Europe/Istanbul")
    if _is_zone(name):
        return name
    if not _is_zone("UTC"):
        raise table.fault("job-zone-data-missing", "timezone")
    raise table.fault("job-timezone-unknown", "timezone", allowed='"Europe/Istanbul", "Europe/Berlin"')


def _is_zone(name: str) -> bool:
    """Tell whether the zone database has *name*; asking it for all its names opens 600 files where it is no package."""
    from zoneinfo import ZoneInfo, ZoneInfoNotFoundError  # noqa: PLC0415  # only calendar steps pay for it

    if name.startswith(_NOT_A_ZONE):
        return False
    try:
        ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError):  # unknown; "../etc/passwd" and the like; a folder
        return False
    # Other systems' files bear their names in any case, Windows' also with spaces behind.
    return sys.platform == "linux" or name in _zone_names()


@cache
def _zone_names() -> frozenset[str]:
    from zoneinfo import available_timezones  # noqa: PLC0415  # as above

    return frozenset(available_timezones())


def _take_start(table: Table, step: str, timezone: str | None, start_for: StartFor | None) -> datetime:
    if "start" not in table:
        if start_for is None:
            raise table.fault("job-start-missing", "start", allowed=_START)
        return start_for(step, timezone)
    value = table.value("start")
    if type(value) is date or (isinstance(value, datetime) and value.tzinfo is None):
        raise table.fault("job-start-without-zone", "start", allowed=_START)
    if not isinstance(value, datetime):
        raise table.fault("job-value-type", "start", allowed=_START)
    if value.microsecond or not _EARLIEST <= value < _LATEST:
        raise table.fault("job-start-range", "start", allowed="1970-01-01T00:00:00Z … 2099-12-31T23:59:59Z")
    return value.astimezone(UTC)


def _take_catch_up(table: Table) -> CatchUp:
    words: tuple[CatchUp, ...] = ("all", "latest", "none")
    word = table.choice("catch_up", words, default="all")
    return next(known for known in words if known == word)
