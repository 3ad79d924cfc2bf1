"""Which of the system's libraries a frozen Birkez carries on Linux: those that what it carries asks for.

PyInstaller gathers them for all of Qt's plugins. Where the building computer has GTK, that
brings it along with all its kin, for a plugin that is left out.
"""

from __future__ import annotations

import posixpath
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    Entry = tuple[str, str, str]  # where it is to lie, where it lies, and what PyInstaller calls it


def needed(entries: Iterable[Entry], asks_for: Callable[[str], Iterable[str]]) -> list[Entry]:
    """*entries* without the libraries, in the top folder, that none of the others asks for, directly or not.

    *asks_for* gives the names of the libraries that a file asks for.
    """
    entries = list(entries)
    libraries = {entry[0]: entry for entry in entries if _is_system_library(entry)}
    waiting = [entry for entry in entries if entry[0] not in libraries and entry[2] in ("BINARY", "EXTENSION")]
    found: set[str] = set()
    while waiting:
        names = {posixpath.basename(name) for name in asks_for(waiting.pop()[1])} & libraries.keys() - found
        found |= names
        waiting += (libraries[name] for name in names)
    return [entry for entry in entries if entry[0] not in libraries or entry[0] in found]


def _is_system_library(entry: Entry) -> bool:
    name, _source, kind = entry
    return kind == "BINARY" and "/" not in name and name.startswith("lib") and not name.startswith("libpython")
