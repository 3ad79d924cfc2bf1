from __future__ import annotations

import json
import os
import signal
import sys
import time
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from tests.cli.conftest import DAYS, TURKISH, iso, key, midnight
from trayapp.job.pause import pause, read_pause
from trayapp.lock.holder import read_state

HOURLY = 'step = "1h"\nstart = 2026-09-04T10:00:00Z\nlateness = "5m"\n'
NOW = "2026-09-04T12:07:00Z"


def add_hourly(desk) -> None:
    """The job of the design's table: 10:00 and 11:00 have closed at 12:07."""
    desk.make_database()
    path = desk.sql_file()
    text = path.read_text(encoding="utf-8")
    head, tail = text.split("[window]")[0], text.split("[effect]")[1]
    path.write_text(f"{head}[window]\n{HOURLY}[effect]{tail}", encoding="utf-8")
    desk.add("sales", path)


# ---------------------------------------------------------------- answers in words


def test_run_says_what_it_did_and_what_comes_next(birkez, desk):
    add_hourly(desk)
    told = birkez("run", "sales", faketime=NOW)
    assert told.stdout.splitlines() == [
        "2 periods were processed (new records: 2).",
        "The next period can be taken at 13:05.",
    ]
    again = birkez("run", "sales", faketime=NOW)
    assert again.stdout == "Nothing has closed since 12:00; the next period can be taken at 13:05.\n"


def test_run_says_it_in_turkish(birkez, desk):
    add_hourly(desk)
    assert "2 dönem işlendi" in birkez("run", "sales", faketime=NOW, env=TURKISH).stdout
    again = birkez("run", "sales", faketime=NOW, env=TURKISH)
    assert "12:00'den" in again.stdout
    assert "13:05'te" in again.stdout


def test_running_job_is_told_with_its_process(birkez, desk):
    desk.add_sql()
    with desk.hold():
        pid = read_state(desk.places.lock_file("sales")).holder.pid
        told = birkez("run", "sales")
    assert told.returncode == 0
    assert f"(pid {pid}, started by hand)" in told.stdout
    assert "since" in told.stdout
    assert desk.took() == []


def test_settled_window_is_told_and_not_repeated(birkez, ask_json, desk):
    desk.add_sql()
    birkez("run", "sales")
    start = iso(midnight(DAYS))
    told = birkez("run", "sales", "--window", start)
    assert (told.returncode, "settled already" in told.stdout) == (0, True)
    assert ask_json("run", "sales", "--window", start)["key"] == key("sales", midnight(DAYS))
    assert len(desk.took()) == DAYS


def test_window_out_of_turn_is_done(birkez, desk):
    desk.add_sql()
    birkez("run", "sales", "--window", iso(midnight(1)))
    birkez("run", "sales")
    assert desk.took() == [f"{midnight(days):%Y-%m-%dT00:00:00}" for days in (1, 3, 2)]


def test_paused_job_says_until_when(birkez, desk):
    desk.add_sql()
    pause(desk.places, "sales", datetime(2099, 1, 1, tzinfo=UTC))
    told = birkez("run", "sales")
    assert told.returncode == 0
    assert "01.01.2099" in told.stdout
    assert "birkez resume sales" in told.stdout


def test_failed_script_says_where_and_what_waits(birkez, desk):
    desk.add_sql(script="INSERT INTO took VALUES (:start, 1);\nINSERT INTO nowhere VALUES (1);")
    told = birkez("run", "sales")
    assert told.returncode == 1
    assert "line 2" in told.stdout
    assert "nowhere" in told.stdout
    assert desk.took() == []


def test_script_that_ends_the_transaction_is_refused(birkez, desk):
    desk.add_sql(script="INSERT INTO took VALUES (:start, 1); COMMIT;")
    told = birkez("run", "sales")
    assert told.returncode == 1
    assert "COMMIT" in told.stdout
    assert desk.took() == []


def test_uncertain_command_names_the_two_commands_that_decide(birkez, ask_json, desk):
    desk.add("mail", desk.command_file(json.dumps([sys.executable, "-c", "raise SystemExit(3)"])))
    told = birkez("run", "mail")
    mail_key = key("mail", midnight(DAYS))
    assert told.returncode == 5
    assert f"birkez resolve mail {mail_key} --done --reason" in told.stdout
    assert f"birkez resolve mail {mail_key} --again --reason" in told.stdout
    found = ask_json("run", "mail", status=5)
    assert (found["outcome"], found["reason"], found["key"]) == ("uncertain", "belirsiz", mail_key)


# ------------------------------------------------------------------- wrong words


