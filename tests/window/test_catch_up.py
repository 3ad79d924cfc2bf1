from __future__ import annotations

import itertools
import sqlite3
import tracemalloc
from datetime import UTC, datetime, timedelta

import pytest

from trayapp.window.catch_up import SETTLED, Recorded, closed_windows_after, select
from trayapp.window.grid import Window, grid_of

MINUTE = timedelta(minutes=1)
HOUR = timedelta(hours=1)
DAY = timedelta(days=1)
TICK = timedelta(microseconds=1)
HOURLY = grid_of("1h", None)
UNSETTLED = ["failed", "again", "started", "uncertain"]


def utc(text):
    return datetime.fromisoformat(text).replace(tzinfo=UTC)


def at(clock):
    """An instant of one day, by its clock time: 09:30."""
    return utc(f"2026-09-04T{clock}")


def row(start, end, state):
    return Recorded(at(start), at(end), state, f"j:{at(start).isoformat()}")


def offers(watermark, horizon, *recorded, grid=HOURLY):
    return list(closed_windows_after(at(watermark), at(horizon), grid, recorded))


def windows(watermark, horizon, *recorded, grid=HOURLY):
    return [
        f"{offer.window.start:%H:%M}-{offer.window.end:%H:%M}"
        for offer in offers(watermark, horizon, *recorded, grid=grid)
    ]


# ------------------------------------------------------- what has closed


def test_windows_of_the_seed_table_are_caught_up_oldest_first():
    assert windows("10:00", "12:00") == ["10:00-11:00", "11:00-12:00"]
    assert windows("12:00", "12:02") == []


@pytest.mark.parametrize(("horizon", "closed"), [(at("11:00") - TICK, 0), (at("11:00"), 1), (at("11:00") + TICK, 1)])
def test_window_is_closed_from_its_end_on(horizon, closed):
    assert len(list(closed_windows_after(at("10:00"), horizon, HOURLY, []))) == closed


def test_watermark_ahead_of_the_clock_has_nothing_closed():
    assert windows("12:00", "09:00") == []
    assert windows("12:00", "09:00", row("13:00", "14:00", "failed")) == []


def test_watermark_at_the_end_of_the_calendar_is_no_error():
    end = datetime.max.replace(tzinfo=UTC)
    for step in ("1h", "1mo"):
        assert list(closed_windows_after(end, at("10:00"), grid_of(step, "Europe/Istanbul"), [])) == []


def test_start_off_the_grid_begins_with_a_bridge():
    assert windows("10:20", "12:30") == ["10:20-11:00", "11:00-12:00"]


# ---------------------------------------------------------- recorded rows


@pytest.mark.parametrize("state", sorted(SETTLED))
def test_settled_row_is_jumped(state):
    assert windows("08:00", "12:00", row("09:00", "10:00", state)) == ["08:00-09:00", "10:00-11:00", "11:00-12:00"]


@pytest.mark.parametrize("state", UNSETTLED)
def test_attempt_is_offered_with_its_own_bounds(state):
    attempt = row("09:15", "10:45", state)
    found = offers("08:00", "12:00", attempt)
    assert windows("08:00", "12:00", attempt) == [
        "08:00-09:00",
        "09:00-09:15",
        "09:15-10:45",
        "10:45-11:00",
        "11:00-12:00",
    ]
    assert [offer.recorded for offer in found] == [None, None, attempt, None, None]


def test_rows_may_come_in_any_order():
    rows = [row("09:00", "10:00", "done"), row("10:00", "11:00", "failed"), row("06:00", "07:00", "again")]
    expected = windows("08:00", "12:00", *rows)
    assert expected == ["06:00-07:00", "08:00-09:00", "10:00-11:00", "11:00-12:00"]
    for shuffled in itertools.permutations(rows):
        assert windows("08:00", "12:00", *shuffled) == expected


