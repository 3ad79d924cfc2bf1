"""What every backend must keep, whichever scheduler it writes to.

A test module of one backend imports these tests and gives the fixture `open_backend`: a
function that makes the backend for some places, all on one scheduler that is empty at first.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import pytest

from trayapp.errors import TriggerError
from trayapp.job.model import CommandEffect, Job, WindowRule
from trayapp.job.schedule import Cron, Daily, Every, Monthly, Weekly
from trayapp.places import Places
from trayapp.trigger.backend import ALL_JOBS, Change, Entry
from trayapp.trigger.command import runner_command, started_job
from trayapp.wording.speech import sentence

if TYPE_CHECKING:
    from trayapp.trigger.backend import Backend

    OpenBackend = Callable[[Places], Backend]

HALF_PAST_TWO = Daily((150,))
UNSAYABLE = Cron("0 6 * * 5#2")
SCHEDULES = [
    Every(15),
    Every(60, 5),
    Every(120),
    Every(15, 0, (0, 1, 2, 3, 4), (8, 18)),
    Daily((150, 840)),
    Weekly((0, 4), (540,)),
    Monthly((1, 15), (360,)),
    Cron("5 2 * * *"),
]


def job(job_id: str = "satis", schedule=HALF_PAST_TWO, title: str = "Satış özeti") -> Job:
    rule = WindowRule("1h", datetime(2026, 9, 4, tzinfo=UTC))
    return Job(job_id, title, f"/x/{job_id}.toml", rule, CommandEffect(("true",)), schedule)


def entry_of(backend: Backend, job_id: str) -> Entry:
    (found,) = (entry for entry in backend.entries() if entry.job == job_id)
    return found


def change_of(changes: list[Change], job_id: str) -> Change:
    """The write in which *job_id* stands now."""
    return next(change for change in changes if job_id in change.name or job_id.encode() in (change.after or b""))


def names(backend: Backend) -> set[str]:
    return {entry.job for entry in backend.entries()}


@pytest.fixture
def backend(open_backend: OpenBackend, birkez_home: Places) -> Backend:
    return open_backend(birkez_home)


def test_nothing_stands_at_first(backend):
    assert backend.entries() == []
    assert backend.remove(["satis"]) == []


@pytest.mark.parametrize("schedule", SCHEDULES, ids=str)
def test_what_is_installed_stands_as_it_shall(backend, schedule):
    wanted = job(schedule=schedule)
    backend.install([wanted])
    standing, shall = entry_of(backend, "satis"), backend.entry_for(wanted)
    assert standing.times == shall.times
    assert standing.command == shall.command
    assert standing.is_enabled


def test_command_is_the_runners(backend, birkez_home):
    backend.install([job()])
    assert entry_of(backend, "satis").command == runner_command(birkez_home, "satis")
    assert started_job(entry_of(backend, ALL_JOBS).command) == ALL_JOBS


def test_text_is_what_the_scheduler_keeps(backend):
    backend.install([job()])
    assert "satis" in entry_of(backend, "satis").text
    assert "satis" in backend.entry_for(job()).text


def test_what_stands_already_is_not_written(backend):  # P52
    assert backend.install([job(), job("yedek")])
    assert backend.install([job(), job("yedek")]) == []
    assert backend.install([job("yedek")]) == []
    assert names(backend) == {"satis", "yedek", ALL_JOBS}


def test_changed_schedule_replaces_the_entry(backend):
    backend.install([job(), job("yedek")])
    backend.install([job(schedule=Daily((840,)))])
    assert entry_of(backend, "satis").times == backend.entry_for(job(schedule=Daily((840,)))).times
    assert entry_of(backend, "yedek").times == backend.entry_for(job("yedek")).times


def test_only_the_named_entry_goes(backend):  # P13
    backend.install([job(), job("yedek")])
    backend.remove(["satis", "hic-olmadi"])
    assert names(backend) == {"yedek", ALL_JOBS}


def test_with_the_last_job_the_entry_for_all_goes(backend):
    backend.install([job(), job("yedek")])
    backend.remove(["yedek", "satis"])
    assert backend.entries() == []


def test_nothing_to_install_writes_nothing_for_jobs(backend):
    backend.install([])
    assert not names(backend) - {ALL_JOBS}


def test_rendering_writes_nothing(backend):
    backend.entry_for(job())
    assert backend.entries() == []


def test_what_it_cannot_say_is_refused_with_the_nearest(backend):
    with pytest.raises(TriggerError, match="schedule-not-sayable") as caught:
        backend.entry_for(job(schedule=UNSAYABLE))
    assert {"scheduler", "schedule", "reason", "nearest"} <= caught.value.facts.keys()
    assert "{" not in sentence(caught.value)


def test_one_refused_schedule_installs_none(backend):
    with pytest.raises(TriggerError, match="schedule-not-sayable"):
        backend.install([job("yedek"), job(schedule=UNSAYABLE)])
    assert backend.entries() == []


def test_undone_install_leaves_nothing(backend):
    changes = backend.install([job(), job("yedek")])
    for change in reversed(changes):
        backend.undo(change)
    assert backend.entries() == []


def test_undone_change_brings_the_old_entry_back(backend):
    backend.install([job(), job("yedek")])
    before = backend.entries()
    for change in reversed(backend.install([job(schedule=Daily((840,)))])):
        backend.undo(change)
    assert backend.entries() == before


def test_undone_removal_brings_all_back(backend):
    backend.install([job(), job("yedek")])
    before = sorted(backend.entries())
    for change in reversed(backend.remove(["satis", "yedek"])):
        backend.undo(change)
    assert sorted(backend.entries()) == before


def test_what_was_changed_since_is_not_undone(backend):
    change = change_of(backend.install([job()]), "satis")
    backend.install([job(schedule=Daily((840,)))])
    before = backend.entries()
    with pytest.raises(TriggerError, match="undo-changed-since") as caught:
        backend.undo(change)
    assert "{" not in sentence(caught.value)
    assert backend.entries() == before


def test_entries_of_another_home_are_foreign(open_backend, backend, birkez_home, tmp_path_factory):
    home = tmp_path_factory.mktemp("other")
    other = open_backend(Places(str(home / "config"), str(home / "state")))
    other._places.make_folders()
    backend.install([job()])
    other.install([job(schedule=Every(15))])
    assert entry_of(backend, "satis").times == backend.entry_for(job()).times
    assert entry_of(other, "satis").times == other.entry_for(job(schedule=Every(15))).times
    backend.remove(["satis"])
    assert backend.entries() == []
    assert names(other) == {"satis", ALL_JOBS}


def test_changes_say_who_wrote_what(backend):
    changes = backend.install([job()])
    assert {change.backend for change in changes} == {backend.name}
    assert all(change.before != change.after for change in changes)
    assert change_of(changes, "satis")
