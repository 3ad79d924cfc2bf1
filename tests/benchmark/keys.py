"""New record keys with their effect, and the same keys again, beside the loop and the limit.

One call of `process` is one window, performed by the runner's own performer in one
transaction on disk: the job's row, the keys, the effect, the counts and the watermark.
"""

from __future__ import annotations

import sqlite3
import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from tests.benchmark import plain
from tests.benchmark.measure import Bench, Figures, in_turn, median, ratio
from tests.benchmark.plain import Order, Sale
from tests.benchmark.table import Goal, Row, Table, per_s
from trayapp.effect.interruption import Interruption
from trayapp.effect.unit import Unit
from trayapp.job.model import Job, PythonEffect, SqlEffect, WindowRule
from trayapp.ledger.ledger import window_key
from trayapp.ledger.sqlite import open_sqlite_ledger
from trayapp.runner.perform import Performed, Workplace, performer
from trayapp.window.grid import Window

if TYPE_CHECKING:
    from trayapp.effect.python_transaction import Transaction

START = datetime(2026, 9, 4, tzinfo=UTC)
_HOUR = timedelta(hours=1)
_JOB_ID = "satis-ozet"
_AT_ONCE = 1_000
_SLOW = ("loop", "loop, rows")  # a commit a record: these take some records only

# A user's file that hands its window to whatever is measured just now.
_PROCESS = "from tests.benchmark import keys\ndef process(window, tx):\n    keys.work(tx)\n"
work: Callable[[Transaction], None]

_NEW = {"random": Goal("≥", 150), "sequential": Goal("≥", 350)}
_OF_LIMIT = Goal("≥", 0.6)
_AGAIN = Goal("≥", 10)


def measure_keys(bench: Bench) -> Table:
    """Measure random keys, then sequential ones: their order alone is worth a factor."""
    count = 20_000 if bench.quick else 100_000
    rows = [row for order in ("random", "sequential") for row in _rows(bench, order, count)]
    note = (
        f"{count:,} keys, WAL, `synchronous=FULL`. The loop: one record a transaction, rollback journal. "
        "The limit: a plain INSERT of the sorted keys in one transaction, no effect."
    )
    return Table("Record keys", note, rows)


@contextmanager
def workplace(folder: Path, effect: str, tables: str = plain.TABLES) -> Iterator[Callable[[int], Performed]]:
    """Open a job's ledger in a new WAL database; yields what performs the window of an hour by its number.

    *effect* is the text of its script, or empty for Python's `process`.
    """
    database = str(folder / "ours.db")
    with closing(sqlite3.connect(database)) as connection:
        connection.execute("PRAGMA journal_mode=WAL")
        connection.executescript(tables)
    file = folder / ("effect.sql" if effect else "effect.py")
    file.write_text(effect or _PROCESS, encoding="utf-8")
    what = SqlEffect(database, str(file)) if effect else PythonEffect(database, str(file), "process")
    job = Job(_JOB_ID, "", str(folder / "job.toml"), WindowRule("1h", START), what)
    with closing(open_sqlite_ledger(database)) as ledger:
        place = Workplace(job, ledger, "schedule", Interruption(), str(folder / "output.txt"))
        perform = performer(place, lambda *_: None)
        yield lambda number: perform(_unit(number))


def _unit(number: int) -> Unit:
    window = Window(START + number * _HOUR, START + (number + 1) * _HOUR)
    return Unit(_JOB_ID, "20260904-120501-00000000", window, window_key(_JOB_ID, window.start))


def _rows(bench: Bench, order: Order, count: int) -> list[Row]:
    sales = plain.make_sales(count, order)
    few = sales[: 300 if bench.quick else 2_000]
    taken: Figures = {}
    for name, figures in _measured(bench, sales, few).items():
        taken[name] = [len(few if name in _SLOW else sales) / seconds for seconds in figures]
    return [
        _row(f"{order} keys, new, a sum a day", taken, "one call", "loop", _NEW[order]),
        _row(f"{order} keys, new, beside the limit", taken, "one call", "limit", _OF_LIMIT),
        _row(f"{order} keys, again", taken, "again", "loop, again", _AGAIN),
        _row(f"{order} keys, new, {_AT_ONCE:,} a call", taken, "many calls", "loop"),
        _row(f"{order} keys, new, a row each", taken, "rows", "loop, rows"),
    ]


