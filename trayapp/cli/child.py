"""Starting Birkez itself as a process of its own, with the interpreter that runs this one."""

from __future__ import annotations

import os
import subprocess
import sys

_ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


def start_birkez(*words: str, keeps_output: bool) -> subprocess.Popen[str]:
    """Start `birkez` *words*; its output is for us to read, or goes nowhere. What it complains of is shown.

    Raises: OSError when the system makes no new process.
    """
    no_window = 0
    if sys.platform == "win32" and sys.stdout is None:
        no_window = subprocess.CREATE_NO_WINDOW  # under pythonw; else a console would flash up
    return subprocess.Popen(
        _argv(*words),
        env=_environment(),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE if keeps_output else subprocess.DEVNULL,
        stderr=None if sys.stderr is not None else subprocess.DEVNULL,
        creationflags=no_window,
        encoding="utf-8",
    )


def _argv(*words: str) -> list[str]:
    if getattr(sys, "frozen", False):
        return [sys.executable, *words]
    # -P: else the folder that the person stands in would come first, and a json.py in it be taken for Python's.
    return [sys.executable, "-P", "-m", "trayapp", *words]


def _environment() -> dict[str, str]:
    """Environment of this process, with this very copy of Birkez on the path."""
    environment = dict(os.environ)
    if not getattr(sys, "frozen", False) and not _ROOT.endswith(("site-packages", "dist-packages")):
        known = environment.get("PYTHONPATH", "").split(os.pathsep)
        environment["PYTHONPATH"] = os.pathsep.join([_ROOT, *(path for path in known if path not in ("", _ROOT))])
    return environment


def exit_status_of(returncode: int) -> int:
    """Exit status as a shell tells it: 128 and the number where a signal ended the process."""
    return returncode if returncode >= 0 else 128 - returncode
