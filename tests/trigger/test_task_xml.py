from __future__ import annotations

import json
import locale
import tomllib
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from xml.etree import ElementTree as ET
from zoneinfo import ZoneInfo, available_timezones

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from tests.job.clock_reading import machine_in, stretches
from tests.trigger.task_scheduler import task_fires
from trayapp.errors import TriggerError
from trayapp.job.schedule import Cron, Daily, Every, Monthly, Schedule, Weekly, fires_between
from trayapp.job.schedule_text import schedule_text
from trayapp.trigger.task_check import task_faults
from trayapp.trigger.task_times import triggers_of
from trayapp.trigger.task_xml import (
    PROGRAM_LETTERS,
    TaskText,
    duration,
    read_arguments,
    task_bytes,
    task_document,
    written_arguments,
)

GOLDENS = Path(__file__).parent / "data" / "goldens"
SID = "S-1-5-21-1004336348-1177238915-682003330-1001"
TEXT = TaskText(r"\Birkez\ayse-0123456789-rapor", "Birkez: Rapor: 2026/03 *son* & ğüşıöçİ")
COMMAND = (r"C:\Program Files\Birkez\birkez-run.exe", "run", "rapor", "--trigger", "schedule")

WEEKDAYS = (0, 1, 2, 3, 4)
KINDS: dict[str, Schedule | None] = {
    "every-15m": Every(15, 5),
    "every-15m-on-weekdays": Every(15, 5, WEEKDAYS),
    "every-15m-from-8-to-18-on-weekdays": Every(15, 0, WEEKDAYS, (8, 18)),
    "every-30m-at-night": Every(30, 0, (), (1, 5)),
    "every-1h": Every(60),
    "every-2h": Every(120, 30),
    "every-6h-on-sunday": Every(360, 0, (6,)),
    "daily": Daily((150, 840)),
    "weekly": Weekly((0, 4), (540,)),
    "monthly": Monthly((1, 15, -1), (360,)),
    "cron": Cron("30 8 * * 1-5"),
    "all-jobs-at-log-on": None,
}


def document(schedule: Schedule | None, command: tuple[str, ...] = COMMAND) -> bytes:
    triggers = triggers_of(schedule) if schedule is not None else ()
    return task_bytes(task_document(TEXT, triggers, command, SID))


def text_of(xml: bytes) -> str:
    return xml.decode("utf-16").replace("\r\n", "\n")


def values(xml: bytes, path: str) -> list[str]:
    root = ET.fromstring(text_of(xml).partition("?>")[2])
    return [element.text or "" for element in root.iterfind(path.replace("/", "/{*}"))]


# ---------------------------------------------------------------- the document


@pytest.mark.parametrize("name", KINDS)
def test_each_kind_of_trigger_is_as_it_was(name: str):
    assert text_of(document(KINDS[name])) == (GOLDENS / f"{name}.xml").read_text(encoding="utf-8")


def test_no_golden_is_left_behind():
    assert {path.stem for path in GOLDENS.iterdir()} == set(KINDS)


@pytest.mark.parametrize("name", KINDS)
def test_each_kind_keeps_the_rules_of_the_format(name: str):
    assert task_faults(document(KINDS[name])) == []


def test_a_document_is_utf_16_with_its_mark_and_dos_line_ends():
    xml = document(Every(15))
    assert xml.startswith(b"\xff\xfe<\0?\0x\0m\0l\0")
    lines = xml.decode("utf-16")
    assert lines.startswith('<?xml version="1.0" encoding="UTF-16"?>\r\n')
    assert lines.count("\n") == lines.count("\r\n") > 30
    assert "\r" not in lines.replace("\r\n", "")


def test_one_job_always_makes_the_same_document():
    assert document(Every(15)) == document(Every(15))


