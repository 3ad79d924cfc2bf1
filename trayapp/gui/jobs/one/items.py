"""A job's list on its page: how it stands, how far the workers are, and what failed, with another try for it."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QFrame
from shiboken6 import isValid

from trayapp import clock
from trayapp.gui.help.asking import is_about
from trayapp.gui.jobs.one.lost_table import Lost, LostTable
from trayapp.gui.jobs.table.flow import Flow
from trayapp.gui.look.share_bar import ShareBar
from trayapp.gui.look.widgets import button, column, label, row, wrapping
from trayapp.gui.run_now import Answer
from trayapp.gui.state.answer_words import Words, answer_words
from trayapp.gui.state.item_words import counts_words, failed_words, pace_words, progress_words
from trayapp.gui.state.words import holder_words
from trayapp.wording.mark import N_
from trayapp.wording.speech import _

if TYPE_CHECKING:
    from trayapp.gui.commands import Done
    from trayapp.gui.context import Context
    from trayapp.gui.state.snapshot import ItemCounts, JobState


class ItemsCard(QFrame):
    """Hidden for a job with periods. `told` says what came of a press."""

    told = Signal(object)  # Words

    def __init__(self, context: Context) -> None:
        super().__init__()
        self._context = context
        self._state: JobState | None = None
        self._asked: tuple[str, ItemCounts | None] = ("", None)
        self._counts: ItemCounts | None = None  # the last that was told: a run that ended makes a survey old
        self.setProperty("kind", "card")
        is_about(self, "lists")
        self.line = wrapping(label(context, weight=500))
        self.pace = wrapping(label(context, size="small", is_second=True))
        self.bar = ShareBar(context, 8)
        self.join = button(context, N_("Add a worker"), "plus")
        context.language.bind(
            self.join, "setToolTip", N_("One more worker beside the others; it ends when nothing is left to do.")
        )
        self.retry = button(context, N_("Try again what failed"), "refresh")
        self.table = LostTable(context)
        self._lost_title = label(context, N_("What could not be made, and why"), size="small", weight=600)
        buttons = Flow([self.retry, self.join])
        head = row(label(context, N_("The list"), weight=600), None)
        parts = (head, self.line, self.bar, self.pace, self._lost_title, self.table, buttons)
        self.setLayout(column(*parts, gap=8, margins=(16, 10, 12, 12)))
        self.join.clicked.connect(self._on_join)
        self.retry.clicked.connect(self._on_retry)
        self.hide()

    def show_job(self, state: JobState) -> None:
        """Show that job's list."""
        if self._state is None or self._state.id != state.id:
            self._counts = None
            self.table.show_lost([])
        self._state = state
        if state.survey is not None and state.survey.items is not None:
            self._counts = state.survey.items
        self.setVisible(state.has_items)
        if state.has_items:
            self.write_again()
            self._ask()

    def write_again(self) -> None:
        """Write in the language of now."""
        state = self._state
        if state is None:
            return
        progress = state.progress
        self.bar.show_progress(progress)
        self.pace.setVisible(progress is not None)
        if progress is not None:
            words = progress_words(progress).partition(", ")[0]
            self.line.setText(f"{words}, {failed_words(progress.failed)}" if progress.failed else words)
            holder = holder_words(state.lock.holder, clock.now()) if state.lock.state == "held" else ""
            self.pace.setText("\n".join(filter(None, (pace_words(progress), holder))))
        else:
            self.line.setText(counts_words(self._counts) if self._counts is not None else _("Not looked at"))
        self._write_lost()

    def show_lost(self, told: dict[str, Any]) -> None:
        """Show what `birkez items --failed --json` told."""
        failed = [Lost(str(one["item"]), str(one["message"]), is_refused=False) for one in told.get("failures", ())]
        failed += [Lost(str(one["item"]), str(one["message"]), is_refused=True) for one in told.get("refusals", ())]
        self.table.show_lost(failed)
        self._write_lost()

    def _write_lost(self) -> None:
        lost = self.table.lost
        self._lost_title.setVisible(bool(lost))
        self.table.setVisible(bool(lost))
        self.retry.setVisible(any(not one.is_refused for one in lost))

    def _ask(self) -> None:
        """Ask for the failures, once for each state of the list."""
        assert self._state is not None
        asked = (self._state.id, self._counts)
        if self._counts is None or asked == self._asked:
            return
        self._asked = asked
        if not self._counts.failed + self._counts.refused:
            self.show_lost({})
            return
        self._context.commands.ask(["items", asked[0], "--failed", "--json"], partial(self._on_lost, asked[0]))

    def _on_lost(self, job_id: str, done: Done) -> None:
        if isValid(self) and self._state is not None and self._state.id == job_id and done.is_good:
            self.show_lost(done.json())

    def _on_join(self) -> None:
        assert self._state is not None
        job_id = self._state.id
        self._context.commands.ask(["work", job_id, "--json"], partial(self._on_worked, job_id), None)
        text = _("It works beside the others and ends when nothing is left to do.")
        self.told.emit(Words("run", "state-running", _("One more worker was started"), text))

    def _on_worked(self, job_id: str, done: Done) -> None:
        self._context.store.survey_soon()
        if self._state is not None and self._state.id == job_id:
            facts = done.json()
            answer = Answer(job_id, facts, "" if facts else done.complaint)
            self.told.emit(answer_words(answer, clock.now()))

    def _on_retry(self) -> None:
        assert self._state is not None
        self.retry.setEnabled(False)
        self._context.commands.ask(["items", self._state.id, "--retry"], partial(self._on_retried, self._state.id))

    def _on_retried(self, job_id: str, done: Done) -> None:
        self.retry.setEnabled(True)
        self._context.store.survey_soon()
        if not done.is_good:
            words = done.complaint or done.output.strip()
            self.told.emit(Words("bad", "state-failed", _("That was not done"), words))
            return
        self._context.run_now.press(job_id)
