"""What is rendered fires just when the schedule does, by cron's rules and not by ours."""

from __future__ import annotations

import shutil
import subprocess
from datetime import UTC, datetime, timedelta
from itertools import pairwise

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from tests.job.clock_reading import DAY, machine_in, stretches
from tests.job.test_schedule import moments, schedules
from tests.trigger.cron_reading import fires
from trayapp.errors import TriggerError
from trayapp.job.schedule import Cron, Daily, Every, Monthly, Schedule, Weekly, fires_between
from trayapp.trigger.crontab_times import crontab_times, needs_last_day_guard

ZONES = ("Europe/Berlin", "Australia/Lord_Howe")  # more of them in tests/full
START, END = datetime(2027, 1, 1, tzinfo=UTC), datetime(2029, 1, 1, tzinfo=UTC)  # a leap year is among them

SCHEDULES: tuple[Schedule, ...] = (
    Every(1, 0, (6,)),
    Every(15, 5),
    Every(30, 5, (0, 1, 2, 3, 4)),
    Every(60, 5),
    Every(60, 40),
    Every(60, 0, (), (0, 24)),
    Every(30, 10, (), (1, 4)),
    Every(1, 0, (6,), (2, 3)),
    Every(120, 5),
    Every(180, 0, (5, 6)),
    Every(720, 90),
    Daily((0, 150, 185, 840)),
    Daily((120, 150, 180)),
    Daily(tuple(range(0, 1440, 60))),
    Weekly((5, 6), (0, 30, 90, 150, 1439)),
    Monthly((1, 15), (360,)),
    Monthly((29, 30, 31), (0,)),
    Monthly((-1,), (0, 23 * 60 + 59)),
    Monthly((1, 15, -1), (150, 480)),
    Monthly((28, -1), (480,)),
    Monthly((29, 30, -1), (480,)),
    Cron("*/45 * * * *"),
    Cron("30 2 * * *"),
    Cron("*/30 2 * * *"),
    Cron("0 */7 * * *"),
    Cron("15 0-23 * * *"),
    Cron("0 8 1,15 * FRI"),  # either day: the trap of cron(5)
    Cron("0 8 */2 * 1"),  # both
    Cron("0 8 13 1-3,dec *"),
    Cron("0 6 * * 5-7"),
    Cron("00 01 1 jan *"),
    Cron("0 */2 * * *"),
    Cron("*/20 1-3 * * 7"),
    Cron("15,45 * 1,29 * *"),
)
DENSE = (
    Every(1, 0, (6,)),
    Every(15, 5),
    Every(1, 0, (6,), (2, 3)),
    Cron("*/45 * * * *"),
)  # days around a change will do


def without_leap_28(found: list[datetime]) -> list[datetime]:
    """What is left where the runner looks for itself whether a 28 February is the last day."""
    return [
        at for at in found if not ((local := at.astimezone()).month == 2 and local.day == 28 and local.year % 4 == 0)
    ]


def as_cron_fires(schedule: Schedule, zone: str, start: datetime, end: datetime) -> list[datetime]:
    over = stretches(zone, start - 3 * DAY, end + 3 * DAY)
    found = fires(crontab_times(schedule), over, start, end)
    return without_leap_28(found) if needs_last_day_guard(schedule) else found


# --------------------------------------------------------------------- the fields


@pytest.mark.parametrize(
    ("schedule", "times"),
    [
        (Every(1), ["* * * * *"]),
        (Every(15, 5), ["5,20,35,50 * * * *"]),
        (Every(5), ["0-55/5 * * * *"]),
        (Every(60, 5, (0, 6), (8, 11)), ["5 8-10 * * 0,1"]),
        (Every(60, 0, (), (0, 24)), ["0 0-23 * * *"]),  # a star would fire twice in the repeated hour
        (Every(1, 0, (), (8, 10)), ["0-59 8,9 * * *"]),
        (Every(480), ["0 0,8,16 * * *"]),
        (Daily((150, 870)), ["30 2,14 * * *"]),
        (Daily((150, 840)), ["30 2 * * *", "0 14 * * *"]),
        (Weekly((5,), (480,)), ["0 8 * * 6"]),
        (Monthly((1, 15), (480,)), ["0 8 1,15 * *"]),
        (Monthly((1, -1), (480,)), ["0 8 1,31 1,3,5,7,8,10,12 *", "0 8 1,28,29 2 *", "0 8 1,30 4,6,9,11 *"]),
        (Cron("5 4 * jan,FEB mon-fri"), ["5 4 * 1,2 1-5"]),
    ],
)
def test_schedule_in_cron_s_fields(schedule, times):
    assert list(crontab_times(schedule)) == times


@pytest.mark.parametrize(
    ("expression", "part", "nearest"),
    [
        ("0 8 L * *", "L", 'monthly = { days = ["last"], at = ["08:00"] }'),
        ("0 8 LW * *", "LW", 'cron = "0 8 28-31 * *"'),
        ("0 8 * * 5#2", "5#2", 'cron = "0 8 * * 5"'),
        ("0 8 * * 5L", "5L", 'cron = "0 8 * * 5"'),
        ("5/15 * * * *", "5/15", 'every = "15m", offset = "5m"'),
        ("5/7 3 * * *", "5/7", None),
    ],
)
def test_what_cron_reads_otherwise_is_refused_with_the_nearest(expression, part, nearest):
    with pytest.raises(TriggerError) as refused:
        crontab_times(Cron(expression))
    assert refused.value.code == "schedule-not-sayable"
    assert part in refused.value.facts["reason"]
    assert refused.value.facts["nearest"] == nearest or nearest is None


