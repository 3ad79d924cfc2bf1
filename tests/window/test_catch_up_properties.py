"""Coverage under anything: no gap, no overlap, and each closed window once, however often one asks.

The expectations count single minutes in sets; they know no cutting and no order of rows.
"""

from __future__ import annotations

import itertools
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from trayapp.clock import from_epoch
from trayapp.window.catch_up import Recorded, closed_windows_after, select
from trayapp.window.grid import Window, grid_of

MINUTE = timedelta(minutes=1)
START = datetime(2026, 10, 24, 21, tzinfo=UTC)  # an hour before a local midnight in Berlin
STATES = ["done", "skipped", "passed", "failed", "again", "started", "uncertain"]
SETTLED = {"done", "skipped", "passed"}
GRIDS = [grid_of(step, None) for step in ("2m", "5m", "10m", "1h")] + [grid_of("1d", "Europe/Berlin")]
LENGTH = 240  # minutes

relaxed = settings(deadline=None, database=None, max_examples=200)


def minute(number):
    return START + number * MINUTE


@st.composite
def recorded_rows(draw):
    """Rows that do not overlap, some of them side by side."""
    bounds = sorted(draw(st.sets(st.integers(0, LENGTH), max_size=12)))
    pairs = [pair for pair in itertools.pairwise(bounds) if draw(st.booleans())]
    return [Recorded(minute(start), minute(end), draw(st.sampled_from(STATES)), f"j:{start}") for start, end in pairs]


def windows_by_counting(watermark, horizon, grid, rows):
    """Closed windows as sets of minutes say: free minutes, parted at lines and at the bounds of rows."""
    number_of = lambda at: (at - START) // MINUTE  # noqa: E731
    covered = {m for row in rows for m in range(number_of(row.start), number_of(row.end))}
    free = [m for m in range(number_of(watermark), LENGTH + 26 * 60) if m not in covered]
    windows = []
    for m in free:
        if windows and windows[-1][1] == m and not grid.is_line(minute(m)):
            windows[-1][1] = m + 1
        else:
            windows.append([m, m + 1])
    found = [(minute(start), minute(end)) for start, end in windows[:-1]]  # the last is cut by the range itself
    found += [(row.start, row.end) for row in rows if row.state not in SETTLED]
    return sorted(window for window in found if window[1] <= horizon)


@relaxed
@given(recorded_rows(), st.integers(0, LENGTH), st.integers(-10, LENGTH + 60), st.sampled_from(GRIDS), st.randoms())
def test_offers_are_what_counting_minutes_finds(rows, watermark, horizon, grid, shuffle):
    watermark, horizon = minute(watermark), minute(horizon)
    rows = [row for row in rows if row.end > watermark or row.state not in SETTLED]
    expected = windows_by_counting(watermark, horizon, grid, rows)
    shuffle.shuffle(rows)
    offers = list(closed_windows_after(watermark, horizon, grid, rows))
    assert [tuple(offer.window) for offer in offers] == expected
    by_bounds = {(row.start, row.end): row for row in rows if row.state not in SETTLED}
    assert [offer.recorded for offer in offers] == [by_bounds.get(tuple(offer.window)) for offer in offers]