@pytest.mark.parametrize(
    ("start", "shown"),
    [
        ("2026-09-04T10:30:00Z", "11:00"),
        ("2026-09-04T12:00:00Z", "13:05"),
        ("2026-09-04T09:00:00Z", "10:00"),
    ],
    ids=["off the grid", "not closed", "before the start"],
)
def test_window_that_cannot_be_taken_is_refused_with_the_reason(birkez, desk, start, shown):
    add_hourly(desk)
    told = birkez("run", "sales", "--window", start, faketime=NOW)
    assert told.returncode == 2
    assert shown in told.stdout + told.stderr
    assert desk.took() == []


@pytest.mark.parametrize("start", ["2026-09-04T10:00:00", "yesterday", "0001-01-01T00:00+14:00", "9999-12-31T23:00Z"])
def test_moment_that_is_none_is_refused(birkez, desk, start):
    desk.add_sql()
    told = birkez("run", "sales", "--window", start)
    assert told.returncode == 2
    assert "--window" in told.stderr
    assert "Traceback" not in told.stderr


def test_moment_without_offset_is_offered_in_both_readings(birkez, desk):
    desk.add_sql()
    told = birkez("run", "sales", "--window", "2026-09-04T10:00", env={"TZ": "TRT-3"})
    assert "2026-09-04T10:00+03:00" in told.stderr
    assert "2026-09-04T10:00Z" in told.stderr


def test_unknown_job_is_met_with_near_ones(birkez, desk):
    desk.add_sql("satis-ozet", title="Satış özeti")
    for wrong in ("satis-ozte", "ozet", "Satış özeti"):
        told = birkez("run", wrong, env=TURKISH)
        assert told.returncode == 3
        assert "satis-ozet" in told.stderr


def test_unknown_job_makes_no_files(birkez, desk):
    assert birkez("run", "nobody", "--trigger", "schedule").returncode == 3
    assert not list(Path(desk.places.state).rglob("nobody*"))


@pytest.mark.parametrize("name", ["../settings", "sales/../sales", "SALES", "con"])
def test_name_that_no_job_can_have_is_no_job(birkez, desk, name):
    desk.add_sql()
    assert birkez("run", name).returncode == 3
    assert desk.took() == []


@pytest.mark.parametrize(
    "words", [["run"], ["run", "a", "--all"], ["run", "--all", "--window", "2026-09-04T10:00:00Z"], ["pause"]]
)
def test_one_job_or_all_must_be_meant(birkez, words):
    assert birkez(*words).returncode == 2


def test_max_windows_must_be_a_number_from_1(birkez, desk):
    desk.add_sql()
    for wrong in ("0", "-1", "two", "1e3", "٣"):
        assert birkez("run", "sales", "--max-windows", wrong).returncode == 2


# ----------------------------------------------------------------------- dry run


def test_dry_run_tells_the_windows_and_does_nothing(birkez, ask_json, desk):
    desk.add_sql()
    told = birkez("run", "sales", "--dry-run", env=TURKISH)
    assert told.returncode == 0
    assert len(told.stdout.splitlines()) == 1 + DAYS
    found = ask_json("run", "sales", "--dry-run")
    assert found["would"] == "work"
    assert [window["start"] for window in found["windows"]] == [iso(midnight(days)) for days in (3, 2, 1)]
    assert desk.took() == []


def test_dry_run_of_a_running_job_says_so(ask_json, desk):
    desk.add_sql()
    with desk.hold():
        found = ask_json("run", "sales", "--dry-run")
    assert (found["would"], found["lock"]["state"]) == ("skip-running", "held")


def test_dry_run_stops_with_what_a_run_would_stop_with(ask_json, desk):
    desk.add("sales", desk.sql_file())
    found = ask_json("run", "sales", "--dry-run", status=4)
    assert found["error"]["code"] == "database-missing"


# ------------------------------------------------------------------ under a scheduler


def test_scheduled_run_is_silent(birkez, desk):
    desk.add_sql()
    told = birkez("run", "sales", "--trigger", "schedule")
    assert (told.returncode, told.stdout, told.stderr) == (0, "", "")
    assert len(desk.took()) == DAYS


def test_only_the_first_failure_of_a_streak_is_heard(birkez, desk):
    desk.add_sql(script="broken;")
    first, second = (birkez("run", "sales", "--trigger", "schedule") for _ in range(2))
    assert (first.returncode, second.returncode) == (1, 1)
    assert first.stdout + second.stdout == ""
    assert len(first.stderr.splitlines()) == 1
    assert "sales" in first.stderr
    assert second.stderr == ""


def test_scheduled_run_with_more_words_is_silent_too(birkez, desk):
    desk.add_sql()
    told = birkez("run", "sales", "--max-windows", "1", "--trigger", "schedule")
    assert (told.returncode, told.stdout, told.stderr) == (0, "", "")
    assert len(desk.took()) == 1


