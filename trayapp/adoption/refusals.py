"""Commands that stay where they are, and what will be otherwise with those that do not: told by their text alone."""

from __future__ import annotations

import re

from trayapp.errors import TriggerError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from trayapp.errors import BirkezError

# Where a shell expects the name of a program: behind what joins commands, and behind words that start another.
_BEFORE = (
    r"(?:^|[;&|(`]|\$\(|\b(?:then|do|else)\b)\s*"
    r"(?:\w+=(?:\"[^\"]*\"|'[^']*'|\S*)\s+|(?:\S*/)?(?:env|sudo|nice|ionice|nohup|exec|time|command)\s+(?:-\S+\s+)*)*"
    r"(?:\S*/)?"
)
_LOCKS = re.compile(_BEFORE + r"(?:flock|lckdo|lockrun|run-one|run-this-one|setlock|solo|with-lock-ex|lockf|shlock)\s")
_MAINTENANCE = re.compile(
    r"\brun-parts\b|\banacron\b|/etc/cron\.(?:hourly|daily|weekly|monthly)\b"
    r"|" + _BEFORE + r"(?:periodic|newsyslog|atrun|adjkerntz|logrotate|man-db|mandb|updatedb)(?:\s|$)"
)
_OWN = re.compile(
    _BEFORE + r"birkez(?:-run|-tray)?(?:\.exe)?\s+(?:\S+\s+)*run\s|\btrayapp(?:/__main__\.py)?\s+(?:\S+\s+)*run\s"
)
_BACKGROUND = re.compile(r"(?<![&\\>])&\s*\)?\s*(?:#.*)?$")
_TICKS = re.compile(
    r"\bartisan\s+(?:\S+\s+)*schedule:run\b|\b(?:cron|scheduler):run\b|\byii\s+schedule/run\b|\bwp\s+cron\s+event\s+run\b"
    r"|/wp-cron\.php\b|\badmin/cli/cron\.php\b|\b(?:nextcloud|owncloud)\S*/cron\.php\b"
)
_RESTARTS = re.compile(
    _BEFORE + r"(?:reboot|halt|poweroff|pm-suspend|(?:shutdown(?!\S*\s+-c\b))|(?:tel)?init\s+[06]"
    r"|systemctl\s+(?:-\S+\s+)*(?:reboot|poweroff|halt|suspend|hibernate|kexec))(?:\s|$|[;&|)])"
)
_REASONS: tuple[tuple[re.Pattern[str], Callable[[], BirkezError]], ...] = (
    (_OWN, lambda: TriggerError("adopt-own")),
    (_BACKGROUND, lambda: TriggerError("adopt-background")),
    (_MAINTENANCE, lambda: TriggerError("adopt-maintenance")),
    (_TICKS, lambda: TriggerError("adopt-framework")),
    (_LOCKS, lambda: TriggerError("adopt-locked")),
    (_RESTARTS, lambda: TriggerError("adopt-restart")),
)
_WIN32_RESTARTS = re.compile(r"\bshutdown(?:\.exe)?\b.*\s[/-][rspgh]\b|\b(?:Restart|Stop)-Computer\b", re.IGNORECASE)
_DESKTOP = re.compile(
    r"\b(?:DISPLAY|WAYLAND_DISPLAY|XDG_RUNTIME_DIR|DBUS_SESSION_BUS_ADDRESS)=|"
    + _BEFORE
    + r"(?:notify-send|zenity|xdotool|xrandr|xset)\s"
)


def why_not_command(command: str) -> BirkezError | None:
    """Why *command* of a cron line stays cron's, None where a job can do it."""
    return next((refusal() for pattern, refusal in _REASONS if pattern.search(command)), None)


def why_not_task_command(command: str) -> BirkezError | None:
    """Why *command* of a task of Windows stays Task Scheduler's."""
    return TriggerError("adopt-restart") if _WIN32_RESTARTS.search(command) else None


def cautions_of(command: str) -> tuple[BirkezError, ...]:
    """What the person should know of *command* before a job does it."""
    return (TriggerError("adopt-desktop"),) if _DESKTOP.search(command) else ()
