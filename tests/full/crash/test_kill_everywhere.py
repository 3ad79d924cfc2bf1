"""Killed at every system call, and the disk failing at every write and flush: counts are printed."""

from __future__ import annotations

import queue
import threading
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.crash.sweep import FLUSHES, KINDS, TRY, WRITES, Kind, Shop, fail_at, kill_at, kill_trial_at

_SIDE_BY_SIDE = 2

pytestmark = [pytest.mark.linux, pytest.mark.timeout(0)]


def sweep(folder: Path, kind: Kind, points: list[tuple[int, str]], at: Callable[[Shop, int, str], str]) -> None:
    waiting: queue.SimpleQueue[tuple[int, str]] = queue.SimpleQueue()
    for point in points:
        waiting.put(point)
    happened: Counter[str] = Counter()
    broken: list[str] = []

    def work(place: Path) -> None:
        place.mkdir()
        shop = Shop(place, kind)
        while True:
            try:
                number, name = waiting.get_nowait()
            except queue.Empty:
                return
            try:
                happened[at(shop, number, name)] += 1
            except AssertionError as error:
                broken.append(str(error))

    threads = [threading.Thread(target=work, args=(folder / f"side-{n}",)) for n in range(_SIDE_BY_SIDE)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    print(f"\n{kind}: {len(points)} points, {dict(sorted(happened.items()))}, {len(broken)} broken")
    assert not broken, "\n".join(broken)
    assert sum(happened.values()) == len(points)


@pytest.mark.parametrize("kind", KINDS)
def test_killed_at_every_system_call(tmp_path: Path, kind: Kind) -> None:
    sweep(tmp_path, kind, Shop(tmp_path / "first", kind).calls(), kill_at)


@pytest.mark.parametrize("kind", ["sql", "python"])
def test_trial_killed_at_every_system_call(tmp_path: Path, kind: Kind) -> None:
    shop = Shop(tmp_path / "first", kind)
    shop.words = TRY
    sweep(tmp_path, kind, shop.calls(), kill_trial_at)


@pytest.mark.parametrize("error", ["ENOSPC", "EIO"])
@pytest.mark.parametrize("kind", KINDS)
def test_disk_failing_at_every_write_and_flush(tmp_path: Path, kind: Kind, error: str) -> None:
    names = (*WRITES.split(","), *(FLUSHES.split(",") if error == "EIO" else ()))
    points = [call for call in Shop(tmp_path / "first", kind).calls() if call[1] in names]
    sweep(tmp_path, kind, points, lambda shop, number, name: fail_at(shop, number, name, error))
