"""What a job would be without Birkez: the loop that each goal is measured against, and the limits.

The loop keeps its keys in the right way, one record a transaction, with SQLite's own
defaults: rollback journal, `synchronous=FULL`.
"""

from __future__ import annotations

import random
import sqlite3
import time
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from typing import Literal, NamedTuple

Order = Literal["random", "sequential"]

TABLES = """
CREATE TABLE ozet (gun TEXT PRIMARY KEY, toplam INTEGER NOT NULL);
CREATE TABLE satis (anahtar TEXT NOT NULL, gun TEXT NOT NULL, tutar INTEGER NOT NULL);
"""
ADD_TO_DAY = "INSERT INTO ozet VALUES (?, ?) ON CONFLICT (gun) DO UPDATE SET toplam = toplam + excluded.toplam"
ADD_ROW = "INSERT INTO satis VALUES (?, ?, ?)"

_KEYS = "CREATE TABLE islenen (anahtar TEXT PRIMARY KEY, an TEXT NOT NULL)"
_CLAIM = "INSERT OR IGNORE INTO islenen VALUES (?, ?)"


class Sale(NamedTuple):
    """A record to take over once."""

    key: str
    day: str
    amount: int


def make_sales(count: int, order: Order) -> list[Sale]:
    """Make records of a year whose keys come in no order, or in the order of their numbers."""
    dice = random.Random(count)
    sales = []
    for number in range(count):
        day = f"2026-{1 + number * 12 // count:02d}-{1 + number % 28:02d}"
        key = f"satis:{day}:{dice.getrandbits(64):016x}" if order == "random" else f"satis:{number:012d}:{day}"
        sales.append(Sale(key, day, dice.randrange(100, 100_000)))
    if order == "random":
        dice.shuffle(sales)
    # Made anew: what comes from a file or a cursor lies in memory in the order in which it comes.
    return [Sale(sale.key[:1] + sale.key[1:], sale.day, sale.amount) for sale in sales]


def loop_s(path: Path, sales: Sequence[Sale], *, effect: str = ADD_TO_DAY) -> float:
    """Seconds in which the loop takes *sales* over; again on the same file, it finds them all done."""
    is_new = not path.exists()
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        if is_new:
            connection.executescript(TABLES + _KEYS)
        began_s = time.perf_counter()
        for sale in sales:
            connection.execute("BEGIN IMMEDIATE")
            if connection.execute(_CLAIM, (sale.key, "2026-09-04T10:00:00Z")).rowcount:
                connection.execute(effect, sale if effect == ADD_ROW else sale[1:])
                connection.execute("COMMIT")
            else:
                connection.execute("ROLLBACK")
        return time.perf_counter() - began_s


def fill(path: Path, sales: Sequence[Sale]) -> None:
    """Make the loop's database as it stands when the loop has taken *sales* over, in a moment."""
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.executescript(TABLES + _KEYS)
        connection.executemany(_CLAIM, ((sale.key, "2026-09-04T10:00:00Z") for sale in sales))
        connection.executemany(ADD_TO_DAY, (sale[1:] for sale in sales))


def limit_s(path: Path, sales: Sequence[Sale]) -> float:
    """Seconds of a plain INSERT of the sorted keys in one transaction: no duplicate check, no effect.

    The connection is set as Birkez sets its own: WAL and FULL, nothing else.
    """
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute("PRAGMA journal_mode=WAL")
        connection.execute("PRAGMA synchronous=FULL")
        connection.execute(_KEYS)
        began_s = time.perf_counter()
        connection.execute("BEGIN IMMEDIATE")
        ordered = sorted((sale.key, "2026-09-04T10:00:00Z") for sale in sales)
        connection.executemany("INSERT INTO islenen VALUES (?, ?)", ordered)
        connection.execute("COMMIT")
        return time.perf_counter() - began_s


def check(path: Path, sales: Sequence[Sale], *, by_rows: bool = False) -> None:
    """Compare what stands in the database with the records: a fast way that is wrong measures nothing."""
    with closing(sqlite3.connect(path)) as connection:
        table, column = ("satis", "tutar") if by_rows else ("ozet", "toplam")
        found = connection.execute(f"SELECT sum({column}) FROM {table}").fetchone()[0]
    assert found == sum(sale.amount for sale in sales), (path, found)
