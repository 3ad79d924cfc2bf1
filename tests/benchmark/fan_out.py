"""Items by workers side by side, no work in them but a small file that is flushed, beside two loops.

The *plain loop* is what a person writes: `O_EXCL` on the target itself, which after a kill
leaves an empty file that nobody fills. The *limit* is what a file costs that appears whole:
each worker has a share of its own and no claims, and writes, flushes and renames.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import time
from functools import partial
from pathlib import Path

from tests.benchmark.measure import CHECKOUT, Bench, environment, in_turn, median, ratio
from tests.benchmark.peers import bare_interpreter
from tests.benchmark.table import Goal, Row, Table

_WORKERS = (1, 2, 4, 8)
_OURS, _PLAIN, _LIMIT = "claims", "plain", "limit"
_NAMES = {_PLAIN: "plain `O_EXCL` loop", _LIMIT: "own share, part, fsync, rename"}
_START = """
import json, os, sys, time
sys.path.insert(0, {checkout!r})
room, worker, workers, items = sys.argv[1], *map(int, sys.argv[2:])
ids = [f"item-{{number:06d}}" for number in range(items)]
def content(item):
    return json.dumps({{"id": item, "worker": worker, "ok": True, "value": "x" * 80}}).encode()
def write(path, data):
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666)
    os.write(descriptor, data)
    os.fsync(descriptor)
    os.close(descriptor)
"""
_LOOPS = {
    _PLAIN: """
def work():
    for item in ids:
        try:
            write(f"{room}/out/{item}.json", content(item))
        except FileExistsError:
            continue
""",
    _LIMIT: """
def work():
    for item in ids[worker::workers]:
        part = f"{room}/parts/{item}"
        write(part, content(item))
        os.rename(part, f"{room}/out/{item}.json")
""",
    _OURS: """
from trayapp.effect.item.unit import Maker
from trayapp.fan_out.hosts import Hosts
from trayapp.fan_out.place import Place
from trayapp.fan_out.progress import Line
from trayapp.fan_out.worker import Worker
from trayapp.job.model import Items, Job, PythonEffect
from trayapp.places import Places
class Writes(Maker):
    is_repeatable = True
    def make(self, unit, stop):
        write(unit.output, content(unit.id))
        return True
places = Places(room + "/config", room + "/state")
places.make_folders()
listed = Items(room + "/ids.txt", room + "/out", "{item}.json")
job = Job("liste", "", "", None, PythonEffect("", "", ""), items=listed)
def begin():
    place = Place(places, job, "run")
    place.join()
    return place, Line(place.folder, items, 0, 0)
def end(place, line):
    line.close()
    place.close()
def work():
    Worker(place, Writes(), Hosts(place.failures, place.folder, 0), line, lambda: False).work(worker / workers)
    place.targets.flush()
""",
}
# All begin at one moment: when the last of them is ready.
_RUN = """
if "begin" in globals():
    place, line = begin()
print("ready", flush=True)
sys.stdin.readline()
began_s = time.perf_counter()
work()
print(time.perf_counter() - began_s, flush=True)
sys.stdin.readline()
if "place" in globals():
    end(place, line)
"""
# Reading the list belongs to a pass: each worker reads it anew.
_PASS = """
began_s = time.perf_counter()
place, line = begin()
work()
print((time.perf_counter() - began_s) / len(place.items) * 1e6)
end(place, line)
"""
_NEAR_LIMIT = Goal("≥", 0.9)
_PASS_US = Goal("≤", 4)


def measure_fan_out(bench: Bench) -> Table:
    """Measure each number of workers, the three loops in turn, and a pass over a list that is done."""
    items, rounds = 400 if bench.quick else 2_000, bench.rounds(7)
    rows = []
    for workers in _WORKERS:
        with bench.room() as room:
            cases = {name: partial(_rate, room, name, workers, items) for name in (_OURS, _PLAIN, _LIMIT)}
            figures = in_turn(cases, rounds)
        own = figures[_OURS]
        for name, title in _NAMES.items():
            goal = _NEAR_LIMIT if (name, workers) == (_LIMIT, 4) else None
            peer = f"{title}, {median(figures[name]):,.0f}/s"
            what = f"{workers} worker{'s' if workers > 1 else ''}"
            rows.append(Row(what, f"{median(own):,.0f}/s", peer, ratio(own, figures[name]), goal))
    with bench.room() as room:
        pass_us = _pass_us(room, 5_000 if bench.quick else 20_000, rounds)
    rows.append(Row("a pass over a list that is done, an item", f"{pass_us:.2f} µs", "", pass_us, _PASS_US, "µs"))
    return Table("Fan-out", f"{items:,} items of 140 bytes, each flushed; items a second, all workers together.", rows)


def _rate(room: Path, name: str, workers: int, items: int) -> float:
    """Items a second of *workers* that begin at one moment; every item must stand whole in the end."""
    _empty(room, items)
    code = _START.format(checkout=str(CHECKOUT)) + _LOOPS[name] + _RUN
    started = [
        subprocess.Popen(
            [bare_interpreter(), "-c", code, str(room), str(worker), str(workers), str(items)],
            env=environment(),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            encoding="utf-8",
        )
        for worker in range(workers)
    ]
    assert [_hear(process) for process in started] == ["ready"] * workers
    time.sleep(0.1)  # what the start has written goes to the disk
    for process in started:
        _say_go(process)
    took_s = max(float(_hear(process)) for process in started)
    for process in started:
        process.communicate("\n")
    made = [path for path in (room / "out").iterdir() if path.suffix == ".json"]
    assert len(made) == items
    assert all(json.loads(path.read_bytes())["ok"] for path in made)
    return items / took_s


def _hear(process: subprocess.Popen[str]) -> str:
    assert process.stdout is not None
    return process.stdout.readline().strip()


def _say_go(process: subprocess.Popen[str]) -> None:
    assert process.stdin is not None
    process.stdin.write("\n")
    process.stdin.flush()


def _pass_us(room: Path, items: int, rounds: int) -> float:
    """Median µs an item of a pass in which nothing is left to do."""
    _empty(room, items)
    for number in range(items):
        (room / "out" / f"item-{number:06d}.json").touch()
    code = _START.format(checkout=str(CHECKOUT)) + _LOOPS[_OURS] + _PASS
    words = [bare_interpreter(), "-c", code, str(room), "0", "1", str(items)]
    took = [
        float(subprocess.run(words, env=environment(), capture_output=True, encoding="utf-8", check=True).stdout)
        for _ in range(rounds)
    ]
    return median(took)


def _empty(room: Path, items: int) -> None:
    for name in ("out", "parts", "state", "config"):
        shutil.rmtree(room / name, ignore_errors=True)
    for name in ("out", "parts"):
        (room / name).mkdir()
    (room / "ids.txt").write_text("".join(f"item-{number:06d}\n" for number in range(items)), encoding="utf-8")
