from __future__ import annotations

import json
import sqlite3
import subprocess
import sys
import zipfile

import pytest

from tests.cli.conftest import DAYS, TURKISH, iso, midnight, on_a_terminal
from trayapp.job import shelf
from trayapp.job.file import parse_job
from trayapp.job.pause import pause
from trayapp.job.schedule import Every

# ------------------------------------------------------------------------- add


def test_added_job_says_its_name_and_where_it_begins(birkez, desk):
    desk.make_database()
    told = birkez("job", "add", desk.sql_file("Saatlik satış özeti"))
    assert told.returncode == 0, told.stderr
    assert "saatlik-satis-ozeti" in told.stdout
    assert midnight(DAYS).strftime("%d.%m.%Y 00:00") in told.stdout
    assert shelf.job_ids(desk.places) == ["saatlik-satis-ozeti"]


def test_start_left_out_becomes_the_grid_line_of_now(birkez, desk):
    desk.make_database()
    birkez("job", "add", desk.sql_file(window="max_per_run = 5"), "--id", "sales")
    assert f"start = {iso(midnight())}" in desk.job_text("sales")


def test_relative_paths_are_kept_when_the_file_moves(birkez, desk, tmp_path):
    desk.make_database()
    birkez("job", "add", desk.sql_file(), "--id", "sales", cwd=tmp_path)
    told = birkez("run", "sales", cwd="/")
    assert told.returncode == 0, told.stderr
    assert len(desk.took()) == DAYS


def test_alike_titles_are_jobs_of_their_own(birkez, desk):
    desk.make_database()
    for number, title in enumerate(["İade", "iade", "Iade!", "Sipariş", "Siparis"]):
        told = birkez("job", "add", desk.sql_file(title, name=f"{number}.toml"))
        assert told.returncode == 0, told.stderr
    assert sorted(shelf.job_ids(desk.places)) == ["iade", "iade-2", "iade-3", "siparis", "siparis-2"]


def test_taken_name_is_refused_and_a_free_one_proposed(birkez, desk):
    desk.add_sql("sales")
    told = birkez("job", "add", desk.sql_file("Other"), "--id", "sales")
    assert told.returncode == 2
    assert "sales-2" in told.stderr
    assert shelf.job_ids(desk.places) == ["sales"]


def test_file_added_twice_is_refused(birkez, desk):
    desk.add_sql("sales")
    told = birkez("job", "add", desk.sql_file())
    assert told.returncode == 2
    assert "the same work" in told.stderr


def test_database_is_made_only_when_asked(birkez, desk):
    told = birkez("job", "add", desk.sql_file(), "--id", "sales")
    assert told.returncode == 0
    assert "--create-database" in told.stderr
    assert birkez("run", "sales").returncode == 4
    assert not desk.database.exists()
    assert birkez("job", "add", desk.sql_file(), "--create-database").returncode == 0
    assert desk.database.exists()


def test_database_that_exists_is_not_made_again(birkez, desk):
    desk.make_database()
    told = birkez("job", "add", desk.sql_file(), "--id", "sales", "--create-database")
    assert told.returncode == 4
    assert shelf.job_ids(desk.places) == []


def test_name_used_before_asks_what_its_ledger_means(birkez, desk):
    desk.add_sql()
    birkez("run", "sales")
    assert birkez("job", "remove", "sales").returncode == 0
    told = birkez("job", "add", desk.sql_file(), "--id", "sales")
    assert told.returncode == 2
    assert "--go-on" in told.stderr
    assert "--forget" in told.stderr
    assert birkez("job", "add", desk.sql_file(), "--id", "sales", "--go-on").returncode == 0
    birkez("run", "sales")
    assert len(desk.took()) == DAYS


def test_name_used_before_can_begin_anew(birkez, desk):
    desk.add_sql()
    birkez("run", "sales")
    birkez("job", "remove", "sales")
    told = birkez("job", "add", desk.sql_file(), "--id", "sales", "--forget")
    assert (told.returncode, f"{DAYS} periods" in told.stderr, "--yes" in told.stderr) == (2, True, True)
    assert shelf.job_ids(desk.places) == []
    told = birkez("job", "add", desk.sql_file(), "--id", "sales", "--forget", "--yes")
    assert told.returncode == 0, told.stderr
    birkez("run", "sales")
    assert len(desk.took()) == 2 * DAYS


def test_forgetting_what_the_new_job_does_not_meet_needs_no_leave(birkez, desk):
    desk.add_sql()
    birkez("run", "sales")
    birkez("job", "remove", "sales")
    path = desk.sql_file(window=f"start = {iso(midnight())}")
    assert birkez("job", "add", path, "--id", "sales", "--forget").returncode == 0


