"""What a person decides about windows, and what the next run makes of it."""

from __future__ import annotations

import os

import pytest

from tests.runner.office import FAILING_SQL, Office, utc
from trayapp.errors import StateError, UsageError
from trayapp.runner.by_hand import forget, resolve, set_watermark, skip

# --------------------------------------------------------------------- skip


def test_window_that_always_fails_is_tried_once_a_start_and_can_be_skipped(office: Office) -> None:
    # P72: window 3 of 10 fails each time; another job beside it is not touched.
    office.open_shop()
    office.sql_job("satis", FAILING_SQL)
    office.sql_job("stok", "UPDATE toplam SET tutar = tutar + 0")
    for attempt in range(1, 11):
        answer, ran = office.run_here("satis", "2026-09-04T20:00:00Z")
        assert answer.exit_status == 1
        assert answer.waiting == 8
        assert answer.is_first_failure == (attempt == 1)
        assert ran.lines[-1].fields["deneme"] == str(attempt)
        assert len(ran.lines) == (3 if attempt == 1 else 1)
        assert office.watermark("satis") == "2026-09-04T12:00:00Z"
    assert office.states("satis") == [("12:00", "failed", 10)]
    answer, _ = office.run_here("stok", "2026-09-04T20:00:00Z")
    assert answer.windows == 10

    window = skip(office.places, "satis", utc("2026-09-04T12:00:00Z"), "o saatin kaydı bozuk")
    assert window == (utc("2026-09-04T12:00:00Z"), utc("2026-09-04T13:00:00Z"))
    answer, _ = office.run_here("satis", "2026-09-04T20:00:00Z")
    assert (answer.windows, answer.waiting) == (7, 0)
    assert [hour for hour, _ in office.totals()] == [f"{hour}:00" for hour in range(10, 20) if hour != 12]
    office.assert_each_fire_is_told("satis", 12)


def test_skip_settles_a_window_that_nobody_has_tried(office: Office) -> None:
    office.open_shop("2026-09-04T10", "2026-09-04T11", "2026-09-04T12")
    office.sql_job("satis")
    office.set_clock("2026-09-04T13:00:00Z")
    skip(office.places, "satis", utc("2026-09-04T11:00:00Z"), "tatil")
    assert office.watermark("satis") == "2026-09-04T10:00:00Z", "what lies before is not settled"
    office.run_here("satis", "2026-09-04T13:00:00Z")
    assert office.totals() == [("10:00", 12), ("12:00", 12)]
    answer, ran = office.run_here("satis", "2026-09-04T13:10:00Z", "manual", window=utc("2026-09-04T11:00:00Z"))
    assert (answer.windows, ran.said) == (0, [("ATLANDI", "anahtar mevcut")])


@pytest.mark.parametrize(
    ("start", "code"),
    [
        ("2026-09-04T10:00:00Z", "window-settled"),
        ("2026-09-04T10:30:00Z", "window-off-grid"),
        ("2026-09-04T11:30:00Z", "window-off-grid"),
        ("2026-09-04T09:00:00Z", "window-before-start"),
        ("2026-09-04T12:00:00Z", "window-not-closed"),
        ("2030-01-01T00:00:00Z", "window-not-closed"),
    ],
)
def test_skip_refuses(office: Office, start: str, code: str) -> None:
    office.open_shop()
    office.sql_job("satis")
    office.run_here("satis", "2026-09-04T11:00:00Z")
    office.set_clock("2026-09-04T12:30:00Z")
    before = office.standing("satis")
    with pytest.raises((StateError, UsageError), match=code):
        skip(office.places, "satis", utc(start), "deneme")
    assert office.standing("satis") == before


# ---------------------------------------------------------------- watermark


