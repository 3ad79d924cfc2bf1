"""Every zone of the database, every line from 1970 to 2037, against another reading of the rules."""

from __future__ import annotations

import itertools
from datetime import timedelta

import pytest

from tests.window.zone_reading import DAY, FIRST, LAST, SAMPLED_EVERY, ZoneReading, zone_names
from trayapp.window.catch_up import closed_windows_after
from trayapp.window.grid import CALENDAR_STEPS, grid_of

TICK = timedelta(microseconds=1)

pytestmark = pytest.mark.timeout(300)


@pytest.mark.parametrize("zone", zone_names())
def test_lines_are_contiguous_and_as_read(zone):
    reading = ZoneReading(zone)
    for step in CALENDAR_STEPS:
        grid = grid_of(step, zone)
        expected = reading.lines(step, FIRST.date() - 2 * DAY, LAST.date() + 2 * DAY)
        lines = list(itertools.islice(grid.lines_after(expected[0] - TICK), len(expected)))
        assert lines == expected
        windows = [offer.window for offer in closed_windows_after(expected[0], expected[-1], grid, [])]
        assert windows == list(itertools.pairwise(expected))
        for before, line in itertools.pairwise(expected):
            assert grid.line_at_or_before(line) == line
            assert grid.line_at_or_before(line - TICK) == before
            assert grid.line_after(line - TICK) == line


@pytest.mark.parametrize("zone", zone_names())
def test_no_clock_change_hides_between_two_samples_of_the_reading(zone):
    """The reading that CI compares with looks at the clocks every few days; here every six hours."""
    assert ZoneReading(zone).stretches == ZoneReading(zone, SAMPLED_EVERY / 24).stretches
