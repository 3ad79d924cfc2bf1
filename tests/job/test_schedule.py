from __future__ import annotations

import subprocess
import sys
from datetime import UTC, datetime, timedelta, timezone
from itertools import pairwise

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from tests.job.clock_reading import DAY, HOUR, fires, machine_in, stretches
from trayapp.job.schedule import (
    Cron,
    Daily,
    Every,
    Monthly,
    Schedule,
    Weekly,
    fires_between,
    first_fire_from,
    next_fires,
)

ZONES = ("Europe/Berlin", "Australia/Lord_Howe", "Europe/Istanbul", "America/Havana", "Africa/Cairo")
TWO_YEARS = (datetime(2025, 1, 1, tzinfo=UTC), datetime(2027, 1, 1, tzinfo=UTC))


def utc(text: str) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=UTC)


def listed(schedule: Schedule, start: str, end: str) -> list[str]:
    return [fire.strftime("%m-%d %H:%M") for fire in fires_between(schedule, utc(start), utc(end))]


# ------------------------------------------------------------------ without a clock change


@pytest.mark.parametrize(
    ("schedule", "expected"),
    [
        (Every(720, 90), ["09-04 01:30", "09-04 13:30", "09-05 01:30"]),
        (Every(30, 5, (5,), None), [f"09-05 {hour:02}:{minute:02}" for hour in range(4) for minute in (5, 35)]),
        (Every(60, 0, (), (8, 10)), ["09-04 08:00", "09-04 09:00"]),
        (Every(15, 5, (4,), (17, 18)), ["09-04 17:05", "09-04 17:20", "09-04 17:35", "09-04 17:50"]),
        (Daily((150, 840)), ["09-04 02:30", "09-04 14:00", "09-05 02:30"]),
        (Weekly((5,), (0, 60)), ["09-05 00:00", "09-05 01:00"]),
        (Monthly((4, -1), (540,)), ["09-04 09:00"]),
        (Cron("5 2,14 * * *"), ["09-04 02:05", "09-04 14:05", "09-05 02:05"]),
        (Cron("0 */6 * * 5"), ["09-04 00:00", "09-04 06:00", "09-04 12:00", "09-04 18:00"]),
    ],
)
def test_fires_of_a_friday_and_four_hours(schedule: Schedule, expected: list[str]):
    assert listed(schedule, "2026-09-04T00:00", "2026-09-05T04:00") == expected


def test_last_day_of_a_month_follows_its_length():
    assert listed(Monthly((31, -1), (0,)), "2027-12-01T00:00", "2028-05-01T00:00") == [
        "12-31 00:00",
        "01-31 00:00",
        "02-29 00:00",
        "03-31 00:00",
        "04-30 00:00",
    ]


@pytest.mark.parametrize("schedule", [Every(15), Every(120), Daily((600,)), Cron("0 10 * * *"), Cron("*/15 * * * *")])
def test_instant_of_a_fire_is_its_own_first_fire(schedule: Schedule):
    assert first_fire_from(schedule, utc("2026-09-04T10:00")) == utc("2026-09-04T10:00")


@pytest.mark.parametrize("schedule", [Every(60), Every(120), Daily((600,)), Cron("0 10 * * *"), Cron("*/60 * * * *")])
def test_a_microsecond_later_it_is_over(schedule: Schedule):
    fire = first_fire_from(schedule, utc("2026-09-04T10:00") + timedelta(microseconds=1))

    assert fire is not None
    assert fire > utc("2026-09-04T10:00")


@pytest.mark.parametrize("count", [0, 1, 5])
def test_next_fires_are_the_first_of_all(count: int):
    at = utc("2026-09-04T10:01")
    assert next_fires(Daily((600, 840)), at, count) == list(fires_between(Daily((600, 840)), at, at + DAY * 9))[:count]


@pytest.mark.parametrize("schedule", [Every(15), Daily((600,)), Cron("0 10 * * *")])
def test_fires_are_utc_whatever_the_question(schedule: Schedule):
    asked = datetime(2026, 9, 4, 15, tzinfo=timezone(timedelta(hours=5)))

    fire = first_fire_from(schedule, asked)

    assert fire == utc("2026-09-04T10:00")
    assert fire.tzinfo is UTC


@pytest.mark.parametrize(
    "schedule", [Daily(()), Weekly((), ()), Monthly((30,), ()), Every(15, 0, (9,)), Monthly((), (5,))]
)
def test_schedule_that_never_fires_is_answered_and_ends(schedule: Schedule):
    assert first_fire_from(schedule, utc("2026-09-04T10:00")) is None


