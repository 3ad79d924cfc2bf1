"""The panel: opens on a left click beside the tray icon."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtWidgets import QWidget

if TYPE_CHECKING:
    from PySide6.QtCore import QRect

    from trayapp.gui.context import Context


class Panel(QWidget):
    """Each job with its live state, and the newest log lines."""

    def __init__(self, context: Context) -> None:
        super().__init__()
        self._context = context

    def toggle(self, icon: QRect) -> None:  # noqa: ARG002  # placed beside it soon
        """Open beside the tray icon, or close."""
        self.setVisible(not self.isVisible())
