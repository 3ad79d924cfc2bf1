"""A tray host on the bus: owns org.kde.StatusNotifierWatcher, keeps the items, writes JSON lines.

As library: `Item` does to a tray icon what a panel does: read it, open its menu, click.
"""

from __future__ import annotations

import json
import os
import time
from typing import Any

from jeepney import (
    DBusAddress,
    HeaderFields,
    MatchRule,
    Message,
    MessageType,
    Properties,
    message_bus,
    new_error,
    new_method_call,
    new_method_return,
    new_signal,
)
from jeepney.io.blocking import open_dbus_connection

NAME, PATH = "org.kde.StatusNotifierWatcher", "/StatusNotifierWatcher"
WATCHER = DBusAddress(PATH, bus_name=NAME, interface=NAME)


def write(**facts: Any) -> None:
    print(json.dumps(facts), flush=True)


class Host:
    def __init__(self) -> None:
        self._bus = open_dbus_connection("SESSION")
        self._items: list[str] = []
        lost = MatchRule(type="signal", sender="org.freedesktop.DBus", member="NameOwnerChanged")
        self._bus.send_and_get_reply(message_bus.AddMatch(lost))
        # The watcher's name comes last: Qt registers at once, and what arrives while a reply is awaited is lost.
        for name in (f"org.kde.StatusNotifierHost-{os.getpid()}", NAME):
            self._bus.send_and_get_reply(message_bus.RequestName(name, 4))
        write(owned=NAME)

    def serve(self) -> None:
        while True:
            self._handle(self._bus.receive())

    def _handle(self, message: Message) -> None:
        fields = message.header.fields
        member, sender = fields.get(HeaderFields.member), fields.get(HeaderFields.sender)
        if message.header.message_type == MessageType.signal:
            if member == "NameOwnerChanged" and not message.body[2]:
                self._items = [item for item in self._items if not item.startswith(message.body[0] + "/")]
        elif message.header.message_type == MessageType.method_call:
            self._answer(message, str(member), str(sender))

    def _answer(self, message: Message, member: str, sender: str) -> None:
        if member == "RegisterStatusNotifierItem":
            named = message.body[0]
            item = f"{sender}{named}" if named.startswith("/") else f"{sender}/StatusNotifierItem"
            self._items = [*(known for known in self._items if known != item), item]
            self._bus.send(new_method_return(message))
            self._bus.send(new_signal(WATCHER, "StatusNotifierItemRegistered", "s", (item,)))
            write(registered=item)
        elif member == "Get":
            values = {
                "RegisteredStatusNotifierItems": ("as", self._items),
                "IsStatusNotifierHostRegistered": ("b", True),
                "ProtocolVersion": ("i", 0),
            }
            self._bus.send(new_method_return(message, "v", (values[message.body[1]],)))
        elif member == "RegisterStatusNotifierHost":
            self._bus.send(new_method_return(message))
        else:
            self._bus.send(new_error(message, "org.freedesktop.DBus.Error.UnknownMethod"))


class Item:
    """The one tray icon that is registered on the bus at *address*."""

    def __init__(self, address: str, registered: str) -> None:
        self._bus = open_dbus_connection(address)
        name, _, path = registered.partition("/")
        self._address = DBusAddress(f"/{path}", bus_name=name, interface="org.kde.StatusNotifierItem")

    def property(self, name: str) -> Any:
        reply = self._bus.send_and_get_reply(Properties(self._address).get(name), timeout=5)
        assert reply.header.message_type != MessageType.error, reply.body
        return reply.body[0][1]

    def tip(self) -> str:
        return str(self.property("ToolTip")[2])

    def press(self) -> None:
        """A left click."""
        self._bus.send_and_get_reply(new_method_call(self._address, "Activate", "ii", (600, 700)), timeout=5)

    def labels(self) -> list[str]:
        """Words of the menu's first level, from the top."""
        return [label for _, label, _ in self._entries(self._layout())]

    def click(self, *way: str) -> None:
        """Choose an entry by its label, through the submenus before it."""
        layout = self._layout()
        for label in way:
            layout = next((child for _, name, child in self._entries(layout) if name == label), None)
            assert layout is not None, (label, self.labels())
        event = (layout[0], "clicked", ("i", 0), int(time.time()) & 0xFFFFFFFF)
        self._bus.send_and_get_reply(new_method_call(self._menu(), "Event", "isvu", event), timeout=5)

    def close(self) -> None:
        self._bus.close()

    def _menu(self) -> DBusAddress:
        path = self.property("Menu")
        return DBusAddress(path, bus_name=self._address.bus_name, interface="com.canonical.dbusmenu")

    def _layout(self) -> Any:
        menu = self._menu()
        self._bus.send_and_get_reply(new_method_call(menu, "AboutToShow", "i", (0,)), timeout=5)
        return self._bus.send_and_get_reply(new_method_call(menu, "GetLayout", "iias", (0, -1, [])), timeout=5).body[1]

    @staticmethod
    def _entries(layout: Any) -> list[tuple[int, str, Any]]:
        found = []
        for _, child in layout[2]:
            label = child[1].get("label", ("s", ""))[1]
            found.append((child[0], label.replace("__", "\0").replace("_", "").replace("\0", "_"), child))
        return found


if __name__ == "__main__":
    Host().serve()
