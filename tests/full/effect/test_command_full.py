"""What takes too long for every change: floods, and a runner killed at each of its system calls."""

from __future__ import annotations

import ctypes
import os
import shutil
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

import pytest

from tests.effect.command_running import CHECKOUT, driver, perform, python, say_of
from trayapp.job.model import CommandEffect

_HOLDING = """
from tests.effect.command_running import *
import os, sys
mark, done, output = sys.argv[1:]
held = hold(CommandEffect(("/bin/sh", "-c", 'echo > "$0"', done)), unit(), output)
fd = os.open(mark, os.O_WRONLY | os.O_CREAT, 0o600)
os.write(fd, str(held.identity.pid).encode() + b".")
os.fsync(fd)
os.close(fd)
held.open_gate()
assert held.wait(never) == ("exited", 0)
"""
_CALLS = "pipe2,clone,fork,vfork,close,write,read,fsync,openat,fcntl,rt_sigprocmask,waitid,wait4,poll,pidfd_open"


def _strace(*words: str, script: Path, folder: Path) -> subprocess.CompletedProcess[bytes]:
    """Run the holder under strace, which does not follow the child; *words* are strace's."""
    mark, done, output = (str(folder / name) for name in ("mark", "done", "output.txt"))
    return subprocess.run(
        ["strace", "-qq", "-o", str(folder / "trace"), *words, sys.executable, "-S", str(script), mark, done, output],
        env={**os.environ, "PYTHONPATH": os.pathsep.join([str(CHECKOUT), *filter(None, sys.path)])},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        check=False,
    )


def _collect_orphans() -> None:
    """Wait until every process that a killed runner left behind has ended."""
    while True:
        try:
            os.waitpid(-1, 0)
        except ChildProcessError:
            return


@pytest.fixture
def _adopting():
    """Make this process the parent of what a killed runner leaves behind."""
    set_child_subreaper = 36
    libc = ctypes.CDLL(None, use_errno=True)
    assert libc.prctl(set_child_subreaper, 1, 0, 0, 0) == 0
    yield
    libc.prctl(set_child_subreaper, 0, 0, 0, 0)


@pytest.mark.linux
@pytest.mark.timeout(600)
@pytest.mark.usefixtures("_adopting")
def test_runner_killed_at_any_system_call_never_lets_an_unmarked_command_begin(tmp_path):
    if shutil.which("strace") is None:
        pytest.skip("needs strace")
    script = tmp_path / "holding.py"
    script.write_text(_HOLDING)
    for _compiles_modules_first in range(2):
        whole = _strace("-e", f"trace={_CALLS}", script=script, folder=tmp_path)
        assert whole.returncode == 0, whole.stderr
    outcomes = {"not begun": 0, "begun": 0}
    for call, nth in _calls_from_the_hold_on(tmp_path / "trace"):
        folder = tmp_path / f"{call}-{nth}"
        folder.mkdir()
        _strace("-e", f"trace={call}", "-e", f"inject={call}:signal=KILL:when={nth}", script=script, folder=folder)
        _collect_orphans()
        has_begun = (folder / "done").exists()
        is_marked = (folder / "mark").exists() and (folder / "mark").read_text().endswith(".")
        assert is_marked or not has_begun, f"killed at {call} number {nth}"
        outcomes["begun" if has_begun else "not begun"] += 1
    print(outcomes)
    assert min(outcomes.values()) > 5, "both sides of the gate were met"


def _calls_from_the_hold_on(trace: Path) -> list[tuple[str, int]]:
    """Each call after the output file was opened, with its number among those of its name (strace counts so)."""
    counts: Counter[str] = Counter()
    calls, is_holding = [], False
    for line in trace.read_text().splitlines():
        call = line.partition("(")[0]
        if call in _CALLS.split(","):
            counts[call] += 1
            is_holding = is_holding or "output.txt" in line
            if is_holding:
                calls.append((call, counts[call]))
    return calls


@pytest.mark.timeout(300)
def test_300_megabytes_of_output_cost_little_memory_and_disk(tmp_path):
    code = (
        'flood = \'import sys; [sys.stdout.buffer.write(b"x" * 999_999 + b"\\\\n") for _ in range(300)]\'\n'
        "held = hold(CommandEffect(python(flood)), unit(), sys.argv[1])\nheld.open_gate()\nend = held.wait(never)\n"
        "try: import resource; say(*end, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)\n"
        "except ImportError: import psutil; say(*end, psutil.Process().memory_info().peak_wset // 1024)"
    )
    with driver(code, str(tmp_path / "o")) as runner:
        kind, status, memory_kib = say_of(runner)
        assert runner.wait() == 0
    assert (kind, status) == ("exited", "0")
    assert int(memory_kib) < 64 * 1024 * (1024 if sys.platform == "darwin" else 1)
    assert os.path.getsize(tmp_path / "o") < 3 << 20


@pytest.mark.posix
@pytest.mark.timeout(300)
def test_tree_that_goes_on_forking_is_ended(tmp_path):
    """Twenty times a second a process starts the next and leaves, so that many that are found are gone already."""
    links, enough = tmp_path / "links", tmp_path / "enough"
    chain = (
        "import os, sys, time\n"
        "while not os.path.exists(sys.argv[2]):\n"
        "    if os.fork(): os._exit(0)\n"
        "    os.setsid()\n"
        "    open(sys.argv[1], 'a').write('x')\n"
        "    time.sleep(.05)\n"
    )
    start = f"import subprocess, sys; subprocess.run([sys.executable, '-c', {chain!r}, *sys.argv[1:]])"
    code = f"{start}; import time; time.sleep(60)"
    try:
        done = perform(CommandEffect(python(code, str(links), str(enough)), timeout_s=2.0), tmp_path)
        assert done.end.kind == "timed-out"
        length = links.stat().st_size
        assert length > 5
        time.sleep(1.0)
        assert links.stat().st_size == length
    finally:
        enough.touch()
