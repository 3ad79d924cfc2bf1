"""A settled window done once more because a person wants it: a new key, its record keys free again, taken first."""

from __future__ import annotations

import pytest

from tests.runner.office import SUMMARY_PY, Office, utc
from trayapp.errors import UsageError
from trayapp.runner.by_hand import claimed_count, reopen, set_watermark, skip

# Replaces what it wrote for the window before, as a script that can be reopened must.
REPLACING_PY = SUMMARY_PY.replace(
    "    new = set(",
    """    before = tx.execute("SELECT coalesce(sum(tutar), 0) FROM ozet WHERE saat = ?", (start,)).fetchone()
    tx.execute("UPDATE toplam SET tutar = tutar - ?", before)
    tx.execute("DELETE FROM ozet WHERE saat = ?", (start,))
    new = set(""",
)


@pytest.fixture
def shop(office: Office):
    """Three hours done by a job that claims each order's number."""
    office.open_shop("2026-09-04T10", "2026-09-04T11", "2026-09-04T12")
    office.python_job("satis", REPLACING_PY)
    office.run_here("satis", "2026-09-04T13:00:00Z")
    assert office.totals() == [("10:00", 12), ("11:00", 12), ("12:00", 12)]
    return office


def key(hour: int, edition: str = "") -> str:
    return f"satis:2026-09-04T{hour}:00:00+00:00{edition}"


def test_reopened_window_is_taken_first_under_a_new_key_with_its_records_free(shop: Office) -> None:
    shop.sell("2026-09-04T11:20:00", 100)  # arrived too late for the window's own run
    assert claimed_count(shop.places, "satis", key(11)) == 2
    reopened = reopen(shop.places, "satis", key(11), "geç gelen fatura")
    assert reopened.released == 2
    assert reopened.windows == ((utc("2026-09-04T11:00:00Z"), utc("2026-09-04T12:00:00Z")),)

    _, ran = shop.run_here("satis", "2026-09-04T14:00:00Z")
    assert [line.fields["anahtar"] for line in ran.lines] == [key(11, "#2"), key(13)]
    assert (ran.lines[0].fields["kayit"], ran.lines[0].fields["tekrar"]) == ("3", "0")
    assert shop.totals() == [("10:00", 12), ("11:00", 112), ("12:00", 12), ("13:00", 0)]
    assert shop.watermark("satis") == "2026-09-04T14:00:00Z"
    assert shop.ask("SELECT key, state FROM birkez_window WHERE start_s = 1788519600 ORDER BY id") == [
        (key(11), "superseded"),
        (key(11, "#2"), "done"),
    ]


def test_window_reopened_twice_gets_a_third_key(shop: Office) -> None:
    for edition in ("#2", "#3"):
        reopen(shop.places, "satis", key(10, "" if edition == "#2" else "#2"), "bir daha")
        _, ran = shop.run_here("satis", "2026-09-04T13:30:00Z")
        assert [line.fields["anahtar"] for line in ran.lines] == [key(10, edition)]
    with pytest.raises(UsageError, match="window-not-settled"):
        reopen(shop.places, "satis", key(10), "eski anahtar")
    assert shop.totals() == [("10:00", 12), ("11:00", 12), ("12:00", 12)]


def test_reopened_window_is_taken_even_where_one_window_a_run_is_the_limit(shop: Office) -> None:
    reopen(shop.places, "satis", key(12), "bir daha")
    _, ran = shop.run_here("satis", "2026-09-04T15:00:00Z", max_windows=1)
    assert [line.fields.get("anahtar") for line in ran.lines] == [key(12, "#2"), None]
    assert ran.lines[-1].fields["bekleyen"] == "2"


def test_reopened_window_asked_for_by_hand_is_that_edition(shop: Office) -> None:
    reopen(shop.places, "satis", key(12), "bir daha")
    _, ran = shop.run_here("satis", "2026-09-04T13:30:00Z", "manual", window=utc("2026-09-04T12:00:00Z"))
    assert [line.fields["anahtar"] for line in ran.lines] == [key(12, "#2")]


def test_reopened_window_that_fails_is_tried_again_under_its_new_key(shop: Office) -> None:
    reopen(shop.places, "satis", key(11), "bir daha")
    (shop.folder / "satis.py").write_text("def process(window, tx):\n    1 / 0\n", encoding="utf-8")
    for attempt in ("1", "2"):
        answer, ran = shop.run_here("satis", "2026-09-04T13:30:00Z")
        assert (answer.exit_status, ran.lines[0].fields["anahtar"]) == (1, key(11, "#2"))
        assert ran.lines[0].fields["deneme"] == attempt
    assert shop.watermark("satis") == "2026-09-04T13:00:00Z"


def test_skipped_range_is_cut_into_its_windows_when_reopened(shop: Office) -> None:
    shop.set_clock("2026-09-04T18:00:00Z")
    set_watermark(shop.places, "satis", utc("2026-09-04T16:30:00Z"), "atla")
    reopened = reopen(shop.places, "satis", key(13), "gerekliymiş")
    assert [window.start.hour for window in reopened.windows] == [13, 14, 15, 16]
    _, ran = shop.run_here("satis", "2026-09-04T18:00:00Z")
    assert [line.fields["anahtar"] for line in ran.lines] == [
        key(13, "#2"),
        key(14),
        key(15),
        key(16),
        "satis:2026-09-04T16:30:00+00:00",
        key(17),
    ]
    assert shop.watermark("satis") == "2026-09-04T18:00:00Z"


def test_skipped_window_is_done_after_all_when_reopened(shop: Office) -> None:
    shop.set_clock("2026-09-04T14:00:00Z")
    skip(shop.places, "satis", utc("2026-09-04T13:00:00Z"), "gerekmez")
    reopen(shop.places, "satis", key(13), "gerekliymiş")
    _, ran = shop.run_here("satis", "2026-09-04T14:00:00Z")
    assert [line.fields["anahtar"] for line in ran.lines] == [key(13, "#2")]


def test_reopen_refuses_a_window_that_is_not_settled(shop: Office) -> None:
    (shop.folder / "satis.py").write_text("def process(window, tx):\n    1 / 0\n", encoding="utf-8")
    shop.run_here("satis", "2026-09-04T14:00:00Z")
    for other in (key(13), key(15), "satis:yok"):
        with pytest.raises(UsageError, match="window-not-settled"):
            reopen(shop.places, "satis", other, "deneme")
    reopen(shop.places, "satis", key(10), "bir daha")
    with pytest.raises(UsageError, match="window-not-settled"):
        reopen(shop.places, "satis", key(10, "#2"), "iki kere")


def test_looking_how_much_reopening_releases_leaves_no_trace(shop: Office) -> None:
    before = shop.log("satis"), shop.history("satis"), shop.standing("satis")
    assert claimed_count(shop.places, "satis", key(10)) == 2
    assert (shop.log("satis"), shop.history("satis"), shop.standing("satis")) == before
