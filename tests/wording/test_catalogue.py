"""The catalogue is whole: every marked sentence is there, translated, filled alike, compiled."""

from __future__ import annotations

import importlib
import pkgutil
import re
import shutil
import sys
from pathlib import Path

import pytest

import trayapp
from trayapp import wording
from trayapp.wording import speech

CHECKOUT = Path(trayapp.__file__).parents[1]

pytest.importorskip("babel", reason="needs Babel, which only developers have")
sys.path.insert(0, str(CHECKOUT / "installer"))
catalogue = importlib.import_module("catalogue")
sys.path.pop(0)

_SHOUTED_OR_BEGGED = re.compile(r"(?<!#)!(?!r\})|\blütfen\b|\bplease\b", re.IGNORECASE)


def _areas() -> dict[str, dict[str, str | tuple[str, str]]]:
    modules = (
        importlib.import_module(f"trayapp.wording.{found.name}") for found in pkgutil.iter_modules(wording.__path__)
    )
    return {module.__name__: module.SENTENCES for module in modules if hasattr(module, "SENTENCES")}


def _translated() -> dict[str, tuple[str, ...]]:
    found = catalogue.read_catalogue(str(CHECKOUT / catalogue._CATALOGUE) + ".po")
    return {key: catalogue._strings(message) for key, message in catalogue._by_id(found).items()}


# ------------------------------------------------------------- this catalogue


def test_catalogue_is_complete_and_compiled(capsys: pytest.CaptureFixture[str]) -> None:
    status = catalogue.main(["--check"])
    assert (status, capsys.readouterr().out) == (0, "")


def test_both_languages_state_calmly() -> None:
    texts = [text for english, turkish in _translated().items() for text in (english, *turkish)]
    assert [text for text in texts if _SHOUTED_OR_BEGGED.search(text)] == []


def test_turkish_uses_the_words_of_the_app() -> None:
    # A window is a dönem: pencere would be one on the screen, aralık is December, and the
    # registry of Windows is called kayıt defteri.
    wrong = re.compile(r"\bpencere(?!=)|zaman aralığı|kayıt defteri|su seviyesi", re.IGNORECASE)
    assert [text for turkish in _translated().values() for text in turkish if wrong.search(text)] == []


def test_no_code_has_two_sentences() -> None:
    owners: dict[str, list[str]] = {}
    for area, sentences in _areas().items():
        for code in sentences:
            owners.setdefault(code, []).append(area)
    assert {code: areas for code, areas in owners.items() if len(areas) > 1} == {}


def test_every_area_is_found() -> None:
    assert speech.sentences().keys() == {code for sentences in _areas().values() for code in sentences}


def test_every_sentence_is_marked() -> None:
    known = _translated()
    texts = [
        text if isinstance(text, str) else " | ".join(text) for area in _areas().values() for text in area.values()
    ]
    assert [text for text in texts if text not in known] == []


# ------------------------------------------------------------------- the tool


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """A small program with its catalogue, written and whole."""
    package = tmp_path / "trayapp"
    package.mkdir()
    (package / "words.py").write_text(
        'A = N_("Read {path}.")\nB = ngettext_("{n} file", "{n} files", n)\nC = NN_("%s day", "%s days")\n'
    )
    assert catalogue.main(["--root", str(tmp_path)]) == 1
    base = tmp_path / catalogue._CATALOGUE
    po = base.with_suffix(".po")
    text = po.read_text(encoding="utf-8")
    text = text.replace('"Read {path}."\nmsgstr ""', '"Read {path}."\nmsgstr "{path} okunur."')
    for noun in ("{n} dosya", "%s gün"):
        text = text.replace('msgstr[0] ""\nmsgstr[1] ""', f'msgstr[0] "{noun}"\nmsgstr[1] "{noun}"', 1)
    po.write_text(text, encoding="utf-8")
    assert catalogue.main(["--root", str(tmp_path)]) == 0
    return tmp_path


def _check(checkout: Path, capsys: pytest.CaptureFixture[str]) -> str:
    capsys.readouterr()
    status = catalogue.main(["--check", "--root", str(checkout)])
    out = capsys.readouterr().out
    assert status == bool(out)
    return out


def _edit_po(checkout: Path, old: str, new: str) -> None:
    po = (checkout / catalogue._CATALOGUE).with_suffix(".po")
    text = po.read_text(encoding="utf-8")
    assert old in text
    po.write_text(text.replace(old, new), encoding="utf-8")


