"""The help explains the same things in both languages, and all that a log line can say."""

from __future__ import annotations

import ast
import re
from datetime import UTC, datetime
from pathlib import Path

import pytest

import trayapp
from trayapp.effect.python_transaction import Transaction
from trayapp.effect.sql import format_bound
from trayapp.history.store import ABANDONED
from trayapp.job.effect_fields import _KEYS_OF_KIND
from trayapp.job.fields import KEYS
from trayapp.job.file import parse_job
from trayapp.job.item_fields import _KEYS_OF_KIND as _KEYS_OF_ITEM_KIND
from trayapp.job.model import DownloadEffect, Items, SqlEffect, WindowRule
from trayapp.window.grid import STEPS

_NOT_LOGGED = frozenset({"sebep", "schedule", "boot", "manual"})
HELP = Path(trayapp.__file__).parents[1] / "resources" / "help"


def _read(language: str, name: str = "{}.md") -> str:
    return (HELP / name.format(language)).read_text(encoding="utf-8")


def _job_file(language: str) -> str:
    return _read(language, "job-file.{}.md")


def _shape(text: str) -> list[str]:
    """Kinds of lines in their order: headings, list items, table rows, paragraphs."""
    return [re.match(r"#+|-|\d\.|\||```|", line)[0] for line in text.splitlines() if line]


@pytest.mark.parametrize("name", ["{}.md", "job-file.{}.md"])
def test_both_languages_have_the_same_build(name: str) -> None:
    assert _shape(_read("tr", name)) == _shape(_read("en", name))


def _reasons() -> set[str]:
    """What the runner writes as `sebep=`: literals handed to `skip` and `_note`, or beside the word itself."""
    reasons = {ABANDONED}
    for path in (HELP.parents[1] / "trayapp" / "runner").glob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Tuple) and [getattr(part, "value", "") for part in node.elts[:1]] == ["sebep"]:
                reasons |= {part.value for part in node.elts[1:] if isinstance(part, ast.Constant)}
            if isinstance(node, ast.Call):
                name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
                given = node.args[:1] if name == "skip" else node.args[1:2] if name == "_note" else []
                reasons |= {arg.value for arg in given if isinstance(arg, ast.Constant) and isinstance(arg.value, str)}
    return reasons


def test_reasons_of_the_runner_are_found() -> None:
    assert _reasons() >= {"kilit", "anahtar mevcut", "duraklatildi", "karar", "durduruldu", "command-died", "bug"}


def _words() -> set[str]:
    """Names of the fields that the runner writes: first of a pair, small letters, beside a second that is no type."""
    words = set()
    for path in (HELP.parents[1] / "trayapp" / "runner").glob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Tuple) and len(node.elts) == 2 and isinstance(node.elts[0], ast.Constant):
                other = node.elts[1]
                if isinstance(node.elts[0].value, str) and not (
                    isinstance(other, ast.Constant) and other.value in ("failed", "uncertain", "stopped")
                ):
                    words.add(node.elts[0].value)
    return words - _NOT_LOGGED


@pytest.mark.parametrize("language", ["tr", "en"])
def test_help_explains_every_word_of_a_line(language: str) -> None:
    words = _words()
    assert words >= {"pencere", "bekleyen", "sure_ms"}
    assert sorted(word for word in words if f"`{word}`" not in _read(language)) == []


@pytest.mark.parametrize("language", ["tr", "en"])
def test_help_explains_every_reason(language: str) -> None:
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
    assert re.findall(r"!(?!\[)|lütfen|please", _read(language), re.IGNORECASE) == []


# -------------------------------------------------------------------- the job file

_EVERY_KEY = sorted(
    {
        *(key for keys in KEYS.values() for key in keys),
        *(key for keys in (*_KEYS_OF_KIND.values(), *_KEYS_OF_ITEM_KIND.values()) for key in keys),
        *(f"[{table}]" for table in ("schedule", "window", "items", "effect", "ledger")),
        *("kind", "days", "at", "query", *_KEYS_OF_KIND, *_KEYS_OF_ITEM_KIND),
    }
)


