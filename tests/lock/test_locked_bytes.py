"""What Windows' lock builds on, as a contract: run on a fake `msvcrt` here, on the real one there."""

from __future__ import annotations

import errno
import os
import sys

import pytest

from tests.fakes import FakeEvents, FakeMsvcrt

FAR = 1 << 30
TEXT = b"held by me"


def _is_wine():
    if sys.platform != "win32":
        return False
    import ctypes

    return hasattr(ctypes.WinDLL("ntdll"), "wine_get_version")


@pytest.fixture(params=["real"] if sys.platform == "win32" else [errno.EACCES, 0])
def locked_bytes(request, monkeypatch):
    """`msvcrt`, and the calls that its locks concern."""
    if request.param == "real":
        import msvcrt

        return msvcrt
    if sys.platform != "linux":
        pytest.skip("the fake needs Linux' locks of open files")
    fake = FakeMsvcrt(request.param)
    for name in ("read", "write", "close"):
        monkeypatch.setattr(os, name, getattr(fake, name))
    return fake


@pytest.fixture
def open_file(tmp_path, locked_bytes):
    (tmp_path / "file").write_bytes(TEXT)
    opened = []

    def open_it():
        opened.append(os.open(tmp_path / "file", os.O_RDWR | getattr(os, "O_BINARY", 0)))
        return opened[-1]

    yield open_it
    for fd in opened:
        os.close(fd)


def lock(msvcrt, fd, offset, mode=None):
    os.lseek(fd, offset, os.SEEK_SET)
    msvcrt.locking(fd, msvcrt.LK_NBLCK if mode is None else mode, 1)


@pytest.mark.parametrize("offset", [0, FAR])
def test_second_handle_cannot_lock_the_same_byte(locked_bytes, open_file, offset):
    first, second = open_file(), open_file()
    lock(locked_bytes, first, offset)
    with pytest.raises(OSError) as refused:  # noqa: PT011  # its number is compared
        lock(locked_bytes, second, offset)
    assert refused.value.errno in (errno.EACCES, 0)


def test_same_handle_cannot_lock_twice(locked_bytes, open_file):
    first = open_file()
    lock(locked_bytes, first, FAR)
    with pytest.raises(OSError):  # noqa: PT011  # any
        lock(locked_bytes, first, FAR)


def test_unlocked_byte_can_be_locked_by_another(locked_bytes, open_file):
    first, second = open_file(), open_file()
    lock(locked_bytes, first, FAR)
    lock(locked_bytes, first, FAR, locked_bytes.LK_UNLCK)
    lock(locked_bytes, second, FAR)


def test_unlocking_elsewhere_is_refused(locked_bytes, open_file):
    first = open_file()
    lock(locked_bytes, first, FAR)
    with pytest.raises(OSError):  # noqa: PT011  # any
        lock(locked_bytes, first, 0, locked_bytes.LK_UNLCK)


@pytest.mark.skipif(_is_wine(), reason="Wine's locks are advisory; real Windows denies it")
def test_locked_byte_cannot_be_read_or_written_through_another_handle(locked_bytes, open_file):
    first, second = open_file(), open_file()
    lock(locked_bytes, first, 0)
    with pytest.raises(PermissionError):
        os.read(second, 4)
    with pytest.raises(PermissionError):
        os.write(second, b"mine")


def test_byte_far_behind_the_end_leaves_text_and_size_alone(locked_bytes, open_file):
    first, second = open_file(), open_file()
    lock(locked_bytes, first, FAR)
    assert os.read(second, 4096) == TEXT
    assert os.fstat(second).st_size == len(TEXT)


# -------------------------------------------------------------- named events


@pytest.fixture
def events(tmp_path):
    if sys.platform == "win32":
        from trayapp.lock import on_win32

        return on_win32.create_event, on_win32.event_exists, on_win32.close_event
    if sys.platform != "linux":
        pytest.skip("the fake needs Linux' locks of open files")
    fake = FakeEvents(str(tmp_path / "events"))
    return fake.create, fake.exists, fake.close


def test_event_exists_as_long_as_somebody_has_it_open(events):
    create, exists, close = events
    name = f"Global\\birkez-test-{os.getpid()}"
    assert exists(name) is False
    first, second = create(name), create(name)
    assert exists(name)
    close(first)
    assert exists(name)
    close(second)
    assert exists(name) is False
