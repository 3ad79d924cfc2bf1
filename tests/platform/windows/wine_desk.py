"""A desktop on which the tray application of Windows runs: Wine's session, an XEmbed tray, a person's clicks."""

from __future__ import annotations

import os
import subprocess
import time
from functools import partial
from pathlib import Path
from typing import Any

from tests.conftest import CHECKOUT
from tests.gui.conftest import until as until_within
from tests.gui.desk import Desk, Witness

ON_WINE = "WINE_PYTHON"
until = partial(until_within, seconds=60.0)  # on a busy machine Wine takes its time
_CLICKS = 4
_LARGEST_ICON, _TRAY_FROM = 48, 740
_WIDTHS = {"main": (900, 1280), "panel": (300, 700), "menu": (60, 299)}


class WineDesk(Desk):
    """`env` is what its Windows processes get; `inner` is the folder as they name it, `folder` as we do."""

    def __init__(self, name: str) -> None:  # the screen and the server are there already
        self.folder = Path(os.environ["WINEPREFIX"]) / "drive_c" / name
        self.inner = f"C:\\{name}"
        self.folder.mkdir()
        self._processes: list[subprocess.Popen[bytes]] = []
        self.env = {
            **os.environ,
            "BIRKEZ_HOME": f"{self.inner}\\home",
            "BIRKEZ_SCHEDULER": "none",
            "PYTHONIOENCODING": "utf-8",
            "PYTHONPYCACHEPREFIX": "C:\\pycache",
            "PYTHONNOUSERSITE": "1",
        }
        self.start("openbox")
        self._trayer: subprocess.Popen[bytes] | None = None
        self.renew_tray()

    def windows_python(self, *words: str) -> subprocess.Popen[bytes]:
        """Start Windows' Python. Its streams are pipes: Wine cannot describe a regular Linux file."""
        return self.start(
            "env",
            *os.environ[ON_WINE].split(" "),
            *words,
            output=subprocess.PIPE,
            stdin=subprocess.DEVNULL,
            cwd=CHECKOUT,
        )

    def birkez(self, *words: str) -> subprocess.CompletedProcess[str]:
        process = self.windows_python("-m", "trayapp", *words)
        output = process.communicate(timeout=60)[0].decode("utf-8", "replace").replace("\r", "")
        return subprocess.CompletedProcess(words, process.returncode, output, output)

    def windows_program(self, command: str) -> subprocess.Popen[bytes]:
        """Start *command* as Windows' own shell does, and wait for it as that does: not when it has no console."""
        *environment, wine, _python = os.environ[ON_WINE].split(" ")
        return self.start(
            "env",
            *environment,
            wine,
            "cmd",
            "/c",
            *command.split(" "),
            output=subprocess.PIPE,
            stdin=subprocess.DEVNULL,
        )

    def windows_python_says(self, code: str) -> str:
        """What Windows' Python prints for *code*."""
        return self.windows_python("-c", code).communicate(timeout=60)[0].decode("utf-8", "replace").strip()

    def watched_tray(self, *words: str) -> Witness:
        name = f"witness-{len(self._processes)}.jsonl"
        process = self.windows_python("-m", "tests.gui.watched_tray", f"{self.inner}\\{name}", *words)
        return Witness(process, self.folder / name)

    def views(self, kind: str) -> list[str]:
        narrowest, widest = _WIDTHS[kind]
        return [view for view, (_x, _y, width, _height) in self.shown().items() if narrowest <= width <= widest]

    def shown(self) -> dict[str, tuple[int, int, int, int]]:
        """What Windows' programs show: place and size of each, by the id that X gives it."""
        found = {}
        for view in self.x("search", "--onlyvisible", "--class", r"(pythonw?|explorer)\.exe").split():
            told = dict(line.split("=") for line in self.x("getwindowgeometry", "--shell", view).split() if "=" in line)
            if "HEIGHT" in told:
                found[view] = tuple(int(told[name]) for name in ("X", "Y", "WIDTH", "HEIGHT"))
        return found

    def settle(self) -> None:
        """Wait until the screen changes no more: what is read in threads is shown then."""

        def is_still() -> bool:
            before = self.picture()
            time.sleep(0.4)  # longer than a view waits for its reader before it paints
            return before == self.picture()

        until(is_still)

    def icon(self) -> tuple[int, int]:
        """Middle of the icon in the tray; waits until it stands still."""

        def at_rest() -> tuple[int, int, int, int] | None:
            before, after = self._in_tray(), self._in_tray()
            return after if before == after else None

        x, y, width, height = until(at_rest, step=0.3)
        return x + width // 2, y + height // 2

    def has_icon(self) -> bool:
        return self._in_tray() is not None

    def _in_tray(self) -> tuple[int, int, int, int] | None:
        """Place of the small thing at the foot of the screen."""
        places = self.shown().values()
        return next((place for place in places if max(place[2:]) <= _LARGEST_ICON and place[1] > _TRAY_FROM), None)

    def renew_tray(self) -> None:
        """Let the tray end and come back: now and then, Wine's icon comes into one deaf and without a picture."""
        old, self._trayer = self._trayer, None
        if old is not None:
            old.terminate()
            old.wait(10)
            until(lambda: not self.has_icon())
        self._trayer = self.start_trayer()

    def open_from_icon(self, kind: str, button: int) -> None:
        """Click on the icon until that is open, each time in a tray that has just come."""
        for number in range(_CLICKS):
            if number:
                self.renew_tray()
            self.click(*self.icon(), button)
            end_s = time.monotonic() + 8
            while time.monotonic() < end_s:
                if self.views(kind):
                    return
                time.sleep(0.1)
        self.keep_picture(f"no-{kind}")
        told = f"no {kind} after {_CLICKS} clicks; shown: {self.shown()}; {self._ended()}"
        raise AssertionError(told)

    def _ended(self) -> str:
        """What became of the newest process, and what it said."""
        process = next(made for made in reversed(self._processes) if "trayer" not in str(made.args))
        if process.poll() is None or process.stdout is None:
            return "it is at work"
        return f"it ended with {process.returncode}: {process.stdout.read().decode('utf-8', 'replace')[-2000:]}"

    def click(self, x: int, y: int, button: int = 1) -> None:
        self.x("mousemove", x - 3, y - 3, "sleep", "0.3", "mousemove", x, y, "sleep", "0.3", "click", button)

    def keep_picture(self, name: str) -> None:
        """Keep the screen for people to look at, where they asked for it."""
        folder = os.environ.get("WINE_PICTURES")
        if folder:
            os.makedirs(folder, exist_ok=True)
            words: list[Any] = ["import", "-window", "root", os.path.join(folder, f"{name}.png")]
            subprocess.run(words, env=self.env, check=True)
