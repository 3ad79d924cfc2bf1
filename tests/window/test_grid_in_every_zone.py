"""Every zone of the database, around each of its clock changes; the whole range is in tests/full."""

from __future__ import annotations

from datetime import datetime, timedelta

import pytest

from tests.window.zone_reading import DAY, SECOND, all_readings, zone_names
from trayapp.window.grid import CALENDAR_STEPS, grid_of

TICK = timedelta(microseconds=1)
_REACH = {"1d": 4 * DAY, "1w": 14 * DAY, "1mo": 62 * DAY}  # holds two lines on either side of an instant

pytestmark = pytest.mark.timeout(120)  # a few seconds' work, but minutes on a busy machine under Wine


@pytest.mark.parametrize("step", CALENDAR_STEPS)
def test_lines_beside_each_clock_change_are_what_another_reading_says(step):
    compared_count = 0
    for reading in all_readings():
        grid = grid_of(step, reading.name)
        for change in reading.changes:
            shown = reading.shown(change).date()
            near = reading.lines(step, shown - 2 * DAY, shown + 2 * DAY)
            if not near:
                continue  # a change in the middle of a week or month is no line's
            lines = reading.lines(step, shown - _REACH[step], shown + _REACH[step])
            compared_count += 1
            instants = {change - SECOND, change, change + SECOND, *near, *(line - TICK for line in near)}
            for at in instants:
                assert_as_read(grid, at, lines, reading.name)
    assert compared_count > 100


def assert_as_read(grid, at: datetime, lines: list[datetime], zone: str) -> None:
    before = max(line for line in lines if line <= at)
    after = min(line for line in lines if line > at)
    assert (grid.line_at_or_before(at), grid.line_after(at)) == (before, after), (zone, at)
    assert grid.is_line(at) == (at in lines), (zone, at)


def test_seven_days_of_the_database_do_not_exist():
    """Six zones on the date line left one out; Kwajalein is listed twice."""
    missing = set()
    for reading in all_readings():
        for change in reading.changes:
            day = reading.shown(change).date()
            if reading.line(day) == reading.line(day - DAY):
                missing.add((reading.name, str(day - DAY)))
                grid = grid_of("1d", reading.name)
                assert grid.line_at_or_before(change) == change
                assert grid.line_at_or_before(change - TICK) == reading.line(day - 2 * DAY)
    assert {
        ("Kwajalein", "1993-08-21"),
        ("Pacific/Enderbury", "1994-12-31"),
        ("Pacific/Kiritimati", "1994-12-31"),
        ("Pacific/Apia", "2011-12-30"),
        ("Pacific/Fakaofo", "2011-12-30"),
    } <= missing


def test_every_name_of_the_database_has_a_grid():
    assert len(zone_names()) > 500
    for name in zone_names():
        assert grid_of("1d", name).line_after(datetime.fromisoformat("2026-09-04T10:00:00Z"))
