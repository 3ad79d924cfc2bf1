"""Shows notices: on Linux over D-Bus, elsewhere and where that fails through the tray icon.

Over D-Bus and not through Qt, since Qt loses a message where no tray is, gives it no
button to click, and its own D-Bus part cannot write the type that the call asks for.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

from trayapp.gui.notices.streaks import keep_told, notices_of, read_told

if TYPE_CHECKING:
    from collections.abc import Callable

    from trayapp.gui.context import Place
    from trayapp.gui.notices.bus import NoticeBus
    from trayapp.gui.notices.streaks import Notice
    from trayapp.gui.state.snapshot import Snapshot
    from trayapp.gui.tray import Tray


class Notifier(QObject):
    """Tells a person what changed for the worse, once, and when it is well again; `place_asked` on a click."""

    place_asked = Signal(object)  # Place
    _refused = Signal(object)  # Notice, from the bus's thread

    def __init__(
        self, tray: Tray, told_path: str, is_wanted: Callable[[], bool], parent: QObject | None = None
    ) -> None:
        super().__init__(parent)
        self._tray = tray
        self._path = told_path
        self._is_wanted = is_wanted
        self._told = read_told(told_path)
        self._last_place: Place | None = None
        self._bus: NoticeBus | None = None
        self._refused.connect(self._show_by_tray)
        tray.message_clicked.connect(self._on_message_clicked)

    def show_snapshot(self, snapshot: Snapshot) -> None:
        """Tell what in *snapshot* is worth telling."""
        notices, told = notices_of(snapshot, self._told)
        if told != self._told:
            self._told = told
            keep_told(self._path, told)
        if notices and self._is_wanted():
            for notice in notices:
                self._show(notice)

    def stop(self) -> None:
        """Tell no more."""
        if self._bus is not None:
            self._bus.stop()

    def _show(self, notice: Notice) -> None:
        if sys.platform in ("win32", "darwin"):
            self._show_by_tray(notice)
            return
        if self._bus is None:
            from trayapp.gui.notices.bus import NoticeBus  # noqa: PLC0415  # a tray that has nothing to tell needs no bus

            self._bus = NoticeBus(self.place_asked.emit, self._refused.emit)
        self._bus.show(notice)

    def _show_by_tray(self, notice: Notice) -> None:
        self._last_place = notice.place
        self._tray.show_message(notice.title, notice.text, is_trouble=notice.is_trouble)

    def _on_message_clicked(self) -> None:
        if self._last_place is not None:
            self.place_asked.emit(self._last_place)
