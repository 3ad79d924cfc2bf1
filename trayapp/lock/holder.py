"""Who holds a job's lock: a line of text in the lock file, for display alone.

The kernel's lock decides; the text only gives it a name. Looking takes no lock, not even
a shared one, since that makes a real start lose (0.4 to 0.9 % at a look each 10 ms).
"""

from __future__ import annotations

import sys

from trayapp.clock import parse_instant
from trayapp.process_identity import ProcessIdentity, boot_id, own_identity, start_of
from trayapp.value import NamedTuple

if sys.platform == "win32":
    from trayapp.lock import on_win32 as system
else:
    from trayapp.lock import on_posix as system

TYPE_CHECKING = False
if TYPE_CHECKING:
    from datetime import datetime
    from typing import Literal

IDLE_MARK = b"idle"  # release writes it over the first word
_HELD = "held"
_WIDTH = 320  # bytes of every text: rewriting without truncating costs 5 µs, truncating 179 on ext4
_WORDS = 8  # of a text
_LOOKS = 3  # a holder's name follows its lock some microseconds later


class Holder(NamedTuple):
    """The process that holds a lock, and for what: *trigger* is manual, schedule or boot."""

    pid: int
    start: str
    boot: str
    run: str
    trigger: str
    since: datetime

    @property
    def identity(self) -> ProcessIdentity:
        """Which process that is, for ever: compare it before a signal is sent."""
        return ProcessIdentity(self.boot, self.pid, self.start)


class LockState(NamedTuple):
    """What can be seen of a lock, for display alone. A held lock may have no known *holder*."""

    state: Literal["idle", "held", "unknown"]
    holder: Holder | None = None


def own_holder(run: str, trigger: str, since: datetime) -> Holder:
    """This process as a holder, for `try_acquire`; a forked child makes its own."""
    own = own_identity()
    return Holder(own.pid, own.start, own.boot, run, trigger, since)


def read_state(path: str) -> LockState:
    """State of the lock at *path*, for display; takes no lock and never raises.

    `held` with a holder: that very process lives and has the lock. `held` without:
    somebody has it. What the system does not show is `unknown`, never `idle`. All of it
    may be different a moment later: `try_acquire` alone decides.
    """
    state = _look(path)
    for _ in range(_LOOKS - 1):
        if state.state == "idle" or (state.state == "held" and state.holder):
            break
        state = _look(path)  # the text and the lock belong to two moments
    return state


def names_nobody_alive(path: str) -> bool:
    """Tell whether the text leaves it open that the lock's owner is gone; does not look at the lock."""
    try:
        return not _judge(system.read(path, _WIDTH))[1]
    except OSError:
        return True


def encode(holder: Holder) -> bytes:
    """Text of the lock file while *holder* has the lock, always of the same length.

    Raises: ValueError when a field holds a blank or is too long: a bug of the caller.
    """
    pid, start, boot, run, trigger, since = holder
    text = (
        f"{_HELD} pid={pid} start={start} boot={boot} pids={system.pid_space()}"
        f" trigger={trigger} since={since.isoformat()} run={run}"
    )
    if len(text.split()) != _WORDS or len(text) >= _WIDTH:
        message = f"not fit for a lock file: {holder!r}"
        raise ValueError(message)
    return text.ljust(_WIDTH - 1).encode("ascii") + b"\n"


def _look(path: str) -> LockState:
    holder: Holder | None = None
    named: int | None = None
    try:
        text = system.read(path, _WIDTH)
    except (FileNotFoundError, NotADirectoryError):
        return LockState("idle")  # no file, so nobody whom a start could lose against
    except OSError:
        pass
    else:
        holder, named = _judge(text)
    owner = system.find_owner(path, named)
    if owner is None:
        return LockState("unknown", holder)
    if owner == 0:
        return LockState("idle")
    return LockState("held", holder if owner == named else None)


def _judge(text: bytes) -> tuple[Holder | None, int | None]:
    """Read a lock file's text: the holder, and its pid when that process lives.

    The pid is 0 when the text names nobody who lives, None when that cannot be told.
    """
    try:
        mark, *words = text.decode("ascii").split()
        facts = dict(word.split("=", 1) for word in words)
        pid, since = int(facts["pid"]), parse_instant(facts["since"])
        holder = Holder(pid, facts["start"], facts["boot"], facts["run"], facts["trigger"], since)
        pids = facts["pids"]
    except (ValueError, KeyError):  # empty, half written, or somebody else's
        return None, system.NAMED_BY_NO_TEXT
    if mark != _HELD or holder.boot != boot_id():
        return None, 0
    if pids != system.pid_space():
        return holder, None
    start = start_of(pid)
    if start is None or (start and start != holder.start):
        return None, 0
    return holder, pid if start else None
