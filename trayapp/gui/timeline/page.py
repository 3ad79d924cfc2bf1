"""Each job's periods along the clock."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trayapp.gui.look.widgets import column, label
from trayapp.gui.page import Page
from trayapp.wording.mark import N_

if TYPE_CHECKING:
    from PySide6.QtWidgets import QWidget

    from trayapp.gui.context import Context


class TimelinePage(Page):
    """Each job's periods along the clock."""

    name = "timeline"
    title = N_("Timeline")
    icon = "nav-timeline"

    def __init__(self, context: Context, parent: QWidget | None = None) -> None:
        super().__init__(context, parent)
        self.setLayout(column(label(context, self.title, "title", 600), None, margins=(24, 16, 24, 16)))
