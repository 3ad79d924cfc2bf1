"""How an effect is told to end early: a signal from outside, or its own time limit.

SQL is asked through SQLite's progress handler, Python code by an exception that
`except Exception` does not catch; both are asked again before the commit, so code that
swallows the exception commits nothing all the same.
"""

from __future__ import annotations

import os
import sys
import time

TYPE_CHECKING = False
if TYPE_CHECKING:
    import sqlite3
    import threading
    from collections.abc import Callable
    from typing import Any, Self

    from trayapp.ledger.sqlite_file import OwnConnection

_STEPS_BETWEEN_QUESTIONS = 10_000  # of SQLite's virtual machine: some tens of microseconds
_GRACE_S = 3.0  # between the request to end and leaving hard
_ALARM_HEARD_S = 0.3 if sys.platform != "win32" else 0.0  # after which the main thread is woken by name


class Interrupted(BaseException):  # not an error: the wish to end
    """Raised inside Python code that shall end now."""


class Interruption:
    """One run's wish to end early: `signal_number` is set by a signal, `timed_out` by a time limit."""

    def __init__(self) -> None:
        self.signal_number = 0
        self.timed_out = False
        self.raises = False  # whether Python code may be interrupted by an exception just now
        self._deadline: float | None = None

    def asked(self) -> bool:
        """Tell whether the effect shall end now."""
        if self._deadline is not None and time.monotonic() >= self._deadline:
            self.timed_out = True
        return self.timed_out or self.signal_number != 0

    def on_signal(self, number: int, _frame: object) -> None:
        """Handle a signal: note it, and interrupt Python code where that is allowed."""
        if not self.timed_out:  # the time limit wakes the main thread by a signal of its own
            self.signal_number = self.signal_number or number
        if self.raises:
            raise Interrupted

    def install(self) -> None:
        """Take over the signals that mean "end": TERM, Ctrl-C, hang-up or Ctrl-Break.

        A hang-up that is ignored, as by `nohup`, stays so; the time limit needs SIGINT itself.
        """
        import signal  # noqa: PLC0415  # 2 ms that only a run with work pays

        names = ("SIGTERM", "SIGINT", "SIGBREAK" if sys.platform == "win32" else "SIGHUP")
        for number in (getattr(signal, name) for name in names):
            if number == signal.SIGINT or signal.getsignal(number) is not signal.SIG_IGN:
                signal.signal(number, self.on_signal)

    def limit_statements(self, connection: sqlite3.Connection, seconds: float) -> None:
        """Let each statement on *connection* end when asked, at the latest after *seconds* from now."""
        self._deadline = time.monotonic() + seconds
        connection.set_progress_handler(self.asked, _STEPS_BETWEEN_QUESTIONS)

    def lift(self, connection: sqlite3.Connection) -> None:
        """Take the limit away again: our own statements are never cut short."""
        self._deadline = None
        connection.set_progress_handler(None, 0)


class CallLimit:
    """Ends Python code of the user's that runs longer than *seconds*: asks first, then leaves hard.

    *leave* is called from another thread when the code did not end within three seconds
    of being asked; it records what it can and ends the process, which frees the lock.
    Code that holds the interpreter itself is ended by `faulthandler`, which needs none;
    then nobody can record anything.
    """

    def __init__(
        self, interruption: Interruption, connection: OwnConnection, seconds: float, leave: Callable[[], None]
    ) -> None:
        self.connection = connection
        self._interruption = interruption
        self._seconds = seconds
        self._leave = leave
        self._ended: threading.Event | None = None
        self._thread: threading.Thread | None = None
        self._alarm = _Alarm(interruption)
        self._nowhere = -1
        self._nowhere_identity = (0, 0)

    def __enter__(self) -> Self:
        import faulthandler  # noqa: PLC0415
        import threading  # noqa: PLC0415

        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._watch, name="time limit", daemon=True)
        self._interruption.raises = True
        # A signal is noted between two steps of Python code: a long statement has to make some.
        self.connection.set_progress_handler(self._interruption.asked, _STEPS_BETWEEN_QUESTIONS)
        # faulthandler insists on a file; under pythonw there is no stderr to write to.
        self._nowhere = os.open(os.devnull, os.O_WRONLY)
        opened = os.fstat(self._nowhere)
        self._nowhere_identity = opened.st_dev, opened.st_ino
        faulthandler.dump_traceback_later(self._seconds + 3 * _GRACE_S, exit=True, file=self._nowhere)
        self._alarm.set(self._seconds)
        self._thread.start()
        return self

    def __exit__(self, *_exc: object) -> None:
        import faulthandler  # noqa: PLC0415

        assert self._ended is not None
        assert self._thread is not None
        self._interruption.raises = False
        self._alarm.lift()
        self._ended.set()
        self._thread.join()
        self.connection.set_progress_handler(None, 0)
        faulthandler.cancel_dump_traceback_later()
        try:
            found = os.fstat(self._nowhere)
            if (found.st_dev, found.st_ino) == self._nowhere_identity:  # else the number is a file of the user's now
                os.close(self._nowhere)
        except OSError:
            return  # the user's code has closed it

    def _watch(self) -> None:
        assert self._ended is not None
        deadline = time.monotonic() + self._seconds
        # A signal noted while the code hangs in C is followed by the same hard end.
        while not self._interruption.signal_number and time.monotonic() < deadline:
            if self._ended.wait(min(0.2, max(0.0, deadline - time.monotonic()))):
                return
        if not self._interruption.signal_number:
            self._interruption.timed_out = True
        self.connection.interrupt()
        if self._ended.wait(_ALARM_HEARD_S):
            return
        _wake_main_thread()
        if not self._ended.wait(_GRACE_S):
            self._leave()


class _Alarm:
    """The kernel's timer, heard also by code in C that keeps the interpreter to itself (a search by `re`).

    A signal is handled between two steps of Python code, and by C code that asks for
    signals: no other thread need get a turn. Windows has none, nor has any thread but the
    first.
    """

    def __init__(self, interruption: Interruption) -> None:
        self._interruption = interruption
        self._before: tuple[Any, tuple[float, float]] | None = None

    def set(self, seconds: float) -> None:
        """Let it ring in *seconds*, which are measured by a clock that nobody sets."""
        import signal  # noqa: PLC0415
        import threading  # noqa: PLC0415

        if sys.platform == "win32" or threading.current_thread() is not threading.main_thread():
            return
        handler = signal.signal(signal.SIGALRM, self._ring)
        self._before = handler, signal.setitimer(signal.ITIMER_REAL, seconds)

    def lift(self) -> None:
        """Silence it; whose alarm was set before gets it back."""
        import signal  # noqa: PLC0415

        if sys.platform == "win32" or self._before is None:
            return
        handler, timer = self._before
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, handler)
        signal.setitimer(signal.ITIMER_REAL, *timer)

    def _ring(self, number: int, frame: object) -> None:
        self._interruption.timed_out = self._interruption.timed_out or not self._interruption.signal_number
        self._interruption.on_signal(number, frame)


def _wake_main_thread() -> None:
    import signal  # noqa: PLC0415
    import threading  # noqa: PLC0415

    main = threading.main_thread().ident
    if sys.platform == "win32":
        # Raised as Ctrl-C is, which ends a sleep; _thread.interrupt_main only leaves a note (measured).
        signal.raise_signal(signal.SIGINT)
    elif main is not None:
        signal.pthread_kill(main, signal.SIGINT)  # ends a sleep or a read with EINTR
