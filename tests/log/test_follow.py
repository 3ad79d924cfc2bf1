from __future__ import annotations

import os
import subprocess
import sys
from itertools import islice
from pathlib import Path

import pytest

from trayapp.log import reading
from trayapp.log.follow import Follower, follow, follow_all
from trayapp.log.job_log import JobLog

CHECKOUT = Path(__file__).resolve().parents[2]


@pytest.fixture
def path(tmp_path):
    return tmp_path / "is.log"


@pytest.fixture
def follower(path):
    follower = Follower(str(path))
    yield follower
    follower.close()


def append(path: Path, data: bytes | str) -> None:
    with path.open("ab") as file:
        file.write(data.encode() if isinstance(data, str) else data)


def test_tail_then_each_new_line_once(path, follower):
    append(path, "1\n2\n3\n")
    assert follower.tail(2) == ["2", "3"]
    assert follower.poll() == []
    append(path, "4\n5\n")
    assert follower.poll() == ["4", "5"]
    assert follower.poll() == []


def test_half_letter_and_half_line_wait_for_their_rest(path, follower):
    append(path, "bir\n")
    follower.tail(0)
    append(path, "ş".encode()[:1])
    assert [follower.poll(), follower.poll()] == [[], []]
    append(path, "ş".encode()[1:] + b"ube")
    assert follower.poll() == []
    append(path, "\nson\n")
    assert follower.poll() == ["şube", "son"]


def test_line_unfinished_at_the_start_comes_whole(path, follower):
    append(path, "bir\nya")
    assert follower.tail(5) == ["bir"]
    append(path, "rim\n")
    assert follower.poll() == ["yarim"]


def test_log_that_comes_later_is_read_from_its_beginning(path, follower):
    assert follower.tail(5) == []
    assert follower.poll() == []
    append(path, "bir\n")
    assert follower.poll() == ["bir"]


def test_log_that_came_and_was_rotated_before_the_first_look_loses_nothing(path, follower):
    assert follower.tail(5) == []
    append(path, "bir\n")
    os.rename(path, f"{path}.1")
    append(path, "iki\n")
    assert follower.poll() == ["bir", "iki"]


def test_truncated_log_begins_again_without_doubling(path, follower):
    append(path, "bir\niki\n")
    assert follower.tail(5) == ["bir", "iki"]
    path.write_bytes(b"")
    assert follower.poll() == []
    append(path, "uc\n")
    assert follower.poll() == ["uc"]


def test_truncated_and_grown_past_the_old_place_is_noticed(path, follower):
    append(path, "bir\niki\n")
    follower.tail(5)
    with path.open("r+b") as file:
        file.truncate(0)
        file.write(b"yeni bir satir\nve bir tane daha\n")
    assert follower.poll() == ["yeni bir satir", "ve bir tane daha"]


def test_half_line_before_a_truncation_is_not_glued_to_the_next(path, follower):
    append(path, "bir\nyari")
    follower.tail(5)
    assert follower.poll() == []
    path.write_bytes(b"x\n")
    assert follower.poll() == ["x"]


@pytest.mark.posix
def test_replaced_log_gives_up_its_last_lines_first(path, follower, tmp_path):
    append(path, "bir\n")
    follower.tail(5)
    append(path, "iki\n")
    other = tmp_path / "other"
    other.write_text("uc\n")
    os.replace(other, path)
    assert follower.poll() == ["iki", "uc"]
    append(path, "dort\n")
    assert follower.poll() == ["dort"]


@pytest.mark.posix
def test_replaced_log_does_not_bring_its_predecessors_back(path, follower, tmp_path):
    (tmp_path / "is.log.1").write_text("cok eski\n")
    append(path, "bir\n")
    follower.tail(0)
    path.unlink()
    append(path, "iki\n")
    assert follower.poll() == ["iki"]


