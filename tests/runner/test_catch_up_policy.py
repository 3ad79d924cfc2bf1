"""Which windows a start takes after an outage, by the job's rule, its limit and who started it."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.runner.office import FAILING_SQL, Office, utc
from trayapp.runner.by_hand import reopen

HOURS = [f"2026-09-04T{hour}" for hour in range(10, 20)]


@pytest.fixture
def shop(office: Office):
    office.open_shop(*HOURS)
    return office


def hours(windows: list[str]) -> list[int]:
    return [int(window[11:13]) for window in windows]


def passed(ran) -> list[str]:
    lines = [line for line in ran.lines if line.fields.get("sebep") == "telafi politikasi"]
    return [" ".join(bound[11:16] for bound in line.fields["pencere"].split("/")) for line in lines]


# ---------------------------------------------------------------- the three rules


@pytest.mark.parametrize("trigger", ["schedule", "boot", "manual"])
def test_all_takes_every_window_oldest_first_whoever_starts_it(shop: Office, trigger: str) -> None:
    shop.sql_job("satis")
    _, ran = shop.run_here("satis", "2026-09-04T15:00:00Z", trigger)
    assert hours(ran.windows) == [10, 11, 12, 13, 14]
    assert passed(ran) == []
    assert shop.ask("SELECT DISTINCT trigger FROM birkez_window") == [(trigger,)]


@pytest.mark.parametrize("trigger", ["schedule", "boot"])
def test_latest_takes_the_newest_and_settles_the_rest_as_one_range(shop: Office, trigger: str) -> None:
    shop.sql_job("satis", window='catch_up = "latest"')
    _, ran = shop.run_here("satis", "2026-09-04T15:20:00Z", trigger)
    assert hours(ran.windows) == [14]
    assert passed(ran) == ["10:00 14:00"]
    assert shop.watermark("satis") == "2026-09-04T15:00:00Z"
    assert shop.ask("SELECT state, reason FROM birkez_window ORDER BY start_s") == [
        ("passed", "telafi politikasi"),
        ("done", ""),
    ]


def test_none_takes_a_window_at_its_own_fire_only(shop: Office) -> None:
    shop.sql_job("satis", window='catch_up = "none"')
    assert hours(shop.run_here("satis", "2026-09-04T11:00:00Z")[1].windows) == [10]
    # The fire of 12:00 was missed; the one of 13:00 does not make up for it.
    _, ran = shop.run_here("satis", "2026-09-04T13:00:00Z")
    assert (hours(ran.windows), passed(ran)) == ([12], ["11:00 12:00"])
    # Missed altogether, and the machine starts between two fires: 14:00 was 13:00's own fire and the last one.
    _, ran = shop.run_here("satis", "2026-09-04T14:40:00Z", "boot")
    assert hours(ran.windows) == [13]
    answer, ran = shop.run_here("satis", "2026-09-04T17:40:00Z", "boot")
    assert (hours(ran.windows), passed(ran)) == ([16], ["14:00 16:00"])
    assert answer.waiting == 0


def test_none_waits_for_the_first_fire_after_the_lateness(shop: Office) -> None:
    # Closed at 11:05, fired on the hour: the own fire of 10:00 is at 12:00.
    shop.sql_job("satis", window='catch_up = "none"\nlateness = "5m"')
    answer, ran = shop.run_here("satis", "2026-09-04T11:30:00Z", "boot")
    assert (ran.said, ran.lines[0].fields["bekleyen"]) == ([("ATLANDI", "kapanmis pencere yok")], "1")
    assert answer.waiting == 1
    assert hours(shop.run_here("satis", "2026-09-04T12:00:00Z")[1].windows) == [10]


@pytest.mark.parametrize("rule", ["latest", "none"])
def test_by_hand_takes_the_newest_and_passes_nothing_over(shop: Office, rule: str) -> None:
    shop.sql_job("satis", window=f'catch_up = "{rule}"')
    answer, ran = shop.run_here("satis", "2026-09-04T15:20:00Z", "manual")
    assert (hours(ran.windows), passed(ran)) == ([14], [])
    assert answer.waiting == 4
    assert shop.watermark("satis") == "2026-09-04T10:00:00Z"
    _, ran = shop.run_here("satis", "2026-09-04T16:00:00Z")
    assert (hours(ran.windows), passed(ran)) == ([15], ["10:00 14:00"])
    assert shop.watermark("satis") == "2026-09-04T16:00:00Z"


@pytest.mark.parametrize("rule", ["latest", "none"])
def test_window_once_attempted_is_never_passed_over(shop: Office, rule: str) -> None:
    shop.sql_job("satis", FAILING_SQL, window=f'catch_up = "{rule}"\nstart = 2026-09-04T12:00:00Z')
    assert shop.run_here("satis", "2026-09-04T13:00:00Z")[0].exit_status == 1
    answer, _ = shop.run_here("satis", "2026-09-04T16:00:00Z")
    assert answer.exit_status == 1, "the attempt is older, so it comes first"
    assert shop.states("satis") == [("12:00", "failed", 2), ("13:00", "passed", 0)]
    shop.sql_job("satis", window=f'catch_up = "{rule}"\nstart = 2026-09-04T12:00:00Z')
    _, ran = shop.run_here("satis", "2026-09-04T17:00:00Z")
    assert 12 in hours(ran.windows)
    assert hours(ran.windows)[-1] == 16


def test_passed_over_window_can_be_reopened(shop: Office) -> None:
    shop.sql_job("satis", window='catch_up = "latest"')
    shop.run_here("satis", "2026-09-04T13:00:00Z")
    reopen(shop.places, "satis", "satis:2026-09-04T10:00:00+00:00", "gerekliymiş")
    _, ran = shop.run_here("satis", "2026-09-04T13:10:00Z")
    assert hours(ran.windows) == [10, 11], "what a person reopened is not passed over again"
    assert [hour for hour, _ in shop.totals()] == ["10:00", "11:00", "12:00"]


def test_windows_between_two_fires_all_have_the_later_one_as_their_own(shop: Office) -> None:
    shop.sql_job("satis", window='catch_up = "none"', schedule='daily = ["12:00"]')
    _, ran = shop.run_here("satis", "2026-09-05T12:00:00Z")
    assert hours(ran.windows) == [*range(12, 24), *range(12)]
    assert passed(ran) == ["10:00 12:00"]


def test_passing_over_with_nothing_left_to_take_moves_the_watermark(shop: Office) -> None:
    # A day whose own fire was the first hour's, and the machine was off until half past five.
    day = 'catch_up = "none"\nstep = "1d"\ntimezone = "UTC"\nstart = 2026-09-04T00:00:00Z'
    shop.sql_job("satis", window=day)
    answer, ran = shop.run_here("satis", "2026-09-06T05:30:00Z", "boot")
    assert (answer.outcome, answer.reason) == ("skipped", "telafi politikasi")
    assert (ran.windows, passed(ran)) == ([], ["00:00 00:00"])
    assert shop.watermark("satis") == "2026-09-06T00:00:00Z"
    assert shop.run_here("satis", "2026-09-06T06:00:00Z")[1].said == [("ATLANDI", "kapanmis pencere yok")]


# ------------------------------------------------------------------ the limit


def test_limit_counts_attempts_and_the_rest_waits(shop: Office) -> None:
    shop.sql_job("satis", window="max_per_run = 3")
    answer, ran = shop.run_here("satis", "2026-09-04T18:00:00Z")
    assert (hours(ran.windows), answer.waiting) == ([10, 11, 12], 5)
    assert ran.said[-1] == ("ATLANDI", "calisma siniri")
    assert ran.lines[-1].fields["bekleyen"] == "5"
    assert ran.row is not None
    assert ran.row.waiting == 5


@pytest.mark.parametrize(("asked", "taken"), [(1, 1), (2, 2), (50, 3)])
def test_limit_asked_for_can_only_lower_the_jobs_own(shop: Office, asked: int, taken: int) -> None:
    shop.sql_job("satis", window="max_per_run = 3")
    answer, ran = shop.run_here("satis", "2026-09-04T18:00:00Z", "manual", max_windows=asked)
    assert (len(ran.windows), answer.waiting) == (taken, 8 - taken)


@pytest.mark.timeout(240)  # thousands of flushes; Windows has no folder in memory for them
def test_outage_of_thirty_days_comes_back_in_equal_bites(office: Office, in_memory: Path) -> None:
    # P48: 2,880 quarters of an hour, 50 a start, somebody pressing Run now in between: 58 starts, each window once.
    office.database = in_memory / "satis.db"
    office.open_shop()
    office.sql_job(
        "ceyrek",
        "INSERT INTO ozet VALUES (:start, 1, 1); UPDATE toplam SET tutar = tutar + 1",
        window='step = "15m"\nstart = 2026-08-05T10:00:00Z\nmax_per_run = 50',
    )
    waiting = []
    for start in range(58):
        answer, ran = office.run_here("ceyrek", "2026-09-04T10:00:00Z", "manual" if start % 7 == 3 else "schedule")
        assert answer.windows == len(ran.windows) == (50 if start < 57 else 30)
        waiting.append(answer.waiting)
    assert waiting == [*range(2830, -1, -50), 0]
    answer, ran = office.run_here("ceyrek", "2026-09-04T10:00:00Z")
    assert ran.said == [("ATLANDI", "kapanmis pencere yok")]
    done = [line.fields["anahtar"] for line in office.log("ceyrek") if line.token == "ISLENDI"]
    assert len(done) == len(set(done)) == 2880
    assert done == sorted(done)
    assert office.ask("SELECT count(*), count(DISTINCT saat), (SELECT tutar FROM toplam) FROM ozet") == [(2880,) * 3]


# -------------------------------------------------------------- a changed job


def test_saving_a_job_without_a_change_alters_nothing(shop: Office) -> None:
    shop.sql_job("satis")
    shop.run_here("satis", "2026-09-04T11:00:00Z")
    before = shop.standing("satis")
    shop.sql_job("satis")
    assert shop.standing("satis") == before
    assert hours(shop.run_here("satis", "2026-09-04T12:00:00Z")[1].windows) == [11]


def bounds(ran) -> list[str]:
    return [line.fields["pencere"] for line in ran.lines if line.token == "ISLENDI"]


def test_finer_step_goes_on_from_the_watermark(shop: Office) -> None:
    shop.sql_job("satis", window="start = 2026-09-04T09:00:00Z")
    shop.run_here("satis", "2026-09-04T10:00:00Z")
    shop.sql_job("satis", window='step = "15m"\nstart = 2026-09-04T09:00:00Z')
    _, ran = shop.run_here("satis", "2026-09-04T10:30:00Z")
    assert bounds(ran) == [
        "2026-09-04T10:00:00Z/2026-09-04T10:15:00Z",
        "2026-09-04T10:15:00Z/2026-09-04T10:30:00Z",
    ]


def test_local_days_begin_with_a_bridge_and_a_changed_zone_with_another(shop: Office) -> None:
    start = "start = 2026-09-04T10:00:00Z"
    shop.sql_job("satis", window=f'step = "15m"\n{start}')
    shop.run_here("satis", "2026-09-04T10:45:00Z")
    assert shop.watermark("satis") == "2026-09-04T10:45:00Z"
    shop.sql_job("satis", window=f'step = "1d"\ntimezone = "Europe/Istanbul"\n{start}')
    _, ran = shop.run_here("satis", "2026-09-06T00:00:00Z")
    assert bounds(ran) == [
        "2026-09-04T10:45:00Z/2026-09-04T21:00:00Z",
        "2026-09-04T21:00:00Z/2026-09-05T21:00:00Z",
    ]
    shop.sql_job("satis", window=f'step = "1d"\ntimezone = "Europe/London"\n{start}')
    _, ran = shop.run_here("satis", "2026-09-07T00:00:00Z")
    assert bounds(ran) == [
        "2026-09-05T21:00:00Z/2026-09-05T23:00:00Z",
        "2026-09-05T23:00:00Z/2026-09-06T23:00:00Z",
    ]
    assert sum(amount for _, amount in shop.totals()) == len(HOURS) * 12


def test_attempted_window_keeps_its_bounds_through_a_change_of_step(shop: Office) -> None:
    shop.sql_job("satis", FAILING_SQL, window="start = 2026-09-04T12:00:00Z")
    shop.run_here("satis", "2026-09-04T13:00:00Z")
    shop.sql_job("satis", window='step = "30m"\nstart = 2026-09-04T12:00:00Z')
    _, ran = shop.run_here("satis", "2026-09-04T13:30:00Z")
    assert bounds(ran) == [
        "2026-09-04T12:00:00Z/2026-09-04T13:00:00Z",
        "2026-09-04T13:00:00Z/2026-09-04T13:30:00Z",
    ]


def test_start_in_the_job_file_has_no_effect_after_the_first_run(shop: Office) -> None:
    shop.sql_job("satis")
    shop.run_here("satis", "2026-09-04T12:00:00Z")
    shop.sql_job("satis", window="start = 2026-09-01T00:00:00Z")
    _, ran = shop.run_here("satis", "2026-09-04T12:10:00Z")
    assert ran.said == [("ATLANDI", "kapanmis pencere yok")]


# ----------------------------------------------------------------------- keys


def test_keys_differ_between_jobs_and_stay_through_renames_and_retries(shop: Office) -> None:
    for job in ("satis", "stok"):
        shop.sql_job(job, FAILING_SQL if job == "satis" else "SELECT 1", window="start = 2026-09-04T12:00:00Z")
    keys = []
    for at, title in (("2026-09-04T13:00:00Z", "Satış"), ("2026-09-04T13:00:00Z", "SATIŞ özeti")):
        shop.sql_job("satis", FAILING_SQL, window="start = 2026-09-04T12:00:00Z", title=title)
        keys.append(shop.run_here("satis", at)[1].lines[0].fields["anahtar"])
    assert keys == ["satis:2026-09-04T12:00:00+00:00"] * 2
    other = shop.run_here("stok", "2026-09-04T13:00:00Z", window=utc("2026-09-04T12:00:00Z"))[1]
    assert other.lines[0].fields["anahtar"] == "stok:2026-09-04T12:00:00+00:00"


def test_two_starts_within_one_second_have_names_of_their_own(shop: Office) -> None:
    shop.sql_job("satis")
    runs = {shop.run_here("satis", "2026-09-04T12:00:00Z", "manual")[0].run for _ in range(5)}
    assert len(runs) == 5
    shop.assert_each_fire_is_told("satis", 5)
