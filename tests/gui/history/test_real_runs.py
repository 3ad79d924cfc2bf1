"""The page over a real home: runs, decisions and files are made by real commands."""

from __future__ import annotations

import sqlite3

import pytest
from PySide6.QtWidgets import QPushButton, QRadioButton

from tests.gui.conftest import until
from tests.gui.live import add_command_job

pytestmark = pytest.mark.timeout(120)
_PATIENCE = 40.0


def button(widget, text):
    return next(each for each in widget.findChildren(QPushButton) if each.text().strip() == text)


@pytest.fixture
def open_page(live):
    def make():
        from trayapp.gui.history.page import HistoryPage

        page = HistoryPage(live.context)
        live.context.store.changed.connect(page.show_snapshot)
        page.resize(1108, 760)
        page.show()
        live.start()
        until(lambda: live.context.store.snapshot.is_read, _PATIENCE)
        return page

    return make


def test_runs_that_a_scheduler_makes_appear_by_themselves(open_page, live, birkez_home, run_birkez, tmp_path):
    add_command_job(birkez_home, tmp_path, "fatura", "print('42 sent')")
    page = open_page()
    until(lambda: page._body.currentIndex() == 1, _PATIENCE)
    assert run_birkez("run", "fatura", "--trigger", "schedule").returncode == 0
    until(lambda: page.model.rowCount() == 1 and page.model.run_at(0).run.outcome == "done", _PATIENCE)
    assert run_birkez("run", "fatura", "--trigger", "schedule").returncode == 0
    until(lambda: page.model.rowCount() == 2, _PATIENCE)
    assert page.model.run_at(0).run.reason == "kapanmis pencere yok"
    page.table.choose_row(1)
    until(lambda: "42 sent" in page.detail.output._text.toPlainText(), _PATIENCE)


def test_uncertain_period_is_decided_from_the_page(open_page, live, birkez_home, run_birkez, tmp_path):
    add_command_job(birkez_home, tmp_path, "fatura", "raise SystemExit(9)")
    assert run_birkez("run", "fatura").returncode == 5
    page = open_page()
    until(lambda: page.detail.window_list.chosen() is not None, _PATIENCE)
    assert page.detail.window_list.chosen().state == "uncertain"
    button(page.detail, "Decide…").click()
    card = page.detail.deciding.card
    card.findChildren(QRadioButton)[0].click()
    card._reason.setText("the portal shows 42")
    button(card, "Record the decision").click()
    until(lambda: page.detail.deciding._said.text() == "Recorded.", _PATIENCE)
    until(lambda: page.detail.window_list.chosen().state == "done", _PATIENCE)
    ledger = sqlite3.connect(birkez_home.ledger_db)
    rows = ledger.execute("SELECT state, reason FROM birkez_window").fetchall()
    ledger.close()
    assert rows == [("done", "the portal shows 42")]


def test_failed_period_is_run_again_and_answers_on_the_page(open_page, live, birkez_home, run_birkez, tmp_path):
    flag = tmp_path / "mended"
    code = f"import os, sys\nsys.exit(0 if os.path.exists({str(flag)!r}) else 3)"
    add_command_job(birkez_home, tmp_path, "fatura", code, more="repeatable = true")
    assert run_birkez("run", "fatura").returncode == 1
    page = open_page()
    until(lambda: page.detail.window_list.chosen() is not None, _PATIENCE)
    assert page.detail.window_list.chosen().state == "failed"
    flag.touch()
    button(page.detail, "Run this period now").click()
    until(lambda: "1 period was processed" in page.detail.deciding._said.text(), _PATIENCE)


def test_csv_is_what_the_command_writes(open_page, live, birkez_home, run_birkez, tmp_path):
    add_command_job(birkez_home, tmp_path, "fatura", "", hours=2)
    run_birkez("run", "fatura")
    run_birkez("run", "fatura")
    page = open_page()
    until(lambda: page.model.rowCount() == 2, _PATIENCE)
    page.export_to(str(tmp_path / "by-page.csv"))
    until(lambda: (tmp_path / "by-page.csv").exists() and page._save.isEnabled(), _PATIENCE)
    assert run_birkez("history", "--csv", str(tmp_path / "by-command.csv")).returncode == 0
    assert (tmp_path / "by-page.csv").read_bytes() == (tmp_path / "by-command.csv").read_bytes()


def test_reading_wakes_nobody(open_page, live, birkez_home, run_birkez, tmp_path):
    """Each look makes SQLite's empty -wal and takes it away; taken for a change, it had us read without end."""
    add_command_job(birkez_home, tmp_path, "fatura", "")
    run_birkez("run", "fatura")
    page = open_page()
    until(lambda: page.model.rowCount() == 1, _PATIENCE)
    told, noticed = [], []
    live.watcher._paths.directoryChanged.connect(noticed.append)
    live.watcher.history_changed.connect(lambda: told.append(1))
    for _ in range(5):
        noticed.clear()
        page.read_again()
        until(lambda: noticed, _PATIENCE)
    until(lambda: not live.watcher._gathering.isActive(), _PATIENCE)
    assert len(told) <= 1, "one look may be due from before"
