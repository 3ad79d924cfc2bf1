"""The help explains the same things in both languages, and all that a log line can say."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import trayapp

HELP = Path(trayapp.__file__).parents[1] / "resources" / "help"


def _read(language: str) -> str:
    return (HELP / f"{language}.md").read_text(encoding="utf-8")


def _shape(text: str) -> list[str]:
    """Kinds of lines in their order: headings, list items, table rows, paragraphs."""
    return [re.match(r"#+|-|\d\.|\||```|", line)[0] for line in text.splitlines() if line]


def test_both_languages_have_the_same_build() -> None:
    assert _shape(_read("tr")) == _shape(_read("en"))


@pytest.mark.parametrize("language", ["tr", "en"])
@pytest.mark.parametrize(
    "word",
    [
        *("### ISLENDI", "### ATLANDI", "### HATA", "### BELIRSIZ"),
        *("`kilit`", '`"kapanmis pencere yok"`', '`"anahtar mevcut"`', "`duraklatildi`", '`"telafi politikasi"`'),
        *("`belirsiz`", "`zamanli`", "`elle`", "`acilis`", "`ileti`", "`kayit`", "`tekrar`"),
    ],
)
def test_help_explains_what_a_log_line_can_say(language: str, word: str) -> None:
    assert word in _read(language)


@pytest.mark.parametrize("language", ["tr", "en"])
def test_help_neither_shouts_nor_begs(language: str) -> None:
    assert re.findall(r"!|lütfen|please", _read(language), re.IGNORECASE) == []
