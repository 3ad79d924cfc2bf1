"""A job file as a stranger may read it: how it is set up, without what it says to its programs and services.

Made anew from what was read, so that no comment and no unknown key comes along.
"""

from __future__ import annotations

import tomllib
from typing import Any

from trayapp.job.confidential import TAKEN_OUT, without_secrets

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

_KNOWN = ("title", "enabled", "schedule", "window", "effect", "items", "ledger")
_KNOWN_OF_EFFECT = (
    *("kind", "database", "script", "time_format", "timeout", "callable", "sources", "argv", "shell", "cwd", "env"),
    *("path", "encoding", "repeatable", "nothing_done", "url", "method", "headers", "expect", "per_host"),
)


def secret_words(text: str) -> frozenset[str]:
    """Words of a job file that no other text may show either; none where it cannot be read as one."""
    try:
        table = tomllib.loads(text)
        words = set(without_secrets(text).words)
    except ValueError:
        return frozenset()
    effect = table.get("effect")
    parts = [effect.get(part) for part in ("env", "headers")] if isinstance(effect, dict) else []
    for inner in parts:
        words |= {value for value in inner.values() if isinstance(value, str)} if isinstance(inner, dict) else set()
    return frozenset(words)


def job_facts(text: str, anonymous: Callable[[str], str]) -> str:
    """*text* in TOML, made anew. Raises: ValueError when it is no TOML."""
    import tomlkit  # noqa: PLC0415  # 30 ms

    table = tomllib.loads(without_secrets(text).text)
    kept = {name: table[name] for name in _KNOWN if name in table}
    effect = kept.get("effect")
    if isinstance(effect, dict):
        known = {name: effect[name] for name in _KNOWN_OF_EFFECT if name in effect}
        kept["effect"] = {name: _effect_value(name, value) for name, value in known.items()}
    return tomlkit.dumps(_anonymous(kept, anonymous))


def _effect_value(name: str, value: Any) -> Any:  # noqa: ANN401  # as TOML has it
    if name in ("env", "headers") and isinstance(value, dict):
        return dict.fromkeys(value, TAKEN_OUT)
    if name == "argv" and isinstance(value, list):
        return list(_argv(value))
    if name == "shell":
        return f"{str(value).split(' ', 1)[0]} {TAKEN_OUT}" if "=" not in str(value).split(" ", 1)[0] else TAKEN_OUT
    if name == "url":
        return str(value).partition("?")[0]
    return value


def _argv(words: list[object]) -> Iterable[str]:
    """The program, names of options and what Birkez itself fills in; other words are the person's own business."""
    for number, word in enumerate(map(str, words)):
        is_option = word.startswith("--") and word[2:].replace("-", "").isalnum()
        if number == 0 or is_option or word in ("{start}", "{end}", "{key}", "{item}", "{output}"):
            yield word
        else:
            name, equals, _value = word.partition("=")
            yield f"{name}={TAKEN_OUT}" if equals and name.startswith("--") else TAKEN_OUT


def _anonymous(value: Any, anonymous: Callable[[str], str]) -> Any:  # noqa: ANN401  # as TOML has it
    if isinstance(value, dict):
        return {name: _anonymous(inner, anonymous) for name, inner in value.items()}
    if isinstance(value, list):
        return [_anonymous(inner, anonymous) for inner in value]
    return anonymous(value) if isinstance(value, str) else value
