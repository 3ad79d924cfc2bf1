"""Notifications by `org.freedesktop.Notifications`, in threads of its own (Desktop Notifications Specification 1.2)."""

from __future__ import annotations

import queue
import threading
from typing import TYPE_CHECKING

from trayapp.wording.mark import N_
from trayapp.wording.speech import _

if TYPE_CHECKING:
    from collections.abc import Callable

    from jeepney.io.threading import DBusRouter

    from trayapp.gui.context import Place
    from trayapp.gui.notices.streaks import Notice

_NAME, _PATH = "org.freedesktop.Notifications", "/org/freedesktop/Notifications"
_ANSWER_S = 5.0
_SHOWN_MS = -1  # as long as the desktop shows such things
_NORMAL = 1
_OPEN = N_("Open")


class NoticeBus:
    """Shows notices and hears of clicks; *on_click* and *on_refusal* are called in its threads."""

    def __init__(self, on_click: Callable[[Place], None], on_refusal: Callable[[Notice], None]) -> None:
        self._on_click, self._on_refusal = on_click, on_refusal
        self._wishes: queue.SimpleQueue[Notice | None] = queue.SimpleQueue()
        self._ids: dict[str, int] = {}  # of each job: its newest notice takes the place of the one before
        self._places: dict[int, Place] = {}
        self._handles: list[object] = []
        self._showing = threading.Lock()
        threading.Thread(target=self._work, name="notices", daemon=True).start()

    def show(self, notice: Notice) -> None:
        """Show *notice* soon; returns at once."""
        self._wishes.put(notice)

    def stop(self) -> None:
        """Show no more."""
        self._wishes.put(None)

    def _work(self) -> None:
        router: DBusRouter | None = None
        while (notice := self._wishes.get()) is not None:
            try:
                router = router or self._connect()
                self._notify(router, notice)
            except Exception:  # noqa: BLE001  # no jeepney, no bus, no daemon, another's bad answer: Qt shows it
                router = None
                self._on_refusal(notice)

    def _connect(self) -> DBusRouter:
        from jeepney import MatchRule, message_bus  # noqa: PLC0415  # only where there is something to tell
        from jeepney.io.threading import DBusRouter, open_dbus_connection  # noqa: PLC0415

        router = DBusRouter(open_dbus_connection("SESSION"))
        rule = MatchRule(type="signal", interface=_NAME, member="ActionInvoked", path=_PATH)
        router.send_and_get_reply(message_bus.AddMatch(rule), timeout=_ANSWER_S)
        clicks: queue.Queue[object] = queue.Queue()
        handle = router.filter(rule, queue=clicks)
        self._handles.append(handle)  # whose end would end the hearing
        threading.Thread(target=self._hear, args=(clicks,), name="notice clicks", daemon=True).start()
        return router

    def _notify(self, router: DBusRouter, notice: Notice) -> None:
        from jeepney import DBusAddress, MessageType, new_method_call  # noqa: PLC0415  # as above

        address = DBusAddress(_PATH, bus_name=_NAME, interface=_NAME)
        icon = "dialog-warning" if notice.is_trouble else "dialog-information"
        hints = {"urgency": ("y", _NORMAL), "desktop-entry": ("s", "birkez")}
        body = (
            "Birkez",
            self._ids.get(notice.job, 0),
            icon,
            notice.title,
            _escaped(notice.text),
            ["default", _(_OPEN)],
            hints,
            _SHOWN_MS,
        )
        call = new_method_call(address, "Notify", "susssasa{sv}i", body)
        with self._showing:  # a click may be heard before the answer that says which notice was meant
            reply = router.send_and_get_reply(call, timeout=_ANSWER_S)
            if reply.header.message_type == MessageType.error:
                raise ConnectionError(reply.body)
            (number,) = reply.body
            self._ids[notice.job] = number
            self._places[number] = notice.place

    def _hear(self, clicks: queue.Queue[object]) -> None:
        while True:
            message = clicks.get()
            number, _action = message.body  # type: ignore[attr-defined]  # of jeepney's
            with self._showing:
                place = self._places.get(number)
            if place is not None:
                self._on_click(place)


def _escaped(text: str) -> str:
    """Text in which no letter is taken for markup, which bodies may have."""
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