@pytest.mark.parametrize("expression", ["5/7 3 * * *", "0 8 LW * *", "0 0/6 * * 5L", "0 8 L 2 *"])
def test_nearest_can_be_said(expression):
    from trayapp.trigger.crontab_times import _nearest

    assert crontab_times(_nearest(Cron(expression)))


# ----------------------------------------------------------------------- the fires


@pytest.mark.posix
@pytest.mark.parametrize("zone", ZONES)
def test_cron_fires_when_the_schedule_does_over_two_years(zone):
    with machine_in(zone):
        for schedule in SCHEDULES:
            for start, end in _around_changes(zone) if schedule in DENSE else [(START, END)]:
                expected = list(fires_between(schedule, start, end))
                assert as_cron_fires(schedule, zone, start, end) == expected, schedule


def _around_changes(zone: str) -> list[tuple[datetime, datetime]]:
    changes = [stretch.start for stretch in stretches(zone, START, END)][1:] or [START + DAY]
    return [(change - 2 * DAY, change + 2 * DAY) for change in changes]


@pytest.mark.posix
@settings(max_examples=100, deadline=None)
@given(schedules, moments)
@example(Every(60, 0, (), (0, 24)), ("Europe/Berlin", datetime(2026, 10, 24, 20, tzinfo=UTC)))
@example(Daily((0,)), ("Africa/Cairo", datetime(2026, 4, 23, 12, tzinfo=UTC)))
def test_cron_fires_when_any_schedule_does(schedule, moment):
    zone, start = moment
    with machine_in(zone):
        expected = list(fires_between(schedule, start, start + 3 * DAY))
        assert as_cron_fires(schedule, zone, start, start + 3 * DAY) == expected


starred = st.sampled_from(["*", "*/2", "*/7", "*/20", "*/23"])
fields = st.tuples(
    starred | st.sampled_from(["0", "5,35", "10-50/20", "59"]),
    starred | st.sampled_from(["2", "1-3", "0,23", "0-23"]),
    st.sampled_from(["*", "*/2", "1-15", "25,31"]),
    st.sampled_from(["*", "*/3", "3-4,10-11"]),
    st.sampled_from(["*", "0", "1-6", "*/2"]),
).map(" ".join)


@pytest.mark.posix
@settings(max_examples=100, deadline=None)
@given(fields, moments)
@example("0 */2 * * *", ("Australia/Lord_Howe", datetime(2026, 4, 4, 12, tzinfo=UTC)))
@example("*/30 2 * * *", ("Australia/Lord_Howe", datetime(2026, 10, 3, 12, tzinfo=UTC)))
def test_any_expression_means_what_cron_does(expression, moment):
    zone, start = moment
    with machine_in(zone):
        expected = fires([expression], stretches(zone, start - 3 * DAY, start + 6 * DAY), start, start + 3 * DAY)
        assert list(fires_between(Cron(expression), start, start + 3 * DAY)) == expected


@pytest.mark.parametrize("minutes", [1, 15, 60, 120, 720])
def test_every_line_fires_as_often_as_its_schedule_says(minutes):  # P11
    # 45m, 90m, 7h and 36h are refused in the job file already: what cron says of them is another schedule.
    over = stretches("UTC", START - DAY, START + 4 * DAY)
    found = fires(crontab_times(Every(minutes)), over, START, START + 3 * DAY)
    assert {after - before for before, after in pairwise(found)} == {timedelta(minutes=minutes)}


# ----------------------------------------------------------------- the runner's part


@pytest.mark.linux
@pytest.mark.parametrize(
    ("day", "starts"), [("2028-02-28", False), ("2028-02-29", True), ("2027-02-28", True), ("2028-03-31", True)]
)
def test_28_february_of_a_leap_year_is_no_last_day(run_birkez, day, starts):
    done = run_birkez("run", "gone", "--trigger", "schedule", "--last-day", faketime=f"{day}T08:00:00Z")
    assert done.returncode == (3 if starts else 0)  # 3: it has looked for the job


@pytest.mark.linux
def test_crontab_takes_every_rendered_line(tmp_path):
    crontab = shutil.which("crontab", path="/usr/bin:/bin")
    if crontab is None:
        pytest.skip("needs the crontab program (Debian package cron)")
    lines = [f"{times} true" for schedule in SCHEDULES for times in crontab_times(schedule)]
    (tmp_path / "table").write_text("\n".join([*lines, ""]), encoding="utf-8")
    done = subprocess.run([crontab, "-n", tmp_path / "table"], capture_output=True, text=True, check=False)
    if "must be privileged" in done.stderr or "usage" in done.stderr:
        pytest.skip("this crontab checks no table without keeping it")
    assert done.returncode == 0, done
