"""launchd on a launchctl that is a real program, and none of Apple's."""

from __future__ import annotations

import os
import plistlib
import sys
from datetime import UTC, datetime
from pathlib import Path

import pytest

from tests.trigger import fake_launchctl
from tests.trigger.contract import *  # noqa: F403  # the tests of every backend
from tests.trigger.contract import job, names
from trayapp.errors import TriggerError
from trayapp.job.schedule import Daily, Monthly
from trayapp.lock.holder import own_holder
from trayapp.lock.job_lock import acquire
from trayapp.trigger.backend import ALL_JOBS
from trayapp.trigger.launchd import Launchd
from trayapp.wording.speech import sentence

pytestmark = pytest.mark.posix


@pytest.fixture
def launchctl(tmp_path_factory, monkeypatch) -> Path:
    """State of a launchctl that stands first on PATH."""
    folder = tmp_path_factory.mktemp("launchctl")
    program = folder / "launchctl"
    program.write_text(f'#!/bin/sh\nexec "{sys.executable}" -I -S "{fake_launchctl.__file__}" "$@"\n', encoding="utf-8")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{folder}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.setenv("FAKE_LAUNCHCTL", str(folder))
    return folder


@pytest.fixture
def open_backend(launchctl):
    return Launchd


@pytest.fixture
def agents() -> Path:
    return Path(os.environ["HOME"]) / "Library" / "LaunchAgents"


def stored(agents: Path, job_id: str) -> tuple[Path, dict[str, object]]:
    (path,) = agents.glob(f"birkez.*.{job_id or '_all'}.plist")
    return path, plistlib.loads(path.read_bytes())


def obstacles(backend) -> list[str]:
    codes = [error.code for error in backend.obstacles()]
    return [code for code in codes if code != "trigger-program-vanishes"]  # Python itself may lie in /tmp


def loaded(launchctl: Path) -> set[str]:
    return {path.name.rpartition(".")[2] for path in (launchctl / "loaded").iterdir()}


def test_agent_of_a_job_is_loaded_and_the_one_for_all_waits_for_the_next_log_on(backend, agents, launchctl):
    backend.install([job()])
    path, agent = stored(agents, "satis")
    assert agent["Label"] == path.stem
    assert agent["StartCalendarInterval"] == [{"Hour": 2, "Minute": 30}]
    assert "RunAtLoad" not in agent
    assert stored(agents, ALL_JOBS)[1]["RunAtLoad"] is True
    assert loaded(launchctl) == {"satis"}  # loading the one for all would start all jobs now


def test_last_day_comes_with_the_runners_guard(backend, agents):
    backend.install([job(schedule=Monthly((-1,), (360,)))])
    assert "--last-day" in stored(agents, "satis")[1]["ProgramArguments"]


def test_changed_agent_is_loaded_anew(backend, launchctl):
    backend.install([job()])
    backend.install([job(schedule=Daily((840,)))])
    (agent,) = (launchctl / "loaded").iterdir()
    assert plistlib.loads(agent.read_bytes())["StartCalendarInterval"] == [{"Hour": 14, "Minute": 0}]


def test_removed_agent_is_unloaded_and_gone(backend, agents, launchctl):
    backend.install([job(), job("yedek")])
    backend.remove(["satis"])
    assert loaded(launchctl) == {"yedek"}
    assert not list(agents.glob("*satis*"))


def test_foreign_agents_stay(backend, agents):
    agents.mkdir(parents=True)
    (agents / "com.example.plist").write_bytes(b"not even xml")
    (agents / "birkez.plist").write_bytes(b"x")
    backend.install([job()])
    backend.remove(["satis"])
    assert {path.name for path in agents.iterdir()} == {"com.example.plist", "birkez.plist"}


def test_agent_that_is_not_loaded_is_not_enabled_and_install_loads_it(backend, launchctl):
    backend.install([job()])
    for agent in (launchctl / "loaded").iterdir():
        agent.unlink()
    assert not next(entry for entry in backend.entries() if entry.job == "satis").is_enabled
    backend.install([job()])
    assert loaded(launchctl) == {"satis"}


