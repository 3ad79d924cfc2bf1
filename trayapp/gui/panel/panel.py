"""The panel: opens on a left click beside the tray icon, and closes when something else is clicked.

It answers one question: is all well, and if not, what do I press?
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QRect, QSize, Qt
from PySide6.QtGui import QCursor, QGuiApplication, QKeySequence, QPainter, QPalette, QShortcut
from PySide6.QtWidgets import QApplication, QLabel, QLineEdit, QWidget

from trayapp import clock
from trayapp.gui.context import Place
from trayapp.gui.help.asking import answer_f1
from trayapp.gui.look.icons import SIGN_TONES
from trayapp.gui.look.widgets import button, column, held, label, line, row, wrapping
from trayapp.gui.panel.job_list import JobList
from trayapp.gui.panel.log_part import LogPart
from trayapp.gui.panel.notes import Notes
from trayapp.gui.panel.place import place_beside
from trayapp.gui.pausing import add_pause_choices
from trayapp.gui.state.words import counts_line, headline, tray_state
from trayapp.wording.mark import N_

if TYPE_CHECKING:
    from PySide6.QtGui import QPaintEvent

    from trayapp.gui.context import Context
    from trayapp.gui.look.icons import Sign, TrayState
    from trayapp.gui.panel.job_row import JobRow
    from trayapp.gui.state.snapshot import Snapshot

_WIDTH, _MOST_HEIGHT = 424, 660
_REOPEN_AFTER_S = 0.3  # a click on the icon first closes the panel, as any click elsewhere does
_HEAD_SIGNS: dict[TrayState, Sign] = {
    "well": "free",
    "running": "running",
    "needs-you": "trigger",
    "failed": "failed",
}


class Panel(QWidget):
    """Each job with its live state and Run now, and the newest log lines."""

    def __init__(self, context: Context) -> None:
        super().__init__(None, Qt.WindowType.Tool | Qt.WindowType.FramelessWindowHint)
        self._context = context
        self._closed_at = 0.0
        self._sign = QLabel()
        self._headline = label(context, size="head", weight=650)
        self._counts = wrapping(label(context, size="small", is_second=True))
        self._search_button = button(context, "", "search", "flat", name=N_("Find a job"))
        self._search = QLineEdit()
        self._search_room = QWidget()
        self._jobs = JobList(context)
        self._log = LogPart(context)
        self._notes = Notes(context, self._jobs)
        self._jobs.row_made.connect(self._on_row)
        self._build()
        self._add_keys()
        answer_f1(self, context, "panel")
        context.store.changed.connect(self._on_snapshot)
        context.store.ticked.connect(self._on_tick)
        context.language.changed.connect(self._write_again)
        context.theme.changed.connect(self._write_again)
        self._show(context.store.snapshot, sort=True)

    def toggle(self, icon: QRect) -> None:
        """Open beside the tray icon, or close. Where the icon is may be unknown: then at the pointer."""
        if self.isVisible():
            self.hide()
        elif time.monotonic() - self._closed_at > _REOPEN_AFTER_S:
            self.open_beside(icon)

    def open_beside(self, icon: QRect) -> None:
        """Open beside *icon*, sorted anew, and have what waits looked at."""
        self._show(self._context.store.snapshot, sort=True)
        self._context.store.survey_soon()
        anchor = icon if icon.isValid() and not icon.isEmpty() else QRect(QCursor.pos(), QSize(1, 1))
        screen = QGuiApplication.screenAt(anchor.center()) or QGuiApplication.primaryScreen()
        self.resize(self._wanted_size(screen.availableGeometry().height()))
        self.move(place_beside(anchor, self.size(), screen.availableGeometry()))
        self.show()
        self.raise_()
        self.activateWindow()
        first = next((row for row in self._jobs.rows.values() if row.isVisible()), None)
        if first is not None:
            self._jobs.inner.setFocus()

    def _build(self) -> None:
        words = column(self._headline, self._counts, gap=1)
        head = row(self._sign, words, self._search_button, gap=12, margins=(16, 12, 8, 10))
        head.setStretch(1, 1)
        self._search.setClearButtonEnabled(True)
        self._context.language.bind(self._search, "setPlaceholderText", N_("Find a job"))
        self._context.language.bind(self._search, "setAccessibleName", N_("Find a job"))
        self._search.textChanged.connect(self._jobs.search)
        self._search_button.clicked.connect(self._toggle_search)
        top = held(column(head, self._search_field(), gap=0))
        layout = column(top, line(), self._jobs, line(), self._log, line(), self._foot(), gap=0)
        layout.setStretch(2, 1)
        layout.setContentsMargins(1, 1, 1, 1)
        self.setLayout(layout)
        self._context.language.bind(self, "setAccessibleName", N_("Birkez panel"))
        self._context.language.bind(self, "setWindowTitle", N_("Birkez"))

    def _search_field(self) -> QWidget:
        self._search_room.setLayout(row(self._search, margins=(16, 0, 16, 10)))
        self._search_room.hide()
        return self._search_room

    def _foot(self) -> QWidget:
        context = self._context
        opening = button(context, N_("Open Birkez"), "external")
        adding = button(context, N_("New job"), "plus")
        pausing = button(context, "", "pause", "flat", name=N_("Pause all"))
        settings = button(context, "", "nav-settings", "flat", name=N_("Settings"))
        opening.clicked.connect(lambda: self._go(Place("jobs")))
        adding.clicked.connect(lambda: self._go(Place("jobs", action="new")))
        settings.clicked.connect(lambda: self._go(Place("settings")))
        add_pause_choices(context, pausing)
        return held(row(opening, adding, None, pausing, settings, gap=8, margins=(12, 8, 12, 8)))

    def _add_keys(self) -> None:
        for sequence, action in (
            ("Esc", self._on_escape),
            ("Ctrl+F", self._start_search),
            ("F5", self._context.store.read_again),
            ("Ctrl+N", lambda: self._go(Place("jobs", action="new"))),
            ("Ctrl+,", lambda: self._go(Place("settings"))),
        ):
            QShortcut(QKeySequence(sequence), self).activated.connect(action)

    def _on_row(self, made: JobRow) -> None:
        made.run_pressed.connect(self._context.run_now.press)
        made.opened.connect(lambda job: self._go(Place("jobs", job)))
        made.remedy_pressed.connect(self._on_remedy)
        self._notes.heed(made)

    def _on_remedy(self, job_id: str) -> None:
        job = self._context.store.snapshot.job(job_id)
        if job is not None and job.kind == "trigger" and job.trigger is not None and job.trigger.remedy:
            self._context.commands.do(list(job.trigger.remedy), self._context.store.survey_soon)
        else:
            self._go(Place("jobs", job_id, action="decide" if job and job.kind == "uncertain" else ""))

    def _on_snapshot(self, snapshot: Snapshot) -> None:
        if self.isVisible():
            self._show(snapshot, sort=False)

    def _on_tick(self) -> None:
        if self.isVisible():
            self._jobs.tick(clock.now())

    def _show(self, snapshot: Snapshot, *, sort: bool) -> None:
        sign = _HEAD_SIGNS[tray_state(snapshot)]
        color = self._context.theme.fill(SIGN_TONES[sign])
        self._sign.setPixmap(self._context.icons.pixmap(f"state-{sign}", color, 26, self.devicePixelRatioF()))
        self._headline.setText(headline(snapshot))
        self._counts.setText(counts_line(snapshot))
        self._jobs.show_snapshot(snapshot, sort=sort)
        self._log.show_jobs({job.id: job.title for job in snapshot.jobs})

    def _write_again(self) -> None:
        self._show(self._context.store.snapshot, sort=False)
        self._jobs.write_again(self._context.store.snapshot)
        self._notes.write_again()

    def _wanted_size(self, room: int) -> QSize:
        others = self.sizeHint().height() - self._jobs.sizeHint().height()
        height = min(others + max(self._jobs.wanted_height(), 120), _MOST_HEIGHT, room - 16)
        return QSize(max(_WIDTH, min(self.minimumSizeHint().width(), 640)), height)

    def _go(self, place: Place) -> None:
        self.hide()
        self._context.go_to(place)

    def _toggle_search(self) -> None:
        if self._search_room.isVisible():
            self._search.clear()
            self._search_room.hide()
        else:
            self._start_search()

    def _start_search(self) -> None:
        self._search_room.show()
        self._search.setFocus()

    def _on_escape(self) -> None:
        if self._notes.dismiss():
            return
        if self._search_room.isVisible():
            self._toggle_search()
        else:
            self.hide()

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        is_left = event.type() == QEvent.Type.ActivationChange and not self.isActiveWindow()
        if is_left and self.isVisible() and QApplication.activePopupWidget() is None:
            self._closed_at = time.monotonic()
            self.hide()

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setPen(self._context.theme.color(QPalette.ColorRole.Mid))
        painter.setBrush(self._context.theme.color(QPalette.ColorRole.Window))
        painter.drawRect(self.rect().adjusted(0, 0, -1, -1))
