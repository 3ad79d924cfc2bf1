"""A year of real flights, by the hour in UTC and by the day in New York."""

from __future__ import annotations

import random
from collections import Counter

import pytest

from tests.runner.flights import Airport, flights
from tests.runner.office import Office, utc

NEXT_YEAR = "2014-01-01T06:00:00Z"

pytestmark = [pytest.mark.linux, pytest.mark.timeout(300)]  # faketime; the first time, a download


def test_file_is_the_one_that_the_counts_are_known_of() -> None:
    assert len(flights()) == 336_776
    assert len({flight.hour for flight in flights()}) == 6_936
    assert sum(flight.delay is None for flight in flights()) == 8_255


def test_year_by_the_hour_with_three_starts_at_once_and_one_of_them_killed(office: Office) -> None:
    airport = Airport(office)
    airport.hourly(max_per_run=1_000)
    assert airport.catch_up("saatlik", NEXT_YEAR, 8_761, random.Random()) >= 9
    airport.assert_equals_the_file("saatlik", 8_761)
    assert office.ask("SELECT sum(adet), sum(bilinmeyen), sum(adet > 0) FROM ozet") == [(336_776, 8_255, 6_936)]
    counts = Counter(flight.hour[:19] for flight in airport.flights)
    assert dict(office.ask("SELECT bas, adet FROM ozet WHERE adet > 0")) == counts
    assert office.watermark("saatlik") == NEXT_YEAR
    assert office.run("saatlik", at=NEXT_YEAR).said == [("ATLANDI", "kapanmis pencere yok")]


def test_year_by_the_local_day(office: Office) -> None:
    airport = Airport(office)
    airport.daily()
    airport.catch_up("gunluk", NEXT_YEAR, 365, random.Random())
    airport.assert_equals_the_file("gunluk", 365)
    lengths = Counter(end - start for start, end in office.ask("SELECT start_s, end_s FROM birkez_window"))
    assert lengths == {24 * 3600: 363, 23 * 3600: 1, 25 * 3600: 1}
    short, long = office.ask("SELECT start_s FROM birkez_window WHERE end_s - start_s <> 86400 ORDER BY start_s")
    assert short == (utc("2013-03-10T05:00:00Z").timestamp(),)
    assert long == (utc("2013-11-03T04:00:00Z").timestamp(),)
    assert office.watermark("gunluk") == "2014-01-01T05:00:00Z"
