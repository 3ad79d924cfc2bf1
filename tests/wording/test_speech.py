from __future__ import annotations

import io
import os
import pickle
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path

import pytest

import trayapp
from trayapp.errors import BirkezError, SetupError
from trayapp.wording import speech
from trayapp.wording.mark import NN_

CHECKOUT = Path(trayapp.__file__).parents[1]
AT = datetime(2026, 9, 4, 10, tzinfo=UTC)


@pytest.fixture
def told(monkeypatch: pytest.MonkeyPatch):
    """Sentence of an error whose English, or pair of forms, is given here."""

    def tell(english: str | tuple[str, str], **facts: object) -> str:
        monkeypatch.setattr(speech, "_sentences", {"made-up": english})
        return speech.sentence(SetupError("made-up", **facts))

    return tell


# ------------------------------------------------------------------ sentences


def test_code_becomes_its_sentence(english: None) -> None:
    error = SetupError("state-folder-unusable", path="/var/x", reason="No space left on device")
    assert speech.sentence(error).startswith("The folder /var/x cannot be made or used: No space left on device. ")


def test_code_becomes_its_sentence_in_turkish(turkish: None) -> None:
    error = SetupError("state-folder-unusable", path="/var/x", reason="No space left on device")
    assert speech.sentence(error).startswith("/var/x klasörü oluşturulamıyor ya da kullanılamıyor: No space left")


def test_error_that_crossed_a_process_has_the_same_sentence(english: None) -> None:
    error = SetupError("state-folder-unusable", path="/var/x", reason="?")
    assert speech.sentence(pickle.loads(pickle.dumps(error))) == speech.sentence(error)


def test_unknown_code_is_told_with_its_facts(turkish: None) -> None:
    sentence = speech.sentence(SetupError("of-tomorrow", path="/x", at=AT))
    assert (
        sentence == "Birkez, cümlesi olmayan bir nedenle durdu: of-tomorrow. Ayrıntılar: path=/x, at=04.09.2026 10:00."
    )


def test_unknown_code_without_facts_is_told(english: None) -> None:
    assert speech.sentence(SetupError("of-tomorrow")).endswith("of-tomorrow. Details: -.")


@pytest.mark.parametrize("english_text", ["No {such} fact.", "Bad {0}.", "{path.parent}", "{path[0]}", "{path:d}", "{"])
def test_sentence_that_does_not_fit_its_facts_is_told_by_code(english_text: str, told, english: None) -> None:
    assert "made-up" in told(english_text, path=4.5)


def test_braces_in_a_fact_are_text(told, english: None) -> None:
    assert told("Cannot read {path}.", path="/tmp/{key}") == "Cannot read /tmp/{key}."


# ---------------------------------------------------------------------- facts


@pytest.mark.parametrize(
    ("placeholder", "fact", "in_english", "in_turkish"),
    [
        ("{x}", "plain", "plain", "plain"),
        ("{x!r}", "quoted", '"quoted"', '"quoted"'),
        ("{x!r}", 7, "7", "7"),
        ("{x}", "İşler/ğ.db", "İşler/ğ.db", "İşler/ğ.db"),
        ("{x}", "tool said\nAccess denied\n", "tool said\nAccess denied", "tool said\nAccess denied"),
        ("{x}", "a\x1b[2Jb\x00\u202e", "a\\x1b[2Jb\\x00\\u202e", "a\\x1b[2Jb\\x00\\u202e"),
        ("{x}", "bad\udcffbyte", "bad\\udcffbyte", "bad\\udcffbyte"),
        ("{x}", b"\xff\xc4\x9f", "\\xffğ", "\\xffğ"),
        ("{x}", None, "-", "-"),
        ("{x}", True, "true", "true"),
        ("{x}", 4242, "4242", "4242"),
        ("{x}", 0.5, "0.5", "0.5"),
        ("{x:number}", 336_776, "336,776", "336.776"),
        ("{x:percent}", 64, "64%", "%64"),
        ("{x:duration}", 192, "3 min 12 s", "3 dk 12 sn"),
        ("{x:locative}", 5, "5", "5'te"),
        ("{x}", AT, "04.09.2026 10:00", "04.09.2026 10:00"),
        ("{x:date}", AT, "04.09.2026", "04.09.2026"),
        ("{x:time}", AT, "10:00", "10:00"),
        ("{x:locative}", AT, "04.09.2026 10:00", "04.09.2026 10:00'da"),
        ("{x}", AT.replace(tzinfo=None), "2026-09-04 10:00:00", "2026-09-04 10:00:00"),
        ("{x}", (AT, AT.replace(hour=11)), "04.09.2026 10:00–11:00", "04.09.2026 10:00–11:00"),
        ("{x}", ["1h", "2h"], "1h, 2h", "1h, 2h"),
        ("{x}", {"b", "a"}, "a, b", "a, b"),
        ("{x}", (), "", ""),
        ("{x:number}", (1000, 2000), "1,000, 2,000", "1.000, 2.000"),
    ],
)
def test_facts_are_written_for_people(
    placeholder: str, fact: object, in_english: str, in_turkish: str, told, request: pytest.FixtureRequest
) -> None:
    request.getfixturevalue("english")
    assert told(placeholder, x=fact) == in_english
    request.getfixturevalue("turkish")
    assert told(placeholder, x=fact) == in_turkish


