"""The welcome's window: three steps to a first safe job, and what came of it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QFontMetrics, QKeySequence, QShortcut
from PySide6.QtWidgets import QDialog, QMessageBox, QStackedWidget, QWidget

from trayapp.gui.help.asking import answer_f1
from trayapp.gui.jobs.editor.form.form import Form
from trayapp.gui.jobs.editor.frame import lay_out_steps, resize_within_screen
from trayapp.gui.jobs.editor.past_dialog import PastDialog
from trayapp.gui.jobs.editor.saving import Saving
from trayapp.gui.jobs.editor.side import REVIEW, WHAT, WHEN, Side
from trayapp.gui.jobs.editor.step_list import StepList
from trayapp.gui.jobs.sample_maker import SampleMaker
from trayapp.gui.jobs.welcome.choose import Choose
from trayapp.gui.jobs.welcome.data import Data
from trayapp.gui.jobs.welcome.result import Result
from trayapp.gui.jobs.welcome.templates import ADOPT, SAMPLE, draft_of_template
from trayapp.gui.jobs.welcome.times import Times
from trayapp.gui.look.callout import Callout
from trayapp.gui.look.widgets import button, column, row
from trayapp.wording.mark import N_
from trayapp.wording.speech import _, say

if TYPE_CHECKING:
    from PySide6.QtGui import QCloseEvent, QResizeEvent

    from trayapp.gui.commands import Done
    from trayapp.gui.context import Context
    from trayapp.gui.jobs.editor.steps.step import Step

_WIDTH, _HEIGHT = 1160, 740
_SIDE, _SIDE_LETTERS, _FORM_LETTERS = 380, 42, 58  # pixels; letters
_SIDES = (WHAT, WHEN, REVIEW)
_TIMES, _RESULT = 2, 3


class WelcomeWindow(QDialog):
    """Makes a job from a template; `opened` with its id when it shall be shown, `made` as soon as it is there."""

    made = Signal(str)
    opened = Signal(str)

    def __init__(self, context: Context, parent: QWidget | None) -> None:
        super().__init__(parent, Qt.WindowType.Window)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self._context = context
        self.form = Form(context, self)
        self.saving = Saving(self.form)
        self.choose, self.data, self.times = Choose(self.form), Data(self.form), Times(self.form)
        self.ending = Result(self.form)
        self.steps: tuple[Step, ...] = (self.choose, self.data, self.times, self.ending)
        self.side = Side(self.form)
        self.step_list = StepList(context, [step.title for step in self.steps[:_RESULT]])
        self._sample = SampleMaker(context, self)
        self._stack = QStackedWidget()
        self._refusal = Callout(context)
        self._known = {0}
        self._is_under_way = False
        self.cancel = button(context, N_("Cancel"))
        self.back = button(context, N_("Back"))
        self.next = button(context, "", kind="primary")
        self.finish = button(context, N_("Add it and run it now"), "play", "primary")
        self.show_job = button(context, N_("Open the job"), kind="primary")
        self._build()
        self._connect()
        self.form.begin_new()
        self._open(0)

    @property
    def current(self) -> int:
        """Number of the step that is open; 3 is the end."""
        return self._stack.currentIndex()

    def go(self, number: int) -> None:
        """Open that step; one that lies ahead only when those before it are right."""
        if self.current == _RESULT or self._is_under_way:
            return
        wrong = next((at for at in range(min(number, _TIMES)) if not self._is_right(at)), None)
        if wrong is None or wrong >= number:
            self._open(number)
            return
        self.form.show_faults_of(self.steps[wrong].keys)
        self._open(wrong)
        at_fault = self.steps[wrong].first_wrong()
        if at_fault is not None:
            at_fault.setFocus(Qt.FocusReason.OtherFocusReason)

    def _build(self) -> None:
        for step in self.steps:
            self._stack.addWidget(step)
        foot = row(self.cancel, None, self.back, self.next, self.finish, self.show_job, gap=8, margins=(16, 12, 16, 12))
        self._refusal.hide()
        room = column(self._refusal, margins=(16, 8, 16, 0))
        lay_out_steps(self, (self.step_list, self._stack, self.side), room, foot)
        resize_within_screen(self, _WIDTH, _HEIGHT)

    def _connect(self) -> None:
        self.cancel.clicked.connect(self.reject)
        self.back.clicked.connect(lambda: self.go(self.current - 1))
        self.next.clicked.connect(self._go_on)
        self.finish.clicked.connect(self._go_on)
        self.show_job.clicked.connect(self._on_show_job)
        self.step_list.chosen.connect(self.go)
        self.choose.template_chosen.connect(self._on_template)
        self.choose.found.changed.connect(self._on_found)
        self.form.checked.connect(self._write)
        self.saving.saved.connect(self._on_saved)
        self.saving.refused.connect(self._refuse)
        self.saving.choice_needed.connect(self._ask_about_past)
        self._sample.made.connect(self._on_made)
        self._sample.refused.connect(self._refuse)
        self._context.language.changed.connect(self._retranslate)
        for keys in ("Ctrl+Return", "Ctrl+Enter"):
            QShortcut(QKeySequence(keys), self).activated.connect(self._go_on)
        answer_f1(self, self._context, "first-job")
        QShortcut(QKeySequence("Alt+Left"), self).activated.connect(self._go_back)

    def _go_back(self) -> None:
        if self.current:
            self.go(self.current - 1)

    def _go_on(self) -> None:
        if self._is_under_way:
            return
        if self.current == _RESULT:
            self._on_show_job()
        elif self.choose.template == SAMPLE or (self.current == _TIMES and self._is_all_right()):
            self._finish()
        else:
            self.go(self.current + 1)

    def _open(self, number: int) -> None:
        self._known.add(number)
        self._stack.setCurrentIndex(number)
        if number < _RESULT:
            self.side.show_step(_SIDES[number])
        self._refusal.hide()
        self._write()
        self._arrange()
        first = self.steps[number].first()
        if first is not None:
            first.setFocus(Qt.FocusReason.OtherFocusReason)

    def _is_right(self, number: int) -> bool:
        return bool((self.choose, self.data, self.times)[number].is_right)

    def _is_all_right(self) -> bool:
        return all(self._is_right(number) for number in range(_RESULT))

    def _on_template(self, name: str) -> None:
        self._known = {0}
        self.times.adopted_times = ""
        draft = draft_of_template(name)
        self.form.begin_new(draft)
        self.data.begin(is_adopting=name == ADOPT)
        self._arrange()
        self._write()

    def _on_found(self) -> None:
        found = self.choose.found.chosen
        self.times.adopted_times = _("As before: {times}").format(times=found.times) if found is not None else ""
        self.times.retranslate()
        self._write()

    def _write(self) -> None:
        current, is_sample = self.current, self.choose.template == SAMPLE
        is_end = current == _RESULT
        found = self.choose.found.chosen if self.choose.template == ADOPT else None
        name = found.title if found is not None else self.form.draft.title.strip()
        self.step_list.show_name(name or _("New job"), _("in three steps"))
        for number in range(_RESULT):
            self.step_list.show_step(
                number,
                is_open=number == current,
                is_right=is_end or self._is_right(number),
                is_known=number in self._known or is_end,
                summary=self.steps[number].summary() if number in self._known or is_end else "",
            )
        is_last = is_sample or current == _TIMES
        self.cancel.setVisible(not is_end)
        self.back.setVisible(0 < current < _RESULT)
        self.next.setVisible(not is_end and not is_last)
        self.next.setEnabled(bool(self.choose.template))
        self.finish.setVisible(not is_end and is_last)
        self.finish.setEnabled(not self._is_under_way and (is_sample or self._is_all_right()))
        self.show_job.setVisible(is_end)
        if current < _TIMES:
            self.next.setText(say("Next: {step}", step=_(self.steps[current + 1].title)))
        self.setWindowTitle(_("New job from a template"))

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._arrange()

    def _arrange(self) -> None:
        """Show the side where there is room for it and it has something to say."""
        letter = QFontMetrics(self._context.theme.font()).averageCharWidth()
        side = max(_SIDE, letter * _SIDE_LETTERS)
        is_narrow = self.width() - self.step_list.width() - side < letter * _FORM_LETTERS
        has_words = self.current < _RESULT and self.choose.template not in ("", ADOPT, SAMPLE)
        self.side.setVisible(has_words and not is_narrow)
        self.side.setFixedWidth(side)

    def _retranslate(self) -> None:
        for step in self.steps:
            step.retranslate()
        self.side.retranslate()
        self._write()

    def _finish(self) -> None:
        self._is_under_way = True
        self._refusal.hide()
        if self.choose.template == SAMPLE:
            self._sample.make()
        elif self.choose.template == ADOPT:
            self._adopt()
        else:
            self.saving.save()
        self._write()

    def _adopt(self) -> None:
        found = self.choose.found.chosen
        assert found is not None
        answer = "yes" if self.form.draft.repeatable else "no"
        self._context.commands.ask(["adopt", found.entry, "--repeatable", answer, "--json"], self._on_adopted)

    def _on_adopted(self, done: Done) -> None:
        told: dict[str, Any] = next(iter(done.json().get("adopted", ())), {})
        if told.get("job"):
            self._on_saved(told["job"], "")
        else:
            self._refuse((told.get("error") or {}).get("message") or done.complaint or done.output.strip())

    def _on_saved(self, job_id: str, complaint: str) -> None:
        self._context.store.read_again()
        self._context.run_now.press(job_id)
        self._on_made(job_id, complaint)

    def _on_made(self, job_id: str, complaint: str = "") -> None:
        self._is_under_way = False
        self.form.begin_saved()
        self.ending.begin(job_id, complaint)
        self._open(_RESULT)
        self.made.emit(job_id)

    def _on_show_job(self) -> None:
        self.opened.emit(self.ending.job_id)
        self.reject()

    def _refuse(self, text: str) -> None:
        self._is_under_way = False
        self._refusal.tell("bad", "state-failed", _("It was not saved"), text)
        self._refusal.show()
        self._write()

    def _ask_about_past(self, job_id: str) -> None:
        self._is_under_way = False
        dialog = PastDialog(self._context, job_id, self)
        dialog.chosen.connect(self.saving.save)
        dialog.open()
        self._write()

    def reject(self) -> None:
        """Close, by Esc, the button or the frame; what was typed is not thrown away unasked."""
        if self.form.is_changed and not self._may_discard():
            return
        self.form.stop()
        self._sample.stop()
        super().reject()

    def closeEvent(self, event: QCloseEvent) -> None:
        if not event.spontaneous():  # the application ends: a question would keep it
            self.form.begin_saved()
        super().closeEvent(event)

    def _may_discard(self) -> bool:
        asking = QMessageBox(self)
        asking.setWindowTitle(_("New job"))
        asking.setText(_("What you typed is not saved."))
        discard = asking.addButton(_("Discard it"), QMessageBox.ButtonRole.DestructiveRole)
        stay = asking.addButton(_("Go on editing"), QMessageBox.ButtonRole.RejectRole)
        asking.setDefaultButton(stay)
        asking.exec()
        return asking.clickedButton() is discard
