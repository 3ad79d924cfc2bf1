"""A tinted frame with an icon: a fact, what it means, who is concerned, and what to press."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFrame, QGridLayout, QLabel, QSizePolicy, QVBoxLayout, QWidget

from trayapp.gui.look.widgets import column, label, row, wrapping

if TYPE_CHECKING:
    from PySide6.QtGui import QResizeEvent

    from trayapp.gui.context import Context
    from trayapp.gui.look.theme import Tone

_ICON = 20
_BUTTONS_SHARE = 0.38  # of the width; buttons that need more stand below the words


class Callout(QFrame):
    """Words that are written anew each time; empty ones take no room. `buttons` holds the buttons."""

    def __init__(self, context: Context) -> None:
        super().__init__()
        self._context = context
        self._tone: Tone = "idle"
        self._icon_name = "info"
        self.setProperty("kind", "callout")
        self._icon = QLabel()
        self.title = wrapping(label(context, weight=600))
        self.text = wrapping(label(context))
        self.second = wrapping(label(context, size="small", is_second=True))
        self.body: QVBoxLayout = column(self.title, self.text, self.second, gap=3)
        self.buttons = _Actions()
        self._grid = QGridLayout()
        self._grid.setContentsMargins(12, 10, 14, 11)
        self._grid.setHorizontalSpacing(12)
        self._grid.setVerticalSpacing(8)
        self._grid.addWidget(self._icon, 0, 0, Qt.AlignmentFlag.AlignTop)
        self._grid.addLayout(self.body, 0, 1)
        self._grid.addWidget(self.buttons, 0, 2, Qt.AlignmentFlag.AlignVCenter)
        self._grid.setColumnStretch(1, 1)
        self._is_beside = True
        self.setLayout(self._grid)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Minimum)
        context.theme.changed.connect(self._refresh)

    def tell(self, tone: Tone, icon: str, title: str, text: str = "", second: str = "") -> None:
        """Show these words in that tone."""
        self._tone, self._icon_name = tone, icon
        for part, words in ((self.title, title), (self.text, text), (self.second, second)):
            part.setText(words)
            part.setVisible(bool(words))
        self.title.set_tone(None if tone == "idle" else tone)
        self.setProperty("tone", tone)
        self.style().unpolish(self)
        self.style().polish(self)
        self.setAccessibleName(". ".join(filter(None, (title, text, second))))
        self._refresh()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        is_beside = self.buttons.sizeHint().width() <= self.width() * _BUTTONS_SHARE
        if is_beside != self._is_beside:
            self._is_beside = is_beside
            place = (0, 2) if is_beside else (1, 1)
            aligned = Qt.AlignmentFlag.AlignVCenter if is_beside else Qt.AlignmentFlag.AlignLeft
            self._grid.addWidget(self.buttons, *place, aligned)

    def _refresh(self) -> None:
        color = self._context.theme.fill(self._tone)
        self._icon.setPixmap(self._context.icons.pixmap(self._icon_name, color, _ICON, self.devicePixelRatioF()))


class _Actions(QWidget):
    """Buttons beside the words; no room is taken while there is none."""

    def __init__(self) -> None:
        super().__init__()
        self._layout = row(gap=8)
        self.setLayout(self._layout)
        self.setVisible(False)

    def show_only(self, *buttons: QWidget) -> None:
        """Have these buttons and no others."""
        while (item := self._layout.takeAt(0)) is not None:
            old = item.widget()
            if old is not None and old not in buttons:
                old.hide()
                old.setParent(None)
                old.deleteLater()
        for made in buttons:
            self._layout.addWidget(made)
            made.show()
        self.setVisible(bool(buttons))
