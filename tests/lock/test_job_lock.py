"""The lock as real processes see it, on this system and on a played Windows."""

from __future__ import annotations

import os
import sys
import time
from datetime import UTC, datetime

import pytest

from tests.lock.players import SINCE, SYSTEMS, TEXT_BYTES, LockError, run_crowd
from trayapp.errors import SetupError
from trayapp.lock import job_lock
from trayapp.lock.holder import own_holder
from trayapp.lock.job_lock import try_acquire


def this_process(run="run-1"):
    return own_holder(run, "manual", datetime.now(UTC))


def wait_until(condition, seconds=5.0):
    until = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < until, "waited in vain"
        time.sleep(0.01)


# ------------------------------------------------------------- one at a time


@pytest.mark.parametrize("system", SYSTEMS)
def test_second_process_gets_nothing_while_first_holds(system, start_player, lock_file):
    first, second = start_player(system), start_player(system)
    assert first.take(lock_file)
    assert not second.take(lock_file)


def test_released_lock_can_be_taken_by_another(system, start_player, lock_file):
    first, second = start_player(system), start_player(system)
    first.take(lock_file)
    first.drop()
    assert second.take(lock_file)


def test_same_process_gets_nothing_a_second_time(system, start_player, lock_file):
    player = start_player(system)
    assert player.take(lock_file)
    assert not player.take(lock_file)


def test_locks_of_two_jobs_are_apart(system, start_player, lock_file):
    player = start_player(system)
    assert player.take(lock_file)
    assert player.take(lock_file.with_name("gunduz.lock"))


def test_eight_processes_are_never_two_inside(system, start_player, lock_file, tmp_path):
    players = [start_player(system) for _ in range(8)]
    assert run_crowd(players, lock_file, tmp_path, rounds=40) == (0, 0)


def test_killed_holder_leaves_lock_free(system, start_player, lock_file):
    first, second = start_player(system), start_player(system)
    first.take(lock_file)
    first.kill()
    assert second.take(lock_file)


def test_lock_does_not_expire_by_age(system, start_player, lock_file):
    first, second = start_player(system), start_player(system)
    first.take(lock_file)
    os.utime(lock_file, (0, 0))
    assert not second.take(lock_file)
    assert second.state(lock_file)[0] == "held"


def test_command_left_behind_does_not_hold_the_lock(system, start_player, lock_file):
    """P31: a daemon that a command started kept the job locked for ever."""
    first, second = start_player(system), start_player(system)
    first.take(lock_file)
    first.leave_command(10)
    first.kill()
    assert second.take(lock_file)


def test_reading_the_lock_file_beside_its_lock_keeps_it(system, start_player, lock_file):
    """P39: a record lock of POSIX goes away with any descriptor of the file."""
    first, second = start_player(system), start_player(system)
    first.take(lock_file)
    assert first.read_and_close(lock_file) == TEXT_BYTES
    assert not second.take(lock_file)


def test_text_that_names_the_taker_itself_does_not_stop_it(system, start_player, lock_file):
    """P37: a pid file left by a crash names a process that lives again, here the very taker."""
    player = start_player(system)
    player.take(lock_file)
    text = lock_file.read_bytes()
    player.drop()
    lock_file.write_bytes(text)
    assert player.take(lock_file)


def test_contention_is_told_with_job_pid_and_since(system, start_player, lock_file):
    first, second = start_player(system), start_player(system)
    first.take(lock_file)
    with pytest.raises(LockError) as told:
        second.must_take(lock_file)
    assert told.value.code == "job-running"
    assert told.value.facts["job"] == "gece"
    assert told.value.facts["pid"] == first.pid
    assert told.value.facts["since"] == str(datetime.fromisoformat(SINCE))


# ------------------------------------------------------------------ release


def test_second_release_leaves_a_reused_descriptor_alone(system, start_player, lock_file, tmp_path):
    player = start_player(system)
    player.take(lock_file)
    assert player.drop_twice_around_open(tmp_path / "other")


def test_lock_is_released_at_the_end_of_with(lock_file):
    with try_acquire(str(lock_file), this_process()) as lock:
        assert lock.path == str(lock_file)
        assert try_acquire(str(lock_file), this_process()) is None
    with try_acquire(str(lock_file), this_process()):
        pass


def test_lock_file_stays_and_keeps_its_size(system, start_player, lock_file):
    player = start_player(system)
    for run in ("r", "run-" + 36 * "f"):
        player.take(lock_file, run)
        assert lock_file.stat().st_size == TEXT_BYTES
        player.drop()
        assert lock_file.stat().st_size == TEXT_BYTES


