"""Makes the sample job and starts it, beside the GUI thread."""

from __future__ import annotations

import sqlite3
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

from trayapp.gui.jobs.sample_job import make_sample
from trayapp.gui.state.reader import Reader
from trayapp.job.model import propose_id
from trayapp.job.shelf import job_ids
from trayapp.wording.speech import _

if TYPE_CHECKING:
    from trayapp.gui.commands import Done
    from trayapp.gui.context import Context


class SampleMaker(QObject):
    """`made` with the sample job's id once it is there and started, or `refused` with the reason."""

    made = Signal(str)
    refused = Signal(str)

    def __init__(self, context: Context, parent: QObject) -> None:
        super().__init__(parent)
        self._context = context
        self._reader = Reader("sample", lambda _names: self._make(), self)
        self._reader.was_read.connect(self._on_made)
        self._reader.start()
        parent.destroyed.connect(self._reader.stop)

    def make(self) -> None:
        """Begin; one of the signals tells the end."""
        self._reader.ask()

    def stop(self) -> None:
        """Make no more."""
        self._reader.stop()

    def _make(self) -> object:
        try:
            return make_sample(self._context.places)
        except (OSError, sqlite3.Error) as error:
            return error

    def _on_made(self, path: object) -> None:
        if not isinstance(path, str):
            self.refused.emit(str(path))
            return
        job_id = propose_id(_("Sample sales summary"), job_ids(self._context.places))
        self._context.commands.ask(["job", "add", path, "--id", job_id], lambda done: self._on_added(job_id, done))

    def _on_added(self, job_id: str, done: Done) -> None:
        if not done.is_good:
            self.refused.emit(done.complaint or done.output.strip())
            return
        self._context.store.read_again()
        self._context.run_now.press(job_id)
        self.made.emit(job_id)