@pytest.mark.posix
@pytest.mark.parametrize(("answer", "status"), [("y", 0), ("n", 2)])
def test_forgetting_asks_on_a_terminal(birkez, desk, answer, status):
    desk.add_sql()
    birkez("run", "sales")
    birkez("job", "remove", "sales")
    said, returncode = on_a_terminal(birkez, answer, "job", "add", str(desk.sql_file()), "--id", "sales", "--forget")
    assert (returncode, f"{DAYS} periods" in said) == (status, True), said


def test_name_used_before_with_another_database_is_not_measured_by_the_old_one(birkez, desk):
    desk.add_sql()
    birkez("run", "sales")
    birkez("job", "remove", "sales")
    desk.database.unlink()
    desk.make_database()
    assert birkez("job", "add", desk.sql_file(), "--id", "sales").returncode == 0
    assert birkez("run", "sales").returncode == 0


@pytest.mark.parametrize(
    ("content", "shown"),
    [
        ("", "is empty"),
        ("[window]\n", "[effect]"),
        ('[window]\nstep = "45m"\n[effect]\nkind="sql"\ndatabase="a"\nscript="b"', "45m"),
        ('[window]\nstep = "1h"\nstart = 2026-09-04T10:00:00\n[effect]\nkind="sql"\ndatabase="a"\nscript="b"', "start"),
        ('[window]\nstep = "1d"\ntimezone = "Europe/Ankara"\n[effect]\nkind="sql"\ndatabase="a"\nscript="b"', "Ankara"),
        ('[window]\nstep = "1h"\nstepp = 1\n[effect]\nkind="sql"\ndatabase="a"\nscript="b"', "stepp"),
    ],
)
def test_invalid_file_is_refused_with_its_name_and_what_is_wrong(birkez, desk, content, shown):
    path = desk.folder / "bad.toml"
    path.write_text(content, encoding="utf-8")
    told = birkez("job", "validate", path)
    assert told.returncode == 6
    assert "bad.toml" in told.stderr
    assert shown in told.stderr


def test_missing_file_is_told(birkez, desk):
    told = birkez("job", "add", desk.folder / "none.toml")
    assert (told.returncode, "none.toml" in told.stderr) == (6, True)


# -------------------------------------------------------------- list, show, check


def test_list_shows_each_job_and_its_state(birkez, ask_json, desk):
    desk.add_sql("one", title="One")
    desk.add_sql("two", title="Two")
    pause(desk.places, "two", None)
    birkez("job", "disable", "one")
    lines = birkez("job", "list").stdout.splitlines()
    said = "every hour on the hour"
    assert [" ".join(line.split()) for line in lines] == [f"one disabled {said} One", f"two paused {said} Two"]
    assert [(job["id"], job["enabled"], job["paused"]) for job in ask_json("job", "list")["jobs"]] == [
        ("one", False, False),
        ("two", True, True),
    ]


def test_broken_file_hides_no_other_job(birkez, ask_json, desk):
    desk.add_sql("good")
    desk.break_job("broken")
    told = birkez("job", "list", env=TURKISH)
    assert told.returncode == 0
    assert "good" in told.stdout
    assert "broken.toml" in told.stderr
    assert {job["id"]: job["valid"] for job in ask_json("job", "list")["jobs"]} == {"broken": False, "good": True}


def test_no_jobs_yet_names_the_next_step(birkez):
    assert "birkez demo" in birkez("job", "list").stdout


def test_job_is_shown_with_what_it_does(birkez, ask_json, desk):
    desk.add_sql()
    told = birkez("job", "show", "sales", env=TURKISH)
    assert told.returncode == 0, told.stderr
    assert str(desk.folder / "sum.sql") in told.stdout
    shown = ask_json("job", "show", "sales")
    assert shown["effect"]["kind"] == "sql"
    assert shown["window"]["start"] == iso(midnight(DAYS))
    assert shown["schedule"]["minutes"] == 60


def test_secret_values_of_a_command_are_not_shown(birkez, desk):
    desk.add("mail", desk.command_file('["true"]', 'env = { PASSWORD = "s3cret" }'))
    assert "s3cret" not in birkez("job", "show", "mail").stdout + birkez("job", "show", "mail", "--json").stdout


def test_valid_file_is_told_with_what_would_stop_it(birkez, desk):
    told = birkez("job", "validate", desk.sql_file())
    assert told.returncode == 0
    assert "sales.db" in told.stderr


