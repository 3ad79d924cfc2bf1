"""The two small dialogs of a job: another name, and deleting with all that follows from it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QButtonGroup, QDialog, QLineEdit

from trayapp.errors import BirkezError
from trayapp.gui.help.asking import answer_f1
from trayapp.gui.jobs.editor.field_words import fault_words
from trayapp.gui.jobs.table.flow import Flow
from trayapp.gui.look.way import Way
from trayapp.gui.look.widgets import button, column, label, row, wrapping
from trayapp.job.file import edit_value, parse_job, read_text, set_values
from trayapp.wording.mark import N_
from trayapp.wording.speech import _, say, sentence

if TYPE_CHECKING:
    from PySide6.QtWidgets import QWidget

    from trayapp.gui.commands import Done
    from trayapp.gui.context import Context
    from trayapp.gui.state.snapshot import JobState

_WIDTH = 480
_GOES = N_("Its job file goes, and its entry in the scheduler: nothing starts it any more.")
_STAYS = N_("Its data, its script, its log and its runs in History stay.")


class RenameDialog(QDialog):
    """Another title for a job; its short name and all that it did stay."""

    def __init__(self, context: Context, state: JobState, parent: QWidget) -> None:
        super().__init__(parent)
        self._context, self._id = context, state.id
        self._path = context.places.job_file(state.id)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        answer_f1(self, context, "jobs")
        self.setWindowTitle(_("Rename the job"))
        self.field = QLineEdit(state.title)
        self.field.selectAll()
        self.fault = wrapping(label(context, size="small"))
        self.fault.set_tone("warn")
        self.save = button(context, N_("Rename"), kind="primary")
        self.save.setDefault(True)
        cancel = button(context, N_("Cancel"))
        caption = label(context, N_("Name of the job"), "small", 500)
        caption.setBuddy(self.field)
        context.language.bind(self.field, "setAccessibleName", N_("Name of the job"))
        note = wrapping(
            label(
                context,
                N_("Its runs, its periods and its entry in the scheduler stay as they are."),
                "small",
                is_second=True,
            )
        )
        self.setLayout(
            column(caption, self.field, self.fault, note, row(None, cancel, self.save), gap=8, margins=(20, 16, 20, 16))
        )
        self.setMinimumWidth(_WIDTH)
        cancel.clicked.connect(self.reject)
        self.save.clicked.connect(self._on_save)
        self.field.textChanged.connect(self._check)
        self._check()

    def _check(self) -> None:
        try:
            text = set_values(read_text(self._path, self._id), {("title",): self.field.text()})
            parse_job(text, self._path, self._id)
        except BirkezError as error:
            self.fault.setText(fault_words(error))
            self.save.setEnabled(False)
        else:
            self.fault.setText("")
            self.save.setEnabled(True)

    def _on_save(self) -> None:
        try:
            edit_value(self._path, self._id, "title", self.field.text().strip())
        except BirkezError as error:
            self.fault.setText(sentence(error))
            return
        self._context.store.read_again()
        self.accept()


class DeleteDialog(QDialog):
    """Deleting: what goes and what stays, in words; nothing is chosen beforehand."""

    def __init__(self, context: Context, state: JobState, parent: QWidget) -> None:
        super().__init__(parent)
        self._context, self._id = context, state.id
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        answer_f1(self, context, "jobs")
        self.setWindowTitle(_("Delete the job"))
        head = wrapping(label(context, size="head", weight=600))
        head.setText(say("Delete “{title}”?", title=state.title))
        self.keep = Way(
            context,
            N_("Keep what is known of done periods"),
            N_("A job that gets this short name again can go on there, and does nothing twice."),
        )
        self.forget = Way(
            context,
            N_("Forget what it did, too"),
            N_("A new job of this short name begins anew, and may do periods a second time that were done before."),
        )
        self.refusal = wrapping(label(context, size="small"))
        self.refusal.set_tone("bad")
        self.delete = button(context, N_("Delete the job"), kind="primary")
        self.delete.setEnabled(False)
        self._group = QButtonGroup(self)
        for choice in (self.keep, self.forget):
            self._group.addButton(choice.radio)
            choice.radio.toggled.connect(lambda _on: self.delete.setEnabled(True))
        cancel = button(context, N_("Do not delete"))
        cancel.clicked.connect(self.reject)
        self.delete.clicked.connect(self._on_delete)
        parts = (
            head,
            wrapping(label(context, _GOES)),
            wrapping(label(context, _STAYS)),
            self.keep,
            self.forget,
            self.refusal,
        )
        self.setLayout(column(*parts, Flow([cancel, self.delete]), gap=8, margins=(20, 16, 20, 16)))
        self.setMinimumWidth(_WIDTH)
        cancel.setFocus()

    def _on_delete(self) -> None:
        self.delete.setEnabled(False)
        words = ["job", "remove", self._id, *(["--forget"] if self.forget.radio.isChecked() else [])]
        self._context.commands.ask(words, self._on_done)

    def _on_done(self, done: Done) -> None:
        self._context.store.read_again()
        if done.is_good:
            self.accept()
            return
        self.refusal.setText(done.complaint or done.output.strip())
        self.delete.setEnabled(True)
