"""The tray application from its start to its end: puts the parts together and owns them."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QSettings, Qt, QTimer
from PySide6.QtWidgets import QApplication, QMessageBox

from trayapp import exit_code
from trayapp.errors import StateError
from trayapp.gui.commands import Commands
from trayapp.gui.context import Context, Place
from trayapp.gui.garbage import Garbage
from trayapp.gui.language import Language
from trayapp.gui.look.icons import Icons
from trayapp.gui.look.theme import Theme
from trayapp.gui.mistakes import Mistakes
from trayapp.gui.notices.notifier import Notifier
from trayapp.gui.quitting import Quitting
from trayapp.gui.run_now import RunNow
from trayapp.gui.settings.wishes import wished, wished_scheme
from trayapp.gui.single_instance import SingleInstance
from trayapp.gui.state.log_feed import LogFeed
from trayapp.gui.state.store import Store
from trayapp.gui.state.watcher import Watcher
from trayapp.gui.state.words import tooltip, tray_state
from trayapp.gui.stopping import heed_signals
from trayapp.gui.tray import Tray
from trayapp.gui.tray_menu import TrayMenu

if TYPE_CHECKING:
    from PySide6.QtGui import QIcon

    from trayapp.gui.help.view import HelpView
    from trayapp.gui.main_view import MainView
    from trayapp.gui.panel.panel import Panel
    from trayapp.gui.state.snapshot import Snapshot
    from trayapp.places import Places

_HOST_WAIT_MS = 20_000  # a desktop that just started shows its panel within


def main(places: Places, *, is_hidden: bool = False) -> int:
    """Show the tray application until it is ended; returns the exit status.

    With *is_hidden*, as at log-on, nothing but the icon is shown; where no tray comes up
    either, the main view.
    Raises: SetupError where the state folder cannot be used; StateError `tray-frozen` when
    an instance is there and does not answer.
    """
    places.make_folders()
    app = QApplication(["birkez"])  # by which X11 knows its views
    app.setApplicationName("birkez")
    app.setApplicationDisplayName("Birkez")
    app.setDesktopFileName("birkez")
    app.setQuitOnLastWindowClosed(False)
    instance = SingleInstance(places, app)
    if not instance.try_be_first():
        if not instance.ask_first_to_show():
            first = instance.first()
            raise StateError("tray-frozen", pid=first.pid if first else None)
        return exit_code.DONE
    garbage = Garbage(app)
    application = Application(app, places)
    instance.show_requested.connect(application.show_main_view)
    mistakes = Mistakes(app)
    mistakes.told.connect(application.tell_complaint)
    with heed_signals(application.quit_at_once):
        application.start(is_hidden=is_hidden)
        status: int = app.exec()
    mistakes.close()
    application.end()
    instance.close()
    garbage.close()
    return status


class Application(QObject):
    """All parts, and what leads from one to another."""

    def __init__(self, app: QApplication, places: Places) -> None:
        super().__init__(app)
        self._app = app
        theme, language, commands = Theme(app, wished_scheme(places)), Language(app), Commands(self)
        watcher = Watcher(places, self)
        self.context = Context(
            places=places,
            theme=theme,
            icons=Icons(theme),
            language=language,
            store=Store(places, watcher, commands, self),
            log_feed=LogFeed(places, watcher, self),
            commands=commands,
            run_now=RunNow(commands, self),
            go_to=self.go_to,
        )
        self._watcher = watcher
        self._menu = TrayMenu(self.context)
        self._tray = Tray(self._tray_icon(), self._menu, self)
        self._notifier = Notifier(self._tray, places.tray_told, lambda: wished(places).notices, self)
        self._quitting = Quitting(lambda: self._view.unsaved() if self._view is not None else [], app.quit, self)
        self._view: MainView | None = None
        self._panel: Panel | None = None
        self._help: HelpView | None = None
        app.setWindowIcon(self.context.icons.application())
        self._connect()

    def start(self, *, is_hidden: bool) -> None:
        """Begin to read and to show."""
        self._watcher.start()
        self.context.store.start()
        self.context.log_feed.start()
        self._on_snapshot(self.context.store.snapshot)
        if not is_hidden:
            self.show_main_view()
        else:
            QTimer.singleShot(_HOST_WAIT_MS, self._show_where_no_tray)

    def quit_at_once(self) -> None:
        """Quit without a question, as the system asks for it."""
        self._quitting.end()

    def end(self) -> None:
        """Let go of everything; runs go on."""
        self.context.store.stop()
        self.context.log_feed.stop()
        self._notifier.stop()
        self._tray.hide()

    def go_to(self, place: Place) -> None:
        """Bring that place to the front: the help, or a page of the main view."""
        if place.page == "help":
            self.show_help(place.action)
        else:
            self.show_main_view(place)

    def show_help(self, name: str = "") -> None:
        """Bring the help to the front, at the place *name*."""
        if self._help is None:
            from trayapp.gui.help.view import HelpView  # noqa: PLC0415  # a start to the icon need not load it

            self._help = HelpView(self.context)
        self._help.open_at(name)

    def show_main_view(self, place: Place | None = None) -> None:
        """Bring the main view to the front, at *place*."""
        if self._view is None:
            from trayapp.gui.main_view import MainView  # noqa: PLC0415  # as above

            self._view = MainView(self.context, has_tray=self._tray.is_there)
            self._view.quit_requested.connect(self._quitting.ask)
        self._view.set_has_tray(has_tray=self._tray.is_there)
        if place is not None:
            self._view.go_to(place)
        if self._view.isMinimized():
            self._view.showNormal()
        self._view.show()
        self._view.raise_()
        self._view.activateWindow()

    def toggle_panel(self) -> None:
        """Open the panel beside the tray icon, or close it."""
        if self._panel is None:
            from trayapp.gui.panel.panel import Panel  # noqa: PLC0415  # as above

            self._panel = Panel(self.context)
        self._panel.toggle(self._tray.place())

    def _connect(self) -> None:
        self.context.store.changed.connect(self._on_snapshot)
        self.context.theme.changed.connect(lambda: self._on_snapshot(self.context.store.snapshot))
        self.context.language.changed.connect(lambda: self._on_snapshot(self.context.store.snapshot))
        self._tray.pressed.connect(self.toggle_panel)
        self._tray.host_changed.connect(self._on_host)
        self._menu.open_requested.connect(lambda: self.show_main_view())
        self._menu.quit_requested.connect(self._quitting.ask)
        self._app.commitDataRequest.connect(self._quitting.ask_at_log_off)
        self._notifier.place_asked.connect(self.go_to)
        self.context.commands.complained.connect(self.tell_complaint)

    def _on_snapshot(self, snapshot: Snapshot) -> None:
        self._tray.show_state(self._tray_icon(), tooltip(snapshot))
        self._menu.show_snapshot(snapshot)
        self._notifier.show_snapshot(snapshot)

    def tell_complaint(self, complaint: str) -> None:
        """Show what a command could not do; does not wait for the answer."""
        box = QMessageBox(QMessageBox.Icon.Warning, "Birkez", complaint, QMessageBox.StandardButton.Ok, self._view)
        box.setTextFormat(Qt.TextFormat.PlainText)
        box.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        box.open()

    def _on_host(self) -> None:
        if self._view is not None:
            self._view.set_has_tray(has_tray=self._tray.is_there)

    def _show_where_no_tray(self) -> None:
        if not self._tray.is_there and self._view is None:
            self.show_main_view()

    def _tray_icon(self) -> QIcon:
        return self.context.icons.tray(tray_state(self.context.store.snapshot), on_dark=self._has_dark_panel())

    def _has_dark_panel(self) -> bool:
        """Tell whether the tray's ground is dark: GNOME's always is, Windows has a setting for it alone."""
        if sys.platform == "win32":
            key = r"HKEY_CURRENT_USER\Software\Microsoft\Windows\CurrentVersion\Themes\Personalize"
            light = QSettings(key, QSettings.Format.NativeFormat).value("SystemUsesLightTheme", 0)
            return str(light) == "0"
        return "gnome" in os.environ.get("XDG_CURRENT_DESKTOP", "").lower() or self.context.theme.is_dark
