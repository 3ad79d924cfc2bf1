from __future__ import annotations

import json
import sys

from tests.cli.conftest import DAYS, TURKISH, iso, key, midnight
from trayapp.runner.pause import pause


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
