"""`birkez job try`: what a job would write, shown and taken back, whatever becomes of the process."""

from __future__ import annotations

import hashlib
import os
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from tests.cli.conftest import DAYS, Desk, iso, midnight, on_a_terminal

SCRIPT = """DELETE FROM took WHERE start = :start;
INSERT INTO took VALUES (:start, :key);
INSERT INTO took SELECT 'x' || value, hex(zeroblob(200)) FROM json_each('[1,2,3,4,5,6,7]');
CREATE TABLE day AS SELECT 1 AS number, 'a''b' AS name, NULL AS note;
"""


def everything(desk: Desk) -> dict[str, object]:
    """All that a trial must leave as it was: the database's content and tables, and each file of Birkez'."""
    with closing(sqlite3.connect(desk.database)) as connection:
        dump = list(connection.iterdump())
    folders = (desk.places.config, desk.places.state)
    files = {
        str(path): hashlib.sha256(path.read_bytes()).hexdigest()
        for folder in folders
        for path in Path(folder).rglob("*")
        if path.is_file() and path.suffix != ".lock"
    }
    return {"dump": dump, "files": files}


def python_file(desk: Desk, code: str, more: str = "") -> Path:
    (desk.folder / "work.py").write_text(code, encoding="utf-8")
    path = desk.folder / "python.toml"
    path.write_text(
        f"""title = "Python"
[window]
step = "1d"
timezone = "UTC"
lateness = "0s"
start = {iso(midnight(DAYS))}
[effect]
kind = "python"
database = "sales.db"
callable = "work.py:process"
{more}
""",
        encoding="utf-8",
    )
    return path


def test_a_script_tells_what_it_would_write_and_writes_nothing(desk: Desk, ask_json: Callable):
    desk.add_sql(script=SCRIPT)
    before = everything(desk)
    told = ask_json("job", "try", "sales")
    assert told["outcome"] == "works"
    assert told["start"] == iso(midnight(DAYS))
    took, day = told["tables"]
    assert (took["table"], took["written"], took["removed"]) == ("took", 8, 0)
    assert took["columns"] == ["start", "key"]
    assert took["rows"][0] == [f"{midnight(DAYS):%Y-%m-%dT%H:%M:%S}", f"trial:sales:{midnight(DAYS).isoformat()}"]
    assert len(took["rows"]) == 5
    assert took["rows"][1][0] == "x1"
    assert took["rows"][1][1].endswith("…")
    assert (day["table"], day["is_new"], day["written"]) == ("day", True, 1)
    assert day["rows"] == [["1", "a'b", "NULL"]]
    assert everything(desk) == before
    assert "8 rows written" in told["message"]


def test_the_trial_says_what_the_run_then_does(desk: Desk, birkez: Callable, ask_json: Callable):
    desk.add_sql(script="DELETE FROM took WHERE start = :start; INSERT INTO took VALUES (:start, 'k');")
    assert ask_json("job", "try", "sales")["tables"][0]["removed"] == 0
    assert birkez("run", "sales").returncode == 0
    assert len(desk.took()) == DAYS
    before = everything(desk)
    told = ask_json("job", "try", "sales", "--window", iso(midnight(DAYS)))
    assert told["done_already"]
    assert (told["tables"][0]["removed"], told["tables"][0]["written"]) == (1, 1)
    assert ask_json("job", "try", "sales")["start"] == iso(midnight(1))  # nothing waits: the newest that has closed
    assert everything(desk) == before


def test_a_script_that_fails_tells_its_line_and_leaves_nothing(desk: Desk, ask_json: Callable):
    desk.add_sql(script="INSERT INTO took VALUES (1, 2);\n\nINSERT INTO gone VALUES (1);")
    before = everything(desk)
    told = ask_json("job", "try", "sales", status=1)
    assert told["outcome"] == "failed"
    assert told["error"]["code"] == "sql-failed"
    assert told["error"]["facts"]["line"] == 3
    assert told["tables"] == []
    assert everything(desk) == before


@pytest.mark.parametrize(
    "table", ["took (start TEXT PRIMARY KEY, key TEXT) WITHOUT ROWID", "took (rowid TEXT, key TEXT)"]
)
def test_rows_of_unusual_tables_are_counted_too(desk: Desk, ask_json: Callable, table: str):
    with closing(sqlite3.connect(desk.database)) as connection:
        connection.executescript(f"CREATE TABLE {table}; CREATE VIEW seen AS SELECT * FROM took;")
    desk.add("sales", desk.sql_file(script="INSERT INTO took VALUES (:start, 'k'); UPDATE took SET key = X'00';"))
    (took,) = ask_json("job", "try", "sales")["tables"]
    assert (took["written"], took["changed"]) == (1, 1)
    assert [row[1] for row in took["rows"]] == ["k", "X'00'"]


