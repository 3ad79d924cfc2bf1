"""SIGINT, SIGTERM and SIGHUP in a Qt application, without a timer that wakes it to look for them."""

from __future__ import annotations

import contextlib
import signal
import socket
import sys
from typing import TYPE_CHECKING

from PySide6.QtCore import QSocketNotifier

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator


@contextlib.contextmanager
def heed_signals(stop: Callable[[], object]) -> Iterator[None]:
    """Call *stop* in the GUI thread when the system asks this process to end.

    Python hears of a signal between two of its own steps, and Qt's loop takes none while it
    sleeps: the interpreter writes a byte into a socket that Qt watches.
    """
    reading, writing = socket.socketpair()
    reading.setblocking(False)
    writing.setblocking(False)
    notifier = QSocketNotifier(reading.fileno(), QSocketNotifier.Type.Read)
    notifier.activated.connect(lambda *_: (reading.recv(64), stop()))
    old_descriptor = signal.set_wakeup_fd(writing.fileno(), warn_on_full_buffer=False)
    numbers = [signal.SIGINT, signal.SIGTERM]
    if sys.platform != "win32":
        numbers.append(signal.SIGHUP)
    old = {number: signal.signal(number, lambda *_: None) for number in numbers}
    try:
        yield
    finally:
        for number, handler in old.items():
            signal.signal(number, handler)
        signal.set_wakeup_fd(old_descriptor)
        notifier.setEnabled(False)
        reading.close()
        writing.close()
