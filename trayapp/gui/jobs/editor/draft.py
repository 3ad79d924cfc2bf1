"""A job as the form has it: what was typed, right or wrong, and the values of the job file that come of it.

Nothing is judged here. What cannot be read as what it should be goes into the file as it
was typed, and the job file's own reader says what is wrong with it.
"""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Literal

from trayapp.job.model import CommandEffect, DownloadEffect, PythonEffect, SqlEffect
from trayapp.job.schedule import LAST_DAY, Cron, Daily, Every, Monthly, Weekly

if TYPE_CHECKING:
    from collections.abc import Mapping

    from trayapp.job.fields import Key
    from trayapp.job.model import Items, Job
    from trayapp.job.schedule import Schedule

    Plain = (
        str | bool | int | datetime | list[str] | list[int] | list[int | str] | dict[str, list[str] | list[int | str]]
    )

Works = Literal["periods", "list"]
Kind = Literal["sql", "python", "command", "download"]
KINDS_OF: Mapping[Works, tuple[Kind, ...]] = {
    "periods": ("sql", "python", "command"),
    "list": ("download", "command", "python"),
}
Timing = Literal["every", "daily", "weekly", "monthly", "cron", "hand"]
WEEKDAYS = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")
CALENDAR_STEPS = ("1d", "1w", "1mo")
_HOUR = 60  # minutes
_DAY_HOURS = 24


@dataclass
class Draft:
    """What stands in the fields. Lengths of time are in minutes, as text; `start` is an aware instant.

    `repeatable` is None as long as the question whether the command may run twice is open.
    `times`, `weekdays` and `month_days` serve those timings that have them.
    """

    title: str = ""
    works: Works = "periods"
    kind: Kind = "sql"
    database: str = ""
    create_database: bool = False
    script: str = ""
    time_format: str = "iso"
    file: str = ""
    function: str = "process"
    command: str = ""
    uses_shell: bool = False
    cwd: str = ""
    timing: Timing = "every"
    every: str = "1h"
    offset: str = "5"
    days: frozenset[int] = frozenset()
    first_hour: int = 0
    end_hour: int = _DAY_HOURS
    times: str = "02:30"
    weekdays: frozenset[int] = field(default_factory=lambda: frozenset(range(5)))
    month_days: str = "1"
    cron: str = "5 * * * *"
    step: str = "1h"
    start: datetime | None = None
    timezone: str = "UTC"
    lateness: str = "5"
    catch_up: str = "all"
    max_per_run: str = "24"
    timeout: str = "10"
    repeatable: bool | None = None
    nothing_done: str = ""
    source: str = ""
    column: str = ""
    target: str = ""
    workers: str = "4"
    attempts: str = "3"
    url: str = ""
    expects_json: bool = False
    per_host: str = ""

    def settle(self) -> None:
        """Take back a kind of work that what it goes through does not have."""
        if self.kind not in KINDS_OF[self.works]:
            self.kind = KINDS_OF[self.works][0]


def draft_of(job: Job, timezone: str) -> Draft:
    """Form of a job; *timezone* is proposed where the job has none."""
    rule, effect = job.rule, job.effect
    draft = Draft(title=job.title, timezone=timezone, timeout=_minutes_text(effect.timeout_s))
    if rule is not None:
        draft.step, draft.start, draft.timezone = rule.step, rule.start, rule.timezone or timezone
        draft.lateness, draft.catch_up = _minutes_text(rule.lateness_s), rule.catch_up
        draft.max_per_run = str(rule.max_per_run)
    if job.items is not None:
        _take_items(draft, job.items)
    _take_schedule(draft, job.schedule)
    if isinstance(effect, SqlEffect):
        draft.kind, draft.database, draft.script = "sql", effect.database, effect.script
        draft.time_format = effect.time_format
    elif isinstance(effect, PythonEffect):
        draft.kind, draft.database, draft.file, draft.function = "python", effect.database, effect.file, effect.function
    elif isinstance(effect, CommandEffect):
        draft.kind, draft.uses_shell, draft.cwd = "command", bool(effect.shell), effect.cwd
        draft.command = effect.shell or join_words(effect.argv)
        draft.repeatable = effect.repeatable
        draft.nothing_done = ", ".join(map(str, effect.nothing_done))
    elif isinstance(effect, DownloadEffect):
        draft.kind, draft.url, draft.expects_json = "download", effect.url, effect.expect == "json"
        draft.per_host = str(effect.per_host or "")
    return draft


