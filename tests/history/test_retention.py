from __future__ import annotations

import os
import threading
import time
from datetime import timedelta

import pytest

from tests.history.making import NOON, SKIP_LINE, fill, made_run, made_window, start_python
from trayapp.history import retention
from trayapp.history.query import RunFilter
from trayapp.history.retention import maintain_if_due, purge
from trayapp.places import Places
from trayapp.settings import change_settings

DAY = 24 * 60  # minutes
NOW = NOON + timedelta(days=400)


@pytest.fixture
def places(tmp_path):
    return Places(str(tmp_path / "config"), str(tmp_path / "state"))


def write_output(places, job, run, age_days=0.0):
    path = places.output_file(job, run)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding="utf-8") as file:
        file.write("cikti")
    at = time.time() - age_days * 86400
    os.utime(path, (at, at))
    return path


def test_old_runs_go_with_their_lines_and_output(history, read, places):
    # All long ago, so that the files are young: they go with their runs, not by their age.
    old, new = made_run(1, minutes=-900 * DAY), made_run(2, minutes=-700 * DAY)
    for run in (old, new):
        history.add_run(run, [(run.started_at, "ISLENDI", SKIP_LINE)] * 3)
    output = [write_output(places, "satis-ozet", run) for run in ("kosum-1", "kosum-2")]
    assert purge(history, NOON - timedelta(days=800), places) == (1, 0, True)
    assert read.runs(RunFilter()).runs == [new]
    assert len(read.newest_lines(99)) == 3
    assert read.count_by_outcome(RunFilter()) == {"done": 1}
    assert [os.path.exists(path) for path in output] == [False, True]


def test_run_that_began_at_the_border_stays(history, read):
    history.add_run(made_run(1, minutes=0))
    history.add_run(made_run(2, minutes=1))
    purge(history, NOON)
    assert len(read.runs(RunFilter()).runs) == 2


def test_newest_run_of_each_job_stays_with_its_output(history, read, places):
    for number, job in enumerate(["a", "a", "b"]):
        history.add_run(made_run(number, job=job))
    output = write_output(places, "b", "kosum-2", age_days=300)
    assert purge(history, NOW, places).runs == 1
    assert [run.run for run in read.latest_runs()] == ["kosum-1", "kosum-2"]
    assert os.path.exists(output)


def test_output_without_a_run_goes_by_its_age(history, places):
    lost, young = write_output(places, "a", "kayip", age_days=9), write_output(places, "a", "yeni", age_days=1)
    from trayapp import clock

    purge(history, clock.now() - timedelta(days=5), places)
    assert not os.path.exists(lost)
    assert os.path.exists(young)


def test_settled_windows_go_and_those_that_wait_for_somebody_stay(history, read):
    states = ["done", "uncertain", "skipped", "failed", "passed", "again", "superseded", "started"]
    rows = [made_window(seq, state=state) for seq, state in enumerate(states, 1)]
    history.copy_windows("defter", "satis-ozet", rows)
    assert purge(history, NOW).windows == 4
    assert [window.state for window in read.windows_of_run("kosum-1")] == ["uncertain", "failed", "again", "started"]


def test_what_was_forgotten_does_not_come_back(history, read):
    rows = [made_window(seq) for seq in range(1, 11)]
    history.copy_windows("defter", "satis-ozet", rows)
    purge(history, NOW)
    assert history.high_water_mark("defter", "satis-ozet") == 10
    mark = history.high_water_mark("defter", "satis-ozet")
    history.copy_windows("defter", "satis-ozet", [row for row in rows if row.seq > mark])
    assert read.windows_of_run("kosum-1") == []


def test_backlog_of_any_size_goes_in_short_transactions(history, read, monkeypatch):
    fill(history, (made_run(number, minutes=number * 10) for number in range(5000)))
    transact, longest, number_of = history.transact, [0.0], [0]

    def watched(work, **how):
        began = time.monotonic()
        result = transact(work, **how)
        longest[0] = max(longest[0], time.monotonic() - began)
        number_of[0] += 1
        return result

    monkeypatch.setattr(history, "transact", watched)
    assert purge(history, made_run(4900, minutes=49000).started_at) == (4900, 0, True)
    assert number_of[0] >= 4900 / 250
    assert longest[0] < 1
    assert read.count_by_outcome(RunFilter()) == {"done": 100}
    assert history.read("SELECT count(*) FROM day WHERE run_count = 0 AND job > 0") == [(0,)]


def test_run_with_very_many_lines_goes_in_parts(history, read, monkeypatch):
    monkeypatch.setattr(retention, "_LINES_AT_ONCE", 100)
    history.add_run(made_run(1), [(NOON, "ISLENDI", SKIP_LINE)] * 1050)
    history.add_run(made_run(2, minutes=500 * DAY))
    assert purge(history, NOW).runs == 1
    assert read.newest_lines(9) == []


