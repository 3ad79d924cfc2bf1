"""What can be seen of a lock without taking it: idle, held by whom, or unknown."""

from __future__ import annotations

import os
import re
import sys
from datetime import UTC, datetime

import pytest

from tests.lock.players import SINCE, TEXT_BYTES
from trayapp import process_identity
from trayapp.lock import holder as holder_module
from trayapp.lock.holder import Holder, LockState, encode, own_holder, read_state
from trayapp.lock.job_lock import try_acquire


@pytest.fixture
def own():
    return own_holder("run-1", "manual", datetime(2026, 9, 4, 12, 5, 1, 123, tzinfo=UTC))


# -------------------------------------------------------------- what is seen


def test_missing_lock_file_is_idle(system, start_player, lock_file):
    assert start_player(system).state(lock_file) == ["idle"]
    assert not lock_file.exists()


def test_missing_folder_is_idle(system, start_player, tmp_path):
    assert start_player(system).state(tmp_path / "none" / "a.lock") == ["idle"]


def test_holder_is_seen_with_run_trigger_and_since(system, start_player, lock_file):
    first, second = start_player(system), start_player(system)
    first.take(lock_file, "run-7", "schedule")
    assert second.state(lock_file) == ["held", first.pid, "run-7", "schedule", SINCE]
    assert first.state(lock_file) == ["held", first.pid, "run-7", "schedule", SINCE]


def test_released_lock_is_idle(system, start_player, lock_file):
    first, second = start_player(system), start_player(system)
    first.take(lock_file)
    first.drop()
    assert second.state(lock_file) == ["idle"]


def test_killed_holder_is_idle(system, start_player, lock_file):
    first, second = start_player(system), start_player(system)
    first.take(lock_file)
    first.kill()
    assert second.state(lock_file) == ["idle"]


def test_looking_leaves_the_file_alone(system, start_player, lock_file):
    first, second = start_player(system), start_player(system)
    first.take(lock_file)
    before = lock_file.stat()
    second.state(lock_file)
    after = lock_file.stat()
    assert (before.st_mtime_ns, before.st_ino, before.st_size) == (after.st_mtime_ns, after.st_ino, after.st_size)


# ------------------------------------------------------------- looked at hard


def test_reader_at_top_speed_never_makes_a_start_lose(system, start_player, lock_file):
    """P35: a shared probe each 10 ms cost 0.4 % of the starts, an exclusive one 0.9 %."""
    taker, readers = start_player(system), [start_player(system), start_player(system)]
    for reader in readers:
        reader.ask("watch", lock_file, 1.5)
    assert taker.cycle(lock_file, 2000) == 0
    for reader in readers:
        assert sum(reader.answer().values()) > 100


def test_held_lock_is_never_seen_as_anything_else(system, start_player, lock_file):
    holder, reader = start_player(system), start_player(system)
    holder.take(lock_file)
    assert set(reader.watch(lock_file, 0.5)) == {"held"}


# ----------------------------------------------------- text without its lock


def test_text_of_this_very_process_without_lock_is_idle_where_the_lock_can_be_seen(lock_file, own):
    """P37: what a crash leaves behind may name a process that lives, here the reader."""
    lock_file.write_bytes(encode(own))
    expected = "idle" if sys.platform == "linux" else "unknown" if sys.platform == "win32" else "held"
    assert read_state(str(lock_file)).state == expected


@pytest.mark.parametrize("fact", ["start", "boot", "pid"])
def test_text_of_another_start_boot_or_pid_is_idle(system, start_player, lock_file, fact):
    """The pid lives, but it is another process by now; or the machine has been started again since."""
    named, reader = start_player(system), start_player(system)
    named.take(lock_file)
    text = lock_file.read_text()
    named.drop()
    lock_file.write_text(re.sub(f" {fact}=[^ ]*", f" {fact}={2**22 + 1}", text))
    assert reader.state(lock_file) == ["idle"]


@pytest.mark.linux
def test_holder_is_not_named_by_a_text_that_names_another_living_process(start_player, lock_file, own):
    """Whoever stops a run by its pid must not hit a bystander."""
    holder = start_player()
    holder.take(lock_file)
    lock_file.write_bytes(encode(own))
    assert read_state(str(lock_file)) == LockState("held")


def test_name_that_follows_its_lock_is_waited_for(lock_file, own, monkeypatch):
    seen = iter([LockState("held"), LockState("unknown"), LockState("held", own), LockState("idle")])
    monkeypatch.setattr(holder_module, "_look", lambda _path: next(seen))
    assert read_state(str(lock_file)) == LockState("held", own)


