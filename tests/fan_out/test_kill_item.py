"""A sample of the sweep; the whole is `tests/full/fan_out`."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from tests.crash.sweep import FLUSHES, WRITES
from tests.fan_out.kill_item import KINDS, Bench, Kind, fail_at, kill_at
from tests.fan_out.server import serving

_POINTS = 10

pytestmark = [pytest.mark.linux, pytest.mark.timeout(180)]


@pytest.mark.parametrize("kind", KINDS)
def test_worker_killed_at_a_system_call_leaves_the_target_whole_or_absent(tmp_path: Path, kind: Kind) -> None:
    with serving() as server:
        bench = Bench(tmp_path, kind, server.address)
        for number, name in random.sample(bench.calls(), _POINTS):
            kill_at(bench, kind, number, name)


def test_disk_that_fails_at_a_write_leaves_the_target_whole_or_absent(tmp_path: Path) -> None:
    with serving() as server:
        bench = Bench(tmp_path, "download", server.address)
        failing = [call for call in bench.calls() if call[1] in (*WRITES.split(","), *FLUSHES.split(","))]
        for number, name in random.sample(failing, min(_POINTS, len(failing))):
            fail_at(bench, "download", number, name, random.choice(("ENOSPC", "EIO")))
