"""A crontab that keeps bytes, and the adoption of its lines."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from tests.trigger.crontab_fake import FakeCrontab
from trayapp.adoption.cron_lines import read_entries
from trayapp.adoption.entry import Entry
from trayapp.adoption.exchange import Wish, adopt, plan
from trayapp.trigger import crontab_program
from trayapp.trigger.crontab import Crontab

CORPORA = {
    path.name[:2]: path for path in sorted((Path(__file__).parents[1] / "trigger/data/crontabs").glob("*.crontab"))
}


def entries_of(table: bytes, *, heeds_cron_tz: bool = False) -> list[Entry]:
    return read_entries(table, "/home/office", heeds_cron_tz=heeds_cron_tz)


def only_entry(line: str, above: str = "") -> Entry:
    (entry,) = entries_of(f"{above}{line}\n".encode())
    return entry


def code_of(line: str, above: str = "") -> str:
    """Code of the refusal of *line*, "" where it can be adopted."""
    refusal = only_entry(line, above).refusal
    return refusal.code if refusal is not None else ""


def adopt_entry(places, entry: Entry, *, repeatable: bool = True, job_id: str = "") -> str:
    job, text = plan(places, entry, Wish(repeatable, job_id))
    adopt(places, Crontab(places), entry, job, text)
    return job.id


@pytest.fixture
def crontab(tmp_path_factory, monkeypatch) -> FakeCrontab:
    fake = FakeCrontab(tmp_path_factory.mktemp("crontab"))
    monkeypatch.setenv("PATH", fake.path)
    monkeypatch.setenv("BIRKEZ_SCHEDULER", "crontab")
    return fake


@pytest.fixture
def in_memory(monkeypatch):
    """`crontab` without a process: the table is the list's only element."""
    kept = [b""]

    def run(word: str, given: bytes = b"", more: object = None) -> subprocess.CompletedProcess[bytes]:
        kept[0] = given if word == "-" else kept[0]
        return subprocess.CompletedProcess([], 0, kept[0], b"")

    monkeypatch.setattr(crontab_program, "_run", run)
    return kept
