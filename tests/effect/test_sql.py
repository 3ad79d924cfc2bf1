from __future__ import annotations

import os
import sqlite3
import threading
import time
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from trayapp.effect.interruption import Interruption
from trayapp.effect.sql import copy_sources, format_bound, perform_sql, read_script, split_script
from trayapp.effect.sqlite_guard import Guard
from trayapp.effect.unit import Unit
from trayapp.errors import BirkezError, EffectError
from trayapp.job.model import Source, SqlEffect
from trayapp.ledger.ledger import DONE, Counts, Taking
from trayapp.ledger.sqlite import SqliteLedger, open_sqlite_ledger
from trayapp.window.grid import Window

JOB = "satis-ozet"
TEN = datetime(2026, 9, 4, 10, tzinfo=UTC)
WINDOW = Window(TEN, TEN + timedelta(hours=1))
UNIT = Unit(JOB, "run-1", WINDOW, f"{JOB}:2026-09-04T10:00:00+00:00")


@pytest.fixture
def database(tmp_path: Path) -> Path:
    path = tmp_path / "satis.db"
    connection = sqlite3.connect(path)
    connection.executescript(
        "PRAGMA journal_mode=WAL; CREATE TABLE ozet (saat TEXT PRIMARY KEY, adet INTEGER);"
        "CREATE TABLE siparis (id INTEGER PRIMARY KEY, an TEXT, tutar INTEGER)"
    )
    connection.close()
    return path


@pytest.fixture
def ledger(database: Path) -> Iterator[SqliteLedger]:
    ledger = open_sqlite_ledger(str(database), wait_s=1)
    yield ledger
    ledger.close()


class Job:
    """A script on the test's database, performed as the runner performs it."""

    def __init__(self, folder: Path, database: Path, ledger: SqliteLedger) -> None:
        self.script = folder / "ozet.sql"
        self.database = database
        self.ledger = ledger
        self.guard = Guard(ledger.connection)
        self.interruption = Interruption()
        self.sources: tuple[Source, ...] = ()
        self.timeout_s = 10.0
        self.time_format = "iso"

    def perform(self, script: str, unit: Unit = UNIT) -> Counts:
        self.script.write_text(script, encoding="utf-8")
        effect = SqlEffect(str(self.database), str(self.script), self.time_format, self.timeout_s, self.sources)
        statements = read_script(effect.script)
        copy_sources(self.ledger.connection, effect, unit, self.interruption)
        with self.ledger.transaction() as transaction:
            transaction.begin_job(JOB, TEN)
            assert transaction.take(JOB, unit.window, unit.key, Taking("run-1", "manual", TEN, DONE))
            counts = perform_sql(self.ledger.connection, effect, statements, unit, self.interruption, self.guard)
            transaction.commit()
        return counts

    def refusal(self, script: str) -> EffectError:
        with pytest.raises(EffectError) as caught:
            self.perform(script)
        return caught.value

    def rows(self, query: str) -> list[tuple[object, ...]]:
        connection = sqlite3.connect(self.database)
        try:
            return connection.execute(query).fetchall()
        finally:
            connection.close()

    def assert_nothing_happened(self) -> None:
        assert not self.ledger.connection.in_transaction
        assert self.rows("SELECT * FROM ozet") == []
        assert self.ledger.standing(JOB, TEN).is_new


@pytest.fixture
def job(tmp_path: Path, database: Path, ledger: SqliteLedger) -> Job:
    return Job(tmp_path, database, ledger)


# --------------------------------------------------------------------- splitting


def texts(script: str) -> list[str]:
    return [statement.text for statement in split_script(script)]


def test_semicolons_in_strings_comments_and_triggers_do_not_split() -> None:
    trigger = "CREATE TRIGGER t AFTER INSERT ON x BEGIN UPDATE x SET a = ';'; DELETE FROM y; END;"
    script = f"INSERT INTO x VALUES ('a;b'); -- x; y\n/* ; */ {trigger}\nSELECT \"a;b\" FROM [c;d]"
    assert texts(script) == ["INSERT INTO x VALUES ('a;b');", trigger, 'SELECT "a;b" FROM [c;d]']


