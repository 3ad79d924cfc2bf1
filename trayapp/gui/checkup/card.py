"""One finding as a card, with the button that mends it; a guarded remedy asks in the card before it is done."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QLineEdit, QPushButton, QWidget

from trayapp.gui.checkup.findings import consequence_words, remedy_words
from trayapp.gui.context import Place
from trayapp.gui.look.callout import Callout
from trayapp.gui.look.widgets import button, column, label, row, wrapping
from trayapp.wording.mark import N_
from trayapp.wording.speech import say

if TYPE_CHECKING:
    from collections.abc import Callable

    from trayapp.gui.checkup.findings import Finding
    from trayapp.gui.commands import Done
    from trayapp.gui.context import Context
    from trayapp.gui.look.theme import Tone

_PLACE_OF_REASON = "…"  # in a remedy's words, where the person's own reason belongs


class FindingCard(Callout):
    """Says what, why and who suffers; `mended` when its remedy was done."""

    mended = Signal()

    def __init__(self, context: Context, finding: Finding) -> None:
        super().__init__(context)
        self._context, self.finding = context, finding
        self.remedy: QPushButton | None = None
        self.reason = QLineEdit()
        self.refusal = wrapping(label(context, size="small"))
        self.refusal.set_tone("bad")
        self.refusal.hide()
        self.confirm = button(context, remedy_words(finding) or N_("Mend it"), kind="primary")
        self._asking = self._make_asking()
        self.body.addWidget(self._asking)
        self.body.addWidget(self.refusal)
        self._write()

    def _write(self) -> None:
        finding = self.finding
        state = self._context.store.snapshot.job(finding.job) if finding.job else None
        name = state.title if state else finding.job
        title, text = finding.words(name)
        concerned = say("Concerns: {job}", job=name) if finding.job and name not in title else ""
        tone: Tone = "bad" if finding.weight == "problem" and not finding.needs_decision else "warn"
        self.tell(tone, _icon_of(finding), title, text, concerned)
        buttons: list[QWidget] = []
        if state is not None:
            opening = button(self._context, N_("Open the job"), kind="link")
            opening.clicked.connect(lambda: self._context.go_to(Place("jobs", finding.job)))
            buttons.append(opening)
        words = remedy_words(finding)
        if words:
            self.remedy = button(self._context, words, "repair" if finding.remedy[:1] == ("schedule",) else "")
            self.remedy.setAccessibleDescription(title)
            self.remedy.clicked.connect(self._on_remedy)
            buttons.append(self.remedy)
        self.buttons.show_only(*buttons)

    def _make_asking(self) -> QWidget:
        context, finding = self._context, self.finding
        made = QWidget()
        if not finding.is_guarded:
            made.hide()
            return made
        consequence = wrapping(label(context, consequence_words(finding), weight=500))
        context.language.bind(self.reason, "setPlaceholderText", N_("Reason (recorded with the decision)"))
        context.language.bind(self.reason, "setAccessibleName", N_("Reason (recorded with the decision)"))
        if not finding.needs_reason:
            self.reason.hide()
        later = button(context, N_("Decide later"))
        later.clicked.connect(made.hide)
        self.reason.textChanged.connect(self._on_reason)
        self.confirm.clicked.connect(self._do)
        self.confirm.setEnabled(not finding.needs_reason)
        made.setLayout(column(consequence, self.reason, row(None, later, self.confirm), gap=8, margins=(0, 6, 0, 0)))
        made.hide()
        return made

    def _on_reason(self, text: str) -> None:
        self.confirm.setEnabled(bool(text.strip()))

    def _on_remedy(self) -> None:
        finding = self.finding
        if finding.needs_decision:
            self._context.go_to(Place("jobs", finding.job, action="decide"))
        elif finding.is_guarded:
            self._asking.show()
            (self.reason if finding.needs_reason else self.confirm).setFocus()
        else:
            self._do()

    def _do(self) -> None:
        words = [self.reason.text().strip() if word == _PLACE_OF_REASON else word for word in self.finding.remedy]
        for made in (self.remedy, self.confirm):
            if made is not None:
                made.setEnabled(False)
        then: Callable[[Done], None] = self._on_done
        self._context.commands.ask(words, then, None if words[0] == "run" else 120)

    def _on_done(self, done: Done) -> None:
        # `doctor --accept-clock` and `schedule check --repair` end with what is still wrong, which is looked at next.
        is_told = self.finding.remedy[0] in ("doctor", "schedule") and bool(done.output.strip())
        if done.is_good or is_told:
            self._context.store.read_again()
            self.mended.emit()
            return
        for made in (self.remedy, self.confirm):
            if made is not None:
                made.setEnabled(True)
        self.refusal.setText(done.complaint or done.output.strip())
        self.refusal.show()


def _icon_of(finding: Finding) -> str:
    if finding.needs_decision:
        return "state-uncertain"
    return "state-failed" if finding.weight == "problem" else "state-trigger"
