"""The list of runs on the screen. What is under the pointer stays there when runs come on top."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QRect, Qt, Signal
from PySide6.QtGui import QFontMetrics, QPainter, QPalette
from PySide6.QtWidgets import (
    QAbstractItemView,
    QFrame,
    QHeaderView,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QTableView,
)

from trayapp import clock
from trayapp.gui.history.run_model import BY, DURATION, JOB, PERIOD, RESULT, ROW_ROLE, START, RunModel
from trayapp.gui.history.run_words import STARTERS, result_of
from trayapp.wording.mark import N_

if TYPE_CHECKING:
    from PySide6.QtGui import QColor, QKeyEvent, QResizeEvent

    from trayapp.gui.context import Context
    from trayapp.gui.history.run_pages import RunRow

Index = QModelIndex | QPersistentModelIndex
_EDGE = 16  # pixels before the first column and behind the last
_PAD = 8
_CENTRED = Qt.AlignmentFlag.AlignVCenter


class RunTable(QTableView):
    """Shows a `RunModel`. `opened` when a run is asked for with Enter or a double click."""

    opened = Signal()
    held_back = Signal(int)  # so many new runs stand above what is seen; 0 when the top is seen

    def __init__(self, context: Context, model: RunModel) -> None:
        super().__init__()
        self._context = context
        self._above = 0
        self._runs = model
        self.setModel(model)
        self._delegate = RunDelegate(context)
        self.setItemDelegate(self._delegate)
        self._set_up()
        model.came.connect(self._on_came)
        model.modelReset.connect(self._on_reset)
        self.verticalScrollBar().valueChanged.connect(self._on_scrolled)
        self.doubleClicked.connect(lambda _index: self.opened.emit())
        context.theme.changed.connect(self._measure)
        self._measure()

    def _set_up(self) -> None:
        self.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerItem)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setShowGrid(False)
        self.setWordWrap(False)
        self.setTabKeyNavigation(False)
        self.verticalHeader().hide()
        self.verticalHeader().setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        head = _Header(self._context)
        self.setHorizontalHeader(head)
        head.setHighlightSections(False)
        head.setSectionsClickable(False)
        head.setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        head.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self._context.language.bind(self, "setAccessibleName", N_("Runs, the newest first"))

    def chosen(self) -> RunRow | None:
        """Run that is chosen; None where none is, or it is not read yet."""
        found: RunRow | None = self.currentIndex().data(ROW_ROLE)
        return found

    def choose_row(self, row: int) -> None:
        """Choose the run in that row and bring it into sight."""
        self.setCurrentIndex(self._runs.index(row, 0))
        self.scrollTo(self._runs.index(row, 0))

    def go_to_top(self) -> None:
        """Show the newest runs."""
        self.scrollToTop()

    def _measure(self) -> None:
        """Rows and columns as high and wide as their words are in the system's font."""
        theme = self._context.theme
        body, small = QFontMetrics(theme.font("body")), QFontMetrics(theme.font("small"))
        self.verticalHeader().setMinimumSectionSize(20)
        self.verticalHeader().setDefaultSectionSize(max(32, body.height() + 12))
        self.horizontalHeader().setFixedHeight(max(28, small.height() + 12))
        self._widths = {
            START: small.horizontalAdvance("00.00.0000 00:00:00") + _EDGE + 2 * _PAD,
            BY: body.horizontalAdvance("Zamanlayıcı") + 26 + 2 * _PAD,
            PERIOD: body.horizontalAdvance("yesterday 00:00 – today 00:00") + 2 * _PAD,
            DURATION: body.horizontalAdvance("00 min 00 sn") + _EDGE + _PAD,
        }
        self._share_width()

    def _share_width(self) -> None:
        """Give what the fixed columns leave to the job and the result, and most of it to the result."""
        left = max(240, self.viewport().width() - sum(self._widths.values()))
        job = min(int(left * 0.42), self.fontMetrics().horizontalAdvance("n" * 30))
        for column, width in {**self._widths, JOB: job, RESULT: left - job}.items():
            self.setColumnWidth(column, width)

    def _on_came(self, count: int) -> None:
        """Keep what is seen in its place, but for a person who looks at the top and points elsewhere."""
        bar = self.verticalScrollBar()
        is_at_top = bar.value() == 0
        if is_at_top and not (self.viewport().underMouse() or (self.hasFocus() and self.currentIndex().isValid())):
            return
        self.updateGeometries()
        bar.setValue(bar.value() + count)
        self._above = min(self._above + count, bar.value())  # a list that has room for all holds none back
        self.held_back.emit(self._above)

    def _on_reset(self) -> None:
        self._above = 0
        self.held_back.emit(0)

    def _on_scrolled(self, value: int) -> None:
        if self._above and value < self._above:
            self._above = value
            self.held_back.emit(value)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._share_width()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and self.currentIndex().isValid():
            self.opened.emit()
            return
        super().keyPressEvent(event)


