"""Debian packages: what only apt-get can bring, installed where root may and named elsewhere."""

from __future__ import annotations

import os
import shutil
import sys
from typing import TYPE_CHECKING, NamedTuple

from step import Failure, do, say

if TYPE_CHECKING:
    from collections.abc import Sequence


class Tool(NamedTuple):
    """A program that some tests need, its Debian package and what is skipped without it."""

    program: str
    package: str
    skipped: str


TEST_TOOLS = (
    Tool("crontab", "cron", "tests of the real cron"),
    Tool("faketime", "faketime", "tests that set the clock"),
    Tool("strace", "strace", "tests that kill at a system call"),
    Tool("setpriv", "util-linux", "tests of permissions, as root"),
)


def install_test_tools() -> None:
    """Install the programs that tests need where root may; elsewhere say what will be skipped."""
    missing = [tool for tool in TEST_TOOLS if shutil.which(tool.program) is None]
    if not missing:
        return
    if _may_install_packages():
        _install_packages([tool.package for tool in missing])
        return
    for tool in missing:
        say(
            f"{tool.program} yok; ona dayanan testler atlanacak.",
            f"{tool.program} is missing; skipped: {tool.skipped}.",
        )


def install_venv() -> None:
    """Install the part that Debian takes out of Python. Raises: Failure with the command, where root must do it."""
    package = f"python{sys.version_info.major}.{sys.version_info.minor}-venv"
    if not _may_install_packages():
        raise Failure(
            f"Python'un venv bölümü eksik. Şunu çalıştırıp yeniden deneyin: sudo apt-get install {package}",
            f"Python's venv part is missing. Run this and try again: sudo apt-get install {package}",
        )
    _install_packages([package])


def _may_install_packages() -> bool:
    return sys.platform == "linux" and os.geteuid() == 0 and shutil.which("apt-get") is not None


def _install_packages(packages: Sequence[str]) -> None:
    turkish, english = "Debian paketleri kurulamadı", "Cannot install Debian packages"
    do(["apt-get", "-qq", "update"], turkish, english)
    do(["apt-get", "-qq", "install", "--yes", "--no-install-recommends", *packages], turkish, english)
