from __future__ import annotations

import errno
import os
import sqlite3

import pytest

from tests.history.making import NOON, fill, made_run, made_window, start_python
from trayapp.errors import SetupError, StateError
from trayapp.history import schema
from trayapp.history.query import RunFilter, open_for_reading
from trayapp.history.store import open_history


@pytest.fixture
def filled(path):
    """A closed history with 300 runs in it."""
    history = open_history(str(path))
    fill(history, (made_run(number) for number in range(300)), "x" * 300)
    history.close()
    return path


def damage_tables(path):
    """Overwrite the tables and leave their definitions whole, so that opening notices nothing."""
    connection = sqlite3.connect(path)
    pages = [row[0] for row in connection.execute("SELECT rootpage FROM sqlite_master WHERE rootpage > 1")]
    connection.close()
    with path.open("r+b") as file:
        for page in pages:
            file.seek((page - 1) * 4096)
            file.write(b"\xa5" * 4096)


def asides(path):
    return sorted(file.name for file in path.parent.glob("history.db.aside-*"))


def test_history_is_made_with_all_it_needs(path):
    history = open_history(str(path))
    assert history.set_aside is None
    assert history.read("PRAGMA journal_mode") == [("wal",)]
    assert history.read("PRAGMA synchronous") == [(1,)]
    assert history.read("PRAGMA auto_vacuum") == [(2,)]
    assert history.read("PRAGMA user_version") == [(schema.VERSION,)]
    history.close()
    assert asides(path) == []


@pytest.mark.posix
def test_history_is_the_owners_alone(path):
    history = open_history(str(path))
    history.add_run(made_run())
    for file in path.parent.iterdir():
        assert file.stat().st_mode & 0o777 == 0o600, file.name
    history.close()


def test_opening_again_changes_nothing(filled):
    before = filled.read_bytes()
    open_history(str(filled)).close()
    assert filled.read_bytes() == before


def test_every_step_is_recorded_with_its_number(monkeypatch):
    connection = sqlite3.connect(":memory:", isolation_level=None)
    monkeypatch.setattr(schema, "STEPS", (("CREATE TABLE a (x)",), ("CREATE TABLE b (x)", "CREATE TABLE b (x)")))
    with pytest.raises(sqlite3.OperationalError):
        schema.make_tables(connection)
    connection.execute("ROLLBACK")
    assert schema.version_of(connection) == 1
    assert connection.execute("SELECT name FROM sqlite_master").fetchall() == [("a",)]
    connection.close()


def test_older_history_is_upgraded_and_keeps_its_rows(filled, monkeypatch):
    monkeypatch.setattr(schema, "STEPS", (*schema.STEPS, ("ALTER TABLE run ADD COLUMN mood TEXT",)))
    monkeypatch.setattr(schema, "VERSION", len(schema.STEPS))
    history = open_history(str(filled))
    assert history.set_aside is None
    assert history.read("SELECT count(*), count(mood) FROM run") == [(300, 0)]
    history.close()


def test_reader_upgrades_an_older_history_too(filled, monkeypatch):
    monkeypatch.setattr(schema, "STEPS", (*schema.STEPS, ("CREATE TABLE mood (x)",)))
    monkeypatch.setattr(schema, "VERSION", len(schema.STEPS))
    reader = open_for_reading(str(filled))
    assert len(reader.runs(RunFilter(), count=500).runs) == 300
    reader.close()


def test_step_that_fails_sets_the_file_aside(filled, monkeypatch):
    monkeypatch.setattr(schema, "STEPS", (*schema.STEPS, ("CREATE TABLE new (x)", "DROP INDEX run_by_start")))
    monkeypatch.setattr(schema, "VERSION", len(schema.STEPS))
    connection = sqlite3.connect(filled)
    connection.execute("DROP INDEX run_by_start")
    connection.close()
    history = open_history(str(filled))
    assert [os.path.basename(history.set_aside)] == asides(filled)
    assert history.read("SELECT count(*) FROM run") == [(0,)]
    history.close()


