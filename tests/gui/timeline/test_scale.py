from __future__ import annotations

import time
from datetime import UTC, datetime, timedelta
from itertools import pairwise

import pytest

from trayapp.gui.timeline.strip.scale import SPANS, around_now, ending_at, ticks_of
from trayapp.wording.language import speak

NOW = datetime(2026, 9, 4, 9, 47, tzinfo=UTC)


@pytest.fixture(autouse=True)
def _english(app):
    from trayapp.gui.language import Language

    speak("en")
    Language(app)


def test_pixels_and_instants_agree():
    scale = around_now(NOW, SPANS["day"], 866)
    for x in (0, 1, 400, 865):
        assert scale.x_of(scale.at(x) + 0.01) == x
    assert scale.since_s < NOW.timestamp() < scale.until_s


@pytest.mark.parametrize("x", [0, 300, 866])
def test_zoom_keeps_what_is_under_the_pointer(x):
    scale = around_now(NOW, SPANS["day"], 866)
    at_s = scale.at(x)
    for factor in (0.5, 1.25, 4.0):
        zoomed = scale.zoomed(factor, x)
        assert abs(zoomed.at(x) - at_s) <= zoomed.second_per_px


def test_zoom_has_ends():
    scale = around_now(NOW, SPANS["day"], 866)
    assert scale.zoomed(1e-9, 0).span_s == 3600
    assert scale.zoomed(1e9, 0).span_s == 400 * 86400


def test_resizing_keeps_the_right_edge_and_the_span():
    scale = ending_at(NOW.timestamp(), SPANS["day"], 800).resized(1200)
    assert abs(scale.until_s - NOW.timestamp()) <= scale.second_per_px
    assert round(scale.span_s) == round(SPANS["day"])


@pytest.mark.parametrize("span", SPANS.values())
def test_labels_of_the_clock_have_room(span):
    scale = around_now(NOW, span, 866)
    places = [scale.x_of(tick.at_s) for tick in ticks_of(scale) if tick.label]
    assert len(places) >= 5
    assert min(later - earlier for earlier, later in pairwise(places)) >= 45


def test_lines_stand_at_local_hours_in_the_autumn_night(monkeypatch):
    monkeypatch.setenv("TZ", "Europe/Berlin")
    time.tzset()
    scale = ending_at(datetime(2026, 10, 25, 6, tzinfo=UTC).timestamp(), 12 * 3600, 1200)
    ticks = [tick for tick in ticks_of(scale) if tick.label and tick.at_s >= scale.since_s]
    assert all(datetime.fromtimestamp(tick.at_s).minute == 0 for tick in ticks)  # noqa: DTZ006  # the local clock
    apart = [later.at_s - earlier.at_s for earlier, later in pairwise(ticks)]
    assert sorted(set(apart)) == [3600.0, 7200.0], "the hour that comes twice has one line"


def test_days_are_named_where_they_begin():
    ticks = ticks_of(around_now(NOW, SPANS["week"], 866))
    named = [tick.day for tick in ticks if tick.day]
    assert "Friday 4 September" in named
    assert "Fri 4 Sep" in [tick.short for tick in ticks]
    assert len(named) >= 7


def test_months_are_named_above_days():
    ticks = ticks_of(around_now(NOW, SPANS["month"], 866))
    assert [tick.day for tick in ticks if tick.day] == ["August 2026", "September 2026"]
    assert NOW - timedelta(days=31) < NOW
