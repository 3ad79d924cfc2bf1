"""From instants to pixels and back, and the lines of the clock across the strips."""

from __future__ import annotations

from datetime import date, datetime, time, timedelta
from typing import TYPE_CHECKING, Final

from PySide6.QtCore import QDate, QLocale

from trayapp import clock
from trayapp.value import NamedTuple
from trayapp.wording.instants import show_time
from trayapp.wording.language import spoken_language

if TYPE_CHECKING:
    from collections.abc import Iterator

HOUR_S: Final = 3600.0
DAY_S: Final = 24 * HOUR_S
SPANS: Final = {"6h": 6 * HOUR_S, "day": 25 * HOUR_S, "week": 7 * DAY_S, "month": 31 * DAY_S}
LEAST_SPAN_S: Final = HOUR_S
MOST_SPAN_S: Final = 400 * DAY_S
_LABEL_ROOM = 58  # pixels that a label of the clock needs
_DAY_LABEL_SHARE = 0.85  # of that room, for the label of a day
_STEPS_M = (5, 10, 15, 30, 60, 120, 180, 360, 720)
_DAY_STEPS = (1, 2, 7, 14, 30, 60, 120)
_AHEAD = 0.04  # of the span lies in the future when now is shown


class Scale(NamedTuple):
    """Which instant is at which pixel: pixels are counted from 1970, so that a picture of a stretch stays right."""

    origin_px: int  # that is at the left edge
    second_per_px: float
    width: int

    def x_of(self, at_s: float) -> int:
        """Pixel of an instant, from the left edge."""
        return int(at_s // self.second_per_px) - self.origin_px

    def at(self, x: float) -> float:
        """Instant at a pixel."""
        return (self.origin_px + x) * self.second_per_px

    @property
    def since_s(self) -> float:
        """Instant at the left edge."""
        return self.origin_px * self.second_per_px

    @property
    def until_s(self) -> float:
        """Instant at the right edge."""
        return self.at(self.width)

    @property
    def span_s(self) -> float:
        """Seconds from edge to edge."""
        return self.width * self.second_per_px

    def moved(self, pixels: int) -> Scale:
        """The same, further to the left (negative) or right."""
        return self._replace(origin_px=self.origin_px + pixels)

    def zoomed(self, factor: float, x: float) -> Scale:
        """More (below 1) or less detail, with the instant at *x* staying where it is."""
        span_s = min(max(self.span_s * factor, LEAST_SPAN_S), MOST_SPAN_S)
        at_s, second_per_px = self.at(x), span_s / max(self.width, 1)
        return Scale(round(at_s / second_per_px - x), second_per_px, self.width)

    def resized(self, width: int) -> Scale:
        """The same span from edge to edge, with the right edge where it was."""
        return ending_at(self.until_s, self.span_s, width) if self.width else self._replace(width=width)


def ending_at(until_s: float, span_s: float, width: int) -> Scale:
    """Scale that shows *span_s* up to *until_s*."""
    second_per_px = span_s / max(width, 1)
    return Scale(round(until_s / second_per_px) - width, second_per_px, width)


def around_now(now: datetime, span_s: float, width: int) -> Scale:
    """Scale that shows the last *span_s*, and a little of what is to come."""
    return ending_at(now.timestamp() + span_s * _AHEAD, span_s, width)


class Tick(NamedTuple):
    """A line of the clock: `label` is its time, `day` the day or month that begins there, `short` for less room."""

    at_s: float
    label: str = ""
    day: str = ""
    short: str = ""


def ticks_of(scale: Scale) -> list[Tick]:
    """Lines of the clock in sight, as far apart as their labels need."""
    room_s = _LABEL_ROOM * scale.second_per_px
    step_m = next((step for step in _STEPS_M if step * 60 >= room_s), None)
    first = clock.from_epoch(scale.since_s).astimezone().date()
    if step_m is None:
        room_s *= _DAY_LABEL_SHARE
        step_d = next((step for step in _DAY_STEPS if step * DAY_S >= room_s), _DAY_STEPS[-1])
        return list(_days(scale, first, step_d))
    return list(_times(scale, first, step_m))


def day_words(day: date, *, is_short: bool = False) -> str:
    """Write a day of the axis: `4 Eylül Cuma`, `Friday 4 September`."""
    whole = "d MMMM dddd" if spoken_language() == "tr" else "dddd d MMMM"
    form = "d MMM" if is_short else whole
    return QLocale().toString(_qdate(day), form)


def _times(scale: Scale, first: date, step_m: int) -> Iterator[Tick]:
    day, until = first, clock.from_epoch(scale.until_s)
    while (midnight := _local(day, 0)) <= until:
        known = None
        for minute in range(0, 1440, step_m):
            at = _local(day, minute)
            if at == known:
                continue  # an hour that the clock leaves out
            known = at
            at_s = at.timestamp()
            if scale.since_s <= at_s <= scale.until_s or (at == midnight and at_s < scale.since_s and day == first):
                names = (day_words(day), _short_day(day)) if at == midnight else ()
                yield Tick(at_s, show_time(at), *names)
        day += timedelta(days=1)


def _days(scale: Scale, first: date, step_d: int) -> Iterator[Tick]:
    day = first - timedelta(days=first.toordinal() % step_d)
    month = first.replace(day=1)
    while (at_s := _local(day, 0).timestamp()) <= scale.until_s:
        begins = month if day >= month else None
        if begins is not None:
            names = (QLocale().toString(_qdate(begins), form) for form in ("MMMM yyyy", "MMM"))
            yield Tick(_local(begins, 0).timestamp(), "", *names)
            month = (begins.replace(day=28) + timedelta(days=4)).replace(day=1)
        if at_s >= scale.since_s:
            yield Tick(at_s, day_words(day, is_short=True))
        day += timedelta(days=step_d)


def _short_day(day: date) -> str:
    form = "d MMM ddd" if spoken_language() == "tr" else "ddd d MMM"
    return QLocale().toString(_qdate(day), form)


def _qdate(day: date) -> QDate:
    return QDate(day.year, day.month, day.day)


def _local(day: date, minute: int) -> datetime:
    return datetime.combine(day, time(minute // 60, minute % 60)).astimezone()
