"""What the command line says to the terminal, and what it asks.

Text for people goes to stdout, trouble to stderr. Colour is little and only for a
terminal that wants it; nothing is told by colour alone.
"""

from __future__ import annotations

import os
import sys

from trayapp import exit_code
from trayapp.errors import SetupError
from trayapp.wording.speech import _, fill, make_printable, ngettext_, say

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from typing import TextIO

_PAINTS = {"ok": "32", "warn": "33", "bad": "31", "idle": "90", "strong": "1"}
TOKEN_PAINTS = {"ISLENDI": "ok", "ATLANDI": "idle", "HATA": "bad", "BELIRSIZ": "warn"}
_GAP = "  "


def prepare() -> None:
    """Let both streams take any text; pythonw has none."""
    for stream in (sys.stdout, sys.stderr):
        if stream is not None:
            make_printable(stream)


def show(*lines: str) -> None:
    """Print lines for people, at once, so that what follows them stands below them.

    Raises: SetupError `output-unwritable`, as where stdout is a file on a full disk;
    BrokenPipeError when its reader has gone.
    """
    if sys.stdout is None:
        return
    try:
        for line in lines:
            print(line)
        sys.stdout.flush()
    except BrokenPipeError:
        raise
    except OSError as error:
        leave_quietly()
        raise SetupError("output-unwritable", reason=error.strerror or str(error)) from error


def warn(text: str) -> None:
    """Print one sentence about trouble."""
    if sys.stderr is not None:
        print("birkez:", text, file=sys.stderr, flush=True)


def show_json(value: object) -> None:
    """Print *value* for a program: ASCII, so that no encoding on the way can hurt it."""
    import json  # noqa: PLC0415  # only for programs

    show(json.dumps(value, indent=2))


def say_many(forms: tuple[str, str], count: int, **facts: object) -> str:
    """Say the one of two marked *forms* that fits *count*, filled in."""
    return fill(ngettext_(*forms, count), {"count": count, **facts})


def ask(question: str) -> bool:
    """Ask a yes-or-no question; anything but a clear yes is no. Only where `can_ask`."""
    print(say("{question} [y/N]", question=question), end=" ", flush=True)
    answer = sys.stdin.readline().strip().casefold()
    # Translators: words that mean yes, with a space between; small letters
    return answer in _("y yes").split()


def can_ask() -> bool:
    """Tell whether a person sits at both ends."""
    return all(stream is not None and stream.isatty() for stream in (sys.stdin, sys.stdout))


def paint(text: str, kind: str) -> str:
    """Colour *text*, where stdout is a terminal that takes colours and nobody asked for none."""
    if not kind or not _takes_colour(sys.stdout, os.environ):
        return text
    return f"\x1b[{_PAINTS[kind]}m{text}\x1b[0m"


def columns(rows: Iterable[Sequence[str]]) -> list[str]:
    """Lines of a table whose columns stand below each other; the last one is not filled up."""
    table = [tuple(row) for row in rows]
    widths = [max(map(_width, column)) for column in zip(*table, strict=True)]
    lines = []
    for *cells, last in table:
        filled = [cell + " " * (width - _width(cell)) for cell, width in zip(cells, widths, strict=False)]
        lines.append(_GAP.join([*filled, last]).rstrip())
    return lines


def _width(cell: str) -> int:
    """Letters of *cell* that are seen: those that `paint` adds are not."""
    return len(cell) - sum(len(part.partition("m")[0]) + 3 for part in cell.split("\x1b[")[1:])


def plain(text: str) -> str:
    """*text* without what could move a cursor: a log may have been written by others."""
    if text.isprintable():
        return text
    return "".join(letter if letter.isprintable() else ascii(letter)[1:-1] for letter in text)


def leave_quietly() -> int:
    """Say no more, since the reader of our output has gone (`| head`); returns the exit status."""
    if sys.stdout is not None:
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, sys.stdout.fileno())  # what is still buffered is flushed at exit
        os.close(nowhere)
    return exit_code.DONE


def _takes_colour(stream: TextIO | None, environ: Mapping[str, str]) -> bool:
    if stream is None or not stream.isatty() or environ.get("NO_COLOR") or environ.get("TERM") == "dumb":
        return False
    return os.name != "nt" or "WT_SESSION" in environ  # the old console of Windows shows the codes themselves
