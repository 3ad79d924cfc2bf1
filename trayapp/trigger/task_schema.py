"""What a document of Task Scheduler may hold, as tables (MS-TSCH 2.5, "XML Task Definition Language").

Parts of an element may stand in any order, each at most once; only a trigger's parts have
an order, and that alone is enough for Windows to refuse a document.
"""

from __future__ import annotations

import re
from datetime import datetime

from trayapp.trigger.task_xml import DAYS, MONTHS
from trayapp.value import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping


class Leaf(NamedTuple):
    """An element that holds text: what it must be, told by a test and in words."""

    fits: Callable[[str], bool]
    what: str
    since: str = ""  # first version of a document that knows it


class Branch(NamedTuple):
    """An element that holds elements: the known ones, which must be there, and how many of each at most."""

    parts: Mapping[str, Leaf | Branch]
    required: tuple[str, ...] = ()
    is_ordered: bool = False
    each_at_most: int = 1
    all_at_most: int = 1000
    all_at_least: int = 0
    since: str = ""


_DURATION = re.compile(r"P(?=.)(?:(\d+)Y)?(?:(\d+)M)?(?:(\d+)D)?(?:T(?=.)(?:(\d+)H)?(?:(\d+)M)?(?:(\d+)(?:\.\d+)?S)?)?")
_DATE_TIME = re.compile(r"(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)?")
_SECONDS_OF = (365 * 86_400, 30 * 86_400, 86_400, 3600, 60, 1)
_MINUTE, _LONGEST = 60, 31 * 86_400  # bounds of a repetition's interval, in seconds
_SID = re.compile(r"S-1-\d+(?:-\d+)+", re.ASCII)
_LOOKS_LIKE_SID = re.compile(r"S(?:-\d+)+", re.ASCII)


def seconds_of(text: str) -> int | None:
    """Length of an ISO 8601 duration in whole seconds, a month as 30 days; None for what is none."""
    found = _DURATION.fullmatch(text)
    if found is None:
        return None
    return sum(int(number) * unit for number, unit in zip(found.groups("0"), _SECONDS_OF, strict=True))


def _is_date_time(text: str) -> bool:
    found = _DATE_TIME.fullmatch(text)
    try:
        return found is not None and bool(datetime.fromisoformat(found[1]))
    except ValueError:  # the 31st of February
        return False


def _is_account(text: str) -> bool:
    return bool(text) and (not _LOOKS_LIKE_SID.fullmatch(text) or bool(_SID.fullmatch(text)))


def _number(first: int, last: int) -> Leaf:
    return Leaf(lambda text: text.isascii() and text.isdigit() and first <= int(text) <= last, f"{first} to {last}")


def _one_of(*words: str) -> Leaf:
    return Leaf(lambda text: text in words, ", ".join(words))


def _length(least_s: int, most_s: int | None = None) -> Leaf:
    def fits(text: str) -> bool:
        length = seconds_of(text)
        return length is not None and least_s <= length and (most_s is None or length <= most_s)

    bounds = f" of {least_s} s" + (f" to {most_s} s" if most_s else " or more")
    return Leaf(fits, "a duration such as PT15M" + (bounds if least_s else ""))


TEXT = Leaf(lambda _: True, "text")
SOME_TEXT = Leaf(bool, "text")
PATH = Leaf(lambda text: 1 <= len(text) <= 260, "1 to 260 letters")  # noqa: PLR2004  # MS-TSCH's own number
BOOLEAN = _one_of("true", "false", "1", "0")
DATE_TIME = Leaf(_is_date_time, "a date and time such as 2026-09-04T10:00:00")
ACCOUNT = Leaf(_is_account, "an account, or its SID")
DURATION = _length(0)
ANYTHING = Branch({})
_EMPTY = Leaf(lambda text: not text, "nothing")

_DAYS = Branch(dict.fromkeys(DAYS, _EMPTY))
_MONTHS = Branch(dict.fromkeys(MONTHS, _EMPTY))
_DAY = Leaf(lambda text: text == "Last" or text in map(str, range(1, 32)), "1 to 31, or Last")
_MONTH_DAYS = Branch({"Day": _DAY}, each_at_most=32)
_WEEKS = Branch({"Week": _one_of("1", "2", "3", "4", "Last")}, each_at_most=5)
SCHEDULES: dict[str, Branch] = {
    "ScheduleByDay": Branch({"DaysInterval": _number(1, 365)}),
    "ScheduleByWeek": Branch({"WeeksInterval": _number(1, 52), "DaysOfWeek": _DAYS}),
    "ScheduleByMonth": Branch({"DaysOfMonth": _MONTH_DAYS, "Months": _MONTHS}),
    "ScheduleByMonthDayOfWeek": Branch(
        {"Weeks": _WEEKS, "DaysOfWeek": _DAYS, "Months": _MONTHS}, required=("DaysOfWeek",)
    ),
}
_REPETITION = Branch(
    {"Interval": _length(_MINUTE, _LONGEST), "Duration": _length(_MINUTE), "StopAtDurationEnd": BOOLEAN},
    required=("Interval",),
)
_EVERY_TRIGGER: dict[str, Leaf | Branch] = {
    "Enabled": BOOLEAN,
    "StartBoundary": DATE_TIME,
    "EndBoundary": DATE_TIME,
    "Repetition": _REPETITION,
    "ExecutionTimeLimit": DURATION,
}
_STATES = ("ConsoleConnect", "ConsoleDisconnect", "RemoteConnect", "RemoteDisconnect", "SessionLock", "SessionUnlock")
_QUERY = Leaf(lambda text: text.lstrip().startswith("<QueryList"), "a query of the event log, <QueryList>…")


