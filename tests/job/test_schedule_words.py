"""Schedules as an office says them, in both languages."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from trayapp.job.cron_fields import timetable_of
from trayapp.job.schedule import Cron, Daily, Every, Monthly, Weekly, fires_between, wall_times
from trayapp.job.schedule_words import schedule_words
from trayapp.wording import language

WORKDAYS, WEEKEND, WEEK = (0, 1, 2, 3, 4), (5, 6), (0, 1, 2, 3, 4, 5, 6)
ALL_BUT_SUNDAY = (0, 1, 2, 3, 4, 5)
EVERY_HOUR_FROM_SIX = tuple(range(360, 1080, 60))
# How a number ends when it is said, by the word that it ends with.
ENDINGS = {
    **dict.fromkeys((1, 2, 7, 8, 20, 50), ("de", "den")),
    **dict.fromkeys((3, 4, 5), ("te", "ten")),
    **dict.fromkeys((0, 6, 9, 10, 30), ("da", "dan")),
    40: ("ta", "tan"),
}
DATIVES = {
    **dict.fromkeys((1, 3, 4, 5, 8), "e"),
    **dict.fromkeys((2, 7, 20, 50), "ye"),
    **dict.fromkeys((0, 9, 10, 30, 40), "a"),
    6: "ya",
}
POSSESSIVES = {
    **dict.fromkeys((1, 5, 8), "i"),
    **dict.fromkeys((2, 7, 20), "si"),
    **dict.fromkeys((3, 4), "ü"),
    **dict.fromkeys((9, 10, 30), "u"),
    6: "sı",
}


@pytest.fixture(autouse=True)
def _speechless(monkeypatch):
    monkeypatch.setattr(language, "_spoken", language._Spoken())


def in_turkish(schedule) -> str:
    language.speak("tr")
    return schedule_words(schedule)


def in_english(schedule) -> str:
    language.speak("en")
    return schedule_words(schedule)


def last_word(number: int) -> int:
    """The part of *number* that is spoken last: 35 is thirty-five, 40 forty."""
    return number % 10 or number


SAID = [
    (Every(1), "her dakika", "every minute"),
    (Every(15), "her 15 dakikada bir", "every 15 minutes"),
    (
        Every(15, 5),
        "her 15 dakikada bir, ilki saat başını 5 geçe",
        "every 15 minutes, the first at 5 past the hour",
    ),
    (
        Every(15, 0, (), (8, 18)),
        "her 15 dakikada bir, 08.00–18.00 arası",
        "every 15 minutes, between 08:00 and 18:00",
    ),
    (
        Every(15, 0, WORKDAYS, (8, 24)),
        "hafta içi her 15 dakikada bir, 08.00–24.00 arası",
        "every 15 minutes, on weekdays, between 08:00 and 24:00",
    ),
    (Every(15, 0, WEEK, (0, 24)), "her 15 dakikada bir", "every 15 minutes"),
    (Every(30, 0, (1,)), "salı günleri her 30 dakikada bir", "every 30 minutes, on Tuesdays"),
    (
        Every(30, 0, ALL_BUT_SUNDAY),
        "pazar dışında her gün her 30 dakikada bir",
        "every 30 minutes, every day but Sunday",
    ),
    (Every(60), "her saat başı", "every hour on the hour"),
    (Every(60, 5), "her saat başını 5 geçe", "every hour at 5 past"),
    (Every(120), "her 2 saatte bir", "every 2 hours"),
    (Every(120, 5), "her 2 saatte bir, ilki 00.05'te", "every 2 hours, the first at 00:05"),
    (
        Every(180, 0, (), (8, 18)),
        "her 3 saatte bir, 09.00'dan 15.00'e kadar",
        "every 3 hours, from 09:00 to 15:00",
    ),
    (
        Every(720, 90, WEEKEND),
        "hafta sonu her 12 saatte bir, ilki 01.30'da",
        "every 12 hours, at weekends, the first at 01:30",
    ),
    (Every(720, 0, (), (8, 18)), "her gün 12.00'de", "every day at 12:00"),
    (Every(720, 0, WORKDAYS, (8, 18)), "hafta içi 12.00'de", "on weekdays at 12:00"),
    (Daily((120,)), "her gün 02.00'de", "every day at 02:00"),
    (Daily((150, 840)), "her gün 02.30 ve 14.00'te", "every day at 02:30 and 14:00"),
    (
        Daily(EVERY_HOUR_FROM_SIX),
        "her gün 06.00'dan 17.00'ye kadar 12 kez",
        "every day 12 times, from 06:00 to 17:00",
    ),
    (
        Daily((0, 60, 120, 180, 240, 300, 301)),
        "her gün 00.00, 01.00, 02.00, 03.00, 04.00, 05.00 ve 05.01'de",
        "every day at 00:00, 01:00, 02:00, 03:00, 04:00, 05:00 and 05:01",
    ),
    (Weekly(WORKDAYS, (510,)), "hafta içi 08.30'da", "on weekdays at 08:30"),
    (Weekly(WEEKEND, (600,)), "hafta sonu 10.00'da", "at weekends at 10:00"),
    (Weekly(WEEK, (600,)), "her gün 10.00'da", "every day at 10:00"),
    (Weekly((0,), (540,)), "her pazartesi 09.00'da", "every Monday at 09:00"),
    (Weekly((0, 4), (540,)), "pazartesi ve cuma günleri 09.00'da", "on Mondays and Fridays at 09:00"),
    (
        Weekly((0, 2, 4), (540, 1020)),
        "pazartesi, çarşamba ve cuma günleri 09.00 ve 17.00'de",
        "on Mondays, Wednesdays and Fridays at 09:00 and 17:00",
    ),
    (Weekly(ALL_BUT_SUNDAY, (540,)), "pazar dışında her gün 09.00'da", "every day but Sunday at 09:00"),
    (Monthly((-1,), (360,)), "her ayın son günü saat 06.00'da", "on the last day of each month, at 06:00"),
    (
        Monthly((1, 15, -1), (360, 1080)),
        "her ayın 1'i, 15'i ve son günü saat 06.00 ve 18.00'de",
        "on the 1st, 15th and last day of each month, at 06:00 and 18:00",
    ),
    (Cron("5 * * * *"), "her saat başını 5 geçe", "every hour at 5 past"),
    (Cron("*/15 8-17 * * 1-5"), "hafta içi her 15 dakikada bir, 08.00–18.00 arası", None),
    (Cron("30 8 * * mon-fri"), "hafta içi 08.30'da", "on weekdays at 08:30"),
    (Cron("0 6 L * *"), "her ayın son günü saat 06.00'da", None),
    (Cron("0 */2 * * *"), "her 2 saatte bir", None),
    (Cron("0 9 1-31 * 1"), "her gün 09.00'da", "every day at 09:00"),  # either kind of day suffices
    (Cron("0 9 */1 * 7"), "her pazar 09.00'da", "every Sunday at 09:00"),  # both must fit
    (Cron("0 9 1 * 1"), "cron ifadesi “0 9 1 * 1”", "cron expression “0 9 1 * 1”"),
    (Cron("0 9 1 1 *"), "cron ifadesi “0 9 1 1 *”", "cron expression “0 9 1 1 *”"),
    (Cron("0 0 * * 6#2"), "cron ifadesi “0 0 * * 6#2”", None),
    (Cron("0 0 * * 5L"), "cron ifadesi “0 0 * * 5L”", None),
    (Cron("0 0 LW * *"), "cron ifadesi “0 0 LW * *”", None),
    (Cron("*/45 * * * *"), "cron ifadesi “*/45 * * * *”", "cron expression “*/45 * * * *”"),  # P11
    (Cron("*/90 * * * *"), "her saat başı", "every hour on the hour"),  # P11: what it is, not what was meant
]


@pytest.mark.parametrize(("schedule", "turkish", "english"), SAID, ids=[str(row[0]) for row in SAID])
def test_schedule_is_said_in_both_languages(schedule, turkish, english):
    assert in_turkish(schedule) == turkish
    if english is not None:
        assert in_english(schedule) == english


def test_every_time_of_a_day_has_its_ending():
    for minute in range(1440):
        spoken = last_word(minute % 60 or minute // 60)
        clock = f"{minute // 60:02}.{minute % 60:02}"
        assert in_turkish(Daily((minute,))) == f"her gün {clock}'{ENDINGS[spoken][0]}"
        assert in_english(Daily((minute,))) == f"every day at {clock.replace('.', ':')}"


def test_every_hour_from_and_to_has_its_ending():
    for first in range(24):
        for last in range(first + 1, 24):
            words = in_turkish(Every(240, first % 4 * 60, (), (first, last + 1)))
            times = [hour for hour in range(first % 4, 24, 4) if first <= hour <= last]
            if len(times) > 1 and (first, last) != (0, 23):
                begin, end = (f"{times[at]:02}.00" for at in (0, -1))
                said_from, said_to = ENDINGS[last_word(times[0])][1], DATIVES[last_word(times[-1])]
                assert words == f"her 4 saatte bir, {begin}'{said_from} {end}'{said_to} kadar"


def test_every_day_of_a_month_has_its_ending():
    for day in range(1, 32):
        turkish, english = in_turkish(Monthly((day,), (0,))), in_english(Monthly((day,), (0,)))
        assert turkish == f"her ayın {day}'{POSSESSIVES[last_word(day)]} saat 00.00'da"
        ordinal = {1: "st", 2: "nd", 3: "rd", 21: "st", 22: "nd", 23: "rd", 31: "st"}.get(day, "th")
        assert english == f"on the {day}{ordinal} of each month, at 00:00"


# ------------------------------------------------------------- nothing is lost, nothing is invented

DAY = timedelta(days=1)
STRETCHES = [datetime(2026, month, 25, tzinfo=UTC) for month in (1, 2, 3)]  # each over the end of its month


def timetables() -> Iterator[Every | Daily | Weekly | Monthly]:
    some_days = ((0,), (1, 3), WORKDAYS, WEEKEND, ALL_BUT_SUNDAY, WEEK)
    some_times = ((0,), (90,), (480,), (480, 490), (0, 720), EVERY_HOUR_FROM_SIX, tuple(range(0, 1440, 30)))
    for minutes, offset in itertools.product((10, 30, 60, 120, 360, 720), (0, 5, 60)):
        for days, hours in itertools.product(((), *some_days), (None, (0, 24), (8, 18), (9, 18), (0, 12), (12, 13))):
            rule = Every(minutes, offset % minutes, days, hours)
            if wall_times(rule):
                yield rule
    for at in some_times:
        yield Daily(at)
        yield from (Weekly(days, at) for days in some_days)
        yield from (Monthly(days, at) for days in ((1,), (15, -1), (1, 15, 31), (31,)))


def test_equal_words_mean_equal_fires():
    fires_of: dict[str, list[datetime]] = {}
    alike = 0
    for timetable in timetables():
        fires = [fire for start in STRETCHES[:2] for fire in fires_between(timetable, start, start + 8 * DAY)]
        words = in_turkish(timetable)
        alike += words in fires_of
        assert fires_of.setdefault(words, fires) == fires, timetable
    assert alike > 100


def test_unequal_words_in_one_language_are_unequal_in_the_other():
    said = {in_turkish(timetable): in_english(timetable) for timetable in timetables()}
    assert len(set(said.values())) == len(said)


FIELD = {
    "minute": ("0", "5", "*", "*/15", "5-59/15", "0,30", "0,29,31", "*/7", "*/90"),
    "hour": ("*", "2", "2,14", "8-17", "*/6", "1-23/6", "0,3,7", "9-10"),
    "day": ("*", "1", "1,15", "L", "1-31", "*/1", "*/2"),
    "month": ("*", "1-12", "2"),
    "weekday": ("*", "1", "1-5", "0-6", "7", "sat,sun", "*/1"),
}
EXPRESSIONS = st.tuples(*map(st.sampled_from, FIELD.values())).map(" ".join)


@settings(max_examples=200, deadline=None)
@given(EXPRESSIONS)
def test_timetable_of_an_expression_fires_as_it_does(expression):
    timetable = timetable_of(expression)
    for start in STRETCHES if timetable is not None else ():
        fires = [list(fires_between(schedule, start, start + 4 * DAY)) for schedule in (timetable, Cron(expression))]
        assert fires[0] == fires[1]
