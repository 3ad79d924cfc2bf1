"""What can be wrong with a job that is on the shelf: each has its own sentence and leaves nothing half done."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Callable
from pathlib import Path

import pytest

from trayapp.ledger import sqlite_schema


def database_is_folder(desk) -> None:
    os.unlink(desk.database)
    os.mkdir(desk.database)


def database_is_no_database(desk) -> None:
    desk.database.write_bytes(b"minutes of the meeting\n" * 500)


def database_is_corrupt(desk) -> None:
    connection = sqlite3.connect(desk.database)
    connection.executemany("INSERT INTO took VALUES (?, ?)", [("x" * 500, "y")] * 200)
    connection.commit()
    connection.close()
    whole = desk.database.read_bytes()
    desk.database.write_bytes(whole[:100] + b"\xff" * (len(whole) - 100))


def ledger_is_newer(desk) -> None:
    connection = sqlite3.connect(desk.database)
    connection.execute("CREATE TABLE birkez_schema (step INTEGER PRIMARY KEY, at_s INTEGER NOT NULL)")
    connection.execute("INSERT INTO birkez_schema VALUES (?, 0)", (sqlite_schema.NEWEST + 1,))
    connection.commit()
    connection.close()


def database_is_locked_by_another(desk) -> None:
    text = Path(desk.places.job_file("sales")).read_text(encoding="utf-8")
    Path(desk.places.job_file("sales")).write_text(text + 'timeout = "1s"\n', encoding="utf-8")
    desk.blocker = sqlite3.connect(desk.database, isolation_level=None)
    desk.blocker.execute("BEGIN IMMEDIATE")


def script_is_missing(desk) -> None:
    (desk.folder / "sum.sql").unlink()


def script_is_empty(desk) -> None:
    (desk.folder / "sum.sql").write_text("-- nothing yet\n", encoding="utf-8")


def job_file_is_cut(desk) -> None:
    path = Path(desk.places.job_file("sales"))
    path.write_text(path.read_text(encoding="utf-8")[:60], encoding="utf-8")


def job_file_is_folder(desk) -> None:
    os.unlink(desk.places.job_file("sales"))
    os.mkdir(desk.places.job_file("sales"))


@pytest.mark.parametrize(
    ("spoil", "status", "shown"),
    [
        (database_is_folder, 4, "is a folder"),
        (database_is_no_database, 4, "no SQLite database"),
        (database_is_corrupt, 4, "damaged"),
        (ledger_is_newer, 4, "newer Birkez"),
        (database_is_locked_by_another, 4, "busy"),
        (script_is_missing, 1, "sum.sql is not there"),
        (script_is_empty, 1, "no statement"),
        (job_file_is_cut, 6, "sales.toml"),
        (job_file_is_folder, 6, "is a folder"),
    ],
)
def test_trouble_has_its_own_sentence_and_status(
    birkez, desk, spoil: Callable[..., None], status: int, shown: str
) -> None:
    desk.add_sql()
    spoil(desk)
    told = birkez("run", "sales")
    blocker = getattr(desk, "blocker", None)
    if blocker is not None:
        blocker.close()
    assert told.returncode == status, told
    assert shown in told.stdout
    assert told.stderr == ""
    assert "HATA" in birkez("log", "sales").stdout


@pytest.mark.posix
def test_unreadable_files_are_told_to_an_ordinary_user(birkez, desk):
    desk.add_sql()
    os.chmod(desk.database, 0o444)
    told = birkez("run", "sales", powerless=True)
    assert (told.returncode, "may not be written" in told.stdout) == (4, True), told
    os.chmod(desk.places.job_file("sales"), 0)
    told = birkez("run", "sales", powerless=True)
    assert (told.returncode, "cannot be read" in told.stdout) == (6, True), told


@pytest.mark.posix
def test_state_folder_that_cannot_be_written_is_told(birkez, desk):
    desk.add_sql()
    for folder in (desk.places.state, os.path.join(desk.places.state, "locks")):
        os.chmod(folder, 0o555)
    told = birkez("run", "sales", powerless=True)
    for folder in (desk.places.state, os.path.join(desk.places.state, "locks")):
        os.chmod(folder, 0o700)
    assert told.returncode == 4, told
    assert "Traceback" not in told.stderr
    assert desk.took() == []


@pytest.mark.parametrize(
    ("code", "shown"),
    [
        ("def other(window, tx): pass", "no function named process"),
        ("def process(window, tx): raise KeyError('iade')", "line 1"),
        ("def process(window, tx): import sys; sys.exit(0)", "sys.exit"),
        ("async def process(window, tx): pass", "async"),
        ("def process(window, tx", "cannot be loaded"),
    ],
)
def test_callable_that_cannot_do_its_work_is_told(birkez, desk, code, shown):
    desk.make_database()
    (desk.folder / "job.py").write_text(code, encoding="utf-8")
    path = desk.sql_file()
    text = path.read_text(encoding="utf-8").replace('kind = "sql"', 'kind = "python"')
    path.write_text(text.replace('script = "sum.sql"', 'callable = "job.py:process"'), encoding="utf-8")
    desk.add("sales", path)
    told = birkez("run", "sales")
    assert told.returncode == 1
    assert shown in told.stdout


@pytest.mark.posix
def test_command_that_is_not_executable_leaves_nothing_uncertain(birkez, desk):
    (desk.folder / "mail.sh").write_text("#!/bin/sh\n", encoding="utf-8")
    desk.add("mail", desk.command_file('["./mail.sh"]'))
    told = birkez("run", "mail")
    assert told.returncode == 1
    assert "mail.sh" in told.stdout
    (desk.folder / "mail.sh").chmod(0o755)
    assert birkez("run", "mail").returncode == 0
