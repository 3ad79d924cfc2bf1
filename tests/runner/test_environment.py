"""What around a job stops it: told in one sentence with its path, nothing half done, and mended by the next start."""

from __future__ import annotations

import os
import sqlite3
import threading
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

import pytest

from tests.runner.office import SUMMARY_SQL, Office, Ran, wait_until
from trayapp import doctor
from trayapp.history.schema import set_aside_files
from trayapp.lock.holder import read_state

AT_11, AT_12 = "2026-09-04T11:00:00Z", "2026-09-04T12:00:00Z"

pytestmark = [pytest.mark.linux, pytest.mark.timeout(60)]  # faketime; many processes


@pytest.fixture
def shop(office: Office):
    office.open_shop("2026-09-04T10", "2026-09-04T11")
    office.sql_job("satis")
    return office


def assert_stopped(ran: Ran, code: str, *words: object, status: int = 4) -> None:
    """The run did nothing, said why in one line, and left its line and row."""
    assert (ran.status, ran.said) == (status, [("HATA", code)])
    told = ran.lines[0].fields["ileti"]
    assert all(str(word) in told for word in words), told
    assert ran.printed.count("\n") == 1
    assert told in ran.printed
    assert ran.row is not None
    assert (ran.row.outcome, ran.row.reason) == ("failed", code)


def assert_goes_on(office: Office) -> None:
    """The next start makes up for all of it."""
    assert office.run("satis", at=AT_12).status == 0
    assert office.totals() == [("10:00", 12), ("11:00", 12)]


# --------------------------------------------------------- the database file


def test_missing_database_is_never_made(shop: Office) -> None:
    away = shop.folder / "takili-degil"
    shop.database.rename(away)
    assert_stopped(shop.run("satis", at=AT_11), "database-missing", shop.database)
    assert not shop.database.exists()
    away.rename(shop.database)
    assert_goes_on(shop)


def test_folder_in_place_of_the_database(shop: Office) -> None:
    away = shop.folder / "asil.db"
    shop.database.rename(away)
    shop.database.mkdir()
    assert_stopped(shop.run("satis", at=AT_11), "database-is-folder", shop.database)
    shop.database.rmdir()
    away.rename(shop.database)
    assert_goes_on(shop)


@pytest.mark.parametrize(("mode", "code"), [(0o444, "database-read-only"), (0o000, "database-unreadable")])
def test_database_without_the_right_to_write(shop: Office, powerless: Sequence[str], mode: int, code: str) -> None:
    shop.database.chmod(mode)
    assert_stopped(shop.run("satis", at=AT_11, prefix=powerless), code, shop.database)
    shop.database.chmod(0o600)
    assert shop.totals() == []
    assert_goes_on(shop)


@pytest.mark.parametrize("journal", ["wal", "delete"])
def test_folder_of_the_database_without_the_right_to_write(
    office: Office, powerless: Sequence[str], journal: str
) -> None:
    # SQLite keeps its journal beside the file, so the right to the file alone is not enough.
    office.database = office.folder / "veri" / "satis.db"
    office.database.parent.mkdir()
    office.open_shop("2026-09-04T10", "2026-09-04T11", journal=journal)
    office.sql_job("satis")
    office.database.parent.chmod(0o500)
    try:
        ran = office.run("satis", at=AT_11, prefix=powerless)
    finally:
        office.database.parent.chmod(0o700)
    assert ran.lines[0].fields["sebep"] in ("database-cannot-open", "database-read-only")
    assert_stopped(ran, ran.lines[0].fields["sebep"], office.database)
    assert_goes_on(office)


def test_text_file_in_place_of_the_database(shop: Office) -> None:
    content = shop.database.read_bytes()
    shop.database.write_text("ağustos satışları\n" * 100, encoding="utf-8")
    assert_stopped(shop.run("satis", at=AT_11), "database-not-sqlite", shop.database)
    shop.database.write_bytes(content)
    assert_goes_on(shop)


def test_damaged_database(shop: Office) -> None:
    shop.run("satis", at=AT_11)
    with closing(sqlite3.connect(shop.database)) as connection:
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        page = connection.execute("SELECT rootpage FROM sqlite_schema WHERE name = 'birkez_window'").fetchone()[0]
        size = connection.execute("PRAGMA page_size").fetchone()[0]
    content = shop.database.read_bytes()
    shop.database.write_bytes(content[: (page - 1) * size] + b"\xaa" * size + content[page * size :])
    assert_stopped(shop.run("satis", at=AT_12), "database-corrupt", shop.database)
    shop.database.write_bytes(content)
    assert_goes_on(shop)


