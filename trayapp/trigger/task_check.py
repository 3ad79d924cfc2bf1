"""Would Windows take this task? Asked before it is, since its own answer is a number and a line in its language.

A document that is refused says nothing about why, and some wrong ones are taken and then
never fire. So each rule of the format is checked here, and told with its place.
"""

from __future__ import annotations

import re
from itertools import pairwise
from xml.etree import ElementTree as ET

from trayapp.trigger.task_schema import ANYTHING, SCHEDULES, TASK, Branch
from trayapp.trigger.task_xml import NAMESPACE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from xml.etree.ElementTree import Element

    from trayapp.trigger.task_schema import Leaf

_VERSIONS = ("1.0", "1.1", "1.2", "1.3", "1.4")
_DECLARED = re.compile(rb"<\?xml[^>]*?\sencoding\s*=\s*[\"']([A-Za-z0-9._-]+)[\"'][^>]*\?>")
_DECLARATION = re.compile(r"\s*<\?xml[^>]*\?>")
_NAME_LETTERS = 238  # of a task's path, as `schtasks /Create` says
_NOT_IN_A_NAME = frozenset('\\/:*?"<>|')


def task_faults(document: bytes, *, is_export: bool = False) -> list[str]:
    """What is wrong with *document* as the file of a task, each with its place; empty when nothing is.

    An export is judged by the same rules but for the order of a trigger's parts: what
    Windows itself writes out does not keep to it.
    """
    try:
        task = ET.fromstring(_text_of(document))  # noqa: S314  # entities are refused before
    except ValueError as error:
        return [str(error)]
    except ET.ParseError as error:
        return [f"no XML document: {error}"]
    if task.tag != f"{{{NAMESPACE}}}Task":
        return [f"the root is {task.tag}, not Task of {NAMESPACE}"]
    version = task.get("version", _VERSIONS[-1])
    if version not in _VERSIONS:
        return [f"version {version} is none of {', '.join(_VERSIONS)}"]
    return [*_faults(task, TASK, "", version, is_export=is_export), *_calendar_faults(task), *_reference_faults(task)]


def name_faults(path: str) -> list[str]:
    r"""What is wrong with *path*, such as `\Birkez\nightly`, as the name of a task."""
    if not path.startswith("\\"):
        return ["a task's name begins with \\"]
    faults = [
        f"“{part}” cannot be the name of a task or its folder"
        for part in path[1:].split("\\")
        if not part or _NOT_IN_A_NAME & set(part) or part[0] == " " or part[-1] in " ." or not part.isprintable()
    ]
    return faults if len(path) <= _NAME_LETTERS else [*faults, f"longer than {_NAME_LETTERS} letters"]


def _text_of(document: bytes) -> str:
    """Text of a file as Windows reads it; ValueError where Windows reads something else, or nothing."""
    declared = _DECLARED.match(document.replace(b"\0", b"")[2 if document[:2] in (b"\xff\xfe", b"\xfe\xff") else 0 :])
    name = declared[1].decode("ascii").lower() if declared else ""
    if document.startswith(b"\xff\xfe"):
        if name not in ("", "utf-16"):
            message = f"says that it were {name} and is UTF-16"
            raise ValueError(message)
        text = document[2:].decode("utf-16-le")
    elif document.startswith((b"\xfe\xff", b"\xef\xbb\xbf")):
        raise ValueError("a byte order mark that is not UTF-16LE's")
    elif name.startswith("utf-16") or b"\0" in document:
        raise ValueError("says that it were UTF-16 and is not, or has no byte order mark")
    else:
        text = document.decode(name or "utf-8")
    if "<!DOCTYPE" in text or "<!ENTITY" in text:
        raise ValueError("has a document type, which no task has")
    return _DECLARATION.sub("", text, count=1)


def _faults(element: Element, known: Branch, place: str, version: str, *, is_export: bool) -> Iterator[str]:
    if known is ANYTHING:
        return
    names = [_name(child) for child in element]
    if (element.text or "").strip() or any((child.tail or "").strip() for child in element):
        yield f"{place or 'Task'}: text between its elements"
    yield from (f"{place or 'Task'}: {name} is missing" for name in known.required if name not in names)
    if not known.all_at_least <= len(names) <= known.all_at_most:
        yield f"{place}: holds {len(names)}, and {known.all_at_least} to {known.all_at_most} are allowed"
    if known.is_ordered and not is_export:
        yield from _order_faults(names, list(known.parts), place)
    for at, child in enumerate(element):
        here = f"{place}/{names[at]}".lstrip("/")
        part = known.parts.get(names[at])
        if part is None:
            yield f"{here}: not allowed here"
        elif part.since > version:
            yield f"{here}: not before version {part.since}"
        elif names[: at + 1].count(names[at]) > known.each_at_most:
            yield f"{here}: stands there {names.count(names[at])} times"
        elif isinstance(part, Branch):
            yield from _faults(child, part, here, version, is_export=is_export)
        else:
            yield from _leaf_faults(child, part, here)


def _leaf_faults(element: Element, known: Leaf, place: str) -> Iterator[str]:
    text = element.text or ""
    if len(element):
        yield f"{place}: elements where text belongs"
    elif not known.fits(text if text.strip() else ""):
        yield f"{place}: “{text.strip()}” is not {known.what}"


def _order_faults(names: list[str], known: list[str], place: str) -> Iterator[str]:
    places = [known.index(name) for name in names if name in known]
    for before, after in pairwise(places):
        if after < before:
            yield f"{place}: {known[after]} stands behind {known[before]}, and belongs before it"


def _calendar_faults(task: Element) -> Iterator[str]:
    for trigger in task.iterfind(_path("Triggers", "CalendarTrigger")):
        schedules = [_name(child) for child in trigger if _name(child) in SCHEDULES]
        if len(schedules) != 1:
            yield f"Triggers/CalendarTrigger: {len(schedules)} schedules, and it must have one"


def _reference_faults(task: Element) -> Iterator[str]:
    principals = [principal.get("id") for principal in task.iterfind(_path("Principals", "Principal"))]
    actions = task.find(_path("Actions"))
    context = None if actions is None else actions.get("Context")
    if context is not None and context not in principals:
        yield f"Actions: its Context “{context}” is no principal's id"
    marked = [
        *principals,
        *(element.get("id") for section in ("Triggers", "Actions") for element in task.iterfind(_path(section, "*"))),
    ]
    ids = [mark for mark in marked if mark is not None]
    yield from (
        f"the id “{twice}” stands there twice" for twice in sorted({mark for mark in ids if ids.count(mark) > 1})
    )


def _name(element: Element) -> str:
    """Name without our namespace; of another namespace with it, so that it is known nowhere."""
    return element.tag.removeprefix(f"{{{NAMESPACE}}}")


def _path(*names: str) -> str:
    return "/".join(name if name == "*" else f"{{{NAMESPACE}}}{name}" for name in names)
