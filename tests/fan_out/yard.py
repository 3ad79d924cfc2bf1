"""A home with one job that works through a list, and what came of it."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Iterable
from pathlib import Path

from tests.conftest import Birkez
from tests.fan_out.server import Server
from trayapp.log.job_log import LogLine, parse_line
from trayapp.places import Places

MAKE = """
import os
def make(item, output):
    with open(output, "w", encoding="utf-8", newline="") as file:
        file.write("made of " + item.id)
    # One file a call: on Windows several writers lose lines of a shared one.
    open(f"{os.path.dirname(__file__)}/made/{item.id}~{os.urandom(4).hex()}", "x").close()
"""


class Yard:
    """The folder with list and targets, and the job `liste`."""

    def __init__(self, folder: Path, places: Places, birkez: Birkez) -> None:
        self.folder = folder
        self.places = places
        self.birkez = birkez
        self.out = folder / "out"
        self.list = folder / "ids.txt"
        (folder / "made").mkdir(parents=True)
        self._started: list[subprocess.Popen[str]] = []

    def job(self, effect: str, *, items: str = "", target: str = "{item}.json", source: str = "ids.txt") -> None:
        """Put the job file on the shelf; a `timeout` and the like come with *effect*."""
        text = (
            f"[items]\nsource = '{self.folder / source}'\ntarget = '{self.out / target}'\n{items}\n[effect]\n{effect}\n"
        )
        path = Path(self.places.job_file("liste"))
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")

    def ids(self, ids: Iterable[object]) -> None:
        self.list.write_text("".join(f"{item}\n" for item in ids), encoding="utf-8")

    def python_job(self, code: str = MAKE, *, items: str = "", more: str = "", **where: str) -> None:
        (self.folder / "make.py").write_text(code, encoding="utf-8")
        self.job(f"kind = 'python'\ncallable = '{self.folder / 'make.py'}:make'\n{more}", items=items, **where)

    def download_job(self, server: Server, *, items: str = "", more: str = "") -> None:
        self.job(f"kind = 'download'\nurl = '{server.address}/doc/{{item}}'\n{more}", items=items)

    def run(self, *words: str, **options: object) -> subprocess.CompletedProcess[str]:
        return self.birkez("run", "liste", *words, **options)  # type: ignore[arg-type]

    def start(self, *words: str) -> subprocess.Popen[str]:
        process = self.birkez.start(*words)
        self._started.append(process)
        return process

    def made(self) -> list[str]:
        """Items for which the function of `MAKE` was called, each as often as it was."""
        return [path.name.partition("~")[0] for path in (self.folder / "made").iterdir()]

    def targets(self) -> dict[str, bytes]:
        if not self.out.exists():
            return {}
        return {path.name: path.read_bytes() for path in self.out.iterdir() if path.is_file()}

    def litter(self) -> list[str]:
        """What lies beside the targets and is none."""
        return sorted(path.name for path in (self.out / ".birkez").rglob("*")) if self.out.exists() else []

    def lines(self) -> list[LogLine]:
        path = Path(self.places.log_file("liste"))
        text = path.read_text(encoding="utf-8") if path.exists() else ""
        return [line for line in map(parse_line, text.splitlines()) if line is not None]

    def wait_until(self, what: object, *, for_s: float = 30.0) -> None:
        deadline = time.monotonic() + for_s
        while not what():  # type: ignore[operator]
            assert time.monotonic() < deadline, "it never came to be"
            time.sleep(0.02)

    def close(self) -> None:
        if any(process.poll() is None for process in self._started):
            (self.folder / "make.py").write_text("def make(item, output): raise SystemExit")
            for item in ("", "-a", "-b", "-c"):
                (self.folder / f"go{item}").touch()  # what a failed test left waiting
        for process in self._started:
            if process.poll() is None:
                process.kill()
            process.communicate(timeout=20)


def alive(pid: int) -> bool:
    from trayapp.process_identity import start_of

    return start_of(pid) is not None


IS_WIN32 = sys.platform == "win32"
