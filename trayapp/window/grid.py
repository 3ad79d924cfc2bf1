"""The grid that cuts UTC into windows: where each one begins and ends.

Lines are strictly ascending instants, so two neighbours are always one half-open window:
nothing lies between windows, nothing in two of them, and none is empty. Sub-day steps are
cut from the epoch and know no clock change; calendar steps follow the local date of a zone.

Why 45m, 90m and 36h are no steps though two of them divide a day: their lines fall beside
the clock hours (10:30, 11:15), where no native scheduler fires evenly (cron's `*/45` fires
at :00 and :45), so windows would wait for a time that nobody could tell.
"""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta

from trayapp.clock import EPOCH
from trayapp.errors import SetupError, StateError
from trayapp.value import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from zoneinfo import ZoneInfo

_SUB_DAY = {f"{n}m": timedelta(minutes=n) for n in (1, 2, 5, 10, 15, 20, 30)} | {
    f"{n}h": timedelta(hours=n) for n in (1, 2, 3, 4, 6, 8, 12)
}
CALENDAR_STEPS = ("1d", "1w", "1mo")
STEPS = (*_SUB_DAY, *CALENDAR_STEPS)

_DAY = timedelta(days=1)
_WEEK = timedelta(days=7)
_SECOND = timedelta(seconds=1)
# Debian's folder holds more than zone names. `right/` counts leap seconds, so its midnights
# lie 27 s off; `localtime` is another zone on the next machine; the rest doubles other names.
_NOT_A_ZONE = ("right/", "posix/", "localtime", "posixrules")


class Window(NamedTuple):
    """Half-open interval `[start, end)` of aware UTC instants, never empty."""

    start: datetime
    end: datetime


class Grid:
    """Lines that cut time: strictly ascending, aware UTC, without an end in either direction."""

    __slots__ = ()

    def lines_after(self, at: datetime) -> Iterator[datetime]:
        """Yield every line later than *at*, ascending and without end; the caller stops."""
        raise NotImplementedError

    def line_at_or_before(self, at: datetime) -> datetime:
        """Return the largest line that is not later than *at*."""
        raise NotImplementedError

    def line_after(self, at: datetime) -> datetime:
        """Return the smallest line later than *at*."""
        return next(self.lines_after(at))

    def is_line(self, at: datetime) -> bool:
        """Tell whether a window begins at *at*, and another ends there."""
        return self.line_at_or_before(at) == at


class EpochGrid(Grid):
    """Lines a fixed time apart, counted from 1970-01-01T00:00Z: the same in every zone."""

    __slots__ = ("_step",)

    def __init__(self, step: timedelta) -> None:
        self._step = step

    def lines_after(self, at: datetime) -> Iterator[datetime]:
        """Yield every line later than *at*; an addition each, since a catch-up asks for thousands."""
        step = self._step
        line = self.line_at_or_before(at)
        while True:
            line += step
            yield line

    def line_at_or_before(self, at: datetime) -> datetime:
        """Return the largest line that is not later than *at*."""
        return EPOCH + (at - EPOCH) // self._step * self._step


class CalendarGrid(Grid):
    """Lines at local midnights of an IANA zone: of each day, each Monday or each first of a month.

    The line of a date is the first instant at which the clocks of the zone show that date or a
    later one. So of a midnight that comes twice the first counts (`fold=0`), for one that is
    left out the transition stands, and a date that is left out whole (Pacific/Apia 2011-12-30)
    shares its line with the next: no window is empty and none is lost.

    Raises: StateError `time-zone-unknown` when the database has no such zone; SetupError
    `time-zone-data-missing` when there is no database. Never another zone in its place.
    """

    __slots__ = ("_step", "_zone")

    def __init__(self, step: str, timezone: str) -> None:
        self._step = step
        self._zone = _load_zone(timezone)

    def lines_after(self, at: datetime) -> Iterator[datetime]:
        """Yield every line later than *at*, ascending and without end; the caller stops."""
        first = self._first_date(at)
        while True:
            first = self._next_date(first)
            line = self._midnight(first)
            # Not later: the date was left out, or *at* lies in an hour that reads as the date before.
            if line > at:
                at = line
                yield line

    def line_at_or_before(self, at: datetime) -> datetime:
        """Return the largest line that is not later than *at*."""
        first = self._first_date(at)
        line = self._midnight(first)
        while True:
            first = self._next_date(first)
            following = self._midnight(first)
            if following > at:
                return line
            line = following

    def _first_date(self, at: datetime) -> date:
        """First local date of the period that the clocks show at *at*; its line is not later."""
        shown = at.astimezone(self._zone).date()
        if self._step == "1mo":
            return shown.replace(day=1)
        return shown if self._step == "1d" else shown - _DAY * shown.weekday()

    def _next_date(self, first: date) -> date:
        if self._step == "1mo":
            return date(first.year + first.month // 12, first.month % 12 + 1, 1)
        return first + (_DAY if self._step == "1d" else _WEEK)

    def _midnight(self, shown: date) -> datetime:
        midnight = datetime(shown.year, shown.month, shown.day, tzinfo=self._zone)
        offset, later = midnight.utcoffset(), midnight.replace(fold=1).utcoffset()
        if later is None or offset is None or later <= offset:
            return midnight.astimezone(UTC)
        # A gap (PEP 495: only there is the later offset the larger). With `fold=0` Python counts on
        # with the old offset and would land as far behind the transition as midnight lies in the gap.
        wall = midnight.replace(tzinfo=UTC)
        return self._first_instant_of(shown, before=wall - later, until=wall - offset)

    def _first_instant_of(self, shown: date, before: datetime, until: datetime) -> datetime:
        """First second in `(before, until]` at which the clocks show *shown* or a later date."""
        low, high = 0, (until - before) // _SECOND
        while high - low > 1:
            middle = (low + high) // 2
            if (before + middle * _SECOND).astimezone(self._zone).date() >= shown:
                high = middle
            else:
                low = middle
        return before + high * _SECOND


def grid_of(step: str, timezone: str | None) -> Grid:
    """Build the grid of a checked job's *step*: one of `STEPS`, calendar ones with their zone.

    Raises: StateError `time-zone-unknown`, SetupError `time-zone-data-missing`; ValueError for a
    step or a missing zone that no checked job has.
    """
    length = _SUB_DAY.get(step)
    if length is not None:
        return EpochGrid(length)
    if step not in CALENDAR_STEPS or timezone is None:
        message = f"no grid of step {step!r} in zone {timezone!r}"
        raise ValueError(message)
    return CalendarGrid(step, timezone)


def _load_zone(name: str) -> ZoneInfo:
    from zoneinfo import ZoneInfo, ZoneInfoNotFoundError  # noqa: PLC0415  # only calendar steps pay for it

    # What ZoneInfo may answer for a wrong name: not found; ValueError for "../etc/passwd", a NUL and a
    # file that is no zone; OSError for a folder ("Europe") and a name too long for the file system.
    refused = (ZoneInfoNotFoundError, ValueError, OSError)
    try:
        if name and not name.startswith(_NOT_A_ZONE):
            return ZoneInfo(name)
        reason = "not an IANA name"
    except refused as error:
        reason = str(error)
    try:
        ZoneInfo("UTC")
    except refused as error:
        raise SetupError("time-zone-data-missing", timezone=name, reason=str(error)) from None
    raise StateError("time-zone-unknown", timezone=name, reason=reason) from None
