from __future__ import annotations

import itertools
import os
import random
import subprocess
import sys
from collections import Counter
from datetime import UTC, date, datetime, timedelta
from pathlib import Path

import pytest

from tests.window.zone_reading import ZoneReading, zone_names
from trayapp.errors import SetupError, StateError
from trayapp.window.grid import CALENDAR_STEPS, STEPS, grid_of
from trayapp.wording.window import SENTENCES

CHECKOUT = Path(__file__).resolve().parents[2]
HOUR = timedelta(hours=1)
TICK = timedelta(microseconds=1)
SUB_DAY_STEPS = [step for step in STEPS if step not in CALENDAR_STEPS]


def utc(text):
    return datetime.fromisoformat(text).replace(tzinfo=UTC)


def lines_between(grid, first, last):
    """Lines later than *first* and not later than *last*."""
    return list(itertools.takewhile(lambda line: line <= last, grid.lines_after(first)))


def hours_of_days(zone, first, count):
    """Lengths of *count* local days, from the one that begins at the line *first*."""
    grid = grid_of("1d", zone)
    assert grid.is_line(first)
    lines = [first, *itertools.islice(grid.lines_after(first), count)]
    return [(end - start) / HOUR for start, end in itertools.pairwise(lines)]


# ------------------------------------------------------------------- sub-day


@pytest.mark.parametrize("step", SUB_DAY_STEPS)
def test_sub_day_step_divides_the_day_from_its_utc_midnight(step):
    midnight = utc("2026-03-29")
    lines = [midnight, *lines_between(grid_of(step, None), midnight, midnight + 24 * HOUR)]
    count, unit = int(step[:-1]), {"m": HOUR / 60, "h": HOUR}[step[-1]]
    assert lines[-1] == midnight + 24 * HOUR
    assert {end - start for start, end in itertools.pairwise(lines)} == {count * unit}


@pytest.mark.parametrize("at", [utc("2026-09-04T10:00"), utc("1969-12-31T23:00"), utc("1970-01-01")])
def test_line_is_its_own_line_and_not_the_one_after(at):
    grid = grid_of("1h", None)
    assert grid.is_line(at)
    assert grid.line_at_or_before(at) == at
    assert grid.line_after(at) == at + HOUR


@pytest.mark.parametrize("line", [utc("2026-09-04T10:00"), utc("1969-12-31T23:00")])
def test_microsecond_beside_a_line_belongs_to_the_window_on_its_side(line):
    grid = grid_of("1h", None)
    assert not grid.is_line(line - TICK)
    assert not grid.is_line(line + TICK)
    assert grid.line_after(line - TICK) == line
    assert grid.line_at_or_before(line - TICK) == line - HOUR
    assert grid.line_after(line + TICK) == line + HOUR
    assert grid.line_at_or_before(line + TICK) == line


@pytest.mark.parametrize("step", STEPS)
def test_lines_are_utc_whatever_zone_the_instant_is_given_in(step):
    grid = grid_of(step, "America/New_York")
    at = datetime.fromisoformat("2026-09-04T10:20:00+03:00")
    assert grid.line_after(at) == grid.line_after(at.astimezone(UTC))
    assert {grid.line_after(at).tzinfo, grid.line_at_or_before(at).tzinfo} == {UTC}


@pytest.mark.parametrize("step", ["45m", "90m", "3m", "60m", "24h", "5h", "2d", "0m", "1y", "", "1H", " 1h"])
def test_step_that_does_not_exist_is_no_grid(step):
    assert step not in STEPS
    with pytest.raises(ValueError, match="no grid of step"):
        grid_of(step, "UTC")


@pytest.mark.parametrize("step", CALENDAR_STEPS)
def test_calendar_step_without_a_zone_is_no_grid(step):
    with pytest.raises(ValueError, match="no grid of step"):
        grid_of(step, None)


# ------------------------------------------------------------------ calendar


