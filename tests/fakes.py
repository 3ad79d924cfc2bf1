"""Stand-ins for parts of other systems; each passes the contract test of the real part.

Windows' locked bytes and named events are played on Linux by locks of open files
(F_OFD_SETLK): like theirs, they belong to one handle, exclude other processes and end
with the process.
"""

from __future__ import annotations

import errno
import os
import struct
import sys
import types

FAR = 1 << 30  # where the lock's byte lies
_FLOCK = struct.Struct("hhqqi4x")  # struct flock on 64-bit Linux: type, whence, start, length, pid


def _file_lock(fd: int, command: int, kind: int, start: int, length: int) -> int:
    """Call fcntl(2) on a range and return the lock type that the kernel answers."""
    import fcntl

    answer = fcntl.fcntl(fd, command, _FLOCK.pack(kind, os.SEEK_SET, start, length, 0))
    kind_answered: int = _FLOCK.unpack(answer)[0]
    return kind_answered


class FakeLockedBytes:
    """Bytes locked by LockFile, mandatory as on Windows, which Wine's are not."""

    def __init__(self) -> None:
        self._locked: set[tuple[int, int]] = set()

    def lock_byte(self, fd: int, offset: int = FAR) -> bool:
        import fcntl

        if (fd, offset) in self._locked:  # a second exclusive lock overlaps, on the same handle too
            return False
        try:
            _file_lock(fd, fcntl.F_OFD_SETLK, fcntl.F_WRLCK, offset, 1)
        except BlockingIOError:
            return False
        self._locked.add((fd, offset))
        return True

    def unlock_byte(self, fd: int, offset: int = FAR) -> None:
        import fcntl

        if (fd, offset) not in self._locked:  # Windows unlocks only what was locked, from that very position
            raise OSError(errno.EACCES, "The segment is already unlocked")
        _file_lock(fd, fcntl.F_OFD_SETLK, fcntl.F_UNLCK, offset, 1)
        self._locked.discard((fd, offset))

    def read(self, fd: int, count: int) -> bytes:
        """Take `os.read`'s place: a byte that another handle has locked cannot be read."""
        self._refuse_locked(fd, count)
        return _os_read(fd, count)

    def write(self, fd: int, data: bytes) -> int:
        """Take `os.write`'s place: a byte that another handle has locked cannot be written."""
        self._refuse_locked(fd, len(data))
        return _os_write(fd, data)

    def close(self, fd: int) -> None:
        """Take `os.close`'s place: closing frees what the handle had locked."""
        self._locked = {locked for locked in self._locked if locked[0] != fd}
        _os_close(fd)

    def _refuse_locked(self, fd: int, count: int) -> None:
        import fcntl

        try:
            start = os.lseek(fd, 0, os.SEEK_CUR)
        except OSError:  # a pipe
            return
        if count and _file_lock(fd, fcntl.F_OFD_GETLK, fcntl.F_RDLCK, start, count) != fcntl.F_UNLCK:
            raise PermissionError(errno.EACCES, "Permission denied")


_os_read, _os_write, _os_close = os.read, os.write, os.close


class FakeEvents:
    """Named events: one exists as long as some process has it open."""

    def __init__(self, folder: str) -> None:
        self._folder = folder
        os.makedirs(folder, exist_ok=True)

    def create(self, name: str) -> int:
        import fcntl

        fd = self._open(name)
        _file_lock(fd, fcntl.F_OFD_SETLK, fcntl.F_RDLCK, 0, 1)
        return fd

    def exists(self, name: str) -> bool:
        import fcntl

        fd = self._open(name)
        try:
            return _file_lock(fd, fcntl.F_OFD_GETLK, fcntl.F_WRLCK, 0, 1) != fcntl.F_UNLCK
        finally:
            _os_close(fd)

    def close(self, handle: int) -> None:
        _os_close(handle)

    def _open(self, name: str) -> int:
        return os.open(os.path.join(self._folder, name.replace("\\", "!")), os.O_RDWR | os.O_CREAT, 0o600)


def pretend_win32(events_folder: str) -> None:
    """Load `trayapp.lock` in this process as it is on Windows; call it in a fresh process only."""
    import subprocess  # noqa: F401  # asks for msvcrt to learn which system this is

    assert not any(name.startswith("trayapp.lock") for name in sys.modules)
    fake = FakeLockedBytes()
    sys.modules["msvcrt"] = types.ModuleType("msvcrt")
    os.O_BINARY = 0  # type: ignore[attr-defined,misc]
    os.read, os.write, os.close = fake.read, fake.write, fake.close  # type: ignore[assignment]
    platform, sys.platform = sys.platform, "win32"
    try:
        from trayapp.lock import job_lock, on_win32
    finally:
        sys.platform = platform
    assert job_lock.system is on_win32
    on_win32.lock_byte, on_win32.unlock_byte = fake.lock_byte, fake.unlock_byte
    events = FakeEvents(events_folder)
    on_win32.create_event, on_win32.event_exists, on_win32.close_event = events.create, events.exists, events.close
