"""The text log of a job: logfmt lines that a person can read and a program can parse.

Promise: a line is in the file whole or not at all, also beside other writers, rotation,
a full disk and a killed process; no line is lost to a rotation. Lines are not flushed to
the disk one by one: after a power cut the newest may be missing, and the ledger knows.
"""

from __future__ import annotations

import errno
import os
import sys
from datetime import datetime

from trayapp import clock
from trayapp.lock.short_lock import ShortLock
from trayapp.value import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

ISLENDI = "ISLENDI"  # a window was processed
ATLANDI = "ATLANDI"  # nothing was done, and the line says why
HATA = "HATA"  # an effect failed and nothing of it took place
BELIRSIZ = "BELIRSIZ"  # begun, and nobody knows whether it finished

# Thousands of lines' worth: whoever holds it longer is stopped, not slow. Windows has no other way to write.
_LOCK_WAIT_S = 10.0 if sys.platform == "win32" else 2.0
_ROTATE_AT = 1 << 20
_KEEP = 5
_OPEN_FLAGS = os.O_RDWR | os.O_APPEND | os.O_CREAT | getattr(os, "O_BINARY", 0) | getattr(os, "O_NOINHERIT", 0)

_ASK_FOR_QUOTES = frozenset(' "=\\')
_ESCAPES = {'"': '\\"', "\\": "\\\\", "\n": "\\n", "\r": "\\r", "\t": "\\t"}
_UNESCAPES = {escape[1]: letter for letter, escape in _ESCAPES.items()}
_HEX_DIGITS = {"u": 4, "U": 8}


class LogLine(NamedTuple):
    """A line taken apart: when, the token, and the fields in their order."""

    at: datetime
    token: str
    fields: dict[str, str]


def format_line(at: datetime, token: str, fields: Iterable[tuple[str, object]]) -> str:
    """Write a log line without its line end; fields whose value is None are left out.

    Whatever could end the line, hide text or move a cursor (control and format
    characters, U+2028, NEL, lone surrogates) is escaped inside quotes. Instants are
    written as `2026-09-04T10:00:00Z`.
    """
    parts = [clock.format_log_time(at), token]
    for name, value in fields:
        if value is not None:
            text = clock.format_instant(value) if isinstance(value, datetime) else str(value)
            parts.append(f"{name}={_quote(text)}")
    return " ".join(parts)


def parse_line(line: str) -> LogLine | None:
    """Take apart what `format_line` wrote; None for any other text."""
    try:
        at, token, rest = (*line.rstrip("\r\n").split(" ", 2), "")[:3]
        if not (token.isascii() and token.isupper() and at.endswith("Z")):
            return None
        return LogLine(clock.parse_instant(at), token, _parse_fields(rest))
    except (ValueError, KeyError, IndexError, OverflowError):
        return None


class JobLog:
    """Appends lines to the log at *path* and rotates it at *rotate_at* bytes.

    `path` is followed by `path.1` (the newest of the old ones) to `path.<keep>`.
    """

    def __init__(self, path: str, rotate_at: int = _ROTATE_AT, keep: int = _KEEP) -> None:
        self._path = path
        self._rotate_at = rotate_at
        self._keep = keep
        self._lock = ShortLock(path + ".lock")

    def write(self, line: str) -> OSError | None:
        """Append *line*; returns what the system answered when it could not be written.

        Returned and not raised, since a log must not stop a run; the caller tells it
        elsewhere. Writers wait for each other up to 2 s (Windows: 10 s). On POSIX the
        line is then written all the same, since one write with O_APPEND lands whole; only
        rotation is left to others. On Windows it could overwrite another's line, so it is
        refused.
        """
        data = line.replace("\n", "\\n").encode("utf-8", "backslashreplace") + b"\n"
        try:
            alone = self._try_to_be_alone()
            try:
                self._append(data, alone=alone)
            finally:
                if alone:
                    self._lock.release()
        except OSError as error:
            return error
        return None

    def close(self) -> None:
        """Let go of the lock file."""
        self._lock.close()

    def _try_to_be_alone(self) -> bool:
        try:
            if self._lock.acquire(_LOCK_WAIT_S):
                return True
        except OSError:
            if sys.platform == "win32":
                raise
            return False  # no lock file can be made; the log itself may still be writable
        if sys.platform == "win32":
            raise TimeoutError(errno.ETIMEDOUT, "somebody keeps it locked", self._path)
        return False

    def _append(self, data: bytes, *, alone: bool) -> None:
        descriptor = os.open(self._path, _OPEN_FLAGS, 0o600)
        try:
            size = _size_of(descriptor)
            if alone and size and size + len(data) > self._rotate_at:
                os.close(descriptor)  # Windows renames no open file
                descriptor = -1
                self._try_rotate()
                descriptor = os.open(self._path, _OPEN_FLAGS, 0o600)
                size = _size_of(descriptor)
            if alone and size and not _ends_with_newline(descriptor, size):
                data = b"\n" + data  # its writer died, or the disk was full: the rest of that line is lost
            written = os.write(descriptor, data)
            while written < len(data):  # a full disk takes a part, then says so
                written += _write_rest(descriptor, data[written:], size if alone else None)
        finally:
            if descriptor >= 0:
                os.close(descriptor)

    def _try_rotate(self) -> None:
        """Give each old log the next number, up to the first number that is free.

        Each line is in exactly one file at any moment, so a crash here loses nothing. A
        rename that fails (Windows, while somebody reads) leaves a free number, and the
        next line tries again from there without pushing an old log out.
        """
        paths = [self._path, *(f"{self._path}.{number}" for number in range(1, self._keep + 1))]
        free = next((number for number, path in enumerate(paths) if number and not os.path.exists(path)), self._keep)
        try:
            if os.path.exists(paths[free]):
                os.unlink(paths[free])
            for number in range(free, 0, -1):
                os.rename(paths[number - 1], paths[number])
        except OSError:
            return  # the log grows until a later line can rotate it


