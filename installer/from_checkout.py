"""The words of `bootstrap.py`: a private environment inside the checkout, then the command.

Promise: nothing outside the checkout changes, but for Debian packages when root runs it.
Standard library only: it runs before anything is installed.
"""

from __future__ import annotations

import os
import subprocess
import sys
from typing import TYPE_CHECKING

from debian import install_desktop_libraries, install_desktop_tools, install_test_tools
from environment import CHECKOUT, RUNTIME_LOCK, TEST_LOCK, TRAY_LOCK, make_environment
from step import Failure, clean_environment, say

if TYPE_CHECKING:
    from collections.abc import Sequence

# -P: a folder that a person stands in may hold a trayapp, or a module named like one of ours.
AS_A_MODULE = ("-P", "-m", "trayapp")

FAILED = 1
USAGE = 2


def main(words: Sequence[str]) -> int:
    """Do what *words* ask and return the exit status."""
    for stream in (sys.stdout, sys.stderr):
        # A Windows console in an old code page shows a question mark rather than a traceback.
        stream.reconfigure(errors="replace")  # type: ignore[union-attr]
    try:
        return _perform(words)
    except Failure as failure:
        say(failure.turkish, failure.english, to=sys.stderr)
        return FAILED
    except KeyboardInterrupt:
        return 130


def _perform(words: Sequence[str]) -> int:
    match list(words):
        case ["demo", *_] | ["birkez", *_]:
            rest = words[1:] if words[0] == "birkez" else words
            return _call(make_environment(RUNTIME_LOCK), *AS_A_MODULE, *rest)
        case ["tray", *_]:
            install_desktop_libraries()
            return _call(make_environment(TRAY_LOCK), *AS_A_MODULE, *words)
        case ["desktop-tools"]:
            install_desktop_libraries()
            return install_desktop_tools()
        case ["test", *rest]:
            install_test_tools()
            python = make_environment(TEST_LOCK)
            os.chdir(CHECKOUT)
            return _call(python, "-m", "pytest", *rest)
        case ["tools"]:
            make_environment(TEST_LOCK)
            return 0
    say(
        "Kullanım: bootstrap.py demo | tray | birkez SÖZCÜKLER… | test [PYTEST…] | tools",
        "Usage: bootstrap.py demo | tray | birkez WORDS… | test [PYTEST…] | tools",
        to=sys.stderr,
    )
    return USAGE


def _call(python: str, *words: str) -> int:
    """Run the command in front of the person's eyes and return its exit status."""
    command = [python, *words]
    if os.name == "posix":
        os.execve(python, command, clean_environment())  # signals then reach the command itself
    return subprocess.run(command, env=clean_environment(), check=False).returncode
