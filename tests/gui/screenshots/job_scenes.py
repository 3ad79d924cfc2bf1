"""Scenes of the jobs, their editor, the first start and the check-up."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import timedelta

from PySide6.QtTest import QTest
from PySide6.QtWidgets import QWidget

from tests.gui import sample
from tests.gui.stage import Stage
from trayapp.gui.context import Place


def _job(job: str, action: str = "") -> Callable[[Stage], QWidget]:
    def scene(stage: Stage) -> QWidget:
        from trayapp.gui.jobs.one.reading import Block, JobSeen, RunSeen
        from trayapp.gui.main_view import MainView

        made = MainView(stage.context, has_tray=True)
        made.go_to(Place("jobs", job, action=action))
        made.show()
        QTest.qWait(300)  # its own reading is over: the sample has no history
        hour = sample.NOW.replace(minute=0) - timedelta(hours=16)
        waiting = 3 if job == "stok" else 0
        kinds = ["late"] * 10 + ["done"] * (6 - waiting) + ["waiting"] * waiting
        blocks = [Block(hour + timedelta(hours=n), hour + timedelta(hours=n + 1), kind) for n, kind in enumerate(kinds)]
        blocks.append(Block(blocks[-1].end, blocks[-1].end + timedelta(hours=1), "open"))
        last = stage.context.store.snapshot.job(job).last
        runs = tuple(
            RunSeen(last._replace(started_at=at, ended_at=at + timedelta(milliseconds=200)), None)
            for at in (last.started_at - timedelta(hours=n) for n in range(4))
        )
        made.current.view.show_seen(JobSeen(job, sample.NOW, runs, tuple(blocks), blocks[-2 - waiting].end))
        return made

    return scene


def first_run(stage: Stage) -> QWidget:
    from trayapp.gui.main_view import MainView

    stage.show(stage.context.store.snapshot._replace(jobs=()))
    made = MainView(stage.context, has_tray=True)
    made.go_to(Place("jobs"))
    return made


def _editor(step: int) -> Callable[[Stage], QWidget]:
    def scene(stage: Stage) -> QWidget:
        from trayapp.gui.jobs.editor.window import EditorWindow

        made = EditorWindow(stage.context, None)
        made.begin_new()
        made.resize(1200, 740)
        made.form.set(
            title="Saatlik satış özeti",
            database="/veri/satis.db",
            script="/veri/ozet.sql",
            start=sample.NOW.replace(hour=7, minute=0),
        )
        made.show()
        made.go(step)
        for _ in range(20):  # the look ahead is a thread's
            QTest.qWait(50)
        made.form.begin_saved()
        return made

    return scene


def checkup(stage: Stage) -> QWidget:
    from trayapp.gui.checkup.findings import Finding
    from trayapp.gui.main_view import MainView

    made = MainView(stage.context, has_tray=True)
    made.go_to(Place("checkup"))
    made.current.show_findings(
        (
            Finding("doctor-disk-nearly-full", "problem", "", "The disk of /veri is nearly full. Free some space."),
            Finding("x", "problem", "stok", "stok: no entry. So it rests.", ("schedule", "check", "stok", "--repair")),
            Finding("doctor-clock", "ok", "", "The clock is right. It is kept by a time service."),
            Finding("doctor-zones", "ok", "", "Time zones are known."),
            Finding("trigger-well", "ok", "", "The scheduler has all entries."),
        )
    )
    return made


def _welcome(template: str, step: int) -> Callable[[Stage], QWidget]:
    def scene(stage: Stage) -> QWidget:
        from trayapp.gui.jobs.welcome.window import WelcomeWindow

        made = WelcomeWindow(stage.context, None)
        made.resize(1160, 740)
        made.show()
        if template:
            made.choose.ways[template].radio.setChecked(True)
        values = {
            "sql": {"database": "/veri/satis.db", "script": "/veri/ozet.sql"},
            "script": {"command": "/usr/local/bin/yedekle --hepsi"},
            "list": {"url": "https://belge.example.com/{item}.pdf", "source": "/veri/liste.csv"},
        }
        made.form.set(**values.get(template, {}))
        if template == "adopt":
            _show_found(made)
        made._open(step)
        for _ in range(20):  # the look ahead is a thread's
            QTest.qWait(50)
        if step == 3:  # the end
            _show_end(stage, made)
        made.form.begin_saved()
        return made

    return scene


def _show_found(made: QWidget) -> None:
    from trayapp.gui.commands import Done

    entry = {
        "entry": "1-ab12",
        "title": "yedekle",
        "schedule": "Her gece 02:30",
        "times": "30 2 * * *",
        "command": "/usr/local/bin/yedekle --hepsi >> /var/log/yedek.log",
        "text": "@reboot /usr/local/bin/izle",
        "adoptable": True,
        "reason": None,
        "cautions": [],
    }
    reason = {"message": "It starts with the computer, so there is no period that it could take."}
    other = {**entry, "adoptable": False, "reason": reason}
    made.choose.found._on_listed(Done(0, json.dumps({"entries": [entry, other], "trouble": None}), ""))
    made.choose.found.ways[0].radio.setChecked(True)


def _show_end(stage: Stage, made: QWidget) -> None:
    from trayapp.gui.commands import Done

    made.ending.begin("saatlik-satis-ozeti")
    entry = "# Birkez saatlik-satis-ozeti\n5 * * * * /usr/bin/birkez run saatlik-satis-ozeti --trigger schedule"
    facts = {"scheduler": "crontab", "schedule": "Her saat, 5 geçe", "state": "installed", "entry": entry}
    made.ending._on_looked(Done(0, json.dumps({**facts, "error": None}), ""))
    following = "2026-09-04T10:05:00Z"
    stage.answer("saatlik-satis-ozeti", outcome="done", windows=1, waiting=0, next_at=following)
    nothing = {"outcome": "skipped", "reason": "kapanmis pencere yok", "done_up_to": "2026-09-04T09:00:00Z"}
    stage.answer("saatlik-satis-ozeti", **nothing, next_at=following)


JOB_SCENES: dict[str, Callable[[Stage], QWidget]] = {
    "jobs-problem": _job("stok"),
    "jobs-well": _job("satis-ozet"),
    "jobs-decide": _job("e-fatura", "decide"),
    "jobs-first-run": first_run,
    "welcome-begin": _welcome("", 0),
    "welcome-what": _welcome("sql", 0),
    "welcome-adopt": _welcome("adopt", 0),
    "welcome-data": _welcome("sql", 1),
    "welcome-script": _welcome("script", 1),
    "welcome-list": _welcome("list", 1),
    "welcome-when": _welcome("sql", 2),
    "welcome-end": _welcome("sql", 3),
    **{f"editor-{name}": _editor(step) for step, name in enumerate(("what", "when", "careful", "review"))},
    "checkup-findings": checkup,
}
