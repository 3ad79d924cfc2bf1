"""Which process is meant, for ever: boot, pid and raw start time.

A pid alone is reused; a wall-clock start time shifts when the clock is set. The kernel's
own start counter within one boot does neither.
"""

from __future__ import annotations

import os
import sys

from trayapp.value import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

_ERROR_ACCESS_DENIED = 5
_PID_LIMIT = 1 << 31  # a pid is a signed C int; on Windows 32 bits, of which large ones are not given


class ProcessIdentity(NamedTuple):
    """A process that once ran on this machine.

    `boot` is the kernel's boot id (empty where there is none), `start` the raw start
    counter: clock ticks since boot on Linux, creation FILETIME on Windows, seconds and
    microseconds on macOS; empty when it could not be read.
    """

    boot: str
    pid: int
    start: str


def identity_of(pid: int) -> ProcessIdentity | None:
    """Identity of a process that lives now, or None when there is none with this pid."""
    start = start_of(pid)
    return None if start is None else ProcessIdentity(boot_id(), pid, start)


def is_alive(identity: ProcessIdentity) -> bool:
    """Tell whether that very process still lives: same boot, pid and start."""
    return identity.boot == boot_id() and bool(identity.start) and start_of(identity.pid) == identity.start


def living_part(identity: ProcessIdentity) -> ProcessIdentity | None:
    """Find the process itself, or another of the group that it led; None when all have ended.

    A command whose shell was killed works on in what the shell had started. No process gets
    the shell's pid anew while a group bears it.
    """
    if is_alive(identity):
        return identity
    if sys.platform == "win32" or identity.boot != boot_id() or not 1 < identity.pid < _PID_LIMIT:
        return None
    try:
        os.killpg(identity.pid, 0)
    except PermissionError:
        pass  # members of another user's; on macOS all are zombies
    except OSError:
        return None
    if start_of(identity.pid) is not None:
        return None  # the pid is another process's by now, and so is the group
    members = _group_on_linux(identity.pid) if sys.platform == "linux" else _group_by_ps(identity.pid)
    return next((found for pid in members if (found := identity_of(pid)) is not None), None)


def boot_id() -> str:
    """Name this boot of the machine; empty where the system does not name boots.

    Windows and macOS need none: their start times are absolute.
    """
    if sys.platform != "linux":
        return ""
    try:
        with open("/proc/sys/kernel/random/boot_id", "rb", buffering=0) as file:  # as text it would load a codec
            return file.read().strip().decode("ascii")
    except OSError:
        return ""


def start_of(pid: int) -> str | None:
    """Raw start counter of a living process, None when there is none; zombies are dead.

    Empty when the process lives but belongs to somebody else who hides it.
    """
    if not 0 < pid < _PID_LIMIT:
        return None
    if sys.platform == "win32":
        return _start_on_win32(pid)
    if sys.platform == "linux":
        return _start_on_linux(pid)
    return _start_by_ps(pid)


def _start_on_linux(pid: int) -> str | None:
    try:
        with open(f"/proc/{pid}/stat", "rb", buffering=0) as file:
            stat = file.read()
    except OSError:
        return "" if _is_hidden(pid) else None
    # The command name stands in parentheses and may hold spaces and parentheses (proc(5)).
    fields = stat[stat.rindex(b")") + 2 :].split()
    return None if fields[0] in b"ZX" else fields[19].decode("ascii")


def _group_on_linux(group: int) -> Iterator[int]:
    for name in os.listdir("/proc"):
        if name.isdigit():
            try:
                with open(f"/proc/{name}/stat", "rb", buffering=0) as file:
                    fields = file.read().rpartition(b")")[2].split()
            except OSError:
                continue  # it has ended since the folder was listed
            if int(fields[2]) == group:
                yield int(name)


def _group_by_ps(group: int) -> Iterator[int]:
    if sys.platform == "win32":
        raise AssertionError
    import psutil  # noqa: PLC0415  # as below

    for pid in psutil.pids():
        try:
            if os.getpgid(pid) == group:
                yield pid
        except OSError:
            continue  # it has ended, or is the system's own


def _is_hidden(pid: int) -> bool:
    """Tell whether a process lives that /proc does not show (mount option `hidepid`)."""
    try:
        os.kill(pid, 0)
    except PermissionError:
        return True
    except OSError:
        pass
    return False


def _start_by_ps(pid: int) -> str | None:
    import psutil  # noqa: PLC0415  # only macOS and BSD pay for it

    try:
        process = psutil.Process(pid)
        return None if process.status() == psutil.STATUS_ZOMBIE else f"{process.create_time():.6f}"
    except psutil.AccessDenied:
        return ""
    except psutil.Error:
        return None


def _start_on_win32(pid: int) -> str | None:
    if sys.platform != "win32":
        raise AssertionError
    import ctypes  # noqa: PLC0415  # 10 ms that only Windows pays
    from ctypes import wintypes  # noqa: PLC0415

    kernel32 = ctypes.WinDLL("kernel32", use_last_error=True)
    kernel32.OpenProcess.restype = wintypes.HANDLE
    query_limited, still_active = 0x1000, 259  # PROCESS_QUERY_LIMITED_INFORMATION, STILL_ACTIVE
    handle = kernel32.OpenProcess(query_limited, False, pid)
    if not handle:
        return "" if ctypes.get_last_error() == _ERROR_ACCESS_DENIED else None
    try:
        times = [wintypes.FILETIME() for _ in range(4)]
        code = wintypes.DWORD()
        known = kernel32.GetProcessTimes(wintypes.HANDLE(handle), *map(ctypes.byref, times))
        kernel32.GetExitCodeProcess(wintypes.HANDLE(handle), ctypes.byref(code))
        if not known or code.value != still_active:
            return None
        return str(times[0].dwHighDateTime << 32 | times[0].dwLowDateTime)
    finally:
        kernel32.CloseHandle(wintypes.HANDLE(handle))


def own_identity() -> ProcessIdentity:
    """Identity of this process."""
    return identity_of(os.getpid()) or ProcessIdentity(boot_id(), os.getpid(), "")
