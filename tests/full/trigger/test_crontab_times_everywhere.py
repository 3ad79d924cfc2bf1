"""cron's fires over two years in zones whose clocks change otherwise than in Berlin."""

from __future__ import annotations

import pytest

from tests.trigger.test_crontab_times import test_cron_fires_when_the_schedule_does_over_two_years as compare

ZONES = (
    "Europe/Istanbul",
    "America/Havana",
    "Africa/Cairo",
    "America/Santiago",
    "America/New_York",
    "Antarctica/Troll",
)


@pytest.mark.posix
@pytest.mark.timeout(120)
@pytest.mark.parametrize("zone", ZONES)
def test_cron_fires_when_the_schedule_does_in(zone):
    compare(zone)