def values_of(draft: Draft) -> Mapping[Key, Plain]:
    """Values of the job file that *draft* means, by key, in the order in which a new file has them."""
    data = _items_values(draft) if draft.works == "list" else _window_values(draft)
    effect = _item_effect_values(draft) if draft.works == "list" else _effect_values(draft)
    return {("title",): draft.title, **_schedule_values(draft), **data, **effect}


def split_words(text: str) -> list[str]:
    """Program and arguments of a command line as this system's shells take it apart."""
    try:
        words = shlex.split(text, posix=sys.platform != "win32")
    except ValueError:  # a quotation mark without its second
        return text.split()
    return [word.strip('"') for word in words] if sys.platform == "win32" else words


def join_words(argv: tuple[str, ...]) -> str:
    """Command line that `split_words` takes apart into *argv*."""
    return subprocess.list2cmdline(argv) if sys.platform == "win32" else shlex.join(argv)


def _take_items(draft: Draft, items: Items) -> None:
    draft.works, draft.source, draft.column = "list", items.source, items.column
    draft.target = os.path.join(items.folder, items.name)
    draft.workers, draft.attempts = str(items.workers), str(items.attempts)


def _take_schedule(draft: Draft, schedule: Schedule | None) -> None:
    if schedule is None:
        draft.timing = "hand"
    elif isinstance(schedule, Every):
        draft.timing, draft.every, draft.offset = "every", _length(schedule.minutes), str(schedule.offset_minutes)
        draft.days = frozenset(schedule.days)
        draft.first_hour, draft.end_hour = schedule.hours or (0, _DAY_HOURS)
    elif isinstance(schedule, Cron):
        draft.timing, draft.cron = "cron", schedule.expression
    else:
        draft.times = ", ".join(f"{minute // _HOUR:02}:{minute % _HOUR:02}" for minute in schedule.at)
        if isinstance(schedule, Daily):
            draft.timing = "daily"
        elif isinstance(schedule, Weekly):
            draft.timing, draft.weekdays = "weekly", frozenset(schedule.days)
        elif isinstance(schedule, Monthly):
            days = ("last" if day == LAST_DAY else str(day) for day in schedule.days)
            draft.timing, draft.month_days = "monthly", ", ".join(days)


def _schedule_values(draft: Draft) -> dict[Key, Plain]:
    times = _parts(draft.times)
    if draft.timing == "every":
        return _every_values(draft)
    if draft.timing == "daily":
        return {("schedule", "daily"): times}
    if draft.timing == "weekly":
        return {("schedule", "weekly"): {"days": [WEEKDAYS[day] for day in sorted(draft.weekdays)], "at": times}}
    if draft.timing == "monthly":
        days = [int(part) if part.isdecimal() else part for part in _parts(draft.month_days)]
        return {("schedule", "monthly"): {"days": days, "at": times}}
    return {("schedule", "cron"): draft.cron.strip()} if draft.timing == "cron" else {}


def _every_values(draft: Draft) -> dict[Key, Plain]:
    values: dict[Key, Plain] = {("schedule", "every"): draft.every}
    if draft.offset.strip() not in ("", "0"):
        values["schedule", "offset"] = _minutes_value(draft.offset)
    if draft.days and len(draft.days) < len(WEEKDAYS):
        values["schedule", "days"] = [WEEKDAYS[day] for day in sorted(draft.days)]
    if (draft.first_hour, draft.end_hour) != (0, _DAY_HOURS):
        values["schedule", "hours"] = f"{draft.first_hour:02}-{draft.end_hour:02}"
    return values


