from __future__ import annotations

import errno
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from trayapp.lock.short_lock import ShortLock
from trayapp.log.job_log import JobLog, read_tail

CHECKOUT = Path(__file__).resolve().parents[2]


def start(code: str, *arguments: object, prefix=()) -> subprocess.Popen[str]:
    """Start Python code as a process of its own; `sys.argv[1:]` are the arguments."""
    return subprocess.Popen(
        [*prefix, sys.executable, "-c", code, *map(str, arguments)],
        env={**os.environ, "PYTHONPATH": str(CHECKOUT)},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        encoding="utf-8",
    )


def all_lines(path: Path) -> list[str]:
    """Lines of the log and its predecessors, oldest first; fails when the last one is not whole."""
    files = sorted(path.parent.glob(path.name + ".*[0-9]"), key=lambda file: -int(file.suffix[1:]))
    text = "".join(file.read_text("utf-8") for file in [*files, path])
    assert text.endswith("\n")
    return text.splitlines()


WRITER = """
import sys
from trayapp.log.job_log import JobLog
path, name, (count, keep, rotate_at) = sys.argv[1], sys.argv[2], map(int, sys.argv[3:])
job_log = JobLog(path, rotate_at=rotate_at, keep=keep)
for number in range(count):
    answer = job_log.write(f"{name} {number} " + "ş" * (number % 40))
    if answer:
        raise answer
"""


def test_four_writers_lose_no_line_to_rotation(tmp_path):
    path = tmp_path / "is.log"
    count, rotate_at = (1000, 12_000) if sys.platform == "win32" else (5000, 64_000)  # a line there takes 2 ms
    writers = [start(WRITER, path, name, count, 100, rotate_at) for name in "abcd"]
    for writer in writers:
        assert writer.communicate() == ("", "")
        assert writer.returncode == 0
    lines = all_lines(path)
    expected = {f"{name} {number} " + "ş" * (number % 40) for name in "abcd" for number in range(count)}
    assert len(lines) == 4 * count
    assert set(lines) == expected
    assert len(list(tmp_path.glob("is.log.*[0-9]"))) > 10
    for name in "abcd":
        own = [int(line.split()[1]) for line in lines if line.startswith(name)]
        assert own == sorted(own), "a writer's lines are out of order"


def test_only_so_many_old_logs_are_kept(tmp_path):
    path = tmp_path / "is.log"
    job_log = JobLog(str(path), rotate_at=100, keep=3)
    for number in range(60):
        assert job_log.write(f"satir {number:03} " + "x" * 30) is None
    job_log.close()
    assert sorted(file.name for file in tmp_path.iterdir()) == [
        "is.log",
        "is.log.1",
        "is.log.2",
        "is.log.3",
        "is.log.lock",
    ]
    assert [line.split()[1] for line in all_lines(path)] == [f"{number:03}" for number in range(52, 60)]


def test_failed_rename_goes_on_writing_and_is_tried_again(tmp_path, monkeypatch, capfd):
    path = tmp_path / "is.log"
    job_log = JobLog(str(path), rotate_at=200, keep=5)
    rename = os.rename
    tried = []

    def refuse(source, target):
        tried.append(source)
        raise PermissionError(errno.EACCES, "used by another process", source, 32, target)

    monkeypatch.setattr(os, "rename", refuse)
    for number in range(20):
        assert job_log.write(f"satir {number} " + "x" * 20) is None
    assert len(tried) > 5
    assert not (tmp_path / "is.log.1").exists()
    monkeypatch.setattr(os, "rename", rename)
    for number in range(20, 30):
        assert job_log.write(f"satir {number} " + "x" * 20) is None
    job_log.close()
    assert (tmp_path / "is.log.1").exists()
    assert [line.split()[1] for line in all_lines(path)] == [str(number) for number in range(30)]
    assert capfd.readouterr() == ("", "")


def test_rename_that_fails_again_and_again_pushes_no_old_log_out(tmp_path, monkeypatch):
    path = tmp_path / "is.log"
    job_log = JobLog(str(path), rotate_at=100, keep=2)
    for number in range(12):
        job_log.write(f"satir {number:03} " + "x" * 30)
    before = all_lines(path)
    rename = os.rename

    def refuse_newest(source, target):
        if source == str(path):
            raise PermissionError(errno.EACCES, "used by another process", source, 32, target)
        rename(source, target)

    monkeypatch.setattr(os, "rename", refuse_newest)
    for number in range(12, 30):
        job_log.write(f"satir {number:03} " + "x" * 30)
    job_log.close()
    after = all_lines(path)
    assert after[-18:] == [f"satir {number:03} " + "x" * 30 for number in range(12, 30)]
    assert before[-3] in after, "more than the one oldest log went away"