def test_newer_history_is_refused_and_left_alone(filled):
    connection = sqlite3.connect(filled)
    connection.execute("PRAGMA user_version = 99")
    connection.close()
    before = filled.read_bytes()
    for opening in (open_history, open_for_reading):
        with pytest.raises(StateError) as caught:
            opening(str(filled))
        assert caught.value.code == "history-newer"
        assert caught.value.facts == {"path": str(filled), "found": 99, "known": schema.VERSION}
    assert filled.read_bytes() == before
    assert asides(filled) == []


@pytest.mark.parametrize("content", [b"", b"not a database, but long enough for a header " * 9, b"SQLite format 3\0"])
def test_file_that_is_no_database_is_set_aside_with_its_companions(path, content):
    path.write_bytes(content)
    path.with_name("history.db-wal").write_bytes(b"wal of old")
    path.with_name("history.db-shm").write_bytes(b"shm of old")
    history = open_history(str(path))
    aside = path.with_name(os.path.basename(history.set_aside))
    assert aside.read_bytes() == content
    assert asides(path) == [aside.name, aside.name + "-shm", aside.name + "-wal"]
    assert aside.with_name(aside.name + "-wal").read_bytes() == b"wal of old"
    assert schema.set_aside_files(str(path)) == [str(aside)]
    history.add_run(made_run())
    history.close()
    assert open_history(str(path)).set_aside is None


def test_two_files_set_aside_in_one_second_both_stay(path):
    for content in (b"one" * 50, b"two" * 50):
        path.write_bytes(content)
        open_history(str(path)).close()
    assert sorted(path.with_name(name).read_bytes()[:3] for name in asides(path)) == [b"one", b"two"]


def test_other_programs_database_is_set_aside_whole(path):
    connection = sqlite3.connect(path)
    connection.execute("CREATE TABLE musteri (ad TEXT)")
    connection.close()
    history = open_history(str(path))
    connection = sqlite3.connect(history.set_aside)
    assert connection.execute("SELECT count(*) FROM musteri").fetchone() == (0,)
    connection.close()
    history.close()


def test_damage_met_while_writing_begins_anew_and_keeps_the_run(filled):
    damage_tables(filled)
    history = open_history(str(filled))
    assert history.set_aside is None
    history.add_run(made_run(7))
    assert [os.path.basename(history.set_aside)] == asides(filled)
    history.close()
    reader = open_for_reading(str(filled))
    assert reader.runs(RunFilter()).runs == [made_run(7)]
    reader.close()


@pytest.mark.parametrize("share", [0.02, 0.3, 0.9])
def test_truncated_file_is_set_aside_before_or_at_the_first_write(filled, share):
    os.truncate(filled, int(filled.stat().st_size * share))
    history = open_history(str(filled))
    history.add_run(made_run(999), [(NOON, "ISLENDI", "x")])
    assert history.set_aside
    assert history.read("PRAGMA integrity_check") == [("ok",)]
    history.close()


def test_damaged_definitions_are_noticed_when_opening(filled):
    with filled.open("r+b") as file:
        file.seek(100)  # behind the header
        file.write(b"\xa5" * 3996)
    history = open_history(str(filled))
    assert [os.path.basename(history.set_aside)] == asides(filled)
    history.close()


def test_damage_met_while_copying_does_not_leave_a_hole(filled):
    damage_tables(filled)
    history = open_history(str(filled))
    with pytest.raises(SetupError):
        history.copy_windows("defter", "satis-ozet", iter([made_window(900), made_window(901)]))
    assert history.set_aside
    assert history.high_water_mark("defter", "satis-ozet") == 0
    history.close()


@pytest.mark.posix  # Windows moves no file that another process has open: the run goes on without
def test_of_two_that_meet_the_damage_one_sets_aside(filled):
    damage_tables(filled)
    one, two = open_history(str(filled)), open_history(str(filled))
    one.add_run(made_run(1))
    two.add_run(made_run(2))
    assert one.set_aside
    assert two.set_aside is None
    assert len([name for name in asides(filled) if name.endswith("Z")]) == 1
    reader = open_for_reading(str(filled))
    assert {run.run for run in reader.runs(RunFilter()).runs} == {"kosum-1", "kosum-2"}
    for opened in (one, two, reader):
        opened.close()


