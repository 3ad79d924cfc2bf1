"""A clock that runs ahead records windows of the future as done and empty; they must not be lost."""

from __future__ import annotations

from tests.runner.office import Office, utc
from trayapp.runner.by_hand import set_watermark


def test_windows_recorded_by_a_clock_that_was_ahead_are_taken_again_once_they_close(office: Office) -> None:
    office.open_shop("2026-09-04T11", "2026-09-04T13")
    office.sql_job("is")
    office.run_here("is", "2026-09-04T14:30:00Z")  # two hours too early
    office.set_clock("2026-09-04T12:05:00Z")
    office.sell("2026-09-04T13:30:00", 100)  # comes in real time, after its hour was recorded
    set_watermark(office.places, "is", utc("2026-09-04T12:00:00Z"), "saat ileriydi")
    answer, _ = office.run_here("is", "2026-09-04T12:06:00Z")
    assert answer.windows == 0, "none of them has closed yet"
    office.run_here("is", "2026-09-04T14:01:00Z")
    assert office.ask("SELECT tutar FROM ozet WHERE saat LIKE '%13:00%' ORDER BY rowid DESC LIMIT 1") == [(112,)]
    assert office.watermark("is") == "2026-09-04T14:00:00Z"
