"""The times of a foreign cron line as a schedule: the plain timetable that fires at the same instants, or cron's words.

What decides is Debian's cron, as crontab(5) has it: what it would not take is no line to it.
"""

from __future__ import annotations

from datetime import UTC, datetime

from trayapp.errors import TriggerError
from trayapp.job.cron_fields import timetable_of
from trayapp.job.schedule import Cron, Every, first_fire_from, follows_clock, wall_times
from trayapp.job.timing_fields import STEPS
from trayapp.trigger.crontab_times import cron_takes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from trayapp.job.schedule import Schedule

_SHORTCUTS = {
    "@yearly": "0 0 1 1 *",
    "@annually": "0 0 1 1 *",
    "@monthly": "0 0 1 * *",
    "@weekly": "0 0 * * 0",
    "@daily": "0 0 * * *",
    "@midnight": "0 0 * * *",
    "@hourly": "0 * * * *",
}
_BOOT = "@reboot"
_QUIET = range(6 * 60, 21 * 60)  # minutes of a day in which no zone changes its clock
_ANY_DAY = datetime(2026, 1, 1, tzinfo=UTC)


def read_times(times: str) -> Schedule:
    """Schedule that fires just when a line with *times*, five fields or a word with @, does.

    Raises: TriggerError `adopt-boot`, `adopt-invalid-line`, `adopt-never`.
    """
    word = times.lower()
    if word == _BOOT:
        raise TriggerError("adopt-boot")
    fields = _SHORTCUTS.get(word, times)
    if not cron_takes(fields):
        raise TriggerError("adopt-invalid-line", part=times)
    if not _fires(fields):
        raise TriggerError("adopt-never", times=times)
    return _timetable(fields) or Cron(fields)


def _fires(fields: str) -> bool:
    from cronsim import CronSimError  # noqa: PLC0415  # only who adopts pays for it

    try:
        return first_fire_from(Cron(fields), _ANY_DAY) is not None
    except CronSimError:  # the 31st of February
        return False


def _timetable(fields: str) -> Schedule | None:
    """Plain timetable with exactly these fires, also in the nights when clocks are changed; None where none is.

    A star in front of minute or hour lets a line follow the clock as it runs (cron(8)); so
    does a timetable of its own kind. By day the two kinds are one.
    """
    plain = timetable_of(fields)
    if plain is None or (isinstance(plain, Every) and plain.minutes * 60 not in STEPS):  # of 6 minutes
        return None
    is_running = any(field.startswith("*") for field in fields.split()[:2])
    if is_running == (isinstance(plain, Every) and follows_clock(plain)):
        return plain
    if isinstance(plain, Every) and follows_clock(plain):
        return plain._replace(hours=(0, 24))
    return plain if all(at in _QUIET for at in wall_times(plain)) else None
