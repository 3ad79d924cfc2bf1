"""How this very copy of Birkez is started again, as a process of its own: its words and its environment."""

from __future__ import annotations

import os
import sys

_ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
_FROZEN_TRAY = "birkez-tray"  # of the frozen programs the one that takes no commands


def own_argv(*words: str) -> list[str]:
    """Argv that starts `birkez` *words* with the interpreter, or the frozen program, that runs this."""
    if getattr(sys, "frozen", False):
        return [_frozen_program(), *words]
    if sys.flags.isolated:  # by a scheduler's entry: variables that mislead Python are passed over here too
        return [sys.executable, "-I", "-S", os.path.join(_ROOT, "trayapp", "__main__.py"), *words]
    # -P: else the folder that the person stands in would come first, and a json.py in it be taken for Python's.
    return [sys.executable, "-P", "-m", "trayapp", *words]


def own_environment() -> dict[str, str]:
    """Environment of this process, with this very copy of Birkez on the path."""
    environment = dict(os.environ)
    if not getattr(sys, "frozen", False) and not _ROOT.endswith(("site-packages", "dist-packages")):
        known = environment.get("PYTHONPATH", "").split(os.pathsep)
        environment["PYTHONPATH"] = os.pathsep.join([_ROOT, *(path for path in known if path not in ("", _ROOT))])
    return environment


def _frozen_program() -> str:
    """File of the program that takes commands: this one, or beside the tray's."""
    folder, name = os.path.split(os.path.abspath(sys.executable))
    stem, ending = os.path.splitext(name)
    return os.path.join(folder, "birkez" + ending) if stem.lower() == _FROZEN_TRAY else sys.executable
