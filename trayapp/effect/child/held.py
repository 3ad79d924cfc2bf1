"""A command between "it exists" and "it has ended", and the loop that waits for its end.

The two systems differ in how a process is started, watched and ended; when that happens
is decided here, once.
"""

from __future__ import annotations

import time

from trayapp.value import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Literal

    from trayapp.effect.child.output import KeptOutput
    from trayapp.process_identity import ProcessIdentity

    EndKind = Literal["exited", "signalled", "timed-out", "stopped"]

_TICK_S = 0.2  # a signal handler's wish is seen this late at most
_TIMEOUT_GRACE_S = 1.0  # between SIGTERM and SIGKILL; the whole tree is gone 2 s after the timeout
_STOP_GRACE_S = 10.0  # a person or a log-off asked: time to finish the mail at hand
_KILL_PATIENCE_S = 2.0  # a process that hangs in the kernel does not die of SIGKILL
_LATE_OUTPUT_S = 0.5  # for what the ended command's descendants still print


class CommandEnd(NamedTuple):
    """How a command ended: *code* is its exit status, or the signal's number where one ended it.

    `timed-out` and `stopped` say that the runner ended it; *code* then tells how it went.
    """

    kind: EndKind
    code: int


class Start(NamedTuple):
    """What is started, with all placeholders filled: *shell* is set for a shell's text.

    *searched* is the PATH that finds `argv[0]`, *tag* marks the command's descendants.
    """

    argv: tuple[str, ...]
    shell: str
    folder: str
    environment: dict[str, str]
    searched: str
    tag: tuple[str, ...]
    timeout_s: float


class HeldCommand:
    """A child that exists, has a session or process group of its own, and has not begun.

    The caller writes `identity` down, then opens the gate, then waits. When this process
    dies before the gate opens, the child leaves without having begun. When it dies after
    that, the command goes on, but nobody reads what it prints: on POSIX a command that
    prints is then ended by SIGPIPE.
    """

    def __init__(self, identity: ProcessIdentity, output: KeptOutput, timeout_s: float) -> None:
        self.identity = identity
        self._output = output
        self._timeout_s = timeout_s
        self._deadline = float("inf")
        self._is_output_open = True

    def open_gate(self) -> None:
        """Let the command begin; its time starts to count.

        Raises: EffectError when the system refuses to start it. Then nothing began, the
        child is gone, and the caller clears its mark.
        """
        self._begin()
        self._deadline = time.monotonic() + self._timeout_s

    def abandon(self) -> None:
        """End the child without having begun. Does nothing after the gate was opened."""
        raise NotImplementedError

    def wait(self, stop: Callable[[], bool]) -> CommandEnd:
        """Wait until the command ends, its time is over, or *stop* says true.

        In the last two cases it is asked to end (SIGTERM to its group and to descendants
        that left it), then made to, with every descendant. What its descendants leave
        running after an ordinary end is left alone, and not waited for though they may hold
        its output open. *stop* is asked about five times a second.
        """
        kind = self._watch(stop)
        if kind is not None:
            self._end_tree(_STOP_GRACE_S if kind == "stopped" else _TIMEOUT_GRACE_S)
        self._drain()
        end = self._collect_end()
        self._output.close()
        return end if kind is None else CommandEnd(kind, end.code)

    def output_tail(self, n: int) -> str:
        """Return the last *n* characters of the command's output, at most 4,000."""
        return self._output.tail(n)

    def _watch(self, stop: Callable[[], bool]) -> EndKind | None:
        while not self._has_ended():
            if stop():
                return "stopped"
            left_s = self._deadline - time.monotonic()
            if left_s <= 0:
                return "timed-out"
            self._pump(min(left_s, _TICK_S))
        return None

    def _end_tree(self, grace_s: float) -> None:
        # Output is read on meanwhile: a command that hangs in a full pipe could not leave.
        self._ask_tree_to_end()
        asked_at = time.monotonic()
        while self._has_living_tree():
            if time.monotonic() - asked_at >= grace_s:
                break
            self._pump(_TICK_S / 4)
        killed_at = time.monotonic()
        # Again and again: one that forks while it is being looked for has a new pid.
        while self._has_living_tree() and time.monotonic() - killed_at < _KILL_PATIENCE_S:
            self._kill_tree()
            self._pump(_TICK_S / 10)

    def _drain(self) -> None:
        until = time.monotonic() + _LATE_OUTPUT_S
        while self._is_output_open and (left_s := until - time.monotonic()) > 0:
            self._pump(left_s)

    # What a system provides.

    def _begin(self) -> None:
        """Open the gate and return when the command runs, or raise EffectError."""
        raise NotImplementedError

    def _has_ended(self) -> bool:
        """Tell whether the command itself has ended, without forgetting it."""
        raise NotImplementedError

    def _pump(self, timeout_s: float) -> None:
        """Store what was printed; else wait for it, or for the command's end, up to *timeout_s*.

        Sets `_is_output_open` to false when nobody holds the output open any more.
        """
        raise NotImplementedError

    def _ask_tree_to_end(self) -> None:
        """Tell the command and its descendants to end, as politely as the system can."""
        raise NotImplementedError

    def _kill_tree(self) -> None:
        """End what is left of them; who has gone already is no error."""
        raise NotImplementedError

    def _has_living_tree(self) -> bool:
        """Tell whether the command or a descendant lives."""
        raise NotImplementedError

    def _collect_end(self) -> CommandEnd:
        """Release the process and what reads from it, and return how it ended."""
        raise NotImplementedError
