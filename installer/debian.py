"""Debian packages: what only apt-get can bring, installed where root may and named elsewhere."""

from __future__ import annotations

import ctypes
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


# What Qt loads at its start on X11 and Wayland; found in an empty Debian, one after the other.
DESKTOP_LIBRARIES = {
    "libglib-2.0.so.0": "libglib2.0-0",
    "libGL.so.1": "libgl1",
    "libEGL.so.1": "libegl1",
    "libxkbcommon.so.0": "libxkbcommon0",
    "libdbus-1.so.3": "libdbus-1-3",
    "libfontconfig.so.1": "libfontconfig1",
    "libxcb-cursor.so.0": "libxcb-cursor0",
    "libxkbcommon-x11.so.0": "libxkbcommon-x11-0",
    "libxcb-icccm.so.4": "libxcb-icccm4",
    "libxcb-keysyms.so.1": "libxcb-keysyms1",
    "libxcb-shape.so.0": "libxcb-shape0",
}
DESKTOP_TOOLS = (
    Tool("Xvfb", "xvfb", "tests on a real screen"),
    Tool("openbox", "openbox", "tests on a real screen"),
    Tool("trayer", "trayer", "tests with a real tray"),
    Tool("lxqt-panel", "lxqt-panel", "tests with a real panel"),
    Tool("xdotool", "xdotool", "tests with real clicks"),
    Tool("import", "imagemagick", "tests that look at the screen"),
    Tool("dbus-daemon", "dbus-daemon", "tests with a real bus"),
    Tool("/usr/libexec/at-spi-bus-launcher", "at-spi2-core", "tests that read the screen as a blind person does"),
)
WINDOWS_TOOLS = (
    Tool("/usr/lib/wine/wine64", "wine64", "Windows on Wine"),
    Tool("wineserver", "wine", "Windows on Wine"),
    Tool("Xvfb", "xvfb", "Windows on Wine"),
    Tool("x86_64-w64-mingw32-gcc", "gcc-mingw-w64-x86-64-win32", "Windows on Wine"),
    Tool("localedef", "locales", "Windows on Wine"),
    Tool("makensis", "nsis", "Windows' installer"),
)


def missing_packages(tools: Sequence[Tool]) -> list[str]:
    """Packages of *tools* that are not there, after installing them where root may. Raises: Failure."""
    missing = [tool for tool in tools if shutil.which(tool.program) is None]
    if missing and _may_install_packages():
        _install_packages([tool.package for tool in missing])
        missing = [tool for tool in tools if shutil.which(tool.program) is None]
    return [tool.package for tool in missing]


def install_desktop_libraries() -> None:
    """Install the libraries that Qt loads, where root may; elsewhere say how. Only Linux takes them from the system."""
    if sys.platform != "linux":
        return
    missing = [package for library, package in DESKTOP_LIBRARIES.items() if not _is_loadable(library)]
    if not missing:
        return
    if _may_install_packages():
        _install_packages(missing)
        return
    command = f"sudo apt-get install {' '.join(missing)}"
    say(
        f"Eksik sistem kitaplıkları var. Kurmak için: {command}",
        f"System libraries are missing. To have them: {command}",
    )


def install_desktop_tools() -> int:
    """Install what tests on a real screen need; 0 when all of it is there, else 77."""
    missing = [tool for tool in DESKTOP_TOOLS if shutil.which(tool.program) is None]
    if missing and _may_install_packages():
        _install_packages([tool.package for tool in missing])
        return 0
    for tool in missing:
        say(
            f"{tool.program} yok; ona dayanan testler atlanacak.",
            f"{tool.program} is missing; skipped: {tool.skipped}.",
        )
    return 77 if missing else 0


def _is_loadable(library: str) -> bool:
    try:
        ctypes.CDLL(library)
    except OSError:
        return False
    return True


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