def test_whole_catalogue_passes(checkout: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert _check(checkout, capsys) == ""


def test_second_writing_changes_no_byte(checkout: Path) -> None:
    base = checkout / catalogue._CATALOGUE
    before = [base.with_suffix(suffix).read_bytes() for suffix in (".po", ".mo")]
    catalogue.main(["--root", str(checkout)])
    assert [base.with_suffix(suffix).read_bytes() for suffix in (".po", ".mo")] == before


def test_new_sentence_is_noticed(checkout: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (checkout / "trayapp" / "more.py").write_text('D = _("New.")\n')
    assert "not in the catalogue yet: 'New.'" in _check(checkout, capsys)


@pytest.mark.parametrize("nested", ['_(words.get(key, N_("Lost.")))', 'say(words.get(key, N_("Lost.")), at=at)'])
def test_sentence_that_the_extractor_passes_by_is_noticed(
    checkout: Path, capsys: pytest.CaptureFixture[str], nested: str
) -> None:
    (checkout / "trayapp" / "more.py").write_text(f"def told(words, key, at):\n    return {nested}\n")
    assert "not seen by the extractor, give it a name: trayapp/more.py:2" in _check(checkout, capsys)


def test_gone_sentence_is_noticed(checkout: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (checkout / "trayapp" / "words.py").write_text('A = N_("Read {path}.")\n')
    assert "no longer in the program" in _check(checkout, capsys)


def test_moved_sentence_is_still_the_same(checkout: Path, capsys: pytest.CaptureFixture[str]) -> None:
    shutil.move(checkout / "trayapp" / "words.py", checkout / "trayapp" / "moved.py")
    assert _check(checkout, capsys) == ""


def test_untranslated_sentence_is_noticed(checkout: Path, capsys: pytest.CaptureFixture[str]) -> None:
    _edit_po(checkout, '"{path} okunur."', '""')
    assert "untranslated: 'Read {path}.'" in _check(checkout, capsys)


def test_untranslated_plural_is_noticed(checkout: Path, capsys: pytest.CaptureFixture[str]) -> None:
    _edit_po(checkout, 'msgstr[1] "{n} dosya"', 'msgstr[1] ""')
    assert "untranslated: '{n} file | {n} files'" in _check(checkout, capsys)


def test_lost_placeholder_is_noticed(checkout: Path, capsys: pytest.CaptureFixture[str]) -> None:
    _edit_po(checkout, "{path} okunur", "{yol} okunur")
    assert "other placeholders" in _check(checkout, capsys)


def test_plural_may_have_the_number_where_the_singular_needs_none(
    checkout: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (checkout / "trayapp" / "words.py").write_text('A = NN_("one day", "%s days")\n')
    catalogue.main(["--root", str(checkout)])
    _edit_po(checkout, 'msgstr[0] ""\nmsgstr[1] ""', 'msgstr[0] "%s gün"\nmsgstr[1] "%s gün"')
    catalogue.main(["--root", str(checkout)])
    assert _check(checkout, capsys) == ""
    _edit_po(checkout, 'msgstr[1] "%s gün"', 'msgstr[1] "gün"')
    assert "other placeholders" in _check(checkout, capsys)


def test_other_writing_of_a_placeholder_is_welcome(checkout: Path, capsys: pytest.CaptureFixture[str]) -> None:
    _edit_po(checkout, "{path} okunur", "{path:locative} okunur")
    catalogue.main(["--root", str(checkout)])
    assert _check(checkout, capsys) == ""


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Read {path}, {at:locative}, {path!r}.", ["at", "path"]),
        ("%(value)r of %(choices)s", ["%(choices)s", "%(value)r"]),
        ("not %s, not %s", ["%s", "%s"]),
        ("{share:percent}, 64% so far", ["share"]),
        ("none {{here}}", []),
    ],
)
def test_placeholders_of_both_kinds_are_found(text: str, expected: list[str]) -> None:
    assert catalogue.placeholders(text) == expected


def test_fuzzy_sentence_is_noticed(checkout: Path, capsys: pytest.CaptureFixture[str]) -> None:
    _edit_po(checkout, 'msgid "Read {path}."', '#, fuzzy\nmsgid "Read {path}."')
    assert "fuzzy: 'Read {path}.'" in _check(checkout, capsys)


def test_older_compiled_catalogue_is_noticed(checkout: Path, capsys: pytest.CaptureFixture[str]) -> None:
    _edit_po(checkout, "{path} okunur", "{path} okunuyor")
    assert "was not made from this .po" in _check(checkout, capsys)


def test_missing_compiled_catalogue_is_noticed(checkout: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (checkout / catalogue._CATALOGUE).with_suffix(".mo").unlink()
    assert "not compiled" in _check(checkout, capsys)