def test_ledger_of_a_newer_birkez(shop: Office) -> None:
    shop.run("satis", at=AT_11)
    shop.change("INSERT INTO birkez_schema VALUES (99, 0)")
    assert_stopped(shop.run("satis", at=AT_12), "ledger-newer", shop.database, "99")
    shop.change("DELETE FROM birkez_schema WHERE step = 99")
    assert_goes_on(shop)


def test_ledger_tables_that_somebody_changed(shop: Office) -> None:
    shop.run("satis", at=AT_11)
    shop.change("ALTER TABLE birkez_window RENAME TO eski_window")
    ran = shop.run("satis", at=AT_12)
    assert_stopped(ran, "ledger-damaged", shop.database)
    shop.change("ALTER TABLE eski_window RENAME TO birkez_window")
    assert_goes_on(shop)


def test_missing_source_database_stops_before_the_transaction(shop: Office) -> None:
    effect = f'[effect.sources.kaynak]\ndatabase = "{shop.folder}/erp.db"\nquery = "SELECT 1 AS bir"'
    shop.sql_job("satis", SUMMARY_SQL, effect=effect)
    assert_stopped(shop.run("satis", at=AT_11), "database-missing", "erp.db")
    assert shop.ask("SELECT count(*) FROM sqlite_schema WHERE name LIKE 'birkez%'") == [(0,)]
    shop.sql_job("satis")
    assert_goes_on(shop)


# ------------------------------------------------------------ a busy database


@pytest.mark.parametrize("journal", ["wal", "delete"])
@pytest.mark.parametrize("begin", ["BEGIN IMMEDIATE", "BEGIN EXCLUSIVE"])
def test_database_that_stays_busy_longer_than_the_time_limit(office: Office, journal: str, begin: str) -> None:
    office.open_shop("2026-09-04T10", "2026-09-04T11", journal=journal)
    office.sql_job("satis", effect='timeout = "1s"')
    with closing(sqlite3.connect(office.database, isolation_level=None)) as other:
        other.execute(begin)
        ran = office.run("satis", at=AT_11)
        other.execute("ROLLBACK")
    assert_stopped(ran, "database-busy", office.database)
    assert office.totals() == []
    assert_goes_on(office)


def test_reader_that_keeps_a_rollback_journal_from_committing(office: Office) -> None:
    office.open_shop("2026-09-04T10", "2026-09-04T11", journal="delete")
    office.sql_job("satis", effect='timeout = "1s"')
    with closing(sqlite3.connect(office.database, isolation_level=None)) as other:
        other.execute("BEGIN")
        other.execute("SELECT count(*) FROM siparis").fetchone()
        ran = office.run("satis", at=AT_11)
        other.execute("COMMIT")
    assert_stopped(ran, "database-busy", office.database)
    assert_goes_on(office)


@pytest.mark.parametrize("journal", ["wal", "delete"])
def test_writer_that_comes_and_goes_only_delays_a_run(office: Office, journal: str) -> None:
    # P59: a till that writes in transactions of 200 ms; 50 windows must pass between them without an error.
    office.open_shop(journal=journal)
    office.sql_job("satis", window="start = 2026-09-02T10:00:00Z\nmax_per_run = 50")
    done = threading.Event()

    def write() -> None:
        with closing(sqlite3.connect(office.database, isolation_level=None, timeout=30)) as till:
            while not done.is_set():
                till.execute("BEGIN IMMEDIATE")
                till.execute("INSERT INTO siparis SELECT 'kasa-' || count(*), '2026-09-01T00:00:00', 1 FROM siparis")
                done.wait(0.2)
                till.execute("COMMIT")
                done.wait(0.01)

    till = threading.Thread(target=write)
    till.start()
    try:
        ran = office.run("satis", at="2026-09-04T12:00:00Z")
    finally:
        done.set()
        till.join()
    assert (ran.status, len(ran.windows)) == (0, 50)
    assert office.ask("SELECT count(*) > 0 FROM siparis") == [(1,)], "the till was not kept out either"


# --------------------------------------------------- the folders of Birkez's own


def make_damaged(history: Path) -> None:
    history.write_bytes(b"\xaa" * 20_000)


def make_folder(history: Path) -> None:
    history.unlink()
    history.mkdir()


def make_empty(history: Path) -> None:
    history.write_bytes(b"")


