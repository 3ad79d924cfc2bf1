"""From the wish to decide about a period to its answer: buttons, question, command, words."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QFrame, QLabel, QWidget

from trayapp import clock
from trayapp.gui.context import Place
from trayapp.gui.history.detail.choices import BUTTONS, can_run, question_for, wishes_for
from trayapp.gui.history.detail.decision_card import DecisionCard
from trayapp.gui.look.widgets import button, card, column, label, row, wrapping
from trayapp.gui.state.answer_words import Words, answer_words
from trayapp.gui.state.words import period_words
from trayapp.wording.mark import N_
from trayapp.wording.speech import _

if TYPE_CHECKING:
    from trayapp.gui.commands import Done
    from trayapp.gui.context import Context
    from trayapp.gui.history.detail.choices import Choice, Wish
    from trayapp.gui.history.detail.reading import Details
    from trayapp.gui.history.detail.window_list import WindowList
    from trayapp.gui.run_now import Answer
    from trayapp.history.records import WindowRecord


class Deciding(QObject):
    """Everything about decisions in the detail of a run. `changed` when something was decided."""

    changed = Signal()
    card_shown = Signal(bool)

    def __init__(self, context: Context, windows: WindowList) -> None:
        super().__init__(windows)
        self._context, self._windows = context, windows
        self._job = ""
        self._asked_soon: Wish | None = None
        self._about: WindowRecord | None = None
        self._words: Words | None = None
        self.card = DecisionCard(context)
        self._wish_buttons = {wish: button(context, text, icon) for wish, (text, icon) in BUTTONS.items()}
        context.icons.put(self._wish_buttons["decide"], "state-uncertain", "warn")
        self._run = button(context, N_("Run this period now"), "play")
        self.buttons = QWidget()
        self.buttons.setLayout(row(*self._wish_buttons.values(), self._run, gap=8))
        self._icon = QLabel()
        self._said = wrapping(label(context, weight=600))
        self._more = wrapping(label(context))
        self._run_next = button(context, N_("Run now"), "play")
        self.strip = self._make_strip()
        self._connect()
        self.show_buttons()

    def show_run(self, details: Details) -> None:
        """Decide about the periods of that run from now on."""
        self._job = details.run.job
        self.show_buttons()
        if self._asked_soon is not None:
            wish, self._asked_soon = self._asked_soon, None
            window = self._windows.chosen()
            if wish in wishes_for(window):
                self._ask(wish)

    def show_buttons(self) -> None:
        """Offer what may be decided about the chosen period."""
        window = self._windows.chosen() if self._job else None
        wishes = wishes_for(window)
        for wish, made in self._wish_buttons.items():
            made.setVisible(wish in wishes)
        self._run.setVisible(can_run(window))

    @property
    def stops(self) -> list[QWidget]:
        """What Tab comes to in the head of a run, in order."""
        return [*self._wish_buttons.values(), self._run]

    @property
    def strip_stops(self) -> list[QWidget]:
        """What Tab comes to in an answer."""
        return [self._run_next]

    def ask_soon(self, wish: Wish) -> None:
        """Ask for that as soon as the run is read."""
        self._asked_soon = wish

    def leave(self) -> bool:
        """Put off the question, or take the answer away; False when there was neither."""
        was_asking, had_answer = self.card.is_asking, self._words is not None
        self.card.close_question()
        self.card_shown.emit(False)
        if not was_asking:
            self._show(None)
        if was_asking:
            self._windows.setFocus()
        return was_asking or had_answer

    def retranslate(self) -> None:
        """Write the answer in the colours of now."""
        self._show(self._words)

    def _connect(self) -> None:
        for wish, made in self._wish_buttons.items():
            made.clicked.connect(partial(self._ask, wish))
        self._run.clicked.connect(self._on_run)
        self._run_next.clicked.connect(lambda: self._context.run_now.press(self._job))
        self.card.decided.connect(self._on_decided)
        self.card.left.connect(self.leave)
        self._context.run_now.answered.connect(self._on_answered)
        self._context.run_now.started.connect(self._on_started)

    def _make_strip(self) -> QFrame:
        words = column(self._said, self._more, gap=1)
        layout = row(self._icon, words, self._run_next, gap=10, margins=(12, 8, 12, 8))
        layout.setStretch(1, 1)
        strip = card(layout, "idle")
        holder = QFrame()
        holder.setLayout(row(strip, margins=(16, 0, 16, 8)))
        self._callout = strip
        holder.hide()
        return holder

    def _ask(self, wish: Wish) -> None:
        window = self._windows.chosen()
        if window is None:
            return
        self._about = window
        state = self._context.store.snapshot.job(self._job)
        period = period_words(window.start, window.end, clock.now())
        self._show(None)
        self.card_shown.emit(True)
        self.card.ask(question_for(wish, window, self._job, state, period))

    def _on_decided(self, choice: Choice, reason: str) -> None:
        self.card.close_question()
        self.card_shown.emit(False)
        self._show(Words("run", "info", _("Recording the decision…")))
        job, window = self._job, self._about
        self._context.commands.ask(choice.command(reason), lambda done: self._on_done(choice, job, window, done))

    def _on_done(self, choice: Choice, job: str, window: WindowRecord | None, done: Done) -> None:
        if done.is_good:
            if choice.runs and window is not None:
                self._context.run_now.press(job, window.start)
            self._tell(job, Words("ok", "check", _("Recorded."), choice.answer), offers_run=not choice.runs)
        else:
            text = done.complaint or _("Birkez could not be started, or ended without an answer.")
            self._tell(job, Words("bad", "state-failed", _("Nothing was changed."), text))
        self._context.store.survey_soon()
        self.changed.emit()

    def _on_run(self) -> None:
        window = self._windows.chosen()
        if window is not None:
            self._context.run_now.press(self._job, window.start)

    def _on_started(self, job: str) -> None:
        self._tell(job, Words("run", "state-running", _("Started")))

    def _on_answered(self, answer: Answer) -> None:
        if self._words is not None:  # that something was started here is what is told now
            self._tell(answer.job, answer_words(answer, clock.now()))
            self.changed.emit()

    def _tell(self, job: str, words: Words, *, offers_run: bool = False) -> None:
        if job == self._job:
            self._show(words, offers_run=offers_run)

    def _show(self, words: Words | None, *, offers_run: bool = False) -> None:
        self._words = words
        self.strip.setVisible(words is not None)
        if words is None:
            return
        theme, icons = self._context.theme, self._context.icons
        self._callout.setProperty("tone", words.tone)
        self._callout.style().unpolish(self._callout)
        self._callout.style().polish(self._callout)
        ratio = self._callout.devicePixelRatioF()
        self._icon.setPixmap(icons.pixmap(words.icon, theme.fill(words.tone), 18, ratio))
        self._said.setText(words.title)
        self._said.set_tone(words.tone)
        self._more.setText(words.text)
        self._more.setVisible(bool(words.text))
        self._run_next.setVisible(offers_run)

    def go_to_job(self) -> None:
        """Open the page of the run's job."""
        self._context.go_to(Place("jobs", self._job))
