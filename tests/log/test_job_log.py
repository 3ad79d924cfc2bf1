from __future__ import annotations

import os
import subprocess
import sys
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from trayapp.log.job_log import ATLANDI, BELIRSIZ, HATA, ISLENDI, format_line, parse_line

AT = datetime(2026, 9, 4, 12, 7, 0, 456789, tzinfo=UTC)
CHECKOUT = Path(__file__).resolve().parents[2]


def test_line_reads_as_the_design_shows_it():
    fields = [("is", "satis-ozet"), ("sebep", "anahtar mevcut"), ("pid", 4242), ("tetik", "elle")]
    assert (
        format_line(AT, ATLANDI, fields)
        == '2026-09-04T12:07:00.456Z ATLANDI is=satis-ozet sebep="anahtar mevcut" pid=4242 tetik=elle'
    )


def test_window_and_key_need_no_quotes():
    fields = [
        ("pencere", "2026-09-04T10:00:00Z/2026-09-04T11:00:00Z"),
        ("anahtar", "satis-ozet:2026-09-04T10:00:00+00:00"),
    ]
    assert '"' not in format_line(AT, ISLENDI, fields)


def test_fields_without_a_value_are_left_out():
    assert format_line(AT, ISLENDI, [("kayit", None), ("tekrar", 0)]) == "2026-09-04T12:07:00.456Z ISLENDI tekrar=0"


def test_instants_are_written_in_utc():
    istanbul = timezone(timedelta(hours=3))
    line = format_line(AT.astimezone(istanbul), HATA, [("bitis", datetime(2026, 9, 4, 13, tzinfo=istanbul))])
    assert line == "2026-09-04T12:07:00.456Z HATA bitis=2026-09-04T10:00:00Z"


@pytest.mark.parametrize(
    ("value", "written"),
    [
        ("", '""'),
        ("şube", "şube"),
        ('dedi ki "dur"', r'"dedi ki \"dur\""'),
        (r"C:\veri", r'"C:\\veri"'),
        ("a=b", '"a=b"'),
        ("iki\nsatir\r\tsonu", r'"iki\nsatir\r\tsonu"'),
        ("\x00\x1b[31m\x7f", r'"\u0000\u001b[31m\u007f"'),
        ("\u2028\u2029\u0085", r'"\u2028\u2029\u0085"'),
        ("\u202egnp.exe", r'"\u202egnp.exe"'),
        ("yarim \udc80", r'"yarim \udc80"'),
        ("\U000e0001", r'"\U000e0001"'),
    ],
)
def test_what_could_break_or_hide_a_line_is_escaped(value, written):
    assert format_line(AT, HATA, [("ileti", value)]) == f"2026-09-04T12:07:00.456Z HATA ileti={written}"


any_text = st.text(st.characters(codec=None))
names = st.text("abcdefghijklmnopqrstuvwxyz_", min_size=1)


@settings(deadline=None)  # a busy machine is no failure
@given(
    st.datetimes(timezones=st.just(UTC)),
    st.sampled_from([ISLENDI, ATLANDI, HATA, BELIRSIZ]),
    st.dictionaries(names, any_text),
)
def test_a_line_read_back_is_what_was_written(at, token, fields):
    line = format_line(at, token, fields.items())
    assert line.isprintable()
    assert len(line.splitlines()) == 1
    read = parse_line(line)
    assert read is not None
    assert read.at == at.replace(microsecond=at.microsecond // 1000 * 1000)
    assert (read.token, read.fields) == (token, fields)


@settings(deadline=None)
@given(any_text)
def test_any_other_text_is_no_line_and_no_crash(text):
    for line in (text, f"2026-09-04T12:07:00.456Z HATA {text}", f'2026-09-04T12:07:00.456Z HATA a="{text}'):
        parse_line(line)


@pytest.mark.parametrize(
    "line",
    [
        "",
        "merhaba",
        "2026-09-04T12:07:00.456Z",
        "2026-09-04T12:07:00.456Z hata a=1",
        "2026-09-04T12:07:00.456 HATA a=1",
        "2026-09-04T12:07:00.456Z HATA a",
        '2026-09-04T12:07:00.456Z HATA a="1',
        '2026-09-04T12:07:00.456Z HATA a="1"b=2',
        r'2026-09-04T12:07:00.456Z HATA a="\q"',
        r'2026-09-04T12:07:00.456Z HATA a="\u12"',
        "2026-09-04T12:07:00.456Z HATA =1",
    ],
)
def test_a_line_cut_short_or_made_by_others_is_none(line):
    assert parse_line(line) is None


def test_line_with_its_line_end_is_understood():
    read = parse_line("2026-09-04T12:07:00.456Z HATA a=1\r\n")
    assert read is not None
    assert read.fields == {"a": "1"}


def test_writing_lines_imports_nothing_slow():
    code = "import sys, trayapp.log.job_log; print(*sorted(sys.modules))"
    answer = subprocess.run(
        [sys.executable, "-I", "-S", "-c", f"import sys; sys.path.insert(0, {str(CHECKOUT)!r}); {code}"],
        capture_output=True,
        encoding="utf-8",
        check=True,
    )
    slow = {"typing", "re", "enum", "dataclasses", "pathlib", "logging", "json", "subprocess", "tempfile", "shutil"}
    assert not slow & set(answer.stdout.split())


@pytest.mark.posix
def test_c_locale_of_cron_writes_utf_8(tmp_path):
    code = r"""
import sys
from datetime import UTC, datetime
from trayapp.log.job_log import JobLog, format_line
answer = JobLog(sys.argv[1]).write(format_line(datetime.now(UTC), "HATA", [("ileti", "\u011f\xfc\u015f\u0130")]))
assert answer is None, answer
"""
    env = {"PATH": os.environ["PATH"], "LC_ALL": "POSIX", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
    argv = [sys.executable, "-c", code, str(tmp_path / "is.log")]
    subprocess.run(argv, env={**env, "PYTHONPATH": str(CHECKOUT)}, check=True)
    assert (tmp_path / "is.log").read_text("utf-8").endswith("ileti=ğüşİ\n")