def test_rotation_between_two_looks_loses_nothing(path, follower):
    append(path, "bir\n")
    follower.tail(5)
    append(path, "iki\n")
    os.rename(path, f"{path}.1")
    assert follower.poll() == ["iki"]
    append(path, "uc\n")
    assert follower.poll() == ["uc"]


def test_several_rotations_between_two_looks_lose_nothing(path, follower):
    append(path, "0\n")
    follower.tail(0)
    job_log = JobLog(str(path), rotate_at=50, keep=9)
    for number in range(1, 9):
        assert job_log.write(f"{number} {'x' * 30}") is None
    job_log.close()
    assert Path(f"{path}.7").exists()
    assert [line.split()[0] for line in follower.poll()] == [str(number) for number in range(1, 9)]


def test_more_rotations_than_logs_are_kept_still_shows_all_that_is_left(path, follower):
    job_log = JobLog(str(path), rotate_at=50, keep=2)
    job_log.write("0 " + "x" * 30)
    job_log.write("1 " + "x" * 30)
    follower.tail(0)
    for number in range(2, 12):
        job_log.write(f"{number} {'x' * 30}")
    job_log.close()
    shown = [int(line.split()[0]) for line in follower.poll()]
    assert len(shown) >= 3  # Windows rotates no further while the follower has a log open, so more are left there
    assert shown == list(range(12 - len(shown), 12))


def test_rotation_while_the_files_are_opened_doubles_nothing(path, follower, monkeypatch):
    append(path, "1\n")
    follower.tail(0)
    os.rename(path, f"{path}.1")
    append(path, "2\n")
    old_logs = reading.old_logs

    def rotate_behind_the_look(_path):
        names = old_logs(_path)
        monkeypatch.setattr(reading, "old_logs", old_logs)
        os.rename(f"{path}.1", f"{path}.2")
        os.rename(path, f"{path}.1")
        append(path, "3\n")
        return names

    monkeypatch.setattr(reading, "old_logs", rotate_behind_the_look)
    assert follower.poll() == ["2", "3"]


def test_old_large_log_is_handed_over_in_parts(path, follower):
    append(path, "bir\n")
    follower.tail(0)
    append(path, f"{'x' * 99}\n" * 30_000)
    parts = []
    while part := follower.poll():
        parts.append(len(part))
    assert sum(parts) == 30_000
    assert max(parts) < 12_000


def test_writer_beside_the_reader_loses_no_line(path):
    code = """
import sys
from trayapp.log.job_log import JobLog
job_log = JobLog(sys.argv[1], rotate_at=64_000, keep=5)
for number in range(5000):
    assert job_log.write(f"{number} " + "ş" * 30) is None
"""
    env = {**os.environ, "PYTHONPATH": str(CHECKOUT)}
    writer = subprocess.Popen([sys.executable, "-c", code, str(path)], env=env)
    lines = follow(str(path), wait=lambda _: None)
    numbers = [int(line.split()[0]) for line in islice(lines, 5000)]
    lines.close()
    assert writer.wait() == 0
    assert numbers == list(range(5000))


def test_several_logs_are_followed_in_the_order_of_time(tmp_path):
    append(tmp_path / "a.log", "2026-09-04T12:00:00.000Z a\n2026-09-04T12:02:00.000Z a\n")
    append(tmp_path / "b.log", "2026-09-04T12:01:00.000Z b\n")
    waits = []

    def write_more(_interval_s):
        waits.append(1)
        append(tmp_path / "b.log", "2026-09-04T12:05:00.000Z b\n")
        append(tmp_path / "a.log", "2026-09-04T12:06:00.000Z a\n")
        append(tmp_path / "c.log", "2026-09-04T12:04:00.000Z c\n")

    lines = follow_all(lambda: sorted(map(str, tmp_path.glob("*.log"))), last=2, wait=write_more)
    seen = [line[11:16] + line[-2:] for line in islice(lines, 5)]
    lines.close()
    assert seen == ["12:01 b", "12:02 a", "12:04 c", "12:05 b", "12:06 a"]
    assert waits == [1]
