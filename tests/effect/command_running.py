"""What the tests of the `command` effect share: a unit, small programs, and waiting for facts."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import NamedTuple

from trayapp.effect.command import CommandEnd, hold
from trayapp.effect.unit import Unit
from trayapp.job.model import CommandEffect
from trayapp.process_identity import ProcessIdentity, is_alive
from trayapp.window.grid import Window

CHECKOUT = Path(__file__).resolve().parents[2]
KEY = "satis-ozet:2026-09-04T10:00:00+00:00"
RUN = f"kosum-{os.getpid()}"  # as in the product no two runs share it: by it a run finds the strays to end
LONG_S = 15.0  # a fact that is not there by then never comes
_START = datetime(2026, 9, 4, 10, tzinfo=UTC)


class Done(NamedTuple):
    """A performed command: how it ended, its output without the heading, how long it was waited for."""

    end: CommandEnd
    output: str
    seconds: float
    identity: ProcessIdentity


def unit(run: str = RUN, key: str = KEY) -> Unit:
    return Unit("satis-ozet", run, Window(_START, _START + timedelta(hours=1)), key)


def python(code: str, *words: str) -> tuple[str, ...]:
    """Words that run *code* by this interpreter."""
    return (sys.executable, "-c", code, *words)


def never() -> bool:
    return False


def perform(effect: CommandEffect, folder: Path, *, of: Unit | None = None, stop: Callable[[], bool] = never) -> Done:
    """Perform *effect* as the runner does, with its output in *folder*."""
    file = folder / "output" / "kosum.txt"
    held = hold(effect, of or unit(), str(file))
    held.open_gate()
    before = time.monotonic()
    end = held.wait(stop)
    return Done(end, output_of(file), time.monotonic() - before, held.identity)


def output_of(file: Path) -> str:
    """Text of an output file without the lines that name the keys."""
    with open(file, encoding="utf-8", newline="") as text:
        return "".join(line for line in text.read().splitlines(True) if not line.startswith("--- "))


def wait_for(fact: Callable[[], object], what: str) -> None:
    """Return as soon as *fact* is true; fail after a time that no slow machine explains."""
    until = time.monotonic() + LONG_S
    while not fact():
        assert time.monotonic() < until, f"never happened: {what}"
        time.sleep(0.01)


def pid_in(file: Path) -> int:
    """The pid that a process writes into *file*, once it is there whole."""
    wait_for(lambda: file.exists() and file.read_text().endswith("."), f"a pid in {file.name}")
    return int(file.read_text().rstrip("."))


def writes_pid(file: Path) -> str:
    """Code that writes its process's pid into *file*."""
    return f"import os; open({str(file)!r}, 'w').write(str(os.getpid()) + '.')"


def is_gone(identity: ProcessIdentity) -> bool:
    return not is_alive(identity)


@contextmanager
def driver(code: str, *words: str, **more: object) -> Iterator[subprocess.Popen[bytes]]:
    """A runner of its own, to be killed: *code* finds `hold`, `CommandEffect`, `unit`, `never`, `python`.

    Its output is a pipe, and it is gone at the end in any case.
    """
    begin = "from tests.effect.command_running import *; import os, sys; say = lambda *w: print(*w, flush=True)\n"
    environment = {**os.environ, "PYTHONPATH": str(CHECKOUT)}
    process = subprocess.Popen(
        [sys.executable, "-c", begin + code, *words],
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        **more,
    )
    with process:
        try:
            yield process
        finally:
            process.kill()


def say_of(process: subprocess.Popen[bytes]) -> list[str]:
    """Words of the driver's next line."""
    assert process.stdout is not None
    return process.stdout.readline().decode("utf-8").split()


def identity_from(words: list[str]) -> ProcessIdentity:
    """Identity out of a driver's line `held.identity.boot or "-", pid, start`."""
    boot, pid, start = words
    return ProcessIdentity("" if boot == "-" else boot, int(pid), start)


SAY_IDENTITY = "say(held.identity.boot or '-', held.identity.pid, held.identity.start)\n"
