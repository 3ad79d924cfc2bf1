"""A job whose runs neither fail nor get anything done is told once it has been so for too long."""

from __future__ import annotations

import os
from datetime import UTC, datetime, timedelta

import pytest

from tests.history.making import NOON, fill, made_run
from trayapp.history.query import open_for_reading
from trayapp.history.store import open_history
from trayapp.history.success import due_at, is_success, last_success, quiet, quiet_jobs
from trayapp.job import file as job_file
from trayapp.patience import is_patience, patience_s
from trayapp.settings import change_settings

HOUR = timedelta(hours=1)
TEXT = """{top}
[schedule]
{schedule}
[window]
step = "1h"
start = 2026-09-01T00:00:00Z
[effect]
kind = "command"
argv = ["true"]
"""


def job(tmp_path, top="", schedule='every = "1h"'):
    text = TEXT.format(top=top, schedule=schedule)
    return job_file.parse_job(text, str(tmp_path / "satis-ozet.toml"), "satis-ozet")


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("90m", 5400),
        ("12h", 43200),
        ("3d", 259200),
        ("0h", None),
        ("1w", None),
        ("-1h", None),
        ("h", None),
        ("400d", None),
        ("1.5h", None),
        ("९h", None),
        ("", None),
    ],
)
def test_lengths_of_time(text, seconds):
    assert patience_s(text) == seconds
    assert is_patience(text) == (seconds is not None or text == "")


@pytest.mark.parametrize(
    ("schedule", "due"),
    [
        ('every = "1h"', NOON + 3 * HOUR),
        ('every = "5m"', NOON + HOUR - timedelta(minutes=3)),  # an hour at the least
        ('cron = "0 9 * * 1-5"', datetime(2026, 9, 9, 9, tzinfo=UTC)),  # a Friday noon: Monday, Tuesday, Wednesday
    ],
)
def test_three_starts_may_go_by(tmp_path, monkeypatch, schedule, due):
    assert due_at(job(tmp_path, schedule=schedule), "", NOON) == due + timedelta(minutes=3)


def test_a_run_at_work_has_a_day(tmp_path):
    assert due_at(job(tmp_path), "", NOON, at_work_since=NOON + HOUR) == NOON + 25 * HOUR
    assert due_at(job(tmp_path, 'warn_after = "2h"'), "", NOON, at_work_since=NOON + HOUR) == NOON + 2 * HOUR


def test_the_job_goes_before_the_settings(tmp_path):
    assert due_at(job(tmp_path), "1d", NOON) == NOON + 24 * HOUR
    assert due_at(job(tmp_path, 'warn_after = "2h"'), "1d", NOON) == NOON + 2 * HOUR
    assert due_at(job(tmp_path, 'warn_after = "never"'), "1d", NOON) is None
    assert due_at(job(tmp_path), "never", NOON) is None


def test_a_job_that_nobody_starts_by_schedule_is_told_where_it_is_wished(tmp_path):
    by_hand = job(tmp_path)._replace(schedule=None)
    assert due_at(by_hand, "", NOON) is None
    assert due_at(by_hand, "1d", NOON) == NOON + 24 * HOUR
    assert due_at(by_hand._replace(enabled=False), "1d", NOON) is None


def test_a_mistake_in_the_job_file_is_told(tmp_path):
    with pytest.raises(Exception, match="job-value-choice") as told:
        job(tmp_path, 'warn_after = "soon"')
    assert told.value.facts["key"] == "warn_after"


def test_a_change_of_the_file_begins_the_wait_anew(tmp_path):
    told = quiet(job(tmp_path), "2h", NOON, NOON - HOUR, NOON + 2 * HOUR, None)
    assert told is not None
    assert (told.since, told.has_succeeded) == (NOON, True)
    assert quiet(job(tmp_path), "2h", NOON, NOON + HOUR, NOON + 2 * HOUR, None) is None
    never = quiet(job(tmp_path), "2h", None, NOON, NOON + 2 * HOUR, None)
    assert never is not None
    assert not never.has_succeeded


def test_what_is_a_success():
    assert is_success(made_run())
    assert is_success(made_run(outcome="skipped", reason="kapanmis pencere yok"))
    for outcome, reason in (
        ("skipped", "kilit"),
        ("failed", "sql-failed"),
        ("stopped", "durduruldu"),
        ("uncertain", "belirsiz"),
        ("skipped", "duraklatildi"),
        ("running", ""),
    ):
        assert not is_success(made_run(outcome=outcome, reason=reason))


def test_newest_success_is_found_behind_what_is_none(tmp_path):
    history = open_history(str(tmp_path / "history.db"))
    runs = [made_run(1), made_run(2, outcome="skipped", reason="kapanmis pencere yok")]
    runs += [made_run(number, outcome="skipped", reason="kilit") for number in range(3, 60)]
    fill(history, runs)
    history.close()
    reader = open_for_reading(str(tmp_path / "history.db"))
    try:
        assert last_success(reader, "satis-ozet") == runs[1].ended_at
        assert last_success(reader, "satis-ozet", runs[0]) == runs[0].ended_at
        assert last_success(reader, "another") is None
    finally:
        reader.close()


def test_the_settings_are_asked_and_damaged_ones_wish_nothing(birkez_home, tmp_path):
    birkez_home.make_folders()
    history = open_history(birkez_home.history_db)
    fill(history, [made_run(1)])
    history.close()
    made = job(tmp_path)
    (tmp_path / "satis-ozet.toml").write_text("")
    os.utime(tmp_path / "satis-ozet.toml", (NOON.timestamp(), NOON.timestamp()))
    assert set(quiet_jobs(birkez_home, [made], NOON + 4 * HOUR)) == {"satis-ozet"}
    change_settings(birkez_home, warn_after="1d")
    assert not quiet_jobs(birkez_home, [made], NOON + 4 * HOUR)
    with open(birkez_home.settings_file, "w") as file:
        file.write("broken")
    assert set(quiet_jobs(birkez_home, [made], NOON + 4 * HOUR)) == {"satis-ozet"}
