"""What stands below a job's state: what a run would do before it is pressed, then what it answered."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject

from trayapp import clock
from trayapp.gui.state.answer_words import Words, answer_words, preview_words
from trayapp.wording.mark import N_
from trayapp.wording.speech import _

if TYPE_CHECKING:
    from trayapp.gui.context import Context
    from trayapp.gui.panel.job_list import JobList
    from trayapp.gui.panel.job_row import JobRow
    from trayapp.gui.run_now import Answer

_STARTED = N_("Started")


class Notes(QObject):
    """Puts the notes below the rows of *jobs*."""

    def __init__(self, context: Context, jobs: JobList) -> None:
        super().__init__(jobs)
        self._context, self._jobs = context, jobs
        self._previews: dict[str, Answer] = {}
        self._shown = ""  # job whose preview is shown
        context.run_now.started.connect(self._on_started)
        context.run_now.answered.connect(self._on_answered)

    def heed(self, row: JobRow) -> None:
        """Show what a run of that row's job would do when the row is entered."""
        row.entered.connect(self._on_entered)

    def dismiss(self) -> bool:
        """Take all notes away; False when there were none."""
        noted = [row for row in self._jobs.rows.values() if row.has_note]
        for row in noted:
            self._context.run_now.dismiss(row.job.id)
            row.show_note(None)
        self._shown = ""
        return bool(noted)

    def write_again(self) -> None:
        """Write the notes in the language and colours of now."""
        for job_id in list(self._jobs.rows):
            self._write(job_id)

    def _on_entered(self, job_id: str) -> None:
        before, self._shown = self._shown, job_id
        if before and before != job_id:
            self._write(before)
        if self._context.run_now.answer(job_id) is None and not self._context.run_now.is_under_way(job_id):
            self._context.run_now.preview(job_id, lambda answer: self._on_preview(job_id, answer))

    def _on_preview(self, job_id: str, answer: Answer) -> None:
        self._previews[job_id] = answer
        self._write(job_id)

    def _on_started(self, job_id: str) -> None:
        self._previews.pop(job_id, None)
        self._write(job_id)

    def _on_answered(self, answer: Answer) -> None:
        self._write(answer.job)

    def _write(self, job_id: str) -> None:
        row = self._jobs.rows.get(job_id)
        if row is None:
            return
        now, answer = clock.now(), self._context.run_now.answer(job_id)
        preview = self._previews.get(job_id) if self._shown == job_id else None
        if answer is not None:
            row.show_note(answer_words(answer, now))
        elif self._context.run_now.is_under_way(job_id):
            row.show_note(Words("run", "state-running", _(_STARTED)))
        else:
            row.show_note(preview_words(preview, now) if preview is not None else None)
