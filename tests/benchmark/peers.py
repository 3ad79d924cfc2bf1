"""Interpreters to measure with: one without any package, and one with the peers.

Both are of this interpreter's installation. They lie under `build/benchmark`, so that the
peers are installed once. Environments are made without pip: setuptools, which older ones
bring along, puts a hook into each start.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
from functools import cache
from pathlib import Path

from tests.benchmark.measure import CHECKOUT

KEPT = CHECKOUT / "build" / "benchmark"
_WANTED = Path(__file__).with_name("peers.txt")


@cache
def bare_interpreter() -> str:
    """Python of an empty environment: what a process costs at least."""
    return str(_made(KEPT / "bare"))


@cache
def installed_interpreter() -> str:
    """Python of an environment in which this checkout is installed, and nothing else."""
    interpreter = _made(KEPT / "installed")
    for folder in (KEPT / "installed").glob("lib/python*/site-packages"):
        link = folder / "trayapp"
        if not link.exists():
            link.symlink_to(CHECKOUT / "trayapp", target_is_directory=True)
    return str(interpreter)


@cache
def peers_interpreter() -> tuple[str | None, str]:
    """Python that can import the peers, or None and the reason."""
    folder = KEPT / "peers"
    installed = folder / "installed.txt"
    wanted = _WANTED.read_text(encoding="utf-8")
    if installed.exists() and installed.read_text(encoding="utf-8") == wanted:
        return str(folder / "bin" / "python"), ""
    shutil.rmtree(folder, ignore_errors=True)
    interpreter = _made(folder)
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "--python", interpreter]
    done = subprocess.run(
        [*pip, "install", "--quiet", "--requirement", _WANTED], capture_output=True, encoding="utf-8", check=False
    )
    if done.returncode:
        return None, "cannot be installed: " + (done.stderr.strip().splitlines() or ["pip says nothing"])[-1]
    installed.write_text(wanted, encoding="utf-8")
    return str(interpreter), ""


def _made(folder: Path) -> Path:
    interpreter = folder / "bin" / "python"
    if not interpreter.exists():
        subprocess.run([sys.executable, "-m", "venv", "--without-pip", folder], check=True)
    return interpreter
