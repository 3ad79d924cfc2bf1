"""A trial run of the work that is being set up: a script that is rolled back, a program as the scheduler starts it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtWidgets import QWidget

if TYPE_CHECKING:
    from trayapp.gui.jobs.editor.form.form import Form


class Trial(QWidget):
    """Placeholder."""

    def __init__(self, form: Form) -> None:
        super().__init__()
        self._form = form
        self.hide()
