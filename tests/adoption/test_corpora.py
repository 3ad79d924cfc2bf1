"""All lines of real crontabs: which can be adopted, whether the job fires as the line does, and the way back."""

from __future__ import annotations

from collections import Counter
from datetime import UTC, datetime

import pytest

from tests.adoption.conftest import CORPORA, adopt_entry, entries_of
from tests.adoption.marks import verdicts
from tests.job.clock_reading import DAY, machine_in, stretches
from tests.trigger.cron_reading import fires
from tests.trigger.test_crontab import odd_forms
from trayapp.adoption.exchange import Wish, plan, release
from trayapp.adoption.period import local_timezone
from trayapp.errors import BirkezError
from trayapp.job.schedule import fires_between
from trayapp.trigger.crontab import Crontab
from trayapp.trigger.crontab_times import crontab_times
from trayapp.wording.speech import sentence

pytestmark = pytest.mark.posix

START, END = datetime(2027, 1, 1, tzinfo=UTC), datetime(2029, 1, 1, tzinfo=UTC)
_MANY = 12  # fires a day
_SHORTCUTS = {"@hourly": "0 * * * *", "@daily": "0 0 * * *"}


def all_entries():
    return [(name, entry) for name, path in CORPORA.items() for entry in entries_of(path.read_bytes())]


def spans(over, schedule, days: int):
    """Two years; of what fires all the time some days, and those around each change of the clock."""
    if len(list(fires_between(schedule, START, START + DAY))) <= _MANY:
        return [(START, END)]
    changes = [stretch.start for stretch in over if START < stretch.start < END]
    return [(START, START + days * DAY), *((change - DAY / 2, change + DAY / 2) for change in changes)]


def adoptable():
    return [(name, entry) for name, entry in all_entries() if entry.refusal is None]


def test_each_line_is_judged_as_it_was_marked_by_hand():
    found = {(name, entry.number): entry.refusal.code if entry.refusal else "" for name, entry in all_entries()}
    assert found == verdicts()
    assert Counter(code or "yes" for code in found.values()) == {
        "yes": 129,
        "adopt-invalid-line": 23,
        "adopt-locked": 8,
        "adopt-boot": 5,
        "adopt-maintenance": 4,
        "adopt-unexpanded": 3,
        "adopt-user-column": 2,
        "adopt-framework": 1,
        "adopt-restart": 1,
    }
    assert all(sentence(entry.refusal) for _name, entry in all_entries() if entry.refusal)


def test_names_are_unique_in_each_table():
    names = [(name, entry.name) for name, entry in all_entries()]
    assert len(set(names)) == len(names) == 176


def compare_fires(zone: str, days: int) -> None:
    over = stretches(zone, START - 5 * DAY, END + 5 * DAY)
    with machine_in(zone):
        for times, schedule in {entry.times: entry.schedule for _name, entry in adoptable()}.items():
            for first, last in spans(over, schedule, days):
                expected = fires([_SHORTCUTS.get(times, times)], over, first, last)
                assert list(fires_between(schedule, first, last)) == expected, times
                assert fires(crontab_times(schedule), over, first, last) == expected, times  # so does our own line


def test_job_fires_when_its_line_did_over_two_years():
    compare_fires("Europe/Berlin", days=1)  # more of them in tests/full


def test_each_line_becomes_a_job_file_that_is_read_back(birkez_home, monkeypatch):
    with machine_in("Europe/Istanbul"):
        assert local_timezone() == "Europe/Istanbul"
        for _name, entry in adoptable():
            job, text = plan(birkez_home, entry, Wish(repeatable=False))
            assert job.effect == entry.effect, text
            assert job.schedule == entry.schedule
            assert job.window.catch_up == "latest"
            assert Crontab(birkez_home).entry_for(job)


@pytest.mark.parametrize("name", [name for name, path in CORPORA.items() if path.stat().st_size])
def test_adopted_line_is_given_back_byte_for_byte(birkez_home, in_memory, name):  # each line in tests/full
    for form, table in odd_forms(CORPORA[name].read_bytes()).items():
        for entry in [entry for entry in entries_of(table) if entry.refusal is None][:1]:
            in_memory[0] = table
            job_id = adopt_entry(birkez_home, entry)
            assert in_memory[0].count(entry.raw) == table.count(entry.raw), "kept as a comment"
            assert entry.number not in [left.number for left in entries_of(in_memory[0])]
            assert release(birkez_home, Crontab(birkez_home), job_id).is_at_its_place
            assert in_memory[0] == table, (form, entry.number)


def test_all_lines_of_a_table_at_once_and_back_in_another_order(birkez_home, in_memory):
    for name in ("17", "35"):
        table = in_memory[0] = CORPORA[name].read_bytes()
        jobs = [adopt_entry(birkez_home, entry) for entry in entries_of(table) if entry.refusal is None]
        assert [entry.refusal.code for entry in entries_of(in_memory[0]) if entry.refusal is None] == []
        for job_id in jobs[::2] + jobs[1::2]:
            release(birkez_home, Crontab(birkez_home), job_id)
        assert in_memory[0] == table


def test_line_that_cannot_go_is_refused_with_its_own_reason(birkez_home, in_memory):
    for _name, entry in all_entries():
        if entry.refusal is not None:
            with pytest.raises(BirkezError) as refused:
                plan(birkez_home, entry, Wish(repeatable=True))
            assert refused.value is entry.refusal
