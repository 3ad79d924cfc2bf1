"""The text of a job file: a new one, or one that a person wrote, with some values changed and all else kept."""

from __future__ import annotations

import tomllib
from typing import TYPE_CHECKING, Any, cast

from trayapp.job.fields import line_of
from trayapp.job.file import set_values

if TYPE_CHECKING:
    from collections.abc import Mapping

    from trayapp.gui.jobs.editor.draft import Plain
    from trayapp.job.fields import Key
    from trayapp.job.file import Value

_MOST_LINES = 200  # that one value may go over
_TABLES = ("schedule", "items", "window", "effect", "ledger")  # their order in a file


def new_text(values: Mapping[Key, Plain]) -> str:
    """Text of a new job file with these values."""
    tables: dict[Key, list[str]] = {}
    for key, value in values.items():
        tables.setdefault(key[:-1], []).append(f"{key[-1]} = {_written(value)}\n")
    parts = ["".join(lines) if not name else f"[{'.'.join(name)}]\n{''.join(lines)}" for name, lines in tables.items()]
    return "\n".join(parts)


def changed_text(text: str, before: Mapping[Key, Plain], after: Mapping[Key, Plain]) -> str:
    """*text*, which says *before*, made to say *after*: only what differs is touched, comments and order stay."""
    for key in before:
        if key not in after:
            text = _without(text, key)
    for key, value in after.items():
        if before.get(key) != value:
            text = _with(text, key, value)
    for name in {key[0] for key in before if len(key) > 1} - {key[0] for key in after}:
        text = _without(text, (name,))
    return text


def _with(text: str, key: Key, value: Plain) -> str:
    if len(key) > 1 and key[0] not in tomllib.loads(text):
        text = _with_table(text, key[0])
    return set_values(text, {key: cast("Value", _item(value))})


def _with_table(text: str, name: str) -> str:
    """*text* with an empty table, before the one that usually follows it."""
    ending = "\r\n" if "\r\n" in text else "\n"
    lines = text.split("\n")
    for other in _TABLES[_TABLES.index(name) + 1 :]:
        line = line_of(text, (other,))
        if line is not None and lines[line - 1].lstrip().startswith("["):
            at = line - 1
            while at and lines[at - 1].lstrip().startswith("#"):  # a comment above a table is about that table
                at -= 1
            grown = "\n".join(lines[:at]) + ("\n" if at else "") + f"[{name}]{ending}{ending}" + "\n".join(lines[at:])
            if name in tomllib.loads(grown):
                return grown
    return text.rstrip() + f"{ending}{ending}[{name}]{ending}"


def _without(text: str, key: Key) -> str:
    """*text* without the line or lines of *key*; comments above and below stay."""
    wanted: Any = tomllib.loads(text)
    inner = wanted
    for name in key[:-1]:
        inner = inner.get(name, {})
    if inner.pop(key[-1], None) is None:
        return text
    line = line_of(text, key)
    lines = text.split("\n")
    for count in range(1, _MOST_LINES) if line is not None else ():
        shorter = "\n".join(lines[: line - 1] + lines[line - 1 + count :])  # type: ignore[operator]
        try:
            if tomllib.loads(shorter) == wanted:
                return shorter
        except tomllib.TOMLDecodeError:
            continue  # in the midst of a value
    return _without_by_parser(text, key)


def _without_by_parser(text: str, key: Key) -> str:
    import tomlkit  # noqa: PLC0415  # rare: a dotted or an inline table

    document: Any = tomlkit.parse(text)
    inner = document
    for name in key[:-1]:
        inner = inner[name]
    del inner[key[-1]]
    return str(document.as_string())


def _item(value: Plain) -> Any:  # noqa: ANN401  # an item of tomlkit's
    import tomlkit  # noqa: PLC0415  # 30 ms that only an editor pays

    if isinstance(value, dict):
        table = tomlkit.inline_table()
        table.update(value)
        return table
    return value


def _written(value: Plain) -> str:
    import tomlkit  # noqa: PLC0415  # as above

    if isinstance(value, str) and "\\" in value and "'" not in value and value.isprintable():
        return f"'{value}'"  # a Windows path as people can read it
    return str(tomlkit.item(_item(value)).as_string())
