"""A sample of the sweep; the whole is `tests/full/crash`."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from tests.crash.sweep import FLUSHES, KINDS, TRY, WRITES, Kind, Shop, fail_at, kill_at, kill_trial_at

_POINTS = 12

pytestmark = [pytest.mark.linux, pytest.mark.timeout(180)]


@pytest.mark.parametrize("kind", KINDS)
def test_runner_killed_at_a_system_call_leaves_the_promise_whole(tmp_path: Path, kind: Kind) -> None:
    shop = Shop(tmp_path, kind)
    calls = shop.calls()
    for number, name in random.sample(calls, _POINTS):
        kill_at(shop, number, name)


@pytest.mark.parametrize("kind", ["sql", "python"])
def test_trial_killed_at_a_system_call_leaves_nothing(tmp_path: Path, kind: Kind) -> None:
    shop = Shop(tmp_path, kind)
    shop.words = TRY
    changing = (*WRITES.split(","), *FLUSHES.split(","), "unlink", "fcntl", "openat", "close")
    calls = [call for call in shop.calls() if call[1] in changing]
    writes = [call for call in calls if call[1] == "pwrite64"]
    for number, name in (*random.sample(calls, _POINTS), *writes[-3:]):
        kill_trial_at(shop, number, name)


@pytest.mark.parametrize("kind", KINDS)
def test_disk_that_fails_at_a_write_leaves_the_promise_whole(tmp_path: Path, kind: Kind) -> None:
    shop = Shop(tmp_path, kind)
    failing = [call for call in shop.calls() if call[1] in (*WRITES.split(","), *FLUSHES.split(","))]
    for number, name in random.sample(failing, min(_POINTS, len(failing))):
        fail_at(shop, number, name, random.choice(("ENOSPC", "EIO")))


def test_gate_that_cannot_be_opened_is_a_command_that_has_not_begun(tmp_path: Path) -> None:
    """Found by the sweep: the runner's second `write` opens the command's gate; the first notes the ledger."""
    shop = Shop(tmp_path, "command")
    assert fail_at(shop, 2, "write", "EIO") == "before"
