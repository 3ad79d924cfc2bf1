"""A clock that cannot be right stops a job before anything is recorded."""

from __future__ import annotations

import pytest

from tests.runner.office import Office, utc
from trayapp import clock
from trayapp.runner.opening import accept_clock


@pytest.fixture
def shop(office: Office):
    office.open_shop("2026-09-04T10", "2026-09-04T11")
    office.sql_job("satis")
    office.run_here("satis", "2026-09-04T12:00:00Z")
    return office


@pytest.mark.parametrize("now", ["2026-09-04T11:55:00Z", "2026-09-04T11:59:59Z"])
def test_watermark_up_to_five_minutes_ahead_means_nothing_closed(shop: Office, now: str) -> None:
    # Two machines' clocks, or one just corrected.
    answer, ran = shop.run_here("satis", now)
    assert (answer.exit_status, ran.said) == (0, [("ATLANDI", "kapanmis pencere yok")])


@pytest.mark.parametrize("now", ["2026-09-04T11:54:59Z", "2026-09-03T12:00:00Z", "1970-01-02T00:00:00Z"])
@pytest.mark.parametrize("trigger", ["schedule", "manual"])
def test_watermark_further_ahead_stops_the_job_until_the_clock_is_accepted(
    shop: Office, now: str, trigger: str
) -> None:
    answer, ran = shop.run_here("satis", now, trigger)
    assert (answer.exit_status, ran.said) == (4, [("HATA", "clock-behind")])
    assert shop.watermark("satis") == "2026-09-04T12:00:00Z"
    accept_clock(shop.places, utc(now))
    answer, ran = shop.run_here("satis", now, trigger)
    assert (answer.exit_status, ran.said) == (0, [("ATLANDI", "kapanmis pencere yok")])


def test_jump_of_more_than_400_days_stops_the_job_until_the_clock_is_accepted(shop: Office) -> None:
    answer, ran = shop.run_here("satis", "2027-10-09T12:00:01Z")
    assert (answer.exit_status, ran.said) == (4, [("HATA", "clock-jumped")])
    assert len(shop.totals()) == 2
    assert shop.watermark("satis") == "2026-09-04T12:00:00Z"

    accept_clock(shop.places, utc("2027-10-09T12:00:00Z"))
    answer, ran = shop.run_here("satis", "2027-10-09T12:01:00Z")
    assert (answer.exit_status, answer.windows) == (0, 24)
    # From here on the ledger itself knows the new time.
    answer, _ = shop.run_here("satis", "2027-10-12T12:01:00Z")
    assert answer.windows == 24


def test_jump_of_400_days_is_a_long_outage(shop: Office) -> None:
    answer, _ = shop.run_here("satis", "2027-10-09T12:00:00Z")
    assert (answer.exit_status, answer.windows) == (0, 24)


def test_accepting_holds_for_a_day_around_the_clock_that_was_accepted(shop: Office) -> None:
    accept_clock(shop.places, utc("2028-01-01T00:00:00Z"))
    assert shop.run_here("satis", "2028-01-02T00:00:01Z")[0].exit_status == 4
    assert shop.run_here("satis", "2028-01-02T00:00:00Z")[0].exit_status == 0


def test_damaged_acceptance_counts_as_none(shop: Office) -> None:
    accept_clock(shop.places, utc("2028-01-01T00:00:00Z"))
    for content in ("", "yarın", "2028-01-01"):
        (shop.folder.parent / "state" / "clock-accepted").write_text(content, encoding="utf-8")
        assert shop.run_here("satis", "2028-01-01T00:00:00Z")[0].exit_status == 4


def test_first_run_may_begin_as_far_back_as_it_likes(office: Office) -> None:
    office.open_shop()
    office.sql_job("satis", window='step = "1mo"\ntimezone = "Europe/Istanbul"\nstart = 1995-12-31T22:00:00Z')
    answer, ran = office.run_here("satis", "2026-09-04T12:00:00Z")
    assert (answer.exit_status, len(ran.windows)) == (0, 24)
    # Another job's first run in a ledger that has rested for long is a first run too.
    office.sql_job("stok", "SELECT 1", window="start = 2028-09-04T11:00:00Z")
    assert office.run_here("stok", "2028-09-04T12:00:00Z")[0].windows == 1


@pytest.mark.parametrize("start", ["2026-09-04T12:03:00Z", "2026-10-01T00:00:00Z"])
def test_job_that_begins_in_the_future_waits_for_it(office: Office, start: str) -> None:
    office.open_shop()
    office.sql_job("satis", window=f"start = {start}")
    answer, ran = office.run_here("satis", "2026-09-04T12:00:00Z")
    assert (answer.exit_status, ran.said) == (0, [("ATLANDI", "kapanmis pencere yok")])
    assert answer.next_at == utc("2026-09-04T13:00:00Z" if "09-04" in start else "2026-10-01T01:00:00Z")


@pytest.mark.parametrize("ahead_min", [-60, -5, -1, 0, 1, 4])
def test_window_of_the_future_is_never_committed(shop: Office, ahead_min: int) -> None:
    # Asked for by hand too, whatever the clock shows around a window's end.
    now = clock.from_epoch(clock.to_epoch(utc("2026-09-04T13:00:00Z")) + ahead_min * 60)
    at = clock.format_instant(now)
    shop.run_here("satis", at)
    answer, _ = shop.run_here("satis", at, "manual", window=utc("2026-09-04T12:00:00Z"))
    if ahead_min < 0:
        assert (answer.exit_status, answer.reason) == (2, "window-not-closed")
    ends = shop.ask("SELECT max(end_s) FROM birkez_window")[0][0]
    assert clock.from_epoch(float(str(ends))) <= now


def test_lateness_keeps_a_window_open_for_so_long(office: Office) -> None:
    office.open_shop("2026-09-04T10")
    office.sql_job("satis", window='lateness = "5m"')
    answer, _ = office.run_here("satis", "2026-09-04T11:04:59Z")
    assert (answer.windows, answer.next_at) == (0, utc("2026-09-04T11:05:00Z"))
    answer, _ = office.run_here("satis", "2026-09-04T11:05:00Z")
    assert answer.windows == 1


@pytest.mark.linux
@pytest.mark.parametrize(
    "words", [("run", "satis", "--trigger", "schedule"), ("run", "satis"), ("doctor",), ("status",), ("job", "list")]
)
def test_clock_that_python_cannot_hold_is_told(shop: Office, words: tuple[str, ...]) -> None:
    ended = shop.birkez(*words, faketime="2263-06-01T00:00:00Z")
    assert ended.returncode == 4
    assert "centuries ahead" in ended.stdout + ended.stderr
    assert "Traceback" not in ended.stderr
