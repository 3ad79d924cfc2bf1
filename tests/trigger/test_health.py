from __future__ import annotations

import shutil

import pytest

from trayapp.errors import TriggerError
from trayapp.trigger import registration
from trayapp.trigger.backend import ALL_JOBS
from trayapp.trigger.health import look

DOWN = TriggerError("crontab-no-daemon")


@pytest.fixture
def rows(birkez_home, table, shelf, backend):
    """Rows of our home by job; `satis` is registered."""
    shelf.put("satis")
    registration.install(birkez_home, backend)
    prefix = birkez_home.config + "|"

    class Rows:
        def __getitem__(self, job):
            return table.rows[prefix + job]

        def __setitem__(self, job, row):
            table.rows[prefix + job] = row

        def __len__(self):
            return len(table.rows)

        def __delitem__(self, job):
            del table.rows[prefix + job]

    return Rows()


@pytest.fixture
def state(rows, birkez_home, backend):
    return lambda job="satis": look(birkez_home, backend).of(job).state


def test_installed(state):
    assert state() == "installed"


def test_missing(state, rows):
    del rows["satis"]
    assert state() == "missing"


def test_disabled(state, rows):
    rows["satis"] = (*rows["satis"][:2], False)
    assert state() == "disabled"


def test_edited_times(state, rows):
    rows["satis"] = (['daily = ["03:00"]'], *rows["satis"][1:])
    assert state() == "edited"


def test_edited_command(state, rows):
    rows["satis"] = (rows["satis"][0], ["rm", "-rf"], True)
    assert state() == "edited"


def test_command_that_starts_another_job_is_edited(state, rows):
    words = ["yedek" if word == "satis" else word for word in rows["satis"][1]]
    rows["satis"] = (rows["satis"][0], words, True)
    assert state() == "edited"


def test_moved_program(state, rows):
    rows["satis"] = (rows["satis"][0], ["/old/python", *rows["satis"][1][1:]], True)
    assert state() == "moved"


def test_scheduler_that_stands_still(state, table, birkez_home, backend):
    table.stops = [DOWN]
    assert state() == "stopped"
    assert look(birkez_home, backend).of("satis").error is DOWN


def test_a_warning_of_the_scheduler_stops_nothing(state, table, birkez_home, backend):
    table.stops = [TriggerError("trigger-program-vanishes", path="/tmp/x", folder="/tmp")]
    assert state() == "installed"
    assert look(birkez_home, backend).obstacles == tuple(table.stops)


def test_missing_entry_is_missing_also_where_the_scheduler_stands_still(state, rows, table):
    table.stops = [DOWN]
    del rows["satis"]
    assert state() == "missing"


def test_schedule_that_it_cannot_say(state, shelf, birkez_home, backend):
    shelf.put("sayili", 'cron = "0 6 * * 5#2"')
    assert state("sayili") == "not-sayable"
    assert look(birkez_home, backend).of("sayili").error.code == "schedule-not-sayable"


@pytest.mark.parametrize("schedule", ["", 'daily = ["02:30"]'])
def test_not_wanted_and_unwanted(state, shelf, rows, schedule):
    shelf.put("kapali", schedule, enabled=not schedule)
    assert state("kapali") == "not-wanted"
    rows["kapali"] = rows["satis"]
    assert state("kapali") == "unwanted"


def test_broken_job_file_is_unknown_and_no_orphan(state, shelf, birkez_home, backend):
    shelf.spoil("satis")
    overview = look(birkez_home, backend)
    assert overview.of("satis").state == "unknown"
    assert overview.of("satis").standing
    assert overview.orphans == ()


def test_scheduler_that_cannot_be_read_makes_all_unknown(state, table, shelf, birkez_home, backend):
    shelf.put("elle", "")
    table.unreadable = TriggerError("crontab-forbidden", user="ofis", reason="no")
    overview = look(birkez_home, backend)
    assert overview.trouble is table.unreadable
    assert (state(), state("elle"), overview.boot.state) == ("unknown", "not-wanted", "unknown")


def test_entry_of_a_job_that_is_gone_is_an_orphan(shelf, rows, birkez_home, backend):
    shelf.put("kalan")
    shelf.take_away("satis")
    overview = look(birkez_home, backend)
    assert [entry.job for entry in overview.orphans] == ["satis"]
    assert overview.of("satis").state == "unknown"


def test_no_entry_is_an_orphan_where_the_jobs_are_not_to_be_seen(rows, birkez_home, backend):
    shutil.rmtree(birkez_home.jobs_dir)
    overview = look(birkez_home, backend)
    assert overview.orphans == ()
    assert overview.trouble is not None
    assert overview.trouble.code == "trigger-jobs-missing"


def test_jobs_that_cannot_be_listed_make_no_orphan(rows, birkez_home, backend, monkeypatch):
    def refuse(_path):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr("trayapp.job.shelf.os.listdir", refuse)
    overview = look(birkez_home, backend)
    assert (overview.jobs, overview.orphans) == ((), ())
    assert overview.trouble is not None


@pytest.mark.parametrize(
    ("change", "state"),
    [
        (len, "installed"),
        (lambda rows: rows.__delitem__(ALL_JOBS), "missing"),
        (lambda rows: rows.__setitem__(ALL_JOBS, (*rows[ALL_JOBS][:2], False)), "disabled"),
        (lambda rows: rows.__setitem__(ALL_JOBS, (["boot"], ["/x"], True)), "edited"),
        (lambda rows: rows.__setitem__(ALL_JOBS, (["boot"], ["/old", *rows[ALL_JOBS][1][1:]], True)), "moved"),
    ],
)
def test_entry_for_all_jobs_has_a_health_of_its_own(rows, birkez_home, backend, change, state):
    change(rows)
    assert look(birkez_home, backend).boot.state == state


def test_looking_writes_nothing(rows, table, birkez_home, backend):
    writes = table.writes
    look(birkez_home, backend)
    assert table.writes == writes