def test_agent_switched_off_is_switched_on_again(backend, launchctl, agents):
    backend.install([job()])
    label = stored(agents, "satis")[0].stem
    (launchctl / "loaded" / label).unlink()
    (launchctl / "disabled" / label).touch()
    backend.install([job()])
    assert loaded(launchctl) == {"satis"}


@pytest.mark.parametrize(
    "content", [b"", b"<plist>", b"\xff\xfe", b'{"a": 1}', plistlib.dumps([1]), plistlib.dumps({})]
)
def test_agent_that_somebody_broke_stands_without_times(backend, agents, content):
    backend.install([job()])
    stored(agents, "satis")[0].write_bytes(content)
    entry = next(entry for entry in backend.entries() if entry.job == "satis")
    assert (entry.times, entry.command) == ((), ())
    backend.install([job()])
    assert stored(agents, "satis")[1]["StartCalendarInterval"]


@pytest.mark.parametrize("does", ["bootstrap:fail", "bootstrap:lie"])
def test_refused_agent_leaves_all_as_it_was(backend, agents, launchctl, monkeypatch, does):
    backend.install([job()])
    before = {path.name: path.read_bytes() for path in agents.iterdir()}
    monkeypatch.setenv("FAKE_LAUNCHCTL_DOES", does)
    with pytest.raises(TriggerError, match=r"launchd-(refused|not-kept)") as caught:
        backend.install([job("yedek")])
    assert "{" not in sentence(caught.value)
    assert {path.name: path.read_bytes() for path in agents.iterdir()} == before
    assert loaded(launchctl) == {"satis"}


def test_second_refused_agent_takes_the_first_back(backend, agents, launchctl, monkeypatch):
    real = Launchd._load

    def load(self, label):
        if label.endswith("yedek"):
            raise TriggerError("launchd-refused", command="launchctl bootstrap", status=5, said="no")
        real(self, label)

    monkeypatch.setattr(Launchd, "_load", load)
    with pytest.raises(TriggerError, match="launchd-refused"):
        backend.install([job("satis"), job("yedek")])
    assert backend.entries() == []


def test_what_launchctl_says_is_told(backend, monkeypatch, launchctl):
    monkeypatch.setenv("FAKE_LAUNCHCTL_DOES", "bootstrap:fail")
    with pytest.raises(TriggerError, match="launchd-refused") as caught:
        backend.install([job()])
    assert caught.value.facts["status"] == fake_launchctl.IO_ERROR
    assert "Giriş/çıkış" in str(caught.value.facts["said"])


def test_agent_of_a_job_at_work_is_left_alone(backend, birkez_home):
    backend.install([job()])
    before = backend.entries()
    holder = own_holder("run-1", "schedule", datetime.now(UTC))
    with acquire(birkez_home.lock_file("satis"), holder):
        for change in (lambda: backend.remove(["satis"]), lambda: backend.install([job(schedule=Daily((840,)))])):
            with pytest.raises(TriggerError, match="launchd-job-running"):
                change()
        assert backend.install([job()]) == []
    assert backend.entries() == before


def test_run_by_hand_is_no_agents_child(backend, birkez_home):
    backend.install([job()])
    with acquire(birkez_home.lock_file("satis"), own_holder("run-1", "manual", datetime.now(UTC))):
        backend.remove(["satis"])
    assert names(backend) == set()


def test_healthy_launchd_has_no_obstacle(backend):
    assert obstacles(backend) == []


def test_missing_session_is_an_obstacle(backend, monkeypatch):
    monkeypatch.setenv("FAKE_LAUNCHCTL_DOES", "print:fail")
    assert obstacles(backend) == ["launchd-no-session"]


def test_missing_launchctl_is_an_obstacle_and_writes_nothing(birkez_home, monkeypatch, tmp_path, agents):
    monkeypatch.setenv("PATH", str(tmp_path))
    backend = Launchd(birkez_home)
    assert obstacles(backend) == ["launchd-missing"]
    with pytest.raises(TriggerError, match="launchd-missing"):
        backend.install([job()])
    assert not agents.exists() or not list(agents.iterdir())
