"""Figures of the running tray: start, latency, rest, memory."""

from __future__ import annotations

import os
import statistics
import sys
import time
from pathlib import Path

from tests.benchmark.table import Goal, Row
from tests.gui.conftest import until
from tests.gui.desk import Desk, Witness

_REST_S = 10
_IDLE_JOBS, _MANY_JOBS = 20, 60


def measure_tray(folder: Path, rounds: int) -> list[Row]:
    """Measure on a desktop of its own below *folder*."""
    return [*_live(folder, rounds), *_at_rest(folder / "idle", _IDLE_JOBS), *_at_rest(folder / "many", _MANY_JOBS)]


def _live(folder: Path, rounds: int) -> list[Row]:
    desk = _desk(folder / "live")
    try:
        desk.start_trayer()
        starts, taken, freed = [], [], []
        for number in range(rounds):
            job = f"uzun-{number}"  # a command outlives its runner, and keeps the next copy away
            desk.add_command_job(job, "sleep 15")
            tray = desk.watched_tray("--hidden")
            tray.wait_for(job, "well")
            starts.append(float(next(iter(tray.having("icon_after_s")))))
            latency, kill = _run_and_kill(desk, tray, job)
            taken.append(latency)
            freed.append(kill)
            tray.process.terminate()
            tray.process.wait(10)
    finally:
        desk.close()
    return [
        _row("start to the icon", starts, "ms"),
        _row("lock taken to the tray showing who", taken, "ms", Goal("≤", 300)),
        _row("runner killed with -9 to shown as gone", freed, "ms", Goal("≤", 2000)),
    ]


def _run_and_kill(desk: Desk, tray: Witness, job: str) -> tuple[float, float]:
    """Seconds from the lock to its being shown, and from the kill to its being shown as free."""
    runner = desk.start(sys.executable, "-m", "trayapp", "run", job)
    until(lambda: tray.job(job).get("pid") == runner.pid, 30)
    locked_at = os.stat(desk.places.lock_file(job)).st_mtime
    seen_at = next(
        record["at"] for record in tray.all() if record.get("jobs", {}).get(job, {}).get("pid") == runner.pid
    )
    killed_at = time.time()
    runner.kill()
    runner.wait()
    until(lambda: tray.job(job).get("pid") is None, 30)
    gone = (record for record in tray.all() if record["at"] > killed_at and "jobs" in record)
    return seen_at - locked_at, next(gone)["at"] - killed_at


def _at_rest(folder: Path, jobs: int) -> list[Row]:
    desk = _desk(folder)
    try:
        desk.start_trayer()
        shelf = desk.home / "config" / "jobs"
        shelf.mkdir(parents=True)
        for number in range(jobs):
            (shelf / f"is-{number}.toml").write_text(
                f'title = "{number}"\n[window]\nstep = "1h"\nstart = 2026-01-01T00:00:00Z\n'
                '[schedule]\nevery = "12h"\n[effect]\nkind = "command"\nshell = "true"\n',
                encoding="utf-8",
            )
        tray = desk.watched_tray("--hidden")
        tray.wait(lambda record: len(record.get("jobs", ())) == jobs, 60)
        pid = tray.process.pid
        until(lambda: _switches(pid, 1) < 3, 60)  # the first readings are over
        woken, spent = _switches(pid, _REST_S), _cpu_s(pid)
        time.sleep(_REST_S)
        spent = _cpu_s(pid) - spent
        memory = _memory_mb(pid)
    finally:
        desk.close()
    return [
        Row(f"at rest with {jobs} jobs: wake-ups", f"{woken / _REST_S:.2f}/s", "", woken / _REST_S, Goal("≤", 1), "/s"),
        Row(f"at rest with {jobs} jobs: CPU", f"{1000 * spent / _REST_S:.1f} ms/s", "", None),
        Row(f"memory of its own with {jobs} jobs", f"{memory:.0f} MB", "", memory, None, "MB"),
    ]


def _desk(folder: Path) -> Desk:
    folder.mkdir()
    return Desk(folder)


def _row(what: str, seconds: list[float], unit: str, goal: Goal | None = None) -> Row:
    middle, worst = 1000 * statistics.median(seconds), 1000 * max(seconds)
    return Row(what, f"{middle:.0f} ms, at most {worst:.0f}", "", middle, goal, unit)


def _switches(pid: int, seconds: float) -> int:
    before = _switches_till_now(pid)
    time.sleep(seconds)
    return _switches_till_now(pid) - before


def _switches_till_now(pid: int) -> int:
    total = 0
    for task in os.listdir(f"/proc/{pid}/task"):
        status = Path(f"/proc/{pid}/task/{task}/status").read_text(encoding="ascii", errors="replace")
        total += sum(int(line.split()[1]) for line in status.splitlines() if line.startswith("voluntary_ctxt_switches"))
    return total


def _cpu_s(pid: int) -> float:
    fields = Path(f"/proc/{pid}/stat").read_text(encoding="ascii", errors="replace").rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def _memory_mb(pid: int) -> float:
    """What the process has for itself: libraries that others have too are not counted."""
    rollup = Path(f"/proc/{pid}/smaps_rollup").read_text(encoding="ascii")
    return sum(int(line.split()[1]) for line in rollup.splitlines() if line.startswith("Private_")) / 1024