def test_last_statement_needs_no_semicolon_and_comments_alone_are_no_statement() -> None:
    assert texts("SELECT 1;\r\nSELECT 2") == ["SELECT 1;", "SELECT 2"]
    assert texts("SELECT 1; -- the end;\n/* ; */") == ["SELECT 1;"]
    assert texts(";;\n-- nothing\n /* unfinished ;") == []


def test_statements_know_their_lines() -> None:
    statements = split_script("-- head\n\nSELECT 1;\n\n  /* two\nlines */ SELECT\n2;")
    assert [statement.line for statement in statements] == [3, 6]


def test_byte_order_mark_and_dos_line_ends_are_read(tmp_path: Path) -> None:
    path = tmp_path / "dos.sql"
    path.write_bytes(b"\xef\xbb\xbfSELECT 1;\r\nSELECT 'g\xc3\xbcn';\r\n")
    assert [statement.text for statement in read_script(str(path))] == ["SELECT 1;", "SELECT 'gün';"]


@pytest.mark.parametrize(
    ("content", "code"),
    [(None, "script-missing"), (b"", "script-empty"), (b"-- ;", "script-empty"), (b"SELECT '\xfe'", "script-not-utf8")],
)
def test_script_that_cannot_be_read_is_told_by_its_fault(tmp_path: Path, content: bytes | None, code: str) -> None:
    path = tmp_path / "ozet.sql"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(EffectError, match=code):
        read_script(str(path))


# ---------------------------------------------------------------- the transaction


def test_parameters_name_the_window_and_rows_are_counted(job: Job) -> None:
    counts = job.perform("INSERT INTO ozet VALUES (:start || '/' || :end || ' ' || :key || ' ' || :job, 1);")
    ((text, _),) = job.rows("SELECT * FROM ozet")
    assert text == f"2026-09-04T10:00:00/2026-09-04T11:00:00 {UNIT.key} {JOB}"
    assert counts == Counts(new=1)


@pytest.mark.parametrize(
    ("time_format", "text"),
    [
        ("iso", "2026-09-04T10:00:00"),
        ("iso-space", "2026-09-04 10:00:00"),
        ("epoch", 1788516000),
        ("epoch-ms", 1788516000000),
    ],
)
def test_bounds_are_written_as_the_job_says(time_format: str, text: object) -> None:
    assert format_bound(TEN, time_format) == text


def test_row_on_the_border_counts_once_in_the_later_window_whatever_its_suffix(job: Job) -> None:
    """P50: text bounds without a suffix are prefixes, so they sort before `…Z`, `….5Z` and `…+00:00`."""
    at = ["09:59:59.999999Z", "10:00:00Z", "10:00:00.000001Z", "10:59:59.999999+00:00", "11:00:00+00:00", "11:00:00.5Z"]
    connection = sqlite3.connect(job.database)
    connection.executemany("INSERT INTO siparis (an) VALUES (?)", [(f"2026-09-04T{time_}",) for time_ in at])
    connection.commit()
    connection.close()
    script = "INSERT INTO ozet SELECT :start, count(*) FROM siparis WHERE an >= :start AND an < :end;"
    later = UNIT._replace(window=Window(WINDOW.end, WINDOW.end + timedelta(hours=1)), key="later")
    job.perform(script)
    job.perform(script, later)
    assert [adet for _, adet in job.rows("SELECT * FROM ozet ORDER BY saat")] == [3, 2]


def test_failing_statement_takes_everything_back_and_names_its_line(job: Job) -> None:
    """P55: executescript would have committed the first insert."""
    error = job.refusal(
        "INSERT INTO ozet VALUES ('a', 1);\nINSERT INTO ozet VALUES ('b', 1);\nINSERT INTO yok VALUES (1);"
    )
    assert (error.code, error.facts["line"]) == ("sql-failed", 3)
    assert "yok" in str(error.facts["reason"])
    job.assert_nothing_happened()
    job.perform("INSERT INTO ozet VALUES ('a', 1);")
    assert job.rows("SELECT * FROM ozet") == [("a", 1)]