# P19: dates follow neither language nor regional format
@pytest.mark.posix
@pytest.mark.parametrize("name", ["tr_TR.UTF-8", "sv_SE.UTF-8", "en_IE.UTF-8", "C"])
def test_dates_are_local_iso_times_whatever_the_regional_format(name: str, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("time.strftime", lambda *_: "31.12.2024")
    try:
        locale.setlocale(locale.LC_TIME, name)
    except locale.Error:
        monkeypatch.setenv("LC_ALL", name)
    try:
        xml = document(Daily((150,)))
    finally:
        locale.setlocale(locale.LC_TIME, "C")
    assert values(xml, "./Triggers/CalendarTrigger/StartBoundary") == ["2024-01-01T02:30:00"]


# P21 and P23, battery, missed starts
def test_settings_are_said_and_not_left_to_windows():
    xml = document(Every(15))
    said = {
        name: values(xml, f"./Settings/{name}")
        for name in (
            "ExecutionTimeLimit",
            "MultipleInstancesPolicy",
            "StartWhenAvailable",
            "DisallowStartIfOnBatteries",
            "StopIfGoingOnBatteries",
            "Enabled",
        )
    }
    assert said == {
        "ExecutionTimeLimit": ["PT0S"],
        "MultipleInstancesPolicy": ["Parallel"],
        "StartWhenAvailable": ["true"],
        "DisallowStartIfOnBatteries": ["false"],
        "StopIfGoingOnBatteries": ["false"],
        "Enabled": ["true"],
    }


def test_a_log_on_is_that_of_one_user():
    # Without it Windows takes any user's, and says "Access is denied" to whoever is no administrator.
    xml = document(None)
    assert values(xml, "./Triggers/LogonTrigger/UserId") == [SID]
    assert values(xml, "./Principals/Principal/UserId") == [SID]
    assert values(xml, "./Principals/Principal/RunLevel") == ["LeastPrivilege"]
    assert values(xml, "./Principals/Principal/LogonType") == ["InteractiveToken"]


# P27: what a name must not hold stands in the description
def test_the_title_is_kept_as_it_is_written():
    assert values(document(Every(15)), "./RegistrationInfo/Description") == [TEXT.description]


def test_a_title_with_control_characters_makes_a_document_all_the_same():
    text = TaskText(TEXT.path, "a\x00b\x1bc\ud800d\ne")
    xml = task_bytes(task_document(text, triggers_of(Every(15)), COMMAND, SID))
    assert values(xml, "./RegistrationInfo/Description") == ["a b c d e"]


def test_a_copy_in_ascii_tells_what_a_code_page_loses():
    command = (r"C:\Users\Ayşe Ğ\birkez-run.exe", "run", "ı")
    xml = document(Every(15), command)
    (copy,) = values(xml, "./RegistrationInfo/Documentation")
    assert copy.isascii()
    assert json.loads(copy) == {"Description": TEXT.description, "Command": command[0], "Arguments": "run ı"}


# ----------------------------------------------------------------- the command


@pytest.mark.parametrize(
    "word",
    [
        "a b",
        'say "so"',
        "back\\slash",
        "tail\\",
        'x\\"y',
        "",
        "100 %",
        "a&b|c>d",
        "ğüşıöçİ",
        "$(Arg0) $$ $",
        "'single'",
    ],
)
def test_words_come_out_as_they_went_in(word: str):
    xml = document(Every(15), (*COMMAND, word, "last"))
    assert read_arguments(values(xml, "./Actions/Exec/Arguments")[0]) == (*COMMAND[1:], word, "last")


@given(st.lists(st.text(st.sampled_from('ab \\"\t$%&ş'), max_size=8), max_size=5))
@example(['\\\\"', "\\\\", '"'])
def test_any_words_come_out_as_they_went_in(words: list[str]):
    assert read_arguments(written_arguments(words)) == tuple(words)


@pytest.mark.win32
@settings(max_examples=200, deadline=None)
@given(st.lists(st.text(st.sampled_from('ab \\"\t$%&ş'), max_size=8), max_size=5))
def test_windows_takes_the_arguments_apart_likewise(words: list[str]):
    import ctypes
    from ctypes import wintypes

    shell32 = ctypes.WinDLL("shell32")
    shell32.CommandLineToArgvW.restype = ctypes.POINTER(wintypes.LPWSTR)
    shell32.CommandLineToArgvW.argtypes = [wintypes.LPCWSTR, ctypes.POINTER(ctypes.c_int)]
    count = ctypes.c_int()
    line = "program " + written_arguments(words).replace("$$", "$")
    found = shell32.CommandLineToArgvW(line, ctypes.byref(count))
    assert [found[at] for at in range(1, count.value)] == words


def test_a_dollar_is_doubled_since_windows_puts_values_for_it():
    assert written_arguments(["a$(Arg0)"]) == "a$$(Arg0)"


# P15: a long command is whole, or refused
def test_long_arguments_are_whole():
    home = "C:\\" + "\\".join(["ç" * 60] * 60)
    xml = document(Every(15), (*COMMAND, "--home", home))
    assert read_arguments(values(xml, "./Actions/Exec/Arguments")[0])[-1] == home
    assert task_faults(xml) == []


def test_a_program_that_a_task_cannot_hold_is_refused():
    longest = "C:\\" + "a" * (PROGRAM_LETTERS - 3)
    assert task_faults(document(Every(15), (longest,))) == []
    with pytest.raises(TriggerError, match="task-program-long"):
        document(Every(15), (longest + "a",))


def test_a_word_for_which_windows_would_put_a_value_is_refused(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("FOLDER", "elsewhere")
    with pytest.raises(TriggerError, match="task-command-expands") as told:
        document(Every(15), (*COMMAND, r"C:\%folder%\x"))
    assert told.value.facts["name"] == "folder"
    document(Every(15), (*COMMAND, r"C:\%nothing%\100%"))


# ------------------------------------------------------------- which triggers


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(0, "PT0S"), (60, "PT1M"), (900, "PT15M"), (3600, "PT1H"), (86_400, "P1D"), (90_061, "P1DT1H1M1S")],
)
def test_durations_are_written_by_iso(seconds: int, text: str):
    assert duration(seconds) == text