def _trigger(*required: str, **parts: Leaf | Branch) -> Branch:
    return Branch({**_EVERY_TRIGGER, **parts}, required, is_ordered=True)


TRIGGERS = Branch(
    {
        "BootTrigger": _trigger(Delay=DURATION),
        "RegistrationTrigger": _trigger(Delay=DURATION),
        "IdleTrigger": _trigger(),
        "TimeTrigger": _trigger("StartBoundary", RandomDelay=DURATION),
        "EventTrigger": _trigger(
            "Subscription",
            Subscription=_QUERY,
            Delay=DURATION,
            PeriodOfOccurrence=DURATION,
            NumberOfOccurrences=_number(1, 32),
            MatchingElement=SOME_TEXT,
            ValueQueries=ANYTHING,
        ),
        "LogonTrigger": _trigger(UserId=ACCOUNT, Delay=DURATION),
        "SessionStateChangeTrigger": _trigger(
            "StateChange", UserId=ACCOUNT, Delay=DURATION, StateChange=_one_of(*_STATES)
        ),
        "CalendarTrigger": _trigger("StartBoundary", RandomDelay=DURATION, **SCHEDULES),
    },
    each_at_most=48,
    all_at_most=48,
)
_SETTINGS: dict[str, Leaf | Branch] = {
    **dict.fromkeys(
        (
            "AllowStartOnDemand",
            "DisallowStartIfOnBatteries",
            "StopIfGoingOnBatteries",
            "AllowHardTerminate",
            "StartWhenAvailable",
            "RunOnlyIfNetworkAvailable",
            "WakeToRun",
            "Enabled",
            "Hidden",
            "RunOnlyIfIdle",
        ),
        BOOLEAN,
    ),
    "MultipleInstancesPolicy": _one_of("Parallel", "Queue", "IgnoreNew", "StopExisting"),
    "ExecutionTimeLimit": DURATION,
    "DeleteExpiredTaskAfter": DURATION,
    "Priority": _number(1, 10),
    "RestartOnFailure": Branch(
        {"Interval": _length(_MINUTE, _LONGEST), "Count": _number(1, 255)}, required=("Interval", "Count")
    ),
    "IdleSettings": Branch(
        {"Duration": DURATION, "WaitTimeout": DURATION, "StopOnIdleEnd": BOOLEAN, "RestartOnIdle": BOOLEAN}
    ),
    "NetworkProfileName": SOME_TEXT,
    "NetworkSettings": Branch({"Name": SOME_TEXT, "Id": SOME_TEXT}),
    "UseUnifiedSchedulingEngine": BOOLEAN._replace(since="1.3"),
    "DisallowStartOnRemoteAppSession": BOOLEAN._replace(since="1.3"),
    "MaintenanceSettings": Branch(
        {"Period": DURATION, "Deadline": DURATION, "Exclusive": BOOLEAN}, required=("Period",), since="1.4"
    ),
    "Volatile": BOOLEAN._replace(since="1.4"),
}
_PRINCIPAL: dict[str, Leaf | Branch] = {
    "UserId": ACCOUNT,
    "LogonType": _one_of("S4U", "Password", "InteractiveToken", "InteractiveTokenOrPassword"),
    "GroupId": SOME_TEXT,
    "DisplayName": TEXT,
    "RunLevel": _one_of("LeastPrivilege", "HighestAvailable"),
    "ProcessTokenSidType": _one_of("None", "Unrestricted", "Default")._replace(since="1.3"),
    "RequiredPrivileges": Branch({"Privilege": SOME_TEXT}, each_at_most=64, since="1.3"),
}
_EXEC = Branch({"Command": PATH, "Arguments": TEXT, "WorkingDirectory": PATH}, required=("Command",))
ACTIONS = Branch(
    {"Exec": _EXEC, "ComHandler": ANYTHING, "SendEmail": ANYTHING, "ShowMessage": ANYTHING},
    each_at_most=32,
    all_at_most=32,
    all_at_least=1,
)
TASK = Branch(
    {
        "RegistrationInfo": Branch(
            {
                **dict.fromkeys(
                    ("URI", "SecurityDescriptor", "Source", "Author", "Version", "Description", "Documentation"), TEXT
                ),
                "Date": DATE_TIME,
            }
        ),
        "Triggers": TRIGGERS,
        "Settings": Branch(_SETTINGS),
        "Data": ANYTHING,
        "Principals": Branch({"Principal": Branch(_PRINCIPAL)}),
        "Actions": ACTIONS,
    },
    required=("Actions",),
)
