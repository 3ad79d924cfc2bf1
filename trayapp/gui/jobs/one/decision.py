"""Decisions that nobody else may make: about an uncertain period, and to leave a failing one out.

Consequences in words, nothing chosen beforehand, a reason asked, which is recorded.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QButtonGroup, QFrame, QLineEdit, QRadioButton

from trayapp import clock
from trayapp.gui.jobs.table.flow import Flow
from trayapp.gui.look.widgets import button, column, label, wrapping
from trayapp.gui.state.words import period_words
from trayapp.job.model import CommandEffect
from trayapp.wording.mark import N_
from trayapp.wording.speech import say

if TYPE_CHECKING:
    from trayapp.gui.commands import Done
    from trayapp.gui.context import Context
    from trayapp.gui.state.snapshot import JobState, Unsettled


class Choice(QFrame):
    """A radio button with what follows from it, in a frame that can be clicked whole."""

    def __init__(self, context: Context, text: str, consequence: str) -> None:
        super().__init__()
        self._context = context
        self.setProperty("kind", "card")
        self.radio = QRadioButton()
        context.language.bind(self.radio, "setText", text)
        self.consequence = wrapping(label(context, consequence, "small", is_second=True))
        self.consequence.setContentsMargins(24, 0, 0, 0)
        self.setLayout(column(self.radio, self.consequence, gap=2, margins=(12, 9, 12, 9)))
        context.language.bind(self.radio, "setAccessibleDescription", consequence)
        self.radio.toggled.connect(self._on_toggled)

    def _on_toggled(self, is_chosen: bool) -> None:  # noqa: FBT001  # Qt's signal
        self.setProperty("kind", "callout" if is_chosen else "card")
        self.setProperty("tone", "run" if is_chosen else None)
        self.style().unpolish(self)
        self.style().polish(self)

    def mousePressEvent(self, event: object) -> None:
        super().mousePressEvent(event)  # type: ignore[arg-type]
        self.radio.setChecked(True)
        self.radio.setFocus()


class Decision(QFrame):
    """The card that asks; `resolve` or `skip` is done by the command, whose refusal stands in the card."""

    decided = Signal()

    def __init__(self, context: Context) -> None:
        super().__init__()
        self._context = context
        self._job, self._row = "", None  # type: str, Unsettled | None
        self.setProperty("kind", "card")
        self._head = wrapping(label(context, weight=600))
        self._done = Choice(
            context,
            N_("It was done: count it as done"),
            N_("This period is not run again. What waits behind it goes on with the next run."),
        )
        self._again = Choice(
            context,
            N_("It was not done: run it again"),
            N_("It is done anew with the same key. If it had been done after all, it is done twice."),
        )
        self._skip = Choice(
            context,
            N_("Leave this period out"),
            N_(
                "Its data is never processed by this job, unless you reopen the period in History. Later periods go on."
            ),
        )
        self._reason = QLineEdit()
        self._refusal = wrapping(label(context, size="small"))
        self._save = button(context, N_("Save the decision"), kind="primary")
        self._build()
        self.hide()

    def ask_about(self, state: JobState) -> bool:
        """Open for the uncertain period of that job; False where it has none."""
        row_ = state.uncertain
        if row_ is None:
            return False
        is_command = state.file.job is not None and isinstance(state.file.job.effect, CommandEffect)
        hint = N_("How do you know? For example: the portal shows 42 invoices")
        text = N_("Look first what became of {period}: has its work been done?")
        self._open(state.id, row_, text, hint if is_command else N_("How do you know?"), (self._done, self._again))
        return True

    def ask_to_skip(self, state: JobState, row_: Unsettled) -> None:
        """Open for leaving out a period that fails again and again."""
        text = N_("{period} shall be left out?")
        self._open(state.id, row_, text, N_("Why? It is written beside the period"), (self._skip,))

    def close_card(self) -> bool:
        """Close it undecided; False when it was closed."""
        was_open = not self.isHidden()
        self.hide()
        return was_open

    def show_job(self, state: JobState) -> None:
        """Close when the period that was asked about is no longer open, or another job is shown."""
        is_open = state.id == self._job and self._row is not None
        if not is_open or all(row_.key != self._row.key for row_ in state.unsettled):  # type: ignore[union-attr]
            self.hide()

    def _build(self) -> None:
        context = self._context
        self._group = QButtonGroup(self)
        for choice in (self._done, self._again, self._skip):
            self._group.addButton(choice.radio)
            choice.radio.toggled.connect(self._on_changed)
        caption = label(context, N_("Reason (recorded with the decision)"), "small", 500)
        caption.setBuddy(self._reason)
        context.language.bind(self._reason, "setAccessibleName", N_("Reason (recorded with the decision)"))
        self._reason.textChanged.connect(self._on_changed)
        self._refusal.set_tone("bad")
        later = button(context, N_("Decide later"))
        later.clicked.connect(self.hide)
        self._save.clicked.connect(self._on_save)
        self._reason.returnPressed.connect(self._on_save)
        self.setLayout(
            column(
                self._head,
                self._done,
                self._again,
                self._skip,
                caption,
                self._reason,
                self._refusal,
                Flow([later, self._save]),
                gap=8,
                margins=(16, 12, 16, 14),
            )
        )

    def _open(self, job: str, row_: Unsettled, text: str, hint: str, choices: tuple[Choice, ...]) -> None:
        is_same = (job, row_.key) == (self._job, self._row.key if self._row else "") and self.isVisible()
        self._job, self._row = job, row_
        if not is_same:
            self._group.setExclusive(False)
            for choice in (self._done, self._again, self._skip):
                choice.radio.setChecked(False)
            self._group.setExclusive(True)
            self._reason.clear()
            self._refusal.hide()
        for choice in (self._done, self._again, self._skip):
            choice.setVisible(choice in choices)
        self._head.setText(say(text, period=period_words(row_.start, row_.end, clock.now())))
        self._context.language.bind(self._reason, "setPlaceholderText", hint)
        self.show()
        choices[0].radio.setFocus()
        self._on_changed()

    def _on_changed(self) -> None:
        self._save.setEnabled(self._group.checkedButton() is not None and bool(self._reason.text().strip()))

    def _on_save(self) -> None:
        if not self._save.isEnabled() or self._row is None:
            return
        chosen, reason = self._group.checkedButton(), ["--reason", self._reason.text().strip()]
        if chosen is self._skip.radio:
            from trayapp.clock import format_instant  # noqa: PLC0415  # beside its only use

            words = ["skip", self._job, format_instant(self._row.start), *reason]
        else:
            answer = "--done" if chosen is self._done.radio else "--again"
            words = ["resolve", self._job, self._row.key, answer, *reason]
        self._save.setEnabled(False)
        self._context.commands.ask(words, self._on_done)

    def _on_done(self, done: Done) -> None:
        self._refusal.setText(done.complaint or done.output.strip())
        self._refusal.setVisible(not done.is_good)
        self._on_changed()
        if done.is_good:
            self.hide()
            self._context.store.read_again()
            self.decided.emit()
