"""Whether somebody still writes a file that is about to be published: what is open is not whole yet.

A program may end and leave another running that still writes; a function may keep its file
open, with the last lines in memory. Publishing then would put a file at the target that
changes under whoever reads it.
"""

from __future__ import annotations

import errno
import os
import signal
import sys
import time

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

_TICK_S = 0.05
_HELD = (errno.EAGAIN, errno.EBUSY)


def is_closed(path: str, patience_s: float, stop: Callable[[], bool]) -> bool:
    """Wait at most *patience_s* until nobody writes *path* any more; false when somebody still does.

    Only Linux can tell. Windows refuses to move a file that is open, and macOS is not asked.
    """
    if sys.platform != "linux":
        return True
    deadline = time.monotonic() + patience_s
    while _is_written(path):
        if stop() or time.monotonic() >= deadline:
            return False
        time.sleep(_TICK_S)
    return True


def _is_written(path: str) -> bool:
    """Ask for a read lease, which the kernel gives only where no descriptor may write (fcntl(2)).

    Who opens the file in that moment makes the kernel send a signal: one that does nothing
    in place of SIGIO, which would end this process.
    """
    if sys.platform != "linux":
        raise AssertionError
    import fcntl  # noqa: PLC0415  # only Linux

    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError:
        return False  # whoever flushes it says what is wrong with it
    try:
        fcntl.fcntl(descriptor, fcntl.F_SETSIG, signal.SIGURG)
        fcntl.fcntl(descriptor, fcntl.F_SETLEASE, fcntl.F_RDLCK)
        fcntl.fcntl(descriptor, fcntl.F_SETLEASE, fcntl.F_UNLCK)
    except OSError as error:
        return error.errno in _HELD  # else: another user's file, or a file system without leases
    finally:
        os.close(descriptor)
    return False