def test_validation_answers_programs(ask_json, desk):
    path = str(desk.sql_file())
    assert [concern["code"] for concern in ask_json("job", "validate", path)["concerns"]] == ["database-missing"]
    (desk.folder / "bad.toml").write_text("x", encoding="utf-8")
    found = ask_json("job", "validate", str(desk.folder / "bad.toml"), status=6)
    assert (found["valid"], found["error"]["code"]) == (False, "job-file-not-toml")


# ------------------------------------------------------------------------ change


def test_disabling_keeps_the_rest_of_the_file(birkez, desk):
    desk.add_sql()
    before = desk.job_text("sales")
    birkez("job", "disable", "sales")
    assert "enabled = false" in desk.job_text("sales")
    assert birkez("job", "enable", "sales", env=TURKISH).returncode == 0
    assert "enabled = true" in desk.job_text("sales")
    assert set(before.splitlines()) < set(desk.job_text("sales").splitlines())


def test_removed_job_keeps_what_it_did(birkez, desk):
    desk.add_sql()
    birkez("run", "sales")
    assert birkez("job", "remove", "sales", env=TURKISH).returncode == 0
    assert shelf.job_ids(desk.places) == []
    connection = sqlite3.connect(desk.database)
    assert connection.execute("SELECT count(*) FROM birkez_window").fetchone() == (DAYS,)
    connection.close()
    assert "ISLENDI" in birkez("log", "sales").stdout


def test_removed_job_can_be_forgotten(birkez, desk):
    desk.add_sql()
    birkez("run", "sales")
    assert birkez("job", "remove", "sales", "--forget").returncode == 0
    assert birkez("job", "add", desk.sql_file(), "--id", "sales").returncode == 0


@pytest.mark.parametrize("has_ledger", [True, False])
def test_job_that_never_ran_is_removed_with_nothing_to_forget(birkez, desk, has_ledger):
    desk.add_sql()
    if has_ledger:
        desk.add("other", desk.sql_file("Other", name="other.toml"))
        birkez("run", "other")
    told = birkez("job", "remove", "sales", "--forget")
    assert (told.returncode, "never run" in told.stdout) == (0, True), told
    assert "sales" not in shelf.job_ids(desk.places)


def test_job_without_its_database_that_never_ran_is_removed(birkez, desk):
    desk.add("sales", desk.sql_file())
    assert birkez("job", "remove", "sales", "--forget").returncode == 0
    assert shelf.job_ids(desk.places) == []


def test_nothing_is_forgotten_where_the_database_of_a_job_that_ran_is_missing(birkez, desk):
    desk.add_sql()
    birkez("run", "sales")
    desk.database.rename(desk.folder / "elsewhere.db")
    assert birkez("job", "remove", "sales", "--forget").returncode == 4
    assert shelf.job_ids(desk.places) == ["sales"]


def test_running_job_is_not_removed(birkez, desk):
    desk.add_sql()
    with desk.hold():
        told = birkez("job", "remove", "sales")
    assert told.returncode == 4
    assert "running" in told.stderr
    assert shelf.job_ids(desk.places) == ["sales"]


def test_jobs_travel_to_another_computer(birkez, desk, tmp_path, monkeypatch):
    desk.add_sql("one", title="One")
    desk.add_sql("two", title="Two")
    pack = desk.folder / "jobs.zip"
    assert birkez("job", "export", pack).returncode == 0
    assert sorted(zipfile.ZipFile(pack).namelist()) == ["birkez.json", "one.toml", "two.toml"]
    monkeypatch.setenv("BIRKEZ_HOME", str(tmp_path / "other"))
    told = birkez("job", "import", pack, "--from-start", env=TURKISH)
    assert told.returncode == 0, told.stderr
    assert [line.split()[0] for line in birkez("job", "list").stdout.splitlines()] == ["one", "two"]


def test_import_of_a_taken_name_needs_another(birkez, desk):
    desk.add_sql("one")
    pack = desk.folder / "one.toml"
    birkez("job", "export", pack, "one")
    told = birkez("job", "import", pack)
    assert told.returncode == 2
    assert "one-2" in told.stderr
    assert birkez("job", "import", pack, "--as", "uno", "--from-now").returncode == 0
    assert shelf.job_ids(desk.places) == ["one", "uno"]


def test_import_of_a_name_used_before_proposes_an_option_of_import(birkez, desk):
    desk.add_sql("one", title="One")
    desk.add_sql("two", title="Two")
    birkez("run", "--all")
    pack, alone = desk.folder / "jobs.zip", desk.folder / "one.toml"
    birkez("job", "export", pack)
    birkez("job", "export", alone, "one")
    birkez("job", "remove", "one")
    birkez("job", "remove", "two", "--forget")
    told = birkez("job", "import", pack, "--from-start")
    assert told.returncode == 2
    assert "--as one-2" in told.stderr
    assert "--id" not in told.stderr
    assert "Nothing was added" not in told.stderr  # the other one was
    assert "1 job was added" in told.stdout
    assert birkez("job", "import", alone, "--as", "one-2", "--from-start").returncode == 0


