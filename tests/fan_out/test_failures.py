"""Failures and servers at rest, as all workers of a job see them."""

from __future__ import annotations

import math
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.conftest import CHECKOUT
from trayapp.effect.item.unit import ItemFailedError
from trayapp.errors import EffectError
from trayapp.fan_out import hosts as hosts_module
from trayapp.fan_out.failures import Failures, pause_s, read_failures
from trayapp.fan_out.hosts import Hosts

ERROR = EffectError("download-refused", url="http://x", status=500)


@pytest.fixture
def failures(tmp_path: Path) -> Iterator[Failures]:
    made = Failures(str(tmp_path / "items"))
    yield made
    made.close()


def test_workers_that_begin_together_all_get_their_record(tmp_path: Path):
    """Found by the benchmark: SQLite does not wait where the first ones turn a new file into a WAL."""
    code = (
        "import sys, time; from trayapp.fan_out.failures import Failures\n"
        "while time.time() < float(sys.argv[2]): pass\n"
        "Failures(sys.argv[1]).close()"
    )
    for number in range(5):
        words = [sys.executable, "-c", code, str(tmp_path / str(number)), str(time.time() + 0.6)]
        started = [subprocess.Popen(words, cwd=CHECKOUT, stderr=subprocess.PIPE) for _ in range(6)]
        assert [process.communicate()[1] for process in started] == [b""] * 6


def test_pauses_grow_up_to_five_minutes():
    assert [pause_s(attempt) for attempt in (1, 2, 3, 4, 5, 100)] == [2, 8, 32, 128, 300, 300]


def test_failure_is_kept_with_its_reason_and_its_next_time(failures: Failures, tmp_path: Path):
    assert failures.add("a.json", "a", ERROR, is_final=False) == 1
    assert failures.add("a.json", "a", ERROR, is_final=False, wait_s=100) == 2
    (kept,) = read_failures(str(tmp_path / "items")).values()
    assert (kept.item, kept.attempt, kept.code, kept.facts["status"]) == ("a", 2, "download-refused", 500)
    assert 90 < kept.wait_s(time.time()) <= 100
    assert kept.has_failed(2)
    assert not kept.has_failed(3)
    failures.clear("a.json")
    assert failures.all() == {}


def test_clock_that_was_set_back_keeps_nothing_waiting(failures: Failures):
    failures.add("a.json", "a", ERROR, is_final=False, wait_s=100)
    kept = failures.get("a.json")
    assert kept is not None
    assert kept.wait_s(kept.at) > 90
    assert kept.wait_s(kept.at - 0.5) > 90
    assert kept.wait_s(kept.at - 3600) == 0


def test_moment_that_a_wrong_clock_wrote_keeps_nothing_waiting(failures: Failures):
    failures.add("a.json", "a", ERROR, is_final=False)
    kept = failures.get("a.json")
    assert kept is not None
    assert kept.wait_s(time.time() - 400 * 86_400) == 0.0


def test_server_rests_after_some_failures_in_a_row_and_is_given_up_after_some_rests(
    failures: Failures, tmp_path: Path, monkeypatch
):
    now = [1_000_000.0]
    monkeypatch.setattr(hosts_module.time, "time", lambda: now[0])
    ours, theirs = (Hosts(failures, str(tmp_path), 0) for _ in range(2))
    struck = ItemFailedError(ERROR, strikes_host=True)
    for _ in range(4):
        ours.note_failure("x", struck)
    assert theirs.wait_s("x") == 0
    theirs.note_failure("x", struck)
    assert ours.wait_s("x") == 5
    assert ours.wait_s("y") == 0
    asked = 5
    while not math.isinf(ours.wait_s("x")):
        now[0] += ours.wait_s("x")
        ours.note_failure("x", struck)
        asked += 1
    assert asked == 7


def test_answer_in_between_forgets_what_spoke_against_a_server(failures: Failures, tmp_path: Path):
    hosts = Hosts(failures, str(tmp_path), 0)
    struck = ItemFailedError(ERROR, strikes_host=True)
    for _ in range(20):
        for _ in range(4):
            hosts.note_failure("x", struck)
        hosts.note_answer("x")
    assert hosts.wait_s("x") == 0
    for _ in range(4):
        hosts.note_failure("x", struck)
    hosts.note_failure("x", ItemFailedError(ERROR, is_final=True))  # 404 is an answer
    hosts.note_failure("x", struck)
    assert hosts.wait_s("x") == 0


def test_places_at_a_server_are_given_out_and_come_back(failures: Failures, tmp_path: Path):
    one, two, three = (Hosts(failures, str(tmp_path), 2) for _ in range(3))
    assert one.try_slot("x")
    assert one.try_slot("x")
    assert two.try_slot("x")
    assert not three.try_slot("x")
    assert three.try_slot("y")
    one.leave_slot()
    assert three.try_slot("x")
    for hosts in (two, three):
        hosts.leave_slot()
    assert not list(tmp_path.glob("*.slot"))
