"""The sample job of the first start: a real job on a small database of its own, in Birkez's own folder."""

from __future__ import annotations

import os
import sqlite3
from contextlib import closing
from datetime import timedelta
from typing import TYPE_CHECKING

from trayapp import clock
from trayapp.places import resources_dir
from trayapp.wording.language import spoken_language

if TYPE_CHECKING:
    from datetime import datetime

    from trayapp.places import Places

_HOURS = 3
_ORDERS = 12  # an hour
_HOUR = timedelta(hours=1)
_TEMPLATE_START = "2026-09-04T10:00:00Z"
_SCHEDULE = '[schedule]\nevery = "1h"\n\n'


def make_sample(places: Places) -> str:
    """Make the sample's folder, database and job file; returns the job file's path, for `birkez job add`.

    It has no schedule: nothing is registered for a mere try. Blocks for the moment of a small database.
    Raises: OSError, sqlite3.Error.
    """
    folder = _new_folder(os.path.join(places.state, "sample"))
    demo = os.path.join(resources_dir(), "demo")
    now = clock.now()
    opened_at = now.replace(minute=0, second=0, microsecond=0) - _HOURS * _HOUR
    _copy(os.path.join(demo, "ozet.sql"), os.path.join(folder, "ozet.sql"))
    path = os.path.join(folder, "satis-ozet.toml")
    text = _read(os.path.join(demo, f"satis-ozet.{spoken_language()}.toml"))
    _write(path, text.replace(_TEMPLATE_START, clock.format_instant(opened_at)).replace(_SCHEDULE, ""))
    with closing(sqlite3.connect(os.path.join(folder, "satis.db"))) as connection:
        connection.executescript(_read(os.path.join(demo, "dukkan.sql")))
        with connection:
            connection.executemany("INSERT INTO siparis (an, urun, kurus) VALUES (?, ?, ?)", _orders(opened_at, now))
    return path


def _orders(first: datetime, until: datetime) -> list[tuple[str, str, int]]:
    step = _HOUR / _ORDERS
    count = int((until - first) / step)
    products = (("çay", 1500), ("simit", 2000), ("tost", 12000))
    return [(clock.format_instant(first + number * step), *products[number % len(products)]) for number in range(count)]


def _new_folder(wanted: str) -> str:
    number = 1
    while True:
        folder = wanted if number == 1 else f"{wanted}-{number}"
        try:
            os.makedirs(folder, mode=0o700)
        except FileExistsError:
            number += 1
        else:
            return folder


def _copy(source: str, target: str) -> None:
    _write(target, _read(source))


def _read(path: str) -> str:
    with open(path, encoding="utf-8") as file:
        return file.read()


def _write(path: str, text: str) -> None:
    with open(path, "x", encoding="utf-8") as file:
        file.write(text)
