"""The welcome as a newcomer uses it: typed and chosen, done by the real command, with a crontab of its own."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QWidget

from tests.gui.conftest import until
from tests.gui.jobs.conftest import Office
from tests.gui.stage import Stage
from tests.trigger.crontab_fake import FakeCrontab
from trayapp.gui.context import Place
from trayapp.gui.jobs.page import JobsPage
from trayapp.gui.jobs.welcome.templates import ADOPT, LIST, SAMPLE, SCRIPT, SQL, TEMPLATES, draft_of_template
from trayapp.gui.jobs.welcome.window import WelcomeWindow
from trayapp.job.file import read_job


@pytest.fixture
def crontab(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> FakeCrontab:
    folder = tmp_path / "crontab"
    folder.mkdir()
    fake = FakeCrontab(folder)
    monkeypatch.setenv("PATH", fake.path)
    monkeypatch.setenv("BIRKEZ_SCHEDULER", "crontab")
    return fake


def opened(office: Office) -> WelcomeWindow:
    made = WelcomeWindow(office.context, None)
    made.show()
    made.activateWindow()
    assert QTest.qWaitForWindowActive(made)
    return made


def choose(welcome: WelcomeWindow, template: str) -> None:
    QTest.keyClick(welcome.choose.ways[template].radio, Qt.Key.Key_Space)
    assert welcome.choose.template == template


def tab_to(part: QWidget) -> None:
    for _ in range(40):
        if QApplication.focusWidget() is part:
            return
        QTest.keyClick(QApplication.focusWidget(), Qt.Key.Key_Tab)
    msg = "Tab never gets there"
    raise AssertionError(msg)


def go_on(welcome: WelcomeWindow) -> None:
    QTest.keyClick(welcome, Qt.Key.Key_Return, Qt.KeyboardModifier.ControlModifier)


def answered(welcome: WelcomeWindow, count: int = 1) -> list[str | None]:
    until(lambda: len(welcome.ending.answers) == count, 20)
    return [answer.facts.get("outcome") for answer in welcome.ending.answers]


@pytest.mark.posix
def test_a_summary_is_made_by_keys_alone_and_the_second_press_says_why_nothing_is_done(
    office: Office, crontab: FakeCrontab
):
    welcome = opened(office)
    choose(welcome, SQL)
    tab_to(welcome.choose.database.line)
    QTest.keyClicks(QApplication.focusWidget(), str(office.database))
    tab_to(welcome.choose.script.line)
    QTest.keyClicks(QApplication.focusWidget(), str(office.script))
    go_on(welcome)
    assert welcome.current == 1
    go_on(welcome)
    assert welcome.current == 2
    go_on(welcome)
    assert answered(welcome) == ["done"]
    assert welcome.current == 3
    assert len(office.rows()) == 1
    until(welcome.ending.text.isVisible)
    assert "hourly-sales-summary" in welcome.ending.text.toPlainText()
    assert b"hourly-sales-summary" in crontab.table
    assert welcome.ending.entry.title.text().startswith(
        ("crontab starts it", "The scheduler stands still")
    )  # no cron runs here
    assert QApplication.focusWidget() is welcome.ending.again
    QTest.keyClick(welcome.ending.again, Qt.Key.Key_Space)
    assert answered(welcome, 2) == ["done", "skipped"]
    assert "Everything up to" in welcome.ending.second_answer.text.text()
    assert len(office.rows()) == 1
    shown: list[str] = []
    welcome.opened.connect(shown.append)
    go_on(welcome)
    assert shown == ["hourly-sales-summary"]


@pytest.mark.posix
def test_a_line_of_the_crontab_becomes_the_first_job_and_is_not_started_at_once(office: Office, crontab: FakeCrontab):
    program = office.folder / "backup.py"
    program.write_text("open('ran', 'w').close()\n", encoding="utf-8")
    crontab.table = f"30 2 * * * {sys.executable} {program}\n@reboot /bin/odd\n".encode()
    welcome = opened(office)
    choose(welcome, ADOPT)
    until(lambda: welcome.choose.found.ways)
    assert "@reboot" in welcome.choose.found._stay.text()
    go_on(welcome)
    assert welcome.current == 0
    QTest.keyClick(welcome.choose.found.ways[0].radio, Qt.Key.Key_Space)
    go_on(welcome)
    go_on(welcome)
    assert welcome.current == 1  # the question is open
    QTest.keyClick(welcome.data.repeatable.radio, Qt.Key.Key_Space)
    go_on(welcome)
    assert welcome.current == 2
    assert "02:30" in welcome.times.summary()
    go_on(welcome)
    assert answered(welcome) == ["skipped"]
    job = read_job(office.places.job_file(welcome.ending.job_id), welcome.ending.job_id)
    assert job.effect.repeatable is True
    until(welcome.ending.text.isVisible)
    assert not (office.folder / "ran").exists()


def test_a_script_asks_whether_it_may_run_twice(office: Office):
    welcome = opened(office)
    choose(welcome, SCRIPT)
    welcome.form.set(command=f"{sys.executable} -c pass")
    go_on(welcome)
    go_on(welcome)
    assert welcome.current == 1
    assert welcome.data._unanswered.isVisible()
    QTest.keyClick(welcome.data.once.radio, Qt.Key.Key_Space)
    go_on(welcome)
    go_on(welcome)
    assert answered(welcome) == ["done"]
    until(lambda: "BIRKEZ_SCHEDULER" in welcome.ending.entry.text.text())


def test_a_list_needs_its_list_before_it_goes_on(office: Office):
    welcome = opened(office)
    choose(welcome, LIST)
    welcome.form.set(url="http://127.0.0.1:9/{item}")
    go_on(welcome)
    go_on(welcome)
    assert welcome.current == 1
    names = office.folder / "names.txt"
    names.write_text("a\n", encoding="utf-8")
    welcome.form.set(source=str(names), target=str(office.folder / "out" / "{item}.pdf"))
    go_on(welcome)
    assert welcome.current == 2
    assert welcome.finish.isEnabled()


def test_the_sample_needs_one_press(office: Office):
    welcome = opened(office)
    choose(welcome, SAMPLE)
    go_on(welcome)
    assert answered(welcome) == ["done"]


def test_what_refuses_the_job_is_told_and_nothing_is_lost(office: Office):
    welcome = opened(office)
    choose(welcome, SQL)
    welcome.form.set(database=str(office.database), script=str(office.script))
    go_on(welcome)
    go_on(welcome)
    office.add_sql("hourly-sales-summary", "Somebody else's")
    go_on(welcome)
    until(welcome._refusal.isVisible)
    assert welcome.current == 2
    assert welcome.finish.isEnabled()


def test_another_length_of_period_moves_the_begin_with_it(office: Office):
    welcome = opened(office)
    choose(welcome, SQL)
    before = welcome.form.draft.start
    welcome.form.set(step="1d")
    assert welcome.form.draft.start < before
    welcome.data.chips[7].click()
    assert (before - welcome.form.draft.start).days >= 6


@pytest.mark.parametrize("template", [one.name for one in TEMPLATES])
def test_a_template_begins_with_answers_that_leave_only_its_own_fields_open(office: Office, template: str):
    welcome = opened(office)
    welcome.form.begin_new(draft_of_template(template))
    open_keys = set(welcome.form.state.faults)
    known = {"effect.database", "effect.script", "effect.argv", "effect", "effect.url", "items.source", "items.target"}
    if template in (SQL, SCRIPT, LIST):
        assert open_keys <= known


def test_the_jobs_page_opens_it(stage: Stage):
    page = JobsPage(stage.context)
    page.go_to(Place("jobs", action="template"))
    assert isinstance(page._editors[-1], WelcomeWindow)
    page.first_run.begin.click()
    assert len(page._editors) == 2
    assert page.unsaved() == []
    for window in page._editors:
        window.reject()
