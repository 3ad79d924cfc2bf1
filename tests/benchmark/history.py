"""Looking at a long history: the first page, a filter, the next page."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import closing
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path

from tests.benchmark.measure import Bench, in_turn, median
from tests.benchmark.table import Goal, Row, Table, ms
from trayapp.history.query import RunFilter, open_for_reading
from trayapp.history.records import RunRecord, put_line, put_run
from trayapp.history.store import open_history

_JOBS = 200
_FIRST = datetime(2025, 9, 4, tzinfo=UTC)
_YEAR = timedelta(days=365)
_AT_ONCE = 20_000
_FIRST_ROWS = Goal("≤", 150)
_FILTERS = {
    "all runs": RunFilter(),
    "one job": RunFilter(jobs=("is-017",)),
    "failures of one job": RunFilter(jobs=("is-017",), outcomes=("failed",)),
    "failures of all jobs": RunFilter(outcomes=("failed",)),
    "a week of half a year ago": RunFilter(since=_FIRST + _YEAR / 2, until=_FIRST + _YEAR / 2 + timedelta(days=7)),
    "a text that many lines hold": RunFilter(text="anahtar"),
    "a text that one line holds: what the first 0.1 s find": RunFilter(text="yokbunda"),
}


def measure_history(bench: Bench) -> Table:
    """Measure with a connection of its own each time, as a window that is opened."""
    count = 100_000 if bench.quick else 1_000_000
    with bench.room() as room:
        path = str(room / "history.db")
        began_s = time.perf_counter()
        fill_year(path, count)
        rate = count / (time.perf_counter() - began_s)
        cases: dict[str, Callable[[], float]] = {}
        for name, wanted in _FILTERS.items():
            cases[f"open, first page: {name}"] = partial(_first_page_s, path, wanted)
        cases["the page behind the 100th"] = partial(_later_page_s, path)
        cases["numbers by outcome, a year"] = partial(_counts_s, path)
        figures = in_turn(cases, bench.rounds(7))
        size = Path(path).stat().st_size / count
    rows = [
        Row(name, ms(median(taken)), "", median(taken) * 1000, _FIRST_ROWS, "ms") for name, taken in figures.items()
    ]
    note = (
        f"{count:,} runs of {_JOBS} jobs with a line each, warm; pages of 200. "
        f"Written at {rate:,.0f} runs/s, {size:.0f} bytes each."
    )
    return Table("History", note, rows)


def _first_page_s(path: str, wanted: RunFilter) -> float:
    began_s = time.perf_counter()
    with closing(open_for_reading(path)) as reader:
        reader.runs(wanted)
        return time.perf_counter() - began_s


def _later_page_s(path: str) -> float:
    with closing(open_for_reading(path)) as reader:
        key = None
        for _ in range(100):
            key = reader.runs(RunFilter(), key).next_key
        began_s = time.perf_counter()
        assert len(reader.runs(RunFilter(), key).runs) == 200
        return time.perf_counter() - began_s


def _counts_s(path: str) -> float:
    began_s = time.perf_counter()
    with closing(open_for_reading(path)) as reader:
        assert reader.count_by_outcome(RunFilter(since=_FIRST + timedelta(hours=7)))
        return time.perf_counter() - began_s


def fill_year(path: str, count: int) -> None:
    history = open_history(path)
    records = _records(count)
    for _ in range(0, count, _AT_ONCE):
        history.transact(lambda connection: [_put(connection, next(records)) for _ in range(_AT_ONCE)])
    history.close()


def _put(connection, record: RunRecord) -> None:
    run_id = put_run(connection, record)
    what = "yokbunda" if record.run.endswith("-000777") else "anahtar"
    line = f"{record.started_at:%Y-%m-%dT%H:%M:%S}.000Z ISLENDI is={record.job} {what}={record.job}:x tetik=zamanli"
    put_line(connection, run_id, record.started_at, "ISLENDI", f"{line} kosum={record.run} kayit=12 tekrar=0 sure_ms=9")


def _records(count: int) -> Iterator[RunRecord]:
    outcomes = ["done"] * 20 + ["skipped"] * 75 + ["failed"] * 4 + ["uncertain"]
    for number in range(count):
        at = _FIRST + _YEAR * number / count
        outcome = outcomes[number * 7919 % 100]
        yield RunRecord(
            run=f"{at:%Y%m%d-%H%M%S}-{number:06d}",
            job=f"is-{number * 31 % _JOBS:03d}",
            trigger="schedule",
            pid=4242,
            started_at=at,
            ended_at=at + timedelta(milliseconds=40),
            outcome=outcome,
            reason="kapanmis pencere yok" if outcome == "skipped" else "",
            windows=int(outcome == "done"),
            exit_status=int(outcome == "failed"),
        )
