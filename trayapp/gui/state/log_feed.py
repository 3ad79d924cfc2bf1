"""The newest log lines of all jobs, live, however the files are rotated or replaced meanwhile."""

from __future__ import annotations

import os
from collections import deque
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

from trayapp.gui.state.reader import Reader
from trayapp.log.follow import Follower
from trayapp.log.job_log import LogLine, parse_line
from trayapp.value import NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable

    from trayapp.gui.state.watcher import Watcher
    from trayapp.places import Places

KEPT = 500  # lines; what is older is in history
_FIRST = 40  # of each log at the start


class LogEntry(NamedTuple):
    """A line of a job's log: taken apart, and as it stands in the file."""

    job: str
    line: LogLine
    raw: str


class LogFeed(QObject):
    """Keeps the newest entries, oldest first; `grew` with those that are new."""

    grew = Signal(object)  # list of LogEntry

    def __init__(self, places: Places, watcher: Watcher, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._folder = os.path.dirname(places.log_file("x"))
        self._followers: dict[str, Follower] = {}
        self.entries: deque[LogEntry] = deque(maxlen=KEPT)
        self._reader = Reader("logs", self._read, self)
        self._reader.was_read.connect(self._on_read)
        watcher.logs_changed.connect(lambda _paths: self._reader.ask())

    def start(self) -> None:
        """Read the ends of all logs, and go on with what is added."""
        self._reader.start()
        self._reader.ask()

    def stop(self) -> None:
        """Read no more."""
        self._reader.stop()

    def _read(self, _names: Iterable[str]) -> list[LogEntry]:
        """In the reader's thread: lines that are new, by time."""
        found: list[LogEntry] = []
        for name in self._logs():
            job = name.removesuffix(".log")
            try:
                if name in self._followers:
                    lines = self._followers[name].poll()
                else:
                    follower = self._followers[name] = Follower(os.path.join(self._folder, name))
                    lines = follower.tail(_FIRST)
            except OSError:
                continue  # not ours to read; doctor tells it
            parsed = ((parse_line(line), line) for line in lines)
            found += [LogEntry(job, line, raw) for line, raw in parsed if line is not None]
        return sorted(found, key=lambda entry: entry.line.at)

    def _logs(self) -> list[str]:
        try:
            return sorted(name for name in os.listdir(self._folder) if name.endswith(".log") and name[0] != "_")
        except OSError:
            return []

    def _on_read(self, found: list[LogEntry]) -> None:
        if found:
            self.entries.extend(found)
            self.grew.emit(found)
