"""Whole processes: a run that finds nothing to do, and one that finds the lock held."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from functools import partial
from pathlib import Path

from tests.benchmark.home import Home
from tests.benchmark.measure import Bench, Figures, in_turn, median, ratio, wall_s
from tests.benchmark.peers import bare_interpreter, installed_interpreter, peers_interpreter
from tests.benchmark.table import Goal, Row, Table, ms, skipped
from trayapp.clock import now
from trayapp.lock.holder import own_holder
from trayapp.lock.job_lock import try_acquire

_BARE = "`python3 -c pass`"
_IDLE = "`birkez run`, nothing to do"
_HELD = "`birkez run`, lock held"
_SCRIPT = "`birkez run`, nothing to do, as pip's console script"
_GOALS = {_IDLE: Goal("≤", 2.5, 1.8), _HELD: Goal("≤", 2.2)}

# How pip writes the command of an installed package.
_CONSOLE_SCRIPT = "import sys\nfrom trayapp.__main__ import main\nif __name__ == '__main__':\n    sys.exit(main())\n"
_PEERS = {
    "filelock: take, release": "from filelock import FileLock\nwith FileLock('{room}/f.lock', timeout=0): pass\n",
    "APScheduler 3: start on its SQLite store, stop": (
        "from apscheduler.schedulers.background import BackgroundScheduler\n"
        "scheduler = BackgroundScheduler(timezone='UTC')\n"
        "scheduler.add_jobstore('sqlalchemy', url='sqlite:///{room}/apscheduler.db')\n"
        "scheduler.start()\nscheduler.shutdown()\n"
    ),
    "huey: open its SQLite store, lock a task": (
        "from huey import SqliteHuey\nwith SqliteHuey(filename='{room}/huey.db').lock_task('l'): pass\n"
    ),
}


def measure_starts(bench: Bench) -> Table:
    """Measure each start beside the bare interpreter, the peers beside our own."""
    with bench.room() as room:
        home = Home(room / "home")
        home.make_idle_job("idle")
        home.make_idle_job("held")
        cases = {**_own_cases(home, room), **_bare_cases(room)}
        peers, missing = _peer_cases(room)
        lock = try_acquire(str(room / "home/state/locks/held.lock"), own_holder("benchmark", "manual", now()))
        assert lock is not None
        with lock:
            figures = in_turn(cases | peers, bench.rounds(41, quick=9))
        assert 'sebep="kapanmis pencere yok"' in home.last_line("idle")
        assert "sebep=kilit" in home.last_line("held")
    rows = [_row(name, figures, _BARE, _GOALS.get(name)) for name in cases if name != _BARE]
    rows += [_row(_IDLE, figures, name) for name in peers]
    return Table("Start of a run", f"Whole processes, {len(figures[_BARE])} rounds in turn.", [*rows, *missing])


def _own_cases(home: Home, room: Path) -> dict[str, Callable[[], float]]:
    script = room / "birkez"
    script.write_text(_CONSOLE_SCRIPT, encoding="utf-8")
    installed = [installed_interpreter(), str(script), "run", "idle", "--trigger", "schedule"]
    return {
        _IDLE: partial(home.run, "idle", bare_interpreter()),
        _HELD: partial(home.run, "held", bare_interpreter()),
        _SCRIPT: partial(wall_s, installed, home.env),
    }


def _bare_cases(room: Path) -> dict[str, Callable[[], float]]:
    python = bare_interpreter()
    cases: dict[str, Callable[[], float]] = {
        _BARE: partial(wall_s, [python, "-c", "pass"]),
        "`python3 -I -S -c pass`": partial(wall_s, [python, "-I", "-S", "-c", "pass"]),
    }
    flock, true = shutil.which("flock"), shutil.which("true")
    if flock and true:
        cases["`flock -n file true`"] = partial(wall_s, [flock, "-n", str(room / "flock"), true])
    return cases


def _peer_cases(room: Path) -> tuple[dict[str, Callable[[], float]], list[Row]]:
    python, reason = peers_interpreter()
    if python is None:
        return {}, [skipped(name, reason) for name in _PEERS]
    cases: dict[str, Callable[[], float]] = {}
    for number, (name, code) in enumerate(_PEERS.items()):
        script = room / f"peer{number}.py"
        script.write_text(code.format(room=room), encoding="utf-8")
        cases[name] = partial(wall_s, [python, str(script)])
    return cases, []


def _row(name: str, figures: Figures, beside: str, goal: Goal | None = None) -> Row:
    own, peer = figures[name], figures[beside]
    return Row(name, ms(median(own)), f"{beside}: {ms(median(peer))}", ratio(own, peer), goal)
