"""A command held on Linux and macOS: a forked child that waits on a pipe before `execve`."""

from __future__ import annotations

import contextlib
import errno
import os
import select
import signal
import sys

from trayapp.effect.child.held import CommandEnd, HeldCommand
from trayapp.effect.child.tree import living_members, signal_members
from trayapp.errors import EffectError, SetupError
from trayapp.process_identity import ProcessIdentity, boot_id, start_of
from trayapp.value import NamedTuple

assert sys.platform != "win32"  # for mypy, which then checks this file for its systems alone

import fcntl  # noqa: E402  # known here to exist

from trayapp.effect.child.forked import GO, fork, prepare, refusal  # noqa: E402  # likewise

TYPE_CHECKING = False
if TYPE_CHECKING:
    from trayapp.effect.child.held import Start
    from trayapp.effect.child.output import KeptOutput
    from trayapp.effect.child.tree import Member

_READ_BYTES = 1 << 16
_WITHOUT_PIDFD_S = 0.05  # how often the child's end is asked for where the kernel cannot tell it


class _Pipes(NamedTuple):
    """The runner's ends."""

    gate: int
    status: int
    output: int


def hold_on_posix(start: Start, output: KeptOutput) -> HeldCommand:
    """Fork the child that becomes the command when its gate is opened.

    Raises: SetupError `command-process-refused` when there is no room for a process or a
    pipe. Nothing is left behind then.
    """
    if signal.getsignal(signal.SIGCHLD) is signal.SIG_IGN:
        # As some parents leave it, the kernel would throw the exit status away.
        with contextlib.suppress(ValueError):  # only the main thread may; the end is unknown then
            signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    with contextlib.ExitStack() as opened:
        try:
            gate, gate_of_child = reversed(_pipe(opened))
            status, status_of_child = _pipe(opened)
            printed, output_of_child = _pipe(opened)
            null = _above_std(os.open(os.devnull, os.O_RDWR), opened)
            pid = fork(prepare(start, gate_of_child, status_of_child, output_of_child, null))
        except OSError as error:
            raise SetupError("command-process-refused", reason=os.strerror(error.errno or 0)) from error
        opened.pop_all()
    for fd in (gate_of_child, status_of_child, output_of_child, null):
        os.close(fd)
    return _HeldOnPosix(pid, start, _Pipes(gate, status, printed), output)


