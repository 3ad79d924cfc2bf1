"""One item made by a real worker that is killed, or whose disk fails, at its Nth system call.

As in `tests.crash.sweep`, strace does it from outside. Traced is the worker's own thread,
counted from the first call that touches the targets' folder.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from pathlib import Path
from typing import Literal

from tests.crash.sweep import RUNNER, TRACED

Kind = Literal["python", "command", "download"]
KINDS: tuple[Kind, ...] = ("python", "command", "download")

_NEVER_TRACED = "arch_prctl,set_tid_address,exit_group,exit"
_MAKE = "def make(item, output):\n    with open(output, 'w') as file:\n        file.write('whole ' + item.id)\n"


class Bench:
    """A home with a list of one item. *address* is a server's, for a download."""

    def __init__(self, folder: Path, kind: Kind, address: str = "") -> None:
        self.home = folder / "home"
        self.out = folder / "out"
        self.target = self.out / "a.txt"
        effect = {
            "python": f"kind = 'python'\ncallable = '{folder}/make.py:make'",
            "command": "kind = 'command'\nargv = ['/bin/sh', '-c', 'printf \"whole a\" > \"$BIRKEZ_OUTPUT\"']",
            "download": f"kind = 'download'\nurl = '{address}/doc/{{item}}'",
        }[kind]
        self._jobs = self.home / "config" / "jobs"
        self._text = f"[items]\nsource = '{folder}/ids.txt'\ntarget = '{self.out}/{{item}}.txt'\n[effect]\n{effect}\n"
        (folder / "ids.txt").write_text("a\n")
        (folder / "make.py").write_text(_MAKE)
        self._trace = folder / "trace"

    def reset(self) -> None:
        for folder in (self.home, self.out):
            shutil.rmtree(folder, ignore_errors=True)
        self._jobs.mkdir(parents=True)
        (self._jobs / "liste.toml").write_text(self._text)

    def work(self, *injection: str, trace: bool = False) -> subprocess.CompletedProcess[str]:
        """Let one worker work, by hand, to its end or the injected one."""
        tracing: tuple[str, ...] = ()
        if injection or trace:
            output = str(self._trace) if trace else os.devnull
            tracing = ("strace", "-o", output, "-e", f"trace={TRACED}", *injection)
        return subprocess.run(
            [*tracing, *RUNNER, "work", "liste"],
            env={"BIRKEZ_HOME": str(self.home), "PATH": "/usr/bin:/bin", "HOME": str(self.home), "LC_ALL": "C"},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            encoding="utf-8",
            timeout=120,
            check=False,
        )

    def calls(self) -> list[tuple[int, str]]:
        """Numbers, per system call's name, of the calls from the first that touches the targets' folder."""
        self.reset()
        done = self.work(trace=True)
        assert done.returncode == 0, done.stderr
        lines = self._trace.read_text(errors="replace").splitlines()
        names = [(match[1], str(self.out) in line) for line in lines if (match := re.match(r"(\w+)\(", line))]
        first = next(index for index, (_, touches) in enumerate(names) if touches)
        counted: dict[str, int] = {}
        numbered = []
        for index, (name, _) in enumerate(names):
            counted[name] = counted.get(name, 0) + 1
            if index >= first and name not in _NEVER_TRACED:
                numbered.append((counted[name], name))
        return numbered

    def look(self, whole: bytes) -> str:
        """Tell what stands at the target: `absent` or `whole`; anything else is the end of the promise."""
        if not os.path.lexists(self.target):
            return "absent"
        assert self.target.read_bytes() == whole
        return "whole"

    def litter(self) -> list[str]:
        return sorted(str(path.relative_to(self.out)) for path in self.out.rglob("*") if path != self.target)


def whole_of(kind: Kind) -> bytes:
    from tests.fan_out.server import document

    return document("a") if kind == "download" else b"whole a"


def kill_at(bench: Bench, kind: Kind, number: int, name: str) -> str:
    """Kill the worker as its *number*-th call of *name* begins; the next one completes the item."""
    bench.reset()
    killed = bench.work("-e", f"inject={name}:signal=KILL:when={number}")
    return _complete(bench, kind, killed, f"{name} #{number}")


def fail_at(bench: Bench, kind: Kind, number: int, name: str, error: str) -> str:
    """Let the *number*-th call of *name* fail; whatever is told, the next worker completes the item."""
    bench.reset()
    failed = bench.work("-e", f"inject={name}:error={error}:when={number}")
    assert "Traceback" not in failed.stderr, (name, number, failed.stderr)
    return _complete(bench, kind, failed, f"{name} #{number} {error}")


def _complete(bench: Bench, kind: Kind, first: subprocess.CompletedProcess[str], where: str) -> str:
    found = bench.look(whole_of(kind))
    again = bench.work()
    told = f"{where}: {found}, exit {first.returncode}, then {again.returncode}\n{first.stderr}{again.stderr}"
    if again.returncode == 1 and bench.look(whole_of(kind)) == "absent":
        raise AssertionError(told)
    assert again.returncode == 0, told
    assert bench.look(whole_of(kind)) == "whole", told
    assert bench.litter() == [], told
    return found
