"""What Task Scheduler says that it keeps, read from its XML alone.

`schtasks` prints documents in UTF-16 or in the code page of its console, in which a letter
that the page lacks becomes another; and it writes out parts in an order of its own, with
defaults added. So what stands is compared by meaning.
"""

from __future__ import annotations

import json
import re
from copy import deepcopy
from xml.etree import ElementTree as ET

from trayapp.trigger.task_schema import seconds_of
from trayapp.trigger.task_xml import MONTHS, NAMESPACE, SETTINGS, duration, read_arguments
from trayapp.value import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from xml.etree.ElementTree import Element

    from trayapp.trigger.task_user import TaskUser

# A task, and before it its place as a listing tells it.
_TASK = re.compile(r"(?:<!--\s*(\\[^<>]*?)\s*-->\s*)?(?:<\?xml[^>]*\?>\s*)?(<Task[\s>].*?</Task\s*>)", re.DOTALL)
_BYTE_ORDERS = ((b"\xff\xfe", "utf-16-le"), (b"\xfe\xff", "utf-16-be"), (b"\xef\xbb\xbf", "utf-8"))
# What stands where a document says nothing.
_UNSAID = {
    "MultipleInstancesPolicy": "IgnoreNew",
    "DisallowStartIfOnBatteries": "true",
    "StopIfGoingOnBatteries": "true",
    "AllowHardTerminate": "true",
    "StartWhenAvailable": "false",
    "RunOnlyIfNetworkAvailable": "false",
    "AllowStartOnDemand": "true",
    "Enabled": "true",
    "Hidden": "false",
    "RunOnlyIfIdle": "false",
    "WakeToRun": "false",
    "ExecutionTimeLimit": "P3D",
}
# Parts of triggers that may as well be left out.
_NEEDLESS = {"Enabled=true", "DaysInterval=1", "WeeksInterval=1", "StopAtDurationEnd=false", "RandomDelay=PT0S"}
_ALL_MONTHS = f"Months({', '.join(sorted(MONTHS))})"
# "Run whether user is logged on or not", without a password. It takes an administrator, and stays once it is set.
WITHOUT_LOG_ON = "S4U"
WITH_LOG_ON = "InteractiveToken"
_LOG_ON = "Principals/Principal/LogonType"
_DESCRIPTION = "RegistrationInfo/Description"
_BOOLEANS = {"1": "true", "0": "false"}


class FoundTask(NamedTuple):
    """A task as it stands: its *path*, as far as it is told, and its document."""

    path: str
    document: Element


def tasks_in(printed: bytes, code_page: str) -> list[FoundTask]:
    """Tasks that `schtasks /Query /XML` has printed, one document or many; what is none is passed over."""
    text, is_exact = _text_of(printed, code_page)
    found = []
    for place, written in _TASK.findall(text):
        if "<!DOCTYPE" in written:
            continue
        try:
            document = ET.fromstring(written)  # noqa: S314  # without a document type it has no entities
        except ET.ParseError:  # another program's, and no concern of ours
            continue
        if not is_exact:
            _mend(document)
        found.append(FoundTask(place or text_at(document, "RegistrationInfo/URI"), document))
    return found


def task_command(task: Element) -> tuple[str, ...]:
    """Argv of the task's only action; empty where it has several, or one of another kind."""
    actions = _find(task, "Actions")
    if actions is None or len(actions) != 1 or name_of(actions[0]) != "Exec":
        return ()
    program = text_at(actions[0], "Command").strip()
    return (program.strip('"'), *read_arguments(text_at(actions[0], "Arguments")))


def task_times(task: Element, user: TaskUser) -> tuple[str, ...]:
    """When the task starts, in one order and with no part that may as well be left out.

    Behind the triggers stand the settings, the account and its powers where they are not
    what we set: they too decide when it starts, or whether.
    """
    triggers = _find(task, "Triggers")
    fires = sorted(_words_of(trigger, user) for trigger in (triggers if triggers is not None else ()))
    return (*fires, *_own_ways(task, user))


def is_task_enabled(task: Element) -> bool:
    """Tell whether the task may start at all."""
    return _plain(text_at(task, "Settings/Enabled") or "true") == "true"


def differences(wanted: Element, standing: Element, user: TaskUser, *, strictly: bool = False) -> list[str]:
    """What of *standing* is not what *wanted* says, in Task Scheduler's words; empty when both mean the same.

    Whether it starts without its user's log-on is a person's choice, and counts *strictly* only.
    """
    pairs = [
        ("Triggers", task_times(wanted, user), task_times(standing, user)),
        ("Command", task_command(wanted), task_command(standing)),
        ("Enabled", is_task_enabled(wanted), is_task_enabled(standing)),
        ("Description", text_at(wanted, _DESCRIPTION), text_at(standing, _DESCRIPTION)),
    ]
    if strictly:
        log_on = [text_at(task, _LOG_ON) or WITH_LOG_ON for task in (wanted, standing)]
        pairs.append(("LogonType", log_on[0], log_on[1]))
    return [f"{name}: {_shown(there)} ≠ {_shown(ours)}" for name, ours, there in pairs if ours != there]


def keep_log_on(wanted: Element, standing: Element) -> None:
    """Let *wanted* start while nobody is logged on where *standing* does: else a new time would quietly end that."""
    log_on = _find(wanted, _LOG_ON)
    if log_on is not None and text_at(standing, _LOG_ON) == WITHOUT_LOG_ON:
        log_on.text = WITHOUT_LOG_ON


