"""Periods of adopted jobs: at each fire of two years a new one has closed, also in the nights when clocks change."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from itertools import pairwise

import pytest

from tests.job.clock_reading import DAY, machine_in, stretches
from tests.trigger.cron_reading import fires
from trayapp.adoption.cron_times import read_times
from trayapp.adoption.period import local_timezone, periods_of
from trayapp.job.timing_fields import STEPS
from trayapp.window.grid import grid_of

pytestmark = pytest.mark.posix

NOW = datetime(2027, 1, 1, 9, 20, tzinfo=UTC)
END = datetime(2029, 1, 1, tzinfo=UTC)
# Step without clock changes (Istanbul), with them (Berlin), and with them at midnight (Cairo).
CASES = {
    "5 18 * * *": ("1d", "1d", "1d"),
    "30 2 * * *": ("1d", "1d", "1d"),
    "0 0 * * *": ("1d", "1d", "1d"),
    "30 23 * * *": ("1d", "1d", "1d"),
    "35 18 * * FRI": ("1w", "1w", "1w"),
    "0 9 * * 3,5": ("1d", "1d", "1d"),
    "0 6 1 * *": ("1mo", "1mo", "1mo"),
    "0 6 31 * *": ("1mo", "1mo", "1mo"),
    "0 6 1,15 * *": ("1w", "1w", "1w"),
    "0 6 1,31 * *": ("1d", "1d", "1d"),
    "0 0 1 1 *": ("1mo", "1mo", "1mo"),
    "0 0 29 2 *": ("1mo", "1mo", "1mo"),
    "0 */6 * * *": ("6h", "4h", "6h"),
    "0 */5 * * *": ("4h", "4h", "4h"),
    "0 */12 * * *": ("12h", "8h", "12h"),
    "0 9,17 * * *": ("8h", "8h", "8h"),
    "10 0,23 * * *": ("1h", "1h", "30m"),
    "10 0,23 * * 1": ("12h", "12h", "12h"),
    "30 1,2,3 * * *": ("1h", "30m", "1h"),
    "50 11 14,29 * *": ("1w", "1w", "1w"),
}
ZONES = ("Europe/Istanbul", "Europe/Berlin", "Africa/Cairo")


@pytest.mark.parametrize("zone", ZONES)
@pytest.mark.parametrize("times", CASES)
def test_each_fire_finds_a_new_period_closed(times, zone):
    with machine_in(zone):
        periods = periods_of(read_times(times), NOW, local_timezone())
        end = END if "29 2" not in times else datetime(2041, 1, 1, tzinfo=UTC)
        over = stretches(zone, NOW - 5 * DAY, end + 5 * DAY)
        found = fires([times], over, NOW, end)
    assert periods.step == CASES[times][ZONES.index(zone)]
    lateness, grid = timedelta(seconds=periods.lateness_s), grid_of(periods.step, periods.timezone)
    newest = [grid.line_at_or_before(fire - lateness) for fire in found]
    assert newest[0] > periods.start, "the first fire finds the first period closed"
    assert grid.line_after(periods.start) == newest[0], "and no other before it"
    assert all(before < after for before, after in pairwise(newest))
    if periods.timezone is None:
        gap = min(after - before for before, after in pairwise(found))
        longer = [length for length in STEPS if length > {step: length for length, step in STEPS.items()}[periods.step]]
        assert timedelta(seconds=max(set(STEPS) - set(longer))) <= gap, "not longer than the smallest gap"
        assert not longer or timedelta(seconds=min(longer)) > gap, "and the largest such"


def test_period_closes_with_the_fire_and_not_before_it():
    """Else a start with the computer in the morning would take the period, and the evening's fire find none."""
    with machine_in("Europe/Istanbul"):
        periods = periods_of(read_times("5 18 * * *"), NOW, local_timezone())
    assert periods.lateness_s == (18 * 60 + 5) * 60
    assert periods.start == datetime(2026, 12, 30, 21, tzinfo=UTC)  # closed today at 18:05, 15:05 in UTC


def test_zone_without_a_name_has_no_calendar_steps():
    assert periods_of(read_times("5 18 * * *"), NOW, None).step == "12h"


@pytest.mark.parametrize("zone", ["Europe/Istanbul", "America/New_York", "UTC", ":Europe/Berlin"])
def test_zone_of_this_computer_is_named(zone):
    with machine_in(zone):
        assert local_timezone() == zone.removeprefix(":")


def test_zone_that_is_only_a_rule_gets_a_name_with_the_same_rules():
    with machine_in("<+03>-3"):
        assert local_timezone() == "Europe/Istanbul"
    with machine_in("XXX-2:17"):
        assert local_timezone() is None
