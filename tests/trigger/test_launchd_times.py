"""launchd's intervals, read by its own rules, beside the instants that the schedule means."""

from __future__ import annotations

import calendar
import plistlib
from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from datetime import UTC, date, datetime
from zoneinfo import ZoneInfo

import pytest

from tests.job.clock_reading import DAY, HOUR, machine_in, stretches
from trayapp.errors import TriggerError
from trayapp.job.schedule import Cron, Daily, Every, Monthly, Weekly, fires_between
from trayapp.trigger.launchd_times import calendar_intervals, needs_last_day_guard

START, END = datetime(2027, 1, 1, tzinfo=UTC), datetime(2029, 1, 1, tzinfo=UTC)  # 2028 is a leap year
ZONES = ("Europe/Istanbul", "Europe/Berlin", "Australia/Lord_Howe")
WORKDAYS = (0, 1, 2, 3, 4)
SCHEDULES = [
    Every(15),
    Every(30, 5, (5, 6)),
    Every(60, 5),
    Every(20, 0, WORKDAYS, (8, 18)),
    Every(60, 0, (), (0, 24)),
    Every(120, 5),
    Every(720, 90, (6,)),
    Daily((150, 840)),
    Daily((0, 1439)),
    Weekly((0, 4), (135, 540)),
    Weekly((6,), (180,)),
    Monthly((1, 15), (360,)),
    Monthly((29, 30, 31), (120,)),
    Monthly((-1,), (360, 1410)),
    Monthly((28, -1), (0,)),
    Cron("5 * * * *"),
    Cron("*/15 8-17 * * 1-5"),
    Cron("30 2 * * *"),
    Cron("0 0-23 * * *"),
    Cron("0 6 1 * 1"),
    Cron("0 6 L * *"),
    Cron("0 6 L 2,4 *"),
    Cron("*/7 */5 * 1,7 sun"),
    Cron("0 12 29 2 *"),
    Cron("10 6 1-31 * 3"),
]


class Agent:
    """An agent as launchd.plist(5) means it: each interval waits for the next wall clock time that fits."""

    def __init__(self, schedule, zone: str) -> None:
        stored = plistlib.dumps({"StartCalendarInterval": calendar_intervals(schedule)})
        self._intervals = plistlib.loads(stored)["StartCalendarInterval"]
        self._is_guarded = needs_last_day_guard(schedule)
        self._zone = ZoneInfo(zone)

    def fires(self, start: datetime, end: datetime) -> set[datetime]:
        return {at for interval in self._intervals for at in self._fires_of(interval, start, end)}

    def _fires_of(self, interval: dict[str, int], start: datetime, end: datetime) -> Iterator[datetime]:
        due = list(self._wall_times(interval, start - 2 * DAY, end + 2 * DAY))
        now = start - DAY
        while True:
            wall = now.astimezone(self._zone).replace(tzinfo=None)
            number = bisect_right(due, wall)
            if number == len(due):
                return
            now = due[number].replace(tzinfo=self._zone).astimezone(UTC)  # mktime(3): one left out comes as much later
            if now >= end:
                return
            if now >= start and not self._is_left_out(due[number].date()):
                yield now

    def _wall_times(self, interval: dict[str, int], start: datetime, end: datetime) -> Iterator[datetime]:
        hours = [interval["Hour"]] if "Hour" in interval else range(24)
        minutes = [interval["Minute"]] if "Minute" in interval else range(60)
        day = start.date()
        while day <= end.date():
            if self._fits(interval, day):
                yield from (
                    datetime(day.year, day.month, day.day, hour, minute)  # noqa: DTZ001  # wall clock
                    for hour in hours
                    for minute in minutes
                )
            day += DAY

    @staticmethod
    def _fits(interval: dict[str, int], day: date) -> bool:
        parts = {"Month": day.month, "Day": day.day, "Weekday": day.isoweekday() % 7}
        return all(interval.get(name, value) == value for name, value in parts.items())

    def _is_left_out(self, day: date) -> bool:
        """What the runner's --last-day does."""
        return self._is_guarded and (day.month, day.day) == (2, 28) and calendar.isleap(day.year)


@pytest.mark.posix
@pytest.mark.parametrize("zone", ZONES)
@pytest.mark.parametrize("schedule", SCHEDULES, ids=str)
def test_agent_fires_for_two_years_as_the_schedule_does(schedule, zone):
    with machine_in(zone):
        meant = list(fires_between(schedule, START, END))
    fired = sorted(Agent(schedule, zone).fires(START, END))
    changes = [stretch.start for stretch in stretches(zone, START, END)[1:]]
    assert len(changes) == (0 if zone == "Europe/Istanbul" else 4)

    def on_even_days(fires: list[datetime]) -> list[datetime]:
        return [at for at in fires if not any(-HOUR <= at - change <= 2 * HOUR for change in changes)]

    assert on_even_days(fired) == on_even_days(meant)
    _check_around(changes, meant, fired)


def _check_around(changes: list[datetime], meant: list[datetime], fired: list[datetime]) -> None:
    """Where a clock changes, none that is meant stays out: one comes within the changed hour and the next fire."""
    for change in changes:
        for at in meant[bisect_left(meant, change - HOUR) : bisect_right(meant, change + 2 * HOUR)]:
            later = fired[bisect_left(fired, at)] if bisect_left(fired, at) < len(fired) else END
            assert later - at <= 2 * HOUR, f"{at}: {later - at}"


def test_every_minute_is_named(birkez_home):
    # An interval that names nothing is not documented.
    assert calendar_intervals(Every(1)) == [{"Minute": minute} for minute in range(60)]
    assert calendar_intervals(Cron("* * * * *")) == calendar_intervals(Every(1))


def test_sunday_is_zero():
    assert calendar_intervals(Weekly((6,), (540,))) == [{"Weekday": 0, "Hour": 9, "Minute": 0}]


def test_days_of_the_month_and_of_the_week_stand_apart():
    # In one interval it is not documented whether both must fit.
    assert calendar_intervals(Cron("0 6 1 * 1")) == [
        {"Day": 1, "Hour": 6, "Minute": 0},
        {"Weekday": 1, "Hour": 6, "Minute": 0},
    ]


@pytest.mark.parametrize(
    ("expression", "nearest"),
    [
        ("0 6 * * 5#2", 'daily = ["06:00"]'),
        ("30 6 * * 5L", 'daily = ["06:30"]'),
        ("0 6 LW * *", 'daily = ["06:00"]'),
        ("0 6 */2 * 1", 'weekly = { days = ["mon"], at = ["06:00"] }'),
        ("0 6 L * 1", 'weekly = { days = ["mon"], at = ["06:00"] }'),
        ("1-59 1-23 2-31 1,2,3 *", 'every = "1h", hours = "01-24"'),
    ],
)
def test_what_launchd_cannot_say_is_refused_with_the_nearest(expression, nearest):
    with pytest.raises(TriggerError, match="schedule-not-sayable") as caught:
        calendar_intervals(Cron(expression))
    facts = caught.value.facts
    assert facts["scheduler"] == "launchd"
    assert facts["schedule"] == f'cron = "{expression}"'
    assert facts["nearest"] == nearest
    assert str(facts["reason"]).endswith(".")


def test_guard_is_for_the_28th_alone():
    assert needs_last_day_guard(Monthly((-1,), (0,)))
    assert needs_last_day_guard(Cron("0 0 L * *"))
    assert not needs_last_day_guard(Monthly((28, -1), (0,)))
    assert not needs_last_day_guard(Cron("0 0 L 3 *"))
    assert not needs_last_day_guard(Daily((0,)))
