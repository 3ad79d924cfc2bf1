"""The end: the job is there, its entry was read back, and Run now has answered, twice where one likes."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QPlainTextEdit

from trayapp import clock
from trayapp.gui.context import Place
from trayapp.gui.jobs.editor.steps.step import Step
from trayapp.gui.look.callout import Callout
from trayapp.gui.look.widgets import button, label, row, wrapping
from trayapp.gui.state.answer_words import answer_words
from trayapp.trigger.findings import scheduler_words
from trayapp.wording.mark import N_
from trayapp.wording.speech import _, say

if TYPE_CHECKING:
    from PySide6.QtWidgets import QWidget

    from trayapp.gui.commands import Done
    from trayapp.gui.jobs.editor.form.form import Form
    from trayapp.gui.run_now import Answer

_LINES = 7  # of the native entry that are seen at once
_STANDS_STILL = "stopped"  # the entry is right, and the scheduler does not work
_STANDING = ("installed", _STANDS_STILL)


class Result(Step):
    """Tells of one job what has become of it; `ended` once Run now has answered."""

    title: ClassVar[str] = N_("It is set up")
    ended = Signal()

    def __init__(self, form: Form) -> None:
        super().__init__(form, N_("This is what was done, and what Birkez answers when it is asked again."))
        context = form.context
        self.job_id = ""
        self.answers: list[Answer] = []
        self._entry: Done | None = None
        self.added, self.entry, self.first_answer, self.second_answer = (Callout(context) for _number in range(4))
        self.text = QPlainTextEdit()
        self.text.setReadOnly(True)
        self.text.setTabChangesFocus(True)
        self.text.setFont(context.theme.font("small", monospace=True))
        context.language.bind(self.text, "setAccessibleName", N_("Entry as the scheduler has it"))
        self.again = button(context, N_("Press Run now once more"), "play", "primary")
        note = N_("Do try it: a job that has done its periods does nothing and says why.")
        self._note = wrapping(label(context, note, "small", is_second=True))
        again = row(self.again, self._note, gap=12)
        again.setStretch(1, 1)
        self.build(self.added, self.entry, self.text, self.first_answer, again, self.second_answer)
        self.again.clicked.connect(self._on_again)
        context.run_now.answered.connect(self._on_answered)

    def first(self) -> QWidget:
        return self.again

    def retranslate(self) -> None:
        self._write()

    def begin(self, job_id: str, complaint: str = "") -> None:
        """Tell of that job, which was added and is started; *complaint* is what adding warned of."""
        self.job_id, self.answers, self._entry = job_id, [], None
        self._complaint = complaint
        self.look()
        self._write()

    def look(self) -> None:
        """Have the scheduler's entry read back and compared."""
        self.form.context.commands.ask(["schedule", "show", self.job_id, "--json"], self._on_looked)

    def _on_looked(self, done: Done) -> None:
        self._entry = done
        self._write()

    def _on_repair(self) -> None:
        words = ["schedule", "check", self.job_id, "--repair"]
        self.form.context.commands.do(words, self.look)

    def _on_again(self) -> None:
        self.again.setEnabled(False)
        self.form.context.run_now.press(self.job_id)

    def _on_answered(self, answer: Answer) -> None:
        if self.job_id and answer.job == self.job_id:
            self.answers.append(answer)
            self._write()
            self.ended.emit()
            if len(self.answers) == 1:
                self.again.setFocus()
            else:
                self.ensureWidgetVisible(self.second_answer)

    def _write(self) -> None:
        if not self.job_id:
            return
        text = N_("What it is called here: {job}. It stands under Jobs, and can be changed there.")
        self.added.tell("ok", "check", _("The job was added"), say(text, job=self.job_id), self._complaint)
        self._write_entry()
        now = clock.now()
        if not self.answers:
            self.first_answer.tell("run", "state-running", _("Run now was pressed; it is at work"))
        else:
            words = answer_words(self.answers[0], now)
            self.first_answer.tell(words.tone, words.icon, words.title, words.text)
        self.again.setEnabled(bool(self.answers) and not self.form.context.run_now.is_under_way(self.job_id))
        self.second_answer.setVisible(len(self.answers) > 1)
        if len(self.answers) > 1:
            words = answer_words(self.answers[-1], now)
            self.second_answer.tell(words.tone, words.icon, words.title, words.text)

    def _write_entry(self) -> None:
        self.text.hide()
        if self._entry is None:
            self.entry.tell("idle", "by-schedule", _("The scheduler's entry is looked at…"))
            self.entry.buttons.show_only()
            return
        facts = self._entry.json()
        if not facts:  # no scheduler is used here, or the job is started by hand
            self.entry.tell("idle", "by-schedule", _("No entry in a scheduler"), self._entry.complaint)
            self.entry.buttons.show_only()
            return
        name = scheduler_words(facts["scheduler"])
        if facts["state"] in _STANDING:
            self._show_text(facts["entry"] or "")
        if facts["state"] == _STANDS_STILL:
            text = N_("The entry is there and as it should be, but {scheduler} does not work now. Check-up says why.")
            leave = button(self.form.context, N_("Check-up"), "nav-checkup", "remedy")
            leave.clicked.connect(lambda: self.form.context.go_to(Place("checkup")))
            title = _("The scheduler stands still")
            self.entry.tell("warn", "state-trigger", title, say(text, scheduler=name))
            self.entry.buttons.show_only(leave)
        elif facts["state"] in _STANDING:
            title = say("{scheduler} starts it: {schedule}", scheduler=name, schedule=facts["schedule"])
            text = _("The entry was read back after it was written, and is as it should be:")
            self.entry.tell("ok", "check", title, text)
            self.entry.buttons.show_only()
        else:
            title = _("The scheduler does not start it yet")
            error = (facts.get("error") or {}).get("message", "")
            repair = button(self.form.context, N_("Repair"), "repair", "remedy")
            repair.clicked.connect(self._on_repair)
            text = error or _("Repair writes the entry anew and reads it back.")
            self.entry.tell("warn", "state-trigger", title, text)
            self.entry.buttons.show_only(repair)

    def _show_text(self, entry: str) -> None:
        self.text.setPlainText(entry)
        lines = min(max(entry.count("\n") + 2, 3), _LINES)
        self.text.setFixedHeight(self.text.fontMetrics().lineSpacing() * lines + 20)
        self.text.show()
