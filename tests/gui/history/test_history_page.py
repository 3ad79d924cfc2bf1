from __future__ import annotations

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QAccessible
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QPushButton, QRadioButton, QWidget

from tests.gui.conftest import until
from tests.history.making import fill, made_run
from trayapp.gui.context import Place
from trayapp.gui.history.detail import reading
from trayapp.history.query import RunFilter
from trayapp.history.store import open_history


def row_of(page, **facts):
    """First row whose run is so."""
    for row in range(page.model.rowCount()):
        run = page.model.run_at(row).run
        if all(getattr(run, name) == value for name, value in facts.items()):
            return row
    raise AssertionError(facts)


def choose(page, **facts):
    page.table.choose_row(row_of(page, **facts))
    wanted = page.table.chosen().run.run
    until(lambda: page.detail._details is not None and page.detail._details.run.run == wanted)


def button(widget: QWidget, text: str) -> QPushButton:
    return next(each for each in widget.findChildren(QPushButton) if each.text().strip() == text)


def counted(page):
    return {name: chip.text().split()[-1] for name, chip in page.filters._chips.items()}


def hear(stage):
    """From now on, note each command with what is to be called at its end."""
    asked = []
    stage.commands.ask = lambda words, then, *_limit: asked.append((words, then))
    return asked


def looked(page, act):
    seen = []
    page.model.looked.connect(lambda: seen.append(1))
    act()
    until(lambda: seen)


def test_page_opens_with_the_newest_run_in_full(page):
    assert page.table.currentIndex().row() == 0
    words = [str(page.model.index(0, column).data()) for column in range(6)]
    assert words == [
        "Today 09:32:02",
        "E-fatura gönderimi",
        "Scheduler",
        "Skipped: your decision is awaited",
        "—",
        "60 ms",
    ]
    assert page.detail._title.text() == "E-fatura gönderimi, today 09:32"


def test_chips_count_and_filter_in_the_database(page):
    counts = counted(page)
    looked(page, page.filters._chips["failed"].click)
    assert page.model.rowCount() == int(counts["failed"]) == 2
    assert {page.model.run_at(row).run.outcome for row in range(2)} == {"failed"}
    assert counted(page) == counts, "the other chips go on telling what they would show"
    looked(page, page.filters._chips["uncertain"].click)
    assert page.model.rowCount() == 4
    looked(page, page.filters._all.click)
    assert page.model.rowCount() == sum(int(count.replace(",", "")) for count in counts.values())


def test_search_finds_titles_and_lines_by_turkish_letters(page):
    looked(page, lambda: (page.filters.search.setText("GECE YEDEGI"), page.filters._on_change()))
    until(lambda: not page.model.is_searching)
    assert {page.model.run_at(row).run.job for row in range(page.model.rowCount())} == {"gece-yedegi"}
    looked(page, lambda: (page.filters.search.setText("DISKINDE yer"), page.filters._on_change()))
    until(lambda: not page.model.is_searching)
    assert page.model.rowCount() == 2


def test_filters_without_a_hit_offer_the_way_back(page):
    looked(page, lambda: (page.filters.search.setText("yokboyle"), page.filters._on_change()))
    until(lambda: page._body.currentIndex() == 2)
    looked(page, button(page._body.currentWidget(), "Clear the filters").click)
    until(lambda: page._body.currentIndex() == 0)
    assert page.filters.wanted() == RunFilter()


def test_history_without_a_run_says_what_will_be_here(stage):
    from trayapp.gui.history.page import HistoryPage

    page = HistoryPage(stage.context)
    page.show()
    until(lambda: page._body.currentIndex() == 1)
    button(page._body.currentWidget(), "Run a job now").click()
    assert stage.went == [Place("jobs")]


def test_detail_shows_periods_lines_and_output_side_by_side(page):
    choose(page, run="20260904-090202-e-fas")
    windows = page.detail.window_list.model().windows
    assert [(window.state, window.key) for window in windows] == [("uncertain", "e-fatura:2026-09-04T08:30:00+00:00")]
    lines = page.detail._lines
    own = [row for row in range(lines.rowCount()) if lines.index(row, 0).data(Qt.ItemDataRole.UserRole + 7)]
    assert len(own) == 1
    assert 0 < own[0] < lines.rowCount() - 1, "its neighbours stand around it"
    assert "FTR2026000001440  gönderiliyor" in page.detail.output._text.toPlainText()


def test_output_of_300_mb_opens_by_its_ends(page):
    path = page.context.places.output_file("e-fatura", "20260904-090202-e-fas")
    with open(path, "wb") as file:
        file.write(b"first line\n" * 10_000)
        file.seek(300 << 20)  # a sparse file: the system tells 300 MB, no disk holds them
        file.write(b"last line\n" * 10_000)
    output = reading.read_output(path)
    assert output.size > 300 << 20
    assert len(output.head) + len(output.tail) <= reading.HEAD_BYTES + reading.TAIL_BYTES
    choose(page, run="20260904-090202-e-fas")
    until(lambda: "last line" in page.detail.output._text.toPlainText())
    text = page.detail.output._text.toPlainText()
    assert text.startswith("first line\n")
    assert "300 MB between are not shown" in text
    more = page.detail.output._more
    assert more.isVisible()
    more.click()
    until(lambda: len(page.detail.output._text.toPlainText()) > len(text))


