"""Views in this process, without a screen (`stage`), and the real thing on a screen of its own (`desk`)."""

from __future__ import annotations

import os
import shutil
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

import pytest

if TYPE_CHECKING:
    from PySide6.QtWidgets import QApplication

    from tests.gui.desk import Desk
    from tests.gui.stage import Stage
    from trayapp.gui.garbage import Garbage

T = TypeVar("T")
SAYS_WHY = "test_qt_is_there.py"
PROGRAMS = ("Xvfb", "dbus-daemon", "openbox", "trayer", "xdotool", "import")


def why_no_qt() -> str | None:
    """Reason for which nothing here can run."""
    try:
        from PySide6 import QtSvg, QtWidgets  # noqa: F401
    except ImportError as error:
        return f"needs PySide6 and what it loads: {error}"
    return None


# Without Qt no module here can be imported; `SAYS_WHY` then says why.
collect_ignore = [path.name for path in Path(__file__).parent.iterdir() if path.name != SAYS_WHY] if why_no_qt() else []


@pytest.fixture(scope="session")
def app() -> QApplication:
    """The one QApplication of this process, without a screen; on Windows with the one that is there."""
    os.environ["QT_QPA_PLATFORM"] = "windows" if sys.platform == "win32" else "offscreen"
    from PySide6.QtWidgets import QApplication

    made = QApplication.instance() or QApplication([])
    made.setQuitOnLastWindowClosed(False)
    return made


@pytest.fixture(scope="session")
def _garbage(app: QApplication) -> Garbage:
    from trayapp.gui.garbage import Garbage

    return Garbage(app)


@pytest.fixture(autouse=True)
def _tidy(request: pytest.FixtureRequest) -> Iterator[None]:
    """Collect in this thread, as the application does: else a reader's destroys a widget, and a later test crashes."""
    garbage: Garbage | None = request.getfixturevalue("_garbage") if "app" in request.fixturenames else None
    yield
    if garbage is not None:
        garbage.collect()  # few tests let the application sleep


@pytest.fixture
def stage(app: QApplication, tmp_path: Path) -> Iterator[Stage]:
    """The sample office, in English and light; nothing is read or started."""
    from tests.gui.stage import Stage

    made = Stage(app, str(tmp_path))
    yield made
    made.close()
    for view in app.topLevelWidgets():
        view.close()
        view.deleteLater()


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[Desk]:
    """A screen, a bus and a home of this test's own; hosts and the tray are started by the test."""
    if sys.platform != "linux":
        pytest.skip("needs Linux")
    missing = [program for program in PROGRAMS if shutil.which(program) is None]
    if missing:
        pytest.skip(f"needs {', '.join(missing)}: `python3 installer/bootstrap.py desktop-tools`")
    pytest.importorskip("jeepney")
    from tests.gui.desk import Desk

    made = Desk(tmp_path)
    yield made
    made.close()


def until(found: Callable[[], T], seconds: float = 15.0, step: float = 0.05) -> T:
    """Wait for *found* to be true and return it; the events of this process go on meanwhile."""
    from PySide6.QtWidgets import QApplication

    end = time.monotonic() + seconds
    while not (value := found()):
        assert time.monotonic() < end, f"not within {seconds} s"
        if QApplication.instance() is not None:
            QApplication.processEvents()
        time.sleep(step)
    return value
