"""The contract on SQLite, and what is SQLite's own: files, schema, other writers."""

from __future__ import annotations

import os
import sqlite3
import subprocess
import sys
import threading
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from tests.ledger import contract
from tests.ledger.contract import *  # noqa: F403  # the tests that every ledger passes
from trayapp.errors import BirkezError, SetupError, StateError
from trayapp.ledger.sqlite import SqliteLedger, open_sqlite_ledger
from trayapp.ledger.sqlite_file import create_database, open_database


@pytest.fixture(params=["wal", "delete"])
def database(tmp_path: Path, request: pytest.FixtureRequest) -> Path:
    """A user's database with a table of their own, in either journal mode."""
    path = tmp_path / ("satış verisi #1%20.db" if sys.platform == "win32" else "satış verisi #1%20?.db")
    connection = sqlite3.connect(path)
    connection.execute(f"PRAGMA journal_mode={request.param}")
    connection.execute("PRAGMA user_version=7")
    connection.execute("CREATE TABLE siparis (id INTEGER PRIMARY KEY)")
    connection.commit()
    connection.close()
    return path


@pytest.fixture
def open_ledger(database: Path) -> Iterator[contract.OpenLedger]:
    opened: list[SqliteLedger] = []

    def open_one() -> SqliteLedger:
        opened.append(open_sqlite_ledger(str(database), wait_s=5))
        return opened[-1]

    yield open_one
    for ledger in opened:
        ledger.close()


def code_of(path: Path, **options: float) -> str:
    with pytest.raises(BirkezError) as caught:
        open_sqlite_ledger(str(path), **options).close()
    return caught.value.code


# ----------------------------------------------------------------------- the file


def test_missing_database_is_refused_and_never_made(tmp_path: Path) -> None:
    assert code_of(tmp_path / "yok.db") == "database-missing"
    assert list(tmp_path.iterdir()) == []


def test_folder_in_place_of_a_database_is_refused(tmp_path: Path) -> None:
    assert code_of(tmp_path) == "database-is-folder"


@pytest.mark.posix
def test_pipe_in_place_of_a_database_is_refused(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "satis.db")
    assert code_of(tmp_path / "satis.db") == "database-not-regular"


def test_periods_whose_job_was_deleted_by_hand_are_no_new_jobs(database: Path) -> None:
    ledger = open_sqlite_ledger(str(database))
    assert contract.do_hour(ledger, 0)
    ledger.connection.execute("DELETE FROM birkez_job")
    for job in (contract.JOB, "baska"):  # a new job would get the deleted one's number, and its periods
        with pytest.raises(StateError, match="ledger-rows-missing"):
            ledger.standing(job, contract.NINE)
    ledger.close()


@pytest.mark.posix
@pytest.mark.parametrize("suffix", ["-wal", "-shm"])
def test_companions_made_while_the_database_was_write_protected_are_mended(
    database: Path, suffix: str, powerless: Sequence[str]
) -> None:
    keeper = sqlite3.connect(database)  # keeps them there
    keeper.execute("SELECT * FROM siparis").fetchall()
    companion = Path(f"{database}{suffix}")
    if companion.exists():  # with a rollback journal there are none
        companion.chmod(0o400)
    program = (
        "import sys; from trayapp.ledger.sqlite import open_sqlite_ledger\n"
        "ledger = open_sqlite_ledger(sys.argv[1])\n"
        "with ledger.transaction() as transaction: transaction.commit()"
    )
    words = [*powerless, sys.executable, "-c", program, str(database)]
    ended = subprocess.run(words, cwd=Path(__file__).parents[2], capture_output=True, text=True, check=False)
    keeper.close()
    assert (ended.returncode, ended.stderr) == (0, "")


def test_file_that_is_no_database_is_refused_and_kept(tmp_path: Path) -> None:
    path = tmp_path / "satis.db"
    path.write_text("Sayın yetkili, " * 100, encoding="utf-8")
    before = path.read_bytes()
    assert code_of(path) == "database-not-sqlite"
    assert path.read_bytes() == before


def test_damaged_database_is_told_as_damaged(database: Path) -> None:
    ledger = open_sqlite_ledger(str(database))
    assert contract.do_hour(ledger, 0)
    ledger.close()
    whole = database.read_bytes()
    database.write_bytes(whole[:100] + b"\xff" * 3_000 + whole[3_100:])
    assert code_of(database) in ("database-corrupt", "database-not-sqlite")


@pytest.mark.posix
def test_read_only_database_is_refused_by_name(database: Path, powerless: Sequence[str]) -> None:
    database.chmod(0o444)
    program = (
        "import sys; from trayapp.errors import BirkezError\n"
        "from trayapp.ledger.sqlite import open_sqlite_ledger\n"
        "try: open_sqlite_ledger(sys.argv[1])\n"
        "except BirkezError as error: print(error.code)"
    )
    words = [*powerless, sys.executable, "-c", program, str(database)]
    done = subprocess.run(words, capture_output=True, text=True, check=True, env={**os.environ, "PYTHONPATH": "."})
    assert done.stdout.strip() == "database-read-only"