@pytest.mark.posix
def test_run_starts_as_cron_starts_it(birkez, desk):
    desk.add_sql("satis", title="Satış özeti", script="-- ğüşİ\nbroken;")
    environment = dict.fromkeys(birkez.environment()) | {
        "PATH": "/usr/bin:/bin",
        "HOME": str(desk.folder),
        "SHELL": "/bin/sh",
        "BIRKEZ_HOME": birkez.environment()["BIRKEZ_HOME"],
        "PYTHONPATH": birkez.environment()["PYTHONPATH"],
        "PYTHONUTF8": "0",
        "PYTHONCOERCECLOCALE": "0",
        "LC_ALL": "POSIX",
    }
    told = birkez("run", "satis", "--trigger", "schedule", env=environment, cwd="/")
    assert told.returncode == 1
    assert "satır" in told.stderr  # who gives no hint gets Turkish, whole
    assert "Traceback" not in told.stderr


# ----------------------------------------------------------------------- all jobs


def test_all_runs_every_enabled_job_and_the_worst_status_wins(birkez, ask_json, desk):
    desk.add_sql("good")
    desk.add("off", desk.sql_file("Off"))
    birkez("job", "disable", "off")
    desk.break_job("broken")
    told = birkez("run", "--all")
    assert told.returncode == 6
    assert [line for line in told.stdout.splitlines() if not line.startswith(" ")] == ["broken", "good"]
    assert len(desk.took()) == DAYS
    found = ask_json("run", "--all", status=6)
    assert [(job["job"], job["exit_status"]) for job in found["jobs"]] == [("broken", 6), ("good", 0)]


def test_all_by_schedule_is_silent(birkez, desk):
    desk.add_sql("good")
    told = birkez("run", "--all", "--trigger", "schedule")
    assert (told.returncode, told.stdout, told.stderr) == (0, "", "")
    assert len(desk.took()) == DAYS


def test_all_without_jobs_says_so(birkez):
    assert birkez("run", "--all").stdout == "There is no enabled job.\n"


@pytest.mark.posix
def test_stop_of_all_reaches_the_job_that_runs(birkez, desk):
    slow = json.dumps([sys.executable, "-c", "import time; time.sleep(60)"])
    desk.add("mail", desk.command_file(slow))
    process = birkez.start("run", "--all")
    wait_until(lambda: read_state(desk.places.lock_file("mail")).state == "held")
    process.send_signal(signal.SIGTERM)
    process.communicate(timeout=15)
    assert process.returncode == 143
    assert read_state(desk.places.lock_file("mail")).state == "idle"


# ------------------------------------------------------------------- pause, resume


def test_pause_and_resume(birkez, desk):
    desk.add_sql("one", title="One")
    desk.add_sql("two", title="Two")
    until = datetime.now(UTC).replace(microsecond=0) + timedelta(days=2)
    assert birkez("pause", "one", "--until", iso(until), env=TURKISH).returncode == 0
    assert read_pause(desk.places, "one", datetime.now(UTC)) == (until,)
    assert read_pause(desk.places, "two", datetime.now(UTC)) is None
    assert birkez("pause", "--all").returncode == 0
    assert read_pause(desk.places, "two", datetime.now(UTC)) == (None,)
    told = birkez("resume", "--all", env=TURKISH)
    assert told.returncode == 0
    assert len(told.stdout.splitlines()) == 2
    assert "not paused" in birkez("resume", "one").stdout


def test_pause_until_a_moment_that_is_over_is_refused(birkez, desk):
    desk.add_sql()
    told = birkez("pause", "sales", "--until", "2020-01-01T00:00:00Z")
    assert told.returncode == 2
    assert read_pause(desk.places, "sales", datetime.now(UTC)) is None


def test_pause_of_an_unknown_job_is_refused(birkez):
    assert birkez("pause", "nobody").returncode == 3


def wait_until(condition, seconds: float = 15) -> None:
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, "waited in vain"
        time.sleep(0.01)


@pytest.mark.posix
def test_command_that_outlives_its_run_is_told(birkez, ask_json, desk):
    script = "import os, time; open('pid', 'w').write(str(os.getpid())); time.sleep(60)"
    desk.add("mail", desk.command_file(json.dumps([sys.executable, "-c", script])))
    process = birkez.start("run", "mail")
    wait_until(lambda: (desk.folder / "pid").exists() and (desk.folder / "pid").read_text())
    process.kill()
    process.communicate()
    try:
        told = birkez("run", "mail")
        assert told.returncode == 0
        assert "still at work" in told.stdout
        assert ask_json("run", "mail", "--dry-run")["would"] == "skip-running"
        status = birkez("status", "mail").stdout
        assert status.count("still at work since") == 1
        assert f"(pid {(desk.folder / 'pid').read_text()}, key {key('mail', midnight(DAYS))})" in status
        assert "Not running" not in status
    finally:
        os.kill(int((desk.folder / "pid").read_text()), signal.SIGKILL)
