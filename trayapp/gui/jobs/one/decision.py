"""Decisions that nobody else may make: about an uncertain period, and to leave a failing one out.

Consequences in words, nothing chosen beforehand, a reason asked, which is recorded. What is
asked, and the command that answers, are those of History.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QButtonGroup, QFrame, QLineEdit, QWidget

from trayapp import clock
from trayapp.gui.help.asking import is_about
from trayapp.gui.history.detail.choices import question_for
from trayapp.gui.jobs.table.flow import Flow
from trayapp.gui.look.way import Way
from trayapp.gui.look.widgets import button, column, label, wrapping
from trayapp.gui.state.words import period_words
from trayapp.wording.mark import N_

if TYPE_CHECKING:
    from trayapp.gui.commands import Done
    from trayapp.gui.context import Context
    from trayapp.gui.history.detail.choices import Choice, Question, Wish
    from trayapp.gui.state.snapshot import JobState, Unsettled


class Decision(QFrame):
    """The card that asks; what is decided is done by the command, whose refusal stands in the card."""

    decided = Signal()

    def __init__(self, context: Context) -> None:
        super().__init__()
        self._context = context
        self._job = ""
        self._row: Unsettled | None = None
        self._question: Question | None = None
        self.ways: list[Way] = []
        self.setProperty("kind", "card")
        is_about(self, "decide")
        self._head = wrapping(label(context, weight=600))
        self._text = wrapping(label(context, size="small", is_second=True))
        self._places = column(gap=8)
        self.reason = QLineEdit()
        self.refusal = wrapping(label(context, size="small"))
        self.save = button(context, N_("Record the decision"), kind="primary")
        self._build()
        self.hide()

    def ask_about(self, state: JobState) -> bool:
        """Open for the uncertain period of that job; False where it has none."""
        if state.uncertain is None:
            return False
        self._open("decide", state, state.uncertain)
        return True

    def ask_to_skip(self, state: JobState, row_: Unsettled) -> None:
        """Open for leaving out a period that fails again and again."""
        self._open("skip", state, row_)

    def close_card(self) -> bool:
        """Close it undecided; False when it was closed."""
        was_open = not self.isHidden()
        self.hide()
        return was_open

    def show_job(self, state: JobState) -> None:
        """Close when the period that was asked about is no longer open, or another job is shown."""
        is_open = self._row is not None and any(row_.key == self._row.key for row_ in state.unsettled)
        if state.id != self._job or not is_open:
            self.hide()

    def _build(self) -> None:
        context = self._context
        self._group = QButtonGroup(self)
        caption = label(context, N_("Reason (recorded with the decision)"), "small", 500)
        caption.setBuddy(self.reason)
        context.language.bind(self.reason, "setAccessibleName", N_("Reason (recorded with the decision)"))
        self.reason.textChanged.connect(self._on_changed)
        self.refusal.set_tone("bad")
        later = button(context, N_("Decide later"))
        later.clicked.connect(self.hide)
        self.save.clicked.connect(self._on_save)
        self.reason.returnPressed.connect(self._on_save)
        buttons = Flow([later, self.save])
        parts = (self._head, self._text, self._places, caption, self.reason, self.refusal, buttons)
        self.setLayout(column(*parts, gap=8, margins=(16, 12, 16, 14)))

    def _open(self, wish: Wish, state: JobState, row_: Unsettled) -> None:
        period = period_words(row_.start, row_.end, clock.now())
        question = question_for(wish, row_, state.id, state, period)
        known = (self._job, self._row and self._row.key, self._question)
        self._job, self._row = state.id, row_
        if (self._job, row_.key, question) != known or not self.isVisible():
            self._ask(question)
        self.show()
        self.ways[0].radio.setFocus()
        self._on_changed()

    def _ask(self, question: Question) -> None:
        self._question = question
        self._head.setText(question.title)
        self._text.setText(question.text)
        self.reason.setPlaceholderText(question.hint)
        self.reason.clear()
        self.refusal.hide()
        for way in self.ways:
            self._group.removeButton(way.radio)
            way.hide()
            way.deleteLater()
        self.ways = [Way(self._context, choice.title, choice.text) for choice in question.choices]
        before: QWidget = self._head
        for way in self.ways:
            self._group.addButton(way.radio)
            way.radio.toggled.connect(self._on_changed)
            self._places.addWidget(way)
            self.setTabOrder(before, way.radio)
            before = way.radio
        self.setTabOrder(before, self.reason)

    def _chosen(self) -> Choice | None:
        ways = zip(self.ways, self._question.choices if self._question is not None else (), strict=True)
        return next((choice for way, choice in ways if way.radio.isChecked()), None)

    def _on_changed(self) -> None:
        self.save.setEnabled(self._chosen() is not None and bool(self.reason.text().strip()))

    def _on_save(self) -> None:
        chosen = self._chosen()
        if chosen is None or not self.save.isEnabled():
            return
        self.save.setEnabled(False)
        job, row_ = self._job, self._row
        self._context.commands.ask(
            chosen.command(self.reason.text().strip()), lambda done: self._on_done(chosen, job, row_, done)
        )

    def _on_done(self, chosen: Choice, job: str, row_: Unsettled | None, done: Done) -> None:
        self.refusal.setText(done.complaint or done.output.strip())
        self.refusal.setVisible(not done.is_good)
        self._on_changed()
        if done.is_good:
            self.hide()
            if chosen.runs and row_ is not None:
                self._context.run_now.press(job, row_.start)
            self._context.store.read_again()
            self.decided.emit()
