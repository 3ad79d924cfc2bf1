from __future__ import annotations

import plistlib
import subprocess
import sys
from pathlib import Path

import pytest

from trayapp import places
from trayapp.settings import change_settings
from trayapp.wording import language
from trayapp.wording.language import _, choose_language, ngettext_, speak, spoken_language


@pytest.fixture(autouse=True)
def _desktop_without_language(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(language, "_desktop_language", lambda: "")


@pytest.mark.parametrize(
    ("setting", "environ", "expected"),
    [
        # the setting goes before all else
        ("en", {"LANG": "tr_TR.UTF-8"}, "en"),
        ("tr", {"LC_ALL": "en_US.UTF-8"}, "tr"),
        ("", {"LANG": "en_US.UTF-8"}, "en"),
        (None, {"LANG": "en_US.UTF-8"}, "en"),
        ("de", {"LANG": "tr_TR.UTF-8"}, "tr"),
        # the order of POSIX, in which empty is as good as unset
        (None, {"LC_ALL": "tr_TR.UTF-8", "LC_MESSAGES": "en_US.UTF-8", "LANG": "en_US.UTF-8"}, "tr"),
        (None, {"LC_MESSAGES": "en_GB", "LANG": "tr_TR"}, "en"),
        (None, {"LC_ALL": "", "LC_MESSAGES": "", "LANG": "en_US.UTF-8"}, "en"),
        (None, {"LC_CTYPE": "en_US.UTF-8"}, "tr"),
        # spellings
        (None, {"LANG": "tr"}, "tr"),
        (None, {"LANG": "TR_tr.iso88599@euro"}, "tr"),
        (None, {"LANG": "tr-TR"}, "tr"),
        (None, {"LANG": "en"}, "en"),
        (None, {"LANG": "trv_TW.UTF-8"}, "en"),
        # another language is none of an office in Turkey
        (None, {"LANG": "de_DE.UTF-8"}, "en"),
        (None, {"LANG": "az_AZ.UTF-8"}, "en"),
        # no language at all
        (None, {}, "tr"),
        (None, {"LANG": "C"}, "tr"),
        (None, {"LC_ALL": "POSIX"}, "tr"),
        (None, {"LANG": "C.UTF-8"}, "tr"),
        (None, {"LC_ALL": "C", "LANG": "en_US.UTF-8"}, "tr"),
        # GNU's list, which the C locale switches off
        (None, {"LANGUAGE": "tr:en", "LANG": "en_US.UTF-8"}, "tr"),
        (None, {"LANGUAGE": "en_GB:en", "LANG": "tr_TR.UTF-8"}, "en"),
        (None, {"LANGUAGE": "", "LANG": "en_US.UTF-8"}, "en"),
        (None, {"LANGUAGE": "en", "LANG": "C.UTF-8"}, "tr"),
        (None, {"LANGUAGE": "en"}, "tr"),
    ],
)
def test_language_is_that_of_setting_or_environment(
    setting: str | None, environ: dict[str, str], expected: str
) -> None:
    assert choose_language(setting, environ) == expected


def test_desktop_language_counts_only_without_a_locale(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(language, "_desktop_language", lambda: "en")
    assert choose_language(None, {}) == "en"
    assert choose_language(None, {"LANG": "C"}) == "en"
    assert choose_language(None, {"LANG": "tr_TR.UTF-8"}) == "tr"


@pytest.mark.win32
def test_windows_tells_its_display_language() -> None:
    script = "from trayapp.wording import language; print(language._desktop_language())"
    told = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True).stdout
    assert told.strip() in ("tr", "en")


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (plistlib.dumps({"AppleLanguages": ["tr-TR", "en-US"]}, fmt=plistlib.FMT_BINARY), "tr"),
        (plistlib.dumps({"AppleLanguages": ["en-GB"]}), "en"),
        (plistlib.dumps({"AppleLanguages": []}), ""),
        (plistlib.dumps({}), ""),
        (b"", ""),
        (b"bplist00 cut off", ""),
    ],
)
def test_first_language_of_a_mac_is_read_or_left_open(tmp_path: Path, content: bytes, expected: str) -> None:
    preferences = tmp_path / ".GlobalPreferences.plist"
    preferences.write_bytes(content)
    assert language._first_apple_language(str(preferences)) == expected


def test_mac_without_preferences_has_no_language(tmp_path: Path) -> None:
    assert language._first_apple_language(str(tmp_path / "none")) == ""


def test_speaking_turkish_translates() -> None:
    speak("tr")
    assert _("today") == "bugün"
    assert ngettext_("{number} day", "{number} days", 3) == "{number} gün"


def test_speaking_english_leaves_the_sentence() -> None:
    speak("en")
    assert _("today") == "today"
    assert [ngettext_("{number} day", "{number} days", n) for n in (0, 1, 2)] == [
        "{number} days",
        "{number} day",
        "{number} days",
    ]


def test_empty_text_stays_empty() -> None:
    speak("tr")
    assert _("") == ""


def test_silence_means_the_language_of_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LANG", "en_US.UTF-8")
    assert spoken_language() == "en"


def test_silence_means_the_language_of_the_settings(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LANG", "tr_TR.UTF-8")
    change_settings(places.find_places(), language="en")
    assert spoken_language() == "en"


def test_broken_settings_do_not_silence(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LANG", "en_US.UTF-8")
    file = Path(places.find_places().settings_file)
    file.parent.mkdir(parents=True)
    file.write_bytes(b"language = ")
    assert spoken_language() == "en"


def test_missing_catalogue_leaves_english(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(places, "resources_dir", lambda: str(tmp_path))
    speak("tr")
    assert _("today") == "today"
    assert spoken_language() == "tr"


def test_process_locale_is_left_alone() -> None:
    script = (
        "import locale; from trayapp.wording import speech; before = locale.setlocale(locale.LC_ALL);"
        "speech.speak('tr'); speech._('today'); assert locale.setlocale(locale.LC_ALL) == before"
    )
    subprocess.run([sys.executable, "-c", script], check=True, cwd=Path(places.__file__).parents[1])
