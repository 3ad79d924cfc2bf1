from __future__ import annotations

import os
import stat
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from trayapp import settings
from trayapp.errors import SetupError
from trayapp.places import Places
from trayapp.settings import Settings, change_settings, read_settings
from trayapp.wording import speech

CHECKOUT = Path(settings.__file__).parents[1]


@pytest.fixture
def places(tmp_path: Path) -> Places:
    return Places(str(tmp_path / "config"), str(tmp_path / "state"))


@pytest.fixture
def file(places: Places) -> Path:
    path = Path(places.settings_file)
    path.parent.mkdir()
    return path


def _refusal(places: Places) -> SetupError:
    with pytest.raises(SetupError) as caught:
        read_settings(places)
    assert caught.value.facts["path"] == places.settings_file
    assert caught.value.code in speech.sentences()
    return caught.value


# -------------------------------------------------------------------- reading


def test_no_file_means_the_usual_settings(places: Places) -> None:
    assert read_settings(places) == Settings(language="", history_days=400)


def test_file_decides(places: Places, file: Path) -> None:
    file.write_text('language = "tr"\nhistory_days = 30\n', encoding="utf-8")
    assert read_settings(places) == Settings("tr", 30)


def test_what_the_file_leaves_out_is_as_usual(places: Places, file: Path) -> None:
    file.write_text("# nothing yet\n", encoding="utf-8")
    assert read_settings(places) == Settings()


def test_mark_that_notepad_writes_is_no_error(places: Places, file: Path) -> None:
    file.write_bytes(b'\xef\xbb\xbflanguage = "en"\r\n')
    assert read_settings(places).language == "en"


def test_empty_file_is_not_taken_for_the_usual_settings(places: Places, file: Path) -> None:
    file.write_bytes(b"")
    assert _refusal(places).code == "settings-empty"


@pytest.mark.parametrize(
    ("content", "line"),
    [
        (b'language = "tr"\nhistory_days =\n', 2),
        (b'language = "t', 1),
        (b"history_days = 1\nhistory_days = 2\n", 2),
        (b"\x00" * 64, 1),
        (b'# one\nlanguage = "\xfe"\n', 2),
        (b'language = "tr"\n\n[', 3),
    ],
)
def test_half_a_file_names_the_line(places: Places, file: Path, content: bytes, line: int) -> None:
    file.write_bytes(content)
    error = _refusal(places)
    assert (error.code, error.facts["line"]) == ("settings-malformed", line)


def test_unknown_key_is_named_with_the_known_ones(places: Places, file: Path) -> None:
    file.write_text('langauge = "tr"\n', encoding="utf-8")
    error = _refusal(places)
    assert (error.code, error.facts["key"]) == ("settings-unknown-key", "langauge")
    assert "history_days" in speech.sentence(error)


@pytest.mark.parametrize(
    ("text", "key"),
    [
        ('language = "de"', "language"),
        ('language = "TR"', "language"),
        ("language = 1", "language"),
        ("language = []", "language"),
        ("history_days = 0", "history_days"),
        ("history_days = -1", "history_days"),
        ("history_days = 40000", "history_days"),
        ("history_days = 1.5", "history_days"),
        ("history_days = true", "history_days"),
        ('history_days = "400"', "history_days"),
    ],
)
def test_impossible_value_is_named_with_the_allowed_ones(places: Places, file: Path, text: str, key: str) -> None:
    file.write_text(text, encoding="utf-8")
    error = _refusal(places)
    assert (error.code, error.facts["key"]) == ("settings-bad-value", key)
    assert error.facts["allowed"]


def test_folder_in_place_of_the_file_is_told(places: Places, file: Path) -> None:
    file.mkdir()
    assert _refusal(places).code == "settings-unreadable"


@pytest.mark.posix
def test_file_of_someone_else_is_told(places: Places, file: Path, powerless: Sequence[str]) -> None:
    file.write_text('language = "tr"\n', encoding="utf-8")
    file.chmod(0)
    script = (
        "import sys; from trayapp.places import Places; from trayapp.settings import read_settings\n"
        "from trayapp.errors import SetupError\n"
        "try: read_settings(Places(sys.argv[1], sys.argv[2]))\n"
        "except SetupError as error: print(error.code, error.facts['reason'])"
    )
    argv = [*powerless, sys.executable, "-c", script, *places]
    told = subprocess.run(argv, cwd=CHECKOUT, capture_output=True, text=True, check=True).stdout
    assert told.strip() == "settings-unreadable Permission denied"


# ------------------------------------------------------------------- changing


def test_change_makes_the_file_and_its_folder(places: Places) -> None:
    assert change_settings(places, language="en") == Settings("en")
    assert read_settings(places) == Settings("en")


@pytest.mark.posix
def test_new_file_is_for_its_owner_alone(places: Places) -> None:
    change_settings(places, language="en")
    path = Path(places.settings_file)
    assert [stat.S_IMODE(found.stat().st_mode) for found in (path, path.parent)] == [0o600, 0o700]


def test_change_keeps_comments_order_and_line_ends(places: Places, file: Path) -> None:
    file.write_bytes('# bizim ofis\r\nhistory_days = 90   # üç ay\r\n\r\nlanguage = "tr" # ş\r\n'.encode())
    change_settings(places, language="en")
    assert file.read_bytes().decode() == '# bizim ofis\r\nhistory_days = 90   # üç ay\r\n\r\nlanguage = "en" # ş\r\n'


def test_change_to_the_same_value_changes_no_byte(places: Places, file: Path) -> None:
    file.write_bytes(b"language='tr'\nhistory_days=0x10\n")
    change_settings(places, language="tr", history_days=16)
    assert file.read_bytes() == b"language='tr'\nhistory_days=0x10\n"


def test_impossible_change_leaves_the_file(places: Places, file: Path) -> None:
    file.write_text('language = "tr"\n', encoding="utf-8")
    with pytest.raises(SetupError, match="settings-bad-value"):
        change_settings(places, history_days=0)
    assert file.read_text(encoding="utf-8") == 'language = "tr"\n'


@pytest.mark.parametrize("content", [b"", b"language = ", b'colour = "red"\n', b"\xff"])
def test_broken_file_is_never_written_over(places: Places, file: Path, content: bytes) -> None:
    file.write_bytes(content)
    with pytest.raises(SetupError):
        change_settings(places, language="en")
    assert file.read_bytes() == content


def test_failed_replacement_leaves_the_old_file_and_nothing_else(
    places: Places, file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file.write_text('language = "tr"\n', encoding="utf-8")

    def full(_descriptor: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(SetupError) as caught:
        change_settings(places, language="en")
    assert (caught.value.code, caught.value.facts["reason"]) == ("settings-unwritable", "No space left on device")
    assert [(found.name, found.read_text(encoding="utf-8")) for found in file.parent.iterdir()] == [
        ("settings.toml", 'language = "tr"\n')
    ]


@pytest.mark.posix
def test_link_to_a_file_elsewhere_stays_a_link(places: Places, file: Path, tmp_path: Path) -> None:
    target = tmp_path / "mine.toml"
    target.write_text('language = "tr"\n', encoding="utf-8")
    file.symlink_to(target)
    change_settings(places, language="en")
    assert file.is_symlink()
    assert target.read_text(encoding="utf-8") == 'language = "en"\n'
