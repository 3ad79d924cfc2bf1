"""Two months of 50 jobs at once (P106): all that is old goes, and no run waits for it."""

from __future__ import annotations

from datetime import timedelta

import pytest

from tests.history.making import NOON, SKIP_LINE, fill, made_run, made_window, start_python
from trayapp.history.query import RunFilter, open_for_reading
from trayapp.history.retention import purge
from trayapp.history.store import open_history

DAYS, KEPT_DAYS, JOBS = 60, 10, 50
QUARTERS = DAYS * 96
END = NOON + timedelta(days=DAYS)

RUNNER = """
import sys, time
from tests.history.making import SKIP_LINE, made_run
from trayapp import clock
from trayapp.history.store import open_history
name, longest, number = sys.argv[2], 0, 0
started_at = clock.parse_instant(sys.argv[3])
print("ready", flush=True)
import select
while not select.select([sys.stdin], [], [], 0.02)[0]:
    began = time.monotonic()
    history = open_history(sys.argv[1])
    record = made_run(number, run=f"{name}-{number}", job=name, started_at=started_at, outcome="skipped")
    history.add_run(record, [(started_at, "ATLANDI", SKIP_LINE)])
    history.close()
    longest, number = max(longest, time.monotonic() - began), number + 1
print(number, longest)
"""


@pytest.mark.posix  # select on a pipe
@pytest.mark.timeout(900)
def test_backlog_goes_while_runs_go_on(tmp_path):
    path = tmp_path / "history.db"
    history = open_history(str(path))
    for first in range(0, QUARTERS, 96):
        quarters = range(first, first + 96)
        runs = (
            made_run(0, minutes=15 * quarter, run=f"{job}-{quarter}", job=f"is-{job}", outcome="skipped")
            for quarter in quarters
            for job in range(JOBS)
        )
        fill(history, runs, SKIP_LINE)
    history.copy_windows("defter", "is-1", (made_window(seq) for seq in range(1, DAYS * 24)))
    history.read("PRAGMA wal_checkpoint(TRUNCATE)")
    size_before = path.stat().st_size

    runners = [start_python(RUNNER, path, f"yeni-{number}", END.isoformat()) for number in range(2)]
    for runner in runners:
        assert runner.stdout is not None
        runner.stdout.readline()
    border = END - timedelta(days=KEPT_DAYS)
    purged = purge(history, border)
    written = 0
    for runner in runners:
        out, err = runner.communicate("stop\n")
        assert err == ""
        number, longest = out.split()
        written += int(number)
        print(f"{number} runs beside the purge, the longest took {float(longest):.3f} s")
        assert float(longest) < 1

    assert purged.is_complete
    assert purged.runs == (DAYS - KEPT_DAYS) * 96 * JOBS
    assert written > 50
    assert history.high_water_mark("defter", "is-1") == DAYS * 24 - 1
    assert history.read("PRAGMA integrity_check") == [("ok",)]
    history.close()
    reader = open_for_reading(str(path))
    assert reader.count_by_outcome(RunFilter(until=border)) == {}
    assert reader.count_by_outcome(RunFilter()) == {"skipped": KEPT_DAYS * 96 * JOBS + written}
    reader.close()
    assert path.stat().st_size < size_before / 3


@pytest.mark.timeout(300)
def test_a_long_history_opens_filters_and_pages_at_once(tmp_path):
    """Counts of steps, not of time: SQLite walks over no more rows than it shows."""
    path = tmp_path / "history.db"
    history = open_history(str(path))
    outcomes = ["skipped"] * 60 + ["done"] * 38 + ["failed", "uncertain"]
    triggers = ["schedule"] * 499 + ["manual"]
    runs = (
        made_run(
            0,
            minutes=number / 2,
            run=str(number),
            job=f"is-{number % JOBS}",
            outcome=outcomes[number * 7919 % 100],
            trigger=triggers[number * 104_729 % 500],
        )
        for number in range(200_000)
    )
    fill(history, runs, SKIP_LINE)
    history.close()
    reader = open_for_reading(str(path))
    steps = [0]

    def count_steps() -> None:
        steps[0] += 1

    reader._connection.set_progress_handler(count_steps, 1000)
    middle = NOON + timedelta(minutes=50_000)
    for wanted in (
        RunFilter(),
        RunFilter(jobs=["is-7"]),
        RunFilter(outcomes=["uncertain"]),
        RunFilter(triggers=["manual"], outcomes=["failed"]),
        RunFilter(jobs=["is-7"], triggers=["manual"]),
        RunFilter(until=middle),
        RunFilter(since=middle, until=middle + timedelta(days=1)),
    ):
        steps[0] = 0
        page = reader.runs(wanted)
        if page.next_key:
            reader.runs(wanted, page.next_key)
        reader.count_by_outcome(wanted)
        assert steps[0] < 100, wanted
    reader.close()
