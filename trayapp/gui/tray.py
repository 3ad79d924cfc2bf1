"""The tray icon: the worst state of all jobs, by shape and colour, whatever becomes of the tray's host.

Qt decides once, when an icon is made, how it will speak to the desktop: by D-Bus
(StatusNotifierItem) when somebody owns that name then, else by XEmbed; an icon made before
the panel that speaks D-Bus never appears there. So a new one is made when an owner comes.
XEmbed hosts that come, die and return are Qt's own care, as is an owner that returns.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QRect, Signal
from PySide6.QtWidgets import QSystemTrayIcon

if TYPE_CHECKING:
    from PySide6.QtGui import QIcon
    from PySide6.QtWidgets import QMenu

_WATCHER = "org.kde.StatusNotifierWatcher"


class Tray(QObject):
    """The icon and its menu. `pressed` on a left click, `message_clicked` on a message of `show_message`."""

    pressed = Signal()
    message_clicked = Signal()
    host_changed = Signal()

    def __init__(self, icon: QIcon, menu: QMenu, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._menu = menu
        self._face = icon
        self._tip = ""
        self._icon: QSystemTrayIcon | None = None
        self._is_on_bus = False
        self._watch_bus()
        self._make()

    @property
    def is_there(self) -> bool:
        """Tell whether some host shows tray icons now."""
        return QSystemTrayIcon.isSystemTrayAvailable()

    def show_state(self, icon: QIcon, tip: str) -> None:
        """Show that icon, and *tip* where the pointer rests on it."""
        self._face, self._tip = icon, tip
        if self._icon is not None:
            self._icon.setIcon(icon)
            self._icon.setToolTip(tip)

    def show_message(self, title: str, text: str, *, is_trouble: bool) -> None:
        """Show a message of the desktop; where there is no tray it is lost."""
        kinds = QSystemTrayIcon.MessageIcon
        if self._icon is not None:
            self._icon.showMessage(title, text, kinds.Warning if is_trouble else kinds.Information)

    def hide(self) -> None:
        """Take the icon away, before the application ends."""
        if self._icon is not None:
            self._icon.hide()

    def _watch_bus(self) -> None:
        if sys.platform in ("win32", "darwin"):
            return
        from PySide6.QtDBus import QDBusConnection, QDBusServiceWatcher  # noqa: PLC0415  # not on other systems

        self._bus = QDBusConnection.sessionBus()
        if not self._bus.isConnected():
            return
        mode = QDBusServiceWatcher.WatchModeFlag.WatchForOwnerChange
        self._owners = QDBusServiceWatcher(_WATCHER, self._bus, mode, self)
        self._owners.serviceOwnerChanged.connect(self._on_owner)

    def _on_owner(self, _name: str, _old: str, new: str) -> None:
        if new and not self._is_on_bus:
            self._make()
        self.host_changed.emit()

    def _has_owner(self) -> bool:
        if sys.platform in ("win32", "darwin") or not self._bus.isConnected():
            return False
        reply = self._bus.interface().isServiceRegistered(_WATCHER)
        return bool(reply.value())

    def _make(self) -> None:
        if self._icon is not None:
            self._icon.hide()
            self._icon.deleteLater()
        self._is_on_bus = self._has_owner()
        self._icon = QSystemTrayIcon(self._face, self)
        self._icon.setToolTip(self._tip)
        self._icon.setContextMenu(self._menu)
        self._icon.activated.connect(self._on_activated)
        self._icon.messageClicked.connect(self.message_clicked)
        self._icon.show()

    def _on_activated(self, reason: QSystemTrayIcon.ActivationReason) -> None:
        if reason == QSystemTrayIcon.ActivationReason.Trigger:
            self.pressed.emit()

    def place(self) -> QRect:
        """Where the icon is on the screen; empty where the desktop does not tell (D-Bus)."""
        return self._icon.geometry() if self._icon is not None else QRect()
