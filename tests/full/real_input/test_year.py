"""The year of real flights once more, in small bites with many kills, each flight under a key of its own."""

from __future__ import annotations

import random

import pytest

from tests.runner.flights import Airport
from tests.runner.office import Office

NEXT_YEAR = "2014-01-01T06:00:00Z"
# Claims each flight by its number; a flight that came twice would be seen.
CLAIMING_PY = """
def process(window, tx):
    start, end = (at.isoformat()[:19] for at in window)
    rows = tx.execute("SELECT rowid, gecikme FROM ucus WHERE saat >= ? AND saat < ?", (start, end)).fetchall()
    new = tx.first_times(f"ucus-{number}" for number, _ in rows)
    known = [delay for _, delay in rows if delay is not None]
    tx.execute("INSERT INTO ozet VALUES (?, ?, ?, ?)", (start, len(new), sum(known), len(rows) - len(known)))
"""

pytestmark = [pytest.mark.linux, pytest.mark.timeout(0)]


@pytest.mark.parametrize("kind", ["sql", "python"])
def test_year_in_bites_of_a_hundred_with_a_kill_each_time(office: Office, kind: str) -> None:
    airport = Airport(office)
    airport.hourly(max_per_run=100)
    if kind == "python":
        office.python_job("saatlik", CLAIMING_PY, window="start = 2013-01-01T05:00:00Z\nmax_per_run = 100")
    rounds = airport.catch_up("saatlik", NEXT_YEAR, 8_761, random.Random())
    print(f"\n{kind}: 8,761 hours in {rounds} rounds, a kill in each")
    airport.assert_equals_the_file("saatlik", 8_761)
    if kind == "python":
        assert office.ask("SELECT count(*), count(DISTINCT key) FROM birkez_key") == [(336_776, 336_776)]