def test_reader_tells_damage_and_changes_nothing(path):
    path.write_bytes(b"no database at all " * 99)
    with pytest.raises(StateError) as caught:
        open_for_reading(str(path))
    assert caught.value.code == "history-damaged"
    assert path.read_bytes() == b"no database at all " * 99


def test_file_that_cannot_be_moved_is_an_error_and_stays(path, monkeypatch):
    path.write_bytes(b"damaged" * 99)

    def refuse(source, target):
        raise PermissionError(errno.EACCES, "used by another process", source, 32, target)

    monkeypatch.setattr(os, "rename", refuse)
    with pytest.raises(SetupError) as caught:
        open_history(str(path))
    assert caught.value.code == "history-unusable"
    assert path.read_bytes() == b"damaged" * 99


def test_folder_in_its_place_is_an_error(path):
    path.mkdir()
    for opening in (open_history, open_for_reading):
        with pytest.raises(SetupError) as caught:
            opening(str(path))
        assert caught.value.code == "history-unusable"


def test_missing_folder_is_an_error_and_is_not_made(tmp_path):
    with pytest.raises(SetupError):
        open_history(str(tmp_path / "yok" / "history.db"))
    assert not (tmp_path / "yok").exists()


def test_missing_history_reads_as_an_empty_one(path):
    reader = open_for_reading(str(path))
    assert reader.runs(RunFilter()).runs == []
    assert reader.latest_runs() == []
    assert not path.exists()
    reader.close()


@pytest.mark.posix
@pytest.mark.parametrize(("file_mode", "folder_mode"), [(0o444, 0o755), (0o600, 0o555), (0o444, 0o555)])
def test_without_the_right_to_write_runs_get_an_error_and_people_can_look(filled, powerless, file_mode, folder_mode):
    code = """
import sys
from tests.history.making import made_run
from trayapp.errors import SetupError
from trayapp.history.query import RunFilter, open_for_reading
from trayapp.history.store import open_history
try:
    open_history(sys.argv[1]).add_run(made_run(999))
except SetupError as error:
    print(error.code)
print(len(open_for_reading(sys.argv[1]).runs(RunFilter(), count=500).runs))
"""
    filled.chmod(file_mode)
    filled.with_name("history.db.lock").chmod(file_mode)
    filled.parent.chmod(folder_mode)
    out, err = start_python(code, filled, prefix=powerless).communicate()
    filled.parent.chmod(0o755)
    assert (out.split(), err) == (["history-unusable", "300"], "")


def test_several_processes_open_a_fresh_history_at_once(path):
    code = """
import sys
from tests.history.making import made_run
from trayapp.history.store import open_history
print("ready", flush=True)
sys.stdin.readline()
history = open_history(sys.argv[1])
history.add_run(made_run(int(sys.argv[2])))
print(history.set_aside)
history.close()
"""
    for attempt in range(3):
        fresh = path.with_name(f"history-{attempt}.db")
        processes = [start_python(code, fresh, number) for number in range(4)]
        for process in processes:
            assert process.stdout is not None
            process.stdout.readline()
        for process in processes:
            assert process.stdin is not None
            process.stdin.write("go\n")
            process.stdin.flush()
        for process in processes:
            assert process.communicate() == ("None\n", "")
        reader = open_for_reading(str(fresh))
        assert reader.count_by_outcome(RunFilter()) == {"done": 4}
        reader.close()


@pytest.mark.parametrize("name", ["%41 #1?.db", "İş günlüğü.db"])
def test_any_file_name_is_taken_as_it_is(tmp_path, name):
    if os.name == "nt":
        name = name.replace("?", "")
    open_history(str(tmp_path / name)).close()
    assert (tmp_path / name).exists()


def test_opening_for_a_run_imports_nothing_slow():
    code = "import sys; import trayapp.history.store; print(*sys.modules)"
    out, err = start_python(code).communicate()
    assert err == ""
    bare, _ = start_python("import sys; print(*sys.modules)").communicate()
    slow = {
        "typing",
        "re",
        "enum",
        "dataclasses",
        "pathlib",
        "logging",
        "json",
        "contextlib",
        "unicodedata",
        "tempfile",
    }
    assert not slow & (set(out.split()) - set(bare.split()))
