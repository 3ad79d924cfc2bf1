"""Locks by flock(2): Linux, macOS, BSD.

The lock belongs to the open file, not to the process: whoever inherits the descriptor
keeps it. Measured with a forked child that outlives its parent:

    child           parent unlocks   parent closes   parent is killed   parent still works
    does nothing    free             HELD            HELD               held
    closes          free             free            free               held
    unlocks         free             free            free               FREE

So the child closes its copy and never unlocks, and the parent unlocks before it closes,
for a child that C code forked past Python.
Why not lockf: a record lock goes away as soon as the process closes any descriptor of the
file (fcntl(2)), also that of a helper which only reads the holder's name.
"""

from __future__ import annotations

import os
import stat
import sys

from trayapp.errors import SetupError

assert sys.platform != "win32"  # for mypy, which then checks this file for its systems alone

import fcntl  # noqa: E402  # known here to exist

Handle = int  # file descriptor

_TRIES = 100  # a file that is replaced that often between opening and locking is a fault
_SOMEBODY = -1

FREED_LATE_S = 0.0  # the kernel frees the lock before a dead process can be waited for
NAMED_BY_NO_TEXT = 0 if sys.platform == "linux" else None  # Linux shows the lock itself


def take(path: str) -> int | None:
    """Lock the file at *path*, which is made where missing; None when somebody has it.

    Raises: OSError; SetupError `lock-not-a-file`, `lock-file-vanishes`.
    """
    for _ in range(_TRIES):
        # Python retries what a signal interrupts and lets no command inherit the descriptor (PEP 475, 446).
        fd = os.open(path, os.O_RDWR | os.O_CREAT | os.O_NOCTTY, 0o600)
        kept = False
        try:
            try:
                fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:  # EWOULDBLOCK alone means that somebody has it (flock(2))
                return None
            kept = _is_file_at(path, os.fstat(fd))
        finally:
            if not kept:
                os.close(fd)
        if kept:
            return fd
    raise SetupError("lock-file-vanishes", path=path)


def _is_file_at(path: str, locked: os.stat_result) -> bool:
    """Tell whether the locked file is still the one at *path*.

    Who locks a file that was deleted meanwhile owns nothing: the next one makes a new file.
    """
    if not stat.S_ISREG(locked.st_mode):
        raise SetupError("lock-not-a-file", path=path)
    try:
        current = os.stat(path)
    except FileNotFoundError:
        return False
    return current.st_ino == locked.st_ino and current.st_dev == locked.st_dev


def write(fd: int, text: bytes) -> None:
    """Put *text* over the begin of the locked file."""
    os.pwrite(fd, text, 0)


def give_back(fd: int) -> None:
    """Free the lock, also from a child that holds a copy of it unknowingly."""
    try:
        fcntl.flock(fd, fcntl.LOCK_UN)
    finally:
        os.close(fd)


def leave_to_parent(fd: int) -> None:
    """Close a forked child's copy; unlocking would take the lock from the parent."""
    os.close(fd)


def read(path: str, size: int) -> bytes:
    """First *size* bytes of the lock file, without waiting for anything."""
    fd = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_NOCTTY)
    try:
        return os.pread(fd, size, 0)
    finally:
        os.close(fd)


def pid_space() -> str:
    """Name of the space in which this process's pids count; a container has its own."""
    global _pid_space  # noqa: PLW0603  # a process stays in its space for life (setns(2)), and asking costs 7 µs
    pid = os.getpid()
    if _pid_space[0] != pid:
        try:
            _pid_space = pid, str(os.stat("/proc/self/ns/pid").st_ino)
        except OSError:  # not Linux
            _pid_space = pid, ""
    return _pid_space[1]


_pid_space = (0, "")


def find_owner(path: str, named: int | None) -> int | None:
    """Pid of the process that has the lock, -1 for one unknown, 0 for nobody, None when untold.

    *named* is the living process that the text names; 0 and None as above. On Linux the
    kernel is asked; elsewhere it does not tell, and the text is all there is.
    """
    if sys.platform != "linux":
        return named
    try:
        wanted = os.stat(path)
    except OSError:
        return None
    has_locked = _has_locked(named, wanted) if named else named
    if has_locked:
        return named
    # For a holder that has not written its name yet, and one that C code forked.
    owner = _find_in_proc_locks(wanted)
    if owner:
        return owner
    return 0 if has_locked is not None else None


def _has_locked(pid: int, wanted: os.stat_result) -> bool | None:
    """Tell whether the process has an flock on the file, None when /proc does not show it.

    Why not /proc/locks alone: on btrfs it names a device that stat(2) does not know.
    """
    try:
        numbers = os.listdir(f"/proc/{pid}/fdinfo")
    except PermissionError:
        return None
    except OSError:
        return False
    for number in numbers:
        try:
            with open(f"/proc/{pid}/fdinfo/{number}", "rb") as file:
                is_locked = b"FLOCK" in file.read()
            if is_locked and os.path.samestat(wanted, os.stat(f"/proc/{pid}/fd/{number}")):
                return True
        except OSError:  # closed meanwhile
            continue
    return False


def _find_in_proc_locks(wanted: os.stat_result) -> int:
    """Pid that has an flock on the file by /proc/locks, -1 for one of another pid space, 0 for none."""
    try:
        with open("/proc/locks", "rb") as file:
            table = file.read()
    except OSError:
        return 0
    inode = b":%d " % wanted.st_ino
    if inode not in table:
        return 0
    device = b" %02x:%02x" % (os.major(wanted.st_dev), os.minor(wanted.st_dev))
    for line in table.splitlines():
        if inode not in line or b" FLOCK " not in line or b" -> " in line:  # -> waits for it
            continue
        pid = int(line.split()[4])  # 1: FLOCK ADVISORY WRITE 4242 fe:00:131 0 EOF
        if device + inode in line:
            return pid if pid > 0 else _SOMEBODY
        if pid > 0 and _has_locked(pid, wanted):
            return pid
    return 0