class _Header(QHeaderView):
    """Names of the columns, above what they name."""

    def __init__(self, context: Context) -> None:
        super().__init__(Qt.Orientation.Horizontal)
        self._context = context

    def paintSection(self, painter: QPainter, rect: QRect, logicalIndex: int) -> None:  # noqa: N803  # as Qt has it
        theme = self._context.theme
        painter.save()
        painter.fillRect(rect, theme.color(QPalette.ColorRole.Window))
        painter.setPen(theme.color(QPalette.ColorRole.Mid))
        painter.drawLine(rect.bottomLeft(), rect.bottomRight())
        painter.setPen(theme.color(QPalette.ColorRole.PlaceholderText))
        painter.setFont(theme.font("small", 600))
        side = Qt.AlignmentFlag.AlignRight if logicalIndex == DURATION else Qt.AlignmentFlag.AlignLeft
        text = str(self.model().headerData(logicalIndex, Qt.Orientation.Horizontal))
        painter.drawText(_inner(rect, logicalIndex), _CENTRED | side, text)
        painter.restore()


class RunDelegate(QStyledItemDelegate):
    """Paints a cell: its sign, its words, the line below."""

    def __init__(self, context: Context) -> None:
        super().__init__()
        self._context = context

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        theme, place = self._context.theme, QRect(option.rect)
        painter.save()
        is_chosen = bool(option.state & QStyle.StateFlag.State_Selected)
        ground = theme.tint("run", 0.14) if is_chosen else theme.color(QPalette.ColorRole.Base)
        painter.fillRect(place, ground)
        painter.setPen(theme.color(QPalette.ColorRole.Midlight))
        painter.drawLine(place.bottomLeft(), place.bottomRight())
        if is_chosen and option.widget.hasFocus():
            self._draw_focus(painter, place)
        row: RunRow | None = index.data(ROW_ROLE)
        if row is None:
            self._draw_gap(painter, place, index.column())
        else:
            self._draw_cell(painter, place, index, row)
        painter.restore()

    def _draw_focus(self, painter: QPainter, place: QRect) -> None:
        painter.setPen(self._context.theme.color(QPalette.ColorRole.WindowText))
        painter.drawLine(place.topLeft(), place.topRight())
        painter.drawLine(place.bottomLeft(), place.bottomRight())

    def _draw_gap(self, painter: QPainter, place: QRect, column: int) -> None:
        """Where a page is not read yet: a bar, so that scrolling shows that there are rows."""
        width = int(place.width() * (0.35 if column in (JOB, RESULT) else 0.5))
        left = place.x() + (_EDGE if column == START else _PAD)
        bar = QRect(left, place.center().y() - 3, width, 6)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(self._context.theme.color(QPalette.ColorRole.Midlight))
        painter.drawRoundedRect(bar, 3, 3)

    def _draw_cell(self, painter: QPainter, place: QRect, index: Index, row: RunRow) -> None:
        theme, column = self._context.theme, index.column()
        color, text = theme.color(QPalette.ColorRole.Text), str(index.data())
        font, side = theme.font("body"), Qt.AlignmentFlag.AlignLeft
        inner = _inner(place, column)
        if column == START:
            font = theme.font("small")
        elif column == JOB:
            font = theme.font("body", 600)
        elif column == BY and row.run.trigger in STARTERS:
            color_of_icon = theme.color(QPalette.ColorRole.PlaceholderText)
            inner = self._draw_icon(painter, inner, STARTERS[row.run.trigger][0], color_of_icon)
        elif column == RESULT:
            found = result_of(row, self._context.store.snapshot, clock.now())
            pixmap = self._context.icons.sign(found.sign, 16, painter.device().devicePixelRatioF())
            painter.drawPixmap(inner.x(), inner.center().y() - 7, pixmap)
            inner = inner.adjusted(26, 0, 0, 0)
            if found.tone is not None:
                color, font = theme.text(found.tone), theme.font("body", 600)
        elif column == DURATION:
            side = Qt.AlignmentFlag.AlignRight
        painter.setPen(color)
        painter.setFont(font)
        shown = painter.fontMetrics().elidedText(text, Qt.TextElideMode.ElideRight, inner.width())
        painter.drawText(inner, _CENTRED | side, shown)

    def _draw_icon(self, painter: QPainter, place: QRect, name: str, color: QColor) -> QRect:
        pixmap = self._context.icons.pixmap(name, color, 15, painter.device().devicePixelRatioF())
        painter.drawPixmap(place.x(), place.center().y() - 7, pixmap)
        return place.adjusted(22, 0, 0, 0)


def _inner(place: QRect, column: int) -> QRect:
    """Part of a cell in which words stand."""
    return place.adjusted(_EDGE if column == START else _PAD, 0, -(_EDGE if column == DURATION else _PAD), -1)