class _HeldOnPosix(HeldCommand):
    """A forked child in a session of its own.

    It stays a zombie until it is collected, so that its pid, which names its group and
    session too, cannot become another process's while it is being signalled.
    """

    def __init__(self, pid: int, start: Start, pipes: _Pipes, output: KeptOutput) -> None:
        super().__init__(ProcessIdentity(boot_id(), pid, start_of(pid) or ""), output, start.timeout_s)
        self._pid = pid
        self._start = start
        self._end: CommandEnd | None = None
        self._seen: set[Member] = set()
        self._gate, self._status, self._printed = pipes
        self._death = _pidfd(pid)
        os.set_blocking(self._printed, False)

    def abandon(self) -> None:
        if self._gate >= 0:
            # The closed gate would do, but a child that somebody has stopped would not see it.
            os.kill(self._pid, signal.SIGKILL)
            self._release()

    def _begin(self) -> None:
        assert self._gate >= 0, "the gate opens once"  # a caller's bug
        try:
            os.write(self._gate, GO)
        except OSError as error:  # the child is gone, or the system refuses: it has not begun
            self.abandon()
            reason = os.strerror(errno.ESRCH if isinstance(error, BrokenPipeError) else error.errno or 0)
            raise EffectError("command-not-started", command=self._start.argv[0], reason=reason) from None
        self._gate = _close(self._gate)
        # Empty when `execve` succeeds and closes the child's end.
        report = b""
        while part := os.read(self._status, _READ_BYTES):
            report += part
        self._status = _close(self._status)
        if report:
            self._release()
            raise refusal(self._start, report)

    def _release(self) -> None:
        while self._end is None:
            self._reap(0)
        self._gate, self._status = _close(self._gate), _close(self._status)
        self._printed, self._death = _close(self._printed), _close(self._death)
        self._output.close()

    def _has_ended(self) -> bool:
        if self._end is not None:
            return True
        if not hasattr(os, "waitid"):  # macOS before Python 3.13
            self._reap(os.WNOHANG)
            return self._end is not None
        try:
            return os.waitid(os.P_PID, self._pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is not None
        except ChildProcessError:
            self._reap(os.WNOHANG)
            return True

    def _pump(self, timeout_s: float) -> None:
        has_ended = self._has_ended()
        poll = select.poll()
        if self._is_output_open:
            poll.register(self._printed, select.POLLIN)
        if not has_ended and self._death >= 0:
            poll.register(self._death, select.POLLIN)
        elif not has_ended:
            timeout_s = min(timeout_s, _WITHOUT_PIDFD_S)
        if self._printed in [fd for fd, _ in poll.poll(timeout_s * 1000)]:
            data = os.read(self._printed, _READ_BYTES)
            self._output.feed(data)
            self._is_output_open = bool(data)

    def _ask_tree_to_end(self) -> None:
        # A stopped process acts on SIGTERM only when it goes on.
        self._signal_tree(signal.SIGTERM, signal.SIGCONT)

    def _kill_tree(self) -> None:
        self._signal_tree(signal.SIGKILL)

    def _signal_tree(self, *numbers: signal.Signals) -> None:
        strays = [member for member in self._members() if not self._is_in_group(member)]
        for number in numbers:
            if self._end is None:
                # In one step, so that nobody forks away meanwhile. A group of zombies is no
                # group to macOS (EPERM).
                with contextlib.suppress(ProcessLookupError, PermissionError):
                    os.killpg(self._pid, number)
            signal_members(strays, number)

    def _is_in_group(self, member: Member) -> bool:
        try:
            return self._end is None and os.getpgid(member.pid) == self._pid
        except OSError:
            return False

    def _has_living_tree(self) -> bool:
        return not self._has_ended() or bool(self._members())

    def _members(self) -> list[Member]:
        members = living_members(self._pid if self._end is None else 0, self._start.tag, self._seen)
        self._seen.update(members)
        return members

    def _collect_end(self) -> CommandEnd:
        if self._end is None:
            self._reap(os.WNOHANG)
        self._printed, self._death = _close(self._printed), _close(self._death)
        # None: it hangs in the kernel and outlives SIGKILL; init collects it some day.
        return self._end or CommandEnd("signalled", signal.SIGKILL)

    def _reap(self, options: int) -> None:
        try:
            pid, status = os.waitpid(self._pid, options)
        except ChildProcessError:
            # Somebody else collected it: how it ended cannot be known, least of all as 0.
            self._end = CommandEnd("signalled", 0)
            return
        if pid:
            code = os.waitstatus_to_exitcode(status)
            self._end = CommandEnd("exited", code) if code >= 0 else CommandEnd("signalled", -code)


def _pipe(opened: contextlib.ExitStack) -> tuple[int, int]:
    read, write = os.pipe()
    return _above_std(read, opened), _above_std(write, opened)


def _above_std(fd: int, opened: contextlib.ExitStack) -> int:
    # Under a parent that closed 0, 1 or 2 a pipe would get that number, and `dup2` end it.
    try:
        moved = fcntl.fcntl(fd, fcntl.F_DUPFD_CLOEXEC, 3)
    finally:
        os.close(fd)
    opened.callback(os.close, moved)
    return moved


def _pidfd(pid: int) -> int:
    if sys.platform != "linux":
        return -1
    try:
        return os.pidfd_open(pid)
    except OSError:  # a kernel before 5.3, or a sandbox
        return -1


def _close(fd: int) -> int:
    if fd >= 0:
        os.close(fd)
    return -1
