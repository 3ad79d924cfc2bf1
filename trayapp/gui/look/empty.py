"""What stands where nothing is yet: what will be here, and the one next step."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QWidget

from trayapp.gui.look.widgets import button, column, label, row, wrapping

if TYPE_CHECKING:
    from collections.abc import Callable

    from trayapp.gui.context import Context


class EmptyState(QWidget):
    """A title, a sentence, and a button that leads on; all three are marked texts."""

    def __init__(
        self, context: Context, title: str, text: str, action: str = "", on_action: Callable[[], None] | None = None
    ) -> None:
        super().__init__()
        head, body = label(context, title, "head", 600), wrapping(label(context, text, is_second=True))
        for part in (head, body):
            part.setAlignment(Qt.AlignmentFlag.AlignHCenter)
        layout = column(None, head, body, gap=8, margins=(24, 24, 24, 24))
        if action and on_action is not None:
            step = button(context, action, kind="primary")
            step.clicked.connect(on_action)
            layout.addLayout(row(None, step, None))
        layout.addStretch(1)
        self.setLayout(layout)
