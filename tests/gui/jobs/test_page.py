"""The Jobs page over a real home: the list, one job's page, and what is done from there."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QHelpEvent
from PySide6.QtTest import QAbstractItemModelTester, QTest
from PySide6.QtWidgets import QApplication, QDialog, QLabel, QPushButton, QToolTip

from tests.gui import sample
from tests.gui.conftest import until
from tests.gui.jobs.conftest import Office
from tests.gui.stage import Stage
from trayapp.gui.context import Place
from trayapp.gui.jobs.dialogs import DeleteDialog, RenameDialog
from trayapp.gui.jobs.page import JobsPage
from trayapp.gui.jobs.table.model import NEXT, RUN, WAITING
from trayapp.job import shelf


def _page_of(context) -> JobsPage:
    page = JobsPage(context)
    page.resize(1108, 760)
    context.store.changed.connect(page.show_snapshot)
    page.show_snapshot(context.store.snapshot)
    page.show()
    page.activateWindow()
    assert QTest.qWaitForWindowActive(page)
    return page


@pytest.fixture
def sampled(stage: Stage) -> JobsPage:
    return _page_of(stage.context)


def _titles(page: JobsPage) -> list[str]:
    model = page.list_side.model
    return [str(model.index(row, 0).data()) for row in range(model.rowCount())]


def _buttons(page: JobsPage) -> dict[str, QPushButton]:
    return {part.text(): part for part in page.view.findChildren(QPushButton) if part.isVisible()}


# ------------------------------------------------------------------------- list


def test_the_list_shows_each_job_those_first_that_need_a_person(sampled: JobsPage):
    QAbstractItemModelTester(sampled.list_side.model, QAbstractItemModelTester.FailureReportingMode.Fatal)
    titles = _titles(sampled)
    assert titles[:4] == ["Gece yedeği", "E-fatura gönderimi", "Stok eşitleme", "Randevu hatırlatma SMS"]
    model = sampled.list_side.model
    stok = titles.index("Stok eşitleme")
    assert model.index(stok, WAITING).data() == "14"
    assert model.index(stok, NEXT).data() == "—"
    assert model.index(stok, RUN).data(Qt.ItemDataRole.AccessibleTextRole) == "Run now: Stok eşitleme"


def test_chips_and_search_narrow_the_list_and_count(sampled: JobsPage):  # P81
    side = sampled.list_side
    assert [chip.text() for chip in side._chips.values()] == ["All  10", "Need you  4", "Running  1", "Paused  1"]
    side._chips["paused"].click()
    assert _titles(sampled) == ["Personel puantaj aktarımı"]
    side._chips["all"].click()
    for wanted in ("SATIŞ", "satis", "özeti"):
        side.search.setText(wanted)
        assert _titles(sampled) == ["Saatlik satış özeti"]
    side.search.setText("nothing like it")
    assert not side.table.isVisible()
    next(part for part in side.findChildren(QPushButton) if part.text() == "Show all").click()
    assert len(_titles(sampled)) == 10


def test_nothing_moves_under_the_pointer(stage: Stage, sampled: JobsPage):
    before = _titles(sampled)
    well = sample.job("gece-yedegi", "well")
    jobs = tuple(well if job.id == "gece-yedegi" else job for job in stage.context.store.snapshot.jobs)
    stage.show(stage.context.store.snapshot._replace(jobs=jobs))
    assert _titles(sampled) == before
    sampled.read_again()
    assert _titles(sampled)[0] == "E-fatura gönderimi"


def test_the_list_is_used_by_keys(stage: Stage, sampled: JobsPage):
    table = sampled.list_side.table
    table.setFocus()
    sampled.go_to(Place("jobs", "gece-yedegi"))
    QTest.keyClick(table, Qt.Key.Key_Down)
    assert sampled.view.state.id == "e-fatura"
    for _ in range(3):
        QTest.keyClick(table, Qt.Key.Key_Right)
    QTest.keyClick(table, Qt.Key.Key_Return)
    assert ["run", "e-fatura", "--json"] in stage.commands.asked
    QTest.keyClick(table, Qt.Key.Key_Left)
    QTest.keyClick(table, Qt.Key.Key_Return)
    assert QApplication.focusWidget() is sampled.view.head.run
    QTest.keyClick(sampled, Qt.Key.Key_P, Qt.KeyboardModifier.ControlModifier)
    assert ["pause", "e-fatura"] in stage.commands.asked


def test_the_button_in_a_row_runs_that_job(stage: Stage, sampled: JobsPage):
    table, model = sampled.list_side.table, sampled.list_side.model
    row = model.row_of("banka")
    cell = table.visualRect(model.index(row, RUN))
    QTest.mouseClick(table.viewport(), Qt.MouseButton.LeftButton, pos=cell.center() + QPoint(4, 0))
    assert ["run", "banka", "--json"] in stage.commands.asked
    assert sampled.view.state.id == "banka"


def test_sixty_jobs_stay_a_table(stage: Stage):
    stage.show(sample.many(60))
    page = _page_of(stage.context)
    assert page.list_side.model.rowCount() == 60
    page.list_side.search.setText("kdv")
    assert page.list_side.model.rowCount() == 6


# ----------------------------------------------------------------- one job's page


def test_each_problem_stands_with_its_remedy(stage: Stage, sampled: JobsPage):
    for job, remedy in (
        ("gece-yedegi", "See why"),
        ("e-fatura", "Decide…"),
        ("randevu", "Open Check-up"),
        ("puantaj", "Resume"),
    ):
        sampled.go_to(Place("jobs", job))
        assert remedy in _buttons(sampled), job
    sampled.go_to(Place("jobs", "banka"))
    assert sampled.view.problem.isHidden()


def test_run_now_answers_where_it_was_pressed(office: Office):
    office.add_sql("sales", "Sales", schedule="")
    office.read()
    page = _page_of(office.context)
    head = page.view.head
    until(lambda: "3 periods are processed" in head._line.text())
    head.run.click()
    until(lambda: head.answer.title.text() == "3 periods were processed")
    assert len(office.rows()) == 3
    head.run.click()
    until(lambda: head.answer.title.text() == "There was nothing to do")
    assert len(office.rows()) == 3
    until(lambda: page.view.seen is not None and len(page.view.seen.runs) == 2)
    assert [block.kind for block in page.view.seen.blocks][-4:-1] == ["done"] * 3
    assert page.leave_card()  # Esc
    until(lambda: "the next period can be taken" in head._line.text() and head._line.isVisible())


def test_where_the_pointer_rests_on_run_now_it_is_said_what_a_press_would_do(office: Office):
    office.add_sql("sales", "Sales")
    office.read()
    page = _page_of(office.context)
    table = page.list_side.table
    place = table.visualRect(table.model().index(0, RUN)).center()
    rest = QHelpEvent(QHelpEvent.Type.ToolTip, place, table.viewport().mapToGlobal(place))
    QApplication.sendEvent(table.viewport(), rest)
    until(lambda: QToolTip.text().startswith("If pressed, 3 periods are processed"))
    assert office.rows() == []
    QToolTip.hideText()


def test_an_uncertain_period_is_decided_with_a_reason_and_nothing_beforehand(office: Office):
    office.add_command("mails", "import sys; sys.exit(3)")
    office.read()
    office.context.run_now.press("mails")
    until(lambda: office.context.run_now.answer("mails") is not None)
    office.read()
    until(lambda: office.context.store.snapshot.job("mails").uncertain)
    page = _page_of(office.context)
    page.go_to(Place("jobs", "mails", action="decide"))
    decision = page.view.decision
    until(decision.isVisible)
    assert decision._group.checkedButton() is None
    decision.reason.setText("the portal shows 42 invoices")
    assert not decision.save.isEnabled()  # nothing is chosen
    decision.ways[0].radio.click()
    decision.reason.clear()
    assert not decision.save.isEnabled()  # no reason
    decision.reason.setText("the portal shows 42 invoices")
    decision.save.click()
    until(decision.isHidden)
    until(lambda: office.context.store.snapshot.job("mails").uncertain is None)
    assert "portal" in Path(office.places.log_file("mails")).read_text(encoding="utf-8")


def test_a_period_that_fails_can_be_left_out_with_a_reason(office: Office):
    office.add_command("backup", "import sys; sys.exit(1)", "repeatable = true")
    office.read()
    office.context.run_now.press("backup")
    until(lambda: office.context.run_now.answer("backup") is not None)
    office.read()
    page = _page_of(office.context)
    until(lambda: "Skip this period…" in _buttons(page))
    _buttons(page)["Skip this period…"].click()
    decision = page.view.decision
    decision.ways[0].radio.click()
    decision.reason.setText("disk was full")
    decision.save.click()
    until(lambda: not office.context.store.snapshot.job("backup").unsettled)


def test_a_refusal_stays_in_the_card(office: Office):
    office.add_command("mails", "import sys; sys.exit(3)")
    office.read()
    office.context.run_now.press("mails")
    until(lambda: office.context.run_now.answer("mails") is not None)
    office.read()
    until(lambda: office.context.store.snapshot.job("mails").uncertain)
    page = _page_of(office.context)
    uncertain = office.context.store.snapshot.job("mails")
    gone = uncertain.unsettled[0]._replace(key="mails:gone")
    decision = page.view.decision
    assert decision.ask_about(uncertain._replace(survey=uncertain.survey._replace(unsettled=(gone,))))
    decision.ways[0].radio.click()
    decision.reason.setText("x")
    decision.save.click()
    until(decision.refusal.isVisible)
    assert "mails:gone" in decision.refusal.text()


def test_a_broken_file_is_told_with_its_sentence_and_hides_no_other(office: Office):
    office.add_sql("sales", "Sales")
    Path(office.places.job_file("broken")).write_text("title = ", encoding="utf-8")
    office.read()
    page = _page_of(office.context)
    assert _titles(page) == ["broken", "Sales"]
    page.go_to(Place("jobs", "broken"))
    assert "Open the file" in _buttons(page)
    assert "Edit" not in _buttons(page)
    assert "TOML" in page.view.problem.callout.text.text()
    texts = [part.text() for part in page.view.findChildren(QLabel) if part.isVisible()]
    assert sum("TOML" in text for text in texts) == 1  # told once


# ----------------------------------------------------------- pausing … deleting


def _dialog(page: JobsPage, kind: type[QDialog]):
    until(lambda: [one for one in page.findChildren(kind) if one.isVisible()])
    return next(one for one in page.findChildren(kind) if one.isVisible())


def test_a_job_is_renamed_and_keeps_all_else(office: Office):
    path = office.add_sql("sales", "Sales")
    before = path.read_text(encoding="utf-8")
    office.read()
    page = _page_of(office.context)
    QTest.keyClick(page, Qt.Key.Key_F2)
    dialog = _dialog(page, RenameDialog)
    dialog.field.setText(" ")
    assert dialog.fault.text() == "This is needed."
    assert not dialog.save.isEnabled()
    dialog.field.setText("Satışlar")
    dialog.save.click()
    assert path.read_text(encoding="utf-8") == before.replace('"Sales"', '"Satışlar"')
    until(lambda: _titles(page) == ["Satışlar"])


def test_deleting_says_what_goes_and_stays_and_chooses_nothing(office: Office):
    path = office.add_sql("sales", "Sales", schedule="")
    office.read()
    page = _page_of(office.context)
    QTest.keyClick(page, Qt.Key.Key_Delete)
    dialog = _dialog(page, DeleteDialog)
    assert not dialog.delete.isEnabled()
    dialog.reject()
    assert path.exists()
    QTest.keyClick(page, Qt.Key.Key_Delete)
    dialog = _dialog(page, DeleteDialog)
    dialog.keep.radio.click()
    dialog.delete.click()
    until(lambda: not path.exists())
    until(lambda: page._stack.currentWidget() is page.first_run)


def test_a_job_is_switched_off_and_on_and_it_is_answered(office: Office):
    path = office.add_sql("sales", "Sales")
    office.read()
    page = _page_of(office.context)
    page._acts.switch("sales", on=False)
    until(lambda: "enabled = false" in path.read_text(encoding="utf-8"))
    until(lambda: page.view.head.answer.title.text().startswith("The job is switched off"))
    until(lambda: "Switch on" in _buttons(page))
    _buttons(page)["Switch on"].click()
    until(lambda: "enabled = true" in path.read_text(encoding="utf-8"))


def test_the_menu_offers_what_the_page_can_do(sampled: JobsPage, stage: Stage):
    state = stage.context.store.state_of("banka")
    texts = [action.text().split("\t")[0] for action in sampled._acts.menu(state).actions() if action.text()]
    for wanted in ("Run now", "Pause", "Edit", "Duplicate", "Rename…", "Switch off", "Delete…"):
        assert wanted in texts


# -------------------------------------------------------------------- first run


def test_the_first_start_offers_a_sample_that_really_runs(office: Office):
    office.read()
    until(lambda: office.context.store.snapshot.is_read)
    page = _page_of(office.context)
    assert page._stack.currentWidget() is page.first_run
    page.first_run.try_sample.click()
    until(lambda: shelf.job_ids(office.places) == ["sample-sales-summary"])
    until(lambda: page.view.state is not None and page.view.head.answer.title.text() == "3 periods were processed")
    assert page.view.state.id == "sample-sales-summary"
    assert str(office.places.state) in page.view.state.file.job.effect.database  # nothing outside Birkez's own folder


def test_new_job_is_reached_from_everywhere(office: Office):
    office.read()
    page = _page_of(office.context)
    page.go_to(Place("jobs", action="new"))
    assert page._editors[-1].isVisible()
    page._editors[-1].close()
