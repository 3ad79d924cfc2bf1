"""The paths of a job file that comes from another computer: those that lie elsewhere here, and those that cannot."""

from __future__ import annotations

import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

_PATH_KEYS = frozenset(("database", "script", "callable", "cwd", "source", "target"))


def with_folders(text: str, moves: Sequence[tuple[str, str]]) -> str:
    """Text of a job file whose paths below the first folder of a pair lie below the second.

    The rest of a path takes the way of writing of its new folder. Text that is no TOML stays as it is.
    """
    if not moves:
        return text
    import tomlkit  # noqa: PLC0415  # 30 ms that only an import pays
    from tomlkit.exceptions import TOMLKitError  # noqa: PLC0415  # as above

    try:
        document = tomlkit.parse(text)
    except TOMLKitError:
        return text  # whoever reads it as a job says where it is wrong
    moved = [_move(document, old, new) for old, new in moves]
    return document.as_string() if any(moved) else text


def foreign_path(text: str) -> str:
    """First path of a job file that only a computer of another kind could mean; "" where there is none.

    Taken as relative it would name a folder beside the file. Raises: ValueError when *text* is no TOML.
    """
    import tomllib  # noqa: PLC0415  # only an import pays

    return next((path for path in _paths_in(tomllib.loads(text)) if _is_foreign(path)), "")


def _paths_in(table: Mapping[str, object]) -> Iterator[str]:
    for key, value in table.items():
        if isinstance(value, dict) and key not in ("env", "headers", "json"):
            yield from _paths_in(value)
        elif isinstance(value, str) and key in _PATH_KEYS:
            yield value


def _is_foreign(path: str) -> bool:
    if sys.platform == "win32":
        return path.startswith("/")
    return path.startswith("\\\\") or (path[1:2] == ":" and path[:1].isalpha() and path[2:3] in ("\\", "/"))


def _move(table: object, old: str, new: str) -> bool:
    """Change paths in *table* in place; returns whether any was below *old*."""
    moved = False
    pairs = table.items() if isinstance(table, dict) else enumerate(table) if isinstance(table, list) else ()
    for key, value in list(pairs):
        if isinstance(value, dict) or key == "argv":
            moved |= _move(value, old, new)
        elif isinstance(value, str) and (key in _PATH_KEYS or isinstance(table, list)):
            path = _moved(value, old, new)
            if path is not None:
                table[key] = path  # type: ignore[index]  # a dict or a list, as above
                moved = True
    return moved


def _moved(path: str, old: str, new: str) -> str | None:
    old, new = old.rstrip("/\\"), new.rstrip("/\\")
    rest = path[len(old) :]
    is_below = path.replace("\\", "/").startswith(old.replace("\\", "/")) and rest[:1] in ("", "/", "\\")
    if not is_below:
        return None
    separator = "\\" if "\\" in new else "/"
    return new + rest.replace("\\", "/").replace("/", separator)
