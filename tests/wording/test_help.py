"""The help explains the same things in both languages, and all that a log line can say."""

from __future__ import annotations

import ast
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


def _reasons() -> set[str]:
    """What the runner writes as `sebep=` of an ATLANDI line: literals handed to `skip` and `_note`."""
    reasons = set()
    for path in (HELP.parents[1] / "trayapp" / "runner").glob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call):
                name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
                given = node.args[:1] if name == "skip" else node.args[1:2] if name == "_note" else []
                reasons |= {arg.value for arg in given if isinstance(arg, ast.Constant) and isinstance(arg.value, str)}
    return reasons


def test_reasons_of_the_runner_are_found() -> None:
    assert _reasons() >= {"kilit", "anahtar mevcut", "duraklatildi", "karar"}


@pytest.mark.parametrize("language", ["tr", "en"])
def test_help_explains_every_reason_of_a_skip(language: str) -> None:
    text = _read(language)
    shown = {reason: f'`"{reason}"`' if " " in reason else f"`{reason}`" for reason in _reasons()}
    assert [reason for reason, quoted in shown.items() if f"| {quoted} |" not in text] == []


@pytest.mark.parametrize("language", ["tr", "en"])
@pytest.mark.parametrize(
    "word",
    [
        *("### ISLENDI", "### ATLANDI", "### HATA", "### BELIRSIZ"),
        *('`"kapanmis pencere yok"`', "`zamanli`", "`elle`", "`acilis`", "`ileti`", "`kayit`", "`tekrar`"),
    ],
)
def test_help_explains_what_a_log_line_can_say(language: str, word: str) -> None:
    assert word in _read(language)


@pytest.mark.parametrize("language", ["tr", "en"])
def test_help_neither_shouts_nor_begs(language: str) -> None:
    assert re.findall(r"!|lütfen|please", _read(language), re.IGNORECASE) == []
