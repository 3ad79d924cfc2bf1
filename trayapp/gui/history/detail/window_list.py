"""The periods that a run touched, each with its form, and how it stands."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QAbstractListModel, QModelIndex, QPersistentModelIndex, QRect, QRectF, QSize, Qt
from PySide6.QtGui import QFontMetrics, QPainter, QPalette
from PySide6.QtWidgets import QAbstractItemView, QFrame, QListView, QStyle, QStyledItemDelegate, QStyleOptionViewItem

from trayapp import clock
from trayapp.gui.history.run_words import window_words
from trayapp.gui.state.words import period_words
from trayapp.gui.timeline.strip.blocks import KIND_OF_STATE, draw_block
from trayapp.wording.mark import N_

if TYPE_CHECKING:
    from trayapp.gui.context import Context
    from trayapp.history.records import WindowRecord

Index = QModelIndex | QPersistentModelIndex
WINDOW_ROLE = Qt.ItemDataRole.UserRole


class WindowModel(QAbstractListModel):
    """Periods, oldest first."""

    def __init__(self) -> None:
        super().__init__()
        self.windows: list[WindowRecord] = []

    def show(self, windows: list[WindowRecord]) -> None:
        """Show these."""
        if windows != self.windows:
            self.beginResetModel()
            self.windows = windows
            self.endResetModel()

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008  # as Qt has it
        return 0 if parent.isValid() else len(self.windows)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:  # noqa: ANN401  # as Qt has it
        if not index.isValid():
            return None
        window = self.windows[index.row()]
        if role == WINDOW_ROLE:
            return window
        if role in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.AccessibleTextRole, Qt.ItemDataRole.ToolTipRole):
            now = clock.now()
            words = f"{period_words(window.start, window.end, now)}: {window_words(window, now)[1]}"
            return f"{words}\n{window.key}" if role == Qt.ItemDataRole.ToolTipRole else words
        return None


class WindowList(QListView):
    """Shows the periods; one is chosen, and decisions are about it."""

    def __init__(self, context: Context, model: WindowModel) -> None:
        super().__init__()
        self._windows = model
        self.setModel(model)
        self._delegate = _Delegate(context)
        self.setItemDelegate(self._delegate)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setUniformItemSizes(True)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        context.language.bind(self, "setAccessibleName", N_("Periods of this run"))

    def chosen(self) -> WindowRecord | None:
        """Period that is chosen."""
        found: WindowRecord | None = self.currentIndex().data(WINDOW_ROLE)
        return found

    def choose(self, key: str) -> None:
        """Choose the period with that key; else the first that is not done, else the first."""
        windows = self._windows.windows
        wanted = next((row for row, window in enumerate(windows) if window.key == key), None)
        if wanted is None:
            wanted = next((row for row, window in enumerate(windows) if window.state != "done"), 0)
        if windows:
            self.setCurrentIndex(self._windows.index(wanted, 0))


class _Delegate(QStyledItemDelegate):
    def __init__(self, context: Context) -> None:
        super().__init__()
        self._context = context

    def sizeHint(self, _option: QStyleOptionViewItem, _index: Index) -> QSize:
        theme = self._context.theme
        lines = QFontMetrics(theme.font("body", 600)).height() + QFontMetrics(theme.font("small")).height()
        return QSize(120, lines + 12)

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        window: WindowRecord = index.data(WINDOW_ROLE)
        theme, place, now = self._context.theme, option.rect, clock.now()
        painter.save()
        if option.state & QStyle.StateFlag.State_Selected:
            painter.fillRect(place.adjusted(6, 1, -6, -1), theme.tint("run", 0.14))
            if option.widget.hasFocus():
                painter.setPen(theme.color(QPalette.ColorRole.WindowText))
                painter.drawRect(place.adjusted(6, 1, -7, -2))
        head, small = theme.font("body", 600), theme.font("small")
        height = QFontMetrics(head).height()
        block = QRectF(place.x() + 16, place.y() + 6 + (height - 14) / 2, 18, 14)
        draw_block(painter, block, KIND_OF_STATE.get(window.state, "passed"), theme)
        left, width = place.x() + 44, place.width() - 56
        tone, words = window_words(window, now)
        for top, font, color, text in (
            (place.y() + 5, head, theme.color(QPalette.ColorRole.Text), period_words(window.start, window.end, now)),
            (
                place.y() + 6 + height,
                small,
                theme.color(QPalette.ColorRole.PlaceholderText) if tone == "ok" else theme.text(tone),
                words,
            ),
        ):
            painter.setFont(font)
            painter.setPen(color)
            metrics = painter.fontMetrics()
            shown = metrics.elidedText(text, Qt.TextElideMode.ElideRight, width)
            painter.drawText(QRect(left, top, width, metrics.height()), int(Qt.AlignmentFlag.AlignVCenter), shown)
        painter.restore()
