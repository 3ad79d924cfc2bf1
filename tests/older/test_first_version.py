"""What the engine's first version (30 November 2026) left is taken up by this one, and nothing is done twice.

`first_version.zip` holds its home and its jobs' folder: three jobs with two periods done, one
paused, one with a period that waits for a decision. @OFFICE@ stands for where both lay.
"""

from __future__ import annotations

import os
import sqlite3
import zipfile
from contextlib import closing
from pathlib import Path

import pytest

from tests.conftest import CHECKOUT, faketime_env

pytestmark = pytest.mark.linux  # its command is a shell's, and the clock is set
_DONE = [f"2026-11-2{day}T00:00:00" for day in (5, 6)]
_THEN = "2026-11-29T10:00:00Z"


class Old:
    def __init__(self, folder: Path, run) -> None:
        self.folder, self._run = folder, run

    def __call__(self, *words: str, at: str | None = _THEN):
        clock = faketime_env(at) if at else {}
        return self._run(*words, env={"BIRKEZ_HOME": str(self.folder / "home"), **clock})

    def took(self) -> list[tuple[str, str]]:
        with closing(sqlite3.connect(self.folder / "desk" / "sales.db")) as connection:
            return connection.execute("SELECT start, what FROM took ORDER BY rowid").fetchall()


@pytest.fixture
def old(tmp_path: Path, run_birkez) -> Old:
    with zipfile.ZipFile(CHECKOUT / "tests" / "older" / "first_version.zip") as archive:
        archive.extractall(tmp_path)
    for job in (tmp_path / "home" / "config" / "jobs").iterdir():
        job.write_text(job.read_text(encoding="utf-8").replace("@OFFICE@", str(tmp_path)), encoding="utf-8")
    return Old(tmp_path, run_birkez)


def test_periods_that_it_did_are_not_done_again_and_the_next_ones_are(old: Old):
    before = old.took()
    assert old("run", "ozet").returncode == 0
    new = [row for row in old.took() if row not in before]
    assert old.took()[: len(before)] == before
    assert [start for start, _key in new] == ["2026-11-27T00:00:00", "2026-11-28T00:00:00"]
    old("run", "ozet")
    assert len(old.took()) == len(before) + 2


def test_period_that_it_did_is_known_when_it_is_asked_for(old: Old):
    before = old.took()
    for start in _DONE:
        told = old("run", "ozet", "--window", start + "Z")
        assert told.returncode == 0, told.stderr
    assert old.took() == before


def test_record_keys_of_then_are_known(old: Old):
    old("resume", "kayit")
    before = old.took()
    assert old("run", "kayit").returncode == 0
    new = [what for row in old.took() if row not in before for what in row[1:]]
    assert "sip-1" not in new
    assert len(new) == 2


def test_pause_and_uncertain_period_of_then_still_hold(old: Old):
    assert "duraklatılmış" in old("run", "kayit").stdout
    told = old("run", "posta")
    assert (told.returncode, "--done" in told.stderr + told.stdout) == (5, True)
    sent = old.folder / "desk" / "sent.txt"
    assert sent.read_text(encoding="utf-8") == "sent\n"
    key = "posta:2026-11-25T00:00:00+00:00"
    assert old("resolve", "posta", key, "--done", "--reason", "seen").returncode == 0


def test_runs_log_and_settings_of_then_are_shown(old: Old):
    history = old("history").stdout
    assert all(job in history for job in ("ozet", "kayit", "posta"))
    assert "ISLENDI" in old("log", "ozet").stdout
    assert (old.folder / "home" / "config" / "settings.toml").read_text(encoding="utf-8") == 'language = "tr"\n'


@pytest.mark.parametrize(
    ("file", "sql"),
    [("history.db", "PRAGMA user_version = 99"), ("ledger.db", "INSERT INTO birkez_schema VALUES (99, 0)")],
)
def test_state_of_a_newer_version_is_refused_in_words_and_left_as_it_is(old: Old, file: str, sql: str):
    path = old.folder / "home" / "state" / file
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute(sql)
    before = (path.read_bytes(), os.listdir(path.parent / "output"))
    told = old("history") if file == "history.db" else old("run", "posta")
    assert told.returncode == 4
    said = told.stdout + told.stderr
    assert "99" in said
    assert "yeni" in said  # the language was set then
    assert (path.read_bytes(), os.listdir(path.parent / "output")) == before