@pytest.mark.parametrize(
    ("statement", "code"),
    [
        ("COMMIT", "sql-refused-transaction"),
        ("commit", "sql-refused-transaction"),
        ("END", "sql-refused-transaction"),
        ("ROLLBACK", "sql-refused-transaction"),
        ("BEGIN", "sql-refused-transaction"),
        ("SAVEPOINT a", "sql-refused-transaction"),
        ("ATTACH 'x.db' AS x", "sql-refused-attach"),
        ("DETACH main", "sql-refused-attach"),
        ("PRAGMA journal_mode=DELETE", "sql-refused-pragma"),
        ("PRAGMA user_version=3", "sql-refused-pragma"),
        ("PRAGMA writable_schema=ON", "sql-refused-pragma"),
        ("PRAGMA wal_checkpoint", "sql-refused-pragma"),
        ("DELETE FROM birkez_window", "sql-refused-ledger-table"),
        ("UPDATE Birkez_Job SET watermark_s = 0", "sql-refused-ledger-table"),
        ("DROP TABLE birkez_key", "sql-refused-ledger-table"),
        ("ALTER TABLE birkez_job ADD COLUMN x", "sql-refused-ledger-table"),
        ("CREATE TEMP TABLE birkez_window (x)", "sql-refused-ledger-table"),
        ("CREATE TRIGGER t AFTER INSERT ON birkez_window BEGIN SELECT 1; END", "sql-refused-ledger-table"),
        ("CREATE TEMP VIEW birkez_job AS SELECT 1", "sql-refused-ledger-table"),
    ],
)
def test_statement_that_would_break_the_promise_is_refused(job: Job, statement: str, code: str) -> None:
    error = job.refusal(f"INSERT INTO ozet VALUES ('a', 1);\n{statement};\nINSERT INTO ozet VALUES ('b', 1);")
    assert (error.code, error.facts["line"]) == (code, 2)
    job.assert_nothing_happened()


@pytest.mark.parametrize("commit", ["COMMIT", "COMMIT;"])
def test_our_commit_in_the_statement_cache_does_not_serve_the_user(job: Job, commit: str) -> None:
    """SQLite asks when a statement is prepared, and our `COMMIT` was prepared for the window before."""
    job.perform("INSERT INTO ozet VALUES ('a', 1);")
    later = UNIT._replace(window=Window(WINDOW.end, WINDOW.end + timedelta(hours=1)), key="later")
    with pytest.raises(EffectError, match="sql-refused-transaction"):
        job.perform(f"INSERT INTO ozet VALUES ('b', 1);\n{commit}", later)
    assert job.rows("SELECT * FROM ozet") == [("a", 1)]


@pytest.mark.parametrize(
    "script",
    [
        "INSERT INTO ozet VALUES ('a', 1); INSERT OR ROLLBACK INTO ozet VALUES ('a', 2);",
        (
            "CREATE TRIGGER t BEFORE INSERT ON ozet WHEN new.adet = 9 BEGIN SELECT RAISE(ROLLBACK, 'olmaz'); END;"
            "INSERT INTO ozet VALUES ('a', 1); INSERT INTO ozet VALUES ('b', 9);"
        ),
    ],
)
def test_statement_that_ends_the_transaction_by_itself_stops_the_run_with_its_cause(job: Job, script: str) -> None:
    error = job.refusal(script)
    assert error.code == "sql-failed"
    assert "UNIQUE" in str(error.facts["reason"]) or "olmaz" in str(error.facts["reason"])
    job.assert_nothing_happened()


def test_harmless_pragmas_and_reading_the_ledger_are_allowed(job: Job) -> None:
    job.perform(
        "PRAGMA table_info(ozet); PRAGMA user_version; PRAGMA defer_foreign_keys=ON;"
        "INSERT INTO ozet SELECT key, 1 FROM birkez_window;"
    )
    assert job.rows("SELECT saat FROM ozet") == [(UNIT.key,)]


def test_statement_with_returning_runs_to_its_last_row(job: Job) -> None:
    job.perform("INSERT INTO ozet SELECT value, 1 FROM json_each('[1, 2, 3]') RETURNING saat;")
    assert len(job.rows("SELECT * FROM ozet")) == 3


