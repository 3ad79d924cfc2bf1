"""Timing side by side: cases run in turn, and ratios are taken round by round.

A machine that slows down slows both sides of a ratio alike, so a ratio says something where
milliseconds do not. Each figure that is shown is the median of its rounds.
"""

from __future__ import annotations

import os
import platform
import random
import sqlite3
import statistics
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

CHECKOUT = Path(__file__).resolve().parents[2]
RUNNER = CHECKOUT / "trayapp" / "__main__.py"

Figures = dict[str, list[float]]

_FLUSHES = 200
_BLOCK = 4096


class Bench(NamedTuple):
    """How to measure: in which folder, whose disk counts, and how thoroughly."""

    folder: Path
    quick: bool

    def rounds(self, thorough: int, quick: int = 3) -> int:
        """Number of rounds; medians need an odd one."""
        return quick if self.quick else thorough

    @contextmanager
    def room(self) -> Iterator[Path]:
        """Make an empty folder on the disk that is measured, and take it away again."""
        with TemporaryDirectory(dir=self.folder, prefix="room-") as name:
            yield Path(name)


def in_turn(cases: Mapping[str, Callable[[], float]], rounds: int, warm_ups: int = 1) -> Figures:
    """Measure the cases one after the other, again and again, in another order each round."""
    figures: Figures = {name: [] for name in cases}
    names = list(cases)
    for number in range(-warm_ups, rounds):
        random.shuffle(names)
        for name in names:
            figure = cases[name]()
            if number >= 0:
                figures[name].append(figure)
    return figures


def ratio(of: Sequence[float], to: Sequence[float]) -> float:
    """Median of the ratios of figures that were taken in the same round."""
    return statistics.median(one / other for one, other in zip(of, to, strict=True))


def median(figures: Sequence[float]) -> float:
    """Median: one round in which the machine slept does not show."""
    return statistics.median(figures)


def spread(figures: Sequence[float]) -> float:
    """Distance of the quartiles as a part of the median: how far to trust it."""
    if len(figures) < 2:
        return 0.0
    first, middle, third = statistics.quantiles(figures, n=4, method="inclusive")
    return (third - first) / middle


def environment(**more: str) -> dict[str, str]:
    """Environment of a measured process: variables that change how Python starts would change the figure."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "BIRKEZ_", "COV"))}
    return kept | {"LC_ALL": "C.UTF-8", **more}


def wall_s(argv: Sequence[str], env: Mapping[str, str] | None = None) -> float:
    """Seconds from starting a process, with nothing to read and nowhere to print, to its end.

    Raises: RuntimeError when it ends with anything but 0: then it measured something else.
    """
    nowhere = [(os.POSIX_SPAWN_OPEN, number, os.devnull, os.O_RDWR, 0) for number in (0, 1, 2)]
    variables = environment() if env is None else env
    began_s = time.perf_counter()
    pid = os.posix_spawn(argv[0], argv, variables, file_actions=nowhere)
    status = os.waitpid(pid, 0)[1]
    took_s = time.perf_counter() - began_s
    if status:
        message = f"{' '.join(argv)} ended with {os.waitstatus_to_exitcode(status)}"
        raise RuntimeError(message)
    return took_s


def flush_us(folder: Path) -> float:
    """Median µs of appending 4 KiB and fdatasync: what one durable commit must cost on this disk."""
    path = folder / "flush-probe"
    descriptor = os.open(path, os.O_CREAT | os.O_WRONLY, 0o600)
    took = []
    try:
        for number in range(_FLUSHES):
            began_s = time.perf_counter()
            os.pwrite(descriptor, bytes(_BLOCK), number * _BLOCK)
            os.fdatasync(descriptor)
            took.append((time.perf_counter() - began_s) * 1e6)
    finally:
        os.close(descriptor)
        path.unlink()
    return median(took)


def file_system_of(folder: Path) -> str:
    """Type of the file system under *folder*, by the longest mount point above it."""
    real, found = str(folder.resolve()), ("", "")
    for line in Path("/proc/mounts").read_text(encoding="utf-8").splitlines():
        _, point, kind, *_ = line.split()
        if (real + "/").startswith(point.rstrip("/") + "/") and len(point) >= len(found[0]):
            found = point, kind
    return found[1]


def machine(folder: Path) -> dict[str, object]:
    """What the figures were taken on, as far as it bears on them."""
    return {
        "python": platform.python_version(),
        "sqlite": sqlite3.sqlite_version,
        "system": platform.platform(),
        "interpreter": os.path.realpath(sys.executable),
        "cores": len(os.sched_getaffinity(0)),
        "load": round(os.getloadavg()[0], 1),
        "file system": file_system_of(folder),
        "fdatasync of 4 KiB, us": round(flush_us(folder)),
    }
