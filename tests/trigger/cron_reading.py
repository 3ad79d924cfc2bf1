"""cron's own rules, written down a second time from crontab(5) and cron(8): what a line does, and when.

Nothing of the product is used. The zone's clock changes come as stretches of one offset.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from datetime import date, datetime, time, timedelta
from typing import NamedTuple

from tests.job.clock_reading import DAY, MINUTE, Stretch

_NAMES = {
    name: number
    for names, first in (
        ("jan feb mar apr may jun jul aug sep oct nov dec", 1),
        ("sun mon tue wed thu fri sat", 0),
    )
    for number, name in enumerate(names.split(), first)
}


class CronLine(NamedTuple):
    """A line that cron fires: *fields* as written, *command* as the shell gets it, *stdin* what comes behind a `%`."""

    fields: str
    command: str
    stdin: str


def read_table(table: str, *, backslash_pairs: bool = False) -> list[CronLine]:
    """Lines of a crontab that start something. With *backslash_pairs* as the crons that read `\\\\` as `\\`."""
    lines = []
    for line in table.split("\n"):
        text = line.lstrip(" \t")
        if not text or text.startswith("#") or re.match(r"[\"']?\w+[\"']?\s*=", text):
            continue
        parts = re.match(r"(@\w+)[ \t]+(.*)|((?:\S+[ \t]+){4}\S+)[ \t]+(.*)", text)
        assert parts, line
        command, stdin = _cut_at_percent(parts[2] or parts[4], backslash_pairs=backslash_pairs)
        lines.append(CronLine(parts[1] or " ".join(parts[3].split()), command, stdin))
    return lines


def _cut_at_percent(text: str, *, backslash_pairs: bool) -> tuple[str, str]:
    kept, at = [], 0
    while at < len(text):
        letter, following = text[at], text[at + 1 : at + 2]
        if letter == "%":
            return "".join(kept), text[at + 1 :].replace("%", "\n")
        if letter == "\\" and following:
            is_taken = following == "%" or (backslash_pairs and following == "\\")
            kept.append(following if is_taken else letter + following)
            at += 2
            continue
        kept.append(letter)
        at += 1
    return "".join(kept), ""


class _Rule(NamedTuple):
    minutes: set[int]
    hours: set[int]
    days: set[int]
    months: set[int]
    weekdays: set[int]
    both_days: bool
    is_running: bool

    def is_on(self, day: date) -> bool:
        by_month, by_week = day.day in self.days, day.isoweekday() % 7 in self.weekdays
        is_named = by_month and by_week if self.both_days else by_month or by_week
        return day.month in self.months and is_named

    def times(self, day: date) -> list[datetime]:
        midnight = datetime.combine(day, time())
        return [midnight + hour * 60 * MINUTE + minute * MINUTE for hour in self.hours for minute in self.minutes]


def _rule(fields: str) -> _Rule:
    minute, hour, month_day, month, weekday = fields.split()
    return _Rule(
        minutes=_named(minute, 0, 59),
        hours=_named(hour, 0, 23),
        days=_named(month_day, 1, 31),
        months=_named(month, 1, 12),
        weekdays={day % 7 for day in _named(weekday, 0, 7)},
        both_days=month_day.startswith("*") or weekday.startswith("*"),
        is_running=minute.startswith("*") or hour.startswith("*"),
    )


def _named(field: str, low: int, high: int) -> set[int]:
    found: set[int] = set()
    for part in field.split(","):
        span, _slash, step = part.partition("/")
        first, dash, last = span.partition("-")
        begin = low if span == "*" else _number(first)
        end = high if span == "*" else _number(last) if dash else begin
        assert low <= begin <= end <= high, field
        assert not step or span == "*" or dash, f"cron takes {part} for {span} alone"
        found.update(range(begin, end + 1, int(step or "1")))
    return found


def _number(text: str) -> int:
    return _NAMES[text.lower()] if text.isalpha() else int(text)


def fires(fields: Iterable[str], over: list[Stretch], start: datetime, end: datetime) -> list[datetime]:
    """Instants of `[start, end)` at which any of the lines fires, as Debian's cron goes through clock changes.

    Its clock counts local minutes. Where they jump ahead, lines without a star are fired for
    each minute left out, at once; where they come again, only lines with a star are fired
    until the clock has caught up.
    """
    found = {fire for field in fields for fire in _fires(_rule(field), over, start, end)}
    return sorted(found)


def _fires(rule: _Rule, over: list[Stretch], start: datetime, end: datetime) -> Iterator[datetime]:
    reached: datetime | None = None  # local time up to which the clock has counted
    for stretch in over:
        first, last = ((at + stretch.offset).replace(tzinfo=None) for at in (stretch.start, stretch.end))
        if stretch.end > start and stretch.start < end:
            if not rule.is_running and reached is not None and reached < first and _between(rule, reached, first):
                yield from (at for at in (stretch.start,) if start <= at < end)
            begin = first if rule.is_running or reached is None else max(first, reached)
            low = (start + stretch.offset).replace(tzinfo=None)
            high = (end + stretch.offset).replace(tzinfo=None)
            for wall in _between(rule, max(begin, low - DAY), min(last, high + DAY)):
                at = wall.replace(tzinfo=stretch.start.tzinfo) - stretch.offset
                if start <= at < end:
                    yield at
        reached = last if reached is None else max(reached, last)


def _between(rule: _Rule, first: datetime, last: datetime) -> list[datetime]:
    found, day = [], first.date()
    while day <= last.date():
        if rule.is_on(day):
            found += [wall for wall in rule.times(day) if first <= wall < last]
        day += timedelta(days=1)
    return found