def test_end_is_exclusive():
    assert listed(Every(60), "2026-09-04T10:00", "2026-09-04T12:00") == ["09-04 10:00", "09-04 11:00"]


def test_runner_does_not_load_the_cron_library_for_other_schedules():
    code = "import sys, trayapp.job.schedule; print({'cronsim', 'typing', 're', 'enum'} & set(sys.modules))"

    done = subprocess.run([sys.executable, "-S", "-E", "-c", code], capture_output=True, encoding="utf-8", check=True)

    assert done.stdout.strip() == "set()"


# ------------------------------------------------------------------ clock changes


@pytest.mark.posix
@pytest.mark.parametrize(
    ("schedule", "expected"),
    [
        (Every(60, 5), ["10-25 00:05", "10-25 01:05", "10-25 02:05"]),  # 02:05, 02:05 again, 03:05
        (Every(120, 5), ["10-25 00:05"]),
        (Every(60, 5, (), (2, 4)), ["10-25 00:05", "10-25 02:05"]),
        (Daily((150, 185)), ["10-25 00:30", "10-25 02:05"]),
        (Cron("5 * * * *"), ["10-25 00:05", "10-25 01:05", "10-25 02:05"]),
        (Cron("30 2 * * *"), ["10-25 00:30"]),
    ],
)
def test_repeated_hour_in_berlin(schedule: Schedule, expected: list[str]):
    with machine_in("Europe/Berlin"):
        assert listed(schedule, "2026-10-25T00:00", "2026-10-25T02:06") == expected


@pytest.mark.posix
@pytest.mark.parametrize(
    ("schedule", "expected"),
    [
        (Every(60, 5), ["03-29 00:05", "03-29 01:05", "03-29 02:05"]),  # 01:05, 03:05, 04:05
        (Every(120, 5), ["03-29 01:00", "03-29 02:05"]),  # 02:05 is left out: at the transition
        (Every(30, 5, (), (2, 3)), ["03-29 01:00"]),
        (Daily((120, 150, 180)), ["03-29 01:00"]),  # three times that are one moment
        (Cron("30 2 * * *"), ["03-29 01:00"]),
        (Cron("*/30 2 * * *"), []),  # as cron: a star in the minutes follows the clock
    ],
)
def test_hour_left_out_in_berlin(schedule: Schedule, expected: list[str]):
    with machine_in("Europe/Berlin"):
        assert listed(schedule, "2026-03-29T00:00", "2026-03-29T02:06") == expected


@pytest.mark.posix
def test_question_within_the_second_pass_does_not_look_back():
    with machine_in("Europe/Berlin"):
        for schedule in (Daily((150,)), Cron("30 2 * * *")):
            assert first_fire_from(schedule, utc("2026-10-25T01:10")) == utc("2026-10-26T01:30")


@pytest.mark.posix
def test_day_left_out_whole_fires_at_the_transition():
    with machine_in("Pacific/Apia"):  # 2011-12-30 was not
        assert listed(Daily((600,)), "2011-12-28T12:00", "2012-01-01T12:00") == [
            "12-28 20:00",
            "12-29 20:00",
            "12-30 10:00",
            "12-30 20:00",
            "12-31 20:00",
        ]
        assert first_fire_from(Daily((600,)), utc("2011-12-30T10:00")) == utc("2011-12-30T10:00")


weekdays = st.lists(st.integers(0, 6), min_size=1, max_size=3).map(lambda days: tuple(sorted(set(days))))
times = st.lists(st.integers(0, 1439) | st.integers(0, 240), min_size=1, max_size=4).map(
    lambda minutes: tuple(sorted(set(minutes)))
)
steps = st.sampled_from((1, 2, 5, 10, 15, 20, 30, 60, 120, 180, 240, 360, 480, 720))
hours = st.tuples(st.integers(0, 23), st.integers(1, 24)).filter(lambda pair: pair[0] < pair[1])
schedules = st.one_of(
    st.builds(
        lambda step, offset, days, span: Every(step, offset % step, days, span),
        steps,
        st.integers(0, 720),
        st.just(()) | weekdays,
        st.none() | hours,
    ),
    st.builds(Daily, times),
    st.builds(Weekly, weekdays, times),
    st.builds(Monthly, st.lists(st.sampled_from((1, 15, 28, 29, 30, 31, -1)), min_size=1).map(tuple), times),
)
OVER = {zone: stretches(zone, TWO_YEARS[0] - 70 * DAY, TWO_YEARS[1] + 70 * DAY) for zone in ZONES}
# Half of the questions begin within three days of a clock change, where there is one.
moments = st.sampled_from(ZONES).flatmap(
    lambda zone: st.tuples(
        st.just(zone),
        st.datetimes(TWO_YEARS[0].replace(tzinfo=None), TWO_YEARS[1].replace(tzinfo=None)).map(
            lambda at: at.replace(tzinfo=UTC)
        )
        | st.builds(
            lambda change, minutes: change + timedelta(minutes=minutes),
            st.sampled_from([stretch.start for stretch in OVER[zone][1:]] or [TWO_YEARS[0]]),
            st.integers(-3 * 1440, 2 * 1440),
        ),
    )
)


