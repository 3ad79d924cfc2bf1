"""Jobs and settings move to another computer: nothing is lost in silence, and nothing starts by itself."""

from __future__ import annotations

import json
import shutil
import sys
import zipfile
from pathlib import Path

import pytest

from tests.cli.conftest import DAYS, iso, midnight
from trayapp.job import shelf
from trayapp.places import find_places
from trayapp.settings import change_settings, read_settings

PROGRAM = json.dumps([sys.executable, "-c", "pass"])


@pytest.fixture
def elsewhere(tmp_path, monkeypatch):
    """Let what follows happen on another computer; returns its places."""

    def go():
        monkeypatch.setenv("BIRKEZ_HOME", str(tmp_path / "other"))
        return find_places()

    return go


def test_settings_come_along_and_are_taken_over_only_if_wished(birkez, desk, elsewhere):
    desk.add_sql()
    change_settings(desk.places, history_days=30, notices=False)
    pack = desk.folder / "all.zip"
    assert "settings" in birkez("job", "export", pack).stdout
    there = elsewhere()
    told = birkez("job", "import", pack, "--from-start", "--no-schedule")
    assert "history_days = 30" in told.stdout
    assert read_settings(there).history_days == 400
    birkez("job", "remove", "sales")
    birkez("job", "import", pack, "--from-start", "--no-schedule", "--settings")
    assert (read_settings(there).history_days, read_settings(there).notices) == (30, False)


def test_named_jobs_go_without_the_settings(birkez, desk):
    desk.add_sql()
    birkez("job", "export", desk.folder / "one.zip", "sales")
    manifest = json.loads(zipfile.ZipFile(desk.folder / "one.zip").read("birkez.json"))
    assert manifest == {"format": 1, "jobs": ["sales"]}


def test_each_thing_that_is_missing_is_told_by_itself(birkez, desk, elsewhere):
    desk.add_sql()
    more = 'cwd = "mails"'
    desk.add("mail", desk.command_file('["no-such-program-here", "/no/such/list.csv"]'))
    desk.add("mail2", desk.command_file(PROGRAM, more))
    birkez("job", "export", desk.folder / "all.zip")
    desk.database.unlink()
    (desk.folder / "sum.sql").unlink()
    elsewhere()
    told = birkez("job", "import", desk.folder / "all.zip", "--check")
    assert told.returncode == 0, told.stderr
    for missing in ("sales.db", "sum.sql", "no-such-program-here", "/no/such/list.csv", "mails"):
        assert any(missing in line for line in told.stderr.splitlines()), missing
    assert f"{DAYS} periods have closed" in told.stdout
    assert "Nothing was changed" in told.stdout
    assert birkez("job", "list", "--json").stdout.count('"id"') == 0


def test_look_for_a_program_to_read(birkez, desk, elsewhere):
    desk.add_sql()
    desk.add("mail", desk.command_file('["no-such-program-here"]'))
    birkez("job", "export", desk.folder / "all.zip")
    elsewhere()
    found = json.loads(birkez("job", "import", desk.folder / "all.zip", "--check", "--json").stdout)
    mail, sales = found["jobs"]
    assert (mail["id"], mail["concerns"][0]["code"], mail["closed_periods"]) == ("mail", "command-not-found", DAYS)
    assert (sales["id"], sales["error"], sales["concerns"]) == ("sales", None, [])
    assert birkez("job", "import", desk.folder / "all.zip", "--json").returncode == 2


def test_job_without_its_password_comes_in_disabled(birkez, desk, elsewhere):
    desk.add("mail", desk.command_file(PROGRAM, 'env = { SMTP_PASS = "gizli123" }'))
    pack = desk.folder / "all.zip"
    told = birkez("job", "export", pack)
    assert "effect.env.SMTP_PASS" in told.stdout
    assert b"gizli123" not in zipfile.ZipFile(pack).read("mail.toml")
    there = elsewhere()
    told = birkez("job", "import", pack, "--from-start", "--schedule")
    assert "birkez job enable mail" in told.stderr
    (job,) = shelf.read_all(there)
    assert not job.enabled
    assert birkez("schedule", "list", "--json").stdout.count('"job": "mail"') == 0


def test_passwords_go_along_if_wished(birkez, desk, elsewhere):
    desk.add("mail", desk.command_file(PROGRAM, 'env = { SMTP_PASS = "gizli123" }'))
    told = birkez("job", "export", desk.folder / "all.zip", "--with-secrets")
    assert "give it to nobody" in told.stderr
    there = elsewhere()
    birkez("job", "import", desk.folder / "all.zip", "--from-start", "--no-schedule")
    (job,) = shelf.read_all(there)
    assert (job.effect.env, job.enabled) == ((("SMTP_PASS", "gizli123"),), True)


def test_job_file_that_is_none_stays_behind_and_others_go(birkez, desk):
    desk.add_sql()
    Path(desk.places.job_file("broken")).write_text("title = gizli", encoding="utf-8")
    told = birkez("job", "export", desk.folder / "all.zip")
    assert (told.returncode, "broken.toml" in told.stderr) == (6, True)
    assert sorted(zipfile.ZipFile(desk.folder / "all.zip").namelist()) == ["birkez.json", "sales.toml"]


def test_files_that_lie_in_another_folder_are_found_there(birkez, desk, elsewhere, tmp_path):
    desk.add_sql()
    birkez("job", "export", desk.folder / "all.zip")
    new = tmp_path / "yeni işler"
    shutil.copytree(desk.folder, new)
    desk.database.unlink()
    there = elsewhere()
    words = ("job", "import", new / "all.zip", "--from-start", "--no-schedule", "--folder")
    assert birkez(*words, "nonsense").returncode == 2
    assert birkez(*words, f"{desk.folder}={new}").stderr == ""
    (job,) = shelf.read_all(there)
    assert job.effect.database == str(new / "sales.db")
    assert birkez("run", "sales").returncode == 0


@pytest.mark.posix
def test_paths_of_windows_are_refused_with_the_way(birkez, desk):
    text = desk.sql_file().read_text(encoding="utf-8").replace('"sales.db"', r"'C:\İşler\sales.db'")
    (desk.folder / "sales.toml").write_text(text, encoding="utf-8")
    told = birkez("job", "import", desk.folder / "sales.toml", "--from-now")
    assert (told.returncode, "--folder OLD=NEW" in told.stderr) == (2, True)
    desk.make_database()
    moved = f"C:\\İşler={desk.folder}"
    assert birkez("job", "import", desk.folder / "sales.toml", "--from-now", "--folder", moved).returncode == 0


def test_file_of_a_newer_birkez_is_refused_in_words(birkez, desk):
    with zipfile.ZipFile(desk.folder / "new.zip", "w") as archive:
        archive.writestr("birkez.json", json.dumps({"format": 2, "jobs": ["a"]}))
        archive.writestr("a.toml", f'title = "a"\n[window]\nstep = "1h"\nstart = {iso(midnight())}\n')
    told = birkez("job", "import", desk.folder / "new.zip")
    assert (told.returncode, "newer Birkez" in told.stderr) == (4, True)
