"""The stub, its job object and the programs of Windows; the genuine Windows CPython under Wine runs it."""

from __future__ import annotations

import os
import subprocess
import sys
import threading

import pytest

from tests.effect.command_running import is_gone, never, perform, pid_in, python, unit, wait_for, writes_pid
from trayapp.effect.child import held as held_module
from trayapp.effect.command import hold
from trayapp.errors import EffectError, SetupError
from trayapp.job.model import CommandEffect
from trayapp.process_identity import identity_of

pytestmark = pytest.mark.win32


def test_batch_file_is_found_beside_the_job_without_its_ending(tmp_path):
    (tmp_path / "a b.bat").write_bytes(b"@echo off\r\necho bat %~1\r\nexit /b 5\r\n")
    done = perform(CommandEffect(("a b", "x y"), cwd=str(tmp_path)), tmp_path)
    assert done.output.split() == ["bat", "x", "y"]
    assert done.end == ("exited", 5)


def test_program_is_searched_in_the_jobs_path(tmp_path):
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "betik.cmd").write_bytes(b"@echo found\r\n")
    done = perform(CommandEffect(("betik",), path=str(tmp_path / "bin")), tmp_path)
    assert done.output.split() == ["found"]


def test_file_that_is_no_program_says_so(tmp_path):
    (tmp_path / "betik.py").write_text("print(1)")
    held = hold(CommandEffect((str(tmp_path / "betik.py"),)), unit(), str(tmp_path / "o"))
    with pytest.raises(EffectError) as caught:
        held.open_gate()
    assert caught.value.code == "command-not-a-program"
    assert caught.value.facts["path"] == str(tmp_path / "betik.py")


def test_exit_status_of_a_crash_is_kept_whole(tmp_path):
    access_violation = 0xC0000005
    code = f"import os; os._exit({access_violation} - (1 << 32))"
    assert perform(CommandEffect(python(code)), tmp_path).end == ("exited", access_violation)


def test_text_in_the_consoles_page_is_readable(tmp_path):
    data = "ü".encode("oem")
    code = f"import sys; sys.stdout.buffer.write({data!r} + 'ğ'.encode())"
    assert perform(CommandEffect(python(code)), tmp_path).output.strip() == "üğ"


def test_stub_that_was_killed_leaves_the_end_unknown(tmp_path):
    held = hold(CommandEffect(python("import time; time.sleep(5)")), unit(), str(tmp_path / "o"))
    held.open_gate()
    os.kill(held.identity.pid, 9)
    assert held.wait(never) == ("signalled", 9)


def test_stub_that_was_killed_before_the_gate_counts_as_not_begun(tmp_path):
    held = hold(CommandEffect(python("")), unit(), str(tmp_path / "o"))
    os.kill(held.identity.pid, 9)
    wait_for(lambda: is_gone(held.identity), "the stub dies")
    with pytest.raises(EffectError) as caught:
        held.open_gate()
    assert caught.value.code == "command-not-started"


def test_tree_is_ended_without_a_job_object_too(tmp_path, monkeypatch):
    monkeypatch.setattr(held_module, "_STOP_GRACE_S", 0.3)
    held = hold(
        CommandEffect(
            python(
                "import subprocess, sys, time; subprocess.Popen([sys.executable, '-c', sys.argv[1]]); time.sleep(60)",
                writes_pid(tmp_path / "pid") + "; import time; time.sleep(60)",
            )
        ),
        unit(),
        str(tmp_path / "o"),
    )
    held._tree.close()
    held.open_gate()
    assert held.wait((tmp_path / "pid").exists).kind == "stopped"
    assert identity_of(pid_in(tmp_path / "pid")) is None
    assert is_gone(held.identity)


def test_no_interpreter_to_hold_with_is_said_before_anything_begins(tmp_path, monkeypatch):
    monkeypatch.setattr(sys, "_base_executable", str(tmp_path / "missing.exe"))
    with pytest.raises(SetupError) as caught:
        hold(CommandEffect(python("")), unit(), str(tmp_path / "o"))
    assert caught.value.code == "command-process-refused"


def test_readers_end_with_their_commands(tmp_path):
    before = set(threading.enumerate())
    for _ in range(3):
        perform(CommandEffect(python("print(1)")), tmp_path)
    hold(CommandEffect(python("")), unit(), str(tmp_path / "o")).abandon()
    wait_for(lambda: set(threading.enumerate()) <= before, "the readers end")


def test_everything_is_started_without_a_window(tmp_path, monkeypatch):
    started = []
    real = subprocess.Popen

    def record(*words, **more):
        started.append(more)
        return real(*words, **more)

    monkeypatch.setattr(subprocess, "Popen", record)
    perform(CommandEffect(python("")), tmp_path)
    [stub] = started
    assert stub["creationflags"] & subprocess.CREATE_NO_WINDOW
    assert {stub[name] for name in ("stdin", "stdout", "stderr")} == {subprocess.PIPE}
