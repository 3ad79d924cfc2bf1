from __future__ import annotations

import sqlite3
import time
from datetime import timedelta

import pytest

from tests.history.making import NOON, SKIP_LINE, made_run, made_window, start_python
from trayapp.errors import SetupError
from trayapp.history import store
from trayapp.history.query import RunFilter, open_for_reading
from trayapp.history.store import ABANDONED, open_history


def test_run_reads_back_as_it_was_written(history, read):
    record = made_run(reason='İstanbul\'da "disk" dolu', exit_status=-9, new_count=None, started_at=NOON)
    history.add_run(record, [(NOON, "ATLANDI", SKIP_LINE)])
    assert read.run("kosum-1") == record
    assert [(line.at, line.token, line.text) for line in read.lines_of_run("kosum-1")] == [(NOON, "ATLANDI", SKIP_LINE)]


def test_instants_keep_their_microseconds(history, read):
    at = NOON + timedelta(microseconds=123_457)
    history.add_run(made_run(started_at=at, ended_at=None))
    found = read.run("kosum-1")
    assert (found.started_at, found.ended_at) == (at, None)


def test_run_written_again_replaces_the_first_and_keeps_its_lines(history, read):
    history.add_run(made_run(outcome="running", ended_at=None), [(NOON, "ISLENDI", "bir")])
    history.add_run(made_run(outcome="failed", exit_status=1), [(NOON, "HATA", "iki")])
    assert read.runs(RunFilter()).runs == [made_run(outcome="failed", exit_status=1)]
    assert [line.text for line in read.lines_of_run("kosum-1")] == ["bir", "iki"]
    assert read.count_by_outcome(RunFilter()) == {"failed": 1}


def test_half_a_surrogate_pair_is_kept_readable(history, read):
    history.add_run(made_run(reason="dosya \udc80"), [(NOON, "HATA", "ad \ud800")])
    assert read.run("kosum-1").reason == "dosya \\udc80"
    assert read.lines_of_run("kosum-1")[0].text == "ad \\ud800"


def test_failures_are_counted_since_the_last_success(history):
    outcomes = ["failed", "done", "failed", "skipped", "stopped", "uncertain", "failed"]
    for number, outcome in enumerate(outcomes):
        trigger = "manual" if number % 2 else "schedule"
        history.add_run(made_run(number, outcome=outcome, trigger=trigger))
    assert history.failures_in_a_row("satis-ozet") == 3
    assert history.failures_in_a_row("yedek") == 0
    history.add_run(made_run(99))
    assert history.failures_in_a_row("satis-ozet") == 0


def test_job_that_never_succeeded_counts_all_its_failures(history):
    for number in range(3):
        history.add_run(made_run(number, outcome="failed"))
    assert history.failures_in_a_row("satis-ozet") == 3


def test_killed_runs_are_no_longer_shown_as_running(history, read):
    history.add_run(made_run(1, outcome="running", ended_at=None))
    history.add_run(made_run(2, outcome="running", ended_at=None))
    history.add_run(made_run(3, outcome="running", ended_at=None, job="yedek"))
    history.end_abandoned_runs("satis-ozet", "kosum-2")
    found = {run.run: (run.outcome, run.reason) for run in read.runs(RunFilter()).runs}
    assert found == {"kosum-1": ("stopped", ABANDONED), "kosum-2": ("running", ""), "kosum-3": ("running", "")}
    assert read.count_by_outcome(RunFilter()) == {"stopped": 1, "running": 2}


def test_windows_are_copied_in_batches_and_the_mark_follows(history, read):
    assert history.high_water_mark("defter-1", "satis-ozet") == 0
    assert history.copy_windows("defter-1", "satis-ozet", (made_window(seq) for seq in range(1, 1202))) == 1201
    assert history.high_water_mark("defter-1", "satis-ozet") == 1201
    assert history.high_water_mark("defter-2", "satis-ozet") == 0
    assert history.high_water_mark("defter-1", "yedek") == 0
    assert read.windows_of_run("kosum-1") == [made_window(seq) for seq in range(1, 1202)]


def test_window_copied_again_shows_its_latest_change(history, read):
    history.copy_windows("defter", "satis-ozet", [made_window(1, 0, state="started"), made_window(2, 1)])
    history.copy_windows("defter", "satis-ozet", [made_window(3, 0, state="uncertain", reason="süre aşıldı")])
    history.copy_windows("defter", "satis-ozet", [made_window(1, 0, state="started")])
    states = [(window.seq, window.state, window.reason) for window in read.windows_of_run("kosum-1")]
    assert states == [(3, "uncertain", "süre aşıldı"), (2, "done", "")]
    assert history.high_water_mark("defter", "satis-ozet") == 3


def test_same_window_of_two_ledgers_is_two_rows(history, read):
    history.copy_windows("defter-1", "satis-ozet", [made_window(1, 0)])
    history.copy_windows("defter-2", "satis-ozet", [made_window(1, 0)])
    assert len(read.windows_of_run("kosum-1")) == 2