def refused(schedule: Schedule) -> dict[str, object]:
    with pytest.raises(TriggerError) as told:
        triggers_of(schedule)
    assert told.value.code == "schedule-not-sayable"
    return told.value.facts


@pytest.mark.parametrize(
    ("schedule", "nearest"),
    [
        (Every(5, 2, (), (0, 24)), 'every = "15m", offset = "2m", hours = "00-24"'),
        (Every(1, 0, (6,), (0, 6)), 'every = "10m", days = ["sun"], hours = "00-06"'),
        (Daily(tuple(range(0, 1440, 7))), 'every = "15m", hours = "00-24"'),
        (Weekly((2,), tuple(range(60))), 'every = "2m", days = ["wed"], hours = "00-01"'),
        (Cron("0 */6 * * *"), 'every = "6h"'),
        (Cron("*/15 3 * * *"), 'every = "15m", hours = "03-04"'),
        (Cron("0 9 1 1 *"), 'daily = ["09:00"]'),
        (Cron("0 9 1 * 1"), 'daily = ["09:00"]'),
        (Cron("7-59/9 * * * *"), 'every = "1h"'),
    ],
)
def test_what_it_cannot_say_is_refused_with_the_nearest(schedule: Schedule, nearest: str):
    told = refused(schedule)
    assert told["nearest"] == nearest
    assert told["schedule"] == schedule_text(schedule)
    assert triggers_of(_read(nearest))


def test_48_times_have_room_and_49_have_none():
    at_night = (*range(0, 350, 10), *range(1261, 1271), *range(1281, 1285))
    assert len(at_night) == 49
    assert len(triggers_of(Daily(at_night[:-1]))) == 48
    assert "48" in str(refused(Daily(at_night))["reason"])


@pytest.mark.parametrize(
    ("expression", "same"),
    [
        ("*/15 * * * *", Every(15)),
        ("5,35 * * * 1-5", Every(30, 5, WEEKDAYS)),
        ("0 2 * * *", Daily((120,))),
        ("30 8 * * 1-5", Weekly(WEEKDAYS, (510,))),
        ("0 6 1,L * *", Monthly((1, -1), (360,))),
        ("*/15 8-17 * * *", Every(15, 0, (), (8, 18))),
        ("0-59/20 0-23 * * *", Every(20, 0, (), (0, 24))),
    ],
)
def test_a_cron_expression_that_is_a_timetable_is_one(expression: str, same: Schedule):
    assert triggers_of(Cron(expression)) == triggers_of(same)


def _read(text: str) -> Schedule:
    from trayapp.job.fields import JobText, Table
    from trayapp.job.timing_fields import take_schedule

    found = take_schedule(Table(JobText("x", "x.toml", text), tomllib.loads(f"schedule = {{ {text} }}")))
    assert found is not None
    return found


@pytest.mark.parametrize("schedule", [*filter(None, KINDS.values()), Every(60, 5, (6,), (8, 18))])
def test_a_schedule_written_for_a_job_file_is_read_as_the_same(schedule: Schedule):
    assert _read(schedule_text(schedule)) == schedule


# -------------------------------------------------- when they fire, clock changes included

