from __future__ import annotations

import time
from pathlib import Path

import pytest

from trayapp.clock_sync import is_synchronised, wait_for_clock
from trayapp.places import Places

pytestmark = pytest.mark.linux


@pytest.fixture
def run_dir(tmp_path: Path) -> Path:
    path = tmp_path / "run"
    path.mkdir()
    return path


def test_nobody_knows_without_a_time_service(run_dir: Path) -> None:
    assert is_synchronised(str(run_dir)) is None


def test_timesyncd_says_when_it_has_set_the_clock(run_dir: Path) -> None:
    (run_dir / "systemd" / "timesync").mkdir(parents=True)
    (run_dir / "systemd" / "timesync" / "synchronized").touch()
    assert is_synchronised(str(run_dir)) is True


def test_kernel_is_asked_while_a_service_is_active(run_dir: Path) -> None:
    (run_dir / "chrony").mkdir()
    assert is_synchronised(str(run_dir)) in (True, False)  # as this machine's kernel stands, but never "unknown"


def test_start_does_not_wait_without_a_time_service(birkez_home: Places, run_dir: Path) -> None:
    began = time.monotonic()
    assert not wait_for_clock(birkez_home, 5, str(run_dir))
    assert time.monotonic() - began < 1


def test_start_waits_once_a_boot(birkez_home: Places, run_dir: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    answers = iter([False, False, True])
    monkeypatch.setattr("trayapp.clock_sync.is_synchronised", lambda _run_dir: next(answers))
    assert wait_for_clock(birkez_home, 5, str(run_dir))
    monkeypatch.setattr("trayapp.clock_sync.is_synchronised", lambda _run_dir: False)
    assert not wait_for_clock(birkez_home, 5, str(run_dir))


def test_wait_has_an_end(birkez_home: Places, run_dir: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("trayapp.clock_sync.is_synchronised", lambda _run_dir: False)
    began = time.monotonic()
    assert wait_for_clock(birkez_home, 0.6, str(run_dir))
    assert time.monotonic() - began < 5