def test_space_is_returned(history, path):
    fill(history, (made_run(number) for number in range(5000)), "x" * 400)
    history.read("PRAGMA wal_checkpoint(TRUNCATE)")
    before = path.stat().st_size
    purge(history, NOW)
    history.read("PRAGMA wal_checkpoint(TRUNCATE)")
    assert path.stat().st_size < before / 4
    free, total = (history.read(f"PRAGMA {name}")[0][0] for name in ("freelist_count", "page_count"))
    assert free <= total / 10 + 1


@pytest.fixture
def two_batches(monkeypatch):
    """Let the time of each purge be up after two batches of ten runs."""
    monkeypatch.setattr(retention, "_RUNS_AT_ONCE", 10)

    def is_time_up(purging):
        purging.asked = getattr(purging, "asked", 0) + 1
        return purging.asked >= 2

    monkeypatch.setattr(retention._Purging, "is_time_up", is_time_up)


@pytest.mark.usefixtures("two_batches")
def test_budget_ends_a_purge_early_and_the_next_goes_on(history):
    fill(history, (made_run(number) for number in range(300)))
    assert purge(history, NOW) == (20, 0, False)
    assert purge(history, NOW) == (20, 0, False)


def test_budget_of_nothing_still_gets_further(history, monkeypatch):
    monkeypatch.setattr(retention, "_RUNS_AT_ONCE", 10)
    fill(history, (made_run(number) for number in range(30)))
    assert purge(history, NOW, budget_s=0) == (10, 0, False)


def test_maintenance_comes_once_a_day(history, places):
    history.add_run(made_run(1))
    history.add_run(made_run(2))
    assert maintain_if_due(history, places, NOON + timedelta(days=401)).runs == 1
    assert maintain_if_due(history, places, NOON + timedelta(days=401, hours=23)) is None
    assert maintain_if_due(history, places, NOON + timedelta(days=402)) is not None


def test_maintenance_keeps_as_long_as_the_person_wishes(history, places):
    change_settings(places, history_days=10)
    for number in range(3):
        history.add_run(made_run(number, minutes=number * 8 * DAY))
    assert maintain_if_due(history, places, NOON + timedelta(days=17)).runs == 1


def test_unreadable_settings_remove_nothing(history, places):
    change_settings(places, history_days=10)
    with open(places.settings_file, "w", encoding="utf-8") as file:
        file.write("history_days = 'ten'")
    fill(history, (made_run(number) for number in range(9)))
    assert maintain_if_due(history, places, NOW) is None
    assert history.read("SELECT count(*) FROM run") == [(9,)]


def test_unfinished_maintenance_goes_on_at_the_next_run(history, places, monkeypatch):
    monkeypatch.setattr(retention, "_RUNS_AT_ONCE", 10)
    fill(history, (made_run(number) for number in range(36)))
    now = NOON + timedelta(days=500)
    for _ in range(3):
        assert maintain_if_due(history, places, now, budget_s=0) == (10, 0, False)
    assert maintain_if_due(history, places, now) == (5, 0, True)
    assert maintain_if_due(history, places, now) is None


def test_note_of_a_clock_that_was_ahead_does_not_stop_maintenance(history, places):
    maintain_if_due(history, places, NOON + timedelta(days=3650))
    assert maintain_if_due(history, places, NOON) is not None


def test_runs_write_while_a_purge_works(history, path):
    fill(history, (made_run(number) for number in range(8000)))
    code = """
import sys, time
from datetime import timedelta
from tests.history.making import NOON, SKIP_LINE, made_run
from trayapp.history.store import open_history
longest = 0
print("ready", flush=True)
history = open_history(sys.argv[1])
for number in range(100_000, 100_060):
    began = time.monotonic()
    history.add_run(made_run(number, minutes=500 * 24 * 60 + number), [(NOON, "ISLENDI", SKIP_LINE)])
    longest = max(longest, time.monotonic() - began)
    time.sleep(0.01)
history.close()
print(longest)
"""
    writer = start_python(code, path)
    assert writer.stdout is not None
    writer.stdout.readline()
    done = threading.Event()
    threading.Thread(target=lambda: (writer.wait(), done.set()), daemon=True).start()
    purged = purge(history, NOW).runs
    assert done.wait(15)
    out, err = writer.communicate()
    assert err == ""
    assert float(out) < 1
    assert purged >= 7999
    assert history.read("SELECT count(*) FROM run WHERE name LIKE 'kosum-1000__'") == [(60,)]
