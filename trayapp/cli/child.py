"""Starting Birkez itself as a process of its own, with the interpreter that runs this one."""

from __future__ import annotations

import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

_ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


def birkez_argv(*words: str) -> list[str]:
    """Words of a process that does `birkez` *words*."""
    if getattr(sys, "frozen", False):
        return [sys.executable, *words]
    # -P: else the folder that the person stands in would come first, and a json.py in it be taken for Python's.
    return [sys.executable, "-P", "-m", "trayapp", *words]


def birkez_environment(changes: Mapping[str, str] | None = None) -> dict[str, str]:
    """Environment for `birkez_argv`: this one's, *changes*, and this very copy of Birkez on the path."""
    environment = {**os.environ, **(changes or {})}
    if not getattr(sys, "frozen", False) and not _ROOT.endswith(("site-packages", "dist-packages")):
        known = environment.get("PYTHONPATH", "").split(os.pathsep)
        environment["PYTHONPATH"] = os.pathsep.join([_ROOT, *(path for path in known if path not in ("", _ROOT))])
    return environment


def exit_status_of(returncode: int) -> int:
    """Exit status as a shell tells it: 128 and the number where a signal ended the process."""
    return returncode if returncode >= 0 else 128 - returncode
