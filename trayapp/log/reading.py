"""Reading logs that others write, rotate and replace at the same time.

A reader never hinders a writer: on Windows it opens files so that they can be renamed
under it, elsewhere that is always so.
"""

from __future__ import annotations

import errno
import os
import sys
from collections import deque
from itertools import islice

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Self

_BLOCK = 1 << 16
_LONGEST_LINE = 1 << 16  # of a longer one only the beginning is shown, so that memory has a bound


class OpenLog:
    """One log file that is open for reading, whatever its name becomes."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        state = os.fstat(descriptor)
        self.identity = (state.st_dev, state.st_ino)
        self.size = state.st_size

    def version(self) -> tuple[int, int]:
        """Size and time of the last change: when both stay, so did the text."""
        state = os.fstat(self._descriptor)
        return state.st_size, state.st_mtime_ns

    def read_at(self, place: int, length: int) -> bytes:
        """Bytes from *place* on, fewer where the file ends."""
        os.lseek(self._descriptor, place, os.SEEK_SET)
        return os.read(self._descriptor, length)

    def lines_backwards(self) -> Iterator[bytes]:
        """Lines that were whole when the file was opened, the newest first."""
        end, later, is_whole = self.size, b"", False
        while end > 0:
            start = max(0, end - _BLOCK)
            first, *others = self.read_at(start, end - start).split(b"\n")
            end = start
            if not others:
                later = (first + later)[:_LONGEST_LINE]
                continue
            if is_whole:
                yield (others[-1] + later)[:_LONGEST_LINE]
            yield from reversed(others[:-1])
            later, is_whole = first, True
        if is_whole:
            yield later

    def close(self) -> None:
        """Let go of the file."""
        os.close(self._descriptor)


class Logs:
    """A log and its rotated predecessors, newest first, all open."""

    def __init__(self, files: list[OpenLog]) -> None:
        self.files = files

    def tail(self, count: int) -> list[str]:
        """Newest *count* lines of all files, the oldest of them first."""
        newest_first = (line for file in self.files for line in file.lines_backwards() if line)
        newest = deque(islice(newest_first, max(count, 0)))
        newest.reverse()
        return [decode(line) for line in newest]

    def close(self) -> None:
        """Let go of all files."""
        for file in self.files:
            file.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()


def open_logs(path: str) -> Logs:
    """Open the log at *path* and all its rotated predecessors; missing ones are left out.

    All are opened before the first is read: a rotation meanwhile renames them, and a file
    met under two names is taken once.

    Raises: OSError when a log exists and cannot be opened.
    """
    logs = Logs([])
    known = set()
    try:
        for name in (path, *old_logs(path)):
            file = open_log(name)
            if file is None:
                continue
            if file.identity in known:
                file.close()
                continue
            known.add(file.identity)
            logs.files.append(file)
    except OSError:
        logs.close()
        raise
    return logs


def open_log(path: str) -> OpenLog | None:
    """Open one log, None when it is missing.

    Raises: OSError for any other reason.
    """
    try:
        return OpenLog(_open_shared(path))
    except FileNotFoundError:
        return None


def old_logs(path: str) -> list[str]:
    """Names of the rotated predecessors of *path*, the newest first, and one more.

    A rotation after this look gives the oldest that further name.

    Raises: OSError when the folder cannot be looked into; a missing one holds nothing.
    """
    folder, name = os.path.split(path)
    prefix = name + "."
    try:
        names = os.listdir(folder or ".")
    except FileNotFoundError:
        _refuse_file_in_the_way(folder)
        return []
    ends = [found[len(prefix) :] for found in names if found.startswith(prefix)]
    numbers = sorted(int(end) for end in ends if end.isascii() and end.isdigit())
    return [f"{path}.{number}" for number in (*numbers, numbers[-1] + 1 if numbers else 1)]


def _refuse_file_in_the_way(folder: str) -> None:
    """Raise what POSIX answers to a path through a file; Windows calls that a missing path."""
    while not os.path.lexists(folder) and folder != os.path.dirname(folder):
        folder = os.path.dirname(folder)
    if os.path.isfile(folder):
        raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR), folder)


def decode(line: bytes) -> str:
    """Text of a line; bytes that are no UTF-8 (a foreign editor's) stay readable."""
    return line.rstrip(b"\r").decode("utf-8", "backslashreplace")


def _open_shared(path: str) -> int:
    if sys.platform != "win32":
        return os.open(path, os.O_RDONLY)
    import _winapi  # noqa: PLC0415  # only Windows has it
    import msvcrt  # noqa: PLC0415  # as above

    share_all = 0x1 | 0x2 | 0x4  # FILE_SHARE_READ, _WRITE and _DELETE; os.open leaves out the last
    handle = _winapi.CreateFile(path, _winapi.GENERIC_READ, share_all, 0, _winapi.OPEN_EXISTING, 0, 0)
    return msvcrt.open_osfhandle(handle, os.O_RDONLY | os.O_BINARY | os.O_NOINHERIT)