def test_release_frees_although_its_mark_cannot_be_written(lock_file, monkeypatch):
    lock = try_acquire(str(lock_file), this_process())
    with monkeypatch.context() as patch:
        patch.setattr(job_lock.system, "write", _refuse_to_write)
        lock.release()
    with try_acquire(str(lock_file), this_process()) as again:
        assert again


def _refuse_to_write(*_):
    raise OSError(28, "No space left on device")


# ------------------------------------------------------- deleted lock files


@pytest.mark.posix
def test_file_deleted_between_open_and_lock_gives_no_second_owner(lock_file, monkeypatch):
    """P29: the waiter locked the dead file while a newcomer locked the fresh one."""
    import fcntl

    newcomer = []

    def flock_late(fd, operation, flock=fcntl.flock):
        if not newcomer:
            newcomer.append(None)  # the newcomer itself comes past here
            lock_file.unlink()
            newcomer.append(try_acquire(str(lock_file), this_process("newcomer")))
        flock(fd, operation)

    monkeypatch.setattr(fcntl, "flock", flock_late)
    assert try_acquire(str(lock_file), this_process("late")) is None
    newcomer[1].release()


@pytest.mark.posix
def test_file_deleted_before_each_lock_is_told(lock_file, monkeypatch):
    import fcntl

    def flock_late(fd, operation, flock=fcntl.flock):
        if operation & fcntl.LOCK_EX:
            lock_file.unlink()
        flock(fd, operation)

    monkeypatch.setattr(fcntl, "flock", flock_late)
    with pytest.raises(SetupError) as told:
        try_acquire(str(lock_file), this_process())
    assert told.value.code == "lock-file-vanishes"


@pytest.mark.posix
def test_holder_of_a_deleted_file_does_not_disturb_the_next_one(start_player, lock_file):
    first, second, third = start_player(), start_player(), start_player()
    first.take(lock_file)
    lock_file.unlink()
    assert second.take(lock_file)
    first.drop()
    assert not third.take(lock_file)
    assert third.state(lock_file)[:2] == ["held", second.pid]


@pytest.mark.win32
def test_held_file_cannot_be_deleted(lock_file):
    with try_acquire(str(lock_file), this_process()), pytest.raises(PermissionError):
        lock_file.unlink()


# ------------------------------------------------------- Windows, freed late


@pytest.mark.parametrize("system", ["win32"])
@pytest.mark.linux
def test_byte_that_a_dead_process_still_locks_is_waited_for(system, start_player, lock_file):
    """Windows frees the locks of a process that died when it has the time (LockFile)."""
    dead, late, taker = start_player(system), start_player(system), start_player(system)
    dead.take(lock_file)
    text = lock_file.read_bytes()
    dead.kill()
    late.take(lock_file)  # stands for the system, which has not freed the byte yet
    lock_file.write_bytes(text)
    taker.ask("take", lock_file)
    time.sleep(0.2)
    late.drop()
    assert taker.answer()


@pytest.mark.parametrize("system", ["win32"])
@pytest.mark.linux
def test_living_holder_is_not_waited_for(system, start_player, lock_file):
    first, second = start_player(system), start_player(system)
    first.take(lock_file)
    began = time.monotonic()
    assert not second.take(lock_file)
    assert time.monotonic() - began < 0.5


@pytest.mark.win32
def test_file_that_a_scanner_keeps_to_itself_is_waited_for(start_player, lock_file):
    import ctypes
    from ctypes import wintypes

    lock_file.touch()
    kernel32 = ctypes.WinDLL("kernel32")
    kernel32.CreateFileW.restype = wintypes.HANDLE
    read, open_existing = 0x8000_0000, 3
    scanner = kernel32.CreateFileW(str(lock_file), wintypes.DWORD(read), 0, None, open_existing, 0, None)
    player = start_player()
    player.state(lock_file)  # has started
    player.ask("take", lock_file)
    time.sleep(0.2)
    kernel32.CloseHandle(wintypes.HANDLE(scanner))
    assert player.answer()


# ----------------------------------------------------------------- bad input


def test_run_id_with_a_blank_is_a_bug_and_takes_nothing(lock_file):
    with pytest.raises(ValueError, match="not fit"):
        try_acquire(str(lock_file), this_process("two words"))
    assert not lock_file.exists()


def test_lock_file_is_for_its_user_alone(lock_file):
    with try_acquire(str(lock_file), this_process()):
        if sys.platform != "win32":
            assert lock_file.stat().st_mode & 0o777 == 0o600


@pytest.mark.posix
def test_descriptor_is_not_inheritable(lock_file):
    with try_acquire(str(lock_file), this_process()) as lock:
        assert not os.get_inheritable(lock._handle)
