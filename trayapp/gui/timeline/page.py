"""Each job's periods along the clock: what was done, what waits, what failed, and when runs started."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

from PySide6.QtCore import QRect, Qt, QTimer
from PySide6.QtGui import QAccessible, QAccessibleEvent, QPalette
from PySide6.QtWidgets import QLabel, QStackedWidget, QWidget

from trayapp import clock
from trayapp.gui.context import Place
from trayapp.gui.history.desk import Desk
from trayapp.gui.look.empty import EmptyState
from trayapp.gui.look.widgets import button, column, held, label, line, row, wrapping
from trayapp.gui.page import Page
from trayapp.gui.timeline.canvas import Canvas
from trayapp.gui.timeline.card import PeriodCard
from trayapp.gui.timeline.head import Head
from trayapp.gui.timeline.legend import legend
from trayapp.gui.timeline.words import gap_words, period_card, run_card
from trayapp.wording.mark import N_
from trayapp.wording.speech import sentence

if TYPE_CHECKING:
    from PySide6.QtGui import QHideEvent, QShowEvent

    from trayapp.errors import BirkezError
    from trayapp.gui.context import Context
    from trayapp.gui.state.snapshot import Snapshot
    from trayapp.gui.timeline.rows import Spot
    from trayapp.gui.timeline.words import Card

_REST_MS = 120  # the pointer rests before a card is shown
_GATHER_MS = 200
_MINUTE_MS = 60_000


class TimelinePage(Page):
    """Each job's periods along the clock."""

    name = "timeline"
    title = N_("Timeline")
    icon = "nav-timeline"

    def __init__(self, context: Context, parent: QWidget | None = None) -> None:
        super().__init__(context, parent)
        self._desk = Desk(context.places, "timeline", self)
        self.canvas = Canvas(context, self._desk)
        self.card = PeriodCard(context, self.canvas.viewport())
        self._gap_icon = QLabel()
        self._gaps = wrapping(label(context, weight=600))
        self._gap_line = QWidget()
        self._head = Head(context, self.canvas)
        self._stack = QStackedWidget()
        self._resting = self._timer(_REST_MS, self._show_pointed)
        self._gathering = self._timer(_GATHER_MS, self._on_gathered)
        self._minute = self._timer(_MINUTE_MS, self._on_minute)
        self._is_stale = False
        self._build()
        self._connect()

    def show_snapshot(self, snapshot: Snapshot) -> None:
        self.canvas.show_snapshot(snapshot, sort=not self.isVisible())
        has_jobs = bool(self.canvas.rows.jobs) or not snapshot.is_read
        self._stack.setCurrentIndex(0 if has_jobs else 1)
        self._write_gaps()

    def retranslate(self) -> None:
        self._write_gaps()
        self.canvas.viewport().update()
        self._show_chosen(self.canvas.chosen)

    def go_to(self, place: Place) -> None:
        rows = [row for row, job in enumerate(self.canvas.rows.jobs) if job.id == place.job]
        if rows and place.start is not None:
            at_s = place.start.timestamp()
            self.canvas.look_at(rows[0], at_s)
            self.canvas.choose_when_read(rows[0], at_s)
            self.canvas.rows.doubt()
            self.canvas.refresh()
        elif rows:
            self.canvas.look_at(rows[0], clock.now().timestamp())
        self.canvas.setFocus()

    def read_again(self) -> None:
        self.canvas.rows.doubt()
        self.canvas.refresh()

    def leave_card(self) -> bool:
        if self.canvas.chosen is None and not self.card.isVisible():
            return False
        self.card.hide()
        self.canvas.choose(None)
        return True

    # ------------------------------------------------------------------ building

    def _build(self) -> None:
        context = self.context
        self._problem = button(context, N_("Next problem"), "state-trigger")
        self._problem.clicked.connect(lambda: self._press(Qt.Key.Key_N))
        gaps = row(self._gap_icon, self._gaps, self._problem, gap=8, margins=(24, 0, 16, 10))
        gaps.setStretch(1, 1)
        self._gap_line.setLayout(gaps)
        empty = EmptyState(
            context,
            N_("No jobs yet"),
            N_("Each job has a strip here, and each of its periods a block: done, waiting, failed."),
            N_("New job"),
            lambda: context.go_to(Place("jobs", action="new")),
        )
        self._trouble = wrapping(label(context))
        self._trouble.setContentsMargins(24, 24, 24, 24)
        self._stack.addWidget(self.canvas)
        self._stack.addWidget(held(column(empty), QPalette.ColorRole.Base))
        self._stack.addWidget(held(column(self._trouble, None), QPalette.ColorRole.Base))
        layout = column(self._head, self._gap_line, line(), self._stack, line(), legend(context), gap=0)
        layout.setStretch(3, 1)
        self.setLayout(layout)
        for one, other in pairwise([*self._head.stops, self._problem, self.canvas]):
            QWidget.setTabOrder(one, other)

    def _connect(self) -> None:
        canvas, store = self.canvas, self.context.store
        canvas.chosen_changed.connect(self._show_chosen)
        canvas.pointed.connect(lambda _spot: self._on_pointed())
        canvas.opened.connect(self._on_opened)
        canvas.scale_changed.connect(self._on_scale)
        canvas.verticalScrollBar().valueChanged.connect(lambda _value: self.card.hide())
        store.history_read.connect(self._gather)
        store.ticked.connect(self._on_tick)
        self._desk.failed.connect(self._on_trouble)
        self._desk.answered.connect(self._on_answered)
        self.context.theme.changed.connect(self._write_gaps)

    def _timer(self, interval_ms: int, slot: object) -> QTimer:
        timer = QTimer(self)
        timer.setSingleShot(True)
        timer.setInterval(interval_ms)
        timer.timeout.connect(slot)
        return timer

    # ------------------------------------------------------------------ what happens

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self.canvas.show_snapshot(self.context.store.snapshot, sort=True)
        self.canvas.follow()
        if self.canvas.boot_s is None:
            self._desk.ask("boot", lambda _reader: _boot_s(), self._on_boot)
        if self._is_stale:
            self._on_gathered()
        self._wait_for_minute()

    def hideEvent(self, event: QHideEvent) -> None:
        super().hideEvent(event)
        self._minute.stop()
        self.card.hide()

    def _wait_for_minute(self) -> None:
        """Move the line of now once a minute, as long as somebody looks."""
        now = clock.now()
        self._minute.start(_MINUTE_MS - int((now.second + now.microsecond / 1e6) * 1000))

    def _on_minute(self) -> None:
        if not self.isVisible():
            return
        self.canvas.rows.doubt()  # a period may have closed
        self.canvas.follow()
        self.canvas.refresh()
        self._wait_for_minute()

    def _on_tick(self) -> None:
        if self.isVisible():
            self.canvas.viewport().update()

    def _gather(self) -> None:
        if not self._gathering.isActive():
            self._gathering.start()

    def _on_gathered(self) -> None:
        if not self.isVisible():
            self._is_stale = True
            return
        self._is_stale = False
        self.read_again()

    def _on_scale(self) -> None:
        """Mark the button whose span is shown; none when it is another."""
        self._show_chosen(self.canvas.chosen)
        self._head.mark_span(self.canvas.scale.span_s)

    def _on_pointed(self) -> None:
        self.canvas.viewport().update()
        self._resting.start()

    def _show_pointed(self) -> None:
        spot = self.canvas.pointed_at
        if spot is not None:
            self._show_card(spot)
        else:
            self._show_chosen(self.canvas.chosen)

    def _show_chosen(self, spot: Spot | None) -> None:
        if spot is None or (spot.period is None and spot.mark is None) or not self.canvas.is_in_sight(spot):
            self.card.hide()
            if spot is not None:
                self._tell(self.canvas.rows.jobs[spot.row].title)
            return
        card = self._show_card(spot)
        self._tell(f"{self.canvas.rows.jobs[spot.row].title}. {card.spoken}")

    def _show_card(self, spot: Spot) -> Card:
        now, job = clock.now(), self.canvas.rows.jobs[spot.row]
        if spot.mark is not None:
            card = run_card(spot.mark, now)
        else:
            assert spot.period is not None
            card = period_card(spot.period, job, now)
        view = self.canvas.viewport().rect()
        area = QRect(self.canvas.name_width, self.canvas.head_height, view.width(), view.height())
        area.setRight(view.right() - 4)
        area.setBottom(view.bottom() - 4)
        self.card.show_card(card, self.canvas.place_of(spot), area)
        return card

    def _tell(self, words: str) -> None:
        """Let a screen reader say what is chosen: the canvas is one widget to it."""
        self.canvas.setAccessibleDescription(words)
        event = QAccessibleEvent(self.canvas, QAccessible.Event.DescriptionChanged)
        QAccessible.updateAccessibility(event)

    def _on_opened(self, spot: Spot) -> None:
        job = self.canvas.rows.jobs[spot.row].id
        if spot.mark is not None:
            self.context.go_to(Place("history", job, spot.mark.run.run))
        elif spot.period is not None and spot.period.window is not None and spot.period.window.run:
            window = spot.period.window
            self.context.go_to(Place("history", job, window.run, window.start))
        elif spot.period is not None and spot.period.counts is not None:
            self.canvas.look_at(spot.row, spot.period.start_s)
            self.canvas.zoom(0.3, self.canvas.scale.x_of(spot.period.start_s))
        else:
            self.context.go_to(Place("jobs", job))

    def _write_gaps(self) -> None:
        words = gap_words(self.canvas.rows.jobs)
        has_problems = bool(self.canvas.rows.problems())
        self._gap_line.setVisible(bool(words) or has_problems)
        self._gaps.setText(words)
        self._gaps.set_tone("warn")
        self._problem.setVisible(has_problems)
        theme = self.context.theme
        self._gap_icon.setVisible(bool(words))
        sign = self.context.icons.pixmap("state-trigger", theme.fill("warn"), 16, self.devicePixelRatioF())
        self._gap_icon.setPixmap(sign)

    def _press(self, key: Qt.Key) -> None:
        from trayapp.gui.timeline.keys import act_on_key  # noqa: PLC0415  # one place says what keys mean

        self.canvas.setFocus()
        act_on_key(self.canvas, key)

    def _on_boot(self, boot_s: float | None) -> None:
        self.canvas.boot_s = boot_s
        self.canvas.viewport().update()

    def _on_trouble(self, error: BirkezError) -> None:
        self._trouble.setText(sentence(error))
        self._stack.setCurrentIndex(2)

    def _on_answered(self) -> None:
        if self._stack.currentIndex() == 2:  # noqa: PLR2004  # the place of the trouble
            self._stack.setCurrentIndex(0)


def _boot_s() -> float | None:
    """When this computer was started; None where the system does not tell."""
    import psutil  # noqa: PLC0415  # 10 ms that only this view pays

    try:
        return float(psutil.boot_time())
    except (OSError, psutil.Error):
        return None