def with_log_on(standing: Element, *, without: bool) -> Element | None:
    """*standing* so that it starts without its user's log-on, or not; None where it does so already."""
    wanted = WITHOUT_LOG_ON if without else WITH_LOG_ON
    log_on = _find(standing, _LOG_ON)
    if log_on is None or log_on.text == wanted:
        return None
    changed = deepcopy(standing)
    found = _find(changed, _LOG_ON)
    assert found is not None
    found.text = wanted
    return changed


def starts_without_log_on(text: str) -> bool:
    """Tell whether the task that is written as *text* starts while nobody is logged on, too."""
    return f"<LogonType>{WITHOUT_LOG_ON}</LogonType>" in text


def text_at(element: Element, path: str) -> str:
    """Text of the element at *path*, empty where there is none."""
    found = _find(element, path)
    return "" if found is None else found.text or ""


def name_of(element: Element) -> str:
    """Name of an element, without the namespace of tasks."""
    return element.tag.removeprefix(f"{{{NAMESPACE}}}")


def mend_texts(shown: Element, whole: Element, paths: Iterable[str]) -> bool:
    """Put the texts of *whole* at *paths* into *shown* where they can be what was shown; tell whether all can."""
    can_all = True
    for path in paths:
        element = _find(shown, path)
        if element is None:
            continue
        text = text_at(whole, path)
        if _can_be(text, element.text or ""):
            element.text = text
        else:
            can_all = False
    return can_all


def _shown(value: object) -> str:
    return ", ".join(value) if isinstance(value, tuple) else str(value)


def _own_ways(task: Element, user: TaskUser) -> Iterator[str]:
    for name, ours in SETTINGS.items():
        there = _plain(text_at(task, f"Settings/{name}") or _UNSAID[name])
        if name != "Enabled" and there != _plain(ours):
            yield f"{name}={there}"
    if _find(task, "Settings/RestartOnFailure") is not None:
        yield "RestartOnFailure"
    principal = _find(task, "Principals/Principal")
    if principal is None:
        yield "Principal"
        return
    wanted = {"UserId": user.sid, "LogonType": WITH_LOG_ON, "RunLevel": "LeastPrivilege"}
    said = {name_of(child): child.text or "" for child in principal}
    said = {"LogonType": WITH_LOG_ON, "RunLevel": "LeastPrivilege", **said}
    said["UserId"] = _account(said.get("UserId", ""), user)
    if said["LogonType"] == WITHOUT_LOG_ON:
        wanted["LogonType"] = WITHOUT_LOG_ON
    yield from (f"{name}={said[name]}" for name in wanted if said[name] != wanted[name])


def _words_of(element: Element, user: TaskUser) -> str:
    """Write *element* as `Name(part, part)` and `Name=text`, the parts in one order, needless ones left out."""
    name, text = name_of(element), (element.text or "").strip()
    if len(element):
        parts = sorted({_words_of(child, user) for child in element} - _NEEDLESS - {_ALL_MONTHS})
        return f"{name}({', '.join(parts)})" if parts else name
    if name == "UserId":
        text = _account(text, user)
    if name.endswith("Boundary"):
        text = re.sub(r"\.0+(?=$|[Z+-])", "", text)
    return f"{name}={_plain(text)}" if text else name


def _account(text: str, user: TaskUser) -> str:
    """SID for the user's name too, with or without the computer's: Windows writes either, in a code page."""
    names = {user.sid, user.name, user.name.rpartition("\\")[2]} - {""}
    return user.sid if any(_can_be(name.lower(), text.lower()) for name in names) else text


def _plain(text: str) -> str:
    """One writing for what has several: a duration, a yes or no."""
    length = seconds_of(text)
    return duration(length) if length is not None else _BOOLEANS.get(text, text)


def _text_of(printed: bytes, code_page: str) -> tuple[str, bool]:
    """Text, and whether its letters are sure to be those that stand there."""
    for mark, encoding in _BYTE_ORDERS:
        if printed.startswith(mark):
            return printed[len(mark) :].decode(encoding, "replace"), True
    if b"\0" in printed[:4]:
        return printed.decode("utf-16-be" if printed[:1] == b"\0" else "utf-16-le", "replace"), True
    try:
        return printed.decode("utf-8"), False  # of ASCII nobody knows what the letters were
    except UnicodeDecodeError:
        return printed.decode(code_page, "replace"), False


def _mend(task: Element) -> None:
    """Put back the letters that a code page has lost, from the copy in ASCII that our tasks hold.

    Only where the copy can be what stands there: what somebody has edited stays as it is.
    """
    try:
        copy = json.loads(text_at(task, "RegistrationInfo/Documentation"))
        texts = [
            (_DESCRIPTION, copy["Description"]),
            ("Actions/Exec/Command", copy["Command"]),
            ("Actions/Exec/Arguments", copy["Arguments"]),
        ]
    except (ValueError, LookupError, TypeError):  # no task of ours
        return
    for path, whole in texts:
        element = _find(task, path)
        if element is not None and isinstance(whole, str) and _can_be(whole, element.text or ""):
            element.text = whole


def _can_be(whole: str, shown: str) -> bool:
    """Tell whether *shown* is *whole* printed in a code page: each letter that it lacks is some other sign."""
    signs = "".join(letter * (1 + (letter > "\uffff")) for letter in whole)  # UTF-16 has two for some
    return whole == shown or (
        len(signs) == len(shown)
        and all(letter == sign or not letter.isascii() for letter, sign in zip(signs, shown, strict=True))
    )


def _find(element: Element, path: str) -> Element | None:
    return element.find("/".join(f"{{{NAMESPACE}}}{name}" for name in path.split("/")))
