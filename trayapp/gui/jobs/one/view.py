"""One job's page, put together: head, problem, decision, strip, facts, last runs."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QPoint, Qt, Signal
from PySide6.QtGui import QPalette
from PySide6.QtWidgets import QFrame, QScrollArea, QWidget

from trayapp import clock
from trayapp.gui.context import Place
from trayapp.gui.jobs.one.decision import Decision
from trayapp.gui.jobs.one.facts import Facts
from trayapp.gui.jobs.one.head import Head
from trayapp.gui.jobs.one.items import ItemsCard
from trayapp.gui.jobs.one.problem import Problem
from trayapp.gui.jobs.one.reading import JobSeen, read_job_seen
from trayapp.gui.jobs.one.runs import Runs
from trayapp.gui.jobs.one.strip import Strip
from trayapp.gui.look.widgets import button, card, column, label, row
from trayapp.gui.state.reader import Reader
from trayapp.wording.mark import N_

if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import datetime

    from PySide6.QtWidgets import QPushButton

    from trayapp.gui.context import Context
    from trayapp.gui.state.snapshot import JobState, Unsettled

_MARGINS = (24, 16, 24, 20)


class JobView(QScrollArea):
    """Shows one job; reads its history in a thread of its own."""

    edit_pressed = Signal(str)
    menu_asked = Signal(str, QPoint)

    def __init__(self, context: Context) -> None:
        super().__init__()
        self._context = context
        self._state: JobState | None = None
        self._asked: tuple[object, ...] = ()
        self.seen: JobSeen | None = None
        self.head, self.problem, self.decision = Head(context), Problem(context), Decision(context)
        self.items = ItemsCard(context)
        self._strip, self._facts, self._runs = Strip(context), Facts(context), Runs(context)
        self._reader = Reader("job", self._read, self)
        self._reader.was_read.connect(self._on_read)
        self._reader.start()
        self.destroyed.connect(self._reader.stop)
        self._build()

    def show_job(self, state: JobState) -> None:
        """Show that job as it is now."""
        if self._state is None or self._state.id != state.id:
            self.verticalScrollBar().setValue(0)
            self.seen = None
        self._state = state
        self.head.show_job(state)
        self.problem.show_job(state)
        self.decision.show_job(state)
        self.items.show_job(state)
        self._facts.show_job(state, clock.now())
        asked = (state.id, state.file, state.last, state.survey.done_up_to if state.survey else None, state.unsettled)
        if asked != self._asked:
            self._asked = asked
            self._reader.ask([state.id])

    def decide(self) -> None:
        """Open the card that asks about the uncertain period."""
        if self._state is not None and self.decision.ask_about(self._state):
            self.ensureWidgetVisible(self.decision)

    def leave_card(self) -> bool:
        """Close the decision, or take the answer away."""
        return self.decision.close_card() or self.head.dismiss()

    def write_again(self) -> None:
        """Write in the language of now."""
        self.head.write_again()
        self.problem.write_again()
        self.items.write_again()
        if self._state is not None:
            self._facts.show_job(self._state, clock.now())
        if self.seen is not None:
            self._runs.show_seen(self.seen, clock.now())

    @property
    def state(self) -> JobState | None:
        """Job that is shown."""
        return self._state

    def _build(self) -> None:
        context = self._context
        to_timeline = button(context, N_("Open in Timeline"), kind="link")
        to_timeline.clicked.connect(lambda: self._go(Place("timeline", self._id)))
        self._strip_card = self._card(N_("Last periods"), to_timeline, self._strip)
        to_history = button(context, N_("All in History"), kind="link")
        to_history.clicked.connect(lambda: self._go(Place("history", self._id)))
        self._runs_card = self._card(N_("Last runs"), to_history, self._runs)
        facts_card = card(column(self._facts, margins=(16, 12, 16, 14)))
        inner = QWidget()
        inner.setLayout(
            column(
                self.head,
                self.problem,
                self.decision,
                self.items,
                self._strip_card,
                facts_card,
                self._runs_card,
                None,
                gap=12,
                margins=_MARGINS,
            )
        )
        inner.setBackgroundRole(QPalette.ColorRole.Window)
        inner.setAutoFillBackground(True)
        self.setWidget(inner)
        self.setWidgetResizable(True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.head.edit_pressed.connect(self.edit_pressed)
        self.head.menu_asked.connect(self.menu_asked)
        self.items.told.connect(self.head.tell)
        self.problem.decide_pressed.connect(self.decide)
        self.problem.skip_pressed.connect(self._on_skip)
        self._runs.run_opened.connect(lambda run: self._go(Place("history", self._id, run=run)))

    def _card(self, title: str, link: QPushButton, part: QWidget) -> QFrame:
        head = row(label(self._context, title, weight=600), None, link)
        return card(column(head, part, gap=8, margins=(16, 10, 12, 12)))

    @property
    def _id(self) -> str:
        return self._state.id if self._state is not None else ""

    def _go(self, place: Place) -> None:
        self._context.go_to(place)

    def _on_skip(self, row_: Unsettled) -> None:
        if self._state is not None:
            self.decision.ask_to_skip(self._state, row_)
            self.ensureWidgetVisible(self.decision)

    def _read(self, _names: frozenset[str]) -> JobSeen | None:
        state = self._state  # the newest wish counts, whatever was asked before
        if state is None:
            return None
        up_to: datetime | None = state.survey.done_up_to if state.survey else None
        read: Callable[[], JobSeen] = partial(read_job_seen, self._context.places, state.file.job, state.id, up_to)
        return read()

    def _on_read(self, seen: JobSeen | None) -> None:
        if seen is None or self._state is None or seen.job_id != self._state.id:
            return
        self.show_seen(seen)

    def show_seen(self, seen: JobSeen) -> None:
        """Show what history knows."""
        self.seen = seen
        self._strip_card.setVisible(bool(seen.blocks))
        self._strip.show_seen(seen)
        self._runs.show_seen(seen, clock.now())
