from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from trayapp.errors import SetupError
from trayapp.trigger import journal
from trayapp.trigger.backend import Change

BYTES = bytes(range(256)) + b"\r\n no text \xff"


def write(places, number: int = 0, size: int = 10) -> None:
    with journal.alone(places):
        journal.note(places, "install", "crontab", [f"is-{number}"])
        journal.complete(places, [Change("crontab", "office", None, b"x" * size)])


def test_bytes_come_back_as_they_were(birkez_home):
    with journal.alone(birkez_home):
        journal.note(birkez_home, "install", "crontab", ["satis"])
        journal.complete(birkez_home, [Change("crontab", "ofis", BYTES, None), Change("crontab", "ş", None, b"")])
    (record,) = journal.read_records(birkez_home)
    assert record.changes == (Change("crontab", "ofis", BYTES, None), Change("crontab", "ş", None, b""))


def test_old_records_go(birkez_home):
    for number in range(journal.RECORDS + 3):
        write(birkez_home, number)
    records = journal.read_records(birkez_home)
    assert len(records) == journal.RECORDS
    assert records[-1].jobs == (f"is-{journal.RECORDS + 2}",)


def test_large_records_push_out_more(birkez_home, monkeypatch):
    monkeypatch.setattr(journal, "_LARGEST_FILE", 10_000)
    for number in range(10):
        write(birkez_home, number, size=2_000)
    assert os.path.getsize(birkez_home.trigger_journal) <= 10_000
    assert journal.read_records(birkez_home)[-1].jobs == ("is-9",)
    write(birkez_home, 10, size=50_000)  # the newest is kept, whatever its size
    assert [record.jobs for record in journal.read_records(birkez_home)] == [("is-10",)]


@pytest.mark.parametrize(
    "content", [b"", b"\0" * 100, b"{}", b"[1]", b'{"records": [{"at": "x"}]}', b'{"records": 5}', b'{"records": [5]}']
)
def test_journal_that_cannot_be_understood_is_set_aside(birkez_home, content):
    write(birkez_home)
    Path(birkez_home.trigger_journal).write_bytes(content)
    assert journal.read_records(birkez_home) == []
    (aside,) = Path(birkez_home.trigger_journal).parent.glob("*.broken")
    assert aside.read_bytes() == content
    write(birkez_home)
    assert len(journal.read_records(birkez_home)) == 1


def test_record_with_bytes_that_are_none_is_set_aside(birkez_home):
    write(birkez_home)
    path = Path(birkez_home.trigger_journal)
    found = json.loads(path.read_text(encoding="utf-8"))
    found["records"][0]["changes"][0]["after"] = "*"
    path.write_text(json.dumps(found), encoding="utf-8")
    assert journal.read_records(birkez_home) == []


def test_journal_that_may_not_be_read_is_no_empty_one(birkez_home):
    os.makedirs(birkez_home.trigger_journal)
    with pytest.raises(SetupError, match="trigger-journal-unreadable"):
        journal.read_records(birkez_home)


@pytest.mark.posix
def test_journal_is_for_this_user_alone(birkez_home):
    write(birkez_home)
    assert os.stat(birkez_home.trigger_journal).st_mode & 0o077 == 0
    assert os.stat(os.path.dirname(birkez_home.trigger_journal)).st_mode & 0o077 == 0
