"""Questions to history, answered in a thread: the GUI thread never waits for a database.

Of one kind only the newest question counts: one that still waits is not read at all, and
an answer that comes too late is dropped.
"""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Any, TypeVar

from PySide6.QtCore import QObject, Signal

from trayapp.errors import BirkezError
from trayapp.gui.state.reader import Reader
from trayapp.history.query import open_for_reading
from trayapp.value import NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable

    from trayapp.history.query import HistoryReader
    from trayapp.places import Places

    Answer = TypeVar("Answer")


class _Asked(NamedTuple):
    kind: str
    number: int
    question: Any  # (HistoryReader) -> its answer
    then: Any  # (answer) -> None, in the GUI thread


class Desk(QObject):
    """Takes questions; `failed` says why history could not be read, `answered` that it could."""

    failed = Signal(object)  # BirkezError
    answered = Signal()
    _told = Signal(object, object, object)

    def __init__(self, places: Places, name: str, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._path = places.history_db
        self._guard = threading.Lock()
        self._waiting: dict[str, _Asked] = {}
        self._newest: dict[str, int] = {}
        self._count = 0
        self._reader = Reader(name, lambda _names: self._work(), self)
        self._told.connect(self._on_told)
        self._is_started = False
        self.destroyed.connect(self._reader.stop)

    def ask(self, kind: str, question: Callable[[HistoryReader], Answer], then: Callable[[Answer], None]) -> None:
        """Have *question* called in the thread, and *then* here with what it gave."""
        self._count += 1
        with self._guard:
            self._waiting.pop(kind, None)  # so that it stands last again
            self._waiting[kind] = _Asked(kind, self._count, question, then)
        self._newest[kind] = self._count
        if not self._is_started:
            self._is_started = True
            self._reader.start()
        self._reader.ask()

    def forget(self, kind: str) -> None:
        """Want no answer to questions of that kind any more."""
        with self._guard:
            self._waiting.pop(kind, None)
        self._newest.pop(kind, None)

    def stop(self) -> None:
        """Answer no more."""
        self._newest.clear()
        self._reader.stop()

    def _next(self) -> _Asked | None:
        with self._guard:
            kind = next(iter(self._waiting), None)
            return None if kind is None else self._waiting.pop(kind)

    def _work(self) -> None:
        """In the thread: answer what waits, with one look into the file for all of it."""
        asked = self._next()
        if asked is None:
            return
        try:
            # Opened anew each time: a damaged history is set aside, which Windows refuses while we hold it.
            reader = open_for_reading(self._path)
        except BirkezError as error:
            self._tell(asked, None, error)
            return
        try:
            while asked is not None:
                answer, trouble = None, None
                try:
                    answer = asked.question(reader)
                except BirkezError as error:
                    trouble = error
                self._tell(asked, answer, trouble)
                asked = self._next()
        finally:
            reader.close()

    def _tell(self, asked: _Asked, answer: object, trouble: BirkezError | None) -> None:
        try:
            self._told.emit(asked, answer, trouble)
        except RuntimeError:
            return  # the view has gone meanwhile

    def _on_told(self, asked: _Asked, answer: object, trouble: BirkezError | None) -> None:
        if self._newest.get(asked.kind) != asked.number:
            return
        if trouble is not None:
            self.failed.emit(trouble)
            return
        self.answered.emit()
        asked.then(answer)