@pytest.mark.parametrize("script", ["SELECT ?;", "SELECT :yok;", "SELECT 1 SELECT 2", "INSERT INTO ozet VALUES (1"])
def test_statement_that_cannot_be_prepared_is_the_scripts_fault(job: Job, script: str) -> None:
    assert job.refusal(script).code == "sql-failed"
    job.assert_nothing_happened()


ENDLESS = "INSERT INTO ozet WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT max(x), 1 FROM n;"


def test_script_over_its_time_limit_is_interrupted(job: Job) -> None:
    job.timeout_s = 0.3
    began = time.monotonic()
    assert job.refusal(ENDLESS).code == "effect-timed-out"
    assert time.monotonic() - began < 5
    job.assert_nothing_happened()


def test_script_is_interrupted_when_a_signal_asks(job: Job) -> None:
    asked = threading.Timer(0.2, lambda: job.interruption.on_signal(15, None))
    asked.start()
    with pytest.raises(BirkezError):
        job.perform(ENDLESS)
    asked.join()
    assert job.interruption.asked()
    job.assert_nothing_happened()


# -------------------------------------------------------------------- sources


@pytest.fixture
def erp(tmp_path: Path) -> Path:
    path = tmp_path / "erp.db"
    connection = sqlite3.connect(path)
    connection.execute("CREATE TABLE siparis (an TEXT, tutar INTEGER)")
    rows = [("2026-09-04T09:30:00Z", 1), ("2026-09-04T10:00:00Z", 20), ("2026-09-04T10:59:59Z", 300)]
    connection.executemany("INSERT INTO siparis VALUES (?, ?)", rows)
    connection.commit()
    connection.close()
    return path


def source(erp: Path, query: str = "SELECT * FROM siparis WHERE an >= :start AND an < :end") -> tuple[Source, ...]:
    return (Source("gelen", str(erp), query),)


def test_source_is_copied_for_the_window(job: Job, erp: Path) -> None:
    job.sources = source(erp)
    job.perform("INSERT INTO ozet SELECT :start, sum(tutar) FROM gelen;")
    assert job.rows("SELECT * FROM ozet") == [("2026-09-04T10:00:00", 320)]


def test_source_is_not_kept_from_its_owner_while_the_script_runs(job: Job, erp: Path) -> None:
    """An attached database in rollback-journal mode would keep its owner from committing."""
    job.sources = source(erp)
    owner = sqlite3.connect(erp, timeout=0.1)

    def owner_writes(amount: int) -> int:
        owner.execute("INSERT INTO siparis VALUES ('2026-09-04T10:30:00Z', ?)", (amount,))
        owner.commit()
        return amount

    job.ledger.connection.create_function("owner_writes", 1, owner_writes)
    job.perform("INSERT INTO ozet SELECT :start, owner_writes(4000) + sum(tutar) FROM gelen;")
    owner.close()
    assert job.rows("SELECT adet FROM ozet") == [(4320,)]


@pytest.mark.parametrize(
    ("query", "code"), [("SELECT * FROM yok", "source-failed"), ("DELETE FROM siparis", "database-read-only")]
)
def test_source_that_fails_is_told_by_its_name(job: Job, erp: Path, query: str, code: str) -> None:
    job.sources = source(erp, query)
    with pytest.raises(BirkezError, match=code):
        job.perform("SELECT 1;")


def test_missing_source_is_refused_and_never_made(job: Job, tmp_path: Path) -> None:
    job.sources = source(tmp_path / "yok.db")
    with pytest.raises(BirkezError, match="database-missing"):
        job.perform("SELECT 1;")
    assert not (tmp_path / "yok.db").exists()


# ------------------------------------------------------- scripts that are none


@pytest.mark.parametrize(
    ("content", "line"), [("SELECT 1;\nSELECT '\0';", 2), ("\0", 1), ("SELECT 1; --\n\n\0", 3), ("SELECT 1\0;", 1)]
)
def test_script_with_a_nul_is_refused_with_its_line(job: Job, content: str, line: int) -> None:
    error = job.refusal(content)
    assert (error.code, error.facts["line"]) == ("script-nul", line)


