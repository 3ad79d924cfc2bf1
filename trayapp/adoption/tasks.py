"""Windows' tasks of this account as foreign entries: what each does, and whether a job can do it instead."""

from __future__ import annotations

import os
import re
from subprocess import list2cmdline

from trayapp.adoption.entry import Entry, check_of
from trayapp.adoption.refusals import why_not_task_command
from trayapp.adoption.task_times import task_schedule
from trayapp.adoption.titles import one_line
from trayapp.errors import BirkezError, TriggerError
from trayapp.job.model import CommandEffect
from trayapp.trigger.task_reading import is_task_enabled, name_of, text_at
from trayapp.trigger.task_schema import seconds_of
from trayapp.trigger.task_xml import NAMESPACE, read_arguments

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from xml.etree.ElementTree import Element

    from trayapp.trigger.task_foreign import ForeignTask
    from trayapp.trigger.task_user import TaskUser

SOURCE = "schtasks"
_TIMEOUT_S = 72 * 3600.0  # Windows' own limit where a task says none
_WHILE_NOBODY_IS_THERE = ("Password", "S4U", "InteractiveTokenOrPassword")
_ON = ("true", "1")
_VARIABLE = re.compile(r"%([^%\s]+)%")
_FOR_A_SHELL = frozenset("&|<>^%")
_CMD = re.compile(r"\s*/c\s(.*)", re.IGNORECASE | re.DOTALL)


def read_tasks(user: TaskUser, tasks: Sequence[ForeignTask]) -> list[Entry]:
    """Entries of *tasks*, numbered in their order; *user* is the account that they must belong to."""
    return [_read(user, task)._replace(number=number) for number, task in enumerate(tasks, 1)]


def _read(user: TaskUser, task: ForeignTask) -> Entry:
    document = task.document
    command = " ".join(filter(None, (_action(document, "Command"), _action(document, "Arguments"))))
    entry = Entry(
        SOURCE,
        0,
        task.path,
        "",
        command,
        one_line(task.path.rpartition("\\")[2]),
        raw=task.printed,
        check=check_of([task.path.encode("utf-8", "replace"), task.printed]),
        key=task.path,
    )
    try:
        entry = entry._replace(schedule=task_schedule(document))
        _check(user, document)
        cautions = tuple(_cautions(document, is_exact=task.is_exact))
        return entry._replace(effect=_effect(document), cautions=cautions)
    except BirkezError as error:
        return entry._replace(refusal=error)


def _check(user: TaskUser, document: Element) -> None:
    """Refuse what is not this account's to do, or not as it would be done by a job."""
    account = text_at(document, "Principals/Principal/UserId").strip() or text_at(
        document, "Principals/Principal/GroupId"
    )
    names = {user.sid.lower(), user.name.lower(), user.name.rpartition("\\")[2].lower()}
    if account and account.lower() not in names:
        raise TriggerError("adopt-other-account", account=account)
    if text_at(document, "Principals/Principal/RunLevel").strip() == "HighestAvailable":
        raise TriggerError("adopt-needs-admin")
    if not is_task_enabled(document):
        raise TriggerError("adopt-disabled")
    if text_at(document, "Settings/RunOnlyIfIdle").strip() in _ON or _find(document, "Settings", "MaintenanceSettings"):
        raise TriggerError("adopt-conditions")
    actions = _find(document, "Actions", "*")
    if len(actions) != 1 or name_of(actions[0]) != "Exec":
        raise TriggerError("adopt-several-actions")


def _cautions(document: Element, *, is_exact: bool) -> Iterator[BirkezError]:
    if text_at(document, "Principals/Principal/LogonType").strip() in _WHILE_NOBODY_IS_THERE:
        yield TriggerError("adopt-logged-on-only")
    if text_at(document, "Settings/RunOnlyIfNetworkAvailable").strip() in _ON:
        yield TriggerError("adopt-network")
    if text_at(document, "Settings/WakeToRun").strip() in _ON:
        yield TriggerError("adopt-wakes")
    if not is_exact:
        yield TriggerError("adopt-letters")


# --------------------------------------------------------------------- command


def _effect(document: Element) -> CommandEffect:
    program = _expanded(_action(document, "Command").strip().strip('"'))
    arguments = _expanded(_action(document, "Arguments"))
    refusal = why_not_task_command(f"{program} {arguments}")
    if refusal is not None:
        raise refusal
    system = os.environ.get("SYSTEMROOT", "C:\\Windows") + "\\System32"  # where a task starts that names no folder
    folder = _expanded(_action(document, "WorkingDirectory").strip().strip('"')) or system
    argv, shell = _words(program, arguments)
    return CommandEffect(argv, shell, cwd=folder, timeout_s=_limit_s(document))


def _limit_s(document: Element) -> float:
    """How long one run may take: the task's limit, or a trigger's where that is shorter."""
    told = [text_at(document, "Settings/ExecutionTimeLimit")]
    told += [text_at(trigger, "ExecutionTimeLimit") for trigger in _find(document, "Triggers", "*")]
    return float(min(filter(None, (seconds_of(text.strip()) for text in told)), default=_TIMEOUT_S))


def _words(program: str, arguments: str) -> tuple[tuple[str, ...], str]:
    """`argv` or `shell` of the effect: what reaches the program must be what does now, letter for letter."""
    for_cmd = _CMD.fullmatch(" " + arguments) if re.split(r"[\\/]", program.lower())[-1] in ("cmd", "cmd.exe") else None
    if for_cmd is not None:
        return (), _for_cmd(for_cmd[1].strip())
    words = read_arguments(arguments.replace("$", "$$"))
    if list2cmdline(words) == " ".join(arguments.split()) or not arguments.strip():
        return (program, *words), ""
    if _FOR_A_SHELL & set(arguments):
        raise TriggerError("adopt-task-command")
    return (), f'"{program}" {arguments.strip()}'


def _for_cmd(text: str) -> str:
    """Text behind `cmd /c` as cmd takes it: of outer quotes it takes the first and the last away (cmd /?)."""
    is_one_name = text.count('"') == 2 and not re.search(r"[&<>()@^|]", text) and " " in text.split('"')[1]  # noqa: PLR2004  # a pair
    if not text.startswith('"') or is_one_name:
        return text
    before, _quote, behind = text[1:].rpartition('"')
    return before + behind


def _expanded(text: str) -> str:
    """*text* with the variables that Task Scheduler would put values for.

    Raises: TriggerError `adopt-no-variable`, `adopt-task-command` for `$(Arg0)`.
    """
    if re.search(r"\$\(arg\d+\)", text, re.IGNORECASE):
        raise TriggerError("adopt-task-command")
    known = {name.upper(): value for name, value in os.environ.items()}

    def value_of(found: re.Match[str]) -> str:
        if found[1].upper() not in known:
            raise TriggerError("adopt-no-variable", name=found[1])
        return known[found[1].upper()]

    return _VARIABLE.sub(value_of, text)


def _action(document: Element, name: str) -> str:
    return text_at(document, f"Actions/Exec/{name}")


def _find(document: Element, *names: str) -> list[Element]:
    return document.findall("/".join(name if name == "*" else f"{{{NAMESPACE}}}{name}" for name in names))
