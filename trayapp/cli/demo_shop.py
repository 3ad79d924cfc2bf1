"""The small shop of `birkez demo`: its orders, and whether the summary agrees with them."""

from __future__ import annotations

import os
import random
import sqlite3
from datetime import timedelta

from trayapp import clock
from trayapp.ledger.sqlite_file import create_database
from trayapp.places import resources_dir
from trayapp.value import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from datetime import datetime

    from trayapp.wording.language import Language

JOB = "satis-ozet"
HOUR = timedelta(hours=1)
_SEED = 20260904  # the same orders at each demo, but for the day
_PRODUCTS = (("çay", 1500), ("simit", 2000), ("ayran", 3500), ("tost", 12000), ("künefe", 21000))
_TEMPLATE_START = "2026-09-04T10:00:00Z"
_ORDERS_PER_HOUR = (38, 64)


class Shop(NamedTuple):
    """Files of the shop in *folder*; its first order came at *opened_at*, a full hour."""

    folder: str
    opened_at: datetime

    @property
    def database(self) -> str:
        """Orders and summary."""
        return os.path.join(self.folder, "satis.db")

    @property
    def job_file(self) -> str:
        """Job file to add."""
        return os.path.join(self.folder, "satis-ozet.toml")


class Hour(NamedTuple):
    """One hour: its orders and their sum in kuruş, and what the summary has of it in how many rows."""

    start: datetime
    order_count: int
    order_sum: int
    row_count: int
    summed_count: int
    summed_sum: int

    @property
    def is_right(self) -> bool:
        """Tell whether the summary has this hour once, with these orders."""
        return (self.row_count, self.summed_count, self.summed_sum) == (1, self.order_count, self.order_sum)


def open_shop(folder: str, hours: int, language: Language) -> Shop:
    """Make the shop's files in *folder*: orders of the last *hours* full hours and of the one that runs.

    Raises: OSError, SetupError.
    """
    now = clock.now()
    shop = Shop(folder, now.replace(minute=0, second=0, microsecond=0) - hours * HOUR)
    resources = os.path.join(resources_dir(), "demo")
    _copy(os.path.join(resources, "ozet.sql"), os.path.join(folder, "ozet.sql"))
    start = clock.format_instant(shop.opened_at)
    _copy(os.path.join(resources, f"satis-ozet.{language}.toml"), shop.job_file, {_TEMPLATE_START: start})
    create_database(shop.database)
    connection = sqlite3.connect(shop.database)
    with open(os.path.join(resources, "dukkan.sql"), encoding="utf-8") as file:
        connection.executescript(file.read())
    with connection:
        connection.executemany("INSERT INTO siparis (an, urun, kurus) VALUES (?, ?, ?)", _orders(shop.opened_at, now))
    connection.close()
    return shop


def order_in_progress(shop: Shop) -> sqlite3.Connection:
    """Begin to write an order, as the till does; the database is kept until the caller commits."""
    connection = sqlite3.connect(shop.database, isolation_level=None)
    connection.execute("BEGIN IMMEDIATE")
    product, price = _PRODUCTS[0]
    at = clock.format_instant(clock.now())
    connection.execute("INSERT INTO siparis (an, urun, kurus) VALUES (?, ?, ?)", (at, product, price))
    return connection


def compare(shop: Shop, until: datetime) -> list[Hour]:
    """Each hour before *until*, as the orders and as the summary have it."""
    connection = sqlite3.connect(shop.database)
    hours = []
    start = shop.opened_at
    while start < until:
        first, last = _text(start), _text(start + HOUR)
        ordered = connection.execute(
            "SELECT count(*), coalesce(sum(kurus), 0) FROM siparis WHERE an >= ? AND an < ?", (first, last)
        ).fetchone()
        summed = connection.execute(
            "SELECT count(*), coalesce(sum(adet), 0), coalesce(sum(kurus), 0) FROM ozet WHERE saat = ?", (first,)
        ).fetchone()
        hours.append(Hour(start, *ordered, *summed))
        start += HOUR
    connection.close()
    return hours


def order_count(shop: Shop) -> int:
    """How many orders there are."""
    connection = sqlite3.connect(shop.database)
    (count,) = connection.execute("SELECT count(*) FROM siparis").fetchone()
    connection.close()
    return int(count)


def _orders(first: datetime, until: datetime) -> list[tuple[str, str, int]]:
    chance = random.Random(_SEED)  # noqa: S311  # orders, not secrets
    orders = []
    hour = first
    while hour < until:
        # One order at the first moment of the hour, one at its last: each must count in one hour only.
        seconds = [0, 3599, *(chance.randrange(3600) for _ in range(chance.randint(*_ORDERS_PER_HOUR)))]
        for second in sorted(seconds):
            at = hour + timedelta(seconds=second)
            product, price = chance.choice(_PRODUCTS)
            if at < until:
                orders.append((clock.format_instant(at), product, price * chance.randint(1, 3)))
        hour += HOUR
    return orders


def _text(at: datetime) -> str:
    return at.replace(tzinfo=None).isoformat(timespec="seconds")


def _copy(source: str, target: str, changes: dict[str, str] | None = None) -> None:
    with open(source, encoding="utf-8") as file:
        text = file.read()
    for old, new in (changes or {}).items():
        text = text.replace(old, new)
    with open(target, "x", encoding="utf-8") as file:
        file.write(text)
