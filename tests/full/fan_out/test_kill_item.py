"""One item killed at every system call, and its disk failing at every write and flush: counts are printed."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from tests.crash.sweep import FLUSHES, WRITES
from tests.fan_out.kill_item import KINDS, Bench, Kind, fail_at, kill_at
from tests.fan_out.server import serving

pytestmark = [pytest.mark.linux, pytest.mark.timeout(0)]


@pytest.mark.parametrize("kind", KINDS)
def test_killed_at_every_system_call(tmp_path: Path, kind: Kind) -> None:
    with serving() as server:
        bench = Bench(tmp_path, kind, server.address)
        points = bench.calls()
        found: Counter[str] = Counter()
        broken: list[str] = []
        for number, name in points:
            try:
                found[kill_at(bench, kind, number, name)] += 1
            except AssertionError as error:
                broken.append(f"{name} #{number}: {error}")
    print(f"\n{kind}: {len(points)} points, {dict(found)}, {len(broken)} broken")
    assert not broken, "\n".join(broken)
    assert found["absent"]
    assert found["whole"]


@pytest.mark.parametrize("error", ["ENOSPC", "EIO"])
def test_disk_failing_at_every_write_and_flush(tmp_path: Path, error: str) -> None:
    with serving() as server:
        bench = Bench(tmp_path, "download", server.address)
        names = (*WRITES.split(","), *(FLUSHES.split(",") if error == "EIO" else ()))
        points = [call for call in bench.calls() if call[1] in names]
        broken: list[str] = []
        found: Counter[str] = Counter()
        for number, name in points:
            try:
                found[fail_at(bench, "download", number, name, error)] += 1
            except AssertionError as fault:
                broken.append(f"{name} #{number}: {fault}")
    print(f"\n{error}: {len(points)} points, {dict(found)}, {len(broken)} broken")
    assert not broken, "\n".join(broken)
