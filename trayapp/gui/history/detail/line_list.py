"""Log lines of a run among those of its neighbours; its own are marked."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QAbstractListModel, QModelIndex, QPersistentModelIndex, Qt
from PySide6.QtGui import QGuiApplication, QKeySequence, QPainter, QShortcut
from PySide6.QtWidgets import QAbstractItemView, QStyleOptionViewItem

from trayapp import clock
from trayapp.gui.panel.log_list import ENTRY_ROLE, RAW_ROLE, LogDelegate, LogList, time_words
from trayapp.gui.state.log_feed import LogEntry
from trayapp.gui.state.log_words import line_words
from trayapp.log.job_log import LogLine, parse_line
from trayapp.wording.mark import N_

if TYPE_CHECKING:
    from trayapp.gui.context import Context
    from trayapp.gui.history.detail.reading import Details
    from trayapp.history.query import LineRecord

Index = QModelIndex | QPersistentModelIndex
OWN_ROLE = Qt.ItemDataRole.UserRole + 7


class RunLineModel(QAbstractListModel):
    """Lines by time, the oldest first."""

    def __init__(self) -> None:
        super().__init__()
        self._lines: list[LineRecord] = []
        self._run = ""

    def show(self, details: Details | None) -> None:
        """Show the run's lines and those around it."""
        lines = [*details.before, *details.lines, *details.after] if details is not None else []
        if lines != self._lines:
            self.beginResetModel()
            self._lines = lines
            self._run = details.run.run if details is not None else ""
            self.endResetModel()

    def own_rows(self) -> tuple[int, int] | None:
        """First and last line of the run itself."""
        rows = [row for row, line in enumerate(self._lines) if line.run == self._run]
        return (rows[0], rows[-1]) if rows else None

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008  # as Qt has it
        return 0 if parent.isValid() else len(self._lines)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:  # noqa: ANN401  # as Qt has it
        if not index.isValid():
            return None
        line = self._lines[index.row()]
        if role == OWN_ROLE:
            return line.run == self._run
        if role == RAW_ROLE:
            return line.text
        entry = _entry(line)
        if role in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.AccessibleTextRole):
            return " ".join((time_words(entry), entry.line.token, self.words(entry)))
        if role == Qt.ItemDataRole.ToolTipRole:
            return self.words(entry) or line.text
        return entry if role == ENTRY_ROLE else None

    def words(self, entry: LogEntry) -> str:
        """What a line says beside its time and token."""
        return line_words(entry.line, clock.now())


class RunLineList(LogList):
    """Shows the lines, those of the run on a ground of their own."""

    def __init__(self, context: Context, model: RunLineModel) -> None:
        super().__init__(context, model)  # type: ignore[arg-type]  # it asks the same of any model of lines
        self._lines = model
        self._own_delegate = _Delegate(context)
        self.setItemDelegate(self._own_delegate)
        context.language.bind(self, "setAccessibleName", N_("Log lines of this run and around it"))
        copying = QShortcut(QKeySequence.StandardKey.Copy, self)
        copying.setContext(Qt.ShortcutContext.WidgetShortcut)
        copying.activated.connect(self._copy)

    def show_own(self) -> None:
        """Bring the run's own lines into sight."""
        rows = self._lines.own_rows()
        if rows is not None:
            self.scrollTo(self._lines.index(rows[1], 0), QAbstractItemView.ScrollHint.PositionAtCenter)
            self.scrollTo(self._lines.index(rows[0], 0), QAbstractItemView.ScrollHint.EnsureVisible)

    def _copy(self) -> None:
        if self.chosen_line():
            QGuiApplication.clipboard().setText(self.chosen_line())


class _Delegate(LogDelegate):
    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        if index.data(OWN_ROLE):
            painter.fillRect(option.rect.adjusted(6, 0, -6, 0), self._context.theme.tint("run", 0.12))
        super().paint(painter, option, index)


def _entry(line: LineRecord) -> LogEntry:
    parsed = parse_line(line.text) or LogLine(line.at, line.token, {})
    return LogEntry(line.job, parsed, line.text)
