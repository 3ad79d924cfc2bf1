from __future__ import annotations

import os
import shutil
import subprocess
import sys

import pytest

from tests.conftest import Birkez
from trayapp.errors import SetupError
from trayapp.trigger.here import VARIABLE, backend_here

NOTHING = "none"


def test_no_test_has_a_scheduler_unless_it_asks_for_one(birkez_home):
    assert os.environ[VARIABLE] == NOTHING
    assert backend_here(birkez_home) is None


def test_a_started_command_has_none_either():
    assert Birkez().environment()[VARIABLE] == NOTHING


@pytest.mark.posix
@pytest.mark.parametrize("program", ["crontab", "launchctl"])
def test_the_schedulers_programs_refuse_in_tests(program):
    ended = subprocess.run([program, "-l"], capture_output=True, encoding="utf-8", check=False)
    assert ended.returncode == 99
    assert "real_path" in ended.stderr


@pytest.mark.posix
def test_a_test_can_ask_for_the_real_ones(real_path):
    assert os.environ["PATH"] == real_path
    assert "no-schedulers" not in (shutil.which("crontab") or "")


def test_unknown_scheduler_is_refused(birkez_home, monkeypatch):
    monkeypatch.setenv(VARIABLE, "systemd")
    with pytest.raises(SetupError, match="scheduler-unknown") as caught:
        backend_here(birkez_home)
    assert caught.value.facts == {"value": "systemd", "allowed": ["crontab", "schtasks", "launchd", "none"]}


@pytest.mark.posix  # Windows cannot play another system
@pytest.mark.parametrize(("system", "name"), [("linux", "crontab"), ("freebsd14", "crontab"), ("darwin", "launchd")])
def test_each_system_has_its_own(birkez_home, monkeypatch, system, name):
    monkeypatch.delenv(VARIABLE)
    monkeypatch.setattr(sys, "platform", system)
    backend = backend_here(birkez_home)
    assert backend is not None
    assert backend.name == name
