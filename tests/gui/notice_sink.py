"""A notification daemon that shows nothing: each call becomes a JSON line, its types as strict as with real ones.

usage: python -m tests.gui.notice_sink [--click]     with --click the first button of each notice is pressed
"""

from __future__ import annotations

import json
import sys
from typing import Any

from jeepney import DBusAddress, HeaderFields, MessageType, message_bus, new_error, new_method_return, new_signal
from jeepney.io.blocking import open_dbus_connection

NAME = "org.freedesktop.Notifications"
ADDRESS = DBusAddress("/org/freedesktop/Notifications", interface=NAME)


def write(**facts: Any) -> None:
    print(json.dumps(facts), flush=True)


def serve(*, clicks: bool) -> None:
    bus = open_dbus_connection("SESSION")
    bus.send_and_get_reply(message_bus.RequestName(NAME, 4))
    write(owned=NAME)
    count = 0
    while True:
        message = bus.receive()
        fields = message.header.fields
        if message.header.message_type != MessageType.method_call:
            continue
        if fields.get(HeaderFields.member) != "Notify" or fields.get(HeaderFields.signature) != "susssasa{sv}i":
            write(refused=fields.get(HeaderFields.member), signature=fields.get(HeaderFields.signature))
            bus.send(new_error(message, "org.freedesktop.DBus.Error.InvalidArgs"))
            continue
        _app, replaced, icon, title, text, actions, _hints, _time = message.body
        count += 1
        number = replaced or count
        write(notice=title, text=text, icon=icon, number=number, actions=actions)
        bus.send(new_method_return(message, "u", (number,)))
        if clicks and actions:
            bus.send(new_signal(ADDRESS, "ActionInvoked", "us", (number, actions[0])))


if __name__ == "__main__":
    serve(clicks="--click" in sys.argv)
