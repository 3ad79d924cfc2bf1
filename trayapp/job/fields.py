"""One table of a job file: each value taken by its key, checked, or refused with all facts.

A fault names the file, the line where it is known, the key, the value and what is allowed.
The allowed values are written as a job file writes them, so they need no translation.
"""

from __future__ import annotations

import difflib
import os
from datetime import date, datetime, time

from trayapp.errors import JobFileError
from trayapp.value import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from typing import TypeVar

    T = TypeVar("T")

    Key = tuple[str, ...]

KEYS: Mapping[str, tuple[str, ...]] = {
    "": ("title", "enabled", "warn_after", "schedule", "window", "items", "effect", "ledger"),
    "schedule": ("every", "offset", "days", "hours", "daily", "weekly", "monthly", "cron"),
    "window": ("step", "start", "timezone", "lateness", "max_per_run", "catch_up"),
    "items": ("source", "column", "target", "workers", "attempts"),
    "ledger": ("database",),
}
_SHOWN_LENGTH = 80  # letters of a value in a message
_SHOWN_DEPTH = 10  # tables and lists within each other; a file can hold them thousands deep
_UNIT_S = {"s": 1, "m": 60, "h": 3600}
DURATIONS = '"90s", "5m", "1h"'
_LONGEST_DURATION_S = 366 * 86_400
_DIGITS = 9  # of a duration's number; int() of a million digits takes seconds


class JobText(NamedTuple):
    """A job file as it was read: whose it is, and its text, in which faults look for their line."""

    job_id: str
    file: str
    text: str

    def fault(self, code: str, key: Key = (), line: int | None = None, **facts: object) -> JobFileError:
        """Error about *key*, with `file`, `line` (None where unknown), `place` and `job` among its facts."""
        line = line or line_of(self.text, key)
        place = f"{self.file}:{line}" if line else self.file
        name = ".".join(key)
        return JobFileError(code, job=self.job_id, file=self.file, line=line, place=place, key=name, **facts)


class Table:
    """Values of one table."""

    def __init__(self, source: JobText, values: Mapping[str, object], path: Key = ()) -> None:
        self.source = source
        self.path = path
        self._values = values

    def __contains__(self, key: str) -> bool:
        return key in self._values

    @property
    def folder(self) -> str:
        """Where relative paths start: the folder of the job file."""
        return os.path.dirname(self.source.file)

    def fault(self, code: str, key: str = "", **facts: object) -> JobFileError:
        """Error about *key* of this table, or about the table; `value` is shown when it has one."""
        if key in self._values:
            facts.setdefault("value", shown(self._values[key]))
        return self.source.fault(code, (*self.path, key) if key else self.path, None, **facts)

    def value(self, key: str) -> object:
        """Value of *key*, unchecked."""
        return self._values.get(key)

    def optional(self, key: str, kind: type[T], example: str) -> T | None:
        """Value of *key*, None where it is left out; a value of another type is refused."""
        value = self._values.get(key)
        if value is None:
            return None
        if type(value) is not kind:  # not isinstance: true is an int to Python
            raise self.fault("job-value-type", key, allowed=example)
        return value

    def required(self, key: str, kind: type[T], example: str) -> T:
        """Value of *key*; refused where it is left out."""
        value = self.optional(key, kind, example)
        if value is None:
            raise self.fault("job-key-missing", key, allowed=example)
        return value

    def text(self, key: str, example: str) -> str:
        """Required text that is not blank and holds no NUL."""
        value = self.required(key, str, f'"{example}"')
        self._refuse_empty(key, value, f'"{example}"')
        return value

    def optional_text(self, key: str, example: str) -> str:
        """Text as `text` takes it, "" where it is left out."""
        return self.text(key, example) if key in self else ""

    def flag(self, key: str, *, default: bool) -> bool:
        """Yes or no."""
        value = self.optional(key, bool, "true, false")
        return default if value is None else value

    def whole(self, key: str, default: int, least: int, most: int) -> int:
        """Whole number within its bounds, both allowed."""
        allowed = f"{least} … {most}"
        value = self.optional(key, int, allowed)
        if value is None:
            return default
        if not least <= value <= most:
            raise self.fault("job-value-range", key, allowed=allowed)
        return value

    def choice(self, key: str, allowed: Iterable[str], default: str = "") -> str:
        """One of the *allowed* texts; required where there is no default."""
        words = ", ".join(f'"{word}"' for word in allowed)
        value = self.optional(key, str, words) if default else self.required(key, str, words)
        if value is None:
            return default
        if value not in allowed:
            raise self.fault("job-value-choice", key, allowed=words)
        return value

    def items(self, key: str, kind: type[T], example: str) -> tuple[T, ...]:
        """Required list of values of one type; an empty list is refused."""
        values: list[T] = self.required(key, list, example)
        if not values:
            raise self.fault("job-list-empty", key, allowed=example)
        if any(type(value) is not kind for value in values):
            raise self.fault("job-value-type", key, allowed=example)
        return tuple(values)

    def seconds(self, key: str, default: str, *, least: int = 0) -> int:
        """Duration such as "5m", in seconds."""
        if key not in self:
            return duration_s(default) or 0
        value = duration_s(self.required(key, str, DURATIONS))
        if value is None or value > _LONGEST_DURATION_S:
            raise self.fault("job-duration-malformed", key, allowed=DURATIONS)
        if value < least:
            raise self.fault("job-value-range", key, allowed=f'"{least}s" …')
        return value

    def table(self, key: str, allowed: Iterable[str] | None) -> Table:
        """Table below this one, with no key but the *allowed*; None leaves that to the caller."""
        where = ".".join((*self.path, key))
        if key not in self:
            raise self.fault("job-table-missing", key, allowed=f"[{where}]")
        values = self.required(key, dict, f"[{where}]")
        table = Table(self.source, values, (*self.path, key))
        if allowed is not None:
            table.refuse_unknown(allowed)
        return table

    def refuse_unknown(self, allowed: Iterable[str]) -> None:
        """Refuse the first key that is not *allowed*, with the nearest one that is."""
        for key in self._values:
            if key not in allowed:
                raise self._unknown(key, tuple(allowed))

    def names(self) -> tuple[str, ...]:
        """Keys of this table, in the file's order."""
        return tuple(self._values)

    def _refuse_empty(self, key: str, value: str, example: str) -> None:
        if not value.strip():
            raise self.fault("job-text-empty", key, allowed=example)
        if "\0" in value:
            raise self.fault("job-text-nul", key)

    def _unknown(self, key: str, allowed: tuple[str, ...]) -> JobFileError:
        near = difflib.get_close_matches(key.lower(), allowed, n=1)
        # A key that is right elsewhere: `timezone` above the first table, `enabled` below it.
        elsewhere = [f"{table}.{key}".lstrip(".") for table, keys in KEYS.items() if key in keys]
        for suggestion in near or elsewhere:
            return self.fault("job-key-misspelt", key, suggestion=suggestion, allowed=", ".join(allowed))
        return self.fault("job-key-unknown", key, allowed=", ".join(allowed))


