"""The modules of Python's own library that a frozen Birkez carries.

All of them, since a job's Python file may import any; but not what only people at a
development machine use: its tests, Tk and what draws with it, and what makes environments.
"""

from __future__ import annotations

import importlib.util
import os
import pkgutil
import sys

LEFT_OUT = frozenset(
    ("antigravity", "ensurepip", "idlelib", "lib2to3", "this", "tkinter", "turtle", "turtledemo", "venv")
)
_TESTS = frozenset(("test", "tests", "idle_test"))
_OF_TK = frozenset(("_tkinter",))


def modules() -> list[str]:
    """Names of all modules that this system's Python has, sorted, submodules included."""
    found: set[str] = set()
    for name in sys.stdlib_module_names - LEFT_OUT - _TESTS - _OF_TK:
        if name.startswith("_test") or name in {"_xxtestfuzz", "__main__"}:
            continue
        try:
            spec = importlib.util.find_spec(name)
        except (ImportError, ValueError):
            continue
        if spec is None:  # of another system
            continue
        found.add(name)
        if spec.submodule_search_locations:
            found.update(_below(name, spec.submodule_search_locations))
    return sorted(found)


def _below(package: str, folders: list[str]) -> set[str]:
    found = set()
    for module in pkgutil.iter_modules(folders, package + "."):
        last = module.name.rpartition(".")[2]
        if last in _TESTS or last == "__main__":
            continue
        found.add(module.name)
        if module.ispkg:
            found.update(_below(module.name, [os.path.join(folder, last) for folder in folders]))
    return found