def read_tail(path: str, count: int) -> list[str]:
    """Newest *count* lines, oldest first, over rotated files too; a log of 300 MB costs no more memory.

    A last line that is not finished yet is left out. A missing log has no lines.

    Raises: OSError when a log exists and cannot be read.
    """
    from trayapp.log import reading  # noqa: PLC0415  # a run only writes

    with reading.open_logs(path) as logs:
        return logs.tail(count)


def _quote(text: str) -> str:
    if text and text.isprintable() and _ASK_FOR_QUOTES.isdisjoint(text):
        return text
    return '"' + "".join(map(_escape, text)) + '"'


def _escape(letter: str) -> str:
    if letter in _ESCAPES:
        return _ESCAPES[letter]
    if letter.isprintable():
        return letter
    code = ord(letter)
    return f"\\u{code:04x}" if code <= 0xFFFF else f"\\U{code:08x}"  # noqa: PLR2004  # the last that four digits hold


def _parse_fields(text: str) -> dict[str, str]:
    fields = {}
    place = 0
    while place < len(text):
        equals = text.index("=", place)
        name, place = text[place:equals], equals + 1
        if not name or not _ASK_FOR_QUOTES.isdisjoint(name):
            raise ValueError(name)
        if text.startswith('"', place):
            fields[name], place = _unquote(text, place + 1)
        else:
            end = text.find(" ", place)
            end = len(text) if end < 0 else end
            fields[name], place = text[place:end], end
        if place < len(text) and text[place] != " ":
            raise ValueError(text)
        place += 1
    return fields


def _unquote(text: str, place: int) -> tuple[str, int]:
    """Text from *place* to the closing quote, and the place behind that."""
    letters = []
    while text[place] != '"':
        if text[place] != "\\":
            letters.append(text[place])
            place += 1
            continue
        kind = text[place + 1]
        digits = _HEX_DIGITS.get(kind, 0)
        letters.append(chr(int(text[place + 2 : place + 2 + digits], 16)) if digits else _UNESCAPES[kind])
        place += 2 + digits
    return "".join(letters), place + 1


def _size_of(descriptor: int) -> int:
    # Not by fstat: Linux then gives the next change a time of its own (multigrain timestamps, 6.13 on), for which
    # other files written meanwhile, such as a database's WAL, have their times written at each flush too.
    return os.lseek(descriptor, 0, os.SEEK_END)


def _ends_with_newline(descriptor: int, size: int) -> bool:
    os.lseek(descriptor, size - 1, os.SEEK_SET)  # O_APPEND writes go to the end all the same
    return os.read(descriptor, 1) == b"\n"


def _write_rest(descriptor: int, rest: bytes, size_before: int | None) -> int:
    try:
        return os.write(descriptor, rest)
    except OSError:
        if size_before is not None:
            os.ftruncate(descriptor, size_before)  # alone here, so nobody else's line is behind ours
        raise