def test_durability_follows_the_journal_mode_that_is_found(database: Path) -> None:
    connection = open_database(str(database))
    mode = connection.execute("PRAGMA journal_mode").fetchone()[0]
    assert connection.execute("PRAGMA synchronous").fetchone()[0] == {"wal": 2, "delete": 3}[mode]
    connection.close()


def test_created_database_is_new_or_refused(tmp_path: Path) -> None:
    path = tmp_path / "yeni.db"
    create_database(str(path))
    open_sqlite_ledger(str(path)).close()
    with pytest.raises(SetupError, match="database-exists"):
        create_database(str(path))
    with pytest.raises(SetupError, match="database-folder-missing"):
        create_database(str(tmp_path / "yok" / "yeni.db"))


# --------------------------------------------------------------------- the schema


def test_opening_and_reading_changes_nothing(database: Path) -> None:
    before = database.read_bytes()
    ledger = open_sqlite_ledger(str(database))
    assert ledger.mark() is None
    assert ledger.standing("is", contract.NINE).is_new
    assert ledger.changed_since("is", 0, 10) == []
    ledger.close()
    assert database.read_bytes() == before


def test_tables_stand_beside_the_users_own(database: Path, open_ledger: contract.OpenLedger) -> None:
    contract.do_hour(open_ledger(), 0)
    connection = sqlite3.connect(database)
    assert connection.execute("PRAGMA user_version").fetchone() == (7,)
    names = {name for (name,) in connection.execute("SELECT name FROM sqlite_schema WHERE name NOT LIKE 'sqlite_%'")}
    connection.close()
    assert "siparis" in names
    assert all(name == "siparis" or name.startswith("birkez_") for name in names)


def test_newer_schema_is_refused_and_untouched(database: Path, open_ledger: contract.OpenLedger) -> None:
    ledger = open_ledger()
    contract.do_hour(ledger, 0)
    ledger.close()
    connection = sqlite3.connect(database)
    connection.execute("INSERT INTO birkez_schema VALUES (99, 0)")
    connection.commit()
    connection.close()
    with pytest.raises(StateError, match="ledger-newer") as caught:
        open_sqlite_ledger(str(database))
    assert caught.value.facts["found"] == 99


def test_schema_is_made_once_by_many_first_runs(database: Path) -> None:
    marks, barrier = [], threading.Barrier(6)

    def first_run() -> None:
        ledger = open_sqlite_ledger(str(database))
        barrier.wait()
        contract.do_hour(ledger, 0, threading.current_thread().name)
        marks.append(ledger.mark())
        ledger.close()

    threads = [threading.Thread(target=first_run) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len({mark.identity for mark in marks if mark}) == 1
    ledger = open_sqlite_ledger(str(database))
    assert contract.states(ledger) == {contract.key(0): "done"}
    ledger.close()


# ------------------------------------------------------------------ other writers


def test_right_is_one_among_processes_without_a_lock(database: Path) -> None:
    program = (
        "import sys; sys.path.insert(0, '.')\n"
        "from tests.ledger.contract import do_hour\n"
        "from trayapp.ledger.sqlite import open_sqlite_ledger\n"
        "ledger = open_sqlite_ledger(sys.argv[1])\n"
        "print(sum(do_hour(ledger, number, sys.argv[2]) for number in range(60)))\n"
    )
    words = [sys.executable, "-c", program, str(database)]
    processes = [subprocess.Popen([*words, f"run-{n}"], stdout=subprocess.PIPE, text=True) for n in range(4)]
    assert sum(int(process.communicate(timeout=60)[0]) for process in processes) == 60
    ledger = open_sqlite_ledger(str(database))
    assert contract.watermark(ledger) == contract.NINE + 60 * contract.HOUR
    ledger.close()


def test_writer_that_keeps_the_database_too_long_is_told_as_busy(database: Path) -> None:
    other = sqlite3.connect(database, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    ledger = open_sqlite_ledger(str(database), wait_s=0.3)
    with pytest.raises(SetupError, match="database-busy"):
        ledger.transaction()
    other.execute("ROLLBACK")
    other.close()
    assert contract.do_hour(ledger, 0)
    ledger.close()


def test_waiting_for_a_busy_database_ends_when_asked(database: Path) -> None:
    other = sqlite3.connect(database, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    ledger = open_sqlite_ledger(str(database), wait_s=60, stop=lambda: True)
    with pytest.raises(SetupError, match="database-busy"):
        ledger.transaction()
    other.close()
    ledger.close()


def test_writers_in_short_turns_let_every_window_through(database: Path) -> None:
    ended = threading.Event()

    def keep_writing() -> None:
        other = sqlite3.connect(database, isolation_level=None, timeout=30)
        while not ended.is_set():
            other.execute("BEGIN IMMEDIATE")
            other.execute("INSERT INTO siparis DEFAULT VALUES")
            ended.wait(0.02)
            other.execute("COMMIT")
            ended.wait(0.005)
        other.close()

    writer = threading.Thread(target=keep_writing)
    writer.start()
    try:
        ledger = open_sqlite_ledger(str(database))
        assert all(contract.do_hour(ledger, number) for number in range(20))
        ledger.close()
    finally:
        ended.set()
        writer.join()
