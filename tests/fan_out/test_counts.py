"""What one item costs, counted and not timed: flushes and changes of a folder, which a disk feels."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

from tests.fan_out.server import serving
from tests.fan_out.yard import Yard

pytestmark = [pytest.mark.linux, pytest.mark.timeout(90)]


def count(yard: Yard, trace: Path) -> dict[str, int]:
    """Calls of one worker's own thread, by their names."""
    done = subprocess.run(
        ["strace", "-c", "-U", "calls,name", "-o", str(trace), *yard.birkez.argv("work", "liste")],
        env=yard.birkez.environment(),
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    assert done.returncode == 0, done.stderr
    rows = re.findall(r"^\s*(\d+)\s+(\w+)\s*$", trace.read_text(), flags=re.MULTILINE)
    return {name: int(calls) for calls, name in rows}


def test_a_download_is_flushed_once_and_changes_a_folder_five_times(yard: Yard, tmp_path: Path):
    with serving() as server:
        yard.download_job(server)
        yard.ids(range(50))
        few = count(yard, tmp_path / "few")
        yard.ids(range(50, 350))
        many = count(yard, tmp_path / "many")
    each = {name: (calls - few.get(name, 0)) / 250 for name, calls in many.items()}
    assert each["fsync"] <= 1.1  # the file; the folder's flush is shared by some dozens
    assert (round(each["link"]), round(each["unlink"])) == (1, 2)
    assert each.get("rename", 0) < 0.1
    assert each["openat"] <= 2.1  # claim and part


def test_a_pass_over_a_list_that_is_done_asks_the_folder_once_and_not_for_each(yard: Yard, tmp_path: Path):
    yard.python_job("def make(item, output):\n    open(output, 'w').close()\n", items="workers = 1")
    yard.ids(range(40))
    assert yard.run().returncode == 0
    small = count(yard, tmp_path / "small")
    yard.out.mkdir(exist_ok=True)
    for number in range(40, 2_000):
        (yard.out / f"{number}.json").touch()
    yard.ids(range(2_000))
    large = count(yard, tmp_path / "large")
    assert sum(large.values()) - sum(small.values()) < 200
