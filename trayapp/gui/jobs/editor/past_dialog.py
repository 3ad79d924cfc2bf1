"""A new job's short name has a past in its database: going on there, or forgetting it, is a person's decision."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QButtonGroup, QDialog

from trayapp.gui.help.asking import answer_f1
from trayapp.gui.jobs.table.flow import Flow
from trayapp.gui.look.way import Way
from trayapp.gui.look.widgets import button, column, label, wrapping
from trayapp.wording.mark import N_
from trayapp.wording.speech import _, say

if TYPE_CHECKING:
    from PySide6.QtWidgets import QWidget

    from trayapp.gui.context import Context

_WIDTH = 480


class PastDialog(QDialog):
    """`chosen` with the option of `job add` that says the decision."""

    chosen = Signal(str)

    def __init__(self, context: Context, job_id: str, parent: QWidget) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        answer_f1(self, context, "editor-review")
        self.setWindowTitle(_("This short name was used before"))
        head = wrapping(label(context, size="head", weight=600))
        head.setText(say("A job named {job} has worked in this database before", job=job_id))
        self.go_on = Way(
            context,
            N_("Go on where it ended"),
            N_("What it did counts as done and is not done again."),
        )
        self.forget = Way(
            context,
            N_("Forget what it did and begin anew"),
            N_("Periods that it did may be done a second time, and their rows added twice."),
        )
        self.save = button(context, N_("Save the job so"), kind="primary")
        self.save.setEnabled(False)
        group = QButtonGroup(self)
        for choice in (self.go_on, self.forget):
            group.addButton(choice.radio)
            choice.radio.toggled.connect(lambda _on: self.save.setEnabled(True))
        other = button(context, N_("Back: give it another name"))
        other.clicked.connect(self.reject)
        self.save.clicked.connect(self._on_save)
        self.setLayout(column(head, self.go_on, self.forget, Flow([other, self.save]), gap=8, margins=(20, 16, 20, 16)))
        self.setMinimumWidth(_WIDTH)

    def _on_save(self) -> None:
        self.accept()
        self.chosen.emit("--forget" if self.forget.radio.isChecked() else "--go-on")
