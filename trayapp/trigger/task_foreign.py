"""Tasks of Windows that are none of ours: read, and switched off and on. They are never deleted or written.

A task may hold a password that nobody could give back, so what is taken over is only
disabled. It is looked at before and behind each change.
"""

from __future__ import annotations

import os
from xml.etree import ElementTree as ET

from trayapp.errors import TriggerError
from trayapp.trigger.backend import Change
from trayapp.trigger.task_reading import is_task_enabled, mend_texts, tasks_in
from trayapp.trigger.task_xml import NAMESPACE, task_bytes
from trayapp.value import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from xml.etree.ElementTree import Element

    from trayapp.trigger.task_program import TaskProgram
    from trayapp.trigger.task_reading import FoundTask

_LETTERS_IN = tuple(f"Actions/Exec/{name}" for name in ("Command", "Arguments", "WorkingDirectory"))
_NOT_THE_USERS = ("\\microsoft\\", "\\birkez\\")


class ForeignTask(NamedTuple):
    """A task that is none of ours: *printed* is what `schtasks` says of it, to know it again by.

    *document* is the same with all its letters where *is_exact*; a console may have lost some.
    """

    path: str
    document: Element
    printed: bytes
    is_exact: bool


def foreign_tasks(program: TaskProgram, code_page: str) -> list[ForeignTask]:
    """Tasks that are neither Windows' nor ours, by their paths.

    Raises: TriggerError `tasks-unreadable` and what *program* raises.
    """
    answer = program.list_all()
    if answer.status:
        raise TriggerError("tasks-unreadable", status=answer.status, reason=answer.said)
    found = sorted(tasks_in(answer.printed, code_page), key=lambda task: task.path.lower())
    shown = [task for task in found if task.path and not task.path.lower().startswith(_NOT_THE_USERS)]
    is_exact = answer.printed.startswith((b"\xff\xfe", b"\xef\xbb\xbf")) or b"\0" in answer.printed[:4]
    return [_whole(task, is_exact=is_exact) for task in shown]


def _whole(task: FoundTask, *, is_exact: bool) -> ForeignTask:
    """*task* with the letters of the file in which Windows keeps it, where this account may read that.

    Of the file only what the console may have spoilt is believed, and only where it fits what was printed.
    """
    printed = canonical(task.document)
    folder = os.path.join(os.environ.get("SYSTEMROOT", "C:\\Windows"), "System32", "Tasks")
    try:
        with open(os.path.join(folder, *task.path.strip("\\").split("\\")), "rb") as file:
            (kept,) = tasks_in(file.read(), "utf-8")
    except (OSError, ValueError):
        return ForeignTask(task.path, task.document, printed, is_exact)
    return ForeignTask(task.path, task.document, printed, mend_texts(task.document, kept.document, _LETTERS_IN))


def switch(program: TaskProgram, code_page: str, path: str, *, enabled: bool) -> list[Change]:
    """Enable or disable the task at *path*; nothing is done where it is so already.

    Raises: TriggerError `task-gone` where there is none, `task-not-switched` where it stays as it was.
    """
    before = read_task(program, code_page, path)
    if before is None:
        raise TriggerError("task-gone", name=path)
    if is_task_enabled(before) == enabled:
        return []
    answer = program.change(path, enabled=enabled)
    after = read_task(program, code_page, path)
    if after is None or is_task_enabled(after) != enabled:
        raise TriggerError("task-not-switched", name=path, status=answer.status, reason=answer.said)
    return [Change("schtasks", path, task_bytes(before), task_bytes(after))]


def read_task(program: TaskProgram, code_page: str, path: str) -> Element | None:
    """Document of the task at *path*, None where there is none."""
    answer = program.query(path)
    found = tasks_in(answer.printed, code_page) if not answer.status else []
    return found[0].document if found else None


def put_back(program: TaskProgram, code_page: str, path: str, document: bytes) -> Change:
    """Make the task at *path*, which somebody has deleted, from its canonical *document*.

    Raises: TriggerError `task-gone` where Windows does not take it: one with a password wants that.
    """
    answer = program.create(path, task_bytes(ET.fromstring(document)))  # noqa: S314  # written by `canonical`
    after = read_task(program, code_page, path)
    if answer.status or after is None:
        raise TriggerError("task-gone", name=path)
    return Change("schtasks", path, None, task_bytes(after))


def canonical(task: Element) -> bytes:
    """All that *task* says, in one writing, whichever way it was read."""
    ET.register_namespace("", NAMESPACE)  # else it depends on what this process has written before
    return ET.canonicalize(ET.tostring(task, "unicode"), strip_text=True).encode("utf-8", "surrogatepass")
