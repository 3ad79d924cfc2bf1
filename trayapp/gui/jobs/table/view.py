"""The table of all jobs, worked by mouse and by keys."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QItemSelectionModel, Qt, Signal
from PySide6.QtGui import QContextMenuEvent
from PySide6.QtWidgets import QAbstractItemView, QFrame, QHeaderView, QTableView

from trayapp.gui.jobs.table.delegate import JobDelegate
from trayapp.gui.jobs.table.hint import RunHint
from trayapp.gui.jobs.table.model import JOB, NEXT, RUN, WAITING, JobsModel
from trayapp.wording.mark import N_

if TYPE_CHECKING:
    from PySide6.QtCore import QModelIndex
    from PySide6.QtGui import QKeyEvent, QMouseEvent, QResizeEvent

    from trayapp.gui.context import Context

_LEAST_JOB_LETTERS = 24


class JobsTable(QTableView):
    """Shows a `JobsModel`; tells which job is chosen, opened, or shall run."""

    chosen = Signal(str)
    opened = Signal(str)
    run_pressed = Signal(str)
    menu_asked = Signal(str, object)

    def __init__(self, context: Context, model: JobsModel) -> None:
        super().__init__()
        self._jobs = model
        self._chosen = ""
        self.setModel(model)
        self._delegate = JobDelegate(context, self)
        self.setItemDelegate(self._delegate)
        self.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setShowGrid(False)
        self.setTabKeyNavigation(False)  # Tab goes on to the job's page
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setMouseTracking(True)
        self.setWordWrap(False)
        self.verticalHeader().hide()
        self._prepare_header()
        RunHint(context, self, model)
        context.language.bind(self, "setAccessibleName", N_("Jobs"))
        self.selectionModel().currentRowChanged.connect(self._on_current)
        model.modelReset.connect(self._on_reset)
        model.dataChanged.connect(lambda: self.fit())
        context.theme.changed.connect(self.fit)
        context.language.changed.connect(model.write_again)
        context.language.changed.connect(self.fit)
        self.fit()

    def choose(self, job_id: str) -> bool:
        """Select that job; False where it is not shown."""
        row = self._jobs.row_of(job_id)
        if row < 0:
            return False
        flags = QItemSelectionModel.SelectionFlag.ClearAndSelect | QItemSelectionModel.SelectionFlag.Rows
        column = max(self.currentIndex().column(), JOB)
        self.selectionModel().setCurrentIndex(self._jobs.index(row, column), flags)
        self.scrollTo(self._jobs.index(row, JOB))
        return True

    def fit(self) -> None:
        """Give rows and columns the sizes that their words need."""
        self.verticalHeader().setDefaultSectionSize(self._delegate.row_height())
        header = self.horizontalHeader()
        for column in (WAITING, NEXT, RUN):
            width = self._delegate.width_of(column)
            if header.sectionSize(column) != width:
                header.resizeSection(column, width)
        self._fit_job_column()
        self.viewport().update()

    def _fit_job_column(self) -> None:
        header = self.horizontalHeader()
        least = self.fontMetrics().averageCharWidth() * _LEAST_JOB_LETTERS
        left = self.viewport().width() - self._delegate.width_of(RUN)
        for column in (NEXT, WAITING):  # what a job is comes before how much waits and when it starts
            width = self._delegate.width_of(column)
            has_room = left - width >= least
            self.setColumnHidden(column, not has_room)
            left -= width if has_room else 0
        header.resizeSection(JOB, max(least, left))

    def _prepare_header(self) -> None:
        header = self.horizontalHeader()
        header.setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        header.setHighlightSections(False)
        header.setSectionsClickable(False)
        header.setMinimumSectionSize(20)
        # The sign stands left of the words; the ground of a chosen row is the delegate's.
        header.setStyleSheet("QHeaderView::section:first { padding-left: 46px; }")
        self.setStyleSheet("QTableView { selection-background-color: transparent; }")
        font = header.font()
        font.setWeight(font.Weight.DemiBold)
        header.setFont(font)

    def _on_current(self, current: QModelIndex, _previous: QModelIndex) -> None:
        job = self._jobs.job(current.row()) if current.isValid() else None
        if job is not None and job.id != self._chosen:
            self._chosen = job.id
            self.chosen.emit(job.id)

    def _on_reset(self) -> None:
        self.fit()
        if self._chosen:
            self.choose(self._chosen)

    def _job_at(self, index: QModelIndex) -> str:
        job = self._jobs.job(index.row()) if index.isValid() else None
        return job.id if job else ""

    def keyPressEvent(self, event: QKeyEvent) -> None:
        job_id = self._job_at(self.currentIndex())
        if job_id and event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Space):
            if self.currentIndex().column() == RUN or event.modifiers() & Qt.KeyboardModifier.ControlModifier:
                self.run_pressed.emit(job_id)
            else:
                self.opened.emit(job_id)
            return
        super().keyPressEvent(event)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        super().mouseReleaseEvent(event)
        index = self.indexAt(event.position().toPoint())
        is_left = event.button() == Qt.MouseButton.LeftButton
        if is_left and index.isValid() and index.column() == RUN:
            self.run_pressed.emit(self._job_at(index))

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        index = self.indexAt(event.position().toPoint())
        if index.isValid() and index.column() != RUN:
            self.opened.emit(self._job_at(index))

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        self._hover(self.indexAt(event.position().toPoint()).row())
        super().mouseMoveEvent(event)

    def leaveEvent(self, event: QEvent) -> None:
        self._hover(-1)
        super().leaveEvent(event)

    def _hover(self, row: int) -> None:
        if row != self._delegate.hovered:
            self._delegate.hovered = row
            self.viewport().update()

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        index = self.indexAt(event.pos())
        if event.reason() == QContextMenuEvent.Reason.Keyboard:  # the menu key: of the chosen job
            index = self.currentIndex()
        job_id = self._job_at(index)
        if job_id:
            place = self.visualRect(index.siblingAtColumn(JOB)).bottomLeft()
            is_key = event.reason() == QContextMenuEvent.Reason.Keyboard
            self.menu_asked.emit(job_id, self.viewport().mapToGlobal(place) if is_key else event.globalPos())

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit_job_column()
