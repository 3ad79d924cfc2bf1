from __future__ import annotations

import json
import shutil
import sqlite3
import sys
import threading
import zipfile
from pathlib import Path

import pytest

from tests.conftest import Birkez
from tests.ledger.contract import JOB, NINE, do_hour, states
from trayapp import backup
from trayapp.clock import now
from trayapp.errors import BirkezError, SetupError, StateError
from trayapp.ledger.sqlite import open_sqlite_ledger
from trayapp.ledger.sqlite_file import create_database
from trayapp.lock.holder import own_holder
from trayapp.lock.job_lock import acquire
from trayapp.places import Places

JOB_FILE = f"""title = "Gönder"
[window]
step = "1h"
start = {NINE:%Y-%m-%dT%H:%M:%SZ}
[effect]
kind = "command"
argv = [{json.dumps(sys.executable)}, "-c", "pass"]
"""


@pytest.fixture
def office(birkez_home: Places) -> Places:
    """One command job whose ledger knows two windows."""
    Path(birkez_home.job_file(JOB)).write_text(JOB_FILE, encoding="utf-8")
    Path(birkez_home.seen_file(JOB)).write_text("identity 2\n", encoding="utf-8")
    create_database(birkez_home.ledger_db)
    ledger = open_sqlite_ledger(birkez_home.ledger_db)
    assert do_hour(ledger, 0)
    assert do_hour(ledger, 1)
    ledger.close()
    return birkez_home


@pytest.fixture
def other(tmp_path: Path) -> Places:
    return Places(str(tmp_path / "yeni" / "config"), str(tmp_path / "yeni" / "state"))


def code_of(places: Places, path: Path) -> str:
    with pytest.raises(BirkezError) as caught:
        backup.restore(places, str(path))
    return caught.value.code


def test_backup_brought_back_elsewhere_holds_everything(office: Places, other: Places, tmp_path: Path) -> None:
    Path(office.settings_file).write_text('language = "tr"\n', encoding="utf-8")
    Path(office.pause_file(JOB)).write_text("", encoding="utf-8")
    made = backup.back_up(office, str(tmp_path / "yedek.zip"))
    assert made.jobs == (JOB,)
    assert backup.restore(other, str(tmp_path / "yedek.zip")).made_at == made.made_at.replace(microsecond=0)
    for path in ("job_file", "pause_file"):
        assert Path(getattr(other, path)(JOB)).read_bytes() == Path(getattr(office, path)(JOB)).read_bytes()
    assert Path(other.settings_file).read_text(encoding="utf-8") == 'language = "tr"\n'
    ledger = open_sqlite_ledger(other.ledger_db)
    assert len(states(ledger)) == 2
    ledger.close()


def test_backup_while_a_run_writes_is_whole_and_holds_the_last_commit(office: Places, tmp_path: Path) -> None:
    """P63: a copy of the file misses or tears what stands in the WAL."""
    ended, committed = threading.Event(), [2]

    def keep_writing() -> None:
        ledger = open_sqlite_ledger(office.ledger_db)
        while not ended.is_set():
            assert do_hour(ledger, committed[-1])
            committed.append(committed[-1] + 1)
        ledger.close()

    writer = threading.Thread(target=keep_writing)
    writer.start()
    try:
        for number in range(5):
            before = committed[-1]
            backup.back_up(office, str(tmp_path / f"yedek-{number}.zip"))
            with zipfile.ZipFile(tmp_path / f"yedek-{number}.zip") as archive:
                copy = archive.extract("state/ledger.db", tmp_path / str(number))
            connection = sqlite3.connect(copy)
            assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)
            assert connection.execute("SELECT count(*) FROM birkez_window").fetchone()[0] >= before
            connection.close()
    finally:
        ended.set()
        writer.join()


def test_restored_ledger_is_older_than_what_is_remembered(office: Places, tmp_path: Path) -> None:
    backup.back_up(office, str(tmp_path / "yedek.zip"))
    ledger = open_sqlite_ledger(office.ledger_db)
    assert do_hour(ledger, 2)
    mark = ledger.mark()
    assert mark is not None
    remembered = f"{mark.identity} {mark.commits}\n"
    Path(office.seen_file(JOB)).write_text(remembered, encoding="utf-8")
    backup.restore(office, str(tmp_path / "yedek.zip"))  # while a reader has the database open
    assert Path(office.seen_file(JOB)).read_text(encoding="utf-8") == remembered
    assert len(states(ledger)) == 2
    ledger.close()
    assert not [path for path in Path(office.state).iterdir() if path.name.endswith(".part")]


