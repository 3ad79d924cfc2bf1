from __future__ import annotations

import json
import os
import shutil
import sqlite3
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from tests.conftest import Birkez
from trayapp import doctor
from trayapp.ledger.ledger import FAILED, STARTED, UNCERTAIN, Taking
from trayapp.ledger.sqlite import open_sqlite_ledger
from trayapp.places import Places
from trayapp.window.grid import Window
from trayapp.wording.speech import sentence

JOB = "satis-ozet"
HOUR = datetime.now(UTC).replace(minute=0, second=0, microsecond=0) - timedelta(hours=2)


@pytest.fixture
def office(birkez_home: Places, tmp_path: Path) -> Places:
    """A healthy job on a database of its own."""
    connection = sqlite3.connect(tmp_path / "satis.db")
    connection.execute("CREATE TABLE ozet (saat)")
    connection.commit()
    connection.close()
    (tmp_path / "ozet.sql").write_text("INSERT INTO ozet VALUES (:start)", encoding="utf-8")
    Path(birkez_home.job_file(JOB)).write_text(
        f'title = "Özet"\n[window]\nstep = "1h"\nstart = {HOUR:%Y-%m-%dT%H:%M:%SZ}\n'
        f'[effect]\nkind = "sql"\ndatabase = "{(tmp_path / "satis.db").as_posix()}"\n'
        f'script = "{(tmp_path / "ozet.sql").as_posix()}"\n',
        encoding="utf-8",
    )
    return birkez_home


def found(places: Places) -> dict[str, doctor.Finding]:
    findings = doctor.examine(places)
    for finding in findings:
        said = sentence(finding.error)
        assert finding.code not in said, said
        assert "{" not in said, said
    return {finding.code: finding for finding in findings}


def record(places: Places, tmp_path: Path, state: str, owner: str = "") -> None:
    """Leave a window in *state*, as a run would."""
    ledger = open_sqlite_ledger(str(tmp_path / "satis.db"), owner=lambda: owner or "x")
    window = Window(HOUR, HOUR + timedelta(hours=1))
    key = f"{JOB}:{HOUR.isoformat()}"
    with ledger.transaction() as transaction:
        transaction.begin_job(JOB, HOUR)
        if state == FAILED:
            transaction.fail(JOB, window, key, Taking("run-1", "manual", HOUR, FAILED), "sql-failed")
        else:
            transaction.take(JOB, window, key, Taking("run-1", "manual", HOUR, STARTED))
            transaction.change(JOB, key, (STARTED,), state, "command-died", HOUR)
        transaction.commit()
    ledger.close()


def test_healthy_machine_has_no_problem(office: Places) -> None:
    findings = found(office)
    assert not [code for code, finding in findings.items() if finding.weight == "problem"]
    assert {"doctor-sqlite", "doctor-zones", "doctor-state-folder", "doctor-job"} <= findings.keys()


def test_looking_leaves_nothing_behind(office: Places, tmp_path: Path) -> None:
    found(office)
    before = {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file() and "history" not in path.name}
    found(office)
    after = {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file() and "history" not in path.name}
    assert after == before


def test_missing_database_and_script_are_found(office: Places, tmp_path: Path) -> None:
    (tmp_path / "satis.db").unlink()
    (tmp_path / "ozet.sql").unlink()
    findings = found(office)
    assert findings["database-missing"].job == findings["doctor-file-missing"].job == JOB
    assert not (tmp_path / "satis.db").exists()


def test_one_broken_job_file_hides_no_other_finding(office: Places) -> None:
    Path(office.job_file("bozuk")).write_text("", encoding="utf-8")
    assert {"job-file-empty", "doctor-job"} <= found(office).keys()


def test_uncertain_window_asks_for_a_decision(office: Places, tmp_path: Path) -> None:
    record(office, tmp_path, UNCERTAIN)
    finding = found(office)["doctor-uncertain"]
    assert finding.weight == "problem"
    assert finding.remedy[:2] == ("resolve", JOB)


def test_failing_window_is_told_with_its_count(office: Places, tmp_path: Path) -> None:
    record(office, tmp_path, FAILED)
    record(office, tmp_path, FAILED)
    assert found(office)["doctor-failing"].error.facts["count"] == 2


