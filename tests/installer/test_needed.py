"""A frozen Birkez carries of the system's libraries those that something in it asks for, and no plugin's leftovers."""

from __future__ import annotations

import sys

from tests.conftest import CHECKOUT

sys.path.append(str(CHECKOUT / "installer" / "frozen"))

from needed import needed

ASKS = {
    "qxcb": ["libxcb.so.1", "libQt6Gui.so.6"],
    "xcb": ["libXau.so.6", "libc.so.6"],
    "json": [],
    "gtk": ["libgdk-3.so.0"],
    "gdk": ["libxcb.so.1"],
    "xau": [],
    "python": [],
}
ENTRIES = [
    ("PySide6/Qt/plugins/platforms/libqxcb.so", "qxcb", "BINARY"),
    ("lib-dynload/_json.so", "json", "EXTENSION"),
    ("libxcb.so.1", "xcb", "BINARY"),
    ("libXau.so.6", "xau", "BINARY"),
    ("libgtk-3.so.0", "gtk", "BINARY"),
    ("libgdk-3.so.0", "gdk", "BINARY"),
    ("libpython3.11.so.1.0", "python", "BINARY"),
    ("libQt6Gui.so.6", "PySide6/Qt/lib/libQt6Gui.so.6", "SYMLINK"),
]


def test_libraries_that_nobody_asks_for_stay_out():
    kept = needed(ENTRIES, lambda path: ASKS[path])
    assert [entry[0] for entry in ENTRIES if entry not in kept] == ["libgtk-3.so.0", "libgdk-3.so.0"]


def test_library_that_only_a_library_asks_for_comes_along():
    assert ("libXau.so.6", "xau", "BINARY") in needed(ENTRIES, lambda path: ASKS[path])