@pytest.mark.posix
@settings(max_examples=150, deadline=None)
@given(schedules, moments)
@example(Every(60, 5), ("Australia/Lord_Howe", utc("2026-10-03T12:00")))
@example(Every(60, 40), ("Australia/Lord_Howe", utc("2026-04-04T12:00")))
@example(Every(60, 40, (6,)), ("Australia/Lord_Howe", utc("2026-04-04T10:00")))
@example(Every(60, 5, (6,)), ("Australia/Lord_Howe", utc("2026-04-04T10:00")))
@example(Daily((0, 15)), ("Africa/Cairo", utc("2026-04-23T12:00")))
@example(Every(1, 0, (4,)), ("Africa/Cairo", utc("2026-04-22T12:00")))
@example(Daily((30,)), ("America/Havana", utc("2026-10-31T12:00")))
def test_fires_are_those_of_an_independent_reading(schedule: Schedule, where: tuple[str, datetime]):
    zone, start = where
    end = start + 2 * DAY

    with machine_in(zone):
        found = list(fires_between(schedule, start, end))

    assert not isinstance(schedule, Cron)
    assert found == fires(schedule, OVER[zone], start, end)


@pytest.mark.posix
@pytest.mark.parametrize("zone", ZONES[:3])
@pytest.mark.parametrize(
    "schedule", [Every(60, 5), Every(120, 5), Every(30, 5, (0, 6), (0, 4)), Daily((30, 120, 150)), Monthly((-1,), (0,))]
)
def test_two_whole_years_agree_with_an_independent_reading(zone: str, schedule: Schedule):
    with machine_in(zone):
        found = list(fires_between(schedule, *TWO_YEARS))

    assert not isinstance(schedule, Cron)
    assert found == fires(schedule, OVER[zone], *TWO_YEARS)


@pytest.mark.posix
@pytest.mark.parametrize("zone", ZONES)
@pytest.mark.parametrize(
    ("expression", "schedule"),
    [
        ("30 0,2 * * *", Daily((30, 150))),
        ("5 */2 * * *", None),
        ("5 * * * *", Every(60, 5)),
        ("*/20 * * * *", Every(20)),
        ("15 1 1,31 * *", Monthly((1, 31), (75,))),
        ("0 3 * * 0,6", Weekly((5, 6), (180,))),
    ],
)
def test_cron_means_what_the_plain_schedule_means(zone: str, expression: str, schedule: Schedule | None):
    starts = [stretch.start for stretch in OVER[zone][1:-1]] or [utc("2026-03-01T00:00")]
    with machine_in(zone):
        for start in starts:
            span = start - 2 * DAY, start + 2 * DAY
            found = list(fires_between(Cron(expression), *span))
            assert found == sorted(set(found))
            assert all(later - earlier <= 50 * HOUR for earlier, later in pairwise(found))
            if schedule is not None:
                assert found == list(fires_between(schedule, *span))


@pytest.mark.posix
@settings(max_examples=100, deadline=None)
@given(schedules, moments, st.integers(0, 10_000))
def test_later_question_never_gets_an_earlier_answer(schedule: Schedule, where: tuple[str, datetime], later_s: int):
    zone, at = where
    with machine_in(zone):
        first = first_fire_from(schedule, at)
        second = first_fire_from(schedule, at + timedelta(seconds=later_s))

    if first is None or second is None:
        assert first is second is None or (isinstance(schedule, Every) and schedule.hours is not None)
        return
    assert at <= first <= second
    if at + timedelta(seconds=later_s) <= first:
        assert second == first
