r"""What a command prints, kept in a file of bounded size as readable UTF-8.

The beginning and the end are kept, since they tell what was done and what went wrong; a
mark says how much between them is missing. No output is ever fatal: bytes that do not
decode become `\x9d`, and a full disk loses text but neither blocks the command nor
changes its result.
"""

from __future__ import annotations

import codecs
import os
import sys
from collections import deque

from trayapp.errors import SetupError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from codecs import IncrementalDecoder

_HEAD_BYTES = 1 << 20
_TAIL_BYTES = 1 << 20
_RECENT_CHARS = 4000  # what a message may quote


class KeptOutput:
    """One command's part of a run's output file; several commands of a run follow each other.

    The part begins with a line that names *key*, written with the first output, so that a
    silent command leaves the file as it was. The head stands in the file at once, the tail
    when the output is closed.

    Raises: SetupError `command-output-unwritable` and `command-encoding-unknown`.
    """

    def __init__(self, path: str, key: str, encoding: str) -> None:
        self._decoder = _decoder(encoding)
        self._heading = f"--- {key}\n"
        self._head_left = _HEAD_BYTES
        self._tail: deque[bytes] = deque()
        self._tail_bytes = 0
        self._cut_bytes = 0
        self._recent = ""
        self._lost_note = ""
        self._fd = _open_for_append(path)

    def feed(self, data: bytes) -> None:
        """Store the next bytes that the command printed."""
        self._keep(self._decoder.decode(data))

    def close(self) -> None:
        """Write the cut mark and the tail, and close the file. Closing twice does nothing."""
        if self._fd < 0:
            return
        self._keep(self._decoder.decode(b"", True))
        tail = b"".join(self._tail)
        if self._cut_bytes:
            torn = next((at for at in range(4) if not _is_inside_character(tail[at])), 0)
            tail = f"\n[... {self._cut_bytes + torn} bytes ...]\n".encode("ascii") + tail[torn:]
        if self._recent and not self._recent.endswith("\n"):
            tail += b"\n"  # the next command's heading stands on a line of its own
        self._write(tail)
        fd, self._fd = self._fd, -1
        if fd >= 0:
            os.close(fd)

    def tail(self, n: int) -> str:
        """Return the last *n* characters, at most 4,000; it ends with the reason why text was lost."""
        return (self._recent + self._lost_note)[-n:] if n > 0 else ""

    def _keep(self, text: str) -> None:
        if not text:
            return
        self._recent = (self._recent + text)[-_RECENT_CHARS:]
        # A lone surrogate (UTF-16 torn apart, a job's `utf-7`) cannot be written as UTF-8.
        data = text.encode("utf-8", "backslashreplace")
        if self._heading:
            self._write(self._heading.encode("utf-8", "backslashreplace"))
            self._heading = ""
        if self._head_left:
            cut = _character_start(data, self._head_left)
            self._write(data[:cut])
            self._head_left = 0 if cut < len(data) else self._head_left - cut
            data = data[cut:]
        if data:
            self._keep_at_end(data)

    def _keep_at_end(self, data: bytes) -> None:
        self._tail.append(data)
        self._tail_bytes += len(data)
        while self._tail_bytes > _TAIL_BYTES:
            oldest = self._tail.popleft()
            kept = oldest[self._tail_bytes - _TAIL_BYTES :]
            self._tail_bytes -= len(oldest) - len(kept)
            self._cut_bytes += len(oldest) - len(kept)
            if kept:
                self._tail.appendleft(kept)

    def _write(self, data: bytes) -> None:
        view = memoryview(data)
        while view and self._fd >= 0:
            try:
                view = view[os.write(self._fd, view) :]
            except OSError as error:
                self._give_up(error)

    def _give_up(self, error: OSError) -> None:
        # The effect is under way and its result counts; its text is lost from here on.
        self._lost_note = f"\n[... {os.strerror(error.errno or 0)} ...]\n"
        fd, self._fd = self._fd, -1
        os.close(fd)


def _character_start(data: bytes, limit: int) -> int:
    """Largest place up to *limit* where UTF-8 can be cut."""
    if limit >= len(data):
        return len(data)
    return next(at for at in range(limit, -1, -1) if at == 0 or not _is_inside_character(data[at]))


def _is_inside_character(byte: int) -> bool:
    return byte & 0xC0 == 0x80  # noqa: PLR2004  # 10xxxxxx, RFC 3629


def _open_for_append(path: str) -> int:
    flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND | getattr(os, "O_BINARY", 0)
    try:
        os.makedirs(os.path.dirname(path) or ".", mode=0o700, exist_ok=True)
        return os.open(path, flags, 0o600)
    except OSError as error:
        raise SetupError("command-output-unwritable", path=path, reason=error.strerror or str(error)) from error


def _decoder(encoding: str) -> IncrementalDecoder:
    errors = "backslashreplace" if encoding or sys.platform != "win32" else "birkez-console"
    try:
        b"0".decode(encoding or "utf-8", "ignore")  # refuses what is no encoding of text, such as `hex`
        return codecs.getincrementaldecoder(encoding or "utf-8")(errors)
    except (LookupError, ValueError) as error:
        raise SetupError("command-encoding-unknown", encoding=encoding) from error


def _decode_as_console(error: UnicodeError) -> tuple[str, int]:
    # Programs of Windows itself (`dir`, `net`, `schtasks`) print in the console's code page,
    # which is seldom UTF-8: what is not UTF-8 is most likely theirs.
    if sys.platform != "win32" or not isinstance(error, UnicodeDecodeError):
        raise error
    return error.object[error.start : error.end].decode("oem", "backslashreplace"), error.end


codecs.register_error("birkez-console", _decode_as_console)