@pytest.mark.parametrize(
    ("zone", "start", "end"),
    [
        ("Europe/Berlin", "2026-10-24T22:00", "2026-10-25T23:00"),  # 25 h
        ("Europe/Berlin", "2026-03-28T23:00", "2026-03-29T22:00"),  # 23 h
        ("Australia/Lord_Howe", "2026-04-04T13:00", "2026-04-05T13:30"),  # 24.5 h
        ("Australia/Lord_Howe", "2026-10-03T13:30", "2026-10-04T13:00"),  # 23.5 h
        ("Asia/Kolkata", "2026-06-30T18:30", "2026-07-01T18:30"),
        ("Asia/Kathmandu", "2026-06-30T18:15", "2026-07-01T18:15"),
        ("Africa/Cairo", "2026-04-23T22:00", "2026-04-24T21:00"),  # this day has no midnight
        ("Africa/Cairo", "2026-10-28T21:00", "2026-10-29T22:00"),  # clocks go back at the end of this one
        ("Europe/Istanbul", "2016-09-06T21:00", "2016-09-07T21:00"),  # stays on summer time for good
        ("America/St_Johns", "2006-10-28T02:30", "2006-10-29T02:30"),  # back at 00:01 of the 29th …
        ("America/St_Johns", "2006-10-29T02:30", "2006-10-30T03:30"),  # … whose first midnight counts
        ("America/Toronto", "1919-03-31T04:30", "1919-04-01T04:00"),  # midnight inside the gap 23:30-00:30
        ("Pacific/Apia", "2011-12-29T10:00", "2011-12-30T10:00"),
        ("Pacific/Apia", "2011-12-30T10:00", "2011-12-31T10:00"),  # the 31st: there was no 30th
    ],
)
def test_local_day_runs_from_its_first_instant_to_that_of_the_next(zone, start, end):
    grid, start, end = grid_of("1d", zone), utc(start), utc(end)
    middle = start + (end - start) / 2
    for at in (start, start + TICK, middle, end - TICK):
        assert (grid.line_at_or_before(at), grid.line_after(at)) == (start, end)
    assert grid.is_line(start)
    assert not grid.is_line(middle)


def test_year_of_berlin_days_has_one_of_23_and_one_of_25_hours():
    assert Counter(hours_of_days("Europe/Berlin", utc("2025-12-31T23:00"), 365)) == {24: 363, 23: 1, 25: 1}


def test_year_of_new_york_days_of_the_flights():
    assert Counter(hours_of_days("America/New_York", utc("2013-01-01T05:00"), 365)) == {24: 363, 23: 1, 25: 1}


def test_day_that_does_not_exist_yields_no_window():
    new_year = utc("2011-01-01T10:00")
    lengths = hours_of_days("Pacific/Apia", new_year, 364)
    assert Counter(lengths) == {24: 362, 23: 1, 25: 1}
    assert new_year + sum(lengths) * HOUR == utc("2011-12-31T10:00")  # 2012 began there, across the date line


@pytest.mark.parametrize(
    ("zone", "year"),
    [
        ("Europe/Berlin", 2026),
        ("Africa/Cairo", 2026),
        ("Australia/Lord_Howe", 2026),
        ("Europe/Istanbul", 2026),
        ("Pacific/Apia", 2011),
    ],
)
def test_year_of_local_days_is_what_another_reading_of_the_zone_says(zone, year):
    assert_year_as_read(zone, year)


def test_year_of_local_days_in_twenty_random_zones():
    for zone in random.sample(zone_names(), 20):
        assert_year_as_read(zone, random.randrange(1970, 2038))


def assert_year_as_read(zone, year):
    expected = ZoneReading(zone).lines("1d", date(year, 1, 1), date(year + 1, 1, 1))
    lines = lines_between(grid_of("1d", zone), expected[0] - TICK, expected[-1])
    assert lines == expected, (zone, year)


def test_week_begins_on_monday():
    grid = grid_of("1w", "Europe/Istanbul")
    sunday, monday = utc("2026-09-06T20:59:59"), utc("2026-09-06T21:00")
    assert grid.line_after(sunday) == monday
    assert grid.line_at_or_before(sunday) == monday - 7 * 24 * HOUR
    assert grid.line_after(monday) == monday + 7 * 24 * HOUR


def test_week_with_a_clock_change_is_an_hour_longer():
    grid = grid_of("1w", "Europe/Berlin")
    assert grid.line_after(utc("2026-10-18T22:00")) == utc("2026-10-25T23:00")


