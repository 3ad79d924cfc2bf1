from __future__ import annotations

import ast

from tests.architecture.source import Module, called_name, calls, modules

# Where a command begins held behind its gate, in a group of its own, with a clean environment.
GATE = "trayapp.effect.child"

# Others that start a process, each with what it starts. A job's command is never one of them.
OTHERS: dict[str, str] = {
    "trayapp.cli.child": "Birkez itself, for `run --all` and the demo",
    "trayapp.trigger.launchd": "launchctl, which never starts a job's command",
    "trayapp.trigger.crontab_program": "crontab",
    "trayapp.adoption.elsewhere": "systemctl, to list timers",
    "trayapp.trigger.task_program": "schtasks, Windows' own, which starts no job but writes tasks",
    "trayapp.frozen_start": "the frozen tray application, for `birkez tray`",
    "trayapp.fan_out.supervisor": "Birkez itself, as the workers of a run",
    "trayapp.gui.commands": "Birkez itself, for everything that the tray application does",
}

STARTERS = {
    "subprocess": {"Popen", "call", "check_call", "check_output", "getoutput", "getstatusoutput", "run"},
    "os": {"fork", "forkpty", "popen", "posix_spawn", "posix_spawnp", "startfile", "system"},
    "_winapi": {"CreateProcess"},
    "asyncio": {"create_subprocess_exec", "create_subprocess_shell"},
}
FAMILIES = ("exec", "spawn")  # os.execv, os.spawnle, …


def test_commands_are_started_in_one_place_only():
    assert not [
        module.at(call)
        for module in modules()
        if not module.name.startswith(GATE) and module.name not in OTHERS
        for call in calls(module.tree)
        if _starts_a_process(call)
    ]


def test_nobody_uses_multiprocessing():
    # Its children inherit locks and open databases. A function of the user's may, so the frozen
    # program has to know a child of it when it is started as one.
    assert [module.name for module in modules() if "multiprocessing" in _imports(module)] == ["trayapp.frozen_start"]


def test_nobody_is_excused_who_starts_nothing():
    assert not [name for name in OTHERS if not any(map(_starts_a_process, _calls_of(name)))]


def _starts_a_process(call: ast.Call) -> bool:
    if not isinstance(call.func, ast.Attribute) or not isinstance(call.func.value, ast.Name):
        return False
    owner, name = call.func.value.id, called_name(call)
    return name in STARTERS.get(owner, ()) or (owner == "os" and name.startswith(FAMILIES))


def _calls_of(name: str) -> list[ast.Call]:
    return [call for module in modules() if module.name == name for call in calls(module.tree)]


def _imports(module: Module) -> set[str]:
    return {
        name.partition(".")[0]
        for node in ast.walk(module.tree)
        if isinstance(node, ast.Import | ast.ImportFrom)
        for name in ([alias.name for alias in node.names] if isinstance(node, ast.Import) else [node.module or ""])
    }