def test_reopened_windows_come_before_everything_oldest_first():
    rows = [row("05:00", "06:00", "again"), row("03:00", "04:00", "failed"), row("04:00", "05:00", "done")]
    assert windows("08:00", "09:30", *rows) == ["03:00-04:00", "05:00-06:00", "08:00-09:00"]


def test_attempt_that_is_not_closed_any_more_waits():
    """The lateness was raised, so that even what lies before the watermark is open again."""
    assert windows("08:00", "09:30", row("09:00", "10:00", "failed")) == ["08:00-09:00"]
    assert windows("10:00", "09:30", row("09:00", "10:00", "again"), row("07:00", "08:00", "again")) == ["07:00-08:00"]


def test_gap_before_a_row_that_is_not_closed_is_cut_at_the_row():
    assert windows("08:00", "09:30", row("09:20", "10:20", "failed")) == ["08:00-09:00", "09:00-09:20"]
    assert windows("08:00", "09:10", row("09:20", "10:20", "failed")) == ["08:00-09:00"]


@pytest.mark.parametrize(("state", "expected"), [("done", []), ("failed", ["09:30-10:30"])])
def test_row_across_a_watermark_that_was_moved_back_keeps_its_bounds(state, expected):
    assert windows("10:00", "12:00", row("09:30", "10:30", state)) == [*expected, "10:30-11:00", "11:00-12:00"]


def test_window_taken_out_of_order_is_not_offered_again():
    assert windows("08:00", "11:00", row("10:00", "11:00", "done")) == ["08:00-09:00", "09:00-10:00"]


def test_row_that_begins_at_the_watermark_leaves_no_empty_window_before_it():
    assert windows("08:00", "09:00", row("08:00", "08:30", "done"), row("08:30", "09:00", "passed")) == []


# ----------------------------------------------- a changed step or zone


def test_finer_step_goes_on_from_the_watermark():
    assert windows("10:00", "10:50", grid=grid_of("15m", None)) == ["10:00-10:15", "10:15-10:30", "10:30-10:45"]


def test_coarser_step_begins_with_a_bridge_to_the_local_midnight():
    istanbul, watermark = grid_of("1d", "Europe/Istanbul"), utc("2026-09-04T10:45")
    found = [offer.window for offer in closed_windows_after(watermark, utc("2026-09-06T21:00"), istanbul, [])]
    assert found == [
        Window(watermark, utc("2026-09-04T21:00")),
        Window(utc("2026-09-04T21:00"), utc("2026-09-05T21:00")),
        Window(utc("2026-09-05T21:00"), utc("2026-09-06T21:00")),
    ]


def test_other_zone_begins_with_a_bridge_to_its_midnight():
    berlin, istanbul_midnight = grid_of("1d", "Europe/Berlin"), utc("2026-09-04T21:00")
    found = [offer.window for offer in closed_windows_after(istanbul_midnight, utc("2026-09-05T22:00"), berlin, [])]
    assert found == [
        Window(istanbul_midnight, utc("2026-09-04T22:00")),
        Window(utc("2026-09-04T22:00"), utc("2026-09-05T22:00")),
    ]


def test_change_of_step_under_an_attempt_neither_repeats_nor_skips():
    attempt = row("10:00", "10:15", "failed")
    assert windows("10:00", "12:00", attempt) == ["10:00-10:15", "10:15-11:00", "11:00-12:00"]


def test_asking_again_with_the_same_rule_gives_the_same_windows():
    asked = offers("08:00", "12:00", row("09:00", "10:00", "failed"))
    assert asked == offers("08:00", "12:00", row("09:00", "10:00", "failed"), grid=grid_of("1h", None))


# ------------------------------------------------------ clocks that change


@pytest.mark.parametrize(("step", "count"), [("1h", 25), ("15m", 100)])
def test_repeated_autumn_hour_has_windows_and_keys_of_its_own(step, count):
    start, end = utc("2026-10-24T22:00"), utc("2026-10-25T23:00")  # one local day in Berlin
    found = [offer.window for offer in closed_windows_after(start, end, grid_of(step, "Europe/Berlin"), [])]
    assert len(found) == count
    assert len({f"j:{window.start.isoformat()}" for window in found}) == count
    assert [found[0].start, *(window.end for window in found)] == [*(window.start for window in found), end]