def test_count_picks_the_form(told, english: None) -> None:
    forms = NN_("{count} period waits.", "{count} periods wait.")
    assert told(forms, count=1) == "1 period waits."
    assert told(forms, count=2) == "2 periods wait."


def test_say_translates_and_fills(turkish: None) -> None:
    assert speech.say("January {year}", year=2026) == "Ocak 2026"


# ------------------------------------------------------------------- encoding


def test_stream_of_the_c_locale_takes_turkish() -> None:
    raw = io.BytesIO()
    stream = io.TextIOWrapper(raw, encoding="ascii", errors="surrogateescape")
    speech.make_printable(stream)
    stream.write("şğİ\udcff")
    stream.flush()
    assert raw.getvalue() == "şğİ\\udcff".encode()


def test_stream_of_another_code_page_keeps_it() -> None:
    raw = io.BytesIO()
    stream = io.TextIOWrapper(raw, encoding="cp1252")
    speech.make_printable(stream)
    stream.write("üş")
    stream.flush()
    assert raw.getvalue() == b"\xfc\\u015f"


def test_stream_that_cannot_change_is_left_alone() -> None:
    speech.make_printable(io.StringIO())


@pytest.mark.posix
@pytest.mark.parametrize("c_locale", ["C", "POSIX"])
def test_sentence_prints_under_cron(c_locale: str) -> None:
    script = (
        "import sys; from trayapp.wording import speech; from trayapp.errors import SetupError\n"
        "for stream in (sys.stdout, sys.stderr): speech.make_printable(stream)\n"
        "error = SetupError('state-folder-unusable', path='/\\u0130\\u015f/\\u011f', reason='x')\n"
        "print(speech.sentence(error)); print(speech.sentence(error), file=sys.stderr)"
    )
    env = {
        "PATH": os.environ["PATH"],
        "LC_ALL": c_locale,
        "PYTHONUTF8": "0",
        "PYTHONCOERCECLOCALE": "0",
    }
    ended = subprocess.run([sys.executable, "-c", script], env=env, cwd=CHECKOUT, capture_output=True, check=False)
    assert ended.returncode == 0, ended.stderr
    assert ended.stdout.decode() == ended.stderr.decode()
    assert "/İş/ğ klasörü" in ended.stdout.decode()


# ------------------------------------------------------------- the whole house


def test_every_kind_of_error_is_told(english: None) -> None:
    def kinds(kind: type[BirkezError]) -> list[type[BirkezError]]:
        return [kind, *(found for child in kind.__subclasses__() for found in kinds(child))]

    for kind in kinds(BirkezError):
        assert speech.sentence(kind("state-folder-unusable", path="/x", reason="y"))


def test_import_of_the_leaves_does_not_load_wording() -> None:
    script = "import sys, trayapp.errors, trayapp.places; sys.exit(any('wording' in name for name in sys.modules))"
    subprocess.run([sys.executable, "-c", script], check=True, cwd=CHECKOUT)