def test_a_file_that_is_not_on_the_shelf_is_tried_as_if_it_lay_elsewhere(desk: Desk, ask_json: Callable):
    desk.make_database()
    text = desk.sql_file().read_text(encoding="utf-8")
    lies = desk.folder / "temporary" / "draft.toml"
    lies.parent.mkdir()
    lies.write_text(text, encoding="utf-8")
    told = ask_json("job", "try", str(lies), "--place", str(desk.folder / "sales.toml"), "--as", "sales")
    assert told["outcome"] == "works"
    assert told["job"] == "sales"
    assert ask_json("job", "try", str(lies), status=4)["error"]["code"] == "database-missing"


@pytest.mark.parametrize("journal", ["wal", "delete"])
@pytest.mark.posix
def test_a_trial_that_is_killed_in_the_middle_leaves_nothing(desk: Desk, birkez: Callable, journal: str):
    with closing(sqlite3.connect(desk.database)) as connection:
        connection.execute(f"PRAGMA journal_mode = {journal}")
    # More than SQLite's cache holds, so that pages reach the disk; then it works on without an end.
    desk.add_sql(
        script="""INSERT INTO took SELECT 'x', hex(zeroblob(4000)) FROM
(WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 3000) SELECT i FROM n);
INSERT INTO took SELECT 'y', i FROM (WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i FROM n
WHERE i < 0);"""
    )
    before = everything(desk)
    size = desk.database.stat().st_size
    process = subprocess.Popen(birkez.argv("job", "try", "sales"), env=birkez.environment())
    grown = desk.database if journal == "delete" else Path(f"{desk.database}-wal")
    deadline = time.monotonic() + 15
    while not (grown.exists() and grown.stat().st_size > size + 4_000_000):
        assert time.monotonic() < deadline, "its rows never reached the disk"
        assert process.poll() is None
        time.sleep(0.02)
    process.send_signal(signal.SIGKILL)
    process.wait()
    assert everything(desk) == before
    assert birkez("status", "sales").returncode == 0
    with closing(sqlite3.connect(desk.database)) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)


@pytest.mark.posix
def test_a_trial_that_is_asked_to_end_leaves_nothing(desk: Desk, birkez: Callable):
    endless = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i, 'k' FROM n WHERE i < 0"
    desk.add_sql(script=f"INSERT INTO took VALUES (1, 2); INSERT INTO took {endless};")
    before = everything(desk)
    process = subprocess.Popen(birkez.argv("job", "try", "sales"), env=birkez.environment())
    with closing(sqlite3.connect(desk.database, timeout=0, isolation_level=None)) as connection:
        deadline = time.monotonic() + 15
        while time.monotonic() < deadline:
            try:
                connection.execute("BEGIN IMMEDIATE")
                connection.execute("ROLLBACK")
            except sqlite3.OperationalError:
                break  # it writes
            time.sleep(0.02)
    process.send_signal(signal.SIGTERM)
    assert process.wait(15) == 143
    assert everything(desk) == before


CODE = """import os
def process(window, tx):
    print("looked at", window.start.isoformat())
    for key in tx.first_times(["a", "b", KEY]):
        tx.execute("INSERT INTO took VALUES (?, ?)", (key, tx.key))
"""


def test_python_is_asked_about_first_and_tells_new_and_known_records(desk: Desk, birkez: Callable, ask_json: Callable):
    desk.make_database()
    path = python_file(desk, CODE.replace("KEY", "window.start.isoformat()"))
    desk.add("python", path)
    before = everything(desk)
    told = ask_json("job", "try", "python", status=2)
    assert told["error"]["code"] == "trial-unconfirmed"
    told = ask_json("job", "try", "python", "--yes")
    assert (told["new_count"], told["repeated_count"]) == (3, 0)
    assert told["output"].startswith("looked at")
    assert everything(desk) == before
    assert birkez("run", "python", "--max-windows", "1").returncode == 0
    before = everything(desk)
    told = ask_json("job", "try", "python", "--yes")
    assert (told["new_count"], told["repeated_count"]) == (1, 2)
    assert told["tables"][0]["written"] == 1
    # The period that is done already gives back its records first, as reopening it would.
    told = ask_json("job", "try", "python", "--yes", "--window", iso(midnight(DAYS)))
    assert told["done_already"]
    assert (told["new_count"], told["repeated_count"]) == (3, 0)
    assert everything(desk) == before


@pytest.mark.parametrize(
    ("code", "error"),
    [
        ("def process(window, tx):\n    tx.execute('INSERT INTO took VALUES (1, 2)')\n    1 / 0\n", "python-failed"),
        ("def process(window, tx):\n    tx.execute('COMMIT')\n", "sql-refused-transaction"),
        ("import nothing_of_that_name\n", "python-broken"),
    ],
)
def test_python_that_fails_leaves_nothing(desk: Desk, ask_json: Callable, code: str, error: str):
    desk.make_database()
    desk.add("python", python_file(desk, code))
    before = everything(desk)
    told = ask_json("job", "try", "python", "--yes", status=1)
    assert told["error"]["code"] == error or error in told["message"] or told["outcome"] == "failed"
    assert everything(desk) == before


def test_python_that_hangs_is_ended_and_leaves_nothing(desk: Desk, ask_json: Callable):
    desk.make_database()
    code = "def process(window, tx):\n    tx.execute('INSERT INTO took VALUES (1, 2)')\n    while True:\n        pass\n"
    desk.add("python", python_file(desk, code, 'timeout = "1s"'))
    before = everything(desk)
    told = ask_json("job", "try", "python", "--yes", status=1)
    assert told["error"]["code"] == "effect-timed-out"
    assert everything(desk) == before