def test_batch_that_breaks_off_leaves_the_mark_where_the_rows_end(history, read):
    def rows():
        yield from (made_window(seq) for seq in range(1, 751))
        raise ConnectionError

    with pytest.raises(ConnectionError):
        history.copy_windows("defter", "satis-ozet", rows())
    assert history.high_water_mark("defter", "satis-ozet") == 500
    assert len(read.windows_of_run("kosum-1")) == 500


def test_copy_killed_anywhere_leaves_no_hole(path):
    code = """
import sys
from tests.history.making import made_window
from trayapp.history.store import open_history
history = open_history(sys.argv[1])
def rows():
    for seq in range(1, 200_000):
        if seq % 500 == 1:
            print(seq, flush=True)
        yield made_window(seq)
history.copy_windows("defter", "satis-ozet", rows())
"""
    for _ in range(3):
        process = start_python(code, path)
        assert process.stdout is not None
        for _ in range(4):
            process.stdout.readline()
        process.kill()
        process.communicate()
        history = open_history(str(path))
        mark = history.high_water_mark("defter", "satis-ozet")
        seqs = [row[0] for row in history.read("SELECT seq FROM ledger_window ORDER BY seq")]
        history.close()
        assert history.set_aside is None
        assert mark >= 1000
        assert seqs == list(range(1, mark + 1))


def test_reader_reads_while_a_run_writes(history, read):
    history.add_run(made_run(1))
    history._connection.execute("BEGIN IMMEDIATE")
    history._connection.execute("DELETE FROM run")
    began = time.monotonic()
    assert len(read.runs(RunFilter()).runs) == 1
    assert time.monotonic() - began < 1
    history._connection.execute("ROLLBACK")


def test_writers_of_several_processes_wait_for_each_other(path):
    code = """
import sys
from tests.history.making import NOON, made_run
from trayapp.history.store import open_history
name = sys.argv[2]
history = open_history(sys.argv[1])
for number in range(100):
    history.add_run(made_run(number, run=f"{name}-{number}", job=name), [(NOON, "ISLENDI", "x")])
history.close()
"""
    writers = [start_python(code, path, name) for name in "abcd"]
    for writer in writers:
        assert writer.communicate() == ("", "")
        assert writer.returncode == 0
    reader = open_for_reading(str(path))
    assert reader.count_by_outcome(RunFilter()) == {"done": 400}
    assert len(reader.newest_lines(1000)) == 400
    reader.close()


def test_history_kept_locked_is_an_error_that_names_it(history, path, monkeypatch):
    other = sqlite3.connect(path, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    history._connection.execute("PRAGMA busy_timeout = 50")
    with pytest.raises(SetupError) as caught:
        history.add_run(made_run())
    assert (caught.value.code, caught.value.facts["path"]) == ("history-unusable", str(path))
    other.close()
    history.add_run(made_run())


def test_leaving_without_closing_keeps_the_rows_and_the_wal_small(path):
    code = """
import gc, os, sys
from tests.history.making import NOON, SKIP_LINE, made_run
from trayapp.history.store import open_history
def run():
    history = open_history(sys.argv[1])
    for number in range(int(sys.argv[2]), int(sys.argv[2]) + 10):
        history.add_run(made_run(number, outcome="skipped"), [(NOON, "ATLANDI", SKIP_LINE)])
    history.leave()
run()
gc.collect()  # a connection refers to itself, so it would close whenever it pleases
os._exit(0)
"""
    left_open, largest = 0, 0
    for first in range(0, 80, 10):
        process = start_python(code, path, first)
        assert process.communicate() == ("", "")
        wal = path.with_name("history.db-wal")
        left_open += wal.exists()
        largest = max(largest, wal.stat().st_size if wal.exists() else 0)
    assert 0 < left_open < 8, "closed each time, or never"
    assert largest < 1 << 20
    reader = open_for_reading(str(path))
    assert reader.count_by_outcome(RunFilter()) == {"skipped": 80}
    reader.close()


def test_leaving_again_and_again_in_one_process_keeps_one_connection(path):
    for number in range(30):
        history = open_history(str(path))
        history.add_run(made_run(number))
        history.leave()
    assert len(store._left_open) <= 1
    while store._left_open:
        store._left_open.pop().close()
    reader = open_for_reading(str(path))
    assert reader.count_by_outcome(RunFilter()) == {"done": 30}
    reader.close()


def test_killed_writer_damages_nothing(path):
    code = """
import sys
from tests.history.making import NOON, made_run
from trayapp.history.store import open_history
history = open_history(sys.argv[1])
print("begun", flush=True)
for number in range(1_000_000):
    history.add_run(made_run(number), [(NOON, "ISLENDI", "x" * 500)])
    if number == 50:
        print("50", flush=True)
"""
    for _ in range(3):
        process = start_python(code, path)
        assert process.stdout is not None
        process.stdout.readline()
        process.stdout.readline()
        process.kill()
        process.communicate()
        history = open_history(str(path))
        assert history.set_aside is None
        assert history.read("PRAGMA integrity_check") == [("ok",)]
        counted = history.read("SELECT sum(run_count) FROM day WHERE job = 0")
        assert counted == history.read("SELECT count(*) FROM run")
        assert not history.read("SELECT 1 FROM run WHERE id NOT IN (SELECT run FROM line)")
        history.close()
