"""One way to decide: a radio button with what follows from it, in a card that can be pressed anywhere."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtWidgets import QFrame, QRadioButton

from trayapp.gui.look.widgets import column, label, wrapping

if TYPE_CHECKING:
    from PySide6.QtGui import QMouseEvent

    from trayapp.gui.context import Context


class Way(QFrame):
    """*text* and *consequence* are marked sentences, which follow a switch of language, or such as are filled in."""

    def __init__(self, context: Context, text: str, consequence: str) -> None:
        super().__init__()
        self.setProperty("kind", "card")
        self.radio = QRadioButton()
        context.language.bind(self.radio, "setText", text)
        context.language.bind(self.radio, "setAccessibleDescription", consequence)
        self.consequence = wrapping(label(context, consequence, "small", is_second=True))
        self.consequence.setContentsMargins(24, 0, 0, 0)
        self.setLayout(column(self.radio, self.consequence, None, gap=2, margins=(12, 9, 12, 9)))
        self.radio.toggled.connect(self._on_toggled)

    def _on_toggled(self, is_chosen: bool) -> None:  # noqa: FBT001  # Qt's signal
        self.setProperty("kind", "callout" if is_chosen else "card")
        self.setProperty("tone", "run" if is_chosen else None)
        self.style().unpolish(self)
        self.style().polish(self)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        self.radio.setChecked(True)
        self.radio.setFocus()
        event.accept()
