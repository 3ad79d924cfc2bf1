"""The main view: a rail with five pages, each made when it is opened first."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeySequence, QPalette, QShortcut
from PySide6.QtWidgets import QFrame, QSizePolicy, QStackedWidget, QWidget

from trayapp.gui.checkup.page import CheckupPage
from trayapp.gui.context import Place
from trayapp.gui.help.asking import answer_f1, ask_for_help, is_about
from trayapp.gui.history.page import HistoryPage
from trayapp.gui.jobs.page import JobsPage
from trayapp.gui.look.rail import Rail
from trayapp.gui.look.widgets import card, column, held, label, line, row, wrapping
from trayapp.gui.settings.page import SettingsPage
from trayapp.gui.timeline.page import TimelinePage
from trayapp.wording.mark import N_

if TYPE_CHECKING:
    from collections.abc import Callable

    from PySide6.QtGui import QCloseEvent, QShowEvent

    from trayapp.gui.context import Context
    from trayapp.gui.page import Page
    from trayapp.gui.state.snapshot import Snapshot

PAGES: tuple[type[Page], ...] = (JobsPage, HistoryPage, TimelinePage, CheckupPage, SettingsPage)
_WIDTH, _HEIGHT = 1280, 760


class MainView(QWidget):
    """Shows the pages. Closing hides it while a tray icon is there; else `quit_requested` is emitted."""

    quit_requested = Signal()

    def __init__(self, context: Context, *, has_tray: bool) -> None:
        super().__init__()
        self._context = context
        self._has_tray = has_tray
        self._made: dict[str, Page] = {}
        self._rail = Rail(context, PAGES)
        self._stack = QStackedWidget()
        self._notice = self._make_notice()
        self._build()
        self._add_keys()
        answer_f1(self, context)
        self._rail.chosen.connect(lambda name: self.go_to(Place(name)))
        self._rail.help_pressed.connect(lambda: ask_for_help(self, context))
        context.store.changed.connect(self._on_snapshot)
        self.go_to(Place(PAGES[0].name))
        self._on_snapshot(context.store.snapshot)

    def go_to(self, place: Place) -> None:
        """Open that page, at what *place* names on it."""
        page = self._page(place.page)
        self._stack.setCurrentWidget(page)
        self._rail.mark(page.name)
        is_about(self, page.name)
        self._context.language.bind(self, "setWindowTitle", page.title)
        page.go_to(place)

    def set_has_tray(self, *, has_tray: bool) -> None:
        """Say that there is no tray, or stop saying so; closing means another thing then."""
        self._has_tray = has_tray
        self._notice.setVisible(not has_tray)

    @property
    def current(self) -> Page:
        """Page that is open."""
        return self._page(self._rail.marked)

    def unsaved(self) -> list[QWidget]:
        """Views in which something was typed that is not saved."""
        return [view for page in self._made.values() for view in page.unsaved()]

    def _page(self, name: str) -> Page:
        if name not in self._made:
            kind = next(kind for kind in PAGES if kind.name == name)
            page = self._made[name] = kind(self._context)
            self._stack.addWidget(page)
            page.show_snapshot(self._context.store.snapshot)
        return self._made[name]

    def _on_snapshot(self, snapshot: Snapshot) -> None:
        self._rail.show_badges({kind.name: kind.badge(snapshot) for kind in PAGES})
        for page in self._made.values():
            page.show_snapshot(snapshot)

    def _build(self) -> None:
        right = column(row(self._notice, margins=(0, 0, 0, 0)), self._stack, gap=0)
        right.setStretch(1, 1)
        layout = row(self._rail, line(upright=True), held(right), gap=0)
        layout.setStretch(2, 1)
        self.setLayout(layout)
        self.setBackgroundRole(QPalette.ColorRole.Window)
        self.setAutoFillBackground(True)
        self.setWindowIcon(self._context.icons.application())
        self.resize(_WIDTH, _HEIGHT)

    def _make_notice(self) -> QFrame:
        text = label(
            self._context,
            N_(
                "This desktop shows no notification area, so there is no icon of Birkez. Jobs run all the same; "
                "closing this view ends Birkez' display, not the jobs."
            ),
        )
        notice = card(row(wrapping(text), margins=(12, 8, 12, 8)), "run")
        notice.setObjectName("no-tray-notice")
        notice.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Maximum)
        notice.setVisible(not self._has_tray)
        return notice

    def _add_keys(self) -> None:
        for number, kind in enumerate(PAGES, start=1):
            self._key(f"Ctrl+{number}", partial(self.go_to, Place(kind.name)))
        self._key("Ctrl+,", lambda: self.go_to(Place("settings")))
        self._key("Ctrl+N", lambda: self.go_to(Place("jobs", action="new")))
        self._key("Ctrl+F", lambda: self.current.start_search())
        self._key("F5", self._read_again)
        self._key("Ctrl+Q", self.quit_requested.emit)
        self._key("Ctrl+W", self.close)
        self._key("Esc", lambda: self.current.leave_card())

    def _key(self, sequence: str, action: Callable[[], object]) -> None:
        shortcut = QShortcut(QKeySequence(sequence), self)
        shortcut.setContext(Qt.ShortcutContext.WindowShortcut)
        shortcut.activated.connect(action)

    def _read_again(self) -> None:
        self._context.store.read_again()
        self.current.read_again()

    def showEvent(self, event: QShowEvent) -> None:
        self._context.store.survey_soon()
        super().showEvent(event)
        if self.focusWidget() is None:
            self.setFocus()  # else Qt marks the first page's name, whichever is open; Tab goes there from here

    def closeEvent(self, event: QCloseEvent) -> None:
        if not self._has_tray:
            self.quit_requested.emit()
            if self.unsaved():
                event.ignore()  # the question about it is open
                return
        super().closeEvent(event)
