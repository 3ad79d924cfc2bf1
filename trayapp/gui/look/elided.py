"""A line of text that ends in … where the place ends, and tells all of it on hover and to screen readers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QColor, QPainter, QPalette
from PySide6.QtWidgets import QSizePolicy

from trayapp.gui.look.widgets import Label

if TYPE_CHECKING:
    from PySide6.QtGui import QPaintEvent

    from trayapp.gui.context import Context
    from trayapp.gui.look.theme import Size


class ElidedLabel(Label):
    """Shows as much of its text as there is room for."""

    def __init__(self, context: Context, size: Size, weight: int) -> None:
        super().__init__(context, size, weight)
        self._color: QColor | None = None
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)

    def set_full_text(self, text: str) -> None:
        """Show *text*, which may be longer than the place."""
        self.setText(" ".join(text.split()))
        self.setAccessibleName(text)

    def set_color(self, color: QColor) -> None:
        """Write in that colour."""
        self._color = color
        self.update()

    def minimumSizeHint(self) -> QSize:
        return QSize(40, super().minimumSizeHint().height())

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setFont(self.font())
        painter.setPen(self._color or self.palette().color(QPalette.ColorRole.WindowText))
        text = painter.fontMetrics().elidedText(self.text(), Qt.TextElideMode.ElideRight, self.width())
        tip = self.text() if text != self.text() else ""
        if tip != self.toolTip():
            self.setToolTip(tip)
        painter.drawText(self.rect(), int(Qt.AlignmentFlag.AlignVCenter), text)
