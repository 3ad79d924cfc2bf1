"""The editor's window: four steps, what follows from them beside, and saving."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QFontMetrics, QKeySequence, QShortcut
from PySide6.QtWidgets import QDialog, QMessageBox, QStackedWidget, QWidget

from trayapp.errors import BirkezError
from trayapp.gui.help.asking import answer_f1, is_about
from trayapp.gui.jobs.editor.draft import draft_of
from trayapp.gui.jobs.editor.form.form import Form, system_zone
from trayapp.gui.jobs.editor.frame import lay_out_steps, resize_within_screen
from trayapp.gui.jobs.editor.past_dialog import PastDialog
from trayapp.gui.jobs.editor.saving import Saving
from trayapp.gui.jobs.editor.side import CAREFUL, REVIEW, Side
from trayapp.gui.jobs.editor.step_list import StepList
from trayapp.gui.jobs.editor.steps.careful import Careful
from trayapp.gui.jobs.editor.steps.review import Review
from trayapp.gui.jobs.editor.steps.what import What
from trayapp.gui.jobs.editor.steps.when import When
from trayapp.gui.look.callout import Callout
from trayapp.gui.look.widgets import button, column, row
from trayapp.wording.mark import N_
from trayapp.wording.speech import _, say, sentence

if TYPE_CHECKING:
    from PySide6.QtGui import QCloseEvent, QResizeEvent

    from trayapp.gui.context import Context
    from trayapp.gui.jobs.editor.steps.step import Step

_WIDTH, _HEIGHT = 1200, 740
_SIDE, _SIDE_LETTERS, _FORM_LETTERS = 400, 44, 58  # pixels; letters
_HELP = ("editor-what", "editor-when", "editor-careful", "editor-review")  # of the steps
_NO_LIMIT = 16_777_215  # Qt's own


class EditorWindow(QDialog):
    """Makes or changes one job; `saved` with its id, and whether it shall run at once."""

    saved = Signal(str, bool)

    def __init__(self, context: Context, parent: QWidget) -> None:
        super().__init__(parent, Qt.WindowType.Window)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self._context = context
        self.form = Form(context, self)
        self.saving = Saving(self.form)
        self.steps: tuple[Step, ...] = (What(self.form), When(self.form), Careful(self.form), Review(self.form))
        self.side = Side(self.form)
        self.step_list = StepList(context, [step.title for step in self.steps])
        self._stack = QStackedWidget()
        self._refusal = Callout(context)
        self._opened: set[int] = set()
        self._is_run_wanted = False
        self.cancel = button(context, N_("Cancel"))
        self.back = button(context, N_("Back"))
        self.next = button(context, "", kind="primary")
        self.save = button(context, N_("Save"))
        self.save_and_run = button(context, N_("Save and run now"), "play", "primary")
        self._follow = button(context, N_("What follows"), "info")
        self._follow.setCheckable(True)
        self._build()
        self._connect()

    def begin_new(self) -> None:
        """Begin a new job."""
        self.form.begin_new()
        self._open(0)

    def begin_copy(self, job_id: str) -> None:
        """Begin a new job that is like that one."""
        state = self._context.store.state_of(job_id)
        assert state is not None
        assert state.file.job is not None
        draft = draft_of(state.file.job, system_zone())
        draft.title, draft.start = say("{title} (copy)", title=draft.title), None
        self.form.begin_new(draft)
        self._open(0)

    def begin_change(self, job_id: str) -> None:
        """Begin to change that job; a file that cannot be read any more is told."""
        state = self._context.store.state_of(job_id)
        assert state is not None
        try:
            self.form.begin_change(state)
        except BirkezError as error:
            self._refuse(sentence(error))
        self._opened = set(range(len(self.steps)))
        self._open(0)

    @property
    def current(self) -> int:
        """Number of the step that is open."""
        return self._stack.currentIndex()

    def go(self, number: int) -> None:
        """Open that step; one that lies ahead only when those before it are right."""
        wrong = next((at for at in range(min(number, REVIEW)) if not self._is_right(at)), None)
        if wrong is not None and wrong < number:
            self._opened.add(wrong)
            self.form.is_all_shown = self.form.is_all_shown or wrong == CAREFUL
            self.form.show_faults_of(self.steps[wrong].keys)
            number = wrong
            self.form.checked.emit()
        self._open(number)
        at_fault = self.steps[number].first_wrong() if wrong == number else None
        if at_fault is not None:
            at_fault.setFocus(Qt.FocusReason.OtherFocusReason)

    def _build(self) -> None:
        for step in self.steps:
            self._stack.addWidget(step)
        foot = row(
            self.cancel,
            self._follow,
            None,
            self.back,
            self.next,
            self.save,
            self.save_and_run,
            gap=8,
            margins=(16, 12, 16, 12),
        )
        self._refusal.hide()
        room = column(self._refusal, margins=(16, 0, 16, 0))
        lay_out_steps(self, (self.step_list, self._stack, self.side), room, foot)
        resize_within_screen(self, _WIDTH, _HEIGHT)

    def _connect(self) -> None:
        self.cancel.clicked.connect(self.reject)
        self.back.clicked.connect(lambda: self.go(self.current - 1))
        self.next.clicked.connect(lambda: self.go(self.current + 1))
        self.save.clicked.connect(partial(self._save, is_run_wanted=False))
        self.save_and_run.clicked.connect(partial(self._save, is_run_wanted=True))
        self.step_list.chosen.connect(self.go)
        self._follow.toggled.connect(self._arrange)
        review = self.steps[REVIEW]
        assert isinstance(review, Review)
        review.step_wanted.connect(self.go)
        self.form.checked.connect(self._write)
        self.saving.saved.connect(self._on_saved)
        self.saving.refused.connect(self._refuse)
        self.saving.choice_needed.connect(self._ask_about_past)
        self._context.language.changed.connect(self._retranslate)
        answer_f1(self, self._context, _HELP[0])
        for keys, act in (
            ("Ctrl+Return", self._go_on),
            ("Ctrl+Enter", self._go_on),
            ("Alt+Left", self._go_back),
            ("Alt+Right", self._go_forward),
            ("Ctrl+S", lambda: self._save(is_run_wanted=False)),
        ):
            QShortcut(QKeySequence(keys), self).activated.connect(act)

    def _go_back(self) -> None:
        if self.current:
            self.go(self.current - 1)

    def _go_forward(self) -> None:
        if self.current < REVIEW:
            self.go(self.current + 1)

    def _go_on(self) -> None:
        if self.current < REVIEW:
            self._go_forward()
        else:
            self._save(is_run_wanted=False)

    def _open(self, number: int) -> None:
        self._opened.add(number)
        self._stack.setCurrentIndex(number)
        self.side.show_step(number)
        is_about(self, _HELP[number])
        self._write()
        first = self.steps[number].first()
        if first is not None:
            first.setFocus(Qt.FocusReason.OtherFocusReason)

    def _is_right(self, number: int) -> bool:
        step = self.steps[number]
        if isinstance(step, Careful) and not step.is_answered:
            return False
        if number == REVIEW:
            return all(self._is_right(at) for at in range(REVIEW))
        return self.form.is_right(step.keys)

    def _write(self) -> None:
        form, current = self.form, self.current
        name = form.draft.title.strip() or _("New job")
        state = say("new job, short name {id}", id=form.proposed_id) if form.is_new else form.job_id
        self.step_list.show_name(name, state if form.draft.title.strip() else _("new job"))
        for number, step in enumerate(self.steps):
            self.step_list.show_step(
                number,
                is_open=number == current,
                is_right=self._is_right(number),
                is_known=number in self._opened,
                summary=step.summary() if number in self._opened or number < current else "",
            )
        is_review = current == REVIEW
        self.back.setVisible(current > 0)
        self.next.setVisible(not is_review)
        self.save.setVisible(is_review or not form.is_new)
        self.save_and_run.setVisible(is_review)
        if not is_review:
            self.next.setText(say("Next: {step}", step=_(self.steps[current + 1].title)))
        can_save = self._is_right(REVIEW) and not self.saving.is_under_way
        self.save.setEnabled(can_save and (form.is_new or form.is_changed))
        self.save_and_run.setEnabled(can_save)
        self.setWindowTitle(_("New job") if form.is_new else say("Edit: {title}", title=name))

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._arrange()

    def _arrange(self) -> None:
        """Show form and side beside each other, or where letters are large one after the other."""
        letter = QFontMetrics(self._context.theme.font()).averageCharWidth()
        side = max(_SIDE, letter * _SIDE_LETTERS)
        is_narrow = self.width() - self.step_list.width() - side < letter * _FORM_LETTERS
        is_side = is_narrow and self._follow.isChecked()
        self._follow.setVisible(is_narrow)
        self._stack.setVisible(not is_side)
        self.side.setVisible(not is_narrow or is_side)
        self.side.setMinimumWidth(0 if is_narrow else side)
        self.side.setMaximumWidth(_NO_LIMIT if is_narrow else side)

    def _retranslate(self) -> None:
        for step in self.steps:
            step.retranslate()
        self.side.retranslate()
        self._write()

    def _save(self, *, is_run_wanted: bool, _checked: bool = False) -> None:
        if not self._is_right(REVIEW):
            self.go(REVIEW)
            return
        self._refusal.hide()
        self._is_run_wanted = is_run_wanted
        self.saving.save()
        self._write()

    def _on_saved(self, job_id: str, complaint: str) -> None:
        self.form.begin_saved()
        self.saved.emit(job_id, self._is_run_wanted)
        if complaint:
            self._context.commands.complained.emit(complaint)
        self.reject()

    def _refuse(self, text: str) -> None:
        self._refusal.tell("bad", "state-failed", _("It was not saved"), text)
        self._refusal.show()
        self._write()

    def _ask_about_past(self, job_id: str) -> None:
        dialog = PastDialog(self._context, job_id, self)
        dialog.chosen.connect(self.saving.save)
        dialog.open()
        self._write()

    def reject(self) -> None:
        """Close, by Esc, the button or the frame; what was typed is not thrown away unasked."""
        if self.form.is_changed and not self._may_discard():
            return
        self.form.stop()
        super().reject()

    def closeEvent(self, event: QCloseEvent) -> None:
        if not event.spontaneous():  # the application ends, by a signal or a log-off: a question would keep it
            self.form.begin_saved()
        super().closeEvent(event)

    def _may_discard(self) -> bool:
        asking = QMessageBox(self)
        asking.setWindowTitle(_("New job") if self.form.is_new else _("Edit"))
        asking.setText(_("What you typed is not saved."))
        discard = asking.addButton(_("Discard it"), QMessageBox.ButtonRole.DestructiveRole)
        stay = asking.addButton(_("Go on editing"), QMessageBox.ButtonRole.RejectRole)
        asking.setDefaultButton(stay)
        asking.exec()
        return asking.clickedButton() is discard