@pytest.mark.parametrize("spoil", [make_damaged, make_folder, make_empty])
def test_history_never_stops_a_run(shop: Office, spoil) -> None:
    history = Path(shop.places.history_db)
    for leftover in history.parent.glob("history.db-*"):
        leftover.unlink()
    spoil(history)
    ran = shop.run("satis", at=AT_11, recorded=False)
    assert (ran.status, ran.printed) == (0, "")
    assert shop.totals() == [("10:00", 12)]
    assert [line.token for line in shop.log("satis")] == ["ISLENDI"]
    if spoil is not make_folder:
        assert [run.outcome for run in shop.history("satis")] == ["done"], "history has begun anew"
        assert len(set_aside_files(str(history))) == 1


def test_history_that_cannot_be_written_never_stops_a_run(shop: Office, powerless: Sequence[str]) -> None:
    history = Path(shop.places.history_db)
    for path in history.parent.glob("history.db*"):
        path.chmod(0o400)
    ran = shop.run("satis", at=AT_11, prefix=powerless, recorded=False)
    assert (ran.status, ran.printed) == (0, "")
    assert shop.totals() == [("10:00", 12)]
    assert [line.token for line in shop.log("satis")] == ["ISLENDI"]
    for path in history.parent.glob("history.db*"):
        path.chmod(0o600)
    shop.run("satis", at=AT_12)
    assert shop.ask("SELECT count(*) FROM birkez_window") == [(2,)]


def test_history_that_was_write_protected_for_a_while_takes_runs_again(shop: Office, powerless: Sequence[str]) -> None:
    history = Path(shop.places.history_db)
    for companion in history.parent.glob("history.db-*"):
        companion.unlink()
    history.chmod(0o400)
    shop.run("satis", at=AT_11, prefix=powerless, recorded=False)
    history.chmod(0o600)
    shop.run("satis", at=AT_12, prefix=powerless)
    assert [run.outcome for run in shop.history("satis")] == ["done"]


def test_start_that_can_leave_no_trace_says_so_each_time(shop: Office, powerless: Sequence[str]) -> None:
    shop.sql_job("satis", "INSERT INTO yok VALUES (1);")
    history, logs = Path(shop.places.history_db), Path(shop.places.log_file("satis")).parent
    make_folder(history)
    logs.chmod(0o500)
    try:
        ran = [shop.run("satis", at=AT_11, prefix=powerless, recorded=False) for _ in range(2)]
    finally:
        logs.chmod(0o700)
    for one in ran:
        assert one.status == 1
        assert "no such table" in one.printed
        assert shop.places.log_file("satis") in one.printed


def test_run_that_said_its_end_is_not_called_cut_off(shop: Office) -> None:
    # A full disk: the line found room, and the row in history did not.
    shop.sql_job("satis", "INSERT INTO yok VALUES (1);")
    shop.run("satis", at=AT_11)
    with closing(sqlite3.connect(shop.places.history_db)) as connection:
        connection.execute("UPDATE run SET outcome = 'running', reason = '', ended_at = NULL")
        connection.commit()
    assert "doctor-cut-off" not in [finding.code for finding in doctor.examine(shop.places)]
    shop.sql_job("satis")
    assert shop.run("satis", at="2026-09-04T11:10:00Z").said == [("ISLENDI", "")]
    assert [(run.outcome, run.reason) for run in shop.history("satis")] == [("failed", "sql-failed"), ("done", "")]


def test_history_makes_up_for_windows_that_it_could_not_take(shop: Office) -> None:
    history = Path(shop.places.history_db)
    make_folder(history)
    shop.run("satis", at=AT_11, recorded=False)
    history.rmdir()
    shop.run("satis", at=AT_12)
    with closing(sqlite3.connect(history)) as connection:
        keys = connection.execute("SELECT key FROM ledger_window ORDER BY start").fetchall()
    assert keys == [(f"satis:2026-09-04T{hour}:00:00+00:00",) for hour in (10, 11)]


@pytest.mark.parametrize("kind", ["folder", "log"])
def test_log_that_cannot_be_written_never_stops_a_run(shop: Office, powerless: Sequence[str], kind: str) -> None:
    log = Path(shop.places.log_file("satis"))
    if kind == "log":
        log.mkdir()
    else:
        log.parent.chmod(0o500)
    try:
        ran = shop.run("satis", at=AT_11, prefix=powerless, recorded=False)
    finally:
        log.parent.chmod(0o700)
    assert ran.status == 0
    assert str(log) in ran.printed
    assert shop.totals() == [("10:00", 12)]
    assert [(run.outcome, run.windows) for run in shop.history("satis")] == [("done", 1)]


