"""Whether the machine's clock is set by a time service, and waiting for that after a start.

A machine that has just started may show yesterday, or 1970, until its time service
answers. Only where such a service is active is there anything to wait for.
"""

from __future__ import annotations

import os
import sys
import time

from trayapp.process_identity import boot_id

TYPE_CHECKING = False
if TYPE_CHECKING:
    from trayapp.places import Places

_LONGEST_WAIT_S = 60.0
_BETWEEN_LOOKS_S = 0.5
# What timesyncd, chrony and ntpd keep under /run while they are active.
_SERVICES = ("systemd/timesync", "chrony", "chrony.pid", "chrony/chronyd.pid", "ntpd.pid", "openntpd.sock")
_STA_UNSYNC = 0x0040  # adjtimex(2)
_TIME_ERROR = 5


def is_synchronised(run_dir: str = "/run") -> bool | None:
    """Tell whether the clock is set by a time service; None where none is active or nobody can know."""
    if sys.platform != "linux" or not any(os.path.exists(os.path.join(run_dir, name)) for name in _SERVICES):
        return None
    if os.path.exists(os.path.join(run_dir, "systemd/timesync/synchronized")):
        return True
    return _kernel_says()


def wait_for_clock(places: Places, longest_s: float = _LONGEST_WAIT_S, run_dir: str = "/run") -> bool:
    """Wait once a boot, at most *longest_s*, until the clock is synchronised; returns whether it waited."""
    marker, this_boot = os.path.join(places.state, "clock-waited"), boot_id()
    if _read(marker) == this_boot or is_synchronised(run_dir) is not False:
        return False
    deadline = time.monotonic() + longest_s
    while is_synchronised(run_dir) is False and time.monotonic() < deadline:
        time.sleep(_BETWEEN_LOOKS_S)
    try:
        with open(marker, "w", encoding="utf-8") as file:
            file.write(this_boot)
    except OSError:
        return True  # the next job of this boot waits again
    return True


def _kernel_says() -> bool | None:
    import ctypes  # noqa: PLC0415  # 10 ms that only a start at boot, or `doctor`, pays

    class Timex(ctypes.Structure):
        _fields_ = (
            ("modes", ctypes.c_uint),
            ("offset", ctypes.c_long),
            ("freq", ctypes.c_long),
            ("maxerror", ctypes.c_long),
            ("esterror", ctypes.c_long),
            ("status", ctypes.c_int),
            ("rest", ctypes.c_byte * 160),
        )

    timex = Timex()
    try:
        state = ctypes.CDLL(None, use_errno=True).adjtimex(ctypes.byref(timex))
    except (OSError, AttributeError):
        return None
    if state < 0:
        return None
    return state != _TIME_ERROR and not timex.status & _STA_UNSYNC


def _read(path: str) -> str | None:
    try:
        with open(path, encoding="utf-8") as file:
            return file.read()
    except OSError:
        return None
