"""What a press on a row's Run now would do, said while the pointer rests on it: the runner's own dry run."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QObject, QPoint
from PySide6.QtGui import QHelpEvent
from PySide6.QtWidgets import QToolTip

from trayapp import clock
from trayapp.gui.jobs.table.model import RUN
from trayapp.gui.state.answer_words import preview_words
from trayapp.wording.speech import _

if TYPE_CHECKING:
    from trayapp.gui.context import Context
    from trayapp.gui.jobs.table.model import JobsModel
    from trayapp.gui.jobs.table.view import JobsTable
    from trayapp.gui.run_now import Answer


class RunHint(QObject):
    """Hears where the pointer rests on *table*; one process an answer, and none for rows that it passes."""

    def __init__(self, context: Context, table: JobsTable, jobs: JobsModel) -> None:
        super().__init__(table)
        self._context, self._table, self._jobs = context, table, jobs
        self._asked = ""
        table.viewport().installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if isinstance(event, QHelpEvent) and event.type() == QEvent.Type.ToolTip:
            index = self._table.indexAt(event.pos())
            job = self._jobs.job(index.row()) if index.isValid() and index.column() == RUN else None
            if job is not None:
                self._ask(job.id, event.globalPos())
                return True
        if event.type() in (QEvent.Type.Leave, QEvent.Type.MouseButtonPress):
            self._asked = ""
        return super().eventFilter(watched, event)

    def _ask(self, job_id: str, place: QPoint) -> None:
        self._asked = job_id
        QToolTip.showText(place, _("Looking what a press would do…"), self._table.viewport())
        self._context.run_now.preview(job_id, lambda answer: self._tell(answer, place))

    def _tell(self, answer: Answer, place: QPoint) -> None:
        if answer.job == self._asked and QToolTip.isVisible():  # the pointer may have gone on meanwhile
            QToolTip.showText(place, preview_words(answer, clock.now()).line, self._table.viewport())