def test_job_whose_code_ends_the_process_without_a_word_is_noticed(
    office: Places, run_birkez: Birkez, tmp_path: Path
) -> None:
    (tmp_path / "is.py").write_text(
        "import os, signal\ndef process(window, tx): os.kill(os.getpid(), getattr(signal, 'SIGKILL', 9))",
        encoding="utf-8",
    )
    path = Path(office.job_file(JOB))
    text = path.read_text(encoding="utf-8").replace('kind = "sql"', 'kind = "python"')
    head, _, _ = text.partition("script")
    path.write_text(f'{head}callable = "{(tmp_path / "is.py").as_posix()}:process"\n', encoding="utf-8")
    for _ in range(2):
        run_birkez("run", JOB, "--trigger", "schedule")
    assert found(office)["doctor-cut-off"].error.facts["count"] == 2


def test_job_under_two_accounts_is_noticed(office: Places, tmp_path: Path) -> None:
    record(office, tmp_path, FAILED, "mehmet@kasa:/home/mehmet/.local/state/birkez")
    finding = found(office)["doctor-two-accounts"]
    assert finding.error.facts["others"] == ["mehmet@kasa:/home/mehmet/.local/state/birkez"]


def test_restored_ledger_names_the_command_that_accepts_it(office: Places, tmp_path: Path) -> None:
    record(office, tmp_path, FAILED)
    Path(office.seen_file(JOB)).write_text("another 7\n", encoding="utf-8")
    assert found(office)["ledger-other"].remedy[:3] == ("ledger", "accept", JOB)


def test_ledger_tables_that_somebody_changed_are_told(office: Places, tmp_path: Path) -> None:
    record(office, tmp_path, FAILED)
    connection = sqlite3.connect(tmp_path / "satis.db")
    connection.execute("DROP TABLE birkez_job")
    connection.commit()
    connection.close()
    assert found(office)["ledger-damaged"].weight == "problem"


def test_damaged_history_is_a_notice_and_no_problem(office: Places) -> None:
    Path(office.history_db).write_bytes(b"SQLite format 3\0" + b"x" * 5000)
    finding = found(office)["doctor-history-set-aside"]
    assert finding.weight == "warning"
    assert found(office)["doctor-job"].weight == "ok"


def test_backlog_is_told_only_when_runs_do_not_keep_up(office: Places) -> None:
    path = Path(office.job_file(JOB))
    text = path.read_text(encoding="utf-8")
    path.write_text(text.replace(f"{HOUR:%Y-%m-%dT%H}", f"{HOUR - timedelta(days=9):%Y-%m-%dT%H}"), encoding="utf-8")
    assert int(str(found(office)["doctor-backlog"].error.facts["count"])) > 200


def test_nearly_full_disk_is_a_notice(office: Places, monkeypatch: pytest.MonkeyPatch) -> None:
    usage = shutil.disk_usage(office.state)._replace(free=5 << 20)
    monkeypatch.setattr("shutil.disk_usage", lambda _path: usage)
    assert found(office)["doctor-disk-nearly-full"].error.facts["mebibytes"] == 5


@pytest.mark.posix
def test_state_folder_without_rights_is_a_problem(office: Places, run_birkez: Birkez) -> None:
    os.chmod(office.state, 0o500)
    try:
        done = run_birkez("doctor", "--json", powerless=True)
    finally:
        os.chmod(office.state, 0o700)
    assert done.returncode == 4
    assert "state-folder-unusable" in {finding["code"] for finding in json.loads(done.stdout)}


def test_command_tells_findings_in_both_languages(office: Places, run_birkez: Birkez, tmp_path: Path) -> None:
    healthy = run_birkez("doctor", env={"LANG": "tr_TR.UTF-8"})
    assert healthy.returncode == 0, healthy.stderr
    (tmp_path / "satis.db").unlink()
    done = run_birkez("doctor")
    assert done.returncode == 4
    assert "problem: " in done.stdout
    assert "satis.db" in done.stdout


def test_accepting_the_clock_lets_a_job_run_that_it_stopped(office: Places, run_birkez: Birkez, tmp_path: Path) -> None:
    record(office, tmp_path, FAILED)
    connection = sqlite3.connect(tmp_path / "satis.db")
    connection.execute("UPDATE birkez_ledger SET last_commit_s = last_commit_s - 500 * 86400")
    connection.execute("UPDATE birkez_window SET at_ms = at_ms - 500 * 86400000")
    connection.commit()
    connection.close()
    assert run_birkez("run", JOB).returncode == 4
    assert run_birkez("doctor", "--accept-clock").returncode in (0, 4)
    assert run_birkez("run", JOB).returncode == 0