ZONES = (
    "Europe/Berlin",
    "Europe/Istanbul",
    "America/New_York",
    "Australia/Lord_Howe",  # half an hour
    "Asia/Kolkata",
    "Africa/Cairo",  # Thursday 24:00 to 23:00, Friday 00:00 to 01:00
    "America/Havana",  # Sunday 00:00 to 01:00
    "America/Santiago",  # Saturday 24:00 to 23:00
    "America/Nuuk",  # Saturday 23:00 to 00:00
    "Antarctica/Troll",  # two hours
)
TWO_YEARS = (datetime(2025, 12, 1, tzinfo=UTC), datetime(2027, 12, 1, tzinfo=UTC))
REFUSED = {
    ("every-1h", "Australia/Lord_Howe"),
    ("every-15m-on-all-but-sunday", "Africa/Cairo"),
    ("every-15m-on-all-but-sunday", "America/Santiago"),
    ("every-15m-on-all-but-sunday", "America/Nuuk"),
    ("every-15m-on-weekdays", "Africa/Cairo"),
    ("every-30m-on-sunday", "America/Havana"),
    ("every-30m-on-sunday", "America/Santiago"),
}
TIMED = {
    **{name: schedule for name, schedule in KINDS.items() if schedule is not None},
    "every-15m-on-all-but-sunday": Every(15, 10, (0, 1, 2, 3, 4, 5)),
    "every-30m-on-sunday": Every(30, 5, (6,)),
    "every-30m-all-hours": Every(30, 10, (), (0, 24)),
    "every-3h-at-night": Every(180, 30, (), (0, 9)),
    "daily-around-changes": Daily((0, 30, 60, 90, 119, 120, 150, 180, 1380, 1410, 1439)),
    "monthly-31": Monthly((31,), (150,)),
}


DENSE = {name for name, schedule in TIMED.items() if isinstance(schedule, Every) and schedule.minutes <= 60}


@pytest.mark.posix
@pytest.mark.parametrize("zone", ZONES)
@pytest.mark.parametrize("name", TIMED)
def test_a_task_fires_when_its_schedule_does(name: str, zone: str):
    over = stretches_of(zone)
    with machine_in(zone):
        if (name, zone) in REFUSED:
            refused(TIMED[name])
            return
        xml = document(TIMED[name])
        for start, end in stretches_to_compare(name, zone):
            expected = list(fires_between(TIMED[name], start, end))
            assert task_fires(xml, over, start, end) == expected
            assert expected or end - start < timedelta(days=20)


def stretches_to_compare(name: str, zone: str) -> list[tuple[datetime, datetime]]:
    """Both years whole, but for what fires often: outside of Berlin the days around each change."""
    if name not in DENSE or zone in ZONES[:1]:
        return [TWO_YEARS]
    week = timedelta(days=7)
    return [
        (stretch.start - week, stretch.start + week)
        for stretch in stretches_of(zone)
        if TWO_YEARS[0] < stretch.start < TWO_YEARS[1]
    ] or [(TWO_YEARS[0], TWO_YEARS[0] + 4 * week)]


@pytest.mark.posix
@pytest.mark.parametrize("zone", ["Europe/Berlin", "Australia/Lord_Howe", "Africa/Cairo"])
@pytest.mark.parametrize("schedule", [Every(1), Every(5, 3), Every(5, 2, (), (8, 18)), Every(10, 0, WEEKDAYS, (6, 21))])
def test_a_dense_task_fires_likewise_around_each_change_of_the_clock(schedule: Schedule, zone: str):
    over = stretches_of(zone)
    with machine_in(zone):
        xml = document(schedule)
        for stretch in over[1:-1]:
            around = (stretch.start - timedelta(days=1), stretch.start + timedelta(days=1))
            assert task_fires(xml, over, *around) == list(fires_between(schedule, *around))


@pytest.mark.posix
def test_half_an_hour_of_change_leaves_only_what_divides_it():
    with machine_in("Australia/Lord_Howe"):
        assert refused(Every(60, 45))["nearest"] == 'every = "30m", offset = "15m"'
        assert refused(Every(20))["nearest"] == 'every = "15m"'
        assert triggers_of(Every(30))


@pytest.mark.posix
def test_where_the_clock_changes_around_midnight_the_days_are_refused():
    with machine_in("Africa/Cairo"):
        assert refused(Every(15, 0, (3,)))["nearest"] == 'every = "15m"'
        assert refused(Every(15, 5, (4,)))["nearest"] == 'every = "15m", offset = "5m"'
        assert triggers_of(Every(15, 0, (0, 1)))


def test_no_clock_on_earth_changes_by_day():
    # What task_times builds its repetitions by day on: whoever changes that shall hear of it here.
    found = {}
    for zone in sorted(available_timezones() - {"localtime", "Factory", "posixrules"}):
        info = ZoneInfo(zone)
        day = date(2024, 1, 1)
        while day.year < 2028:
            times = [datetime(day.year, day.month, day.day, hour, tzinfo=info).utcoffset() for hour in (6, 21)]
            if times[0] != times[1]:
                found[zone] = day
            day += timedelta(days=1)
    assert not found


def stretches_of(zone: str):
    if zone not in _known:
        _known[zone] = stretches(zone, datetime(2023, 11, 1, tzinfo=UTC), datetime(2028, 2, 1, tzinfo=UTC))
    return _known[zone]


_known: dict[str, list] = {}
