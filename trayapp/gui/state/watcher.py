"""Knowing when to read again, without asking: the system tells which file changed.

Folders are watched for files that come, go or are replaced, and single files for what is
written into them, since no system tells both by one watch. A replaced file loses its
watch, so each notice looks whether all that is there is watched.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from PySide6.QtCore import QFileSystemWatcher, QObject, QTimer, Signal

if TYPE_CHECKING:
    from trayapp.places import Places

_GATHER_MS = 30  # many writes in a row are one change


class Watcher(QObject):
    """Watches jobs, locks, pauses, history and logs; each signal says what to read again."""

    jobs_changed = Signal()
    locks_changed = Signal()
    items_changed = Signal()  # of some job with items: workers, failures
    history_changed = Signal()
    logs_changed = Signal(object)  # frozenset of the paths that grew

    def __init__(self, places: Places, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._jobs = os.path.realpath(places.jobs_dir)
        self._locks = os.path.dirname(os.path.realpath(places.lock_file("x")))
        self._pauses = os.path.dirname(os.path.realpath(places.pause_file("x")))
        self._items = os.path.dirname(os.path.realpath(places.items_dir("x")))
        self._logs = os.path.dirname(os.path.realpath(places.log_file("x")))
        self._history = os.path.realpath(places.history_db)
        self._history_state: object = None
        self._changed: set[str] = set()
        self._paths = QFileSystemWatcher(self)
        self._paths.fileChanged.connect(self._on_change)
        self._paths.directoryChanged.connect(self._on_change)
        self._gathering = QTimer(self)
        self._gathering.setSingleShot(True)
        self._gathering.setInterval(_GATHER_MS)
        self._gathering.timeout.connect(self._tell)

    def start(self) -> None:
        """Watch from now on; again, to take up what was away."""
        self._watch_all()

    def _on_change(self, path: str) -> None:
        self._changed.add(path)
        if not self._gathering.isActive():
            self._gathering.start()

    def _tell(self) -> None:
        changed, self._changed = self._changed, set()
        known = {*self._paths.files(), *self._paths.directories()}
        self._watch_all()
        # What is new may have been written before we watched it; a folder that was away may have come back.
        changed |= {*self._paths.files(), *self._paths.directories()} - known
        folders = {os.path.dirname(path) for path in changed} | changed
        if self._jobs in folders or (os.path.dirname(self._jobs) in changed and not os.path.isdir(self._jobs)):
            self.jobs_changed.emit()
        if folders & {self._locks, self._pauses}:
            self.locks_changed.emit()
        if self._items in folders:
            self.items_changed.emit()
        if any(path.startswith(self._history) for path in changed) and self._has_history_changed():
            self.history_changed.emit()
        logs = {path for path in changed if os.path.dirname(path) == self._logs}
        if logs or self._logs in changed:
            self.logs_changed.emit(frozenset(logs))

    def _has_history_changed(self) -> bool:
        """Tell whether somebody wrote: reading alone makes an empty `-wal` and takes it away, and must not wake us."""
        before, self._history_state = self._history_state, (_state_of(self._history), _state_of(self._history + "-wal"))
        return before != self._history_state

    def _watch_all(self) -> None:
        parents = [os.path.dirname(self._jobs), os.path.dirname(self._history)]
        lists = [self._items, *self._files_in(self._items, "")]
        folders = [*parents, self._jobs, self._locks, self._pauses, self._logs, *lists]
        files = [
            *self._files_in(self._jobs, ".toml"),
            *self._files_in(self._locks, ".lock"),
            *self._files_in(self._logs, ".log"),
            *(path for path in (self._history, self._history + "-wal") if os.path.exists(path)),
        ]
        watched = {*self._paths.files(), *self._paths.directories()}
        missing = [path for path in (*folders, *files) if path not in watched and os.path.exists(path)]
        if missing:
            self._paths.addPaths(missing)

    def _files_in(self, folder: str, suffix: str) -> list[str]:
        try:
            names = os.listdir(folder)
        except OSError:
            return []
        return [os.path.join(folder, name) for name in names if name.endswith(suffix)]


def _state_of(path: str) -> tuple[int, int] | None:
    """Size and time of a file's last change; None for one that is empty or not there."""
    try:
        state = os.stat(path)
    except OSError:
        return None
    return (state.st_size, state.st_mtime_ns) if state.st_size else None