@pytest.mark.parametrize(
    "text",
    [
        b"",
        b"\0" * TEXT_BYTES,
        b"held pid=12",
        b"held pid=x start=1 boot=b pids= trigger=manual since=2026-09-04T12:05:01+00:00 run=r",
        b"held pid=1 start=1 boot=b pids= trigger=manual since=gestern run=r",
        b"held pid=1 start=1 boot=b pids= trigger=manual since=2026-09-04T12:05:01 run=r",
        "held şüphe".encode(),
        b"\xff\xfe4\x002\x00",
    ],
)
def test_garbled_text_is_no_holder_and_no_crash(system, start_player, lock_file, text):
    lock_file.write_bytes(text)
    reader = start_player(system)
    assert reader.state(lock_file) == ["idle" if sys.platform in ("linux", "win32") else "unknown"]
    assert reader.take(lock_file)


def test_holder_that_has_not_written_its_name_yet_is_held(system, start_player, lock_file):
    first, second = start_player(system), start_player(system)
    first.take(lock_file)
    lock_file.write_bytes(b"")
    assert second.state(lock_file)[0] == "held" if sys.platform in ("linux", "win32") else "unknown"


# ------------------------------------------------ what the system does not show


def test_folder_at_the_path_is_unknown(tmp_path):
    assert read_state(str(tmp_path)).state == "unknown"


@pytest.mark.linux
def test_holder_of_another_pid_space_is_unknown_until_it_lets_go(lock_file, own, monkeypatch):
    """A container's pids count for themselves: 42 there is another process than 42 here."""
    monkeypatch.setattr(holder_module.system, "_pid_space", (os.getpid(), "1"))
    lock_file.write_bytes(encode(own))
    monkeypatch.undo()
    assert read_state(str(lock_file)) == LockState("unknown", own)


@pytest.mark.linux
def test_living_holder_that_hides_its_start_is_unknown(lock_file, own, monkeypatch):
    lock_file.write_bytes(encode(own))
    monkeypatch.setattr(holder_module, "start_of", lambda _pid: "")
    assert read_state(str(lock_file)) == LockState("unknown", own)


@pytest.mark.linux
def test_file_that_may_not_be_read_is_held_or_unknown_but_not_idle(system, start_player, lock_file, powerless):
    """P33: the name is missing then, and the lock is seen all the same."""
    holder, stranger = start_player(system), start_player(system, prefix=powerless)
    holder.take(lock_file)
    lock_file.chmod(0o200)
    assert stranger.state(lock_file) == ["held"]
    holder.kill()
    assert stranger.state(lock_file) == ["unknown"]


@pytest.mark.linux
def test_holder_of_a_more_powerful_user_is_seen_by_the_kernels_table(start_player, lock_file, powerless):
    """Another user's /proc/PID/fdinfo is closed; /proc/locks is not."""
    if not powerless:
        pytest.skip("needs root, to have a weaker neighbour")
    holder, stranger = start_player(), start_player(prefix=powerless)
    holder.take(lock_file)
    assert stranger.state(lock_file)[:2] == ["held", holder.pid]


@pytest.mark.linux
def test_lock_is_seen_where_the_kernels_table_names_another_device(start_player, lock_file, monkeypatch):
    """On btrfs /proc/locks has a device number that stat does not know; the holder's fdinfo leads to the file."""
    holder = start_player()
    holder.take(lock_file)
    monkeypatch.setattr(holder_module.system, "_find_in_proc_locks", lambda _wanted: 0)
    assert read_state(str(lock_file)).holder.pid == holder.pid


# ---------------------------------------------------------------- own holder


def test_own_holder_names_this_process(own):
    assert own.identity == process_identity.own_identity()
    assert process_identity.is_alive(own.identity)
    assert (own.run, own.trigger) == ("run-1", "manual")


def test_every_text_has_the_same_length(own):
    longest = Holder(2**31, "9" * 20, "b" * 36, "r" * 64, "schedule", datetime.max.replace(tzinfo=UTC))
    assert {len(encode(own)), len(encode(longest))} == {TEXT_BYTES}


@pytest.mark.parametrize("change", [{"run": "a b"}, {"run": "a\nb"}, {"run": "ş"}, {"run": "r" * 400}])
def test_holder_that_the_text_cannot_carry_is_refused(own, change):
    with pytest.raises(ValueError, match=r"not fit|ascii"):
        encode(own._replace(**change))


def test_text_survives_writing_and_reading(lock_file, own):
    with try_acquire(str(lock_file), own):
        assert read_state(str(lock_file)) == LockState("held", own)
