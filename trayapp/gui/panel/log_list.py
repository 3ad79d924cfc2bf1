"""The newest log lines, coloured by their token."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QAbstractListModel, QModelIndex, QPersistentModelIndex, QRect, QSize, Qt
from PySide6.QtGui import QFontMetrics, QPainter, QPalette
from PySide6.QtWidgets import QAbstractItemView, QListView, QStyle, QStyledItemDelegate, QStyleOptionViewItem

from trayapp import clock
from trayapp.gui.look.theme import TOKEN_TONES
from trayapp.gui.look.widgets import ringed
from trayapp.gui.state.log_feed import KEPT
from trayapp.gui.state.log_words import line_words

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from trayapp.gui.context import Context
    from trayapp.gui.state.log_feed import LogEntry

Index = QModelIndex | QPersistentModelIndex
ENTRY_ROLE = Qt.ItemDataRole.UserRole
RING = 2  # edge that shows the focus, in pixels
RAW_ROLE = Qt.ItemDataRole.UserRole + 1


class LogModel(QAbstractListModel):
    """Entries, the newest first; *title_of* gives a job's name."""

    def __init__(self, title_of: Callable[[str], str]) -> None:
        super().__init__()
        self._title_of = title_of
        self._all: list[LogEntry] = []
        self._shown: list[LogEntry] = []
        self._job = ""

    def set_entries(self, entries: Sequence[LogEntry]) -> None:
        """Show these, oldest first as they come."""
        self._all = list(entries)[::-1]
        self._filter()

    def add(self, entries: Sequence[LogEntry]) -> None:
        """Put new entries on top."""
        fitting = [entry for entry in reversed(entries) if self._fits(entry)]
        self._all = [*reversed(entries), *self._all][:KEPT]
        if fitting:
            self.beginInsertRows(QModelIndex(), 0, len(fitting) - 1)
            self._shown = [*fitting, *self._shown]
            self.endInsertRows()
        if len(self._shown) > KEPT:
            self.beginRemoveRows(QModelIndex(), KEPT, len(self._shown) - 1)
            del self._shown[KEPT:]
            self.endRemoveRows()

    def choose_job(self, job: str) -> None:
        """Show the lines of that job alone; "" shows all."""
        self._job = job
        self._filter()

    @property
    def job(self) -> str:
        """Job whose lines are shown; "" when all are."""
        return self._job

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008  # as Qt has it
        return 0 if parent.isValid() else len(self._shown)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:  # noqa: ANN401  # as Qt has it
        if not index.isValid():
            return None
        entry = self._shown[index.row()]
        if role == ENTRY_ROLE:
            return entry
        if role == RAW_ROLE:
            return entry.raw
        if role in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.AccessibleTextRole):
            return " ".join((time_words(entry), entry.line.token, self.words(entry)))
        if role == Qt.ItemDataRole.ToolTipRole:
            return self.words(entry)
        return None

    def words(self, entry: LogEntry) -> str:
        """Job and sentence of an entry; of one chosen job the sentence alone."""
        said = line_words(entry.line, clock.now())
        if self._job:
            return said
        title = self._title_of(entry.job)
        return f"{title} · {said}" if said else title

    def _fits(self, entry: LogEntry) -> bool:
        return self._job in ("", entry.job)

    def _filter(self) -> None:
        self.beginResetModel()
        self._shown = [entry for entry in self._all if self._fits(entry)]
        self.endResetModel()


class LogDelegate(QStyledItemDelegate):
    """Paints a line: its time, its token on a tint, its words."""

    def __init__(self, context: Context) -> None:
        super().__init__()
        self._context = context

    def sizeHint(self, _option: QStyleOptionViewItem, _index: Index) -> QSize:
        return QSize(100, row_height(self._context))

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        entry: LogEntry = index.data(ENTRY_ROLE)
        theme, place = self._context.theme, option.rect
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        if option.state & QStyle.StateFlag.State_Selected:
            painter.fillRect(place.adjusted(6, 0, -6, 0), theme.tint("run", 0.14))
        tiny, bold = theme.font("tiny"), theme.font("tiny", 700)
        time_width = QFontMetrics(tiny).horizontalAdvance("00:00:00") + 2
        token_width = QFontMetrics(bold).horizontalAdvance("BELIRSIZ") + 14
        left = place.x() + 16
        painter.setFont(tiny)
        painter.setPen(theme.color(QPalette.ColorRole.PlaceholderText))
        centred = int(Qt.AlignmentFlag.AlignVCenter)
        painter.drawText(QRect(left, place.y(), time_width, place.height()), centred, time_words(entry))
        tone = TOKEN_TONES.get(entry.line.token, "idle")
        tag = QRect(left + time_width + 6, place.y() + 3, token_width, place.height() - 6)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(theme.tint(tone, 0.14))
        painter.drawRoundedRect(tag, 3, 3)
        painter.setFont(bold)
        painter.setPen(theme.text(tone))
        painter.drawText(tag, Qt.AlignmentFlag.AlignCenter, entry.line.token)
        painter.setFont(theme.font("small"))
        painter.setPen(theme.color(QPalette.ColorRole.Text))
        body = QRect(tag.right() + 10, place.y(), place.right() - tag.right() - 22, place.height())
        words = index.model().words(entry)  # type: ignore[attr-defined]  # of LogModel
        painter.drawText(
            body, centred, painter.fontMetrics().elidedText(words, Qt.TextElideMode.ElideRight, body.width())
        )
        painter.restore()


class LogList(QListView):
    """The lines as a list; Ctrl+C copies the chosen line as it stands in the file."""

    def __init__(self, context: Context, model: LogModel) -> None:
        super().__init__()
        self.setModel(model)
        self._delegate = LogDelegate(context)
        self.setItemDelegate(self._delegate)
        ringed(self)
        self.setUniformItemSizes(True)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setTabKeyNavigation(False)

    def chosen_line(self) -> str:
        """Chosen line as it stands in the file; empty when none is chosen."""
        return str(self.currentIndex().data(RAW_ROLE) or "")


def row_height(context: Context) -> int:
    """Height of a line, which grows with the system's text size."""
    return QFontMetrics(context.theme.font("small")).height() + 8


def time_words(entry: LogEntry) -> str:
    """Local time of a line."""
    return f"{entry.line.at.astimezone():%H:%M:%S}"
