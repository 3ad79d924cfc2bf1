"""The lower half of the history: one run in full, and what may be done about it."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, QUrl, Signal
from PySide6.QtGui import QDesktopServices, QPalette
from PySide6.QtWidgets import QLabel, QSizePolicy, QSplitter, QStackedWidget, QWidget

from trayapp import clock
from trayapp.gui.context import Place
from trayapp.gui.history.detail.deciding import Deciding
from trayapp.gui.history.detail.line_list import RunLineList, RunLineModel
from trayapp.gui.history.detail.output_view import OutputView
from trayapp.gui.history.detail.reading import read_details
from trayapp.gui.history.detail.window_list import WindowList, WindowModel
from trayapp.gui.history.run_words import STARTERS, duration_words, is_alive, result_of
from trayapp.gui.look.elided import ElidedLabel
from trayapp.gui.look.widgets import button, column, held, label, line, row, wrapping
from trayapp.wording.instants import show_instant
from trayapp.wording.mark import N_
from trayapp.wording.speech import _, say

if TYPE_CHECKING:
    from trayapp.gui.context import Context
    from trayapp.gui.history.desk import Desk
    from trayapp.gui.history.detail.reading import Details
    from trayapp.gui.history.run_pages import RunRow
    from trayapp.history.records import RunRecord


HANDLE_RULE = "QSplitter::handle { background: palette(mid); }"


class RunDetail(QWidget):
    """Shows a run; `closed` when Esc leaves what was asked here."""

    read = Signal()  # what was asked for is shown

    def __init__(self, context: Context, desk: Desk) -> None:
        super().__init__()
        self._context, self._desk = context, desk
        self._row: RunRow | None = None
        self._details: Details | None = None
        self._wanted_key = ""
        self._sign = QLabel()
        self._title = ElidedLabel(context, "head", 600)
        self._facts = ElidedLabel(context, "small", 400)
        self._trouble = wrapping(label(context, size="small", weight=600))
        self._open_output = button(context, N_("Open the output"), "file")
        self._windows, self._lines = WindowModel(), RunLineModel()
        self.window_list, self.line_list = WindowList(context, self._windows), RunLineList(context, self._lines)
        self.output = OutputView(context)
        self.deciding = Deciding(context, self.window_list)
        self._stack = QStackedWidget()
        self._columns = QSplitter(Qt.Orientation.Horizontal)
        self._no_windows = wrapping(label(context, "", "small", is_second=True))
        self._waiting = wrapping(label(context, "", "small", is_second=True))
        self._build()
        self._connect()
        self.show_run(None)

    def show_run(self, found: RunRow | None, *, key: str = "") -> None:
        """Show that run, with the period of *key* chosen in it where that is given; None shows what stands here."""
        is_other = found is None or self._row is None or found.run.run != self._row.run.run
        self._row = found
        if key:
            self._wanted_key = key
        if found is None:
            self._details = None
            self._desk.forget("detail")
            self.deciding.leave()
            self._stack.setCurrentIndex(0)
            self._write()
            return
        if is_other:
            self._wanted_key = key
            self._details = None
            self.deciding.leave()
            self.output.begin()
        self._stack.setCurrentIndex(1)
        self._write()
        self._read()

    @property
    def stops(self) -> list[QWidget]:
        """What Tab comes to, in order."""
        columns = [self.window_list, self.line_list, *self.output.stops]
        return [
            *self.deciding.stops,
            self._open_output,
            *self.deciding.strip_stops,
            *self.deciding.card.stops,
            *columns,
        ]

    def leave_card(self) -> bool:
        """Put off what is asked, or take an answer away."""
        return self.deciding.leave()

    def decide(self) -> None:
        """Ask for the decision about the uncertain period of this run, as soon as it is read."""
        self.deciding.ask_soon("decide")

    def retranslate(self) -> None:
        """Write everything anew."""
        self._write()
        self.output.retranslate()
        self.deciding.retranslate()
        self.window_list.viewport().update()
        self.line_list.viewport().update()

    def tick(self) -> None:
        """Follow a run that is at work: how long it takes, what it prints."""
        if self._row is not None and is_alive(self._row.run, self._context.store.snapshot):
            self._write_head(self._row)
            self._read()

    def _build(self) -> None:
        context = self._context
        self._facts.setProperty("kind", "second")
        head = row(
            self._sign,
            self._title,
            self._facts,
            self.deciding.buttons,
            self._open_output,
            gap=8,
            margins=(16, 8, 16, 8),
        )
        head.setStretch(2, 1)
        self._title.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Fixed)
        windows = self._part(N_("Periods"), self._no_windows, self.window_list, self._waiting)
        lines = self._part(N_("Log: this run and around it"), self.line_list)
        for part in (windows, lines, self.output):
            self._columns.addWidget(part)
        self._columns.setSizes([245, 545, 317])
        self._columns.setChildrenCollapsible(False)
        self._columns.setHandleWidth(1)
        self._columns.setStyleSheet(HANDLE_RULE)
        body = QStackedWidget()
        body.addWidget(self._columns)
        body.addWidget(self.deciding.card)
        self.deciding.card_shown.connect(lambda is_shown: body.setCurrentIndex(int(is_shown)))
        self._trouble.setContentsMargins(44, 0, 16, 8)
        top = held(column(head, self._trouble, self.deciding.strip, gap=0))
        whole = column(line(), top, line(), body, gap=0)
        whole.setStretch(3, 1)
        shown = held(whole, QPalette.ColorRole.Base)
        hint = label(context, N_("Choose a run to see its periods, its log lines and what it printed."), is_second=True)
        hint.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self._stack.addWidget(held(column(wrapping(hint)), QPalette.ColorRole.Base))
        self._stack.addWidget(shown)
        self.setLayout(column(self._stack, gap=0))
        context.language.bind(self, "setAccessibleName", N_("The chosen run"))

    def _part(self, title: str, *parts: QWidget) -> QWidget:
        head = label(self._context, title, "small", 650, is_second=True)
        head.setContentsMargins(16, 8, 12, 4)
        for part in parts:
            if part in (self._no_windows, self._waiting):
                part.setContentsMargins(16, 2, 12, 6)
                part.setAlignment(Qt.AlignmentFlag.AlignTop)
        layout = column(head, *parts, gap=0)
        layout.setStretch(1 + parts.index(self.window_list if self.window_list in parts else self.line_list), 1)
        return held(layout, QPalette.ColorRole.Base)

    def _connect(self) -> None:
        context = self._context
        self._open_output.clicked.connect(self._on_open_output)
        self.output.more_wanted.connect(lambda _bytes: self._read())
        self.window_list.selectionModel().currentChanged.connect(lambda *_: self.deciding.show_buttons())
        self.deciding.changed.connect(self._read)
        context.theme.changed.connect(self.retranslate)

    def _read(self) -> None:
        if self._row is None:
            return
        run = self._row.run
        question = partial(read_details, places=self._context.places, run=run, head_bytes=self.output.head_bytes)
        self._desk.ask("detail", question, self._on_read)

    def _on_read(self, details: Details) -> None:
        if self._row is None or details.run.run != self._row.run.run:
            return
        is_first = self._details is None
        before, self._details = self._details, details
        chosen = self.window_list.chosen()
        self._row = self._row._replace(run=details.run)
        if before is None or before.windows != details.windows:
            self._windows.show(details.windows)
            self.window_list.choose(self._wanted_key or (chosen.key if chosen is not None else ""))
        self._lines.show(details)
        if is_first:
            self.line_list.show_own()
        self.output.show_output(details.output)
        self._write()
        self.deciding.show_run(details)
        self.read.emit()

    def _write(self) -> None:
        found, details = self._row, self._details
        if found is None:
            return
        self._write_head(found)
        self._open_output.setVisible(details is not None and details.output is not None)
        has_windows = details is not None and bool(details.windows)
        self.window_list.setVisible(has_windows)
        self._no_windows.setVisible(not has_windows)
        self._no_windows.setText(_(_NO_WINDOWS) if details is not None else "")
        waiting = found.run.waiting
        self._waiting.setVisible(bool(waiting))
        self._waiting.setText(say("Periods that still waited after it: {count:number}", count=waiting))

    def _write_head(self, found: RunRow) -> None:
        """Say which run this is; the title has its width, the facts what is left."""
        context, now, run = self._context, clock.now(), found.run
        snapshot = context.store.snapshot
        result = result_of(found, snapshot, now)
        self._sign.setPixmap(context.icons.sign(result.sign, 20, self.devicePixelRatioF()))
        job = snapshot.job(run.job)
        title = say("{job}, {at}", job=job.title if job else run.job, at=show_instant(run.started_at, now=now))
        self._title.set_full_text(title)
        self._facts.set_color(context.theme.color(QPalette.ColorRole.PlaceholderText))
        self._facts.set_full_text(self._facts_of(run))
        self._trouble.setVisible(result.tone in ("bad", "warn"))
        self._trouble.setText(result.text)
        self._trouble.set_tone(result.tone)

    def _facts_of(self, run: RunRecord) -> str:
        now, snapshot = clock.now(), self._context.store.snapshot
        starter = _(STARTERS[run.trigger][1]) if run.trigger in STARTERS else ""
        duration = duration_words(run, snapshot, now)
        parts = (starter, duration, say("run {name}", name=run.run))
        return " · ".join(part for part in parts if part and part != "—")

    def _on_open_output(self) -> None:
        if self._details is not None and self._details.output is not None:
            QDesktopServices.openUrl(QUrl.fromLocalFile(self._details.output.path))

    def show_in_timeline(self) -> None:
        """Go to the run's period in the timeline."""
        if self._row is not None:
            window = self.window_list.chosen()
            start = window.start if window is not None else self._row.run.started_at
            self._context.go_to(Place("timeline", self._row.run.job, self._row.run.run, start))


_NO_WINDOWS = N_("This run took no period, or a later run has taken it since.")
