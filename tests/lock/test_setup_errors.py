"""What keeps a lock from being taken is told with the path, and never taken for "somebody has it"."""

from __future__ import annotations

import os
import shutil
import sys
from datetime import UTC, datetime
from pathlib import Path

import pytest

from tests.lock.players import LockError
from trayapp.errors import SetupError
from trayapp.lock import job_lock
from trayapp.lock.holder import own_holder, read_state
from trayapp.lock.job_lock import try_acquire
from trayapp.network_folder import network_kind


def refused(path):
    """Code with which the lock at *path* is refused; the error names the path."""
    with pytest.raises(SetupError) as told:
        try_acquire(str(path), own_holder("run-1", "manual", datetime.now(UTC)))
    assert told.value.facts["path"] == str(path)
    return told.value.code


def refused_to(player, path):
    with pytest.raises(LockError) as told:
        player.take(path)
    assert told.value.facts["path"] == str(path)
    return told.value.code


def test_missing_folder(tmp_path):
    assert refused(tmp_path / "none" / "a.lock") == "lock-folder-missing"
    assert not (tmp_path / "none").exists()


def test_file_in_place_of_the_folder(tmp_path):
    (tmp_path / "locks").write_text("")
    assert refused(tmp_path / "locks" / "a.lock") == "lock-folder-missing"


def test_folder_in_place_of_the_file(system, start_player, lock_file):
    lock_file.mkdir()
    assert refused_to(start_player(system), lock_file) == "lock-not-a-file"


@pytest.mark.posix
def test_pipe_in_place_of_the_file_is_refused_and_does_not_hang(lock_file):
    os.mkfifo(lock_file)
    assert refused(lock_file) == "lock-not-a-file"
    assert read_state(str(lock_file)).state in ("idle", "unknown")


@pytest.mark.win32
def test_device_in_place_of_the_file():
    assert refused("NUL") == "lock-not-a-file"


@pytest.mark.posix
def test_name_that_is_too_long_is_refused_with_the_systems_reason(tmp_path):
    assert refused(tmp_path / ("x" * 300)) == "lock-refused"


# -------------------------------------------------------------------- rights


@pytest.mark.posix
def test_file_that_may_not_be_written(start_player, lock_file, powerless):
    lock_file.touch(0o400)
    assert refused_to(start_player(prefix=powerless), lock_file) == "lock-not-permitted"


@pytest.mark.posix
def test_folder_that_may_not_be_written(start_player, lock_file, powerless):
    lock_file.parent.chmod(0o500)
    assert refused_to(start_player(prefix=powerless), lock_file) == "lock-not-permitted"
    lock_file.parent.chmod(0o700)
    assert not lock_file.exists()


@pytest.mark.root
def test_file_of_another_user(start_player, tmp_path_factory):
    folder = tmp_path_factory.mktemp("shared")
    for above in (folder, *folder.parents[:2]):
        above.chmod(0o755)
    lock_file = folder / "a.lock"
    lock_file.touch(0o600)
    stranger = start_player()
    stranger.become(65534)
    assert refused_to(stranger, lock_file) == "lock-not-permitted"


# ------------------------------------------------- errors of disk and system


@pytest.fixture
def start_injured(start_player, lock_file):
    """Start a player whose system calls on the lock file fail as *injection* says (strace)."""
    if shutil.which("strace") is None:
        pytest.skip("needs strace")

    def start(injection):
        words = ("strace", "-f", "-qq", "-o", os.devnull, "-P", str(lock_file), "-e", f"inject={injection}")
        return start_player(prefix=words)

    return start


@pytest.mark.linux
@pytest.mark.parametrize(
    ("injection", "code"),
    [
        ("flock:error=ENOLCK", "lock-refused"),
        ("flock:error=EIO", "lock-refused"),
        ("openat:error=EROFS", "lock-read-only"),
        ("openat:error=EACCES", "lock-not-permitted"),
        ("openat:error=EPERM", "lock-not-permitted"),
        ("openat:error=ENOSPC", "lock-disk-full"),
        ("openat:error=EMFILE", "lock-refused"),
        ("openat:error=EAGAIN", "lock-refused"),
        ("pwrite64:error=ENOSPC", "lock-disk-full"),
        ("pwrite64:error=EIO", "lock-refused"),
    ],
)
def test_error_of_the_system_is_told_and_leaves_no_lock(start_injured, start_player, lock_file, injection, code):
    assert refused_to(start_injured(injection), lock_file) == code
    assert start_player().take(lock_file)


@pytest.mark.linux
@pytest.mark.parametrize("call", ["flock", "openat"])
def test_call_that_a_signal_interrupts_is_repeated(start_injured, lock_file, call):
    assert start_injured(f"{call}:error=EINTR:when=1..3").take(lock_file)


@pytest.mark.linux
def test_full_disk_at_release_frees_all_the_same(start_injured, start_player, lock_file):
    holder, other = start_injured("pwrite64:error=ENOSPC:when=2"), start_player()
    holder.take(lock_file)
    assert not other.take(lock_file)
    holder.drop()
    assert other.take(lock_file)


# ------------------------------------------------------------ network folder


def test_network_folder_is_refused_before_a_file_is_made(lock_file, monkeypatch):
    monkeypatch.setattr(job_lock, "network_kind", lambda _path: "cifs")
    assert refused(lock_file) == "lock-on-network"
    assert not lock_file.exists()


@pytest.mark.linux
def test_network_folder_is_found_in_the_kernels_table(lock_file, tmp_path, monkeypatch):
    mountinfo = tmp_path / "mountinfo"
    folder = str(lock_file.parent).replace(" ", "\\040")  # as the kernel writes it
    mountinfo.write_text(f"30 1 0:44 / {folder} rw - nfs4 server:/export rw\n")
    monkeypatch.setattr(job_lock, "network_kind", lambda path: network_kind(path, mountinfo=str(mountinfo)))
    assert refused(lock_file) == "lock-on-network"


@pytest.mark.root
@pytest.mark.linux
def test_real_mount_of_a_network_file_system_is_refused(start_player, lock_file):
    if not os.path.exists("/dev/fuse"):
        pytest.skip("needs /dev/fuse")
    mount = (sys.executable, str(Path(__file__).with_name("network_mount.py")), str(lock_file.parent), "sshfs")
    player = start_player(prefix=mount)
    with pytest.raises(LockError) as told:
        player.take(lock_file)
    assert (told.value.code, told.value.facts["kind"]) == ("lock-on-network", "fuse.sshfs")
    assert start_player().take(lock_file)