@pytest.mark.parametrize("folder", ["locks", "."])
def test_state_folder_without_the_right_to_write(shop: Office, powerless: Sequence[str], folder: str) -> None:
    state = Path(shop.places.state, folder)
    if folder == ".":
        Path(shop.places.state, "paused").rmdir()
    state.chmod(0o500)
    try:
        ran = shop.run("satis", at=AT_11, prefix=powerless, recorded=False)
    finally:
        state.chmod(0o700)
    assert ran.status == 4
    assert ran.printed.count("\n") == 1
    assert str(shop.places.state) in ran.printed
    assert shop.totals() == []
    assert_goes_on(shop)


def test_own_ledger_that_is_gone_stops_its_jobs_and_is_not_made_again(office: Office) -> None:
    office.command_job("posta", 'echo "$BIRKEZ_KEY" >> gonderilen')
    office.run("posta", at=AT_11)
    for path in Path(office.places.state).glob("ledger.db*"):
        path.unlink()
    for trigger in ("schedule", "manual"):
        ran = office.run("posta", trigger=trigger, at=AT_12)
        assert (ran.status, ran.said) == (4, [("HATA", "ledger-missing")])
        assert office.places.ledger_db in ran.lines[0].fields["ileti"]
        assert not Path(office.places.ledger_db).exists()
    assert len((office.folder / "gonderilen").read_text().splitlines()) == 1


@pytest.mark.parametrize("spoil", ["file", "folder"])
def test_command_is_not_started_where_its_mark_cannot_be_written(
    office: Office, powerless: Sequence[str], spoil: str
) -> None:
    # P61: a ledger that can be read and not written.
    office.database = office.folder / "veri" / "defter.db"
    office.database.parent.mkdir()
    office.open_shop()
    office.command_job("posta", "touch gonderildi", effect=f'[ledger]\ndatabase = "{office.database}"')
    office.run("posta", at="2026-09-04T10:00:00Z")
    path = office.database if spoil == "file" else office.database.parent
    path.chmod(0o400 if spoil == "file" else 0o500)
    try:
        ran = office.run("posta", at=AT_11, prefix=powerless)
    finally:
        path.chmod(0o700)
    assert_stopped(ran, ran.lines[0].fields["sebep"], office.database)
    assert ran.lines[0].fields["sebep"] in ("database-read-only", "database-cannot-open")
    assert not (office.folder / "gonderildi").exists()
    assert office.run("posta", at=AT_11).status == 0
    assert (office.folder / "gonderildi").exists()


# ------------------------------------------------------------------ the job file


@pytest.mark.parametrize(
    ("text", "code"),
    [("", "job-file-empty"), ("[window\n", "job-file-not-toml"), ('title = "x"\nrenk = "mavi"\n', "")],
)
def test_invalid_job_file_has_its_own_exit_status_and_a_line(shop: Office, text: str, code: str) -> None:
    file = Path(shop.places.job_file("satis"))
    good = file.read_text(encoding="utf-8")
    file.write_text(text, encoding="utf-8")
    ran = shop.run("satis", at=AT_11)
    assert_stopped(ran, ran.lines[0].fields["sebep"], file, status=6)
    assert not code or ran.lines[0].fields["sebep"] in (code, "job-file-malformed")
    assert file.read_text(encoding="utf-8") == text, "never written over"
    assert shop.run("satis", at=AT_11).printed == "", "told once"
    file.write_text(good, encoding="utf-8")
    assert_goes_on(shop)


@pytest.mark.parametrize("spoil", ["file", "folder"])
def test_job_file_that_may_not_be_read_is_not_taken_for_missing(
    shop: Office, powerless: Sequence[str], spoil: str
) -> None:
    file = Path(shop.places.job_file("satis"))
    path = file if spoil == "file" else file.parent
    path.chmod(0o000)
    try:
        ran = shop.run("satis", at=AT_11, prefix=powerless)
    finally:
        path.chmod(0o700)
    assert_stopped(ran, "job-file-unreadable", file, status=6)
    assert_goes_on(shop)


def test_job_file_that_changes_is_read_anew_at_each_start(shop: Office) -> None:
    # The parsed job is kept beside its file's identity; nothing of that may outlive a change.
    assert shop.run("satis", at=AT_11).status == 0
    shop.sql_job("satis", "INSERT INTO ozet VALUES (:start, 1, 1); UPDATE toplam SET tutar = tutar + 1")
    shop.run("satis", at=AT_12)
    assert shop.totals() == [("10:00", 12), ("11:00", 1)]


