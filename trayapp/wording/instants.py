"""Instants, windows and durations as people read them.

Here, at the edge, UTC becomes local time: of the machine, or of a job's zone when one is
given. A wall time that the clock shows twice (an autumn night) carries its offset.
"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from trayapp.wording.language import _, ngettext_, spoken_language
from trayapp.wording.mark import N_
from trayapp.wording.numbers import show_number, turkish_suffix

TYPE_CHECKING = False
if TYPE_CHECKING:
    from datetime import date, tzinfo

    from trayapp.wording.numbers import Case

_DAY = timedelta(days=1)
_MOMENT = timedelta(microseconds=1)
_MONTHS = (
    N_("January {year}"),
    N_("February {year}"),
    N_("March {year}"),
    N_("April {year}"),
    N_("May {year}"),
    N_("June {year}"),
    N_("July {year}"),
    N_("August {year}"),
    N_("September {year}"),
    N_("October {year}"),
    N_("November {year}"),
    N_("December {year}"),
)
_NEAR_DAYS = {-1: N_("yesterday"), 0: N_("today"), 1: N_("tomorrow")}


def show_instant(at: datetime, zone: tzinfo | None = None, *, now: datetime | None = None, case: Case = "") -> str:
    """Write date and time: `04.09.2026 12:05`; near *now*, where that is given, `today 12:05`.

    *case* adds the Turkish ending (`04.09.2026 12:05'te`) and changes nothing in English.
    """
    return f"{_show_day(at, zone, now)} {show_time(at, zone, case)}"


def show_time(at: datetime, zone: tzinfo | None = None, case: Case = "") -> str:
    """Write the time of the day: `12:05`, in Turkish with the ending that *case* asks for."""
    local = _localize(at, zone)
    return f"{local:%H:%M}{_time_suffix(local, case)}{_offset_if_ambiguous(local, zone)}"


def show_near(at: datetime, now: datetime, case: Case = "") -> str:
    """Write an instant as short as it can be said at *now*, for the middle of a sentence.

    `12:05` today, else `yarın 12:05'te` in Turkish and `12:05 tomorrow` in English.
    """
    if at.astimezone().date() == now.astimezone().date():
        return show_time(at, case=case)
    text = show_instant(at, now=now, case=case)
    if spoken_language() == "tr":
        return text
    day, _blank, time = text.partition(" ")
    return f"{time} {day}" if day.isalpha() else f"{time} on {day}"


def show_date(at: datetime, zone: tzinfo | None = None, case: Case = "") -> str:
    """Write the day: `04.09.2026`, in Turkish with the ending that *case* asks for."""
    local = _localize(at, zone)
    return _write_date(local.date()) + (turkish_suffix(local.year, case) if spoken_language() == "tr" else "")


def show_window(start: datetime, end: datetime, zone: tzinfo | None = None, *, now: datetime | None = None) -> str:
    """Write a window: `04.09.2026 10:00–11:00`, a whole day as `04.09.2026`, a month by name.

    Several whole days are written with the last day that belongs to them.
    """
    if _begins_a_day(start, zone) and _begins_a_day(end, zone):
        return _show_whole_days(start, end, zone, now)
    first, last = _localize(start, zone), _localize(end, zone)
    times = [_write_time(local) + _offset_if_ambiguous(local, zone) for local in (first, last)]
    if first.date() == _localize(end - _MOMENT, zone).date():
        return f"{_show_day(start, zone, now)} {times[0]}–{times[1]}"
    return f"{_show_day(start, zone, now)} {times[0]} – {_show_day(end, zone, now)} {times[1]}"


def show_duration(seconds: float) -> str:
    """Write how long something took, in its two largest units: `3 min 12 s`, `2 hours`."""
    if seconds < 0:
        return "-" + show_duration(-seconds)
    if seconds < 0.1:  # noqa: PLR2004  # below, tenths of a second would say nothing
        return _("{number} ms").format(number=round(seconds * 1000))
    if seconds < 10:  # noqa: PLR2004  # above, whole seconds say enough
        tenths = round(float(seconds), 1)
        return _("{number} s").format(number=show_number(tenths, 0 if tenths.is_integer() else 1))
    return _show_long_duration(round(seconds))


def _show_long_duration(whole_s: int) -> str:
    minutes, seconds = divmod(whole_s, 60)
    hours, minutes = divmod(minutes, 60)
    days, hours = divmod(hours, 24)
    parts = [
        ngettext_("{number} day", "{number} days", days).format(number=show_number(days)) if days else "",
        ngettext_("{number} hour", "{number} hours", hours).format(number=hours) if hours else "",
        _("{number} min").format(number=minutes) if minutes else "",
        _("{number} s").format(number=seconds) if seconds else "",
    ]
    largest = next(index for index, part in enumerate(parts) if part)
    return " ".join(filter(None, parts[largest : largest + 2]))


def _show_whole_days(start: datetime, end: datetime, zone: tzinfo | None, now: datetime | None) -> str:
    first, last = _localize(start, zone).date(), _localize(end - _MOMENT, zone).date()
    if first == last:
        return _show_day(start, zone, now)
    if first.day == 1 and last == _last_of_month(first):
        return _(_MONTHS[first.month - 1]).format(year=first.year)
    return f"{_write_date(first)}–{_write_date(last)}"


def _last_of_month(day: date) -> date:
    return (day.replace(day=28) + 4 * _DAY).replace(day=1) - _DAY


def _localize(at: datetime, zone: tzinfo | None) -> datetime:
    try:
        return at.astimezone(zone)
    except (OSError, OverflowError, ValueError):  # the C library of Windows knows no time before 1970
        return at.astimezone(UTC)


def _begins_a_day(at: datetime, zone: tzinfo | None) -> bool:
    """Tell whether a local day begins here, also where the clock jumps over midnight."""
    return _localize(at, zone).date() != _localize(at - _MOMENT, zone).date()


def _show_day(at: datetime, zone: tzinfo | None, now: datetime | None) -> str:
    day = _localize(at, zone).date()
    if now is not None:
        distance = (day - _localize(now, zone).date()).days
        if distance in _NEAR_DAYS:
            return _(_NEAR_DAYS[distance])
    return _write_date(day)


def _write_date(day: date) -> str:
    return f"{day.day:02}.{day.month:02}.{day.year:04}"  # strftime writes the year 900 as 900 on Linux


def _write_time(local: datetime) -> str:
    return f"{local:%H:%M:%S}" if local.second else f"{local:%H:%M}"


def _time_suffix(local: datetime, case: Case) -> str:
    """Ending of a time: the minute is spoken last, the hour when there is none."""
    return turkish_suffix(local.minute or local.hour, case) if spoken_language() == "tr" else ""


def _offset_if_ambiguous(local: datetime, zone: tzinfo | None) -> str:
    both = [local.replace(tzinfo=zone, fold=fold) for fold in (0, 1)]
    try:
        offsets = {(wall if zone else wall.astimezone()).utcoffset() for wall in both}
    except (OSError, OverflowError, ValueError):  # as in _localize, so this is UTC
        return " (UTC)"
    return f" ({_utc_offset(local)})" if len(offsets) > 1 else ""


def _utc_offset(local: datetime) -> str:
    minutes = (local.utcoffset() or timedelta()) // timedelta(minutes=1)
    hours, rest = divmod(abs(minutes), 60)
    sign = "-" if minutes < 0 else "+"
    return f"UTC{sign}{hours}" + (f":{rest:02}" if rest else "") if minutes else "UTC"
