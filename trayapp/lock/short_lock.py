"""A lock for the length of one line or one rename, so waiting for it is worth while.

Unlike a job's lock it has no holder text and may be waited for, but never without end: a
holder that was stopped in its sleep must not stop everybody else.
"""

from __future__ import annotations

import os
import sys
import time

if sys.platform == "win32":
    import msvcrt
else:
    import fcntl

_FIRST_PAUSE_S, _LONGEST_PAUSE_S = 0.0001, 0.004  # a line takes 20 µs; who waits long polls seldom


class ShortLock:
    """A lock on the file *path*, which is made when missing and never removed.

    The file stays open between two takings; the kernel frees the lock when the process
    ends. Not for threads: two of one process need two objects.
    """

    def __init__(self, path: str) -> None:
        self._path = path
        self._descriptor = -1

    def acquire(self, wait_s: float) -> bool:
        """Take the lock within *wait_s*; False when somebody else kept it all the time.

        Raises: OSError when the file cannot be opened or locked at all.
        """
        if self._descriptor < 0:
            flags = os.O_RDWR | os.O_CREAT | getattr(os, "O_NOINHERIT", 0)
            self._descriptor = os.open(self._path, flags, 0o600)
        if _try_lock(self._descriptor):
            return True
        deadline, pause_s = time.monotonic() + wait_s, _FIRST_PAUSE_S
        while time.monotonic() < deadline:
            time.sleep(pause_s)
            if _try_lock(self._descriptor):
                return True
            pause_s = min(2 * pause_s, _LONGEST_PAUSE_S)
        return False

    def release(self) -> None:
        """Let the next one in."""
        _unlock(self._descriptor)

    def close(self) -> None:
        """Close the file, and free the lock when it is held."""
        if self._descriptor >= 0:
            os.close(self._descriptor)
            self._descriptor = -1


if sys.platform == "win32":

    def _try_lock(descriptor: int) -> bool:
        os.lseek(descriptor, 0, os.SEEK_SET)
        try:
            msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
        except PermissionError:  # EACCES: somebody has it
            return False
        return True

    def _unlock(descriptor: int) -> None:
        os.lseek(descriptor, 0, os.SEEK_SET)
        msvcrt.locking(descriptor, msvcrt.LK_UNLCK, 1)

else:

    def _try_lock(descriptor: int) -> bool:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True

    def _unlock(descriptor: int) -> None:
        # Unlocked and not just closed: a forked child may share the open file.
        fcntl.flock(descriptor, fcntl.LOCK_UN)
