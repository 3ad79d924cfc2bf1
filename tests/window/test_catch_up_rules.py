"""The catch-up rules: what is taken, what is passed over, what waits."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from trayapp.window.catch_up import Offer, Recorded, is_own_fire, select
from trayapp.window.grid import Window

HOUR = timedelta(hours=1)
LATENESS = timedelta(minutes=5)
MIDNIGHT = datetime(2026, 9, 4, tzinfo=UTC)


def hour(number):
    return Window(MIDNIGHT + number * HOUR, MIDNIGHT + (number + 1) * HOUR)


def fresh(*numbers):
    return [Offer(hour(number), None) for number in numbers]


def attempt(number, state="failed"):
    window = hour(number)
    return Offer(window, Recorded(window.start, window.end, state, f"j:{number}"))


def never(_window):
    return False


def chosen(rule, offers, *, limit=24, by_hand=False, own_fire=never):
    """Hours taken, ranges of hours passed over (the end exclusive), and the count of what waits."""
    selection = select(rule, offers=iter(offers), limit=limit, by_hand=by_hand, own_fire=own_fire)
    hours = [(offer.window.start - MIDNIGHT) // HOUR for offer in selection.take]
    ranges = [((start - MIDNIGHT) // HOUR, (end - MIDNIGHT) // HOUR) for start, end in selection.passed]
    return hours, ranges, selection.waiting


@pytest.mark.parametrize("rule", ["all", "latest", "none"])
@pytest.mark.parametrize("by_hand", [True, False])
def test_nothing_closed_is_nothing_to_do(rule, by_hand):
    assert chosen(rule, [], by_hand=by_hand) == ([], [], 0)


@pytest.mark.parametrize("by_hand", [True, False])
def test_all_takes_the_oldest_and_the_rest_waits(by_hand):
    assert chosen("all", fresh(0, 1, 2, 3, 4), limit=2, by_hand=by_hand) == ([0, 1], [], 3)
    assert chosen("all", [attempt(0), *fresh(1, 2)], limit=5, by_hand=by_hand) == ([0, 1, 2], [], 0)


def test_taken_attempt_keeps_its_row():
    offer = attempt(1, "uncertain")
    for rule in ("all", "latest", "none"):
        taken = select(rule, offers=iter([offer]), limit=1, by_hand=False, own_fire=never).take
        assert taken == (offer,)


# -------------------------------------------------------------------- latest


def test_latest_takes_the_newest_and_passes_over_the_rest_as_one_range():
    assert chosen("latest", fresh(0, 1, 2, 3)) == ([3], [(0, 3)], 0)
    assert chosen("latest", fresh(7)) == ([7], [], 0)


def test_latest_passes_over_what_a_settled_row_parts_as_two_ranges():
    assert chosen("latest", fresh(0, 1, 3, 4, 5)) == ([5], [(0, 2), (3, 5)], 0)


@pytest.mark.parametrize("state", ["failed", "again", "started", "uncertain"])
def test_latest_never_passes_over_an_attempt(state):
    assert chosen("latest", [*fresh(0, 1), attempt(2, state), *fresh(3, 4)]) == ([2, 4], [(0, 2), (3, 4)], 0)


def test_latest_takes_an_attempt_that_is_the_newest_and_no_other():
    assert chosen("latest", [*fresh(0, 1), attempt(2)]) == ([2], [(0, 2)], 0)


def test_latest_takes_reopened_windows_before_the_newest():
    assert chosen("latest", [attempt(1, "again"), *fresh(5, 6)]) == ([1, 6], [(5, 6)], 0)


def test_latest_counts_attempts_in_the_limit_and_lets_the_newest_wait():
    offers = [attempt(0), *fresh(1), attempt(2), *fresh(3, 4)]
    assert chosen("latest", offers, limit=2) == ([0, 2], [(1, 2), (3, 4)], 1)
    assert chosen("latest", offers, limit=1) == ([0], [(1, 2), (3, 4)], 2)
    assert chosen("latest", offers, limit=3) == ([0, 2, 4], [(1, 2), (3, 4)], 0)


# ---------------------------------------------------------------------- none


def test_none_takes_the_windows_of_this_fire_alone():
    assert chosen("none", fresh(0, 1, 2), own_fire=lambda window: window == hour(2)) == ([2], [(0, 2)], 0)
    assert chosen("none", fresh(0, 1, 2, 3), own_fire=lambda window: window >= hour(2)) == ([2, 3], [(0, 2)], 0)


def test_none_passes_over_everything_when_the_fire_was_missed():
    assert chosen("none", fresh(0, 1, 2)) == ([], [(0, 3)], 0)


def test_none_never_passes_over_an_attempt():
    assert chosen("none", [*fresh(0), attempt(1), *fresh(2)]) == ([1], [(0, 1), (2, 3)], 0)


def test_none_lets_wait_what_has_its_fire_still_to_come():
    assert chosen("none", fresh(0, 1, 2), own_fire=lambda window: None if window == hour(2) else False) == (
        [],
        [(0, 2)],
        1,
    )


def test_none_lets_wait_what_the_limit_leaves():
    assert chosen("none", fresh(0, 1, 2), limit=2, own_fire=lambda _window: True) == ([0, 1], [], 1)


# ------------------------------------------------------------------- by hand


@pytest.mark.parametrize("rule", ["latest", "none"])
def test_by_hand_takes_attempts_and_the_newest_and_passes_nothing_over(rule):
    assert chosen(rule, fresh(0, 1, 2), by_hand=True) == ([2], [], 2)
    assert chosen(rule, [*fresh(0), attempt(1), *fresh(2, 3)], by_hand=True) == ([1, 3], [], 2)
    assert chosen(rule, [*fresh(0), attempt(1), *fresh(2, 3)], by_hand=True, limit=1) == ([1], [], 3)
    assert chosen(rule, [*fresh(0, 1), attempt(2)], by_hand=True) == ([2], [], 2)


def test_by_hand_asks_no_schedule():
    def asked(_window):
        raise AssertionError

    assert chosen("none", fresh(0, 1), by_hand=True, own_fire=asked) == ([1], [], 1)


# ------------------------------------------------------------------ own fire


def first_of(*fires):
    """A schedule that fires at these hours and minutes of the day."""
    instants = sorted(MIDNIGHT + timedelta(hours=hours, minutes=minutes) for hours, minutes in fires)
    return lambda at: next((fire for fire in instants if fire >= at), None)


def clock(hours, minutes=0):
    return MIDNIGHT + timedelta(hours=hours, minutes=minutes)


HOURLY_AT_5_PAST = first_of(*((hours, 5) for hours in range(24)))


@pytest.mark.parametrize(
    ("now", "expected"),
    [
        (clock(11, 5) - timedelta(microseconds=1), None),
        (clock(11, 5), True),
        (clock(12, 4), True),
        (clock(12, 5), False),
        (clock(23, 59), False),
    ],
)
def test_own_fire_lasts_until_the_next_one(now, expected):
    assert is_own_fire(hour(10), LATENESS, now, HOURLY_AT_5_PAST) is expected


def test_fire_before_the_window_counts_as_closed_is_not_its_own():
    at_3_past = first_of((11, 3), (12, 3))
    assert is_own_fire(hour(10), LATENESS, clock(11, 30), at_3_past) is None
    assert is_own_fire(hour(10), LATENESS, clock(12, 3), at_3_past) is True


def test_last_fire_of_all_stays_its_own():
    assert is_own_fire(hour(10), LATENESS, clock(23), first_of((11, 5))) is True


def test_job_that_never_fires_has_missed_nothing():
    assert is_own_fire(hour(10), LATENESS, clock(23), first_of()) is None


def test_start_at_boot_leaves_to_the_nightly_fire_what_is_its_own():
    """The night's hours were taken at 02:30; those since then have not been missed at noon."""
    nightly = first_of((2, 30), (26, 30))

    def own(window, now):
        return is_own_fire(window, LATENESS, now, nightly)

    offers = fresh(*range(11))
    assert chosen("none", offers, own_fire=lambda window: own(window, clock(12))) == ([0, 1], [], 9)
    assert chosen("none", fresh(*range(2, 26)), own_fire=lambda window: own(window, clock(26, 30))) == (
        [*range(2, 26)],
        [],
        0,
    )


def test_missed_fires_are_passed_over_and_the_latest_is_taken():
    def own(window):
        return is_own_fire(window, LATENESS, clock(12, 10), HOURLY_AT_5_PAST)

    assert chosen("none", fresh(*range(8, 12)), own_fire=own) == ([11], [(8, 11)], 0)
