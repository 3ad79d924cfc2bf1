"""The job file of an adopted entry, written so that a person can read and change it."""

from __future__ import annotations

import re

from trayapp import clock
from trayapp.errors import TriggerError
from trayapp.job.schedule_text import schedule_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from trayapp.adoption.entry import Entry
    from trayapp.adoption.period import Periods
    from trayapp.job.model import CommandEffect

_HOUR, _MINUTE = 3600, 60  # seconds


def job_text(entry: Entry, periods: Periods, title: str, *, repeatable: bool) -> str:
    """Text of the job file that does what *entry* does."""
    assert entry.schedule is not None
    assert entry.effect is not None, "an entry that is refused becomes no job"
    lines = [
        f"# Adopted from {entry.source}, {clock.now().astimezone():%Y-%m-%d}: {_comment(entry.text)}",
        f"title = {_value(title)}",
        "",
        "[schedule]",
        *re.split(r", (?=(?:offset|days|hours) = )", schedule_text(entry.schedule)),
        "",
        "[window]",
        f'step = "{periods.step}"',
        *([f'timezone = "{periods.timezone}"'] if periods.timezone else []),
        f"start = {clock.format_instant(periods.start)}",
        f'lateness = "{_duration(periods.lateness_s)}"',
        'catch_up = "latest"',
        "",
        "[effect]",
        'kind = "command"',
        *_effect_lines(entry.effect, repeatable=repeatable),
    ]
    return "\n".join(lines) + "\n"


def _effect_lines(effect: CommandEffect, *, repeatable: bool) -> Iterator[str]:
    if effect.argv:
        yield f"argv = [{', '.join(map(_value, effect.argv))}]"
    else:
        yield f"shell = {_value(effect.shell)}"
    yield f"cwd = {_value(effect.cwd)}"
    if effect.path:
        yield f"path = {_value(effect.path)}"
    if effect.env:
        yield f"env = {{ {', '.join(f'{_value(name)} = {_value(value)}' for name, value in effect.env)} }}"
    yield f"repeatable = {str(repeatable).lower()}"
    yield f'timeout = "{_duration(int(effect.timeout_s))}"'


def _value(text: str) -> str:
    import tomlkit  # noqa: PLC0415  # only who adopts

    try:
        text.encode()
    except UnicodeEncodeError as error:
        raise TriggerError("adopt-not-utf8") from error
    return tomlkit.string(text, literal=_reads_better_bare(text)).as_string()


def _reads_better_bare(text: str) -> bool:
    r"""Tell whether a literal string can hold *text*, and spares a person escapes such as `\"` and `C:\\`."""
    return ('"' in text or "\\" in text) and "'" not in text and text.isprintable()


def _comment(text: str) -> str:
    return "".join(letter if letter.isprintable() else " " for letter in text)


def _duration(seconds: int) -> str:
    if seconds % _MINUTE:
        return f"{seconds}s"
    return f"{seconds // _MINUTE}m" if seconds % _HOUR else f"{seconds // _HOUR}h"
