from __future__ import annotations

import csv
import io
import time
from datetime import UTC, datetime, timedelta

import pytest

from tests.history.making import NOON, made_run
from trayapp.history.export import HEADINGS, write_csv
from trayapp.wording.language import speak


@pytest.fixture(autouse=True)
def _english():
    speak("en")
    yield
    speak("en")


def written(rows, language="en"):
    file = io.BytesIO()
    write_csv(file, rows, language)
    return file.getvalue()


def read_back(data, language="en"):
    assert data.startswith(b"\xef\xbb\xbf")
    text = io.StringIO(data.decode("utf-8-sig"), newline="")
    return list(csv.DictReader(text, delimiter=";" if language == "tr" else ","))


def test_english_file_as_a_whole():
    text = written([made_run(1, trigger="manual")]).decode("utf-8-sig")
    heading, row, end = text.split("\r\n")
    assert heading == ",".join(HEADINGS)
    assert row.startswith("2026-09-04 12:01:00,2026-09-04T12:01:00Z,2026-09-04 12:01:05,5.000,satis-ozet,by hand,done,")
    assert row.endswith(",1,12,0,0,0,4242,kosum-1")
    assert end == ""


def test_turkish_file_has_semicolons_and_decimal_commas():
    record = made_run(1, job='bir; iki, "üç"')._replace(ended_at=made_run(1).started_at + timedelta(milliseconds=1234))
    data = written([record], "tr")
    [row] = read_back(data, "tr")
    assert row["Duration (s)"] == "1,234"
    assert row["Job"] == 'bir; iki, "üç"'


def test_words_are_those_of_the_spoken_language(monkeypatch):
    from trayapp.history import export

    monkeypatch.setattr(export, "_", lambda text: {"Job": "İş", "done": "işlendi"}.get(text, text))
    [row] = read_back(written([made_run()], "tr"), "tr")
    assert row["İş"] == "satis-ozet"
    assert row["Outcome"] == "işlendi"


FORMULAS = ['=HYPERLINK("http://x")', "+1", "-1", "@SUM(A1)", "\t=1", "\r=1", "\n=1", "  =1", "\uff1d1"]


@pytest.mark.parametrize("text", FORMULAS)
@pytest.mark.parametrize("language", ["en", "tr"])
def test_text_never_becomes_a_formula(text, language):
    [row] = read_back(written([made_run(1, job=text, run=text)], language), language)
    assert row["Job"] == row["Run"] == "'" + text


@pytest.mark.parametrize(
    "text", ["a=1", "", " ", "5'te", "satır\nsonu", 'tırnak "iç" ', "a\rb", "ğüşİ;,\t", "1-2", "'=1"]
)
def test_harmless_text_is_not_altered(text):
    for language in ("en", "tr"):
        [row] = read_back(written([made_run(1, job=text)], language), language)
        assert row["Job"] == text


def test_numbers_stay_numbers():
    [row] = read_back(written([made_run(1, exit_status=-9, new_count=None, windows=0)]))
    assert (row["Exit status"], row["New records"], row["Periods"]) == ("-9", "", "0")


def test_run_that_has_not_ended_has_empty_cells():
    [row] = read_back(written([made_run(1, ended_at=None, exit_status=None, outcome="running")]))
    assert (row["Ended"], row["Duration (s)"], row["Exit status"]) == ("", "", "")


def test_half_a_surrogate_pair_is_no_crash():
    [row] = read_back(written([made_run(1, job="ad \udc80")]))
    assert row["Job"] == "ad \\udc80"


@pytest.mark.posix
def test_times_are_local_and_the_repeated_hour_is_told_apart(monkeypatch):
    monkeypatch.setenv("TZ", "Europe/Berlin")
    time.tzset()
    hours = [datetime(2026, 10, 25, hour, 30, tzinfo=UTC) for hour in (0, 1)]
    first, second = read_back(written([made_run(1, started_at=at) for at in hours]))
    assert first["Started"] == second["Started"] == "2026-10-25 02:30:00"
    assert (first["Started (UTC)"], second["Started (UTC)"]) == ("2026-10-25T00:30:00Z", "2026-10-25T01:30:00Z")


def test_file_stays_open_and_rows_are_counted():
    file = io.BytesIO()
    assert write_csv(file, (made_run(number) for number in range(1000)), "en") == 1000
    file.write(b"more")
    assert len(file.getvalue().splitlines()) == 1002
    assert len(HEADINGS) == len(set(HEADINGS))


def test_full_disk_is_told():
    class Full(io.RawIOBase):
        def writable(self):
            return True

        def write(self, _data):
            raise OSError(28, "No space left on device")

    with pytest.raises(OSError, match="No space"):
        write_csv(Full(), [made_run(1, started_at=NOON)], "en")


@pytest.mark.parametrize(
    ("language", "words"), [("en", "no period has closed since"), ("tr", "yeni kapanan dönem yok")]
)
def test_reason_is_written_in_words(language, words):
    speak(language)
    row = read_back(written([made_run(1, outcome="skipped", reason="kapanmis pencere yok")], language), language)[0]
    assert words in row.values()
