"""What Python code prints, kept in the run's output file instead of cron's mail."""

from __future__ import annotations

import contextlib
import io
import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Self, TextIO

_LIMIT = 2 << 20  # characters; what a person will read


class Printed(io.TextIOBase):
    """Takes the place of stdout and stderr while the block lasts.

    The file is made with the first text, so a silent job leaves none; it is UTF-8
    whatever the locale. After two million characters the rest is dropped, with a mark.
    """

    def __init__(self, path: str) -> None:
        self._path = path
        self._file: TextIO | None = None
        self._left = _LIMIT
        self._before: list[tuple[TextIO, TextIO]] = []

    def write(self, text: str) -> int:
        """Keep *text*; a disk that is full costs the text, not the job."""
        if self._left <= 0:
            return len(text)
        kept = text[: self._left]
        self._left -= len(kept)
        try:
            if self._file is None:
                os.makedirs(os.path.dirname(self._path), mode=0o700, exist_ok=True)
                self._file = open(self._path, "a", encoding="utf-8", errors="backslashreplace", buffering=1)  # noqa: SIM115
            self._file.write(kept if self._left else kept + "\n[…]\n")
        except OSError:
            self._left = 0
        return len(text)

    def writable(self) -> bool:  # noqa: D102
        return True

    def __enter__(self) -> Self:
        self._before.append((sys.stdout, sys.stderr))
        sys.stdout = sys.stderr = self
        return self

    def __exit__(self, *_exc: object) -> None:
        sys.stdout, sys.stderr = self._before.pop()
        if self._file is not None:
            with contextlib.suppress(OSError):  # the code has closed it under us, or the disk is full
                self._file.close()
            self._file = None
