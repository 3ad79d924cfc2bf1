"""Qt's objects are destroyed in their own thread, whichever thread fills the memory."""

from __future__ import annotations

import gc
import threading
from collections.abc import Iterator

import pytest
from PySide6.QtCore import QFileSystemWatcher
from PySide6.QtWidgets import QApplication

from tests.gui.conftest import until
from trayapp.gui.garbage import Garbage


class Cycle:
    """Garbage that only the collector finds, with something of Qt in it."""

    def __init__(self, folder: str) -> None:
        self.me = self
        self.watcher = QFileSystemWatcher([folder])


@pytest.fixture
def collectors() -> Iterator[list[threading.Thread]]:
    """Threads in which the interpreter collected."""
    seen: list[threading.Thread] = []

    def note(phase: str, _info: object) -> None:
        if phase == "start":
            seen.append(threading.current_thread())

    gc.callbacks.append(note)
    yield seen
    gc.callbacks.remove(note)


@pytest.fixture
def garbage(app: QApplication, monkeypatch) -> Iterator[Garbage]:
    gc.enable()
    made = Garbage(app)
    yield made
    made.close()
    gc.disable()  # as the tests of views have it


def _fill_the_memory() -> None:
    """Make far more objects than the interpreter lets pass before it collects."""
    for _ in range(5000):
        cycle: list[object] = []
        cycle.append(cycle)


def test_a_reader_that_fills_the_memory_collects_nothing(
    app: QApplication, garbage: Garbage, collectors: list[threading.Thread], tmp_path
):
    for _ in range(20):
        Cycle(str(tmp_path))
    thread = threading.Thread(target=_fill_the_memory)
    thread.start()
    thread.join()
    assert not collectors
    garbage.collect()
    assert set(collectors) == {threading.main_thread()}
    app.processEvents()


def test_it_is_collected_before_the_application_sleeps(
    app: QApplication, garbage: Garbage, collectors: list[threading.Thread]
):
    from PySide6.QtCore import QEventLoop, QTimer

    loop = QEventLoop()

    def fill() -> None:
        _fill_the_memory()
        QTimer.singleShot(50, loop.quit)  # only then: on a busy machine it would come before the first sleep

    QTimer.singleShot(0, fill)
    loop.exec()
    assert set(collectors) == {threading.main_thread()}


def test_old_garbage_goes_too(app: QApplication, garbage: Garbage, tmp_path):
    ended: list[bool] = []
    made = Cycle(str(tmp_path))
    made.watcher.destroyed.connect(lambda: ended.append(True))
    gc.collect()  # which makes it old
    del made
    kept = []

    def collect() -> bool:
        kept.append([[number] for number in range(1000)])
        garbage.collect()
        return bool(ended)

    until(collect, step=0.0)


def test_afterwards_the_interpreter_collects_as_before(app: QApplication):
    gc.enable()
    made = Garbage(app)
    assert not gc.isenabled()
    made.close()
    assert gc.isenabled()
    gc.disable()
