"""Figures of the views, in this process: how soon they show, and for how long nothing else can be done."""

from __future__ import annotations

import gc
import os
import random
import statistics
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path
from typing import Any

from tests.benchmark.history import fill_year
from tests.benchmark.table import Goal, Row
from trayapp.history.records import put_windows
from trayapp.history.store import open_history

_TICK_S = 0.005
_SIGNALS = 2_000
_SIZE = (1280, 760)
_A_BLOCK = Goal("≤", 50)
_JOBS, _DAYS = 60, 30
_RUN = "20260904-090202-e-fas"


def measure_views(folder: Path, runs: int, rounds: int) -> list[Row]:
    """Measure over a home below *folder*, with a history of so many runs."""
    os.environ["QT_QPA_PLATFORM"] = "offscreen"
    from PySide6.QtWidgets import QApplication  # the platform is chosen before

    app = QApplication.instance() or QApplication([])
    assert isinstance(app, QApplication)
    return [
        *_references(app),
        *_panel(app, folder / "panel", rounds),
        *_history(app, folder / "history", runs, rounds),
        *_output(app, folder / "output"),
        *_timeline(app, folder / "timeline", rounds),
    ]


def _references(app: Any) -> list[Row]:  # the QApplication
    """References to None and True that a signal costs: a binding that loses them aborts in the end."""
    from PySide6.QtCore import QObject, Signal  # as above

    class Sender(QObject):
        sent = Signal(bool)

    sender = Sender()
    lost = []
    for value in (None, True):
        gc.collect()
        before = sys.getrefcount(value)
        for _ in range(_SIGNALS):
            sender.sent.emit(True)
            app.processEvents()
        lost.append(max(0, before - sys.getrefcount(value)) / _SIGNALS)
    told = f"None {lost[0]:.3f}, True {lost[1]:.3f}"
    return [Row(f"references lost a signal, over {_SIGNALS:,}", told, "", max(lost), Goal("≤", 0.05), "")]


class Blocks:
    """Longest time in which the event loop could not serve a timer: others may have had the processor meanwhile."""

    def __init__(self) -> None:
        from PySide6.QtCore import Qt, QTimer  # as above

        self._longest_s, self._last_s = 0.0, time.perf_counter()
        self._longest_work_s, self._last_work_s = 0.0, time.thread_time()
        self._timer = QTimer()
        self._timer.setTimerType(Qt.TimerType.PreciseTimer)
        self._timer.setInterval(int(_TICK_S * 1000))
        self._timer.timeout.connect(self._on_tick)
        self._timer.start()

    def _on_tick(self) -> None:
        now_s, work_s = time.perf_counter(), time.thread_time()
        self._longest_s = max(self._longest_s, now_s - self._last_s - _TICK_S)
        self._longest_work_s = max(self._longest_work_s, work_s - self._last_work_s)
        self._last_s, self._last_work_s = now_s, work_s

    def row(self) -> Row:
        """Longest block since the start, and how much of it was work of this thread."""
        longest_ms, work_ms = 1000 * self._longest_s, 1000 * self._longest_work_s
        told = f"{longest_ms:.0f} ms, longest own work {work_ms:.0f}"
        return Row("longest block meanwhile", told, "", longest_ms, _A_BLOCK, "ms")


@contextmanager
def _stage(app: object, folder: Path) -> Iterator[object]:
    from tests.gui.stage import Stage  # imports Qt

    folder.mkdir()
    made = Stage(app, str(folder))  # type: ignore[arg-type]
    made.places.make_folders()
    try:
        yield made
    finally:
        made.close()


def _until(found: Callable[[], object], seconds: float = 120) -> float:
    """Serve events till that is true; returns for how long, in ms."""
    from PySide6.QtWidgets import QApplication  # as above

    began_s = time.perf_counter()
    while not found():
        assert time.perf_counter() - began_s < seconds
        QApplication.processEvents()
    return 1000 * (time.perf_counter() - began_s)


def _panel(app: object, folder: Path, rounds: int) -> list[Row]:
    from PySide6.QtCore import QRect  # as above
    from PySide6.QtWidgets import QApplication

    from tests.gui import sample
    from trayapp.gui.panel.panel import Panel

    with _stage(app, folder) as stage:
        stage.show(sample.many(60))  # type: ignore[attr-defined]
        panel = Panel(stage.context)  # type: ignore[attr-defined]
        opened, changed = [], []
        for number in range(rounds):
            began_s = time.thread_time()
            panel.open_beside(QRect(1200, 840, 22, 22))
            QApplication.processEvents()
            opened.append(1000 * (time.thread_time() - began_s))
            began_s = time.thread_time()
            at = sample.NOW + timedelta(seconds=number + 1)
            stage.show(sample.many(60)._replace(at=at))  # type: ignore[attr-defined]
            QApplication.processEvents()
            changed.append(1000 * (time.thread_time() - began_s))
            panel.hide()
        panel.deleteLater()
    return [
        Row("panel with 60 jobs: first opening", f"{opened[0]:.0f} ms", "", opened[0], _A_BLOCK, "ms"),
        _row("panel with 60 jobs: opened again", opened[1:], _A_BLOCK),
        _row("panel with 60 jobs: all of them told anew", changed, _A_BLOCK),
    ]