def test_job_that_is_not_there_leaves_one_line_in_the_common_log_and_no_file(shop: Office) -> None:
    before = set(Path(shop.places.state).rglob("*"))
    for job in ("satis-eski", "../../etc/passwd", "Satis", "con"):
        ran = shop.run(job, at=AT_11, recorded=False)
        assert ran.status == 3
        assert ran.printed.count("\n") == 1
    common = Path(shop.places.common_log)
    lines = common.read_text(encoding="utf-8").splitlines()
    assert len(lines) == 4
    assert all("HATA" in line and "sebep=no-such-job" in line for line in lines)
    made = set(Path(shop.places.state).rglob("*")) - before
    assert {path.name for path in made} <= {common.name, common.name + ".lock"}


def test_empty_home_stays_empty_when_its_job_is_not_there(office: Office, tmp_path: Path) -> None:
    # An orphan entry of a Birkez that was moved or removed: no fresh, empty database must come of it.
    home = tmp_path / "baska"
    home.mkdir()
    ran = office.run("satis", at=AT_11, prefix=("env", f"BIRKEZ_HOME={home}"), recorded=False)
    assert ran.status == 3
    assert list(home.iterdir()) == []


# --------------------------------------------------- how the scheduler starts it


def bare(office: Office, *variables: str) -> list[str]:
    """Words that start what follows as cron would: nothing in the environment, and a folder of no meaning."""
    elsewhere = office.folder.parent / "baska-yer"
    elsewhere.mkdir(exist_ok=True)
    kept = {name: os.environ.get(name) for name in ("BIRKEZ_HOME",)}
    clock = {name: value for name, value in office.birkez.environment(faketime=AT_11).items() if "FAKE" in name}
    clock["LD_PRELOAD"] = office.birkez.environment(faketime=AT_11)["LD_PRELOAD"]
    words = [f"{name}={value}" for name, value in {**kept, **clock}.items()]
    return ["env", "-i", "-C", str(elsewhere), *words, "PATH=/usr/bin:/bin", "SHELL=/bin/sh", *variables]


@pytest.mark.parametrize("kind", ["sql", "python", "command"])
def test_started_with_an_empty_environment_in_a_folder_of_no_meaning(office: Office, kind: str) -> None:
    # P25. Relative paths begin at the job file, for the command's own folder too.
    office.open_shop("2026-09-04T10")
    jobs = Path(office.places.jobs_dir)
    (jobs / "ozet.sql").write_text("UPDATE toplam SET tutar = tutar + 1", encoding="utf-8")
    (jobs / "ozet.py").write_text(
        "import os\n\ndef process(window, tx):\n    tx.execute('UPDATE toplam SET tutar = tutar + 1')\n",
        encoding="utf-8",
    )
    os.link(office.database, jobs / "satis.db")
    effect = {
        "sql": 'kind = "sql"\ndatabase = "satis.db"\nscript = "ozet.sql"',
        "python": 'kind = "python"\ndatabase = "satis.db"\ncallable = "ozet.py:process"',
        "command": 'kind = "command"\nshell = "echo $BIRKEZ_KEY > gonderilen"',
    }[kind]
    office.job("satis", effect)
    ran = office.run("satis", at=AT_11, prefix=bare(office))
    assert (ran.status, ran.printed, ran.said) == (0, "", [("ISLENDI", "")])
    assert list((office.folder.parent / "baska-yer").iterdir()) == []
    if kind == "command":
        assert (jobs / "gonderilen").read_text() == "satis:2026-09-04T10:00:00+00:00\n"


