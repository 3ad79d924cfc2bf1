"""The check-up over the real `birkez doctor`: findings with their remedies, and all that is in order."""

from __future__ import annotations

import json

import pytest
from PySide6.QtGui import QGuiApplication

from tests.gui.conftest import until
from tests.gui.jobs.conftest import Office, office  # noqa: F401  # a fixture
from tests.gui.stage import Stage
from trayapp.gui.checkup.findings import Finding, read_findings, remedy_words
from trayapp.gui.checkup.page import CheckupPage
from trayapp.gui.commands import Done


def _page(context) -> CheckupPage:
    page = CheckupPage(context)
    page.resize(1000, 700)
    page.show()
    return page


def test_what_is_missing_is_a_finding_and_what_is_well_stands_below(office: Office):  # noqa: F811
    office.add_sql("sales", "Sales")
    office.add_sql("other", "Other")
    office.script.unlink()
    office.read()
    page = _page(office.context)
    until(lambda: page.cards)
    about_sales = [card for card in page.cards if card.finding.job == "sales"]
    assert any(str(office.script) in card.title.text() + card.text.text() for card in about_sales)
    assert page._head.text() == f"{len(page.cards)} things need your look"
    assert len(page._passed._items) >= 4
    office.script.write_text("SELECT 1;")
    page.again.click()
    until(lambda: not any(card.finding.code == "doctor-file-missing" for card in page.cards))


def test_all_well_says_so_and_lists_what_was_looked_at(stage: Stage):
    page = _page(stage.context)
    page._is_under_way = False
    found = [{"code": "doctor-clock", "weight": "ok", "job": None, "sentence": "The clock is right.", "remedy": []}]
    page._on_done(Done(0, json.dumps(found), ""))
    assert page._all_well.isVisible()
    assert len(page._passed._items) == 1


def test_a_doctor_without_an_answer_is_told_and_never_taken_for_all_well(stage: Stage):
    page = _page(stage.context)
    page._on_done(Done(None, "", "no such program"))
    assert page._refusal.isVisible()
    assert page._refusal.text.text() == "no such program"
    assert not page._all_well.isVisible()


@pytest.mark.parametrize(
    ("remedy", "button"),
    [
        (("schedule", "check", "stok", "--repair"), "Repair"),
        (("schedule", "remove", "stok"), "Take the entry out"),
        (("run", "stok"), "Run now"),
    ],
)
def test_a_remedy_is_a_button_that_runs_it(stage: Stage, remedy: tuple[str, ...], button: str):
    page = _page(stage.context)
    page.show_findings(
        (Finding("trigger-missing", "problem", "stok", "stok: crontab has no entry. So it rests.", remedy),)
    )
    card = page.cards[0]
    assert card.title.text() == "Stok eşitleme: crontab has no entry"
    assert card.remedy.text() == button
    card.remedy.click()
    assert list(remedy) in stage.commands.asked


def test_accepting_a_ledger_asks_for_a_reason_and_says_what_follows(stage: Stage):
    page = _page(stage.context)
    remedy = ("ledger", "accept", "stok", "--reason", "…")
    page.show_findings((Finding("ledger-older", "problem", "stok", "An older ledger.", remedy),))
    card = page.cards[0]
    card.remedy.click()
    assert not any(words[0] == "ledger" for words in stage.commands.asked)
    until(card.reason.isVisible)
    assert not card.confirm.isEnabled()
    card.reason.setText("backup of Monday")
    card.confirm.click()
    assert ["ledger", "accept", "stok", "--reason", "backup of Monday"] in stage.commands.asked


def test_an_uncertain_period_leads_to_the_decision_not_to_a_command(stage: Stage):
    page = _page(stage.context)
    told = "e-fatura: a period began, and nobody knows whether it finished. Then decide: birkez resolve x --done"
    page.show_findings((Finding("doctor-uncertain", "problem", "e-fatura", told),))
    assert "birkez" not in page.cards[0].text.text()
    page.cards[0].remedy.click()
    assert stage.went[-1][:2] == ("jobs", "e-fatura")
    assert stage.went[-1].action == "decide"


def test_the_report_can_be_copied_for_whoever_helps(stage: Stage):
    page = _page(stage.context)
    page.show_findings((Finding("doctor-clock", "ok", "", "The clock is right."),))
    page._copy.click()
    assert "doctor-clock" in QGuiApplication.clipboard().text()


def test_the_doctors_own_output_can_be_read(office: Office):  # noqa: F811
    done: list[Done] = []
    office.commands.ask(["doctor", "--json"], done.append)
    until(lambda: done)
    findings = read_findings(done[0].output)
    assert findings
    assert all(finding.code and finding.sentence for finding in findings)
    assert all(remedy_words(finding) for finding in findings if finding.remedy)
    assert read_findings("[{}]") is None
    assert read_findings("no json") is None
