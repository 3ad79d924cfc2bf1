"""A command's descendants, found wherever they went and signalled without hitting others.

A process group is not enough: `setsid`, `nohup` in a script or a program that makes itself
a daemon leaves it. Linux is asked by /proc, every other system by psutil.
"""

from __future__ import annotations

import os
import signal
import sys

from trayapp.process_identity import start_of
from trayapp.value import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection


class Member(NamedTuple):
    """A living process of a command's tree; *start* tells it from a later one with its pid."""

    pid: int
    start: str


class _Entry(NamedTuple):
    pid: int
    parent: int
    group: int
    session: int
    start: str


def living_members(root: int, tag: tuple[str, ...], known: Collection[Member] = ()) -> list[Member]:
    """Living processes of the command *root*: its session, group and descendants, and who carries *tag*.

    *tag* are `NAME=value` entries, all of which a stray has in its environment; it serves
    for one whose parents have ended. *known* are members found earlier, whose parents may
    have ended since. *root* is 0 when it is gone and its pid may name another process by
    now. Zombies are dead, and this process is never in the list.
    """
    if sys.platform == "linux":
        entries = _entries_of_proc()
        is_tagged = _has_tag_in_proc
    else:
        entries = _entries_of_psutil()
        is_tagged = _has_tag_by_psutil
    wanted = [entry.encode("utf-8", "surrogateescape") for entry in tag]
    members: dict[int, _Entry] = {}
    for entry in entries:
        is_known = Member(entry.pid, entry.start) in known
        is_own = root != 0 and root in (entry.pid, entry.group, entry.session)
        if is_known or is_own or is_tagged(entry.pid, wanted):
            members[entry.pid] = entry
    grown = True
    while grown:
        children = [entry for entry in entries if entry.parent in members and entry.pid not in members]
        members.update((entry.pid, entry) for entry in children)
        grown = bool(children)
    members.pop(os.getpid(), None)
    return [Member(entry.pid, entry.start) for entry in members.values()]


def signal_members(members: list[Member], number: int) -> None:
    """Send a signal to each of *members* that still lives; who is gone or out of reach is passed over.

    Out of reach is a program of another user's (`sudo`), which only its owner can end.
    """
    for member in members:
        try:
            _signal_one(member, number)
        except (ProcessLookupError, PermissionError):
            continue


def _signal_one(member: Member, number: int) -> None:
    # A pidfd holds on to the process, so the pid cannot be another's between look and signal.
    if sys.platform != "linux":
        if start_of(member.pid) == member.start:
            os.kill(member.pid, number)
        return
    try:
        fd = os.pidfd_open(member.pid)
    except OSError as error:
        if isinstance(error, ProcessLookupError):
            raise
        if start_of(member.pid) == member.start:  # a kernel before 5.3, or a sandbox
            os.kill(member.pid, number)
        return
    try:
        if start_of(member.pid) == member.start:
            signal.pidfd_send_signal(fd, number)
    finally:
        os.close(fd)


def _entries_of_proc() -> list[_Entry]:
    entries = []
    for name in os.listdir("/proc"):
        if not name.isdigit():
            continue
        try:
            with open(f"/proc/{name}/stat", "rb") as file:
                stat = file.read()
        except OSError:
            continue  # it has ended since the folder was listed
        # The command name stands in parentheses and may hold spaces and parentheses (proc(5)).
        fields = stat[stat.rindex(b")") + 2 :].split()
        if fields[0] not in (b"Z", b"X"):
            parent, group, session = map(int, fields[1:4])
            entries.append(_Entry(int(name), parent, group, session, fields[19].decode("ascii")))
    return entries


def _has_tag_in_proc(pid: int, wanted: list[bytes]) -> bool:
    try:
        with open(f"/proc/{pid}/environ", "rb") as file:
            found = file.read().split(b"\0")
    except OSError:
        return False  # another user's
    return all(entry in found for entry in wanted)


def _entries_of_psutil() -> list[_Entry]:
    _see_installed_packages()
    import psutil  # noqa: PLC0415  # 30 ms, and Linux needs none of it

    entries = []
    for process in psutil.process_iter():
        start = start_of(process.pid)
        try:
            if start is not None:
                group, session = _group_and_session(process.pid)
                entries.append(_Entry(process.pid, process.ppid(), group, session, start))
        except (psutil.Error, OSError):
            continue  # it has ended, or is the system's own
    return entries


def _group_and_session(pid: int) -> tuple[int, int]:
    if sys.platform == "win32":
        return 0, 0
    return os.getpgid(pid), os.getsid(pid)


def _see_installed_packages() -> None:
    # A scheduled runner starts without them (`-I -S`), a third sooner.
    if "site" not in sys.modules:
        import site  # noqa: PLC0415  # as above

        site.main()


def _has_tag_by_psutil(pid: int, wanted: list[bytes]) -> bool:
    import psutil  # noqa: PLC0415  # as above

    try:
        environ = psutil.Process(pid).environ()
    except (psutil.Error, OSError):
        return False
    found = {f"{name}={value}".encode("utf-8", "surrogateescape") for name, value in environ.items()}
    return all(entry in found for entry in wanted)