def test_decision_has_nothing_chosen_and_asks_for_a_reason(page, past_stage):
    choose(page, run="20260904-090202-e-fas")
    button(page.detail, "Decide…").click()
    card = page.detail.deciding.card
    assert card.isVisible()
    save = button(card, "Record the decision")
    ways = card.findChildren(QRadioButton)
    assert [way.isChecked() for way in ways] == [False, False]
    assert not save.isEnabled()
    card._reason.setText("the portal shows 42")
    assert not save.isEnabled(), "nothing is chosen yet"
    ways[0].click()
    assert save.isEnabled()
    card._reason.setText("   ")
    assert not save.isEnabled(), "a reason is more than blanks"
    card._reason.setText("the portal shows 42")
    save.click()
    key = "e-fatura:2026-09-04T08:30:00+00:00"
    assert past_stage.commands.asked[-1] == ["resolve", "e-fatura", key, "--done", "--reason", "the portal shows 42"]


def test_settled_period_is_opened_again_and_run_at_once(page, past_stage):
    from trayapp.gui.commands import Done

    choose(page, job="satis-ozet", outcome="done")
    button(page.detail, "Run this period again…").click()
    card = page.detail.deciding.card
    card.findChildren(QRadioButton)[0].click()
    card._reason.setText("price list was wrong")
    answers = hear(past_stage)
    button(card, "Record the decision").click()
    words, then = answers.pop()
    key = page.detail.window_list.chosen().key
    assert words == ["reopen", "satis-ozet", key, "--yes", "--reason", "price list was wrong"]
    then(Done(0, "1 period was reopened", ""))
    start = page.detail.window_list.chosen().start
    assert answers[0][0] == ["run", "satis-ozet", "--window", f"{start:%Y-%m-%dT%H:%M:%SZ}", "--json"]


def test_command_that_refuses_is_told_where_the_button_is(page, past_stage):
    from trayapp.gui.commands import Done

    choose(page, job="gece-yedegi", outcome="failed", trigger="manual")
    button(page.detail, "Leave it out…").click()
    card = page.detail.deciding.card
    card.findChildren(QRadioButton)[0].click()
    card._reason.setText("closed")
    answers = hear(past_stage)
    button(card, "Record the decision").click()
    answers[0][1](Done(1, "", "birkez: The job is running now, so nothing was changed.\n"))
    assert page.detail.deciding.strip.isVisible()
    assert page.detail.deciding._more.text() == "The job is running now, so nothing was changed."
    assert page.leave_card()
    assert not page.detail.deciding.strip.isVisible()


def test_run_that_another_page_names_is_shown_with_its_period(page):
    start = page.context.store.snapshot.at.replace(hour=8, minute=30)
    page.go_to(Place("history", "e-fatura", "20260904-090202-e-fas", start))
    until(lambda: page.detail._details is not None and page.detail._details.run.run == "20260904-090202-e-fas")
    until(lambda: page.table.chosen() is not None and page.table.chosen().run.run == "20260904-090202-e-fas")
    assert page.filters.job == "e-fatura"
    assert page.detail.window_list.chosen().start == start


def test_run_far_down_the_list_is_chosen_in_its_place(page, past_stage):
    from trayapp.history.query import open_for_reading

    reader = open_for_reading(past_stage.places.history_db)
    runs = reader.runs(RunFilter(jobs=["stok"]), count=600).runs
    reader.close()
    for wanted in (runs[550], runs[3]):  # the second in a list that is there already
        page.go_to(Place("history", "stok", wanted.run))
        until(lambda run=wanted.run: page.table.chosen() is not None and page.table.chosen().run.run == run)
        assert page.table.currentIndex().row() == runs.index(wanted)


def test_detail_is_about_a_run_of_the_list(page):
    choose(page, run="20260904-090202-e-fas")
    looked(page, page.filters._chips["failed"].click)
    until(lambda: page.detail._details is not None and page.detail._details.run.outcome == "failed")
    assert page.table.currentIndex().row() == 0


def test_run_that_history_forgot_is_said(page):
    page.go_to(Place("history", "e-fatura", "19990101-000000-x"))
    until(lambda: "any more" in page._notice.text())