def test_watermark_back_jumps_what_is_settled_and_says_how_much(office: Office) -> None:
    # P74: history was cleaned, then somebody looks 120 days back. The keys are the ledger's, so nothing repeats.
    office.open_shop()
    office.sql_job(
        "satis",
        "INSERT INTO ozet VALUES (:start, 1, 12); UPDATE toplam SET tutar = tutar + 12",
        window='step = "12h"\nstart = 2026-05-01T00:00:00Z\nmax_per_run = 1000',
    )
    office.run_here("satis", "2026-09-04T12:00:00Z")
    count = len(office.totals())
    assert count == 126 * 2 + 1
    for suffix in ("", "-wal", "-shm"):
        if os.path.exists(office.places.history_db + suffix):
            os.unlink(office.places.history_db + suffix)

    office.set_clock("2026-09-04T12:10:00Z")
    moved = set_watermark(office.places, "satis", utc("2026-05-07T00:00:00Z"), "eksik var mı")
    assert (moved.before, moved.after) == (utc("2026-09-04T12:00:00Z"), utc("2026-05-07T00:00:00Z"))
    assert (moved.settled_again, moved.skipped) == (120 * 2 + 1, 0)
    answer, ran = office.run_here("satis", "2026-09-04T12:20:00Z")
    assert ran.said == [("ATLANDI", "kapanmis pencere yok")]
    assert answer.next_at == utc("2026-09-05T00:00:00Z")
    office.run_here("satis", "2026-09-05T00:00:00Z")
    assert len(office.totals()) == count + 1
    assert office.watermark("satis") == "2026-09-05T00:00:00Z"


def test_watermark_before_the_start_takes_what_was_never_covered(office: Office) -> None:
    office.open_shop("2026-09-04T08", "2026-09-04T09", "2026-09-04T10")
    office.sql_job("satis")
    office.run_here("satis", "2026-09-04T11:00:00Z")
    set_watermark(office.places, "satis", utc("2026-09-04T08:30:00Z"), "eski kayıtlar geldi")
    answer, ran = office.run_here("satis", "2026-09-04T11:10:00Z")
    assert ran.windows == ["2026-09-04T08:30:00Z", "2026-09-04T09:00:00Z"], "a bridge to the grid, then whole hours"
    assert answer.waiting == 0
    assert office.totals() == [("08:30", 7), ("09:00", 12), ("10:00", 12)]
    assert office.watermark("satis") == "2026-09-04T11:00:00Z"


def test_watermark_forward_skips_what_is_not_settled(office: Office) -> None:
    office.open_shop("2026-09-04T15")
    office.sql_job("satis", FAILING_SQL)
    office.run_here("satis", "2026-09-04T13:00:00Z")
    office.run_here("satis", "2026-09-04T15:00:00Z", "manual", window=utc("2026-09-04T14:00:00Z"))
    assert office.watermark("satis") == "2026-09-04T12:00:00Z"

    moved = set_watermark(office.places, "satis", utc("2026-09-04T15:00:00Z"), "yeni sisteme geçildi")
    assert moved.after == utc("2026-09-04T15:00:00Z")
    assert moved.skipped == 2, "the failed window, and the range that nobody tried"
    _, ran = office.run_here("satis", "2026-09-04T16:00:00Z")
    assert ran.windows == ["2026-09-04T15:00:00Z"]
    assert [hour for hour, _ in office.totals()] == ["10:00", "11:00", "14:00", "15:00"]


def test_watermark_of_the_future_is_refused(office: Office) -> None:
    office.open_shop()
    office.sql_job("satis")
    office.set_clock("2026-09-04T12:00:00Z")
    with pytest.raises(UsageError, match="watermark-in-future"):
        set_watermark(office.places, "satis", utc("2026-09-04T12:00:01Z"), "acele")


# ------------------------------------------------------- what holds for each


def test_forgotten_job_begins_anew_and_leaves_others_alone(office: Office) -> None:
    office.open_shop("2026-09-04T10")
    office.sql_job("satis")
    office.sql_job("stok", "UPDATE toplam SET tutar = tutar + 0")
    for job in ("satis", "stok"):
        office.run_here(job, "2026-09-04T11:00:00Z")
    forget(office.places, "satis")
    assert office.log("satis")[-1].fields["sebep"] == "defter unutuldu"
    office.run_here("satis", "2026-09-04T11:00:00Z")
    assert office.totals() == [("10:00", 12), ("10:00", 12)]
    _, ran = office.run_here("stok", "2026-09-04T11:00:00Z")
    assert ran.said == [("ATLANDI", "kapanmis pencere yok")]
    office.assert_each_fire_is_told("satis", 3)


def test_decision_about_a_job_that_never_ran_says_so(office: Office) -> None:
    office.open_shop()
    office.sql_job("satis")
    office.set_clock("2026-09-04T12:00:00Z")
    with pytest.raises(StateError, match="ledger-knows-no-job"):
        resolve(office.places, "satis", "satis:2026-09-04T10:00:00+00:00", done=True, reason="x")
    assert office.ask("SELECT count(*) FROM sqlite_schema WHERE name LIKE 'birkez%'") == [(0,)]
