"""What a strip shows, from real rows of history."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from itertools import pairwise

import pytest

from tests.gui import past, sample
from tests.history.making import made_window
from trayapp.gui.timeline.strip.reading import Period, Wish, columns_of, read_strip, step_s_of
from trayapp.history.query import open_for_reading
from trayapp.history.store import open_history
from trayapp.job.model import WindowRule
from trayapp.job.schedule import Daily, Every

NOON = datetime(2026, 9, 4, 12, tzinfo=UTC)
HOUR = timedelta(hours=1)


def job(step="1h", schedule=Every(60, 5), lateness_s=300, timezone=None):  # noqa: B008  # a value
    made = sample.job("satis-ozet", "well").file.job
    return made._replace(rule=WindowRule(step, NOON, timezone, lateness_s=lateness_s), schedule=schedule)


@pytest.fixture
def strip_of(tmp_path):
    """Write windows, then read the strip of a day around noon."""

    def make(windows, wished_job=None, *, done_up_to=None, now=NOON + 12 * HOUR, second_per_px=100.0, **bounds):
        path = str(tmp_path / "history.db")
        history = open_history(path)
        history.copy_windows("defter", "satis-ozet", windows)
        history.close()
        reader = open_for_reading(path)
        since, until = bounds.get("since", NOON - 12 * HOUR), bounds.get("until", NOON + 12 * HOUR)
        found = read_strip(reader, Wish(wished_job or job(), since, until, second_per_px, now, done_up_to))
        reader.close()
        return found

    return make


def kinds(strip):
    return [period.kind for period in strip.periods]


def test_what_its_own_fire_took_is_in_time_and_what_a_later_one_took_is_catch_up(strip_of):
    windows = [
        made_window(1, at=NOON + 2 * HOUR + timedelta(minutes=5, seconds=2)),  # 13–14, by the fire of 14:05
        made_window(2, at=NOON + 4 * HOUR + timedelta(minutes=5, seconds=2)),  # 14–15, by that of 16:05
        made_window(3, at=NOON + 4 * HOUR + timedelta(minutes=6)),  # 15–16, by 16:05 too: its own
    ]
    assert kinds(strip_of(windows)) == ["done", "late", "done"]


def test_long_work_of_the_own_fire_is_in_time(strip_of):
    began = NOON + 2 * HOUR + timedelta(minutes=5)
    took = timedelta(minutes=90)
    windows = [made_window(1, at=began + took, duration_ms=took // timedelta(milliseconds=1))]
    assert kinds(strip_of(windows)) == ["done"]


def test_rest_of_the_night_is_in_time_for_office_hours(strip_of):
    """With hours 08–18 the period 18–19 has its own fire next morning."""
    office = job(schedule=Every(60, 5, hours=(8, 18)))
    start = datetime(2026, 9, 3, 18, tzinfo=UTC)
    next_morning = datetime(2026, 9, 4, 8, 5, 1, tzinfo=UTC)
    at_noon = next_morning + 4 * HOUR
    row = {"start": start, "end": start + HOUR}
    since = {"since": start - HOUR}
    assert kinds(strip_of([made_window(1, at=next_morning, **row)], office, **since)) == ["done"]
    assert kinds(strip_of([made_window(2, key="x", at=at_noon, **row)], office, **since))[-1] == "late"


def test_closed_periods_that_nobody_took_wait_and_the_one_that_is_not_over_is_open(strip_of):
    strip = strip_of([made_window(1)], done_up_to=NOON + 2 * HOUR, now=NOON + 5 * HOUR + timedelta(minutes=2))
    # 14–15 and 15–16 wait; 16–17 has closed, and its late records have not come yet; 17–18 runs.
    assert kinds(strip) == ["done", "waiting", "waiting", "open", "open"]
    assert strip.periods[-1].end_s == (NOON + 6 * HOUR).timestamp()


def test_period_ahead_of_the_watermark_is_not_waiting(strip_of):
    windows = [made_window(1), made_window(3, state="uncertain")]
    strip = strip_of(windows, done_up_to=NOON + 2 * HOUR, now=NOON + 5 * HOUR)
    assert kinds(strip) == ["done", "waiting", "uncertain", "open", "open"]


def test_nothing_waits_where_nobody_knows_the_watermark(strip_of):
    assert kinds(strip_of([made_window(1)], done_up_to=None)) == ["done"]


def test_range_that_was_passed_over_is_shown_as_its_periods(strip_of):
    strip = strip_of([made_window(1, state="passed", start=NOON, end=NOON + 6 * HOUR)])
    assert kinds(strip) == ["passed"] * 6
    assert {period.window.key for period in strip.periods} == {made_window(1).key}


def test_period_that_began_before_and_reaches_into_sight_is_shown(strip_of):
    long = made_window(1, start=NOON - 48 * HOUR, end=NOON, at=NOON + timedelta(minutes=6))
    strip = strip_of([long], since=NOON - HOUR)
    assert kinds(strip) == ["done"]


def test_reopened_period_is_shown_by_its_new_row_alone(strip_of):
    windows = [made_window(1, state="superseded"), made_window(2, 1, key="satis-ozet:x#2", state="again")]
    assert kinds(strip_of(windows)) == ["waiting"]


def test_days_in_a_zone_wait_by_its_midnights(strip_of):
    istanbul = job("1d", Daily((150,)), 0, "Europe/Istanbul")
    midnight = datetime(2026, 9, 2, 21, tzinfo=UTC)
    strip = strip_of([], istanbul, done_up_to=midnight, now=NOON, since=midnight - 24 * HOUR)
    assert [(period.kind, period.start_s) for period in strip.periods] == [
        ("waiting", midnight.timestamp()),
        ("open", (midnight + 24 * HOUR).timestamp()),
    ]


def test_narrow_periods_share_columns_in_which_the_worst_is_seen(strip_of):
    windows = [made_window(number, at=NOON + (number + 1) * HOUR) for number in range(1, 10)]
    windows[4] = windows[4]._replace(state="failed")
    strip = strip_of(windows, second_per_px=3600.0)
    assert strip.is_coarse
    counts = [dict(period.counts) for period in strip.periods]
    assert sum(sum(count.values()) for count in counts) == 9
    worst = next(period for period in strip.periods if "failed" in period.counts)
    assert worst.kind == "failed"
    assert {period.kind for period in strip.periods} == {"failed", "done"}


@pytest.mark.parametrize("width_s", [60.0, 10_800.0])
def test_columns_have_no_gap_where_the_periods_have_none(width_s):
    periods = [Period(number * 3600.0, (number + 1) * 3600.0, "done") for number in range(30)]
    columns = columns_of(periods, width_s)
    assert all(one.end_s == other.start_s for one, other in pairwise(columns))
    assert columns[-1].end_s >= 30 * 3600


def test_marks_are_the_runs_oldest_first_and_of_a_crowd_only_those_that_ail(tmp_path, strip_of):
    from tests.history.making import fill, made_run

    path = str(tmp_path / "history.db")
    history = open_history(path)
    fill(history, [made_run(number, outcome="failed" if number == 7 else "done") for number in range(600)])
    history.close()
    near = strip_of([], second_per_px=10.0, since=NOON, until=NOON + HOUR)
    assert [mark.run.run for mark in near.marks] == [f"kosum-{number}" for number in range(60)]
    far = strip_of([], second_per_px=600.0)
    assert [mark.run.run for mark in far.marks] == ["kosum-7"]


def test_length_of_each_step_is_known():
    lengths = {step: step_s_of(job(step)) for step in ("1m", "15m", "12h", "1d", "1w", "1mo")}
    assert list(lengths.values()) == [60, 900, 43_200, 86_400, 604_800, 2_592_000]


def test_the_sample_office_has_each_kind(tmp_path):
    from trayapp.places import Places

    places = Places(str(tmp_path / "c"), str(tmp_path / "s"))
    past.fill(places)
    reader = open_for_reading(places.history_db)
    found = set()
    for state in past.snapshot().jobs:
        survey = state.survey
        wish = Wish(state.file.job, past.NOW - 25 * HOUR, past.NOW + HOUR, 60, past.NOW, survey and survey.done_up_to)
        found |= set(kinds(read_strip(reader, wish)))
    reader.close()
    assert found == {"done", "late", "waiting", "uncertain", "failed", "passed", "open"}
