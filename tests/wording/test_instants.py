from __future__ import annotations

import itertools
import time
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trayapp.wording import language
from trayapp.wording.instants import show_date, show_duration, show_instant, show_time, show_window

ISTANBUL = ZoneInfo("Europe/Istanbul")
BERLIN = ZoneInfo("Europe/Berlin")
NOON = datetime(2026, 9, 4, 9, 5, tzinfo=UTC)  # 12:05 in Istanbul


def local(text: str, zone: ZoneInfo = ISTANBUL) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=zone).astimezone(UTC)


def window(start: str, end: str, zone: ZoneInfo = ISTANBUL) -> str:
    return show_window(local(start, zone), local(end, zone), zone)


# ------------------------------------------------------------------ instants


def test_instant_is_shown_in_the_zone(turkish: None) -> None:
    assert show_instant(NOON, ISTANBUL) == "04.09.2026 12:05"
    assert show_date(NOON, ISTANBUL) == "04.09.2026"
    assert show_time(NOON, ISTANBUL) == "12:05"


@pytest.mark.posix
def test_instant_is_shown_in_the_machines_zone(turkish: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TZ", "Europe/Istanbul")
    time.tzset()
    assert show_instant(NOON) == "04.09.2026 12:05"


@pytest.mark.parametrize(
    ("at", "expected"),
    [
        ("2026-09-03 23:59", "dün 23:59"),
        ("2026-09-04 00:00", "bugün 00:00"),
        ("2026-09-04 23:59", "bugün 23:59"),
        ("2026-09-05 00:00", "yarın 00:00"),
        ("2026-09-05 23:59", "yarın 23:59"),
        ("2026-09-06 00:00", "06.09.2026 00:00"),
        ("2026-09-02 23:59", "02.09.2026 23:59"),
    ],
)
def test_days_near_now_have_names(at: str, expected: str, turkish: None) -> None:
    assert show_instant(local(at), ISTANBUL, now=NOON) == expected


def test_days_near_now_have_names_in_english(english: None) -> None:
    assert show_instant(local("2026-09-05 09:00"), ISTANBUL, now=NOON) == "tomorrow 09:00"


@pytest.mark.parametrize(
    ("clock", "locative", "dative", "ablative"),
    [
        ("12:05", "12:05'te", "12:05'e", "12:05'ten"),
        ("13:00", "13:00'te", "13:00'e", "13:00'ten"),
        ("12:00", "12:00'de", "12:00'ye", "12:00'den"),
        ("09:00", "09:00'da", "09:00'a", "09:00'dan"),
        ("12:31", "12:31'de", "12:31'e", "12:31'den"),
        ("00:00", "00:00'da", "00:00'a", "00:00'dan"),
        ("20:00", "20:00'de", "20:00'ye", "20:00'den"),
        ("02:30", "02:30'da", "02:30'a", "02:30'dan"),
        ("02:40", "02:40'ta", "02:40'a", "02:40'tan"),
        ("23:59", "23:59'da", "23:59'a", "23:59'dan"),
        ("00:06", "00:06'da", "00:06'ya", "00:06'dan"),
    ],
)
def test_times_take_turkish_endings(clock: str, locative: str, dative: str, ablative: str, turkish: None) -> None:
    at = local(f"2026-09-04 {clock}")
    assert show_time(at, ISTANBUL, "locative") == locative
    assert show_time(at, ISTANBUL, "dative") == dative
    assert show_time(at, ISTANBUL, "ablative") == ablative


def test_dates_take_the_ending_of_their_year(turkish: None) -> None:
    assert show_date(local("2026-09-04"), ISTANBUL, "locative") == "04.09.2026'da"
    assert show_date(local("2025-09-04"), ISTANBUL, "ablative") == "04.09.2025'ten"


def test_instant_takes_the_ending_of_its_time(turkish: None) -> None:
    assert show_instant(NOON, ISTANBUL, case="locative") == "04.09.2026 12:05'te"


def test_english_has_no_endings(english: None) -> None:
    assert show_instant(NOON, ISTANBUL, case="locative") == "04.09.2026 12:05"
    assert show_date(NOON, ISTANBUL, "dative") == "04.09.2026"


def test_time_that_comes_twice_says_which(turkish: None) -> None:
    first = datetime(2026, 10, 25, 0, 30, tzinfo=UTC)
    assert show_time(first, BERLIN, "locative") == "02:30'da (UTC+2)"
    assert show_time(first + timedelta(hours=1), BERLIN, "locative") == "02:30'da (UTC+1)"
    assert show_time(first - timedelta(hours=1), BERLIN) == "01:30"


@pytest.mark.posix
def test_machines_time_that_comes_twice_says_which(english: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TZ", "Europe/Berlin")
    time.tzset()
    first = datetime(2026, 10, 25, 0, 30, tzinfo=UTC)
    assert [show_time(first + timedelta(hours=hours)) for hours in (0, 1, 2)] == [
        "02:30 (UTC+2)",
        "02:30 (UTC+1)",
        "03:30",
    ]


def test_half_hours_of_an_offset_are_told(english: None) -> None:
    repeated = datetime(2026, 4, 4, 15, 15, tzinfo=UTC)
    assert show_time(repeated, ZoneInfo("Australia/Lord_Howe")) == "01:45 (UTC+10:30)"


def test_instant_that_the_system_cannot_turn_local_is_told_in_utc(
    english: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Old(datetime):
        def astimezone(self, tz: object = None) -> datetime:
            if tz is None:
                raise OSError(22, "Invalid argument")  # Windows, before 1970
            return datetime(1969, 1, 1, 10, tzinfo=UTC)

    assert show_time(Old(1969, 1, 1, 10, tzinfo=UTC)).startswith("10:00")


def test_early_years_have_four_digits(english: None) -> None:
    assert show_date(datetime(900, 1, 2, tzinfo=UTC), UTC) == "02.01.0900"


# ------------------------------------------------------------------- windows


@pytest.mark.parametrize(
    ("start", "end", "expected"),
    [
        ("2026-09-04 10:00", "2026-09-04 11:00", "04.09.2026 10:00–11:00"),
        ("2026-09-04 23:00", "2026-09-05 00:00", "04.09.2026 23:00–00:00"),
        ("2026-09-04 12:00", "2026-09-05 00:00", "04.09.2026 12:00–00:00"),
        ("2026-09-04 22:00", "2026-09-05 01:00", "04.09.2026 22:00 – 05.09.2026 01:00"),
        ("2026-09-04 10:00:30", "2026-09-04 11:00", "04.09.2026 10:00:30–11:00"),
        ("2026-09-04", "2026-09-05", "04.09.2026"),
        ("2026-08-31", "2026-09-07", "31.08.2026–06.09.2026"),
        ("2026-09-01", "2026-10-01", "Eylül 2026"),
        ("2026-12-01", "2027-01-01", "Aralık 2026"),
        ("2026-02-01", "2026-03-01", "Şubat 2026"),
        ("2026-09-01", "2026-11-01", "01.09.2026–31.10.2026"),
        ("2026-09-02", "2026-10-01", "02.09.2026–30.09.2026"),
        ("2026-09-02 15:00", "2026-10-01", "02.09.2026 15:00 – 01.10.2026 00:00"),
    ],
)
def test_window_is_told_in_its_shortest_form(start: str, end: str, expected: str, turkish: None) -> None:
    assert window(start, end) == expected


def test_window_near_now_has_a_name(english: None) -> None:
    start = local("2026-09-04 10:00")
    assert show_window(start, start + timedelta(hours=1), ISTANBUL, now=NOON) == "today 10:00–11:00"
    day = local("2026-09-03")
    assert show_window(day, day + timedelta(days=1), ISTANBUL, now=NOON) == "yesterday"


def test_windows_of_the_autumn_night_all_read_differently(english: None) -> None:
    first = datetime(2026, 10, 24, 23, tzinfo=UTC)
    hours = [first + timedelta(hours=hour) for hour in range(5)]
    assert [show_window(start, end, BERLIN) for start, end in itertools.pairwise(hours)] == [
        "25.10.2026 01:00–02:00 (UTC+2)",
        "25.10.2026 02:00 (UTC+2)–02:00 (UTC+1)",
        "25.10.2026 02:00 (UTC+1)–03:00",
        "25.10.2026 03:00–04:00",
    ]


def test_day_that_begins_after_a_jump_over_midnight_is_a_whole_day(english: None) -> None:
    beirut = ZoneInfo("Asia/Beirut")  # 2026-03-29 begins at 01:00
    start, end = datetime(2026, 3, 28, 22, tzinfo=UTC), datetime(2026, 3, 29, 21, tzinfo=UTC)
    assert show_window(start, end, beirut) == "29.03.2026"


@given(
    st.integers(0, 24_000 * 24 * 60),
    st.sampled_from([timedelta(minutes=1), timedelta(hours=1), timedelta(hours=7), timedelta(days=1)]),
    st.sampled_from(["Europe/Istanbul", "Europe/Berlin", "Australia/Lord_Howe", "Asia/Kathmandu"]),
)
def test_neighbouring_windows_never_read_alike(minutes: int, step: timedelta, zone: str) -> None:
    language.speak("tr")
    start = datetime(1971, 1, 1, tzinfo=UTC) + timedelta(minutes=minutes)
    shown = [show_window(start + n * step, start + (n + 1) * step, ZoneInfo(zone)) for n in range(3)]
    assert len(set(shown)) == 3


# ----------------------------------------------------------------- durations


@pytest.mark.parametrize(
    ("seconds", "in_turkish", "in_english"),
    [
        (0, "0 ms", "0 ms"),
        (0.012, "12 ms", "12 ms"),
        (0.4, "0,4 sn", "0.4 s"),
        (6, "6 sn", "6 s"),
        (9.949, "9,9 sn", "9.9 s"),
        (9.96, "10 sn", "10 s"),
        (37.2, "37 sn", "37 s"),
        (59.6, "1 dk", "1 min"),
        (192, "3 dk 12 sn", "3 min 12 s"),
        (3_600, "1 saat", "1 hour"),
        (7_200, "2 saat", "2 hours"),
        (7_503, "2 saat 5 dk", "2 hours 5 min"),
        (7_203, "2 saat", "2 hours"),
        (86_400, "1 gün", "1 day"),
        (97_200, "1 gün 3 saat", "1 day 3 hours"),
        (34_560_000, "400 gün", "400 days"),
        (-90, "-1 dk 30 sn", "-1 min 30 s"),
    ],
)
def test_durations_show_their_two_largest_units(
    seconds: float, in_turkish: str, in_english: str, request: pytest.FixtureRequest
) -> None:
    request.getfixturevalue("turkish")
    assert show_duration(seconds) == in_turkish
    request.getfixturevalue("english")
    assert show_duration(seconds) == in_english
