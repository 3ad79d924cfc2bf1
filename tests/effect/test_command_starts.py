"""Where the product starts processes, and how (P94: windows that flash, output that is swallowed)."""

from __future__ import annotations

import ast
import subprocess
from pathlib import Path

from tests.effect.command_running import CHECKOUT
from trayapp.effect.child import gate_stub

_PACKAGE = CHECKOUT / "trayapp"
_STARTERS = {
    "effect/child/gate_stub.py": {"subprocess.Popen"},  # `start_windowless`, the one way on Windows
    "effect/child/forked.py": {"os.fork", "os.execve"},  # never seen by Windows
    "cli/child.py": {"subprocess.Popen"},  # `start_birkez`: Birkez itself, never a foreign program
    "fan_out/supervisor.py": {"subprocess.Popen"},  # Birkez itself, as workers
    "gui/commands.py": {"subprocess.Popen"},  # Birkez itself
    "trigger/crontab_program.py": {"subprocess.run"},  # the systems' own programs, from here on
    "trigger/launchd.py": {"subprocess.run"},
    "trigger/task_program.py": {"subprocess.Popen"},
    "trigger/task_xml.py": {"subprocess.list2cmdline"},  # writes words, starts nothing
}
_OF_OS = ("fork", "exec", "spawn", "posix_spawn", "system", "popen", "startfile")
_OF_SUBPROCESS = ("Popen", "run", "call", "check_call", "check_output", "getoutput", "getstatusoutput")
_FOREIGN = ("CreateProcess", "ShellExecute")
_HIDING = ("multiprocessing", "_posixsubprocess", "pty", "webbrowser")


def _starts_in(file: Path) -> set[str]:
    """Dotted names by which *file* starts a process."""
    found = set()
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import | ast.ImportFrom):
            names = {alias.name for alias in node.names}
            module = getattr(node, "module", None)
            found |= {name for name in names | {module} if name in _HIDING}
            found |= {f"subprocess.{name}" for name in names} if module == "subprocess" else set()
        elif isinstance(node, ast.Call):
            name = ast.unparse(node.func)
            module, _, function = name.rpartition(".")
            is_start = (module == "os" and function.startswith(_OF_OS)) or (
                module == "subprocess" and function in _OF_SUBPROCESS
            )
            if is_start or function.startswith(_FOREIGN):
                found.add(name)
    return found


def test_processes_are_started_in_these_places_only():
    found = {file.relative_to(_PACKAGE).as_posix(): _starts_in(file) for file in _PACKAGE.rglob("*.py")}
    assert {path: starts for path, starts in found.items() if starts} == _STARTERS


def test_windowless_start_hides_the_window_and_names_all_three_streams(monkeypatch):
    started = []
    monkeypatch.setattr(subprocess, "Popen", lambda *words, **more: started.append((words, more)))
    null, pipe = subprocess.DEVNULL, subprocess.PIPE
    gate_stub.start_windowless(["a", "b"], stdin=null, stdout=pipe, stderr=pipe, environment={"A": "1"}, folder="F")
    [(words, more)] = started
    create_no_window, create_new_process_group = 0x08000000, 0x00000200
    assert words == (["a", "b"],)
    assert more == {
        "stdin": null,
        "stdout": pipe,
        "stderr": pipe,
        "env": {"A": "1"},
        "cwd": "F",
        "creationflags": create_no_window | create_new_process_group,
    }
