"""A thread that reads: asked by name, answered by a signal, asleep in between.

The same question asked again while it waits is read once. A file system that hangs
therefore stops one reader and no drawing.
"""

from __future__ import annotations

import queue
import threading
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from PySide6.QtCore import SignalInstance


class _Life:
    """Whether answers are still wanted. An answer that is being told holds up the end of who would hear it."""

    def __init__(self) -> None:
        self._guard = threading.Lock()
        self._is_over = False

    def end(self) -> None:
        """Let no answer be told any more."""
        with self._guard:
            self._is_over = True

    def tell(self, signal: SignalInstance, found: object) -> bool:
        """Emit *signal*; False when it is over."""
        with self._guard:
            if not self._is_over:
                try:
                    signal.emit(found)
                except RuntimeError:
                    self._is_over = True  # the application has ended
            return not self._is_over


class Reader(QObject):
    """One thread for one kind of source; *read* is called there, its value is `was_read` here."""

    was_read = Signal(object)

    def __init__(self, name: str, read: Callable[[frozenset[str]], object], parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._read = read
        self._wishes: queue.SimpleQueue[frozenset[str] | None] = queue.SimpleQueue()
        self._thread = threading.Thread(target=self._work, name=name, daemon=True)
        self._life = _Life()
        self.destroyed.connect(self._life.end)

    def start(self) -> None:
        """Begin to read what is asked for."""
        self._thread.start()

    def ask(self, names: Iterable[str] = ("",)) -> None:
        """Have *names* read soon; what they are is up to *read*."""
        self._wishes.put(frozenset(names))

    def stop(self) -> None:
        """Read no more. Does not wait: a reader that hangs must not keep the application from ending."""
        self._life.end()
        self._wishes.put(None)

    def _work(self) -> None:
        while True:
            wished = self._wishes.get()
            while not self._wishes.empty():
                more = self._wishes.get()
                if wished is None or more is None:
                    return
                wished |= more
            if wished is None:
                return
            found = self._read(wished)
            if not self._life.tell(self.was_read, found):
                return