class PlayedLedger:
    """Rows and watermark as a ledger keeps them, and every window that took effect."""

    def __init__(self):
        self.watermark = START
        self.rows = {}
        self.effects = []

    def run(self, horizon, grid, rule, limit, fail_at):
        """One run: settle what is taken, but for the attempt number *fail_at*, which ends it."""
        above = [row for row in self.rows.values() if row.end > self.watermark or row.state not in SETTLED]
        offers = closed_windows_after(self.watermark, horizon, grid, above)
        selection = select(rule, offers=offers, limit=limit, by_hand=False, own_fire=lambda _window: True)
        for window in selection.passed:
            self.settle(window, "passed")
        for number, offer in enumerate(selection.take):
            if number == fail_at:
                self.rows[offer.window.start] = Recorded(*offer.window, "failed", f"j:{offer.window.start}")
                return selection
            self.settle(offer.window, "done")
            self.effects.append(offer.window)
        return selection

    def settle(self, window, state):
        self.rows[window.start] = Recorded(*window, state, f"j:{window.start}")
        before = self.watermark
        while (row := self.rows.get(self.watermark)) and row.state in SETTLED:
            self.watermark = row.end
        assert self.watermark >= before

    def assert_whole_up_to(self, end):
        rows = sorted(self.rows.values())
        assert all(row.state in SETTLED for row in rows)
        bounds = [(row.start, row.end) for row in rows]
        assert [start for start, _ in bounds] == [START, *(end for _, end in bounds[:-1])][: len(bounds)]
        assert self.watermark == end
        assert len(set(self.effects)) == len(self.effects)


runs = st.lists(
    st.tuples(st.integers(0, 90), st.sampled_from(GRIDS), st.integers(1, 7), st.integers(0, 9)), min_size=1, max_size=12
)


@pytest.mark.parametrize("rule", ["all", "latest", "none"])
@relaxed
@given(runs, st.sampled_from(GRIDS))
def test_runs_with_failures_and_changed_steps_cover_time_once(rule, runs, last_grid):
    """Union of all runs = all closed windows, whatever failed and whichever grid was in force."""
    ledger, now = PlayedLedger(), 0
    for passing, grid, limit, fail_at in runs:
        now += passing
        ledger.run(minute(now), grid, rule, limit, fail_at)
    while ledger.run(minute(now), last_grid, rule, 3, None).take:
        pass
    line = last_grid.line_at_or_before(minute(now))
    last_row_end = max((row.end for row in ledger.rows.values()), default=START)
    ledger.assert_whole_up_to(max(line, last_row_end, START))


@relaxed
@given(recorded_rows(), st.integers(0, LENGTH), st.sampled_from(GRIDS), st.integers(0, 6), st.booleans(), st.data())
def test_each_closed_window_is_taken_or_passed_over_or_waits(rows, watermark, grid, limit, by_hand, data):
    watermark, horizon = minute(watermark), minute(LENGTH)
    rule = data.draw(st.sampled_from(["all", "latest", "none"]))
    verdicts = data.draw(st.lists(st.sampled_from([True, False, None]), min_size=1, max_size=5))
    own = lambda window: verdicts[(window.start - START) // MINUTE % len(verdicts)]  # noqa: E731
    rows = [row for row in rows if row.end > watermark or row.state not in SETTLED]
    offers = list(closed_windows_after(watermark, horizon, grid, rows))
    selection = select(rule, offers=iter(offers), limit=limit, by_hand=by_hand, own_fire=own)

    assert len(selection.take) <= limit
    assert list(selection.take) == [offer for offer in offers if offer in selection.take]
    inside = [
        offer
        for offer in offers
        if any(p.start <= offer.window.start and offer.window.end <= p.end for p in selection.passed)
    ]
    assert not set(inside) & set(selection.take)
    assert len(selection.take) + len(inside) + selection.waiting == len(offers)
    assert all(offer.recorded is None for offer in inside)
    assert all(a.end < b.start for a, b in itertools.pairwise(selection.passed))
    assert sum((p.end - p.start for p in selection.passed), timedelta()) == sum(
        (offer.window.end - offer.window.start for offer in inside), timedelta()
    )
    if by_hand or rule == "all":
        assert not selection.passed


@relaxed
@given(st.integers(0, 2**31), st.integers(0, 999_999), st.sampled_from(GRIDS))
def test_windows_are_half_open_and_each_instant_lies_in_one(second, microsecond, grid):
    at = from_epoch(second) + timedelta(microseconds=microsecond)
    start, end = grid.line_at_or_before(at), grid.line_after(at)
    assert start <= at < end
    assert [offer.window for offer in closed_windows_after(start, end, grid, [])] == [Window(start, end)]