@pytest.mark.parametrize("kind", ["python", "command"])
@pytest.mark.parametrize(
    "variables", [("LC_ALL=POSIX", "PYTHONUTF8=0", "PYTHONCOERCECLOCALE=0"), ("LANG=tr_TR.UTF-8",)]
)
def test_turkish_text_under_any_locale(office: Office, kind: str, variables: tuple[str, ...]) -> None:
    # P100: cron's locale is C, and names, prints and files are Turkish all the same.
    office.folder = office.folder / "Şubat çıktıları"
    office.folder.mkdir()
    office.database = office.folder / "satış.db"
    office.open_shop("2026-09-04T10")
    if kind == "python":
        code = "def process(window, tx):\n    print('ğüşİ')\n    raise ValueError('fatura eksik: ığüşöç')\n"
        office.python_job("satis", code, title="Günlük satış özeti İ")
    else:
        office.command_job("satis", "echo ğüşİ > çıktı.txt; echo ğüşİ; exit 1", title="Günlük satış özeti İ")
    ran = office.run("satis", at=AT_11, prefix=bare(office, *variables))
    assert ran.status == {"python": 1, "command": 5}[kind]
    assert "Traceback" not in ran.printed
    assert ran.row is not None
    printed = Path(office.places.output_file("satis", ran.row.run)).read_text(encoding="utf-8")
    assert printed.splitlines()[-1] == "ğüşİ"
    if kind == "python":
        assert "fatura eksik: ığüşöç" in ran.lines[0].fields["ileti"]
        assert "Şubat çıktıları" in ran.lines[0].fields["ileti"]
    else:
        assert (office.folder / "çıktı.txt").read_text(encoding="utf-8") == "ğüşİ\n"


# ------------------------------------------------------------------- the effect


@pytest.mark.parametrize(
    ("kind", "text", "code"),
    [
        ("sql", None, "script-missing"),
        ("sql", "-- yalnız açıklama\n", "script-empty"),
        ("sql", "INSERT INTO ozet VALUES ('yarim', 1, 1); INSERT INTO yok VALUES (1);", "sql-failed"),
        ("sql", "INSERT INTO ozet VALUES ('yarim', 1, 1); COMMIT;", "sql-refused-transaction"),
        ("sql", "UPDATE birkez_window SET state = 'done';", "sql-refused-ledger-table"),
        ("python", None, "python-missing"),
        ("python", "def baska(window, tx): pass\n", "python-no-function"),
        ("python", "def process(window, tx)\n", "python-broken"),
        ("python", "def process(window, tx):\n    raise SystemExit(0)\n", "python-exited"),
        ("python", "async def process(window, tx): pass\n", "python-is-coroutine"),
    ],
)
def test_effect_that_fails_is_told_with_its_file_and_counted(
    shop: Office, kind: str, text: str | None, code: str
) -> None:
    # P55: what the first statements did is taken back with the rest.
    file = shop.folder / ("satis.sql" if kind == "sql" else "satis.py")
    if kind == "python":
        shop.python_job("satis")
    if text is None:
        file.unlink()
    else:
        file.write_text(text, encoding="utf-8")
    for attempt in (1, 2):
        ran = shop.run("satis", at=AT_11)
        assert (ran.status, ran.said) == (1, [("HATA", code)])
        assert ran.lines[0].fields["deneme"] == str(attempt)
        assert str(file) in ran.lines[0].fields["ileti"]
        assert ran.printed.count("\n") == (1 if attempt == 1 else 0)
        assert shop.states("satis") == [("10:00", "failed", attempt)]
        assert shop.totals() == []
    shop.sql_job("satis")
    assert_goes_on(shop)


# ---------------------------------------------------------- what cron would mail


def test_scheduler_hears_the_first_failure_of_each_streak_alone(shop: Office) -> None:
    away = shop.folder / "takili-degil"
    printed = []
    for step in ("good", "bad", "bad", "bad", "good", "good", "bad", "bad"):
        if (step == "bad") == shop.database.exists():
            for old, new in ((shop.database, away), (away, shop.database)):
                if old.exists():
                    old.rename(new)
                    break
        ran = shop.run("satis", at=f"2026-09-04T12:{len(printed):02}:00Z")
        assert ran.status == (4 if step == "bad" else 0)
        printed.append(ran.printed)
    assert [bool(text) for text in printed] == [False, True, False, False, False, False, True, False]
    assert all(text.startswith("birkez: ") and text.count("\n") == 1 for text in printed if text)


def test_person_hears_each_failure(shop: Office) -> None:
    shop.database.unlink()
    for _ in range(2):
        ran = shop.run("satis", trigger="manual", at=AT_11)
        assert ran.status == 4
        assert str(shop.database) in ran.printed


def test_lock_of_a_run_that_waits_for_the_database_is_seen(shop: Office) -> None:
    # P23: the next start names who has been holding the job up.
    with closing(sqlite3.connect(shop.database, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        first = shop.start("satis", at=AT_11)
        wait_until(lambda: read_state(shop.places.lock_file("satis")).holder)
        second = shop.run("satis", at=AT_11)
        other.execute("ROLLBACK")
    assert second.lines[0].fields["pid"] == str(first.pid)
    assert shop.finish(first, "satis").said == [("ISLENDI", "")]
