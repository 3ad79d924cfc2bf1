"""What starts a job on this computer, as long as no trigger backend does: crontab lines to copy.

They name this very copy of Birkez and this very home, since cron knows neither PATH nor
what was exported in the terminal.
"""

from __future__ import annotations

import os
import shlex
import sys

from trayapp.job.schedule import LAST_DAY, Cron, Every, Monthly, Weekly, wall_times
from trayapp.wording.speech import _, say

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from trayapp.job.model import Job
    from trayapp.job.schedule import Schedule

_HOUR = 60  # minutes
_LAST_DAYS = "28-31"  # cron knows no last day; a start with nothing to do does no harm


def starter_lines(job: Job) -> list[str]:
    """Say that nothing starts the job by itself yet, and what would; nothing for a job without a schedule."""
    if job.schedule is None:
        return []
    command = _own_command("run", job.id, "--trigger", "schedule")
    if sys.platform == "win32":
        return [say("Nothing starts this job by itself yet. Let a task of Windows start: {command}", command=command)]
    heading = _("Nothing starts this job by itself yet. Into the crontab (crontab -e):")
    # Cron ends the command at a bare %, see crontab(5).
    return [heading, *(f"  {times} {command.replace('%', chr(92) + '%')}" for times in crontab_times(job.schedule))]


def crontab_times(schedule: Schedule) -> list[str]:
    """Five fields of cron for *schedule*; several lines where its times fit into no single one."""
    if isinstance(schedule, Cron):
        return [schedule.expression]
    days_of_month = _days_of_month(schedule.days) if isinstance(schedule, Monthly) else "*"
    weekdays = "*"
    if isinstance(schedule, Weekly | Every) and schedule.days:
        weekdays = _listed((day + 1) % 7 for day in schedule.days)  # cron's 0 is Sunday
    minutes_of: dict[int, list[int]] = {}
    for minute in wall_times(schedule):
        minutes_of.setdefault(minute // _HOUR, []).append(minute % _HOUR)
    hours_of: dict[tuple[int, ...], list[int]] = {}
    for hour, minutes in minutes_of.items():
        hours_of.setdefault(tuple(minutes), []).append(hour)
    return [
        f"{_listed(minutes)} {'*' if len(hours) == 24 else _listed(hours)} {days_of_month} * {weekdays}"  # noqa: PLR2004  # the day's
        for minutes, hours in hours_of.items()
    ]


def _own_command(*words: str) -> str:
    home = os.environ.get("BIRKEZ_HOME")
    name = os.path.abspath(sys.argv[0])
    is_installed = os.path.splitext(os.path.basename(name))[0] == "birkez"
    own = [name] if is_installed else [sys.executable, "-P", "-m", "trayapp"]
    if sys.platform == "win32":
        import subprocess  # noqa: PLC0415  # only there

        return subprocess.list2cmdline([*own, *words])
    setting = f"BIRKEZ_HOME={shlex.quote(os.path.abspath(home))} " if home else ""
    return setting + shlex.join([*own, *words])


def _days_of_month(days: tuple[int, ...]) -> str:
    return ",".join(_LAST_DAYS if day == LAST_DAY else str(day) for day in days)


def _listed(numbers: Iterable[int]) -> str:
    return ",".join(map(str, sorted(numbers)))
