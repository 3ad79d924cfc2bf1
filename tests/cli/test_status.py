from __future__ import annotations

import json
import os
import shutil
import sqlite3
import sys
import time
from contextlib import closing
from pathlib import Path

import pytest

from tests.cli.conftest import DAYS, TURKISH, iso, key, midnight
from trayapp.job.pause import pause


def test_status_tells_what_waits_and_since_when_all_is_done(birkez, desk):
    desk.add_sql()
    before = birkez("status", "sales").stdout
    assert f"{DAYS} closed periods wait" in before
    birkez("run", "sales")
    after = birkez("status", "sales").stdout
    assert "Nothing waits" in after
    assert "by hand: done" in after


def test_status_speaks_turkish(birkez, desk):
    desk.add_sql()
    told = birkez("status", env=TURKISH)
    assert told.returncode == 0
    assert "dönem" in told.stdout


def test_status_answers_programs(ask_json, desk):
    desk.add_sql()
    pause(desk.places, "sales", None)
    (found,) = ask_json("status")["jobs"]
    assert found["lock"] == {"state": "idle", "holder": None}
    assert found["preview"]["done_up_to"] == iso(midnight(DAYS))
    assert found["preview"]["paused"] is True
    assert len(found["preview"]["windows"]) == DAYS
    assert found["last_run"] is None


def test_status_shows_a_running_job_without_hindering_it(birkez, desk):
    desk.add_sql()
    with desk.hold():
        assert "has been running since" in birkez("status", "sales").stdout


def test_status_shows_how_an_uncertain_period_is_decided(birkez, ask_json, desk):
    desk.add("mail", desk.command_file(json.dumps([sys.executable, "-c", "raise SystemExit(3)"])))
    birkez("run", "mail")
    assert f"birkez resolve mail {key('mail', midnight(DAYS))} --again" in birkez("status", "mail").stdout
    (found,) = ask_json("status", "mail")["jobs"]
    assert [(row["state"], row["reason"]) for row in found["unsettled"]] == [("uncertain", "command-failed")]


def test_status_counts_the_failures_in_a_row(birkez, desk):
    desk.add_sql(script="broken;")
    for _ in range(2):
        birkez("run", "sales")
    assert "failed 2 times in a row" in birkez("status", "sales").stdout


def test_one_job_in_trouble_hides_no_other(birkez, ask_json, desk):
    desk.add("lost", desk.sql_file("Lost"))
    desk.break_job("broken")
    told = birkez("status")
    assert told.returncode == 0
    assert "broken.toml" in told.stdout
    assert "sales.db is not there" in told.stdout
    assert [(job["id"], job["problem"]["code"]) for job in ask_json("status")["jobs"]] == [
        ("broken", "job-file-empty"),
        ("lost", "database-missing"),
    ]


def test_status_of_an_unknown_job_is_refused(birkez):
    assert birkez("status", "nobody").returncode == 3


def test_state_that_is_no_folder_is_told_and_pauses_nothing(birkez, ask_json, desk):
    desk.add_sql()
    shutil.rmtree(desk.places.state)
    Path(desk.places.state).write_text("", encoding="utf-8")
    told = birkez("status")
    assert (told.returncode, desk.places.state in told.stdout, "paused" in told.stdout) == (0, True, False)
    assert [job["problem"]["code"] for job in ask_json("status")["jobs"]] == ["state-folder-unusable"]
    assert "paused" not in birkez("job", "list").stdout


def test_doctor_offers_both_decisions_and_copies_neither(birkez, ask_json, desk):
    desk.add("mail", desk.command_file(json.dumps([sys.executable, "-c", "raise SystemExit(3)"])))
    birkez("run", "mail")
    told = birkez("doctor").stdout
    uncertain = key("mail", midnight(DAYS))
    for answer in ("--done", "--again"):
        assert f"birkez resolve mail {uncertain} {answer} --reason" in told
    assert "To do: birkez resolve" not in told
    assert told.count("birkez resolve") == 2  # once for each answer, not in the sentence as well
    assert [found["remedy"] for found in ask_json("doctor", status=4) if found["code"] == "doctor-uncertain"] == [[]]


@pytest.mark.posix
def test_backup_names_the_folder_that_is_in_the_way(birkez, desk, tmp_path):
    desk.add("mail", desk.command_file('["true"]'))
    birkez("run", "mail")
    os.chmod(desk.places.state, 0o500)
    try:
        told = birkez("backup", tmp_path / "kept.zip", powerless=True)
    finally:
        os.chmod(desk.places.state, 0o700)
    assert (told.returncode, f"folder {desk.places.state}:" in told.stderr) == (4, True), told.stderr
    assert list(tmp_path.glob("kept*")) == []


def test_no_success_for_too_long_is_told_by_status_and_doctor(birkez, ask_json, desk):
    desk.add_sql()
    text = Path(desk.places.job_file("sales")).read_text(encoding="utf-8")
    Path(desk.places.job_file("sales")).write_text('warn_after = "90m"\n' + text, encoding="utf-8")
    birkez("run", "sales")
    assert "No success" not in birkez("status", "sales").stdout
    assert ask_json("status")["jobs"][0]["no_success_since"] is None
    with closing(sqlite3.connect(desk.places.history_db)) as history, history:
        history.execute("UPDATE run SET outcome = 'skipped', reason = 'kilit'")
    long_ago = time.time() - 6000
    os.utime(desk.places.job_file("sales"), (long_ago, long_ago))
    assert "No success since" in birkez("status", "sales").stdout
    assert ask_json("status")["jobs"][0]["no_success_since"]
    assert "no run has succeeded since its file was written" in birkez("doctor").stdout