def test_new_runs_do_not_move_what_is_under_the_pointer(page, past_stage):
    page.table.setFocus()
    page.table.verticalScrollBar().setValue(40)
    QApplication.processEvents()
    place = QPoint(300, 90)
    before = page.table.indexAt(place).row()
    run = page.model.run_at(before).run.run
    history = open_history(past_stage.places.history_db)
    at = page.context.store.snapshot.at
    fill(history, [made_run(7000 + number)._replace(started_at=at) for number in range(5)])
    history.close()
    looked(page, page.read_again)
    until(lambda: page.model.row_of("kosum-7000") is not None)
    under = page.table.indexAt(place).row()
    assert page.model.run_at(under).run.run == run
    assert page._above.isVisible()
    assert "5 new runs above" in page._above.text()
    page._above.click()
    assert page.table.verticalScrollBar().value() == 0
    assert not page._above.isVisible()


def test_chosen_run_stays_chosen_while_runs_come(page, past_stage):
    choose(page, run="20260904-090202-e-fas")
    history = open_history(past_stage.places.history_db)
    fill(history, [made_run(7000)._replace(started_at=page.context.store.snapshot.at)])
    history.close()
    looked(page, page.read_again)
    assert page.table.chosen().run.run == "20260904-090202-e-fas"


def test_keys_lead_through_list_detail_and_search(page):
    page.table.setFocus()
    QTest.keyClick(page.table, Qt.Key.Key_Down)
    assert page.table.currentIndex().row() == 1
    until(lambda: page.detail._details is not None and page.detail._details.windows)
    QTest.keyClick(page.table, Qt.Key.Key_Return)
    assert page.focusWidget() is page.detail.window_list
    page.start_search()
    assert page.focusWidget() is page.filters.search
    page.filters.search.setText("abc")
    assert page.leave_card()
    assert page.filters.search.text() == ""
    assert not page.leave_card()


def test_tab_goes_from_the_filters_to_the_list_and_through_the_detail(page):
    choose(page, run="20260904-090202-e-fas")
    until(page.detail.output._text.toPlainText)
    page.activateWindow()
    page.filters.search.setFocus()
    seen = []
    for _ in range(13):
        QTest.keyClick(page.focusWidget(), Qt.Key.Key_Tab)
        widget = page.focusWidget()
        seen.append(
            widget.text().split("  ")[0].strip() if isinstance(widget, QPushButton) else widget.accessibleName()
        )
    assert seen == [
        *("All", "Done", "Skipped", "Failed", "Uncertain", "Under way", "Save as CSV", "Runs, the newest first"),
        *("Decide…", "Leave it out…", "Open the output", "Periods of this run", "Log lines of this run and around it"),
    ]


def test_decision_is_made_by_keys_alone(page, past_stage):
    choose(page, run="20260904-090202-e-fas")
    page.activateWindow()
    made = button(page.detail, "Decide…")
    made.setFocus()
    QTest.keyClick(made, Qt.Key.Key_Space)
    QTest.keyClick(page.focusWidget(), Qt.Key.Key_Space)
    QTest.keyClick(page.focusWidget(), Qt.Key.Key_Tab)
    QTest.keyClicks(page.focusWidget(), "the portal shows 42")
    QTest.keyClick(page.focusWidget(), Qt.Key.Key_Return)
    assert past_stage.commands.asked[-1][:2] == ["resolve", "e-fatura"]
    assert past_stage.commands.asked[-1][-1] == "the portal shows 42"


def test_export_asks_the_command_for_the_same_runs(page, past_stage, tmp_path):
    from trayapp.gui.commands import Done

    page.filters.choose_job("e-fatura", period="7")
    page.filters._chips["failed"].click()
    answers = hear(past_stage)
    page.export_to(str(tmp_path / "x.csv"))
    words, then = answers[0]
    assert words == [
        "history",
        "e-fatura",
        f"--csv={tmp_path / 'x.csv'}",
        "--outcome=failed",
        "--since=2026-08-29T00:00:00Z",
    ]
    then(Done(0, "3 runs were written to x.csv.\n", ""))
    assert page._notice.text() == "3 runs were written to x.csv."


@pytest.mark.parametrize("language", ["tr", "en"])
def test_everything_that_takes_the_focus_has_a_name(page, past_stage, language):
    past_stage.context.language.speak(language, {})
    choose(page, run="20260904-090202-e-fas")
    nameless = []
    for widget in page.findChildren(QWidget):
        if (
            widget.isVisible()
            and widget.focusPolicy() & Qt.FocusPolicy.TabFocus
            and not widget.objectName().startswith("qt_")
        ):
            face = QAccessible.queryAccessibleInterface(widget)
            if face is not None and not face.text(QAccessible.Text.Name).strip():
                nameless.append(widget)
    assert nameless == []
    index = page.model.index(0, 3)
    assert index.data(Qt.ItemDataRole.AccessibleTextRole)


def test_language_is_changed_while_the_page_is_open(page, past_stage):
    past_stage.context.language.speak("tr", {})
    assert page.model.headerData(1, Qt.Orientation.Horizontal) == "İş"
    assert page.filters._period.currentData() == "7", "what was chosen stays chosen"
    past_stage.context.language.speak("en", {})
    assert page.model.headerData(1, Qt.Orientation.Horizontal) == "Job"
