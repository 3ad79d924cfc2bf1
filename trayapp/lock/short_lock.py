"""A lock for the length of one line or one rename, so waiting for it is worth while.

Unlike a job's lock it has no holder text and may be waited for, but never without end: a
holder that was stopped in its sleep must not stop everybody else.

Why not one mechanism: on Windows the C library's `locking` sleeps a whole second before
it says no (measured), which is a thousand lines' time, and LockFile itself needs ctypes,
10 ms of each start. So there the file is opened for nobody else to share.
"""

from __future__ import annotations

import os
import sys
import time

if sys.platform == "win32":
    import _winapi
else:
    import fcntl

_FIRST_PAUSE_S, _LONGEST_PAUSE_S = 0.0001, 0.004  # a line takes 20 µs; who waits long polls seldom


class ShortLock:
    """A lock on the file *path*, which is made when missing and never removed.

    The kernel frees the lock when the process ends. Not for threads: two of one process
    need two objects.
    """

    def __init__(self, path: str) -> None:
        self._path = path
        self._file = -1  # POSIX: a descriptor that stays open; Windows: a handle while the lock is held

    def acquire(self, wait_s: float) -> bool:
        """Take the lock within *wait_s*; False when somebody else kept it all the time.

        Raises: OSError when the file cannot be opened or locked at all.
        """
        if self._try_acquire():
            return True
        deadline, pause_s = time.monotonic() + wait_s, _FIRST_PAUSE_S
        while time.monotonic() < deadline:
            time.sleep(pause_s)
            if self._try_acquire():
                return True
            pause_s = min(2 * pause_s, _LONGEST_PAUSE_S)
        return False

    if sys.platform == "win32":

        def release(self) -> None:
            """Let the next one in."""
            self.close()

        def close(self) -> None:
            """Close the file, and free the lock when it is held."""
            if self._file >= 0:
                _winapi.CloseHandle(self._file)
                self._file = -1

        def _try_acquire(self) -> bool:
            share_none, open_always, sharing_violation = 0, 4, 32  # winbase.h, winerror.h
            access = _winapi.GENERIC_READ | _winapi.GENERIC_WRITE
            try:
                self._file = _winapi.CreateFile(self._path, access, share_none, 0, open_always, 0, 0)
            except OSError as error:
                if error.winerror == sharing_violation:
                    return False  # somebody has it, or a virus scanner looks at it for a moment
                raise
            return True

    else:

        def release(self) -> None:
            """Let the next one in."""
            # Unlocked and not just closed: a forked child may share the open file.
            fcntl.flock(self._file, fcntl.LOCK_UN)

        def close(self) -> None:
            """Close the file, and free the lock when it is held."""
            if self._file >= 0:
                os.close(self._file)
                self._file = -1

        def _try_acquire(self) -> bool:
            if self._file < 0:
                self._file = os.open(self._path, os.O_RDWR | os.O_CREAT, 0o600)
            try:
                fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                return False
            return True