def _row(what: str, rates: Figures, name: str, peer: str, goal: Goal | None = None) -> Row:
    own, other = rates[name], rates[peer]
    return Row(what, per_s(median(own), "keys"), f"{peer}: {per_s(median(other), '')}", ratio(own, other), goal)


def _measured(bench: Bench, sales: Sequence[Sale], few: Sequence[Sale]) -> Figures:
    """Seconds of each way, those that are measured in one go (new, then again) kept together."""
    again: list[float] = []

    def new_and_again(room: Path) -> float:
        first_s, again_s = _ours_twice_s(sales, room)
        again.append(again_s)
        return first_s

    def alone(way: Callable[[Path], float]) -> float:
        with bench.room() as room:
            return way(room)

    cases = {
        "one call": partial(alone, new_and_again),
        "many calls": partial(alone, partial(_ours_s, partial(_sum_many_calls, sales), sales)),
        "rows": partial(alone, partial(_ours_s, partial(_add_rows, sales), sales, by_rows=True)),
        "loop": partial(alone, partial(_loop_s, few)),
        "loop, again": partial(alone, partial(_loop_again_s, sales)),
        "loop, rows": partial(alone, lambda room: plain.loop_s(room / "loop.db", few, effect=plain.ADD_ROW)),
        "limit": partial(alone, lambda room: plain.limit_s(room / "limit.db", sales)),
    }
    rounds = bench.rounds(7)
    return {**in_turn(cases, rounds), "again": again[-rounds:]}


def _loop_s(sales: Sequence[Sale], room: Path) -> float:
    took_s = plain.loop_s(room / "loop.db", sales)
    plain.check(room / "loop.db", sales)
    return took_s


def _loop_again_s(sales: Sequence[Sale], room: Path) -> float:
    plain.fill(room / "loop.db", sales)
    took_s = plain.loop_s(room / "loop.db", sales)
    plain.check(room / "loop.db", sales)
    return took_s


def _ours_twice_s(sales: Sequence[Sale], room: Path) -> tuple[float, float]:
    with workplace(room, "") as perform:
        first_s = _performed_s(perform, 0, partial(_sum_one_call, sales), len(sales))
        again_s = _performed_s(perform, 1, partial(_sum_one_call, sales), 0)
    plain.check(room / "ours.db", sales)
    return first_s, again_s


def _ours_s(what: Callable[[Transaction], None], sales: Sequence[Sale], room: Path, *, by_rows: bool = False) -> float:
    with workplace(room, "") as perform:
        took_s = _performed_s(perform, 0, what, len(sales))
    plain.check(room / "ours.db", sales, by_rows=by_rows)
    return took_s


def _performed_s(
    perform: Callable[[int], Performed], number: int, what: Callable[[Transaction], None], new_count: int
) -> float:
    global work  # noqa: PLW0603  # the user's file is imported by its path and gets no arguments of ours
    work = what
    began_s = time.perf_counter()
    performed = perform(number)
    took_s = time.perf_counter() - began_s
    assert (performed.state, performed.counts.new) == ("done", new_count), performed
    return took_s


def _sum_one_call(sales: Sequence[Sale], tx: Transaction) -> None:
    new = set(tx.first_times(key for key, _, _ in sales))
    sums: dict[str, int] = defaultdict(int)
    for key, day, amount in sales:
        if key in new:
            sums[day] += amount
    tx.execute_many(plain.ADD_TO_DAY, sums.items())


def _sum_many_calls(sales: Sequence[Sale], tx: Transaction) -> None:
    for first in range(0, len(sales), _AT_ONCE):
        _sum_one_call(sales[first : first + _AT_ONCE], tx)


def _add_rows(sales: Sequence[Sale], tx: Transaction) -> None:
    new = set(tx.first_times(key for key, _, _ in sales))
    tx.execute_many(plain.ADD_ROW, (sale for sale in sales if sale[0] in new))
