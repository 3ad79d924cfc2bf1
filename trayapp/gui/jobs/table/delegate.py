"""Draws the cells of the jobs' table: a sign, two lines, how much waits, what comes next, a button."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from PySide6.QtCore import QPointF, QRect, QRectF, QSize, Qt
from PySide6.QtGui import QFontMetrics, QPainter, QPalette, QPen
from PySide6.QtWidgets import QStyle, QStyledItemDelegate, QTableView

from trayapp.gui.jobs.table.model import JOB, NEXT, RUN, STATE_ROLE, WAITING
from trayapp.gui.jobs.words import short_status
from trayapp.gui.state.words import SIGNS, tone_of

if TYPE_CHECKING:
    from PySide6.QtCore import QModelIndex, QPersistentModelIndex
    from PySide6.QtWidgets import QStyleOptionViewItem

    from trayapp.gui.context import Context
    from trayapp.gui.state.snapshot import JobState

    AnyIndex = QModelIndex | QPersistentModelIndex

_LEAST_HEIGHT = 56
_SIGN_LEFT, _SIGN, _TEXT_LEFT = 16, 18, 46
BUTTON = 30
_RESTING = ("running", "paused", "disabled")  # a press only answers why nothing starts


class JobDelegate(QStyledItemDelegate):
    """Paints by the theme alone; each cell paints its part of the row's ground."""

    def __init__(self, context: Context, table: QTableView) -> None:
        super().__init__(table)
        self._context, self._table = context, table
        self.hovered = -1  # row under the pointer

    def row_height(self) -> int:
        """Height that two lines need in the fonts of now."""
        theme = self._context.theme
        lines = QFontMetrics(theme.font("body", 600)).height() + QFontMetrics(theme.font("small")).height()
        return max(_LEAST_HEIGHT, lines + 18)

    def width_of(self, column: int) -> int:
        """Width that everything in *column* needs."""
        theme, model = self._context.theme, self._table.model()
        if column == RUN:
            return BUTTON + 16
        font = theme.font("small", 600) if column == WAITING else theme.font()
        texts = [str(model.index(row, column).data() or "") for row in range(model.rowCount())]
        head = str(model.headerData(column, Qt.Orientation.Horizontal) or "")
        widths = [QFontMetrics(font).horizontalAdvance(text) for text in texts]
        return max([QFontMetrics(theme.font("small", 600)).horizontalAdvance(head), *widths]) + 24

    def button_rect(self, cell: QRect) -> QRect:
        """Where in *cell* the button is."""
        rect = QRect(0, 0, BUTTON, BUTTON)
        rect.moveCenter(cell.center())
        rect.moveRight(cell.right() - 14)
        return rect

    def sizeHint(self, _option: QStyleOptionViewItem, index: AnyIndex) -> QSize:
        return QSize(self.width_of(index.column()) if index.column() != JOB else 200, self.row_height())

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: AnyIndex) -> None:
        job = cast("JobState | None", index.data(STATE_ROLE))
        if job is None:
            return
        rect, state = option.rect, option.state
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setClipRect(rect)
        self._paint_ground(painter, index.row(), is_selected=bool(state & QStyle.StateFlag.State_Selected))
        if index.column() == JOB:
            self._paint_job(painter, rect, job)
        elif index.column() == WAITING:
            self._paint_waiting(painter, rect, str(index.data() or ""), job)
        elif index.column() == NEXT:
            painter.setFont(self._context.theme.font())
            painter.setPen(self._color(QPalette.ColorRole.Text))
            aligned = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
            painter.drawText(rect.adjusted(0, 0, -6, 0), int(aligned), str(index.data() or ""))
        elif index.column() == RUN:
            self._paint_button(painter, rect, job)
        if bool(state & QStyle.StateFlag.State_HasFocus) and self._table.hasFocus():
            self._paint_focus(painter, rect, index.column())
        painter.restore()

    def _color(self, role: QPalette.ColorRole) -> object:
        return self._context.theme.color(role)

    def _paint_ground(self, painter: QPainter, row: int, *, is_selected: bool) -> None:
        model, theme = self._table.model(), self._context.theme
        whole = self._table.visualRect(model.index(row, JOB)).united(self._table.visualRect(model.index(row, RUN)))
        painter.setPen(Qt.PenStyle.NoPen)
        frame = QRectF(whole).adjusted(6, 2, -6, -3)
        if is_selected:
            painter.setBrush(theme.tint("run", 0.14))
            painter.drawRoundedRect(frame, 5, 5)
            painter.setBrush(theme.color(QPalette.ColorRole.Highlight))
            painter.drawRoundedRect(QRectF(frame.left(), frame.center().y() - 9, 2.5, 18), 1, 1)
            return
        if row == self.hovered:
            painter.setBrush(theme.color(QPalette.ColorRole.AlternateBase))
            painter.drawRoundedRect(frame, 5, 5)
        painter.fillRect(
            QRect(_TEXT_LEFT, whole.bottom(), whole.width() - _TEXT_LEFT - 14, 1),
            theme.color(QPalette.ColorRole.Midlight),
        )

    def _paint_job(self, painter: QPainter, rect: QRect, job: JobState) -> None:
        theme = self._context.theme
        sign = self._context.icons.sign(SIGNS[job.kind], _SIGN, self._table.devicePixelRatioF())
        painter.drawPixmap(QPointF(rect.left() + _SIGN_LEFT, rect.center().y() - _SIGN / 2), sign)
        title, small = theme.font("body", 600), theme.font("small")
        upper, lower = QFontMetrics(title), QFontMetrics(small)
        top = rect.top() + (rect.height() - upper.height() - lower.height() - 1) // 2
        room = rect.width() - _TEXT_LEFT - 8
        painter.setFont(title)
        painter.setPen(theme.color(QPalette.ColorRole.Text))
        line = upper.elidedText(job.title, Qt.TextElideMode.ElideRight, room)
        painter.drawText(rect.left() + _TEXT_LEFT, top + upper.ascent(), line)
        tone = tone_of(job)
        painter.setFont(small)
        is_quiet = tone in ("ok", "idle")
        painter.setPen(theme.color(QPalette.ColorRole.PlaceholderText) if is_quiet else theme.text(tone))
        words = " ".join(short_status(job, self._context.store.snapshot.at).split())
        line = lower.elidedText(words, Qt.TextElideMode.ElideRight, room)
        painter.drawText(rect.left() + _TEXT_LEFT, top + upper.height() + 1 + lower.ascent(), line)

    def _paint_waiting(self, painter: QPainter, rect: QRect, text: str, job: JobState) -> None:
        if not text:
            return
        theme, font = self._context.theme, self._context.theme.font("small", 600)
        tone = "bad" if tone_of(job) == "bad" else "warn"
        metrics = QFontMetrics(font)
        pill = QRectF(0, 0, max(28, metrics.horizontalAdvance(text) + 16), metrics.height() + 3)
        pill.moveCenter(QRectF(rect).center())
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(theme.tint(tone, 0.22))  # type: ignore[arg-type]
        painter.drawRoundedRect(pill, pill.height() / 2, pill.height() / 2)
        painter.setPen(theme.text(tone))  # type: ignore[arg-type]
        painter.setFont(font)
        painter.drawText(pill, int(Qt.AlignmentFlag.AlignCenter), text)

    def _paint_button(self, painter: QPainter, rect: QRect, job: JobState) -> None:
        theme, frame = self._context.theme, self.button_rect(rect)
        painter.setPen(QPen(theme.color(QPalette.ColorRole.Mid), 1))
        painter.setBrush(theme.color(QPalette.ColorRole.Button))
        painter.drawRoundedRect(QRectF(frame).adjusted(0.5, 0.5, -0.5, -0.5), 4, 4)
        color = theme.fill("idle") if job.kind in _RESTING else theme.color(QPalette.ColorRole.ButtonText)
        play = self._context.icons.pixmap("play", color, 16, self._table.devicePixelRatioF())
        painter.drawPixmap(QPointF(frame.center().x() - 7, frame.center().y() - 7), play)

    def _paint_focus(self, painter: QPainter, rect: QRect, column: int) -> None:
        color = self._context.theme.color(QPalette.ColorRole.WindowText)
        painter.setPen(QPen(color, 2))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        frame = self.button_rect(rect) if column == RUN else rect.adjusted(8, 4, -4, -5)
        painter.drawRoundedRect(QRectF(frame), 4, 4)
