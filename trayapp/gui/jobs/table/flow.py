"""Widgets side by side, in as many lines as they need: chips of a long language, at 200 %."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QPoint, QSize, Qt
from PySide6.QtWidgets import QSizePolicy, QWidget

if TYPE_CHECKING:
    from collections.abc import Sequence

    from PySide6.QtCore import QEvent
    from PySide6.QtGui import QResizeEvent

_GAP = 6


class Flow(QWidget):
    """Lays its parts out from left to right, and goes on in the next line where they do not fit."""

    def __init__(self, parts: Sequence[QWidget]) -> None:
        super().__init__()
        self._parts = list(parts)
        for part in parts:
            part.setParent(self)
        policy = QSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Minimum)
        policy.setHeightForWidth(True)
        self.setSizePolicy(policy)

    def hasHeightForWidth(self) -> bool:
        return True

    def heightForWidth(self, width: int) -> int:
        return self._lay_out(width, is_meant=False)

    def sizeHint(self) -> QSize:
        width = sum(max(part.sizeHint().width(), part.minimumWidth()) + _GAP for part in self._parts)
        return QSize(width, self.heightForWidth(max(self.width(), self.minimumSizeHint().width())))

    def minimumSizeHint(self) -> QSize:
        widest = max((max(part.sizeHint().width(), part.minimumWidth()) for part in self._parts), default=0)
        return QSize(widest, self.heightForWidth(max(self.width(), widest)))

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._lay_out(self.width(), is_meant=True)
        self.updateGeometry()

    def event(self, event: QEvent) -> bool:
        done = super().event(event)
        if event.type() == event.Type.LayoutRequest:  # a chip's number got another width
            self._lay_out(self.width(), is_meant=True)
            self.updateGeometry()
        return done

    def _lay_out(self, width: int, *, is_meant: bool) -> int:
        at, height = QPoint(0, 0), 0
        is_leftward = self.layoutDirection() == Qt.LayoutDirection.RightToLeft
        for part in self._parts:
            if part.isHidden():
                continue
            size = part.sizeHint().expandedTo(part.minimumSize())
            if at.x() and at.x() + size.width() > width:
                at = QPoint(0, at.y() + height + _GAP)
                height = 0
            if is_meant:
                left = width - at.x() - size.width() if is_leftward else at.x()
                part.setGeometry(left, at.y(), size.width(), size.height())
            at.setX(at.x() + size.width() + _GAP)
            height = max(height, size.height())
        return at.y() + height
