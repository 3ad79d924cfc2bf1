"""Whatever stands behind `sebep` has words in both languages, and is never shown as it is written."""

from __future__ import annotations

import ast
import importlib
import re

import pytest

from tests.architecture.source import Module, called_name, calls, modules
from trayapp.wording import reasons
from trayapp.wording.language import speak

RUN = ("runner", "effect", "command", "fan_out", "ledger", "lock", "window", "job_file", "setup", "history")
OUTCOMES = ("skipped", "failed", "uncertain", "stopped")
_A_REASON = {"skip": 0, "_note": 1, "finish": 2}  # calls that write one, and where it stands
_RAW = re.compile(r"^[a-z0-9]+(-[a-z0-9]+)+$")


def _runner() -> list[Module]:
    return [module for module in modules() if module.name.startswith("trayapp.runner")]


def _log_words() -> set[str]:
    """Reasons that the runner writes itself: words of the log, not codes of errors."""
    found: set[str] = set()
    for module in _runner():
        for node in ast.walk(module.tree):
            match node:
                case ast.Tuple(elts=[ast.Constant(value="sebep"), reason]):
                    found |= _texts(module, reason)
                case ast.Assign(targets=[ast.Name(id="reason")], value=value):
                    found |= _texts(module, value)
        for call in calls(module.tree):
            position = _A_REASON.get(called_name(call), 99)
            if len(call.args) > position:
                found |= _texts(module, call.args[position])
    return found - {""}


def _texts(module: Module, node: ast.expr) -> set[str]:
    match node:
        case ast.Constant(value=str(text)):
            return {text}
        case ast.IfExp(body=one, orelse=other):
            return _texts(module, one) | _texts(module, other)
        case ast.Name(id=name):
            value = getattr(importlib.import_module(module.name), name, None)
            return {value} if isinstance(value, str) else set()
    return set()


def _error_codes() -> set[str]:
    """Codes of the errors that can end a run: those of all that lies below the runner."""
    areas = [importlib.import_module(f"trayapp.wording.{area}") for area in RUN]
    return {code for area in areas for code in area.SENTENCES} | {"command-died"}


@pytest.fixture(autouse=True, params=["en", "tr"])
def language(request):
    speak(request.param)
    return request.param


def test_reading_finds_what_the_runner_writes():
    assert {"kilit", "karar", "durduruldu", "yarida kesildi", "kapanmis pencere yok", "items-failed"} <= _log_words()
    assert {"database-busy", "command-failed", "job-file-not-toml", "clock-behind"} <= _error_codes()


@pytest.mark.parametrize("reason", sorted(_log_words() | _error_codes()))
def test_each_reason_has_words(reason, language):
    assert reasons.is_known(reason)
    words = reasons.reason_words(reason)
    assert words != reason
    assert not _RAW.match(words)
    for outcome in OUTCOMES:
        line = reasons.ending_words(outcome, reason)
        assert line[0].isupper()
        assert f": {reason}" not in line
    if language == "tr":
        speak("en")
        assert words != reasons.reason_words(reason), "not translated"


def test_reason_of_another_version_is_not_shown_as_it_is_written():
    assert not reasons.is_known("yepyeni-neden")
    assert "yepyeni" not in reasons.ending_words("skipped", "yepyeni-neden")


def test_what_the_log_says_goes_before_words_of_the_code():
    assert reasons.ending_words("failed", "sql-failed", "no such table: sipariş").endswith(": no such table: sipariş")


def test_mistake_of_ours_is_not_told_as_an_exception():
    assert "Error(" not in reasons.ending_words("failed", "bug", "KeyError('x')")
