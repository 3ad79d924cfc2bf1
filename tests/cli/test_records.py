from __future__ import annotations

import os
import shlex
import subprocess
from pathlib import Path

import pytest

from tests.cli.conftest import DAYS, TURKISH, iso, midnight


@pytest.fixture
def ran_twice(birkez, desk):
    """A job that did its work and then had none."""
    desk.add_sql()
    birkez("run", "sales")
    birkez("run", "sales", "--trigger", "schedule")
    return desk


def test_log_shows_the_newest_lines_as_they_are(birkez, ran_twice):
    lines = birkez("log", "sales", "-n", "2", env=TURKISH).stdout.splitlines()
    assert [line.split()[1] for line in lines] == ["ISLENDI", "ATLANDI"]
    assert "\x1b" not in "".join(lines)


def test_log_of_all_jobs_is_in_the_order_of_time(birkez, ran_twice):
    ran_twice.add("other", ran_twice.sql_file("Other", script="broken;", name="other.toml"))
    birkez("run", "other")
    birkez("run", "sales")
    lines = birkez("log").stdout.splitlines()
    assert lines == sorted(lines, key=lambda line: line.split()[0])
    assert [line.split()[1] for line in lines][-2:] == ["HATA", "ATLANDI"]


def test_log_hides_what_would_move_the_cursor(birkez, desk):
    desk.add_sql()
    with open(desk.places.log_file("sales"), "w", encoding="utf-8") as file:
        file.write("2026-09-04T12:05:01.123Z HATA ileti=\x1b[2J\n")
    assert birkez("log", "sales").stdout == "2026-09-04T12:05:01.123Z HATA ileti=\\x1b[2J\n"


def test_log_follows_new_lines(birkez, ran_twice):
    process = birkez.start("log", "sales", "-f", "-n", "1")
    assert "kapanmis pencere yok" in process.stdout.readline()
    birkez("run", "sales")
    assert "tetik=elle" in process.stdout.readline()
    process.kill()
    process.communicate()


def test_log_shows_what_still_starts_a_job_that_is_gone(birkez, desk):
    desk.add_sql()
    birkez("run", "sales")
    birkez("job", "remove", "sales")
    for job_id in ("sales", "nobody"):
        assert birkez("run", job_id, "--trigger", "schedule").returncode == 3
    lines = birkez("log", "nobody").stdout.splitlines()
    assert ["is=nobody" in line and "sebep=no-such-job" in line for line in lines] == [True]
    tokens = [line.split()[1] for line in birkez("log", "sales").stdout.splitlines()]
    assert tokens == ["ISLENDI"] * DAYS + ["HATA"]
    assert birkez("log", "others").returncode == 3


def test_log_of_an_unknown_job_is_refused(birkez):
    assert birkez("log", "nobody").returncode == 3


def test_history_shows_the_names_that_run_asks_for(birkez, ask_json, ran_twice):
    names = [run["run"] for run in ask_json("history")["runs"]]
    lines = birkez("history", "--long").stdout.splitlines()
    assert [line.split()[-1] for line in lines] == ["run", *names]
    assert names[0] not in birkez("history").stdout
    assert names[0] in birkez("history", "--run", names[0]).stdout.splitlines()[1]


@pytest.mark.posix
def test_reader_that_leaves_early_is_no_trouble(birkez, desk):
    desk.add_sql()
    with open(desk.places.log_file("sales"), "w", encoding="utf-8") as file:
        file.writelines(f"2026-09-04T12:05:01.123Z ATLANDI number={number}\n" for number in range(5000))
    command = shlex.join(birkez.argv("log", "sales", "-n", "5000")) + " | head -1; echo ${PIPESTATUS[0]}"
    ended = subprocess.run(
        ["bash", "-c", command], env=birkez.environment(), capture_output=True, encoding="utf-8", check=False
    )
    assert ended.stderr == ""
    assert ended.stdout.splitlines()[-1] == "0"


def test_history_shows_the_runs_newest_first(birkez, ask_json, ran_twice):
    told = birkez("history", "sales", env=TURKISH)
    assert told.returncode == 0, told.stderr
    assert len(told.stdout.splitlines()) == 3
    runs = ask_json("history", "sales")["runs"]
    assert [(run["outcome"], run["trigger"], run["windows"]) for run in runs] == [
        ("skipped", "schedule", 0),
        ("done", "manual", DAYS),
    ]


@pytest.mark.parametrize(
    ("words", "outcomes"),
    [
        (["--outcome", "done"], ["done"]),
        (["--trigger", "schedule"], ["skipped"]),
        (["-n", "1"], ["skipped"]),
        (["--until", "2020-01-01T00:00:00Z"], []),
        (["--since", "2020-01-01T00:00:00Z"], ["skipped", "done"]),
        (["--text", "KAPANMIS"], ["skipped"]),
        (["--text", "no period has CLOSED"], ["skipped"]),
    ],
)
def test_history_is_filtered(ask_json, ran_twice, words, outcomes):
    assert [run["outcome"] for run in ask_json("history", *words)["runs"]] == outcomes


def test_one_run_is_shown_with_its_periods_and_lines(birkez, ask_json, ran_twice):
    run = ask_json("history", "--outcome", "done")["runs"][0]["run"]
    found = ask_json("history", "--run", run)
    assert [window["start"] for window in found["windows"]] == [iso(midnight(days)) for days in (3, 2, 1)]
    assert len(found["lines"]) == DAYS
    assert "ISLENDI" in birkez("history", "--run", run).stdout
    assert birkez("history", "--run", "none").returncode == 2


def test_csv_opens_in_the_spreadsheet_of_the_language(birkez, ran_twice):
    path = ran_twice.folder / "runs.csv"
    told = birkez("history", "--csv", path, env=TURKISH)
    assert told.returncode == 0, told.stderr
    data = path.read_bytes()
    assert data.startswith(b"\xef\xbb\xbf")
    assert [line.count(";") for line in data.decode("utf-8-sig").splitlines()] == [14, 14, 14]
    assert not list(ran_twice.folder.glob("*.part"))


def test_csv_that_cannot_be_written_is_told(birkez, ran_twice):
    told = birkez("history", "--csv", ran_twice.folder / "none" / "runs.csv")
    assert told.returncode == 4
    assert "runs.csv" in told.stderr


def test_history_before_the_first_run_is_empty_and_makes_no_file(birkez, desk):
    assert birkez("history").returncode == 0
    assert not os.path.exists(desk.places.history_db)


def test_history_of_an_unknown_job_is_refused(birkez):
    assert birkez("history", "nobody").returncode == 3


def test_log_folder_that_is_a_file_is_told(birkez, birkez_home):
    folder = Path(birkez_home.common_log).parent
    folder.rmdir()
    folder.touch()
    done = birkez("log")
    assert done.returncode == 4
    assert str(folder) in done.stderr