@pytest.mark.parametrize("language", ["tr", "en"])
@pytest.mark.parametrize("key", _EVERY_KEY)
def test_help_explains_every_key_of_a_job_file(language: str, key: str) -> None:
    assert key in _marked(_job_file(language))


def _marked(text: str) -> set[str]:
    """Words that stand as code, or name a section."""
    prose = re.sub(r"```.*?```", "", text, flags=re.DOTALL)
    code = " ".join((*re.findall(r"`([^`]+)`", prose), *re.findall(r"```toml\n(.*?)```", text, re.DOTALL)))
    headings = " ".join(re.findall(r"^## (.*)$", text, re.MULTILINE))
    return set(re.findall(r"[\w-]+", f"{code} {headings}")) | set(re.findall(r"\[\w+\]", headings))


@pytest.mark.parametrize("language", ["tr", "en"])
def test_defaults_in_the_help_are_the_real_ones(language: str) -> None:
    text = _job_file(language)
    defaults = {**WindowRule._field_defaults, **SqlEffect._field_defaults, **Items._field_defaults}
    assert defaults["lateness_s"] == 300
    assert defaults["timeout_s"] == 600.0
    for key, default in (
        ("lateness", '"5m"'),
        ("timeout", '"10m"'),
        *((key, str(defaults[key])) for key in ("max_per_run", "workers", "attempts")),
        ("catch_up", f'"{defaults["catch_up"]}"'),
        ("time_format", f'"{defaults["time_format"]}"'),
    ):
        assert re.search(rf"^\| `{key}` \|[^|]*\| `{re.escape(default)}` \|", text, re.MULTILINE), key


@pytest.mark.parametrize("language", ["tr", "en"])
def test_every_step_is_offered(language: str) -> None:
    assert f"`{' '.join(STEPS)}`" in _job_file(language)


@pytest.mark.parametrize("language", ["tr", "en"])
@pytest.mark.parametrize("time_format", ["iso", "iso-space", "epoch", "epoch-ms"])
def test_bounds_are_shown_as_the_script_gets_them(language: str, time_format: str) -> None:
    bound = format_bound(datetime(2026, 11, 30, 10, tzinfo=UTC), time_format)
    assert f'| `"{time_format}"` | `{bound}`' in _job_file(language)


@pytest.mark.parametrize("language", ["tr", "en"])
def test_first_example_is_a_job(language: str, tmp_path: Path) -> None:
    *examples, of_items = re.findall(r"```toml\n(.*?)```", _job_file(language), re.DOTALL)
    job = parse_job("\n".join(examples), str(tmp_path / "job.toml"), "job")
    assert isinstance(job.effect, SqlEffect)
    assert len(job.effect.sources) == 1
    assert isinstance(parse_job(of_items, str(tmp_path / "job.toml"), "job").effect, DownloadEffect)


@pytest.mark.parametrize("language", ["tr", "en"])
def test_everything_that_python_code_may_call_is_explained(language: str) -> None:
    offered = {name for name, value in vars(Transaction).items() if callable(value) and not name.startswith("_")}
    offered -= {"guarded", "shut", "is_open", "counts"}  # the runner's own
    assert [name for name in sorted({*offered, "key", "job"}) if f"`tx.{name}" not in _job_file(language)] == []


@pytest.mark.parametrize("language", ["tr", "en"])
def test_every_variable_of_a_command_is_explained(language: str) -> None:
    for name in ("START", "END", "KEY", "JOB", "RUN", "ITEM", "INPUT", "OUTPUT"):
        assert f"`BIRKEZ_{name}`" in _job_file(language)


@pytest.mark.parametrize("language", ["tr", "en"])
def test_job_file_help_neither_shouts_nor_begs_nor_grows(language: str) -> None:
    assert re.findall(r"!|lütfen|please", _job_file(language), re.IGNORECASE) == []
    assert len(_job_file(language).splitlines()) <= 250
