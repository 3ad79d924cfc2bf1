"""Scenes of a job with a list: at work, with failures, in the panel, in the editor."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtTest import QTest
from PySide6.QtWidgets import QWidget

from tests.gui import sample
from tests.gui.stage import Stage
from trayapp.fan_out.progress import Progress
from trayapp.gui.context import Place
from trayapp.gui.state.snapshot import ItemCounts, JobState, Survey
from trayapp.job.model import DownloadEffect, Items

LOST = {
    "failures": [
        {"item": "120.03.0471", "message": "https://e.example/120.03.0471: answered 404", "final": True},
        {"item": "120.03.0519", "message": "https://e.example/120.03.0519: answered 500, three times", "final": True},
    ],
    "refusals": [{"item": "../cari", "message": "ekstre.txt:88: “../cari” leads out of the folder"}],
}


def of_list(state: JobState, *, at_work: bool) -> JobState:
    """The sample's job of statements, as the list that it is."""
    assert state.file.job is not None
    job = state.file.job._replace(
        rule=None,
        items=Items("/veri/ekstre.txt", "/veri/ekstreler", "{item}.pdf"),
        effect=DownloadEffect("https://banka.example/ekstre/{item}"),
    )
    state = state._replace(file=state.file._replace(job=job))
    if at_work:
        since = sample.NOW.timestamp() - 963
        return state._replace(progress=Progress(10_000, 3_412, 2, 45.2, 146.0, 4, since))
    counts = Survey(items=ItemCounts(10_000, 9_997, 2, 0, 1))
    last = state.last and state.last._replace(outcome="failed", reason="items-failed", new_count=9_997, windows=0)
    return state._replace(kind="failed", survey=counts, last=last, lock=state.lock._replace(state="idle"))


def with_list(stage: Stage, *, at_work: bool) -> None:
    snapshot = stage.context.store.snapshot
    jobs = tuple(of_list(job, at_work=at_work) if job.id == "ekstre" else job for job in snapshot.jobs)
    stage.show(snapshot._replace(jobs=jobs))


def _page(*, at_work: bool) -> Callable[[Stage], QWidget]:
    def scene(stage: Stage) -> QWidget:
        from trayapp.gui.main_view import MainView

        with_list(stage, at_work=at_work)
        made = MainView(stage.context, has_tray=True)
        made.go_to(Place("jobs", "ekstre"))
        made.show()
        QTest.qWait(300)
        if not at_work:
            made.current.view.items.show_lost(LOST)
        return made

    return scene


def panel(stage: Stage) -> QWidget:
    from tests.gui.screenshots.scenes import panel as whole

    with_list(stage, at_work=True)
    return whole(stage)


def _editor(step: int) -> Callable[[Stage], QWidget]:
    def scene(stage: Stage) -> QWidget:
        from trayapp.gui.jobs.editor.listing import Listing
        from trayapp.gui.jobs.editor.window import EditorWindow

        made = EditorWindow(stage.context, None)
        made.begin_new()
        made.resize(1200, 740)
        made.form.set(title="Cari ekstre PDF indirme", works="list", kind="download", timing="daily")
        made.form.set(url="https://banka.example/ekstre/{item}", source="/veri/ekstre.txt")
        made.form.set(target="/veri/ekstreler/{item}.pdf")
        made.show()
        made.go(step)
        for _ in range(20):
            QTest.qWait(50)
        ids = tuple(f"120.03.{number:04}" for number in range(471, 481))
        trouble = str(LOST["refusals"][0]["message"])
        first = tuple((item, f"{item}.pdf") for item in ids)
        made.form._on_listed(Listing(10_000, first, 1, (trouble,)))
        made.form.begin_saved()
        return made

    return scene


TOLD = {
    "outcome": "works",
    "kind": "sql",
    "start": "2026-09-04T08:00:00Z",
    "end": "2026-09-04T09:00:00Z",
    "duration_ms": 14,
    "done_already": False,
    "repeated_count": 0,
    "tables": [
        {
            "table": "ozet",
            "written": 1,
            "changed": 0,
            "removed": 0,
            "columns": ["saat", "adet", "tutar"],
            "rows": [["2026-09-04T08:00:00", "14", "18250.50"]],
            "is_new": False,
            "is_dropped": False,
        }
    ],
    "output": "",
}


def trial(stage: Stage) -> QWidget:
    from trayapp.gui.jobs.editor.window import EditorWindow

    made = EditorWindow(stage.context, None)
    made.begin_new()
    made.resize(1200, 740)
    made.form.set(title="Saatlik satış özeti", database="/veri/satis.db", script="/veri/ozet.sql")
    made.show()
    card = made.steps[0].trial
    card._told, card._tried = TOLD, made.form.text()
    card._write()
    for _ in range(10):
        QTest.qWait(50)
    made.steps[0].ensureWidgetVisible(card)
    made.steps[0].verticalScrollBar().setValue(made.steps[0].verticalScrollBar().maximum())
    made.form.begin_saved()
    return made


def trial_of_program(stage: Stage) -> QWidget:
    from trayapp.gui.jobs.editor.window import EditorWindow

    made = EditorWindow(stage.context, None)
    made.begin_new()
    made.resize(1200, 740)
    made.form.set(title="E-fatura gönderimi", kind="command", command="fatura-gonder --from {start} --to {end}")
    made.show()
    card = made.steps[0].trial
    card.choice.setChecked(True)
    message = "/usr/bin/env: fatura-gonder: No such file or directory"
    error = {"code": "command-failed", "message": "The command ended with status 127."}
    card._told = {**TOLD, "kind": "command", "outcome": "failed", "tables": [], "output": message, "error": error}
    card._tried = made.form.text()
    card._write()
    QTest.qWait(300)
    made.steps[0].verticalScrollBar().setValue(made.steps[0].verticalScrollBar().maximum())
    made.form.begin_saved()
    return made


def timeline(stage: Stage) -> QWidget:
    from tests.gui import past
    from tests.gui.screenshots.past_scenes import _read, _view

    past.fill(stage.places)
    with_list(stage, at_work=True)
    view = _view(stage, "timeline")
    canvas = view.current.canvas
    canvas._scroll_to_row([job.id for job in canvas.rows.jobs].index("ekstre"))
    _read(view.current)
    return view


ITEM_SCENES: dict[str, Callable[[Stage], QWidget]] = {
    "jobs-list-at-work": _page(at_work=True),
    "jobs-list-failed": _page(at_work=False),
    "panel-list": panel,
    "timeline-list": timeline,
    "editor-trial": trial,
    "editor-trial-program": trial_of_program,
    **{f"editor-list-{name}": _editor(step) for step, name in enumerate(("what", "when", "careful", "review"))},
}
