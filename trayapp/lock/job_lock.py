"""One copy of a job at a time, by a lock of the kernel's on a file of the job's own.

Promise: of all processes of this machine at most one holds a `JobLock` for a path, and
the kernel frees it however that process ends. It never expires by age. Limit: a lock file
that is deleted while held gives a second holder; the ledger is right even then.

The file is never deleted by us, and no command inherits the lock.
"""

from __future__ import annotations

import errno
import os
import sys
import time

from trayapp.errors import SetupError, StateError
from trayapp.lock import holder as holder_text
from trayapp.network_folder import network_kind

if sys.platform == "win32":
    from trayapp.lock import on_win32 as system
else:
    from trayapp.lock import on_posix as system

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import TracebackType
    from typing import Self

    from trayapp.lock.holder import Holder

_PAUSE_S = 0.02

_CODES = {
    errno.ENOENT: "lock-folder-missing",
    errno.ENOTDIR: "lock-folder-missing",
    errno.EACCES: "lock-not-permitted",
    errno.EPERM: "lock-not-permitted",
    errno.EROFS: "lock-read-only",
    errno.ENOSPC: "lock-disk-full",
    errno.EDQUOT: "lock-disk-full",
    errno.EISDIR: "lock-not-a-file",
}


class JobLock:
    """The right to run a job now, until `release` or the end of this process."""

    __slots__ = ("_handle", "path")

    def __init__(self, path: str, handle: system.Handle) -> None:
        self.path = path
        self._handle: system.Handle | None = handle
        _held.add(self)

    def release(self) -> None:
        """Free the lock. Again, or in a forked child, it does nothing."""
        handle, self._handle = self._handle, None
        if handle is None:
            return
        _held.discard(self)
        try:
            system.write(handle, holder_text.IDLE_MARK)
        except OSError:
            pass  # display alone: a full disk must not keep the lock
        finally:
            system.give_back(handle)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.release()


_held: set[JobLock] = set()
_on_disk_here: set[str] = set()  # paths already looked at: asking anew each time would double the cost


def try_acquire(path: str, holder: Holder) -> JobLock | None:
    """Take the lock at *path* for *holder*, this process; None when somebody has it.

    Never waits for a living holder. The folder must exist; the file is made.
    Raises: SetupError with the path, and no lock taken: `lock-on-network`, `lock-folder-missing`,
    `lock-not-permitted`, `lock-read-only`, `lock-disk-full`, `lock-not-a-file`,
    `lock-file-vanishes`, `lock-refused`.
    """
    if path not in _on_disk_here:
        _refuse_network(path)
    text = holder_text.encode(holder)
    try:
        handle = system.take(path)
        if handle is None and system.FREED_LATE_S:
            handle = _take_from_dead(path)
        if handle is None:
            return None
        try:
            system.write(handle, text)
        except BaseException:
            system.give_back(handle)
            raise
    except OSError as error:
        raise _explain(path, error) from error
    return JobLock(path, handle)


def acquire(path: str, holder: Holder) -> JobLock:
    """Take the lock at *path*, as `try_acquire` does.

    Raises: StateError `job-running` when somebody has it, with *pid* and *since* None
    where they are unknown; SetupError as `try_acquire`.
    """
    lock = try_acquire(path, holder)
    if lock is not None:
        return lock
    other = holder_text.read_state(path).holder
    raise StateError(
        "job-running",
        job=os.path.basename(path).removesuffix(".lock"),
        pid=other.pid if other else None,
        since=other.since if other else None,
    )


def _refuse_network(path: str) -> None:
    kind = network_kind(path)
    if kind is not None:
        raise SetupError("lock-on-network", path=path, kind=kind)
    _on_disk_here.add(path)


def _take_from_dead(path: str) -> system.Handle | None:
    """Try again for a moment while the lock seems to belong to a process that is gone."""
    deadline = time.monotonic() + system.FREED_LATE_S
    while holder_text.names_nobody_alive(path) and time.monotonic() < deadline:
        time.sleep(_PAUSE_S)
        handle = system.take(path)
        if handle is not None:
            return handle
    return None


def _explain(path: str, error: OSError) -> SetupError:
    number = error.errno or 0
    if os.path.isdir(path):  # Windows answers "permission denied" for a folder
        number = errno.EISDIR
    return SetupError(_CODES.get(number, "lock-refused"), path=path, reason=os.strerror(number))


if sys.platform != "win32":

    def _leave_to_parent() -> None:
        for lock in _held:
            handle, lock._handle = lock._handle, None  # noqa: SLF001  # our own
            if handle is not None:
                system.leave_to_parent(handle)
        _held.clear()

    os.register_at_fork(after_in_child=_leave_to_parent)
