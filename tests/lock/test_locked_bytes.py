"""What Windows' lock builds on, as a contract: run on fakes here, on the kernel's own there."""

from __future__ import annotations

import os
import sys
import time

import pytest

from tests.fakes import FAR, FakeEvents, FakeLockedBytes

TEXT = b"held by me"


def _is_wine():
    if sys.platform != "win32":
        return False
    import ctypes

    return hasattr(ctypes.WinDLL("ntdll"), "wine_get_version")


@pytest.fixture
def bytes_of(monkeypatch):
    """What locks a byte, and the calls that locked bytes concern."""
    if sys.platform == "win32":
        from trayapp.lock import on_win32

        return on_win32
    if sys.platform != "linux":
        pytest.skip("the fake needs Linux' locks of open files")
    fake = FakeLockedBytes()
    for name in ("read", "write", "close"):
        monkeypatch.setattr(os, name, getattr(fake, name))
    return fake


@pytest.fixture
def open_file(tmp_path, bytes_of):
    (tmp_path / "file").write_bytes(TEXT)
    opened = []

    def open_it():
        opened.append(os.open(tmp_path / "file", os.O_RDWR | getattr(os, "O_BINARY", 0)))
        return opened[-1]

    yield open_it
    for fd in opened:
        os.close(fd)


@pytest.mark.parametrize("offset", [0, FAR])
def test_second_handle_cannot_lock_the_same_byte(bytes_of, open_file, offset):
    first, second = open_file(), open_file()
    assert bytes_of.lock_byte(first, offset)
    began = time.monotonic()
    assert not bytes_of.lock_byte(second, offset)
    assert time.monotonic() - began < 0.5  # the C library's `locking` would sleep a second


def test_same_handle_cannot_lock_twice(bytes_of, open_file):
    first = open_file()
    assert bytes_of.lock_byte(first)
    assert not bytes_of.lock_byte(first)


def test_unlocked_byte_can_be_locked_by_another(bytes_of, open_file):
    first, second = open_file(), open_file()
    bytes_of.lock_byte(first)
    bytes_of.unlock_byte(first)
    assert bytes_of.lock_byte(second)


def test_closed_handle_leaves_nothing_locked(bytes_of, open_file, tmp_path):
    fd = os.open(tmp_path / "file", os.O_RDWR)
    bytes_of.lock_byte(fd)
    os.close(fd)
    assert bytes_of.lock_byte(open_file())


def test_unlocking_elsewhere_is_refused(bytes_of, open_file):
    first = open_file()
    bytes_of.lock_byte(first)
    with pytest.raises(OSError):  # noqa: PT011  # any
        bytes_of.unlock_byte(first, 0)


@pytest.mark.skipif(_is_wine(), reason="Wine's locks are advisory; real Windows denies it")
def test_locked_byte_cannot_be_read_or_written_through_another_handle(bytes_of, open_file):
    first, second = open_file(), open_file()
    bytes_of.lock_byte(first, 0)
    with pytest.raises(PermissionError):
        os.read(second, 4)
    with pytest.raises(PermissionError):
        os.write(second, b"mine")


def test_byte_far_behind_the_end_leaves_text_and_size_alone(bytes_of, open_file):
    first, second = open_file(), open_file()
    bytes_of.lock_byte(first)
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