MAIL = json.dumps([sys.executable, "-c", "open('sent', 'a').write('mail ')"])


def mails(desk) -> list[str]:
    return (desk.folder / "sent").read_text(encoding="utf-8").split()


@pytest.mark.parametrize(("begin", "done"), [("--from-start", DAYS), ("--from-now", 0)])
def test_imported_command_that_no_ledger_knows_asks_where_it_begins(birkez, desk, tmp_path, monkeypatch, begin, done):
    desk.add("mail", desk.command_file(MAIL))
    birkez("run", "mail")
    assert len(mails(desk)) == DAYS
    pack = desk.folder / "mail.toml"
    birkez("job", "export", pack, "mail")
    monkeypatch.setenv("BIRKEZ_HOME", str(tmp_path / "other"))
    unasked = birkez("job", "import", pack)
    assert (unasked.returncode, f"{DAYS} periods have closed" in unasked.stderr) == (2, True)
    assert birkez("job", "list", "--json").stdout.count('"id"') == 0
    told = birkez("job", "import", pack, begin)
    assert told.returncode == 0, told.stderr
    birkez("run", "mail")
    assert len(mails(desk)) == DAYS + done


def test_import_of_a_job_that_does_the_same_as_another_is_refused(birkez, desk):
    desk.add("mail", desk.command_file(MAIL))
    pack = desk.folder / "posta.toml"
    birkez("job", "export", pack, "mail")
    told = birkez("job", "import", pack, "--from-start")
    assert (told.returncode, "--as posta" in told.stderr) == (2, True)
    assert shelf.job_ids(desk.places) == ["mail"]


@pytest.mark.parametrize(("lateness", "offset"), [('"0s"', 0), ('"90s"', 2), ('"5m"', 5), ('"1h"', 0)])
def test_new_job_starts_when_its_records_are_complete(birkez, desk, lateness, offset):
    desk.make_database()
    file = desk.sql_file(script="SELECT 1")
    file.write_text(file.read_text(encoding="utf-8").replace('"0s"', lateness), encoding="utf-8")
    birkez("job", "add", file, "--id", "sales")
    assert parse_job(desk.job_text("sales"), desk.places.job_file("sales"), "sales").schedule == Every(60, offset)


# -------------------------------------------------------------- what starts it


@pytest.mark.posix
def test_line_for_the_crontab_starts_the_job(birkez, desk):
    desk.make_database()
    added = birkez("job", "add", desk.sql_file(), "--id", "sales")
    line = next(line for line in added.stdout.splitlines() if "--trigger schedule" in line)
    assert line in birkez("job", "show", "sales").stdout
    command = line.strip().removeprefix("0 * * * * ")
    bare = {"PATH": "/usr/bin:/bin", "PYTHONPATH": birkez.environment()["PYTHONPATH"]}  # cron's, and our checkout
    subprocess.run(["/bin/sh", "-c", command], env=bare, check=True)
    assert len(desk.took()) == DAYS


def test_job_without_a_schedule_promises_no_start(birkez, desk):
    desk.add("mail", desk.command_file('["true"]'))
    assert "crontab" not in birkez("job", "show", "mail").stdout


def test_faulty_job_file_names_the_help(birkez, desk):
    path = desk.sql_file(window="stepp = 1")
    for command in ("add", "validate"):
        assert "birkez help job-file" in birkez("job", command, path).stderr
        assert "birkez help job-file" in birkez("job", command, "--help").stdout
    assert "birkez help" not in birkez("job", "validate", desk.folder / "none.toml").stderr


def test_a_missing_database_is_told_with_what_will_happen_and_the_way_out(desk, birkez):
    path = desk.sql_file()
    added = birkez("job", "add", str(path), "--id", "named", "--no-schedule")
    assert added.returncode == 0
    assert "sales.db is not there" in added.stderr
    command = f"birkez job add {path} --id named --create-database"
    assert command in added.stdout
    assert birkez("run", "named").returncode == 4
    made = birkez(*command.split()[1:])
    assert made.returncode == 0, made
    assert desk.database.exists()
    again = birkez("job", "add", str(path), "--id", "named")
    assert again.returncode != 0


def test_a_name_that_no_job_has_is_answered_without_talk_of_schedules(desk, birkez):
    told = birkez("run", "nothing").stderr
    assert "no other one yet" in told
    desk.add_sql()
    told = birkez("run", "quite-other").stderr
    assert "birkez job list" in told
    assert "schedule" not in told
