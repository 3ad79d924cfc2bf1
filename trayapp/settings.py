"""What the person set for Birkez itself: `settings.toml`, one value for all jobs.

A file that cannot be read whole is an error that is shown. It is never taken for the
defaults, and nothing is written over it: what the person had set would be gone.
The runner does not read it.
"""

from __future__ import annotations

import os

from trayapp.errors import SetupError
from trayapp.patience import ALLOWED, is_patience
from trayapp.places import make_folder
from trayapp.value import NamedTuple
from trayapp.whole_file import replace_file

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from trayapp.places import Places


class Settings(NamedTuple):
    """`language` is "tr", "en" or empty: as the system. History is kept for `history_days`.

    `notices` is whether the tray tells of failures and decisions; `colors` of the tray's views
    are "light", "dark" or empty: as the system. `warn_after` is how long jobs may go without a
    success, see `trayapp.patience`; empty leaves it to each job's schedule.
    """

    language: str = ""
    history_days: int = 400
    notices: bool = True
    colors: str = ""
    warn_after: str = ""


_LONGEST_HISTORY_DAYS = 36_500  # a century; beyond, dates would leave the calendar


def read_settings(places: Places) -> Settings:
    """Settings of this user; where there is no file, the defaults.

    Raises: SetupError `settings-unreadable`, `settings-empty`, `settings-malformed`,
    `settings-unknown-key` or `settings-bad-value`, each with the `path`.
    """
    path = places.settings_file
    text = _read_text(path)
    return Settings() if text is None else _parse(path, text)


def change_settings(places: Places, **changes: str | int | bool) -> Settings:
    """Set the named keys in the file and keep all else in it: comments, order, line ends.

    The file is replaced whole or not at all, also when the power fails here.

    Raises: SetupError as `read_settings`, or `settings-unwritable`; then the file is as it was.
    """
    import tomlkit  # noqa: PLC0415  # 30 ms that only a change pays

    path = os.path.realpath(places.settings_file)  # a link into a person's own folder stays a link
    text = _read_text(path) or ""
    if text:
        _parse(path, text)
    document = tomlkit.parse(text)
    for key, value in changes.items():
        if document.get(key) != value:
            document[key] = value
    changed = tomlkit.dumps(document)
    settings = _parse(path, changed)
    _replace(path, changed)
    return settings


def _read_text(path: str) -> str | None:
    try:
        with open(path, encoding="utf-8-sig", newline="") as file:  # Windows' Notepad writes a BOM
            text = file.read()
    except FileNotFoundError:
        return None
    except UnicodeDecodeError as error:
        line = error.object.count(b"\n", 0, error.start) + 1
        raise SetupError("settings-malformed", path=path, line=line, reason="not UTF-8") from error
    except OSError as error:
        raise SetupError("settings-unreadable", path=path, reason=error.strerror or str(error)) from error
    if not text:
        raise SetupError("settings-empty", path=path)
    return text


def _parse(path: str, text: str) -> Settings:
    import tomllib  # noqa: PLC0415  # 5 ms; most commands find no file

    try:
        values = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise SetupError("settings-malformed", path=path, line=_line_of(error, text), reason=str(error)) from error
    for key in values:
        if key not in Settings._fields:
            raise SetupError("settings-unknown-key", path=path, key=key, allowed=Settings._fields)
    return Settings(
        language=_language(path, values),
        history_days=_history_days(path, values),
        notices=_notices(path, values),
        colors=_colors(path, values),
        warn_after=_warn_after(path, values),
    )


def _line_of(error: Exception, text: str) -> int:
    """Line that a TOML error names; before Python 3.14 it stands in the text alone."""
    line = getattr(error, "lineno", None)
    if line is None:
        _, found, place = str(error).rpartition("(at line ")
        line = place.split(",")[0] if found else text.count("\n") + 1  # "(at end of document)"
    return int(line)


def _language(path: str, values: Mapping[str, object]) -> str:
    language = values.get("language", "")
    if language not in ("", "tr", "en"):
        allowed = '"tr", "en", ""'
        raise SetupError("settings-bad-value", path=path, key="language", value=language, allowed=allowed)
    return str(language)


def _notices(path: str, values: Mapping[str, object]) -> bool:
    notices = values.get("notices", True)
    if not isinstance(notices, bool):
        raise SetupError("settings-bad-value", path=path, key="notices", value=notices, allowed="true, false")
    return notices


def _colors(path: str, values: Mapping[str, object]) -> str:
    colors = values.get("colors", "")
    if colors not in ("", "light", "dark"):
        allowed = '"light", "dark", ""'
        raise SetupError("settings-bad-value", path=path, key="colors", value=colors, allowed=allowed)
    return str(colors)


def _warn_after(path: str, values: Mapping[str, object]) -> str:
    text = values.get("warn_after", "")
    if not isinstance(text, str) or not is_patience(text):
        raise SetupError("settings-bad-value", path=path, key="warn_after", value=text, allowed=f'{ALLOWED}, ""')
    return text


def _history_days(path: str, values: Mapping[str, object]) -> int:
    days = values.get("history_days", Settings().history_days)
    if not isinstance(days, int) or isinstance(days, bool) or not 1 <= days <= _LONGEST_HISTORY_DAYS:
        allowed = f"1–{_LONGEST_HISTORY_DAYS}"
        raise SetupError("settings-bad-value", path=path, key="history_days", value=days, allowed=allowed)
    return days


def _replace(path: str, text: str) -> None:
    try:
        make_folder(os.path.dirname(path))
        replace_file(path, text.encode())
    except OSError as error:
        raise SetupError("settings-unwritable", path=path, reason=error.strerror or str(error)) from error
