"""A job's entry as an XML document of Windows' Task Scheduler.

One job and one place always make the same document, so that what stands can be compared
with what should. Nothing in it follows the machine's language or date format.
"""

from __future__ import annotations

import json
import os
from subprocess import list2cmdline
from xml.etree import ElementTree as ET

from trayapp.errors import TriggerError
from trayapp.job.schedule import LAST_DAY
from trayapp.trigger.task_times import ANCHOR
from trayapp.value import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from xml.etree.ElementTree import Element

    from trayapp.trigger.task_times import TaskTrigger

NAMESPACE = "http://schemas.microsoft.com/windows/2004/02/mit/task"
DAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
MONTHS = (
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
)
PROGRAM_LETTERS = 260  # a longer Command is refused (MS-TSCH 2.5.6.1)
_PRINCIPAL = "Author"
_HEAD = '<?xml version="1.0" encoding="UTF-16"?>\n'
_LOG_ON_DELAY = "PT1M"  # a log-on has enough to do

# All of them, though most are what Windows would take: what is not written can change with its version.
SETTINGS = {
    "MultipleInstancesPolicy": "Parallel",  # our lock excludes; IgnoreNew would swallow a start without a line
    "DisallowStartIfOnBatteries": "false",  # Windows' own default is true
    "StopIfGoingOnBatteries": "false",  # as above
    "AllowHardTerminate": "true",
    "StartWhenAvailable": "true",
    "RunOnlyIfNetworkAvailable": "false",
    "AllowStartOnDemand": "true",
    "Enabled": "true",
    "Hidden": "false",
    "RunOnlyIfIdle": "false",
    "WakeToRun": "false",
    "ExecutionTimeLimit": "PT0S",  # none: the runner has its own; Windows would kill it after 72 hours
}


class TaskText(NamedTuple):
    """What a task says to people: *description*; and where it lies: *path*, with the folder."""

    path: str
    description: str


def task_document(text: TaskText, triggers: Sequence[TaskTrigger], command: Sequence[str], sid: str) -> Element:
    """Task that starts *command* as the user *sid* by *triggers*, or without any at this user's log-on.

    Raises: TriggerError `task-program-long` or `task-command-expands` for a command that a task cannot keep.
    """
    _check_command(command)
    program, arguments = command[0], written_arguments(command[1:])
    description = _as_text(text.description)
    task = ET.Element(_tag("Task"), version="1.2")
    copy = {"Description": description, "Command": program, "Arguments": arguments}
    about = _add(task, "RegistrationInfo")
    _add(about, "URI", text.path)
    _add(about, "Source", "Birkez")
    _add(about, "Description", description)
    _add(about, "Documentation", json.dumps(copy))  # in ASCII: what `schtasks` prints loses other letters
    fires = _add(task, "Triggers")
    for trigger in triggers:
        _add_trigger(fires, trigger)
    if not triggers:
        _add_log_on(fires, sid)
    settings = _add(task, "Settings")
    for name, value in SETTINGS.items():
        _add(settings, name, value)
    principal = _add(_add(task, "Principals"), "Principal", id=_PRINCIPAL)
    for name, value in (("UserId", sid), ("LogonType", "InteractiveToken"), ("RunLevel", "LeastPrivilege")):
        _add(principal, name, value)
    action = _add(_add(task, "Actions", Context=_PRINCIPAL), "Exec")
    _add(action, "Command", program)
    _add(action, "Arguments", arguments)
    return task


def task_text(task: Element) -> str:
    """Document as text, laid out for people."""
    ET.register_namespace("", NAMESPACE)
    ET.indent(task)
    return _HEAD + ET.tostring(task, "unicode") + "\n"


def task_bytes(task: Element) -> bytes:
    """Document as a file: UTF-16LE with its mark, and CR LF. Whoever writes it otherwise is refused or misread."""
    return b"\xff\xfe" + task_text(task).replace("\n", "\r\n").encode("utf-16-le")


def written_arguments(arguments: Sequence[str]) -> str:
    """Arguments as one text, which CommandLineToArgvW takes apart again.

    A `$` is doubled: Task Scheduler puts a value in place of `$(Arg0)`, and `$$` is one (MS-TSCH 2.5.6.1).
    """
    return list2cmdline(arguments).replace("$", "$$")