def test_ledger_of_commands_that_nobody_remembers_stops_its_jobs_after_a_restore(
    office: Places, other: Places, run_birkez: Birkez, tmp_path: Path
) -> None:
    """A new computer: what was sent after the backup was made, nobody can know there."""
    backup.back_up(office, str(tmp_path / "yedek.zip"))
    ledger = open_sqlite_ledger(office.ledger_db)
    assert do_hour(ledger, 2)  # sent since, and lost with the old computer
    ledger.close()
    shutil.rmtree(office.state)
    shutil.rmtree(office.config)
    backup.restore(office, str(tmp_path / "yedek.zip"))
    stopped = run_birkez("run", JOB)
    assert stopped.returncode == 4, stopped.stdout
    assert "accept" in stopped.stderr + stopped.stdout
    assert run_birkez("ledger", "accept", JOB, "--reason", "baktım").returncode == 0
    assert run_birkez("run", JOB, "--max-windows", "1").returncode == 0


def test_restore_of_what_is_there_already_stops_nothing(office: Places, run_birkez: Birkez, tmp_path: Path) -> None:
    ledger = open_sqlite_ledger(office.ledger_db)
    mark = ledger.mark()
    ledger.close()
    assert mark is not None
    Path(office.seen_file(JOB)).write_text(f"{mark.identity} {mark.commits}\n", encoding="utf-8")
    backup.back_up(office, str(tmp_path / "yedek.zip"))
    backup.restore(office, str(tmp_path / "yedek.zip"))
    assert run_birkez("run", JOB, "--max-windows", "1").returncode == 0


def test_nothing_is_restored_while_a_job_runs(office: Places, tmp_path: Path) -> None:
    backup.back_up(office, str(tmp_path / "yedek.zip"))
    Path(office.job_file(JOB)).write_text(JOB_FILE + "# yeni\n", encoding="utf-8")
    with acquire(office.lock_file(JOB), own_holder("run-1", "manual", now())):
        assert code_of(office, tmp_path / "yedek.zip") == "job-running"
    assert Path(office.job_file(JOB)).read_text(encoding="utf-8").endswith("# yeni\n")


def test_backup_is_never_written_over_a_file(office: Places, tmp_path: Path) -> None:
    (tmp_path / "yedek.zip").write_text("önemli", encoding="utf-8")
    with pytest.raises(SetupError, match="backup-exists"):
        backup.back_up(office, str(tmp_path / "yedek.zip"))
    assert (tmp_path / "yedek.zip").read_text(encoding="utf-8") == "önemli"


def test_backup_that_cannot_be_written_leaves_nothing(office: Places, tmp_path: Path) -> None:
    with pytest.raises(SetupError, match="backup-unwritable"):
        backup.back_up(office, str(tmp_path / "yok" / "yedek.zip"))
    assert not (tmp_path / "yok").exists()


def test_what_is_no_backup_is_told_and_changes_nothing(office: Places, tmp_path: Path) -> None:
    before = Path(office.ledger_db).read_bytes()
    path = tmp_path / "yedek.zip"
    assert code_of(office, path) == "backup-missing"
    path.write_bytes(b"")
    assert code_of(office, path) == "backup-unreadable"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("baska.txt", "x")
    assert code_of(office, path) == "backup-unreadable"
    path.unlink()
    backup.back_up(office, str(path))
    path.write_bytes(path.read_bytes()[:-200])
    assert code_of(office, path) == "backup-unreadable"
    assert Path(office.ledger_db).read_bytes() == before


def test_newer_backup_is_refused(office: Places, tmp_path: Path) -> None:
    path = tmp_path / "yedek.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("birkez.json", json.dumps({"format": 2, "made_at": "2030-01-01T00:00:00Z", "jobs": []}))
    with pytest.raises(StateError, match="backup-newer"):
        backup.restore(office, str(path))


@pytest.mark.parametrize(
    "name", ["jobs/../../kotu.toml", "../kotu", "seen/../../x", "/kotu", "jobs/a/b.toml", "state/x.db"]
)
def test_member_outside_its_place_is_not_written(office: Places, tmp_path: Path, name: str) -> None:
    path = tmp_path / "yedek.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr(
            "birkez.json", json.dumps({"format": 1, "made_at": "2026-01-01T00:00:00Z", "jobs": ["../../x"]})
        )
        archive.writestr(name, "x")
    before = sorted(tmp_path.rglob("*"))
    backup.restore(office, str(path))
    assert {made.suffix for made in set(tmp_path.rglob("*")) - set(before)} <= {".lock"}


def test_both_commands_answer_in_words(office: Places, run_birkez, tmp_path: Path) -> None:
    done = run_birkez("backup", tmp_path / "yedek.zip", env={"LANG": "tr_TR.UTF-8"})
    assert done.returncode == 0, done.stderr
    assert "yedek.zip" in done.stdout
    asked = run_birkez("restore", tmp_path / "yedek.zip")
    assert asked.returncode == 2
    assert "--yes" in asked.stderr
    assert run_birkez("restore", tmp_path / "yedek.zip", "--yes").returncode == 0
