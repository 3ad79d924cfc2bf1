"""A desktop of a test's own: a real screen, a real bus, real hosts, and the real tray application.

Every process is started here and ended by its id. The tray is `birkez tray` itself
(`tray`), or the same under a witness that writes down what it shows (`watched_tray`).
"""

from __future__ import annotations

import ctypes
import json
import os
import re
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import IO, Any

from tests.conftest import CHECKOUT
from tests.gui.conftest import until
from trayapp.places import Places

_BUS = """<!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN"
 "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
<busconfig><type>session</type><listen>unix:tmpdir=/tmp</listen><auth>EXTERNAL</auth>
<policy context="default"><allow send_destination="*" eavesdrop="true"/><allow eavesdrop="true"/>
<allow own="*"/></policy></busconfig>"""
_WIDTH, _HEIGHT = 1280, 800
_WIDTHS = {"main": (900, _WIDTH), "panel": (300, 700)}
OWN = ("QT_", "DBUS_", "XDG_", "WAYLAND", "BIRKEZ_")


class Desk:
    """One desktop. `env` is what its processes get, `places` is the home of its Birkez."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.home = folder / "b"
        self.places = Places(str(self.home / "config"), str(self.home / "state"))
        self._processes: list[subprocess.Popen[bytes]] = []
        (folder / "rt").mkdir(mode=0o700)
        self.env = {name: value for name, value in os.environ.items() if not name.startswith(OWN)}
        self.env.update(
            HOME=str(folder),
            XDG_RUNTIME_DIR=str(folder / "rt"),
            BIRKEZ_HOME=str(self.home),
            BIRKEZ_SCHEDULER="none",
            PYTHONPATH=str(CHECKOUT),
            NO_AT_BRIDGE="1",
            QT_QPA_PLATFORM="xcb",
        )
        self._start_screen()
        self._start_bus()

    # ------------------------------------------------------------ processes

    def start(self, *words: str, output: IO[bytes] | int | None = None, **options: Any) -> subprocess.Popen[bytes]:
        """Start a process on this desktop; what it writes goes to a file of its own, or to *output*."""
        if output is None:
            output = (self.folder / f"{len(self._processes)}-{os.path.basename(words[0])}.log").open("wb")
        process = subprocess.Popen(words, env=self.env, stdout=output, stderr=subprocess.STDOUT, **options)
        if not isinstance(output, int):
            output.close()  # the process has its own
        self._processes.append(process)
        return process

    def tray(self, *words: str) -> subprocess.Popen[bytes]:
        """Start `birkez tray`."""
        return self.start(sys.executable, "-m", "trayapp", "tray", *words)

    def watched_tray(self, *words: str) -> Witness:
        """Start the same under a witness."""
        path = self.folder / f"witness-{len(self._processes)}.jsonl"
        argv = [sys.executable, "-m", "tests.gui.watched_tray", str(path), *words]
        process = self.start(*argv, cwd=CHECKOUT, start_new_session=True)
        return Witness(process, path)

    def birkez(self, *words: str) -> subprocess.CompletedProcess[str]:
        """Run `birkez` to its end."""
        argv = [sys.executable, "-m", "trayapp", *words]
        return subprocess.run(argv, env=self.env, capture_output=True, encoding="utf-8", check=False, timeout=60)

    def close(self) -> None:
        """End all that was started here."""
        for process in reversed(self._processes):
            if process.poll() is None:
                process.send_signal(signal.SIGCONT)
                process.terminate()
        for process in reversed(self._processes):
            if process.stdout is not None:
                process.stdout.close()
            try:
                process.wait(5)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()

    # ---------------------------------------------------------------- hosts

    def start_trayer(self) -> subprocess.Popen[bytes]:
        """A tray that speaks XEmbed, ready."""
        process = self.start(
            "trayer", "--edge", "bottom", "--align", "right", "--widthtype", "request", "--height", "32"
        )
        until(lambda: _owns_tray(self.env["DISPLAY"]))
        return process

    def start_status_host(self) -> Records:
        """A tray that speaks D-Bus (StatusNotifierItem), ready."""
        return self._start_peer("tests.gui.status_host", "owned")

    def start_notice_sink(self, *words: str) -> Records:
        """A notification daemon, ready."""
        return self._start_peer("tests.gui.notice_sink", "owned", *words)

    def _start_peer(self, module: str, ready: str, *words: str) -> Records:
        path = self.folder / f"peer-{len(self._processes)}.jsonl"
        process = self.start(sys.executable, "-m", module, *words, output=path.open("wb"), cwd=CHECKOUT)
        records = Records(process, path)
        until(lambda: records.having(ready))
        return records

    # --------------------------------------------------------------- screen

    def x(self, *words: object) -> str:
        """Do with the pointer, the keyboard and what is on the screen what xdotool can do."""
        done = subprocess.run(
            ["xdotool", *map(str, words)], env=self.env, capture_output=True, encoding="utf-8", check=False
        )
        return done.stdout.strip()

    def views(self, kind: str) -> list[str]:
        """The `main` view, or the `panel`, as long as it is on the screen: told apart by their widths."""
        found = []
        for view in self.x("search", "--onlyvisible", "--class", "birkez").split():
            width = int((re.search(r"WIDTH=(\d+)", self.x("getwindowgeometry", "--shell", view)) or ["", "0"])[1])
            if _WIDTHS[kind][0] <= width <= _WIDTHS[kind][1]:
                found.append(view)
        return found

    def picture(self) -> bytes:
        """The screen, three bytes a pixel."""
        words = ["import", "-window", "root", "-depth", "8", "rgb:-"]
        return subprocess.run(words, env=self.env, capture_output=True, check=True).stdout

    def pixels(self, color: str) -> list[tuple[int, int]]:
        """Places of all pixels in exactly that colour (#rrggbb)."""
        wanted, picture = bytes.fromhex(color[1:]), self.picture()
        found, place = [], picture.find(wanted)
        while place >= 0:
            if place % 3 == 0:
                found.append(((place // 3) % _WIDTH, (place // 3) // _WIDTH))
            place = picture.find(wanted, place + 1)
        return found

    def icon_place(self, color: str) -> tuple[int, int]:
        """Where the icon with that colour rests; waits until it stands still."""

        def still() -> list[tuple[int, int]]:
            before = self.pixels(color)
            after = self.pixels(color)
            return after if before == after else []

        found = until(still, step=0.25)
        return sum(x for x, _ in found) // len(found), sum(y for _, y in found) // len(found)

    def _start_screen(self) -> None:
        reading, writing = os.pipe()
        # -noreset: else the screen starts anew when the last client leaves, and loses one that just comes.
        words = ("Xvfb", "-displayfd", str(writing), "-screen", "0", f"{_WIDTH}x{_HEIGHT}x24", "-nolisten", "tcp")
        self.start(*words, "-noreset", pass_fds=(writing,))
        os.close(writing)
        with os.fdopen(reading) as pipe:
            self.env["DISPLAY"] = ":" + pipe.readline().strip()
        self.start("openbox")

    def _start_bus(self) -> None:
        config = self.folder / "bus.conf"
        config.write_text(_BUS, encoding="utf-8")
        words = ("dbus-daemon", f"--config-file={config}", "--nofork", "--print-address=1")
        daemon = self.start(*words, output=subprocess.PIPE)
        assert daemon.stdout is not None
        self.env["DBUS_SESSION_BUS_ADDRESS"] = daemon.stdout.readline().decode().strip()

    # ----------------------------------------------------------------- jobs

    def add_sales_job(self, job_id: str = "satis", title: str = "Saatlik satış özeti", **lines: str) -> None:
        """An hourly SQL job on a small database, with two closed periods waiting."""
        import sqlite3
        from datetime import timedelta

        from trayapp import clock

        shop = self.folder / f"{job_id}.db"
        with sqlite3.connect(shop) as connection:
            connection.execute("CREATE TABLE ozet (saat TEXT PRIMARY KEY)")
        script = self.folder / f"{job_id}.sql"
        script.write_text("INSERT INTO ozet VALUES (:start);\n", encoding="utf-8")
        hour = clock.now().replace(minute=0, second=0, microsecond=0)
        text = (
            f'title = "{title}"\n'
            f"{lines.get('schedule', '')}\n"
            f'[window]\nstep = "1h"\nlateness = "0m"\nstart = {clock.format_instant(hour - timedelta(hours=2))}\n'
            f'[effect]\nkind = "sql"\ndatabase = "{shop}"\nscript = "{script}"\n'
        )
        self.add_job(job_id, text)

    def add_command_job(self, job_id: str, shell: str, title: str = "") -> None:
        """An hourly command with one closed period waiting."""
        from datetime import timedelta

        from trayapp import clock

        hour = clock.now().replace(minute=0, second=0, microsecond=0)
        self.add_job(
            job_id,
            f'title = "{title or job_id}"\n'
            f'[window]\nstep = "1h"\nlateness = "0m"\nstart = {clock.format_instant(hour - timedelta(hours=1))}\n'
            f"[effect]\nkind = \"command\"\nshell = '''{shell}'''\nrepeatable = true\n",
        )

    def add_job(self, job_id: str, text: str) -> None:
        """Add a job as the command does."""
        file = self.folder / f"{job_id}.toml"
        file.write_text(text, encoding="utf-8")
        done = self.birkez("job", "add", str(file), "--id", job_id)
        assert done.returncode == 0, done.stderr


def _owns_tray(display: str) -> bool:
    """Whether somebody owns the selection by which an XEmbed tray is found."""
    x = ctypes.CDLL("libX11.so.6")
    x.XOpenDisplay.restype = ctypes.c_void_p
    x.XInternAtom.restype = x.XGetSelectionOwner.restype = ctypes.c_ulong
    screen = ctypes.c_void_p(x.XOpenDisplay(display.encode()))
    try:
        atom = x.XInternAtom(screen, b"_NET_SYSTEM_TRAY_S0", 0)
        return bool(x.XGetSelectionOwner(screen, ctypes.c_ulong(atom)))
    finally:
        x.XCloseDisplay(screen)


class Records:
    """JSON lines that a process writes, one for each thing that happens."""

    def __init__(self, process: subprocess.Popen[bytes], path: Path) -> None:
        self.process = process
        self._path = path

    def all(self) -> list[dict[str, Any]]:
        if not self._path.exists():
            return []
        lines = self._path.read_text(encoding="utf-8").split("\n")[:-1]  # the last may be half written
        return [json.loads(line) for line in lines if line.startswith("{")]

    def having(self, name: str) -> list[Any]:
        """Values of *name* in those records that have it."""
        return [record[name] for record in self.all() if name in record]


class Witness(Records):
    """What the watched tray showed, see `watched_tray.py`."""

    def job(self, job_id: str) -> dict[str, Any]:
        """Newest state of that job; empty before the first."""
        for snapshot in reversed(self.having("jobs")):
            if job_id in snapshot:
                return snapshot[job_id]
        return {}

    def wait_for(self, job_id: str, kind: str, seconds: float = 20) -> dict[str, Any]:
        """Wait until the tray shows that state."""
        return until(lambda: self.job(job_id) if self.job(job_id).get("kind") == kind else None, seconds)

    def wait(self, found: Callable[[dict[str, Any]], object], seconds: float = 20) -> dict[str, Any]:
        """Wait for a record that *found* is true of."""
        return until(lambda: next((record for record in self.all() if found(record)), None), seconds)