def read_arguments(text: str) -> tuple[str, ...]:
    """Words of an action's arguments, by the rules of CommandLineToArgvW."""
    words: list[str] = []
    word, slashes, is_quoted, is_word = "", 0, False, False
    letters = [*text.replace("$$", "$"), None]
    for letter, following in zip(letters, [*letters[1:], None], strict=True):
        if letter == "\\":
            slashes, is_word = slashes + 1, True
            continue
        if letter == '"':
            word += "\\" * (slashes // 2)
            if slashes % 2:
                word += '"'
            elif not (is_quoted and following == '"'):  # a doubled one inside quotes is one of the word
                is_quoted = not is_quoted
            slashes, is_word = 0, True
            continue
        word, slashes = word + "\\" * slashes, 0
        if letter is None or (letter in " \t" and not is_quoted):
            if is_word:
                words.append(word)
            word, is_word = "", False
        else:
            word, is_word = word + letter, True
    return tuple(words)


def duration(seconds: int) -> str:
    """ISO 8601 duration of whole seconds: PT15M, PT1H, P1D, and PT0S for none."""
    days, rest = divmod(seconds, 86_400)
    parts = ((rest // 3600, "H"), (rest % 3600 // 60, "M"), (rest % 60, "S"))
    clock_part = "".join(f"{number}{unit}" for number, unit in parts if number)
    day_part = f"{days}D" if days else ""
    return f"P{day_part}" + (f"T{clock_part}" if clock_part or not days else "") if seconds else "PT0S"


def _add_trigger(fires: Element, trigger: TaskTrigger) -> None:
    """Add *trigger* with its parts in the order of the schema: elsewhere order is free, here it is not."""
    element = _add(fires, "TimeTrigger" if trigger.kind == "once" else "CalendarTrigger")
    _add(element, "Enabled", "true")
    at = f"{trigger.start // 60:02}:{trigger.start % 60:02}"
    # Without an offset it is the local time of this computer, in summer and winter.
    _add(element, "StartBoundary", f"{ANCHOR.isoformat()}T{at}:00")
    if trigger.every:
        repetition = _add(element, "Repetition")
        _add(repetition, "Interval", duration(trigger.every * 60))
        if trigger.lasting_s:
            _add(repetition, "Duration", duration(trigger.lasting_s))
        _add(repetition, "StopAtDurationEnd", "false")
    if trigger.kind == "day":
        _add(_add(element, "ScheduleByDay"), "DaysInterval", "1")
    elif trigger.kind == "week":
        week = _add(element, "ScheduleByWeek")
        _add(week, "WeeksInterval", "1")
        days = _add(week, "DaysOfWeek")
        for day in trigger.days:
            _add(days, DAYS[day])
    elif trigger.kind == "month":
        month = _add(element, "ScheduleByMonth")
        days = _add(month, "DaysOfMonth")
        for day in trigger.days:
            _add(days, "Day", "Last" if day == LAST_DAY else str(day))
        months = _add(month, "Months")
        for name in MONTHS:
            _add(months, name)


def _add_log_on(fires: Element, sid: str) -> None:
    """Add the trigger for this user's log-on; anyone's, which it is without the user, only an administrator may add."""
    element = _add(fires, "LogonTrigger")
    _add(element, "Enabled", "true")
    _add(element, "UserId", sid)
    _add(element, "Delay", _LOG_ON_DELAY)


def _check_command(command: Sequence[str]) -> None:
    if len(command[0]) > PROGRAM_LETTERS:
        raise TriggerError("task-program-long", path=command[0], allowed=PROGRAM_LETTERS)
    for word in command:
        name = _variable_in(word)
        if name:
            raise TriggerError("task-command-expands", word=word, name=name)


def _variable_in(word: str) -> str:
    """Name of a variable that Windows would put a value for, which nothing can prevent (IExecAction's remarks)."""
    known = {name.upper() for name in os.environ}
    between = word.split("%")[1:-1]
    return next((name for name in between if name.upper() in known), "")


def _as_text(text: str) -> str:
    """Text as XML can hold it: neither control characters nor halves of a letter."""
    return "".join(letter if letter.isprintable() else " " for letter in text)


def _add(parent: Element, name: str, text: str | None = None, **attributes: str) -> Element:
    element = ET.SubElement(parent, _tag(name), attributes)
    element.text = text
    return element


def _tag(name: str) -> str:
    return f"{{{NAMESPACE}}}{name}"
