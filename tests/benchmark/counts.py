"""Counts that are the same on every machine: system calls, flushes, modules loaded.

strace looks from outside, so the product has no hook for it.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import NamedTuple

from tests.benchmark import plain
from tests.benchmark.home import Home
from tests.benchmark.measure import CHECKOUT, Bench, environment
from tests.benchmark.table import Goal, Row, Table, skipped

WINDOWS = 200  # enough that what happens once a run does not show
FLUSHES = frozenset({"fsync", "fdatasync", "sync_file_range"})

_FLUSHES_A_COMMIT = Goal("≤", 1.1)


class Call(NamedTuple):
    """One system call, and the file that its first descriptor or word names."""

    name: str
    path: str


def calls_of(argv: Sequence[str], env: Mapping[str, str], folder: Path) -> list[Call]:
    """System calls of a process and its children on what lies in *folder*.

    The rest is the interpreter's own: its start, and the modules that it loads.
    """
    with NamedTemporaryFile() as trace:
        strace = ["strace", "-f", "-qq", "-y", "-o", trace.name, "-e", "signal=none", *argv]
        subprocess.run(strace, env=env, stdin=subprocess.DEVNULL, capture_output=True, check=True)
        lines = trace.read().decode("utf-8", "replace").splitlines()
    return [call for line in lines if (call := _call_of(line)) is not None and call.path.startswith(str(folder))]


def count_flushes(calls: Sequence[Call], of: Path | None = None) -> int:
    """How many times files were flushed to the disk, all or those whose path begins with *of*."""
    return sum(call.name in FLUSHES and call.path.startswith(str(of or "")) for call in calls)


def is_reading_wal(call: Call) -> bool:
    """Tell whether a start reads again what those before it left in history's WAL: up to 128 pages."""
    return call.name == "pread64" and call.path.endswith("history.db-wal")


def modules_of(words: Sequence[str], env: Mapping[str, str]) -> set[str]:
    """Modules that a bare interpreter (`-I -S`) loads for *words*, by its own account."""
    argv = [sys.executable, "-I", "-S", "-X", "importtime", *words]
    done = subprocess.run(argv, env=env, capture_output=True, encoding="utf-8", check=True)
    rows = [line.split("|") for line in done.stderr.splitlines() if line.startswith("import time:")]
    return {row[2].strip() for row in rows[1:]}


def idle_words(job: str) -> list[str]:
    """Words behind the interpreter's that run a job as its schedule would."""
    return [str(CHECKOUT / "trayapp" / "__main__.py"), "run", job, "--trigger", "schedule"]


def loop_flushes(room: Path, records: int) -> int:
    """How many times the loop of `plain` flushes for *records* transactions."""
    code = (
        f"import sys; sys.path.insert(0, {str(CHECKOUT)!r})\n"
        "from pathlib import Path\nfrom tests.benchmark import plain\n"
        f"plain.loop_s(Path({str(room / 'loop.db')!r}), plain.make_sales({records}, 'random'))\n"
    )
    assert plain.loop_s  # what the text above calls
    return count_flushes(calls_of([sys.executable, "-c", code], environment(), room))


def measure_counts(bench: Bench) -> Table:
    """Count for a run with nothing to do, with one window, and with many."""
    note = "Counted by strace and `-X importtime`: the same each time."
    if shutil.which("strace") is None:
        return Table("Counts", note, [skipped("system calls", "strace is not installed", _FLUSHES_A_COMMIT)])
    with bench.room() as room:
        home = Home(room / "home")
        home.make_idle_job("idle")
        home.make_hourly_job("one", 1)
        home.make_hourly_job("many", WINDOWS)
        idle, one, many = (calls_of(home.argv(job), home.env, home.folder) for job in ("idle", "one", "many"))
        loaded, bare = modules_of(idle_words("idle"), home.env), modules_of(["-c", "pass"], home.env)
        loop = loop_flushes(room, WINDOWS)
    ledger = count_flushes(many, home.database) / WINDOWS
    rows = [
        Row(
            f"flushes a commit: {WINDOWS} windows of one run, the effect's database",
            f"{ledger:.3g}",
            f"loop: {loop / WINDOWS:.3g}",
            ledger,
            _FLUSHES_A_COMMIT,
            "",
        ),
        _count(f"flushes of that run, history included, for {WINDOWS} windows", count_flushes(many)),
        _count("flushes of a run with one window", count_flushes(one)),
        _count("flushes of a run with nothing to do", count_flushes(idle)),
        _count("modules that a run with nothing to do loads", len(loaded), f"`-I -S -c pass`: {len(bare)}"),
        _count(
            "system calls of a run with nothing to do, on files of its home",
            sum(not is_reading_wal(call) for call in idle),
            "besides, up to 128 pages of history's WAL are read again",
        ),
        _count("system calls of a run with one window, on files of its home", len(one)),
    ]
    return Table("Counts", note, rows)


def _count(what: str, number: int, peer: str = "") -> Row:
    return Row(what, str(number), peer, None)


def _call_of(line: str) -> Call | None:
    match = re.match(r"(?:\d+ +)?(\w+)\((?:\d+<([^>]*)>|(?:AT_FDCWD(?:<[^>]*>)?, )?\"([^\"]*)\")?", line)
    return None if match is None else Call(match[1], _unescaped(match[2] or match[3] or ""))


def _unescaped(path: str) -> str:
    """Undo strace's way of writing letters other than ASCII: each byte as an octal number."""
    octets = re.sub(rb"\\([0-7]{1,3})", lambda match: bytes([int(match[1], 8)]), os.fsencode(path))
    return os.fsdecode(octets)
