"""What is wrong with a draft, field by field, as the job file's own reader says it.

The reader stops at the first fault. So that a person sees all of them, the value at fault
is replaced by one that is surely right, and the reader is asked again.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from trayapp import clock
from trayapp.errors import BirkezError, JobFileError
from trayapp.job.file import parse_job
from trayapp.value import NamedTuple
from trayapp.window.grid import grid_of

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime

    from trayapp.job.model import Job

_MOST_FAULTS = 30
# A right value for each key that a form can get wrong; None takes the key out.
_RIGHT: Mapping[str, object] = {
    "title": "x",
    "schedule.every": "1h",
    "schedule.offset": None,
    "schedule.days": None,
    "schedule.hours": None,
    "schedule.daily": ["02:30"],
    "schedule.weekly": {"days": ["mon"], "at": ["02:30"]},
    "schedule.monthly": {"days": [1], "at": ["02:30"]},
    "schedule.cron": "5 * * * *",
    "window.step": "1h",
    "window.timezone": "UTC",
    "window.start": None,
    "window.lateness": "5m",
    "window.max_per_run": 24,
    "window.catch_up": "all",
    "effect.database": "x.db",
    "effect.script": "x.sql",
    "effect.callable": "x.py:process",
    "effect.argv": ["x"],
    "effect.shell": "x",
    "effect.cwd": None,
    "effect.nothing_done": None,
    "effect.timeout": "10m",
    "effect.encoding": None,
    "effect.env": None,
    "items.source": "x.txt",
    "items.column": None,
    "items.target": "x/{item}.txt",
    "items.workers": 4,
    "items.attempts": 3,
    "effect.url": "https://example.com/{item}",
    "effect.per_host": None,
}
_PARTS = ("schedule.weekly", "schedule.monthly")


class Checked(NamedTuple):
    """The job of a draft without faults, or its faults by key of the job file."""

    job: Job | None
    faults: Mapping[str, JobFileError]


def check(text: str, path: str, job_id: str) -> Checked:
    """Read *text* as the job file at *path*, through to its last fault."""
    faults: dict[str, JobFileError] = {}
    for _round in range(_MOST_FAULTS):
        try:
            job = parse_job(text, path, job_id, start_for=_line_now)
        except JobFileError as error:
            key = str(error.facts.get("key", ""))
            if key in faults:
                break
            faults[key] = error
            mended = _mend(text, key)
            if mended is None:
                break
            text = mended
        else:
            return Checked(None if faults else job, faults)
    return Checked(None, faults)


def _line_now(step: str, timezone: str | None) -> datetime:
    try:
        return grid_of(step, timezone).line_at_or_before(clock.now())
    except BirkezError:
        return clock.now().replace(minute=0, second=0, microsecond=0)  # the zone's own fault is told


def _mend(text: str, key: str) -> str | None:
    """*text* with a right value for *key*; None where there is none to give."""
    import tomlkit  # noqa: PLC0415  # 30 ms that only an editor pays

    whole = next((part for part in _PARTS if key.startswith(part)), key)
    if whole not in _RIGHT:
        return None
    document: Any = tomlkit.parse(text)
    *tables, name = whole.split(".")
    inner = document
    for table in tables:
        inner = inner.get(table)
        if inner is None:
            return None
    if _RIGHT[whole] is None:
        inner.pop(name, None)
    else:
        inner[name] = _RIGHT[whole]
    if whole == "window.step":
        inner.pop("timezone", None)
    return str(document.as_string())
