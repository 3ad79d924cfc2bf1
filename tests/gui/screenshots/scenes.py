"""What is rendered: one function a view. Add yours here, with the size at which it is designed.

A scene gets a `Stage` (its `context` holds the sample office) and returns a widget, which
is shown, rendered and closed.
"""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QRect
from PySide6.QtWidgets import QWidget

from tests.gui.screenshots.item_scenes import ITEM_SCENES
from tests.gui.screenshots.job_scenes import JOB_SCENES
from tests.gui.screenshots.past_scenes import PAST_SCENES
from tests.gui.stage import Stage

Scene = Callable[[Stage], QWidget]


def panel(stage: Stage) -> QWidget:
    from trayapp.gui.panel.panel import Panel

    made = Panel(stage.context)
    made.open_beside(QRect(1200, 840, 22, 22))
    return made


def panel_60_jobs(stage: Stage) -> QWidget:
    from tests.gui import sample

    stage.show(sample.many(60))
    return panel(stage)


def panel_answers(stage: Stage) -> QWidget:
    made = panel(stage)
    stage.answer(
        "satis-ozet",
        outcome="skipped",
        reason="kapanmis pencere yok",
        done_up_to="2026-09-04T09:00:00Z",
        next_at="2026-09-04T10:05:00Z",
    )
    stage.answer("e-fatura", outcome="uncertain")
    stage.answer("banka", outcome="done", windows=2, waiting=0, next_at="2026-09-04T10:05:00Z")
    return made


def panel_empty(stage: Stage) -> QWidget:
    from tests.gui import sample

    stage.show(sample.snapshot()._replace(jobs=()), entries=[])
    return panel(stage)


def _page(name: str) -> Scene:
    def scene(stage: Stage) -> QWidget:
        from trayapp.gui.context import Place
        from trayapp.gui.main_view import MainView

        made = MainView(stage.context, has_tray=True)
        made.go_to(Place(name))
        return made

    return scene


def arrivals(stage: Stage) -> QWidget:
    from trayapp.gui.settings.arrivals import ArrivalsDialog

    concerns = [
        {"message": "The database /srv/satis.db is not there. Copy it, or correct database in the job."},
        {"message": "The command names /srv/gonder.py, which is not there."},
    ]
    jobs = [
        {"id": "a", "title": "Saatlik satış özeti", "error": None, "concerns": [], "closed_periods": 900},
        {"id": "b", "title": "E-fatura gönderimi", "error": None, "concerns": concerns, "closed_periods": 2},
        {"id": "c", "title": "", "error": {"message": "The id c is taken."}, "concerns": [], "closed_periods": 0},
    ]
    return ArrivalsDialog(stage.context, "all.zip", {"jobs": jobs, "settings": {"history_days": 90}})


def _help(name: str, words: str = "") -> Scene:
    def scene(stage: Stage) -> QWidget:
        from trayapp.gui.help.view import HelpView

        made = HelpView(stage.context)
        made.open_at(name)
        made.search.setText(words)
        return made

    return scene


def main_without_tray(stage: Stage) -> QWidget:
    from trayapp.gui.main_view import MainView

    return MainView(stage.context, has_tray=False)


SCENES: dict[str, Scene] = {
    **JOB_SCENES,
    **ITEM_SCENES,
    "panel": panel,
    "panel-60-jobs": panel_60_jobs,
    "panel-answers": panel_answers,
    "panel-empty": panel_empty,
    "main-without-tray": main_without_tray,
    "arrivals": arrivals,
    **{f"page-{name}": _page(name) for name in ("jobs", "checkup", "settings")},
    "help": _help("start"),
    "help-states": _help("states"),
    "help-search": _help("start", "support file"),
    **PAST_SCENES,
}
