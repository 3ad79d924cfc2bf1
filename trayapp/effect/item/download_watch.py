"""The time limit of a download, and a person's wish to end, as the network cannot hold them up.

A server that drips a byte now and then keeps every time limit of a single read, and could
hold a worker for days. So a thread looks at the clock, and shuts the worker's connections:
whoever waits in one then goes on at once.
"""

from __future__ import annotations

import math
import socket
import sys
import threading
import time
import weakref

from urllib3 import HTTPConnectionPool, HTTPSConnectionPool
from urllib3.connection import HTTPConnection, HTTPSConnection
from urllib3.exceptions import ProtocolError

from trayapp.effect.interruption import Interrupted

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

_TICK_S = 0.2


class DownloadWatch:
    """Watches one worker's downloads, one at a time, from `begin` to `end`; `close` ends it."""

    def __init__(self) -> None:
        self._is_late = False
        self._is_stopped = False
        self._deadline = math.inf
        self._stop: Callable[[], bool] = lambda: False
        self._is_over = threading.Event()
        self._lock = threading.Lock()
        self._sockets: weakref.WeakSet[socket.socket] = weakref.WeakSet()
        threading.Thread(target=self._watch, daemon=True).start()

    def begin(self, seconds: float, stop: Callable[[], bool]) -> None:
        """Watch from now on: *seconds* are left, and *stop* tells whether to end."""
        with self._lock:
            self._is_late = self._is_stopped = False
            self._deadline, self._stop = time.monotonic() + seconds, stop

    def end(self) -> None:
        """Let the connections alone."""
        with self._lock:
            self._deadline = math.inf

    def left_s(self) -> float:
        """Seconds that are left, at least a moment."""
        return max(0.01, self._deadline - time.monotonic())

    def has_run_out(self) -> bool:
        """Tell whether the time is over.

        Raises: Interrupted, where that was wished.
        """
        if self._is_stopped:
            raise Interrupted
        return self._is_late or time.monotonic() > self._deadline - _TICK_S / 2

    def check(self) -> None:
        """Tell whoever was woken by this that what it has is not whole.

        Raises: Interrupted, ProtocolError.
        """
        if self._is_stopped:
            raise Interrupted
        if self._is_late:
            raise ProtocolError

    def note(self, connection: HTTPConnection) -> None:
        """Know one more connection; it is forgotten with its socket."""
        made = connection.sock
        if made is not None:
            with self._lock:
                self._sockets.add(made)

    def close(self) -> None:
        """End the thread."""
        self._is_over.set()

    def pools(self) -> dict[str, type[HTTPConnectionPool]]:
        """Pools whose connections are watched, by their schemes."""
        watch = self

        class Plain(HTTPConnection):
            def connect(self) -> None:
                super().connect()
                watch.note(self)

        class Safe(HTTPSConnection):
            def connect(self) -> None:
                super().connect()
                watch.note(self)

        class PlainPool(HTTPConnectionPool):
            ConnectionCls = Plain

        class SafePool(HTTPSConnectionPool):
            ConnectionCls = Safe

        return {"http": PlainPool, "https": SafePool}

    def _watch(self) -> None:
        while not self._is_over.wait(_TICK_S):
            with self._lock:
                if self._deadline == math.inf:
                    continue
                self._is_stopped = self._is_stopped or self._stop()
                self._is_late = self._is_late or time.monotonic() > self._deadline
                if self._is_stopped or self._is_late:
                    self._shut()

    def _shut(self) -> None:
        for made in tuple(self._sockets):
            try:
                # The plain one's, also for TLS: its own would change what the worker reads from.
                socket.socket.shutdown(made, socket.SHUT_RDWR)
                if sys.platform == "win32":
                    socket.close(made.detach())  # there the shutdown wakes nobody who waits for a silent server
            except OSError:
                continue  # closed already