PROGRAM = "import os, json; print(json.dumps(dict(os.environ)))"


@pytest.mark.linux
def test_a_command_gets_what_cron_would_give_it_and_a_key_of_its_own(
    desk: Desk, birkez: Callable, monkeypatch: pytest.MonkeyPatch
):
    import json

    monkeypatch.setenv("SECRET_OF_THE_SHELL", "x")
    (desk.folder / "show.py").write_text(PROGRAM, encoding="utf-8")
    desk.make_database()
    desk.add("mail", desk.command_file(f'["{sys.executable}", "show.py"]', 'env = { TOWN = "izmir" }'))
    before = everything(desk)
    refused = birkez("job", "try", "mail")
    assert refused.returncode == 2
    assert "really started" in refused.stderr
    ended = birkez("job", "try", "mail", "--yes", "--json")
    told = json.loads(ended.stdout)
    given = json.loads(told["output"])
    assert given["PATH"] == "/usr/bin:/bin"
    assert given["SHELL"] == "/bin/sh"
    assert given["TOWN"] == "izmir"
    assert given["BIRKEZ_KEY"] == f"trial:mail:{midnight(DAYS).isoformat()}"
    assert not {"SECRET_OF_THE_SHELL", "BIRKEZ_HOME", "LANG"} & set(given)
    assert everything(desk) == before
    assert birkez("status", "mail").stdout.count("3 ") >= 1


@pytest.mark.posix
def test_a_program_that_only_the_terminal_finds_is_told(desk: Desk, birkez: Callable, monkeypatch: pytest.MonkeyPatch):
    tools = desk.folder / "tools"
    tools.mkdir()
    program = tools / "send-mails"
    program.write_text("#!/bin/sh\nexit 0\n", encoding="utf-8")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tools}:{os.environ['PATH']}")
    desk.add("mail", desk.command_file('["send-mails"]'))
    ended = birkez("job", "try", "mail", "--yes")
    assert ended.returncode != 0
    assert "send-mails" in ended.stdout + ended.stderr
    desk.break_job("mail")
    desk.add("mail-2", desk.command_file('["send-mails"]', f'path = "{tools}:/usr/bin:/bin"'))
    assert birkez("job", "try", "mail-2", "--yes").returncode == 0


def test_a_command_that_fails_tells_its_status_and_what_it_printed(desk: Desk, ask_json: Callable):
    desk.add("mail", desk.command_file(f'["{Path(sys.executable).as_posix()}", "-c", "print(7 * 6); exit(3)"]'))
    told = ask_json("job", "try", "mail", "--yes", status=1)
    assert told["error"]["facts"]["status"] == 3
    assert told["output"].strip() == "42"


def test_a_command_is_not_tried_beside_its_run(desk: Desk, ask_json: Callable):
    desk.add("mail", desk.command_file(f'["{Path(sys.executable).as_posix()}", "-c", "pass"]'))
    with desk.hold("mail"):
        told = ask_json("job", "try", "mail", "--yes", status=4)
    assert told["error"]["code"] == "job-running"


@pytest.mark.posix
def test_a_person_at_a_terminal_is_asked(desk: Desk, birkez: Callable):
    mark = desk.folder / "was-here"
    desk.add("mail", desk.command_file(f'["/usr/bin/touch", "{mark}"]'))
    said, status = on_a_terminal(birkez, "n", "job", "try", "mail")
    assert status == 2
    assert not mark.exists()
    said, status = on_a_terminal(birkez, "y", "job", "try", "mail")
    assert (status, mark.exists()) == (0, True), said


def test_the_first_entry_of_a_list_is_made_and_thrown_away(desk: Desk, ask_json: Callable):
    (desk.folder / "ids.txt").write_text("one\ntwo\n", encoding="utf-8")
    (desk.folder / "make.py").write_text(
        "def process(item, output):\n    open(output, 'w').write('<' + item.id + '>')\n"
    )
    path = desk.folder / "list.toml"
    path.write_text(
        """title = "Papers"
[items]
source = "ids.txt"
target = "papers/{item}.txt"
[effect]
kind = "python"
callable = "make.py:process"
""",
        encoding="utf-8",
    )
    desk.make_database()
    desk.add("papers", path)
    before = everything(desk)
    told = ask_json("job", "try", "papers", "--yes")
    assert (told["item"], told["target"], told["size"], told["head"]) == ("one", "one.txt", 5, "<one>")
    assert not (desk.folder / "papers").exists()
    (desk.folder / "papers").mkdir()
    (desk.folder / "papers" / "one.txt").touch()
    assert ask_json("job", "try", "papers", "--yes")["item"] == "two"
    (desk.folder / "make.py").write_text("def process(item, output):\n    pass\n")
    assert ask_json("job", "try", "papers", "--yes", status=1)["error"]["code"] == "trial-nothing-made"
    assert everything(desk) == before
