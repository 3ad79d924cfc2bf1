"""What a screen reader sees and does, through AT-SPI on a bus of the desktop's own; for tests.

`ScreenReader` starts the accessibility bus, finds controls by the name that a blind person
hears, and tells where they lie, so that a test can click there with a real pointer.
"""

from __future__ import annotations

import os
import shutil
import time
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

import pytest
from jeepney import DBusAddress, Properties, new_method_call
from jeepney.io.blocking import DBusConnection, open_dbus_connection

if TYPE_CHECKING:
    from tests.gui.desk import Desk

LAUNCHER = "/usr/libexec/at-spi-bus-launcher"
_ACCESSIBLE = "org.a11y.atspi.Accessible"
_ROOT = ("org.a11y.atspi.Registry", "/org/a11y/atspi/accessible/root")
_MANY = 400  # children of a table that are not walked through
_ON_SCREEN = 0
# Numbers of AT-SPI's states.
FOCUSED, SHOWING, ENABLED = 12, 25, 8


class Node(NamedTuple):
    """Something that a screen reader can name. *bus* and *path* say where it lives."""

    bus: str
    path: str
    name: str
    role: str


class ScreenReader:
    """The accessibility bus of *desk*; start it before the tray."""

    def __init__(self, desk: Desk) -> None:
        if not os.path.exists(LAUNCHER) or shutil.which("dbus-daemon") is None:
            pytest.skip("needs at-spi2-core: `python3 installer/bootstrap.py desktop-tools`")
        self._desk = desk
        desk.env.pop("NO_AT_BRIDGE", None)
        desk.env["QT_LINUX_ACCESSIBILITY_ALWAYS_ON"] = "1"
        desk.start(LAUNCHER, "--launch-immediately")
        self._bus: DBusConnection | None = None

    def close(self) -> None:
        if self._bus is not None:
            self._bus.close()

    # ------------------------------------------------------------- finding

    def views(self) -> list[Node]:
        """Everything that the application shows as a view of its own."""
        found = []
        for application in self._children(Node(*_ROOT, "", "")):
            if application.name in ("birkez", "Birkez"):
                found += [node for node in self._children(application) if self.is_showing(node)]
        return found

    def walk(self, node: Node) -> Iterator[Node]:
        """That node and all that shows below it."""
        yield node
        for child in self._children(node):
            if self.is_showing(child):
                yield from self.walk(child)

    def all(self, name: str = "", role: str = "", view: str = "") -> list[Node]:
        """Nodes of that name, or with a name that begins so where *name* ends in `…`."""
        found = []
        for top in self.views():
            if view and not _fits(view, top.name):
                continue
            found += [
                node
                for node in self.walk(top)
                if (not name or _fits(name, node.name)) and (not role or node.role == role)
            ]
        return found

    def find(self, name: str, role: str = "", view: str = "", seconds: float = 25) -> Node:
        """The one node of that name, as soon as it shows."""
        end = time.monotonic() + seconds
        while True:
            found = self.all(name, role, view)
            if found:
                return found[0]
            if time.monotonic() > end:
                seen = [f"{node.role} {node.name!r}" for top in self.views() for node in self.walk(top) if node.name]
                msg = f"no {role or 'control'} {name!r} within {seconds} s; there is {seen}"
                raise AssertionError(msg)
            time.sleep(0.15)

    # ------------------------------------------------------------- reading

    def place(self, node: Node) -> tuple[int, int]:
        """Middle of the node on the screen, once it stands still."""
        before = self._extents(node)
        while True:
            time.sleep(0.1)
            after = self._extents(node)
            if before == after:
                x, y, width, height = after
                return x + width // 2, y + height // 2
            before = after

    def text(self, node: Node) -> str:
        """What stands in a field or a label."""
        address = DBusAddress(node.path, node.bus, "org.a11y.atspi.Text")
        return str(self._call(new_method_call(address, "GetText", "ii", (0, -1)))[0])

    def has(self, node: Node, state: int) -> bool:
        """Whether the node is in that state."""
        address = DBusAddress(node.path, node.bus, _ACCESSIBLE)
        low, high = self._call(new_method_call(address, "GetState"))[0]
        return bool((low | high << 32) >> state & 1)

    def is_showing(self, node: Node) -> bool:
        try:
            return self.has(node, SHOWING)
        except LookupError:
            return False

    # --------------------------------------------------------------- doing

    def click(self, name: str, role: str = "", view: str = "", button: int = 1) -> Node:
        """Click on it with the real pointer."""
        node = self.find(name, role, view)
        end = time.monotonic() + 15
        while not self.has(node, ENABLED):
            assert time.monotonic() < end, f"{name} stays disabled"
            time.sleep(0.1)
        self._desk.x("mousemove", *self.place(node), "click", button)
        return node

    def type_into(self, name: str, text: str, role: str = "text", view: str = "") -> None:
        """Click into a field, choose what stands in it, and type on the real keyboard."""
        node = self.click(name, role, view)
        self._desk.x("key", "ctrl+a")
        self._desk.x("type", "--delay", "4", text)
        end = time.monotonic() + 15
        while self.text(node) != text:
            assert time.monotonic() < end, (self.text(node), text)
            time.sleep(0.1)

    # ------------------------------------------------------------- talking

    def _children(self, node: Node) -> list[Node]:
        try:
            if self._property(node, "ChildCount") > _MANY:
                return []
            address = DBusAddress(node.path, node.bus, _ACCESSIBLE)
            pairs = self._call(new_method_call(address, "GetChildren"))[0]
            return [self._node(bus, path) for bus, path in pairs if not path.endswith("/null")]
        except LookupError:
            return []  # it went while it was looked at

    def _node(self, bus: str, path: str) -> Node:
        bare = Node(bus, path, "", "")
        address = DBusAddress(path, bus, _ACCESSIBLE)
        role = self._call(new_method_call(address, "GetRoleName"))[0]
        return Node(bus, path, str(self._property(bare, "Name")), str(role))

    def _property(self, node: Node, name: str) -> Any:
        address = DBusAddress(node.path, node.bus, _ACCESSIBLE)
        return self._call(Properties(address).get(name))[0][1]

    def _extents(self, node: Node) -> tuple[int, int, int, int]:
        address = DBusAddress(node.path, node.bus, "org.a11y.atspi.Component")
        return tuple(self._call(new_method_call(address, "GetExtents", "u", (_ON_SCREEN,)))[0])

    def _call(self, message: Any) -> Any:
        if self._bus is None:
            self._bus = self._connect()
        reply = self._bus.send_and_get_reply(message, timeout=10)
        if reply.header.message_type.name == "error":
            raise LookupError(reply.body)
        return reply.body

    def _connect(self) -> DBusConnection:
        session = open_dbus_connection(self._desk.env["DBUS_SESSION_BUS_ADDRESS"])
        address = DBusAddress("/org/a11y/bus", "org.a11y.Bus", "org.a11y.Bus")
        end = time.monotonic() + 15
        while True:
            reply = session.send_and_get_reply(new_method_call(address, "GetAddress"))
            if reply.header.message_type.name != "error" and reply.body[0]:
                break
            assert time.monotonic() < end, reply.body
            time.sleep(0.1)
        session.close()
        return open_dbus_connection(reply.body[0])


def _fits(wanted: str, name: str) -> bool:
    return name.startswith(wanted[:-1]) if wanted.endswith("…") else name == wanted
