"""Following a log while runs write it: `birkez log -f`, and the panel's latest lines.

Promise: each whole line once and in order, whatever happens between two looks: half a
letter at the end, a rotation or several, a file cut to nothing or put in another's place.
"""

from __future__ import annotations

import time

from trayapp.log.reading import OpenLog, decode, open_log, open_logs

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

_MOST_AT_ONCE = 1 << 20  # bytes of one look, so that an old, large log does not fill the memory
_LONGEST_LINE = 1 << 16  # what has no end until here is cut, as in reading.py
_REMEMBERED = 128  # bytes before our place, to notice that the file was written anew


class Follower:
    """One look after another at the log at *path*; a log that is missing yet may come.

    While a file is followed it stays open, so what was written before it was replaced is
    not lost.
    """

    def __init__(self, path: str) -> None:
        self._path = path
        self._files: list[OpenLog] = []  # oldest first; the last is the log, the others wait to be finished
        self._predecessor: OpenLog | None = None  # open, so that no new file gets its number
        self._start_at(0)

    def tail(self, count: int) -> list[str]:
        """Newest *count* lines; the next `poll` goes on right behind them."""
        self.close()
        with open_logs(self._path) as logs:
            lines = logs.tail(count)
            if logs.files:
                newest, *older = logs.files
                self._files = [newest]
                self._predecessor = older[0] if older else None
                logs.files = older[1:]  # which are closed here
                self._start_at(newest.size - _length_of_unfinished_line(newest))
                self._remembered = newest.read_at(max(0, self._place - _REMEMBERED), min(self._place, _REMEMBERED))
        return lines

    def poll(self) -> list[str]:
        """Lines that became whole since the last look; none is also the answer while there is no log.

        Raises: OSError when the log exists and cannot be read.
        """
        lines: list[str] = []
        left = _MOST_AT_ONCE
        while left > 0:
            if not self._files and not self._find_newer():
                break
            file = self._files[0]
            self._notice_rewriting(file)
            read = file.read_at(self._place, min(left, 1 << 16))
            if read:
                left -= len(read)
                lines += self._take(read)
            elif len(self._files) > 1:
                self._remember_predecessor(self._files.pop(0))
                self._start_at(0)
            elif not self._find_newer():
                break
        return lines

    def close(self) -> None:
        """Let go of the files."""
        while self._files:
            self._files.pop().close()
        self._remember_predecessor(None)
        self._start_at(0)

    def _remember_predecessor(self, predecessor: OpenLog | None) -> None:
        if self._predecessor is not None:
            self._predecessor.close()
        self._predecessor = predecessor

    def _start_at(self, place: int) -> None:
        self._place = place
        self._begun = b""
        self._remembered = b""
        self._version = (-1, -1)

    def _take(self, read: bytes) -> list[str]:
        """Move on by *read* and return the lines that it completes."""
        self._place += len(read)
        self._remembered = (self._remembered + read)[-_REMEMBERED:]
        *whole, self._begun = (self._begun + read).split(b"\n")
        self._begun = self._begun[:_LONGEST_LINE]
        return [decode(line) for line in whole if line]

    def _notice_rewriting(self, file: OpenLog) -> None:
        """Start again at the beginning when the text before our place is not what we read there."""
        version = file.version()
        if version == self._version:
            return
        known = self._remembered
        if version[0] < self._place or file.read_at(self._place - len(known), len(known)) != known:
            self._start_at(0)
        self._version = version

    def _find_newer(self) -> bool:
        """Queue the files that came after the one that is followed; False when there are none."""
        if self._files and _identity_at(self._path) in (None, self._files[0].identity):
            return False  # still the same, or gone, or between two renames of a rotation
        with open_logs(self._path) as logs:
            newer = logs.files[: self._count_newer([file.identity for file in logs.files])]
            logs.files = logs.files[len(newer) :]  # which are closed here
        self._files += reversed(newer)
        return bool(newer)

    def _count_newer(self, identities: list[tuple[int, int]]) -> int:
        """How many files, newest first, came after ours: after its predecessor when ours is gone."""
        for known in (self._files[0] if self._files else None, self._predecessor):
            if known is not None and known.identity in identities:
                return identities.index(known.identity)
        return len(identities)


def follow(
    path: str, last: int = 10, interval_s: float = 0.25, wait: Callable[[float], object] = time.sleep
) -> Iterator[str]:
    """Newest *last* lines of the log at *path*, then each new one, without end.

    Raises: OSError when the log exists and cannot be read.
    """
    return follow_all(lambda: [path], last, interval_s, wait)


def follow_all(
    find_paths: Callable[[], Iterable[str]],
    last: int = 10,
    interval_s: float = 0.25,
    wait: Callable[[float], object] = time.sleep,
) -> Iterator[str]:
    """Newest *last* lines of several logs in the order of time, then each new one.

    *find_paths* is asked again at each look, since a job may be added meanwhile.

    Raises: OSError when a log exists and cannot be read.
    """
    followers: dict[str, Follower] = {}
    try:
        begun: list[str] = []
        for path in find_paths():
            followers[path] = Follower(path)
            begun += followers[path].tail(last)
        yield from _in_time(begun)[-last:] if last > 0 else ()
        while True:
            for path in find_paths():
                followers.setdefault(path, Follower(path))
            lines = [line for follower in followers.values() for line in follower.poll()]
            yield from lines if len(followers) == 1 else _in_time(lines)
            if not lines:
                wait(interval_s)
    finally:
        for follower in followers.values():
            follower.close()


def _in_time(lines: list[str]) -> list[str]:
    """Lines of several logs by their instants; those of one moment keep their order."""
    return sorted(lines, key=lambda line: line.partition(" ")[0])


def _identity_at(path: str) -> tuple[int, int] | None:
    file = open_log(path)
    if file is None:
        return None
    file.close()
    return file.identity


def _length_of_unfinished_line(file: OpenLog) -> int:
    """Bytes after the last line end; those of a line longer than any of ours count as read."""
    end = file.read_at(max(0, file.size - _LONGEST_LINE), min(file.size, _LONGEST_LINE))
    return len(end) - (end.rfind(b"\n") + 1)
