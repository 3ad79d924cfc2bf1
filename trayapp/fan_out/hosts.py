"""Servers as all workers of a job see them together: at rest, given up, or full.

A server that fails several times in a row is left alone for a while, then for longer; one
that never answers in between is given up for this run, and its items stay for the next.
Ten thousand items of a dead server so cost some ten questions and not ten thousand.
"""

from __future__ import annotations

import hashlib
import math
import os
import sys
import time

if sys.platform == "win32":
    from trayapp.fan_out import lock_on_win32 as system
else:
    from trayapp.fan_out import lock_on_posix as system

TYPE_CHECKING = False
if TYPE_CHECKING:
    from trayapp.effect.item.unit import ItemFailedError
    from trayapp.fan_out.failures import Failures

_STRIKES = 5  # in a row, by whichever workers
_FIRST_REST_S, _GROWTH = 5.0, 3
_GIVEN_UP = 30
_OF_STRIKES, _OF_REQUEST = 10, 1  # a server that asks for a pause is alive: it may do so thirty times in a row


class Hosts:
    """What this worker may ask which server. *per_host* is the most requests to one at a time, 0 for any number."""

    def __init__(self, failures: Failures, folder: str, per_host: int) -> None:
        self._failures = failures
        self._folder = folder
        self._per_host = per_host
        self._slot: tuple[str, int, str] | None = None  # host, descriptor, path
        self._troubled: set[str] = set()

    def wait_s(self, host: str) -> float:
        """Seconds until *host* may be asked; infinite where it is given up."""
        _, rests, rest_until = self._failures.host(host)
        if rests >= _GIVEN_UP:
            return math.inf
        if rests or rest_until:
            self._troubled.add(host)
        return max(0.0, rest_until - time.time())

    def try_slot(self, host: str) -> bool:
        """Take one of the places at *host*; false when others have them all. It is kept for the next item."""
        if not self._per_host or (self._slot and self._slot[0] == host):
            return True
        self.leave_slot()
        stem = hashlib.blake2b(host.encode(), digest_size=8).hexdigest()
        for number in range(self._per_host):
            path = os.path.join(self._folder, f"{stem}-{number}.slot")
            taken = system.take(path)
            if taken is not None:
                self._slot = host, taken[0], path
                return True
        return False

    def leave_slot(self) -> None:
        """Let others ask the server."""
        slot, self._slot = self._slot, None
        if slot is not None:
            system.give_back(slot[1], slot[2])

    def note_answer(self, host: str) -> None:
        """The server has answered: whatever was against it is forgotten."""
        if host in self._troubled:
            self._troubled.discard(host)
            self._failures.set_host(host, lambda *_known: (0, 0, 0.0))

    def note_failure(self, host: str, failed: ItemFailedError) -> None:
        """Count what speaks against the server."""
        if not failed.strikes_host:
            self.note_answer(host)
            return
        self._troubled.add(host)
        asked_until = time.time() + failed.wait_s if failed.wait_s else 0.0

        def change(strikes: int, rests: int, rest_until: float) -> tuple[int, int, float]:
            if asked_until:
                return strikes, rests + _OF_REQUEST, max(rest_until, asked_until)
            strikes += 1
            # After a rest one more failure is enough.
            if strikes < _STRIKES and rests < _OF_STRIKES:
                return strikes, rests, rest_until
            if rest_until > time.time():
                return 0, rests, rest_until  # another worker has just sent it to rest
            rest_s = _FIRST_REST_S * _GROWTH ** (rests // _OF_STRIKES)
            return 0, rests + _OF_STRIKES, time.time() + rest_s

        self._failures.set_host(host, change)
