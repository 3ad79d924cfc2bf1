"""How much a newcomer has to do from the first start to the first ISLENDI, on a real screen with a real pointer."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator

import pytest

from tests.gui.conftest import until
from tests.gui.desk import Desk
from tests.gui.screen_reader import ScreenReader
from trayapp.log.job_log import read_tail
from trayapp.wording.language import _, speak
from trayapp.wording.speech import say

pytestmark = [pytest.mark.linux, pytest.mark.timeout(120)]


class Counted:
    """Clicks of a person, counted, and what was typed."""

    def __init__(self, reader: ScreenReader) -> None:
        self._reader = reader
        self.clicks, self.letters = 0, 0

    def click(self, text: str, role: str = "push button") -> None:
        self.clicks += 1
        self._reader.click(text, role)

    def type_into(self, text: str, typed: str) -> None:
        self.clicks += 1
        self.letters += len(typed)
        self._reader.type_into(text, typed)


@pytest.fixture
def person(desk: Desk) -> Iterator[Counted]:
    desk.env["LANG"] = desk.env["LC_ALL"] = "tr_TR.UTF-8"
    speak("tr")  # in which this test looks up what it clicks on
    reader = ScreenReader(desk)
    tray = desk.watched_tray()
    reader.find(_("No jobs yet"), "label")
    yield Counted(reader)
    reader.close()
    tray.process.terminate()
    speak("en")


def _tokens(desk: Desk, job: str) -> list[str]:
    path = desk.places.log_file(job)
    return [line.split()[1] for line in read_tail(path, 9)]


def test_a_summary_of_ones_own_takes_seven_clicks_and_two_paths(desk: Desk, person: Counted):
    database, script = desk.folder / "dukkan.db", desk.folder / "ozet.sql"
    with sqlite3.connect(database) as connection:
        connection.execute("CREATE TABLE ozet (saat TEXT)")
    script.write_text("INSERT INTO ozet VALUES (:start);\n", encoding="utf-8")
    person.click(_("My first job, in three steps"))
    person.click(_("A summary in a database, every hour"), "radio button")
    person.type_into(_("Database"), str(database))
    person.type_into(_("SQL script"), str(script))
    person.click(say("Next: {step}", step=_("Which data?")))
    person.click(say("Next: {step}", step=_("When?")))
    person.click(_("Add it and run it now"))
    until(lambda: _tokens(desk, "saatlik-satis-ozeti") == ["ISLENDI"], 30)
    assert person.clicks == 7
    person.click(_("Press Run now once more"))
    until(lambda: _tokens(desk, "saatlik-satis-ozeti") == ["ISLENDI", "ATLANDI"], 30)
    with sqlite3.connect(database) as connection:
        assert connection.execute("SELECT count(*) FROM ozet").fetchone() == (1,)


def test_the_sample_takes_one_click(desk: Desk, person: Counted):
    person.click(_("Try the sample job"))
    job = until(lambda: next(iter(desk.folder.rglob("jobs/*.toml")), None), 30).stem
    until(lambda: "ISLENDI" in _tokens(desk, job), 30)
    assert person.clicks == 1
