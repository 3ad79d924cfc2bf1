"""Ways out of the process that the user's code is kept from: the run would end without a word.

`os._exit` ends it with any status, and `os.execv` makes another program of it, whose status
would be taken for the run's. A forked child may leave as it likes.
"""

from __future__ import annotations

import contextlib
import os
import sys

from trayapp.errors import EffectError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from typing import NoReturn

_SYSTEM = sys.modules["nt" if sys.platform == "win32" else "posix"]  # where `os` has them from
_leave = os._exit


class Leaving:
    """What one call of the user's code tried; `refusal` stays though that code swallowed the error."""

    def __init__(self, path: str) -> None:
        self.refusal: EffectError | None = None
        self._path = path
        self._pid = 0  # of the process that must not leave, while it must not

    @contextlib.contextmanager
    def refused_for_now(self) -> Iterator[None]:
        """Keep that code from leaving while the block lasts."""
        before = {name: getattr(os, name) for name in ("_exit", "execv", "execve")}
        instead = {
            "_exit": self._exit,
            "execv": self._become("execv", before["execv"]),
            "execve": self._become("execve", before["execve"]),
        }
        _put(instead)
        self._pid = os.getpid()
        try:
            yield
        finally:
            self._pid = 0  # what was put into `atexit` meanwhile does as it is told
            _put(before)

    def _exit(self, status: int) -> NoReturn:
        """Stand in for `os._exit`: a `sys.exit`."""
        if os.getpid() != self._pid:
            _leave(status)
        raise SystemExit(status)

    def _become(self, name: str, become: Callable[..., NoReturn]) -> Callable[..., NoReturn]:
        """Make what stands in for `os.execv` or `os.execve`, by which `os` does all others."""

        def refuse(program: str | bytes, *words: object) -> NoReturn:
            if os.getpid() != self._pid:
                become(program, *words)
            self.refusal = EffectError("python-exec", path=self._path, name=name, program=os.fsdecode(program))
            raise self.refusal

        return refuse


def _put(functions: Mapping[str, object]) -> None:
    for name, function in functions.items():
        setattr(os, name, function)
        setattr(_SYSTEM, name, function)