@pytest.mark.posix
def test_script_that_is_a_pipe_or_a_device_is_refused_at_once(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe.sql"
    os.mkfifo(pipe)
    for path in (str(pipe), "/dev/zero", str(tmp_path)):
        with pytest.raises(EffectError, match="script-not-regular"):
            read_script(path)


def test_script_of_a_size_that_nobody_writes_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "big.sql"
    with path.open("wb") as file:
        file.truncate((64 << 20) + 1)
    with pytest.raises(EffectError, match="script-large"):
        read_script(str(path))


# On Windows half a letter is a name like any other, of a file that is missing.
@pytest.mark.parametrize("name", ["a\0.sql", pytest.param("a\ud800.sql", marks=pytest.mark.posix)])
def test_script_whose_name_the_system_cannot_have_is_told(tmp_path: Path, name: str) -> None:
    with pytest.raises(EffectError, match="script-unreadable"):
        read_script(str(tmp_path / name))


def test_text_full_of_semicolons_is_split_in_a_moment() -> None:
    """Each `;` was a question to SQLite about all before it: a megabyte of them took a day."""
    text = ";" * 1_000_000
    trigger = f"CREATE TRIGGER t AFTER INSERT ON x BEGIN {'SELECT [;]; ' * 200}END;"
    script = f"INSERT INTO x VALUES ('{text}'); /*{text}*/ {trigger} SELECT \"{text}\"; --{text}\nSELECT 2 /*{text}"
    began = time.monotonic()
    statements = split_script(script)
    assert time.monotonic() - began < 5
    assert [statement.text[:6] for statement in statements] == ["INSERT", "CREATE", "SELECT", "SELECT"]
    assert statements[1].text == trigger


def test_script_of_many_statements_is_split_in_a_moment() -> None:
    began = time.monotonic()
    statements = split_script("INSERT INTO t VALUES (1, 'abcdefghijklmnopqrstuvwxyz');\n" * 100_000)
    assert statements[-1].line == 100_000
    assert time.monotonic() - began < 5


# ---------------------------------------------------------------------- counting


@pytest.mark.parametrize(
    ("script", "new"),
    [
        ("INSERT INTO ozet VALUES ('a', 1), ('b', 2); UPDATE ozet SET adet = 3 WHERE saat = 'a';", 3),
        # A script that first clears its period, and so can be repeated, tells each row once.
        ("INSERT INTO ozet VALUES ('a', 1), ('b', 2); DELETE FROM ozet; INSERT INTO ozet VALUES ('a', 1);", 3),
        ("delete from ozet where 1; -- all\n/* as before */ DELETE FROM ozet;", 0),
        ("REPLACE INTO ozet SELECT value, 1 FROM json_each('[1, 2, 3]') RETURNING saat;", 3),
        ("WITH n(x) AS (VALUES (1), (2)) INSERT INTO ozet SELECT x, x FROM n; SELECT 1;", 2),
        ("CREATE VIRTUAL TABLE bul USING fts5 (x); INSERT INTO bul VALUES ('a b');", 1),
        (
            (
                "CREATE TRIGGER t AFTER INSERT ON ozet BEGIN INSERT INTO siparis (an) VALUES (new.saat); END;"
                "INSERT INTO ozet VALUES ('a', 1);"
            ),
            1,
        ),
        ("CREATE TABLE kopya AS SELECT 1; DROP TABLE kopya; ANALYZE; WITH n AS (SELECT 1) SELECT * FROM n;", 0),
    ],
)
def test_rows_of_the_statements_themselves_are_counted(job: Job, script: str, new: int) -> None:
    assert job.perform(script) == Counts(new=new)


@pytest.mark.parametrize("statement", ["REINDEX", "REINDEX ozet", "ANALYZE", "ANALYZE ozet"])
def test_statement_that_tidies_up_is_allowed(job: Job, statement: str) -> None:
    job.perform(f"INSERT INTO ozet VALUES ('a', 1); {statement};")
    assert job.rows("SELECT saat FROM ozet") == [("a",)]