def duration_s(text: str) -> int | None:
    """Seconds of a duration such as "90s", "5m" or "1h"; None for any other text."""
    number, unit = text[:-1], text[-1:]
    if unit not in _UNIT_S or not number.isascii() or not number.isdigit() or len(number) > _DIGITS:
        return None
    return int(number) * _UNIT_S[unit]


def shown(value: object, depth: int = 0) -> str:
    """Write a value as a job file would, cut where it is long or deep."""
    text = f'"{value}"' if isinstance(value, str) else _written(value, depth + 1)
    return text if len(text) <= _SHOWN_LENGTH else text[: _SHOWN_LENGTH - 1] + "…"


def _written(value: object, depth: int) -> str:
    if depth > _SHOWN_DEPTH:
        return "…"
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, datetime | date | time):
        return value.isoformat().replace("+00:00", "Z")
    if isinstance(value, list):
        return f"[{', '.join(shown(item, depth) for item in value)}]"
    if isinstance(value, dict):
        return f"{{ {', '.join(f'{key} = {shown(item, depth)}' for key, item in value.items())} }}"
    return str(value)


def line_of(text: str, key: Key) -> int | None:
    """Line on which *key* stands, or the header of the table that should have it.

    A guess by the look of the lines, since a TOML reader does not tell; None rather than a wrong one.
    """
    table: Key = ()
    best: int | None = None
    depth = 0
    quotes = ""
    for number, line in enumerate(text.split("\n"), start=1):
        bare = line.strip()
        if quotes:  # inside a text of several lines
            quotes = "" if quotes in bare else quotes
            continue
        if bare.startswith("[") and bare.rstrip("] \t").count("=") == 0:
            table = _dotted(bare.split("#")[0].strip("[] \t"))
            here = table
        else:
            name, found, _ = bare.partition("=")
            here = (*table, *_dotted(name)) if found else table
        if here == key[: len(here)] and len(here) > depth:
            depth, best = len(here), number
        quotes = next((mark for mark in ('"""', "'''") if bare.count(mark) % 2), "")
    return best


def _dotted(name: str) -> Key:
    return tuple(part.strip().strip("\"'") for part in name.split(".")) if name else ()
