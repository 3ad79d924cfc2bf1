"""The system's own entries on Linux, for reading: /etc/crontab, cron.d, anacrontab and the timers of systemd.

They belong to the distribution or to root, and to no user's crontab: nothing here is adopted.
What cannot be read is left out.
"""

from __future__ import annotations

import os
import re
import subprocess

from trayapp.adoption.cron_times import read_times
from trayapp.adoption.entry import Entry
from trayapp.errors import BirkezError, TriggerError
from trayapp.trigger.crontab_table import lines_of, read_line, settings_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from trayapp.job.schedule import Schedule

_TABLE, _FOLDER, _ANACRONTAB = "/etc/crontab", "/etc/cron.d", "/etc/anacrontab"
_LINE = re.compile(r"[ \t]*(@\w+|\S+(?:[ \t]+\S+){4})[ \t]+(\S+)[ \t]+(\S.*)")
_ANACRON_LINE = re.compile(r"[ \t]*(@\w+|\d+)[ \t]+(\d+)[ \t]+(\S+)[ \t]+(\S.*)")
_NAME = re.compile(r"[A-Za-z0-9_-]+")  # cron passes over all other files: copies of editors and packages
_LARGEST = 1 << 20  # bytes of a table; cron's own are some hundred
_ANSWER_WITHIN_S = 10.0
_TIMERS = ("systemctl", "list-timers", "--all", "--output=json", "--no-pager")


def read_system(root: str = "/", *, timers: bool = True) -> list[Entry]:
    """Entries of the system below *root*, in the order of their files, then the timers."""
    found = list(_of_table(root, _TABLE))
    try:
        names = sorted(os.listdir(os.path.join(root, _FOLDER[1:])))
    except OSError:
        names = []
    for name in filter(_NAME.fullmatch, names):
        found += _of_table(root, f"{_FOLDER}/{name}")
    return [*found, *_of_anacron(root), *(_of_systemd() if timers else ())]


def _of_table(root: str, path: str) -> Iterator[Entry]:
    for number, line in _lines(root, path):
        found = _LINE.fullmatch(line)
        if found is None or read_line(line.encode("utf-8", "surrogateescape")) is not None:
            continue
        times = " ".join(found[1].split())
        yield Entry(path, number, line.strip(), times, found[3], found[2], _schedule(times), refusal=_read_only(path))


def _of_anacron(root: str) -> Iterator[Entry]:
    for number, line in _lines(root, _ANACRONTAB):
        found = _ANACRON_LINE.fullmatch(line)
        if found is not None:
            yield Entry(
                _ANACRONTAB, number, line.strip(), found[1], found[4], found[3], refusal=_read_only(_ANACRONTAB)
            )


def _of_systemd() -> Iterator[Entry]:
    """Timers of the system and of this user; none where there is no systemd, or an old one that writes no JSON."""
    import json  # noqa: PLC0415  # only who lists

    number = 0
    for scope in ((), ("--user",)):
        try:
            done = subprocess.run(
                [*_TIMERS, *scope], capture_output=True, timeout=_ANSWER_WITHIN_S, check=False, stdin=subprocess.DEVNULL
            )
            timers = json.loads(done.stdout) if done.returncode == 0 else []
        except (OSError, ValueError, subprocess.TimeoutExpired):
            continue
        for timer in timers if isinstance(timers, list) else []:
            number += 1
            unit, activates = str(timer.get("unit", "")), str(timer.get("activates", ""))
            yield Entry("systemd", number, unit, "", activates, refusal=_read_only("systemd"))


def _lines(root: str, path: str) -> Iterator[tuple[int, str]]:
    try:
        with open(os.path.join(root, path[1:]), "rb") as file:
            content = file.read(_LARGEST)
    except OSError:
        return
    for number, raw in enumerate(lines_of(content), 1):
        line = raw.decode("utf-8", "surrogateescape").rstrip("\r\n")
        if line.strip() and not line.lstrip().startswith("#") and not settings_of(raw):
            yield number, line


def _schedule(times: str) -> Schedule | None:
    try:
        return read_times(times)
    except BirkezError:
        return None


def _read_only(place: str) -> BirkezError:
    return TriggerError("adopt-read-only", place=place)