def test_killed_writer_leaves_whole_lines_for_the_next(tmp_path):
    path = tmp_path / "is.log"
    endless = WRITER.replace("range(count)", "iter(int, 1)").replace("{number} ", "{'y' * 3000} ")
    for _ in range(5):
        writer = start(endless, path, "k", 0, 1000, 64_000)
        deadline = time.monotonic() + 10
        while not (tmp_path / "is.log.2").exists():  # it rotated, and so wrote some
            assert time.monotonic() < deadline
        writer.kill()
        writer.communicate()
        with path.open("ab") as file:
            file.write(b"half a li")  # what a kill inside a larger write would leave
        job_log = JobLog(str(path), rotate_at=1 << 30)
        assert job_log.write("sonraki") is None
        job_log.close()
        assert path.read_text("utf-8").endswith("half a li\nsonraki\n")
        for file in tmp_path.iterdir():
            file.unlink()


@pytest.mark.posix
def test_full_disk_leaves_no_half_line_and_is_told(tmp_path):
    path = tmp_path / "is.log"
    code = """
import resource, signal, sys
from trayapp.log.job_log import JobLog
resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))
job_log = JobLog(sys.argv[1])
while (answer := job_log.write("x" * 69)) is None:
    pass
print(type(answer).__name__, answer.errno)
print(job_log.write("kisa"))
"""
    out, err = start(code, path).communicate()
    assert err == ""
    assert out.splitlines() == [f"OSError {errno.EFBIG}", "None"]
    assert path.read_text("utf-8").splitlines() == ["x" * 69] * 14 + ["kisa"]


def test_line_is_one_line_whatever_it_holds(tmp_path):
    path = tmp_path / "is.log"
    assert JobLog(str(path)).write("bir\niki \udc80") is None
    assert path.read_bytes() == b"bir\\niki \\udc80\n"


def test_missing_folder_is_told_and_not_made(tmp_path):
    answer = JobLog(str(tmp_path / "yok" / "is.log")).write("satir")
    assert isinstance(answer, FileNotFoundError)
    assert not (tmp_path / "yok").exists()


@pytest.mark.posix
def test_read_only_folder_is_told(tmp_path, powerless):
    folder = tmp_path / "logs"
    folder.mkdir()
    folder.chmod(0o555)
    code = "import sys; from trayapp.log.job_log import JobLog; print(type(JobLog(sys.argv[1]).write('x')).__name__)"
    out, err = start(code, folder / "is.log", prefix=powerless).communicate()
    folder.chmod(0o755)
    assert (out, err) == ("PermissionError\n", "")


@pytest.mark.posix
def test_log_is_the_owners_alone(tmp_path):
    path = tmp_path / "is.log"
    JobLog(str(path)).write("satir")
    assert path.stat().st_mode & 0o777 == 0o600
    assert (tmp_path / "is.log.lock").stat().st_mode & 0o777 == 0o600


@pytest.mark.posix
def test_stopped_holder_of_the_log_lock_delays_but_does_not_silence(tmp_path, monkeypatch):
    monkeypatch.setattr("trayapp.log.job_log._LOCK_WAIT_S", 0.2)
    path = tmp_path / "is.log"
    path.write_text("dolu " * 100 + "\n")
    holder = ShortLock(str(path) + ".lock")
    assert holder.acquire(0)
    job_log = JobLog(str(path), rotate_at=100)
    began = time.monotonic()
    assert job_log.write("yine de") is None
    assert 0.2 <= time.monotonic() - began < 2
    assert path.read_text().endswith("\nyine de\n")
    assert not (tmp_path / "is.log.1").exists(), "rotated without the lock"
    holder.release()
    assert job_log.write("dondu") is None
    assert (tmp_path / "is.log.1").exists()
    job_log.close()
    holder.close()


def test_short_lock_is_free_after_its_holder_was_killed(tmp_path):
    code = """
import sys, time
from trayapp.lock.short_lock import ShortLock
lock = ShortLock(sys.argv[1])
print(lock.acquire(0), flush=True)
time.sleep(60)
"""
    path = tmp_path / "x.lock"
    holder = start(code, path)
    assert holder.stdout is not None
    assert holder.stdout.readline() == "True\n"
    lock = ShortLock(str(path))
    assert not lock.acquire(0.05)
    holder.kill()
    holder.communicate()
    assert lock.acquire(5)
    lock.close()


def test_written_lines_are_the_tail(tmp_path):
    path = tmp_path / "is.log"
    job_log = JobLog(str(path), rotate_at=100, keep=9)
    for number in range(20):
        job_log.write(f"satir {number} {'x' * 30}")
    job_log.close()
    assert [line.split()[1] for line in read_tail(str(path), 7)] == [str(number) for number in range(13, 20)]
