"""A lock that many hold side by side, and that one alone can have only when nobody does.

A job's workers share it. Sweeping what dead ones left, and removing the job, need it
alone, so nothing is taken from a living worker. The kernel frees it however a process
ends; the file is never removed.
"""

from __future__ import annotations

import os
import sys
import time

if sys.platform == "win32":
    import msvcrt
else:
    import fcntl

_PAUSE_S = 0.02
_FLAGS = os.O_RDWR | os.O_CREAT | getattr(os, "O_BINARY", 0)


class SharedLock:
    """A lock on the file *path*, which is made where missing. Not for threads."""

    def __init__(self, path: str) -> None:
        self.path = path
        self._descriptor = -1

    def share(self, wait_s: float = 2.0) -> bool:
        """Take it beside others; false when one has had it alone for *wait_s*.

        Raises: OSError.
        """
        return self._take(wait_s, alone=False)

    def take_alone(self) -> bool:
        """Take it alone; false when anybody shares it. Never waits.

        Raises: OSError.
        """
        return self._take(0.0, alone=True)

    def release(self) -> None:
        """Free it; again, it does nothing."""
        descriptor, self._descriptor = self._descriptor, -1
        if descriptor >= 0:
            os.close(descriptor)

    def _take(self, wait_s: float, *, alone: bool) -> bool:
        assert self._descriptor < 0, "held already"  # a caller's bug
        deadline = time.monotonic() + wait_s
        descriptor = os.open(self.path, _FLAGS, 0o600)
        try:
            while not _lock(descriptor, alone=alone):
                if time.monotonic() >= deadline:
                    return False
                time.sleep(_PAUSE_S)
            self._descriptor, descriptor = descriptor, -1
        finally:
            if descriptor >= 0:
                os.close(descriptor)
        return True


if sys.platform == "win32":

    def _lock(descriptor: int, *, alone: bool) -> bool:
        import ctypes  # noqa: PLC0415  # only workers pay
        from ctypes import wintypes  # noqa: PLC0415  # as above

        class Overlapped(ctypes.Structure):
            """Where the locked byte lies: at the begin, since nobody reads this file."""

            _fields_ = (
                ("Internal", ctypes.c_void_p),
                ("InternalHigh", ctypes.c_void_p),
                ("Offset", wintypes.DWORD),
                ("OffsetHigh", wintypes.DWORD),
                ("hEvent", wintypes.HANDLE),
            )

        fail_immediately, exclusive, lock_violation, io_pending = 1, 2, 33, 997
        kernel32 = ctypes.WinDLL("kernel32", use_last_error=True)
        kernel32.LockFileEx.argtypes = (wintypes.HANDLE, *(wintypes.DWORD,) * 4, ctypes.POINTER(Overlapped))
        flags = fail_immediately | (exclusive if alone else 0)
        handle = msvcrt.get_osfhandle(descriptor)
        if kernel32.LockFileEx(handle, flags, 0, 1, 0, ctypes.byref(Overlapped())):
            return True
        number = ctypes.get_last_error()
        if number in (lock_violation, io_pending):
            return False
        raise ctypes.WinError(number)

else:

    def _lock(descriptor: int, *, alone: bool) -> bool:
        try:
            fcntl.flock(descriptor, (fcntl.LOCK_EX if alone else fcntl.LOCK_SH) | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True
