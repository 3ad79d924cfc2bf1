"""Taking and releasing a lock inside one process, beside the lock packages of PyPI."""

from __future__ import annotations

import subprocess
from functools import partial
from pathlib import Path

from tests.benchmark.measure import CHECKOUT, Bench, environment, in_turn, median, ratio
from tests.benchmark.peers import bare_interpreter, peers_interpreter
from tests.benchmark.table import Goal, Row, Table, skipped

_OWN = "`JobLock`: take, say who holds it, release"
_RAW = "`flock` on a new descriptor, nothing written"
_LOOP = """
import time
for _ in range({times} // 10):
    once()
began_s = time.perf_counter()
for _ in range({times}):
    once()
print((time.perf_counter() - began_s) / {times} * 1e6)
"""
_TAKE_OWN = """
import sys
sys.path.insert(0, {checkout!r})
from trayapp.clock import now
from trayapp.lock.holder import own_holder
from trayapp.lock.job_lock import try_acquire
holder = own_holder("20260904-120501-00000000", "manual", now())
def once():
    try_acquire({path!r}, holder).release()
"""
_TAKE_RAW = """
import fcntl, os
def once():
    descriptor = os.open({path!r}, os.O_RDWR | os.O_CREAT, 0o600)
    fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    os.close(descriptor)
"""
_PEERS = {
    "filelock": "from filelock import FileLock\nlock = FileLock({path!r})\ndef once():\n    with lock: pass\n",
    "portalocker": "import portalocker\ndef once():\n    with portalocker.Lock({path!r}, timeout=0): pass\n",
    "fasteners": "import fasteners\nlock = fasteners.InterProcessLock({path!r})\ndef once():\n    with lock: pass\n",
}
_AT_MOST_US = Goal("≤", 15)
_AHEAD = Goal("≤", 1)


def measure_locks(bench: Bench) -> Table:
    """Measure each in a process of its own, in turn."""
    python, reason = peers_interpreter()
    with bench.room() as room:
        take = partial(_us_each, room, 2_000 if bench.quick else 20_000)
        cases = {
            _OWN: partial(take, bare_interpreter(), _TAKE_OWN, "own"),
            _RAW: partial(take, bare_interpreter(), _TAKE_RAW, "raw"),
        }
        if python is not None:
            cases |= {name: partial(take, python, code, name) for name, code in _PEERS.items()}
        figures = in_turn(cases, bench.rounds(11))
    own = figures[_OWN]
    first = Row(_OWN, _us(own), "", median(own), _AT_MOST_US, "µs")
    beside = [
        Row(_OWN, _us(own), f"{name}: {_us(peer)}", ratio(own, peer), None if name == _RAW else _AHEAD)
        for name, peer in figures.items()
        if name != _OWN
    ]
    missing = [skipped(f"beside {name}", reason, _AHEAD) for name in _PEERS if name not in figures]
    return Table(
        "Lock", "One process, nobody else wants the lock; µs for one take and release.", [first, *beside, *missing]
    )


def _us_each(room: Path, times: int, interpreter: str, code: str, name: str) -> float:
    text = code.format(path=str(room / f"{name}.lock"), checkout=str(CHECKOUT)) + _LOOP.format(times=times)
    done = subprocess.run(
        [interpreter, "-c", text], env=environment(), capture_output=True, encoding="utf-8", check=True
    )
    return float(done.stdout)


def _us(figures: list[float]) -> str:
    return f"{median(figures):.1f} µs"
