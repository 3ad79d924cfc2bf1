"""Sentences in the spoken language: an error's code becomes what people read.

Each area keeps its sentences in a module of this package, as `SENTENCES`: a code to its
English sentence, or to `NN_(one, many)`, of which the fact `count` picks one.
A placeholder is the name of a fact and may say how it is written:
`{at}` date and time · `{at:date}` · `{at:time}` · `{at:locative}`, `{at:dative}`,
`{at:ablative}` with the Turkish ending (also after a number) · `{count:number}` with
thousands apart · `{share:percent}` · `{limit_s:duration}`. A pair `(start, end)` of
instants is a window, other lists are joined, text stands as it is.
"""

from __future__ import annotations

import os
import sys
from datetime import datetime

from trayapp.wording.instants import show_date, show_duration, show_instant, show_time, show_window
from trayapp.wording.language import (
    LANGUAGES,
    _,
    choose_language,
    ngettext_,
    speak,
    spoken_language,
)
from trayapp.wording.mark import N_
from trayapp.wording.numbers import show_number, show_percent, turkish_suffix

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import TextIO

    from trayapp.errors import BirkezError
    from trayapp.wording.numbers import Case

    Sentence = str | tuple[str, str]

__all__ = [
    "LANGUAGES",
    "_",
    "choose_language",
    "fill",
    "make_printable",
    "ngettext_",
    "say",
    "sentence",
    "sentences",
    "speak",
    "spoken_language",
]

_UNKNOWN = N_("Birkez stopped for a reason that it has no sentence for: {code}. Details: {facts}.")
_CASES: tuple[Case, ...] = ("locative", "dative", "ablative")
_WINDOW_BOUNDS = 2


def sentence(error: BirkezError) -> str:
    """What happened and what to do, in the spoken language; never raises.

    An error without a sentence, or with one that does not fit its facts, is told by its
    code and its facts.
    """
    known = sentences().get(error.code)
    if known is not None:
        try:
            return fill(_translate(known, error.facts), error.facts)
        except (LookupError, ValueError, TypeError, AttributeError):  # a placeholder that fits no fact
            pass
    facts = ", ".join(f"{name}={_write(value)}" for name, value in error.facts.items())
    return _(_UNKNOWN).format(code=error.code, facts=facts or "-")


def say(text: str, **facts: object) -> str:
    """Translate a marked *text* and fill in its facts, as sentences of errors are."""
    return fill(_(text), facts)


def fill(text: str, facts: Mapping[str, object]) -> str:
    """Put *facts* into the placeholders of *text*, each as people of the spoken language write it.

    Raises: LookupError, ValueError, TypeError or AttributeError when a placeholder fits no fact.
    """
    return text.format_map({name: _Shown(value) for name, value in facts.items()})


def sentences() -> Mapping[str, Sentence]:
    """Sentences of all areas by their codes, in English."""
    import importlib  # noqa: PLC0415  # errors are rare; the areas are loaded when one is shown

    if not _sentences:
        for name in _areas():
            area = importlib.import_module(f"trayapp.wording.{name}")
            _sentences.update(getattr(area, "SENTENCES", {}))
    return _sentences


def _areas() -> list[str]:
    """Names of the modules beside this one; in a frozen Birkez no folder has them, so a list lies there."""
    folder = os.path.dirname(os.path.abspath(__file__))
    if getattr(sys, "frozen", False):
        with open(os.path.join(folder, "areas.txt"), encoding="ascii") as file:
            return file.read().split()
    return sorted(name[:-3] for name in os.listdir(folder) if name.endswith(".py") and name != "__init__.py")


_sentences: dict[str, Sentence] = {}


def make_printable(stream: TextIO) -> None:
    r"""Let *stream* take any text: cron's C locale and a Windows pipe know neither ğ nor ş.

    ASCII becomes UTF-8, as the logs and mails around cron expect; what another encoding
    lacks is written as `\u011f` instead of raising.
    """
    reconfigure = getattr(stream, "reconfigure", None)
    if reconfigure is None:  # a test's or an IDE's own stream
        return
    is_ascii = stream.encoding.lower().replace("-", "") in ("ascii", "usascii", "ansi_x3.41968")
    reconfigure(encoding="utf-8" if is_ascii else stream.encoding, errors="backslashreplace")


def _translate(text: Sentence, facts: Mapping[str, object]) -> str:
    if isinstance(text, str):
        return _(text)
    count = facts.get("count")
    return ngettext_(*text, count if isinstance(count, int) else 2)


class _Shown:
    """A fact that knows how it is written when a placeholder asks."""

    def __init__(self, value: object) -> None:
        self._value = value

    def __format__(self, spec: str) -> str:
        return _write(self._value, spec)

    def __str__(self) -> str:
        return _write(self._value)

    def __repr__(self) -> str:  # {name!r}: in quotes, as in a job file
        return f'"{_write(self._value)}"' if isinstance(self._value, str) else _write(self._value)


def _write(value: object, spec: str = "") -> str:
    if isinstance(value, datetime):
        return _write_instant(value, spec)
    if isinstance(value, list | tuple | set | frozenset):
        return _write_several(value, spec)
    if isinstance(value, bool) or not isinstance(value, int | float):
        return _write_text(value)
    writers: dict[str, Callable[[float], str]] = {
        "number": show_number,
        "percent": show_percent,
        "duration": show_duration,
    }
    if spec in writers:
        return writers[spec](value)
    if spec in _CASES:
        ending = turkish_suffix(int(value), _case(spec)) if spoken_language() == "tr" else ""
        return f"{value}{ending}"
    return format(value, spec)


def _write_instant(at: datetime, spec: str) -> str:
    if at.tzinfo is None:
        return at.isoformat(" ")  # a local time as a job file had it; whose, is not known
    if spec in ("date", "time"):
        return show_date(at) if spec == "date" else show_time(at)
    return show_instant(at, case=_case(spec))


def _write_several(values: list[object] | tuple[object, ...] | set[object] | frozenset[object], spec: str) -> str:
    if isinstance(values, tuple) and len(values) == _WINDOW_BOUNDS:
        start, end = values
        if isinstance(start, datetime) and isinstance(end, datetime):
            return show_window(start, end)
    ordered = sorted(values, key=str) if isinstance(values, set | frozenset) else values
    return ", ".join(_write(value, spec) for value in ordered)


def _write_text(value: object) -> str:
    """Text as it is, but for what would move the cursor of a terminal: file names can hold it."""
    if value is None:
        return "-"
    if isinstance(value, bool):
        return "true" if value else "false"  # as a job file has it
    if isinstance(value, bytes):
        value = value.decode("utf-8", "backslashreplace")
    return "".join(
        letter if letter.isprintable() or letter in "\n\t" else ascii(letter)[1:-1] for letter in str(value).strip("\n")
    )


def _case(spec: str) -> Case:
    return next((case for case in _CASES if case == spec), "")
