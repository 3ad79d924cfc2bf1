"""What the editor foretells is what the runner does: both are asked, of the same job."""

from __future__ import annotations

import json
import subprocess
from datetime import UTC, datetime, timedelta

import pytest

from tests.gui.jobs.conftest import Office
from trayapp import clock
from trayapp.gui.jobs.editor.outlook import Standing, look_ahead
from trayapp.job.file import parse_job, read_job
from trayapp.own_command import own_argv, own_environment

NOW = datetime(2026, 9, 4, 9, 47, tzinfo=UTC)


def _job(schedule: str, window: str = 'step = "1h"\nstart = 2026-09-04T06:00:00Z'):
    effect = 'kind = "sql"\ndatabase = "/d.db"\nscript = "/s.sql"'
    return parse_job(f"[schedule]\n{schedule}\n[window]\n{window}\n[effect]\n{effect}\n", "/jobs/x.toml", "x")


@pytest.fixture
def at(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(clock, "now", lambda: NOW)


def _hours(windows) -> list[tuple[int, int]]:
    return [(window.start.hour, window.end.hour) for window in windows]


def test_run_now_is_foretold_as_the_runners_dry_run_says(office: Office):
    office.add_sql("sales", "Sales", hours=4)
    words = own_argv("run", "sales", "--dry-run", "--json")
    asked = subprocess.run(words, env=own_environment(), capture_output=True, check=True)
    told = [(window["start"], window["end"]) for window in json.loads(asked.stdout)["windows"]]
    outlook = look_ahead(office.places, read_job(office.places.job_file("sales"), "sales"))
    assert len(told) == 4
    assert [(clock.format_instant(w.start), clock.format_instant(w.end)) for w in outlook.by_hand.take] == told


def test_each_start_takes_what_closed_since_the_one_before(office: Office, at: None):
    outlook = look_ahead(office.places, _job('every = "1h"\noffset = "5m"'))
    assert [start.at.hour for start in outlook.starts] == [10, 11, 12, 13]
    assert [_hours(start.take) for start in outlook.starts] == [
        [(6, 7), (7, 8), (8, 9), (9, 10)],
        [(10, 11)],
        [(11, 12)],
        [(12, 13)],
    ]
    assert _hours([outlook.following]) == [(9, 10)]
    assert outlook.takeable_at == NOW.replace(hour=10, minute=5)


def test_the_limit_of_a_run_and_what_stays_are_foretold(office: Office, at: None):
    outlook = look_ahead(
        office.places, _job('every = "1h"', 'step = "1h"\nstart = 2026-09-04T00:00:00Z\nmax_per_run = 3')
    )
    assert [len(start.take) for start in outlook.starts] == [3, 3, 3, 3]
    assert outlook.starts[0].waiting == 6  # lateness 5 min: at 10:00 the period 9–10 is not taken yet
    assert outlook.by_hand.waiting == 6


@pytest.mark.parametrize(("rule", "taken", "passed"), [("latest", 1, 1), ("none", 1, 1), ("all", 4, 0)])
def test_missed_periods_are_foretold_by_the_jobs_own_rule(office: Office, at: None, rule: str, taken: int, passed: int):
    window = f'step = "1h"\nstart = 2026-09-04T06:00:00Z\ncatch_up = "{rule}"'
    first = look_ahead(office.places, _job('every = "1h"\noffset = "5m"', window)).starts[0]
    assert len(first.take) == taken
    assert len(first.passed) == passed


def test_a_job_that_has_run_goes_on_from_where_it_is(office: Office, at: None):
    standing = Standing(NOW.replace(hour=8, minute=30))
    outlook = look_ahead(office.places, _job('every = "1h"\noffset = "5m"'), standing)
    assert [(w.start.hour, w.start.minute, w.end.hour) for w in outlook.by_hand.take] == [(8, 30, 9)]  # the bridge


def test_the_longest_wait_is_told_for_both_halves_of_the_year(
    office: Office, at: None, monkeypatch: pytest.MonkeyPatch
):
    import time

    monkeypatch.setenv("TZ", "Europe/Berlin")
    time.tzset()
    try:
        window = 'step = "1d"\ntimezone = "UTC"\nstart = 2026-09-01T00:00:00Z'
        delays = look_ahead(office.places, _job('daily = ["03:00"]', window)).delays
        assert sorted(delays) == [timedelta(hours=1), timedelta(hours=2)]  # summer time, winter time
    finally:
        monkeypatch.undo()
        time.tzset()


def test_the_entry_is_the_schedulers_own_text(office: Office, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("BIRKEZ_SCHEDULER", "crontab")
    job = _job('every = "1h"\noffset = "5m"')
    outlook = look_ahead(office.places, job)
    assert outlook.scheduler == "crontab"
    assert outlook.entry.startswith("5 * * * * ")
    assert " run x --trigger schedule" in outlook.entry
    uneven = look_ahead(office.places, _job('cron = "0 0 13 * 5"'))
    assert uneven.entry or uneven.refusal is not None