def _history(app: object, folder: Path, runs: int, rounds: int) -> list[Row]:
    from trayapp.gui.history.page import HistoryPage  # imports Qt

    with _stage(app, folder) as stage:
        fill_year(stage.places.history_db, runs)  # type: ignore[attr-defined]
        before = _memory_mb()
        blocks = Blocks()
        page = HistoryPage(stage.context)  # type: ignore[attr-defined]
        page.resize(*_SIZE)
        page.filters._period.setCurrentIndex(page.filters._period.findData("all"))
        page.show()
        first = _until(lambda: page.model.run_at(0))
        whole = first + _until(lambda: page.model.total == runs)
        looked = []
        random.seed(7)
        for _row_number in range(max(20, rounds)):
            row = random.randrange(runs)
            page.table.scrollTo(page.model.index(row, 0))
            looked.append(_until(lambda row=row: page.model.run_at(row)))
        block = blocks.row()
        memory = _memory_mb() - before
        page.close()
        page.deleteLater()
    return [
        Row(f"history of {runs:,} runs: first rows", f"{first:.0f} ms", "", first, Goal("≤", 150), "ms"),
        Row(f"history of {runs:,} runs: its size known", f"{whole:.0f} ms", "", None),
        _row("a row somewhere in it, after a jump", looked),
        block,
        Row("memory that it took", f"{memory:.0f} MB", "", memory, None, "MB"),
    ]


def _output(app: object, folder: Path) -> list[Row]:
    from tests.gui import past  # imports Qt
    from trayapp.gui.history.page import HistoryPage

    with _stage(app, folder) as stage:
        past.fill(stage.places)  # type: ignore[attr-defined]
        stage.show(past.snapshot())  # type: ignore[attr-defined]
        path = stage.places.output_file("e-fatura", _RUN)  # type: ignore[attr-defined]
        with open(path, "wb") as file:
            file.writelines(b"a line that a program printed\n" * 34_953 for _ in range(300))
        page = HistoryPage(stage.context)  # type: ignore[attr-defined]
        page.resize(*_SIZE)
        page.show_snapshot(stage.context.store.snapshot)  # type: ignore[attr-defined]
        page.show()
        _until(lambda: page.model.run_at(0))
        blocks = Blocks()
        from trayapp.gui.context import Place

        page.go_to(Place("history", "e-fatura", run=_RUN))
        shown = _until(lambda: "are not shown" in page.detail.output._text.toPlainText())
        block = blocks.row()
        page.close()
        page.deleteLater()
    return [
        Row("a run that printed 300 MB: opened", f"{shown:.0f} ms", "", shown, None, "ms"),
        block,
    ]


def _timeline(app: object, folder: Path, rounds: int) -> list[Row]:
    """60 jobs with 30 days of hours each, drawn along and scrolled."""
    from PySide6.QtWidgets import QApplication  # as above

    from tests.gui import past
    from trayapp.gui.timeline.page import TimelinePage

    with _stage(app, folder) as stage:
        one = past.snapshot().job("satis-ozet")
        assert one is not None
        jobs = tuple(one._replace(file=one.file._replace(id=f"is-{number}")) for number in range(_JOBS))
        _fill_hours(stage.places.history_db, [job.id for job in jobs])  # type: ignore[attr-defined]
        stage.show(past.snapshot()._replace(jobs=jobs))  # type: ignore[attr-defined]
        page = TimelinePage(stage.context)  # type: ignore[attr-defined]
        page.resize(*_SIZE)
        page.show_snapshot(stage.context.store.snapshot)  # type: ignore[attr-defined]
        page.show()
        canvas = page.canvas
        _until(lambda: canvas.scale.width > 0)
        canvas.show_span(_DAYS * 86_400.0)
        _until(lambda: not canvas.rows._asked and _strips_in_sight(canvas))
        frames = []
        for number in range(40 * rounds):
            began_s = time.thread_time()
            canvas.pan(-0.03 if number % 2 else 0.02)
            canvas.verticalScrollBar().setValue(number * 11 % canvas.verticalScrollBar().maximum())
            canvas.viewport().repaint()
            frames.append(1000 * (time.thread_time() - began_s))
            QApplication.processEvents()
        page.close()
        page.deleteLater()
    return [_row(f"timeline of {_JOBS} jobs and {_DAYS} days of hours: a frame", frames, Goal("≤", 50))]


def _strips_in_sight(canvas: Any) -> bool:  # a module that imports Qt has its class
    return all(canvas.rows.strip(canvas.rows.jobs[row].id) for row in canvas.rows_in_sight())


def _fill_hours(path: str, jobs: list[str]) -> None:
    """Write each job's hours of the last days, now and then one that failed or was done later."""
    from tests.gui.sample import NOW  # imports Qt
    from tests.history.making import made_window

    first = NOW.replace(minute=0, second=0, microsecond=0) - timedelta(days=_DAYS)
    history = open_history(path)
    for job in jobs:
        windows = [
            made_window(
                number + 1,
                key=f"{job}:{number}",
                start=(start := first + timedelta(hours=number)),
                end=start + timedelta(hours=1),
                at=start + timedelta(hours=1 + 9 * (number % 7 == 0), minutes=5),
                state="failed" if number % 97 == 0 else "done",
            )
            for number in range(24 * _DAYS)
        ]
        history.transact(lambda connection, job=job, windows=windows: put_windows(connection, "defter", job, windows))
    history.close()


def _row(what: str, figures: list[float], goal: Goal | None = None) -> Row:
    middle = statistics.median(figures)
    return Row(what, f"{middle:.0f} ms, at most {max(figures):.0f}", "", middle, goal, "ms")


def _memory_mb() -> float:
    assert sys.platform == "linux"
    rollup = Path("/proc/self/smaps_rollup").read_text(encoding="ascii")
    return sum(int(line.split()[1]) for line in rollup.splitlines() if line.startswith("Private_")) / 1024
