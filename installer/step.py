"""One step of `bootstrap.py`: run quietly when it succeeds, told in two languages when it does not."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import IO, TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence


class Failure(Exception):  # noqa: N818  # an outcome with its sentence in two languages, caught in main
    """A step cannot be done, and what the person can do about it."""

    def __init__(self, turkish: str, english: str) -> None:
        super().__init__(turkish, english)
        self.turkish = turkish
        self.english = english


def say(turkish: str, english: str, to: IO[str] | None = None) -> None:
    """Show the person one sentence in both languages, at once."""
    print(turkish, english, sep="\n", file=to or sys.stdout, flush=True)


def do(words: Sequence[str], turkish: str, english: str) -> None:
    """Run one step quietly. Raises: Failure with the step's own last words when it fails."""
    done = subprocess.run(
        words,
        env=clean_environment() | {"DEBIAN_FRONTEND": "noninteractive"},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        encoding="utf-8",
        errors="replace",
        close_fds=False,  # a step that outlives this process keeps the lock of `environment`
        check=False,
    )
    if done.returncode:
        answer = done.stdout.strip() or f"{words[0]}: {done.returncode}"
        raise Failure(f"{turkish}.", f"{english}:\n{answer}")


def clean_environment() -> dict[str, str]:
    """Environment without what would lead Python or pip away from the checkout's own packages."""
    astray = {"PYTHONHOME", "PYTHONPATH", "PIP_PREFIX", "PIP_TARGET", "VIRTUAL_ENV"}
    kept = {name: value for name, value in os.environ.items() if name not in astray}
    return kept | {"PIP_USER": "0", "PYTHONNOUSERSITE": "1"}
