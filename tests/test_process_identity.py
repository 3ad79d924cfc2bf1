from __future__ import annotations

import os
import shutil
import subprocess
import sys

import pytest

from tests.conftest import faketime_env
from trayapp import process_identity
from trayapp.process_identity import ProcessIdentity, boot_id, identity_of, is_alive, own_identity, start_of


@pytest.fixture
def sleeper():
    """A process that lives until the test ends it."""
    process = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
    yield process
    process.kill()
    process.wait()
    process.stdin.close()


def test_this_process_is_alive():
    own = own_identity()
    assert own.pid == os.getpid()
    assert own.start
    assert is_alive(own)


def test_identity_stays_the_same(sleeper):
    assert identity_of(sleeper.pid) == identity_of(sleeper.pid)


def test_ended_process_is_not_alive(sleeper):
    identity = identity_of(sleeper.pid)
    assert is_alive(identity)
    sleeper.kill()
    sleeper.wait()
    assert not is_alive(identity)
    assert identity_of(sleeper.pid) is None


@pytest.mark.posix
def test_zombie_is_not_alive(sleeper):
    identity = identity_of(sleeper.pid)
    sleeper.kill()
    os.waitid(os.P_PID, sleeper.pid, os.WEXITED | os.WNOWAIT)  # it has ended, and nobody has collected it
    assert not is_alive(identity)


@pytest.mark.parametrize("change", [{"start": "1"}, {"boot": "another"}, {"start": ""}])
def test_reused_pid_is_another_process(change):
    assert not is_alive(own_identity()._replace(**change))


@pytest.mark.parametrize("pid", [0, -1, 2**22 + 1, 2**31 - 1, 2**31, 10**30])
def test_number_that_is_no_process_has_no_identity(pid):
    assert identity_of(pid) is None
    assert not is_alive(ProcessIdentity(boot_id(), pid, ""))


@pytest.mark.linux
def test_blanks_and_parentheses_of_a_program_name_are_no_fields(tmp_path):
    program = tmp_path / "a) Z 1 (b"
    shutil.copy(shutil.which("sleep"), program)
    process = subprocess.Popen([program, "30"])
    try:
        assert int(start_of(process.pid)) >= int(start_of(os.getpid()))
    finally:
        process.kill()
        process.wait()


@pytest.mark.linux
def test_start_does_not_move_with_the_clock():
    words = [sys.executable, "-c", f"from trayapp.process_identity import start_of; print(start_of({os.getpid()}))"]
    env = {**os.environ, "PYTHONPATH": os.getcwd(), **faketime_env("2030-01-01T00:00:00Z")}
    seen = subprocess.run(words, env=env, capture_output=True, text=True, check=True)
    assert seen.stdout.strip() == start_of(os.getpid())


@pytest.mark.posix
def test_process_that_hides_its_start_is_not_taken_for_dead(monkeypatch):
    """With /proc mounted `hidepid=2` another user's process is not to be seen, but kill(2) says that it is there."""

    def refuse(pid, signal):
        raise PermissionError

    monkeypatch.setattr(os, "kill", refuse)
    assert process_identity._is_hidden(os.getpid())
    monkeypatch.undo()
    assert not process_identity._is_hidden(os.getpid())


@pytest.mark.win32
def test_process_that_is_closed_to_us_is_not_taken_for_dead(monkeypatch):
    import ctypes

    monkeypatch.setattr(ctypes, "get_last_error", lambda: 5)
    assert start_of(2**22 + 1) == ""
