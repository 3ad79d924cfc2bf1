"""The items that could not be made, each with its reason: a table that takes thousands."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QPersistentModelIndex, QSize, Qt
from PySide6.QtGui import QGuiApplication, QKeySequence
from PySide6.QtWidgets import QHeaderView, QTableView

from trayapp.value import NamedTuple
from trayapp.wording.mark import N_
from trayapp.wording.speech import _

if TYPE_CHECKING:
    from PySide6.QtGui import QKeyEvent

    from trayapp.gui.context import Context

_MOST_ROWS = 6  # that are seen at once
_LEAST_WIDTH, _ITEM_SHARE = 60, 0.4
_HEADS = (N_("Item"), N_("Reason"))

Index = QModelIndex | QPersistentModelIndex


class Lost(NamedTuple):
    """One item and why it is not there; *is_refused*: its line in the list is no item at all."""

    item: str
    reason: str
    is_refused: bool


class LostModel(QAbstractTableModel):
    """Two columns."""

    def __init__(self) -> None:
        super().__init__()
        self.lost: list[Lost] = []

    def show_lost(self, lost: list[Lost]) -> None:
        self.beginResetModel()
        self.lost = lost
        self.endResetModel()

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008  # Qt's own default
        return 0 if parent.isValid() else len(self.lost)

    def columnCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008  # as above
        return 0 if parent.isValid() else len(_HEADS)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        one = self.lost[index.row()]
        if role == Qt.ItemDataRole.DisplayRole:
            return (one.item, one.reason)[index.column()]
        if role in (Qt.ItemDataRole.ToolTipRole, Qt.ItemDataRole.AccessibleTextRole):
            return f"{one.item}: {one.reason}"
        return None

    def headerData(
        self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole
    ) -> str | None:
        is_head = orientation == Qt.Orientation.Horizontal and role == Qt.ItemDataRole.DisplayRole
        return _(_HEADS[section]) if is_head else None


class LostTable(QTableView):
    """As high as its rows need, up to some; Ctrl+C copies what is chosen."""

    def __init__(self, context: Context) -> None:
        super().__init__()
        self._model = LostModel()
        self.setModel(self._model)
        self.verticalHeader().hide()
        self.setShowGrid(False)
        self.setWordWrap(False)
        self.setSelectionBehavior(QTableView.SelectionBehavior.SelectRows)
        self.setTabKeyNavigation(False)
        self.setTextElideMode(Qt.TextElideMode.ElideRight)
        self.horizontalHeader().setDefaultAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
        self.horizontalHeader().setSectionResizeMode(0, QHeaderView.ResizeMode.Interactive)
        self.horizontalHeader().setStretchLastSection(True)
        self.horizontalHeader().setHighlightSections(False)
        self.setFont(context.theme.font("small"))
        self.horizontalHeader().setFont(context.theme.font("small"))
        context.language.bind(self, "setAccessibleName", N_("What could not be made, and why"))

    @property
    def lost(self) -> list[Lost]:
        """What is shown."""
        return self._model.lost

    def show_lost(self, lost: list[Lost]) -> None:
        """Show these."""
        if lost == self._model.lost:
            return
        self._model.show_lost(lost)
        self.verticalHeader().setDefaultSectionSize(self.fontMetrics().height() + 10)
        longest = max((self.fontMetrics().horizontalAdvance(one.item) for one in lost[:200]), default=0)
        widest = max(_LEAST_WIDTH, int(self.width() * _ITEM_SHARE))
        self.setColumnWidth(0, min(max(longest + 24, _LEAST_WIDTH), widest))
        self.setFixedHeight(self.sizeHint().height())

    def sizeHint(self) -> QSize:
        rows = min(max(len(self.lost), 1), _MOST_ROWS)
        height = self.horizontalHeader().sizeHint().height() + rows * self.verticalHeader().defaultSectionSize() + 4
        return QSize(super().sizeHint().width(), height)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.matches(QKeySequence.StandardKey.Copy):
            rows = sorted({index.row() for index in self.selectedIndexes()})
            QGuiApplication.clipboard().setText(
                "\n".join(f"{self.lost[number].item}\t{self.lost[number].reason}" for number in rows)
            )
        else:
            super().keyPressEvent(event)
