"""How far a job's workers are: each writes a line of its own, and whoever wants to know adds them up.

Reading takes no lock and asks no worker. A worker's line stays until the next start that
finds no other at work, so what a killed one has done still counts.
"""

from __future__ import annotations

import json
import os
import time

from trayapp.process_identity import ProcessIdentity, is_alive, own_identity
from trayapp.value import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

_SUFFIX, _TOLD = ".progress", ".told"
_WIDTH = 512  # bytes of every line: written over itself, so that nobody reads half of one
_WRITE_AFTER_S, _LONG_S = 0.25, 0.02
_RATE_OVER_S = 20.0  # what is told as items a second is that of the last seconds


class Progress(NamedTuple):
    """How far all are together. `rate` is items a second, `left_s` None where it cannot be told."""

    total: int
    done: int
    failed: int
    rate: float
    left_s: float | None
    workers: int
    since: float


class Line:
    """This worker's line: *total* items in the list, of which *before* were done and *lost* had failed when it began.

    A run's own line has *is_worker* false: it counts the list before anybody works.
    """

    def __init__(self, folder: str, total: int, before: int, lost: int, *, is_worker: bool = True) -> None:
        self.done = 0
        self.failed = 0
        self._facts: dict[str, Any] = {
            "total": total,
            "before": before,
            "lost": lost,
            "since": time.time(),
            "worker": is_worker,
        }
        self._marks: list[tuple[float, int]] = [(time.monotonic(), 0)]
        self._written_at = float("-inf")
        self._added_at = time.monotonic()
        identity = own_identity()
        self._identity = tuple(identity)
        os.makedirs(folder, mode=0o700, exist_ok=True)
        path = os.path.join(folder, f"{identity.pid}-{identity.start}{_SUFFIX}")
        self._descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | getattr(os, "O_BINARY", 0), 0o600)
        self.write()

    def add(self, *, done: int = 0, failed: int = 0) -> None:
        """Count, and now and then write it down."""
        self.done += done
        self.failed += failed
        now = time.monotonic()
        # Where items take long, the next one may be hours away: each is written down.
        if now - self._written_at >= _WRITE_AFTER_S or now - self._added_at >= _LONG_S:
            self.write()
        self._added_at = now

    def write(self) -> None:
        """Write the line; a full disk costs the display, not the work."""
        now = time.monotonic()
        if now - self._marks[-1][0] >= 1.0:
            self._marks.append((now, self.done))
        while len(self._marks) > 1 and now - self._marks[1][0] >= _RATE_OVER_S:
            del self._marks[0]
        since, done = self._marks[0]
        rate = (self.done - done) / (now - since) if now > since else 0.0
        facts = {**self._facts, "who": self._identity, "done": self.done, "failed": self.failed, "rate": round(rate, 3)}
        self._written_at = now
        try:
            os.lseek(self._descriptor, 0, os.SEEK_SET)
            os.write(self._descriptor, json.dumps(facts).encode().ljust(_WIDTH - 1) + b"\n")
        except OSError:
            return

    def close(self) -> None:
        """Write the last numbers; the line stays."""
        self.write()
        os.close(self._descriptor)


def read_progress(folder: str) -> Progress | None:
    """Add up the lines; None when nobody is at work. Never raises."""
    lines = list(_lines(folder))
    alive = [facts for facts in lines if is_alive(ProcessIdentity(*facts["who"]))]
    if not alive:
        return None
    first = min(lines, key=lambda facts: facts["since"])
    done = first["before"] + sum(facts["done"] for facts in lines)
    failed = first["lost"] + sum(facts["failed"] for facts in lines)
    rate = sum(facts["rate"] for facts in alive)
    total = max(facts["total"] for facts in lines)
    open_count = max(0, total - done - failed)
    workers = sum(bool(facts["worker"]) for facts in alive)
    return Progress(total, min(done, total), failed, rate, open_count / rate if rate else None, workers, first["since"])


def count_done(folder: str) -> int:
    """How many items all workers have published since `begin`."""
    return sum(facts["done"] for facts in _lines(folder))


def begin(folder: str) -> None:
    """Forget the lines of workers that have ended; the caller knows that none lives."""
    for path in (*_paths(folder), *_paths(folder, _TOLD)):
        try:
            os.unlink(path)
        except OSError:
            continue  # on Windows somebody reads it now


def _lines(folder: str) -> Iterator[dict[str, Any]]:
    for path in _paths(folder):
        try:
            with open(path, "rb") as file:
                facts = json.loads(file.read(_WIDTH))
            ProcessIdentity(*facts["who"])
        except (OSError, ValueError, KeyError, TypeError):
            continue  # just being made
        yield facts


def tell(folder: str, run: str, number: int, told: dict[str, Any]) -> None:
    """Leave what came of a run's worker *number* for the run; without it, the worker counts as killed."""
    path = os.path.join(folder, f"{run}-{number}{_TOLD}")
    try:
        with open(path + ".part", "w", encoding="utf-8") as file:
            json.dump(told, file)
        os.replace(path + ".part", path)
    except OSError:
        return


def read_told(folder: str, run: str, number: int) -> dict[str, Any] | None:
    """Take what a worker has told; None when it told nothing."""
    path = os.path.join(folder, f"{run}-{number}{_TOLD}")
    try:
        with open(path, encoding="utf-8") as file:
            told: dict[str, Any] = json.load(file)
        os.unlink(path)
    except (OSError, ValueError):
        return None
    return told


def _paths(folder: str, suffix: str = _SUFFIX) -> list[str]:
    try:
        return [os.path.join(folder, name) for name in os.listdir(folder) if name.endswith(suffix)]
    except OSError:
        return []
