"""Scenes of history and timeline, over the sample office's week."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtWidgets import QWidget

from tests.gui import past
from tests.gui.conftest import until
from tests.gui.stage import Stage


def _view(stage: Stage, name: str) -> QWidget:
    """Main view at that page, shown; answers of the reader's thread come while one waits."""
    from trayapp.gui.context import Place
    from trayapp.gui.main_view import MainView

    made = MainView(stage.context, has_tray=True)
    made.go_to(Place(name))
    made.show()
    return made


def _history(stage: Stage, *, is_empty: bool = False) -> QWidget:
    if not is_empty:
        past.fill(stage.places)
    stage.show(past.snapshot())
    view = _view(stage, "history")
    page = view.current
    until(lambda: page.model.total is not None)
    if not is_empty:
        until(lambda: page.model.run_at(6) is not None)
        page.table.setFocus()
        page.table.choose_row(6)
        until(lambda: page.detail._details is not None and page.detail._details.output is not None)
    return view


def history(stage: Stage) -> QWidget:
    return _history(stage)


def history_decision(stage: Stage) -> QWidget:
    view = _history(stage)
    deciding = view.current.detail.deciding
    until(lambda: view.current.detail.window_list.chosen() is not None)
    deciding._ask("decide")
    return view


def history_search(stage: Stage) -> QWidget:
    view = _history(stage)
    page = view.current
    page.filters.search.setText("DISKINDE")
    page.filters._on_change()
    until(lambda: page.model.wanted.text != "" and page.model.rowCount() == 2 and not page.model.is_searching)
    until(lambda: page.detail._details is not None and page.detail._details.run.job == "gece-yedegi")
    return view


def history_empty(stage: Stage) -> QWidget:
    return _history(stage, is_empty=True)


def _timeline(stage: Stage, span: str) -> QWidget:
    past.fill(stage.places)
    stage.show(past.snapshot())
    view = _view(stage, "timeline")
    page = view.current
    until(lambda: page.canvas.scale.width > 0 and page.canvas.boot_s is not None)
    page.canvas.boot_s = past.ON.timestamp()
    page._head.choose_span(span)
    _read(page)
    return view


def _read(page: QWidget) -> None:
    canvas = page.canvas
    until(lambda: all(canvas.rows.strip(canvas.rows.jobs[row].id) for row in canvas.rows_in_sight()))
    until(lambda: not canvas.rows._asked)


def timeline(stage: Stage) -> QWidget:
    from trayapp.gui.timeline.rows import Spot

    view = _timeline(stage, "day")
    canvas = view.current.canvas
    row = [job.id for job in canvas.rows.jobs].index("satis-ozet")
    canvas._scroll_to_row(row)
    _read(view.current)
    canvas.choose(Spot(row, canvas.period_at(row, past.NOW.replace(hour=0, minute=30).timestamp())))
    return view


def timeline_6_hours(stage: Stage) -> QWidget:
    return _timeline(stage, "6h")


def timeline_week(stage: Stage) -> QWidget:
    return _timeline(stage, "week")


def timeline_month(stage: Stage) -> QWidget:
    return _timeline(stage, "month")


PAST_SCENES: dict[str, Callable[[Stage], QWidget]] = {
    "history": history,
    "history-decision": history_decision,
    "history-search": history_search,
    "history-empty": history_empty,
    "timeline": timeline,
    "timeline-6-hours": timeline_6_hours,
    "timeline-week": timeline_week,
    "timeline-month": timeline_month,
}
