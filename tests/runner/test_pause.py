"""A paused job: its trigger stays, each start says so, and what was missed follows its catch-up rule."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.runner.office import Office, utc
from trayapp.job.pause import pause, read_pause, resume

HOURS = [f"2026-09-04T{hour}" for hour in range(10, 16)]


@pytest.fixture
def shop(office: Office):
    office.open_shop(*HOURS)
    office.sql_job("satis")
    return office


@pytest.mark.parametrize("trigger", ["schedule", "boot", "manual"])
def test_each_start_of_a_paused_job_says_so_and_does_nothing(shop: Office, trigger: str) -> None:
    pause(shop.places, "satis", None)
    answer, ran = shop.run_here("satis", "2026-09-04T12:00:00Z", trigger)
    assert (answer.exit_status, answer.outcome, answer.next_at) == (0, "skipped", None)
    assert ran.said == [("ATLANDI", "duraklatildi")]
    assert shop.totals() == []
    assert shop.ask("SELECT count(*) FROM sqlite_schema WHERE name LIKE 'birkez%'") == [(0,)]


def test_pause_with_an_end_names_it_and_ends_by_itself(shop: Office) -> None:
    pause(shop.places, "satis", utc("2026-09-04T13:00:00Z"))
    answer, ran = shop.run_here("satis", "2026-09-04T12:59:59Z")
    assert ran.lines[0].fields["kadar"] == "2026-09-04T13:00:00Z"
    assert answer.next_at == utc("2026-09-04T13:00:00Z")
    _, ran = shop.run_here("satis", "2026-09-04T13:00:00Z")
    assert len(ran.windows) == 3
    assert not resume(shop.places, "satis"), "it is over, so there is nothing to resume"


def test_resume_tells_whether_there_was_a_pause(shop: Office) -> None:
    assert not resume(shop.places, "satis")
    pause(shop.places, "satis", None)
    assert resume(shop.places, "satis")
    _, ran = shop.run_here("satis", "2026-09-04T12:00:00Z")
    assert len(ran.windows) == 2


@pytest.mark.parametrize(
    ("catch_up", "taken", "passed"),
    [("all", [10, 11, 12, 13, 14], ""), ("latest", [14], "10-14"), ("none", [14], "10-14")],
)
def test_resuming_follows_the_catch_up_rule(shop: Office, catch_up: str, taken: list[int], passed: str) -> None:
    shop.sql_job("satis", window=f'catch_up = "{catch_up}"')
    pause(shop.places, "satis", None)
    for hour in range(11, 15):
        shop.run_here("satis", f"2026-09-04T{hour}:00:30Z")
    resume(shop.places, "satis")
    _, ran = shop.run_here("satis", "2026-09-04T15:00:30Z")
    assert ran.windows == [f"2026-09-04T{hour}:00:00Z" for hour in taken]
    ranges = [line.fields["pencere"] for line in ran.lines if line.fields.get("sebep") == "telafi politikasi"]
    first, _, end = passed.partition("-")
    assert ranges == ([f"2026-09-04T{first}:00:00Z/2026-09-04T{end}:00:00Z"] if passed else [])
    shop.assert_each_fire_is_told("satis", 5)


def test_pause_is_one_jobs_own(shop: Office) -> None:
    shop.sql_job("stok", "UPDATE toplam SET tutar = tutar + 0")
    pause(shop.places, "satis", None)
    _, ran = shop.run_here("stok", "2026-09-04T12:00:00Z")
    assert len(ran.windows) == 2


def test_damaged_pause_keeps_the_job_paused(shop: Office) -> None:
    # A job must not start again by accident.
    Path(shop.places.pause_file("satis")).write_text("yarın\x00", encoding="utf-8")
    assert read_pause(shop.places, "satis", utc("2026-09-04T12:00:00Z")) == (None,)
    _, ran = shop.run_here("satis", "2026-09-04T12:00:00Z")
    assert ran.said == [("ATLANDI", "duraklatildi")]


@pytest.mark.parametrize("content", [b"\xff\xfe2026", None])
def test_unreadable_pause_keeps_the_job_paused(shop: Office, content: bytes | None) -> None:
    path = Path(shop.places.pause_file("satis"))
    if content is None:
        path.mkdir()
    else:
        path.write_bytes(content)
    _, ran = shop.run_here("satis", "2026-09-04T12:00:00Z")
    assert ran.said == [("ATLANDI", "duraklatildi")]


@pytest.mark.parametrize("trigger", ["schedule", "boot"])
def test_disabled_job_leaves_what_is_left_of_its_trigger_without_work(shop: Office, trigger: str) -> None:
    shop.sql_job("satis", more="enabled = false")
    answer, ran = shop.run_here("satis", "2026-09-04T12:00:00Z", trigger)
    assert (answer.exit_status, ran.said) == (0, [("ATLANDI", "devre disi")])
    assert shop.totals() == []


def test_disabled_job_can_be_run_by_hand(shop: Office) -> None:
    shop.sql_job("satis", more="enabled = false")
    _, ran = shop.run_here("satis", "2026-09-04T12:00:00Z", "manual")
    assert len(ran.windows) == 2