def test_months_have_their_own_length():
    grid = grid_of("1mo", "Europe/Istanbul")
    lines = [utc("2027-12-31T21:00"), *itertools.islice(grid.lines_after(utc("2027-12-31T21:00")), 12)]
    days = [(end - start) // timedelta(days=1) for start, end in itertools.pairwise(lines)]
    assert days == [31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]


@pytest.mark.parametrize("step", CALENDAR_STEPS)
def test_calendar_reaches_before_the_epoch(step):
    line = grid_of(step, "Europe/Istanbul").line_at_or_before(utc("1912-06-15T12:00"))
    assert timedelta() <= utc("1912-06-15T12:00") - line < timedelta(days=31)


# ------------------------------------------------------------- unknown zones


@pytest.mark.parametrize("step", CALENDAR_STEPS)
@pytest.mark.parametrize(
    "name",
    [
        "Europe/Ankara",
        "Europe",
        "../etc/passwd",
        "/etc/passwd",
        "zone.tab",
        "Europe/Istanbul\0",
        "Europe/İstanbul",
        "E" * 5000,
        "GMT+3 (Istanbul)",
        "right/Europe/Istanbul",
        "localtime",
        "",
    ],
)
def test_unknown_zone_is_an_error_with_its_name(step, name):
    with pytest.raises(StateError) as caught:
        grid_of(step, name)
    assert caught.value.code == "time-zone-unknown"
    assert caught.value.facts["timezone"] == name
    assert name in SENTENCES[caught.value.code].format(**caught.value.facts)


def test_missing_zone_data_is_an_error_of_its_own(monkeypatch):
    """A frozen Windows program without tzdata: even "UTC" is unknown then (dgtlmoon/changedetection.io#2826)."""
    program = (
        "import sys; sys.modules['tzdata'] = None\n"
        "from trayapp.errors import SetupError\n"
        "from trayapp.window.grid import grid_of\n"
        "for name in ('Europe/Istanbul', 'UTC', 'Europe/Ankara'):\n"
        "    try: grid_of('1d', name)\n"
        "    except SetupError as error: print(error.code, error.facts['timezone'])\n"
    )
    environment = {**os.environ, "PYTHONTZPATH": "", "PYTHONPATH": str(CHECKOUT)}
    found = subprocess.run([sys.executable, "-c", program], env=environment, capture_output=True, text=True, check=True)
    assert found.stdout.splitlines() == [
        "time-zone-data-missing Europe/Istanbul",
        "time-zone-data-missing UTC",
        "time-zone-data-missing Europe/Ankara",
    ]


def test_every_error_has_a_sentence_with_its_facts():
    facts = {"timezone": "Europe/Ankara", "reason": "no such file"}
    for error in (StateError("time-zone-unknown", **facts), SetupError("time-zone-data-missing", **facts)):
        sentence = SENTENCES[error.code].format(**error.facts)
        assert "Europe/Ankara" in sentence
        assert "no such file" in sentence


# ------------------------------------------------------------ start-up time


def test_runner_pays_for_no_zone_and_no_heavy_module():
    program = (
        "import sys\n"
        "before = set(sys.modules)\n"
        "from trayapp.clock import EPOCH\n"
        "from trayapp.window.catch_up import closed_windows_after\n"
        "from trayapp.window.grid import grid_of\n"
        "assert not list(closed_windows_after(EPOCH, EPOCH, grid_of('1h', None), []))\n"
        "print(*sorted(set(sys.modules) - before))\n"
    )
    environment = {**os.environ, "PYTHONPATH": str(CHECKOUT)}
    argv = [sys.executable, "-S", "-c", program]
    found = subprocess.run(argv, env=environment, capture_output=True, text=True, check=True)
    loaded = set(found.stdout.split())
    assert "trayapp.window.grid" in loaded
    heavy = "typing re enum dataclasses pathlib logging json subprocess contextlib inspect importlib.metadata zoneinfo"
    assert not loaded & set(heavy.split())
    assert not {name for name in loaded if name.startswith(("trayapp.job", "trayapp.ledger"))}
