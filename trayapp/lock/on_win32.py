r"""Locks by one locked byte: Windows.

A locked byte can be read by nobody else, and not through a second handle of its owner
either (LockFile), so it lies at offset 2**30, far behind the text; locking behind the end
of a file is allowed and does not lengthen it. The kernel is asked itself, since the C library's
`locking` sleeps a whole second before it says no (measured). That library opens without
FILE_SHARE_DELETE, so an open lock file cannot be deleted and needs no second look.

That the lock is held is told by a named event which exists as long as its holder: asking
for the byte would make a real start lose. In the `Global\` name space, since a task that
runs while nobody is logged on has a session of its own; for an event this takes no right.
"""

from __future__ import annotations

import os
import stat
import sys
import time
from functools import cache

from trayapp.errors import SetupError

assert sys.platform == "win32"  # for mypy, which then checks this file for its systems alone

import msvcrt  # noqa: E402  # known here to exist

TYPE_CHECKING = False
if TYPE_CHECKING:
    import ctypes

Handle = tuple[int, int]  # file descriptor, event (0: could not be made)

# "The time it takes for the operating system to unlock these locks depends upon available
# system resources" (LockFile, when a process ends that holds one).
FREED_LATE_S = 1.0
NAMED_BY_NO_TEXT = 0  # the event shows the lock itself

_LOCKED_BYTE = 1 << 30
_PAUSE_S = 0.02
_SOMEBODY = -1
_SYNCHRONIZE = 0x0010_0000
_ERROR_FILE_NOT_FOUND = 2
_ERROR_ACCESS_DENIED = 5
_ERROR_LOCK_VIOLATION = 33


def take(path: str) -> Handle | None:
    """Lock the file at *path*, which is made where missing; None when somebody has it.

    Raises: OSError; SetupError `lock-not-a-file`.
    """
    fd = _open(path)
    kept = False
    try:
        if not stat.S_ISREG(os.fstat(fd).st_mode):  # such as NUL
            raise SetupError("lock-not-a-file", path=path)
        kept = lock_byte(fd)
    finally:
        if not kept:
            os.close(fd)
    return (fd, create_event(event_name(path))) if kept else None


def _open(path: str) -> int:
    """Open the file once no backup or virus scanner keeps it to itself any more.

    Windows answers "permission denied" for that too (sharing violation), so it is asked again for a moment.
    """
    deadline = time.monotonic() + FREED_LATE_S
    while True:
        try:
            # Python adds O_NOINHERIT (PEP 446), and the lock is this process's alone in any case.
            return os.open(path, os.O_RDWR | os.O_CREAT | os.O_BINARY, 0o600)
        except PermissionError:
            if os.path.isdir(path) or time.monotonic() > deadline:
                raise
            time.sleep(_PAUSE_S)


def lock_byte(fd: int, offset: int = _LOCKED_BYTE) -> bool:
    """Lock one byte for this handle alone until it is closed; False when it is locked already."""
    import ctypes  # noqa: PLC0415  # as in _kernel32

    if _kernel32().LockFile(msvcrt.get_osfhandle(fd), offset, 0, 1, 0):
        return True
    error = ctypes.get_last_error()
    if error == _ERROR_LOCK_VIOLATION:
        return False
    raise ctypes.WinError(error)


def unlock_byte(fd: int, offset: int = _LOCKED_BYTE) -> None:
    """Free a byte that this handle has locked.

    Raises: OSError when it has not.
    """
    import ctypes  # noqa: PLC0415  # as in _kernel32

    if not _kernel32().UnlockFile(msvcrt.get_osfhandle(fd), offset, 0, 1, 0):
        raise ctypes.WinError(ctypes.get_last_error())


def write(handle: Handle, text: bytes) -> None:
    """Put *text* over the begin of the locked file."""
    fd, _ = handle
    os.lseek(fd, 0, os.SEEK_SET)
    os.write(fd, text)


def give_back(handle: Handle) -> None:
    """Free the lock, after the sign that it is held."""
    fd, event = handle
    try:
        close_event(event)
        unlock_byte(fd)
    finally:
        os.close(fd)


def read(path: str, size: int) -> bytes:
    """First *size* bytes of the lock file, which end far before the locked byte."""
    fd = os.open(path, os.O_RDONLY | os.O_BINARY)
    try:
        return os.read(fd, size)
    finally:
        os.close(fd)


def pid_space() -> str:
    """Windows has one space of pids."""
    return ""


def find_owner(path: str, named: int | None) -> int | None:
    """Pid of the process that has the lock, -1 for one unknown, 0 for nobody, None when untold.

    *named* is the living process that the text names; 0 and None as above.
    """
    is_held = event_exists(event_name(path))
    if is_held:
        return named or _SOMEBODY
    return 0 if is_held is False and named == 0 else None


def event_name(path: str) -> str:
    r"""Name of the event for a lock file: one for all spellings of its path, without `\`, below 260 letters."""
    digest = 0xCBF2_9CE4_8422_2325  # FNV-1a: hashlib costs the runner more than its work
    for byte in os.path.normcase(os.path.realpath(path)).encode("utf-8", "surrogatepass"):
        digest = (digest ^ byte) * 0x100_0000_01B3 & 0xFFFF_FFFF_FFFF_FFFF
    return f"Global\\birkez-lock-{digest:016x}"


def create_event(name: str) -> int:
    """Make the event exist while its handle is open; 0 when the system refuses it."""
    return _kernel32().CreateEventW(None, True, False, name) or 0


def event_exists(name: str) -> bool | None:
    """Tell whether some process has the event open, None when the system does not tell.

    Its own handle is closed at once: an event that a reader keeps would outlive the run.
    """
    import ctypes  # noqa: PLC0415  # as in _kernel32

    kernel32 = _kernel32()
    handle = kernel32.OpenEventW(_SYNCHRONIZE, False, name)
    if handle:
        kernel32.CloseHandle(handle)
        return True
    # An elevated runner's event may be closed to us, and exists all the same.
    return {_ERROR_ACCESS_DENIED: True, _ERROR_FILE_NOT_FOUND: False}.get(ctypes.get_last_error())


def close_event(handle: int) -> None:
    """Let the event go."""
    if handle:
        _kernel32().CloseHandle(handle)


@cache
def _kernel32() -> ctypes.WinDLL:
    import ctypes  # noqa: PLC0415  # only Windows pays
    from ctypes import wintypes  # noqa: PLC0415  # as above

    kernel32 = ctypes.WinDLL("kernel32", use_last_error=True)
    kernel32.CreateEventW.argtypes = (wintypes.LPVOID, wintypes.BOOL, wintypes.BOOL, wintypes.LPCWSTR)
    kernel32.CreateEventW.restype = wintypes.HANDLE
    kernel32.OpenEventW.argtypes = (wintypes.DWORD, wintypes.BOOL, wintypes.LPCWSTR)
    kernel32.OpenEventW.restype = wintypes.HANDLE
    kernel32.CloseHandle.argtypes = (wintypes.HANDLE,)
    kernel32.LockFile.argtypes = (wintypes.HANDLE, *(wintypes.DWORD,) * 4)
    kernel32.UnlockFile.argtypes = kernel32.LockFile.argtypes
    return kernel32