def test_half_hour_change_leaves_98_quarters():
    start, end = utc("2026-04-04T13:00"), utc("2026-04-05T13:30")
    assert grid_of("1d", "Australia/Lord_Howe").line_after(start) == end
    assert len(list(closed_windows_after(start, end, grid_of("15m", None), []))) == 98


# -------------------------------------------------------------- half-open


def test_record_on_a_bound_belongs_to_the_later_window_alone():
    first, second = (offer.window for offer in offers("10:00", "12:00"))
    records = [first.start, first.start + TICK, first.end - TICK, first.end]
    assert [record for record in records if first.start <= record < first.end] == records[:3]
    assert [record for record in records if second.start <= record < second.end] == records[3:]


@pytest.mark.parametrize("written", ["{}", "{}Z", "{}.000", "{}.000Z", "{}+00:00"])
def test_bounds_as_text_without_a_suffix_sort_right_in_sql(written):
    """`…T00:00:00` is a prefix of every way to write that instant, so it is never the later one."""
    database = sqlite3.connect(":memory:")
    database.execute("create table orders (at)")
    clocks = ["2026-09-04T09:59:59", "2026-09-04T10:00:00", "2026-09-04T10:59:59", "2026-09-04T11:00:00"]
    database.executemany("insert into orders values (?)", [(written.format(clock),) for clock in clocks])
    counts = []
    for offer in offers("09:00", "12:00"):
        bounds = [bound.replace(tzinfo=None).isoformat() for bound in offer.window]
        counts += database.execute("select count(*) from orders where at >= ? and at < ?", bounds).fetchone()
    database.close()
    assert counts == [1, 2, 1]


# -------------------------------------------------------------- long backlogs


def test_thirty_days_of_quarters_take_58_starts_of_50_oldest_first():
    start, quarters = utc("2026-08-05"), grid_of("15m", None)
    horizon, watermark, taken, counts = start + 30 * DAY, start, [], []
    while True:
        closed = closed_windows_after(watermark, horizon, quarters, [])
        chosen = select("all", offers=closed, limit=50, by_hand=len(counts) == 7, own_fire=lambda _window: False)
        if not chosen.take:
            break
        taken += [offer.window for offer in chosen.take]
        assert (chosen.passed, chosen.waiting) == ((), 2880 - len(taken))
        counts.append(len(chosen.take))
        watermark = taken[-1].end
    assert counts == [50] * 57 + [30]
    assert taken == [Window(start + number * 15 * MINUTE, start + (number + 1) * 15 * MINUTE) for number in range(2880)]


@pytest.mark.parametrize("rule", ["all", "latest", "none"])
@pytest.mark.parametrize("step", ["1m", "1d"])
def test_memory_stays_flat_however_long_the_backlog(rule, step):
    start, grid = utc("2016-09-05"), grid_of(step, "Europe/Istanbul")
    length = 30 * DAY if step == "1m" else 3650 * DAY

    def choose(horizon):
        closed = closed_windows_after(start, horizon, grid, [])
        return select(rule, offers=closed, limit=24, by_hand=False, own_fire=lambda window: window.end > horizon - DAY)

    choose(start + 2 * DAY)  # what Python itself keeps
    tracemalloc.start()
    chosen = choose(start + length)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert chosen.waiting + len(chosen.take) + len(chosen.passed) > 1
    assert peak < 64 * 1024


def test_first_window_of_a_long_backlog_does_not_wait_for_the_last():
    asked = 0

    class Counting(type(HOURLY)):
        def lines_after(self, at):
            nonlocal asked
            for line in super().lines_after(at):
                asked += 1
                yield line

    next(closed_windows_after(utc("1970-01-01"), utc("2037-01-01"), Counting(HOUR), []))
    assert asked == 1