def _window_values(draft: Draft) -> dict[Key, Plain]:
    values: dict[Key, Plain] = {("window", "step"): draft.step}
    if draft.start is not None:
        values["window", "start"] = draft.start.astimezone(UTC)
    if draft.step in CALENDAR_STEPS:
        values["window", "timezone"] = draft.timezone.strip()
    values["window", "lateness"] = _minutes_value(draft.lateness)
    values["window", "max_per_run"] = _whole(draft.max_per_run)
    values["window", "catch_up"] = draft.catch_up
    return values


def _items_values(draft: Draft) -> dict[Key, Plain]:
    values: dict[Key, Plain] = {("items", "source"): draft.source.strip()}
    if draft.column.strip():
        values["items", "column"] = draft.column.strip()
    values["items", "target"] = draft.target.strip()
    values["items", "workers"] = _whole(draft.workers)
    values["items", "attempts"] = _whole(draft.attempts)
    return values


def _item_effect_values(draft: Draft) -> dict[Key, Plain]:
    values: dict[Key, Plain] = {("effect", "kind"): draft.kind}
    if draft.kind == "download":
        values["effect", "url"] = draft.url.strip()
        if draft.expects_json:
            values["effect", "expect"] = "json"
        if draft.per_host.strip():
            values["effect", "per_host"] = _whole(draft.per_host)
    elif draft.kind == "command":
        values |= _command_values(draft)
    else:
        values["effect", "callable"] = f"{draft.file.strip()}:{draft.function.strip()}"
    values["effect", "timeout"] = _minutes_value(draft.timeout)
    return values


def _command_values(draft: Draft) -> dict[Key, Plain]:
    values: dict[Key, Plain] = {}
    if draft.uses_shell:
        values["effect", "shell"] = draft.command.strip()
    else:
        values["effect", "argv"] = split_words(draft.command)
    if draft.cwd.strip():
        values["effect", "cwd"] = draft.cwd.strip()
    return values


def _effect_values(draft: Draft) -> dict[Key, Plain]:
    values: dict[Key, Plain] = {("effect", "kind"): draft.kind}
    if draft.kind == "command":
        values |= _command_values(draft)
        values["effect", "repeatable"] = bool(draft.repeatable)
        if draft.nothing_done.strip():
            values["effect", "nothing_done"] = _wholes(draft.nothing_done)
    else:
        values["effect", "database"] = draft.database.strip()
    if draft.kind == "sql":
        values["effect", "script"] = draft.script.strip()
        values["effect", "time_format"] = draft.time_format
    elif draft.kind == "python":
        values["effect", "callable"] = f"{draft.file.strip()}:{draft.function.strip()}"
    values["effect", "timeout"] = _minutes_value(draft.timeout)
    return values


def _minutes_text(seconds: float) -> str:
    """Minutes where they are whole, else as the job file says it: 90s."""
    return str(int(seconds) // 60) if seconds % 60 == 0 else f"{int(seconds)}s"


def _minutes_value(text: str) -> str:
    text = text.strip()
    return f"{text}m" if text.isdecimal() else text


def _whole(text: str) -> int | str:
    text = text.strip()
    return int(text) if text.isdecimal() and text.isascii() and len(text) < 10 else text  # noqa: PLR2004  # digits


def _wholes(text: str) -> list[int | str]:
    return [_whole(part) for part in _parts(text)]


def _parts(text: str) -> list[str]:
    return text.replace(",", " ").replace(";", " ").split()


def _length(minutes: int) -> str:
    return f"{minutes}m" if minutes % _HOUR else f"{minutes // _HOUR}h"
