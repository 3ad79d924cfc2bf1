"""Starting Birkez itself as a process of its own, with the interpreter that runs this one."""

from __future__ import annotations

import subprocess
import sys

from trayapp.own_command import own_argv, own_environment


def start_birkez(*words: str, keeps_output: bool) -> subprocess.Popen[str]:
    """Start `birkez` *words*; its output is for us to read, or goes nowhere. What it complains of is shown.

    Raises: OSError when the system makes no new process.
    """
    no_window = 0
    if sys.platform == "win32" and sys.stdout is None:
        no_window = subprocess.CREATE_NO_WINDOW  # under pythonw; else a console would flash up
    return subprocess.Popen(
        own_argv(*words),
        env={**own_environment(), "PYTHONIOENCODING": "utf-8"},  # a pipe on Windows is in an old code page unasked
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE if keeps_output else subprocess.DEVNULL,
        stderr=None if sys.stderr is not None else subprocess.DEVNULL,
        creationflags=no_window,
        encoding="utf-8",
    )


def exit_status_of(returncode: int) -> int:
    """Exit status as a shell tells it: 128 and the number where a signal ended the process."""
    return returncode if returncode >= 0 else 128 - returncode
