from __future__ import annotations

import os
import sys

import pytest

from trayapp import frozen_start
from trayapp.own_command import own_argv


@pytest.fixture
def frozen(tmp_path, monkeypatch: pytest.MonkeyPatch):
    def be(name: str) -> str:
        monkeypatch.setattr(sys, "frozen", True, raising=False)
        monkeypatch.setattr(sys, "executable", str(tmp_path / name))
        return str(tmp_path)

    return be


@pytest.mark.parametrize(("own", "started"), [
    ("birkez", "birkez"), ("birkez-tray", "birkez"), ("birkez.exe", "birkez.exe"), ("birkez-run.exe", "birkez-run.exe"),
    ("birkez-tray.exe", "birkez.exe"), ("Birkez-Tray.EXE", "birkez.EXE"),
])  # fmt: skip
def test_a_frozen_program_starts_the_one_that_takes_commands(frozen, own: str, started: str):
    folder = frozen(own)
    assert own_argv("run", "iş") == [os.path.join(folder, started), "run", "iş"]


@pytest.mark.posix
def test_frozen_command_hands_the_tray_to_the_program_that_is_prepared_for_qt(frozen, monkeypatch: pytest.MonkeyPatch):
    folder = frozen("birkez")
    begun = []
    monkeypatch.setattr(os, "execv", lambda *words: begun.append(words) or sys.exit(7))
    with pytest.raises(SystemExit):
        frozen_start.main(["tray", "--hidden"])
    program = os.path.join(folder, "birkez-tray")
    assert begun == [(program, [program, "--hidden"])]
