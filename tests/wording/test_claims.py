"""A sentence claims no more than is true wherever it is said."""

from __future__ import annotations

import re

import pytest

from trayapp.errors import SetupError
from trayapp.wording import command, effect, ledger
from trayapp.wording.language import speak, spoken_language
from trayapp.wording.speech import sentence

# What can stop a run at its tenth period as well as at its first.
BETWEEN_PERIODS = sorted(
    code
    for sentences in (ledger.SENTENCES, effect.SENTENCES, command.SENTENCES)
    for code in sentences
    if re.match(r"database-(?!exists|folder-missing)|source-|sql-|command-|record-|python-second|python-failed", code)
)
_WHOLE = re.compile(
    r"\bnothing was done(?! for this period)|\bnothing took effect|(?<!bu dönem için )\bhiçbir şey yapılmadı",
    re.IGNORECASE,
)


@pytest.mark.parametrize("language", ["en", "tr"])
@pytest.mark.parametrize("code", BETWEEN_PERIODS)
def test_what_can_stop_a_run_in_the_middle_does_not_deny_what_was_done(code: str, language: str) -> None:
    before = spoken_language()
    speak(language)
    try:
        facts = re.findall(r"{(\w+)", {**ledger.SENTENCES, **effect.SENTENCES, **command.SENTENCES}[code])
        assert _WHOLE.findall(sentence(SetupError(code, **{**dict.fromkeys(facts, "x"), "seconds": 5}))) == []
    finally:
        speak(before)
