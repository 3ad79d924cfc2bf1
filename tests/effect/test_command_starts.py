"""How the product starts processes on Windows (P94: windows that flash, output that is swallowed)."""

from __future__ import annotations

import subprocess

from trayapp.effect.child import gate_stub


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
