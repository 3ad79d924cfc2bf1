"""A newcomer's way from the first start to a job that fires without the tray, in Turkish, with a real pointer.

Everything is real: screen, tray host, keyboard, crontab, cron and the runner. What is clicked is
found by the name that a screen reader speaks, so a control without one cannot be reached here.
"""

from __future__ import annotations

import os
import re
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Iterator
from datetime import datetime, timedelta
from pathlib import Path

import pytest

from tests.conftest import CHECKOUT, _faketime_library
from tests.gui.conftest import until
from tests.gui.desk import Desk, Witness
from tests.gui.screen_reader import ScreenReader
from tests.trigger import own_cron
from trayapp.log.job_log import read_tail
from trayapp.wording.language import _, speak
from trayapp.wording.speech import say

pytestmark = [pytest.mark.linux, pytest.mark.root, pytest.mark.timeout(240)]

TITLE, JOB = "Saatlik satis", "saatlik-satis"
PERIODS = 2


@pytest.fixture
def reader(desk: Desk) -> Iterator[ScreenReader]:
    own_cron.needs_own_cron()
    if _faketime_library() is None:
        pytest.skip("needs libfaketime, for an hour that passes in a second")
    desk.env["LANG"] = desk.env["LC_ALL"] = "tr_TR.UTF-8"
    speak("tr")  # in which this test looks up what it clicks on
    made = ScreenReader(desk)
    yield made
    made.close()


class Newcomer:
    """Someone at this desktop. The tray runs where the crontab is its own."""

    def __init__(self, desk: Desk, reader: ScreenReader) -> None:
        self.desk, self.reader = desk, reader
        self.database, self.script = desk.folder / "dukkan.db", desk.folder / "ozet.sql"
        with sqlite3.connect(self.database) as connection:
            connection.execute("CREATE TABLE ozet (saat TEXT)")
        self.script.write_text("INSERT INTO ozet VALUES (:start);\n", encoding="utf-8")
        self.tray = self._start_tray()
        self.tray.wait(lambda record: "icon_after_s" in record)
        self.cron = self.start_cron()

    def _start_tray(self) -> Witness:
        desk = self.desk
        path = desk.folder / "witness.jsonl"
        desk.env["BIRKEZ_SCHEDULER"] = "crontab"
        desk.env["PATH"] = "/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin"
        words = [sys.executable, "-m", "tests.gui.watched_tray", str(path)]
        room = desk.folder / "cron"
        room.mkdir()
        process = desk.start("unshare", "-m", "sh", "-c", own_cron._ENTER, "enter", str(room), "", *words, cwd=CHECKOUT)
        desk.env["BIRKEZ_SCHEDULER"] = "none"
        return Witness(process, path)

    def inside(self, *words: str) -> str:
        """Run a command where the tray runs."""
        argv = ["nsenter", "-t", str(self.tray.process.pid), "-m", *words]
        return subprocess.run(argv, env=self.desk.env, capture_output=True, text=True, check=False, timeout=30).stdout

    def start_cron(self, at: str = "") -> subprocess.Popen[bytes]:
        """Start cron where the tray runs; with *at*, its clock begins there and runs sixty times too fast."""
        words = ["nsenter", "-t", str(self.tray.process.pid), "-m", "env", "-i", f"PATH={self.desk.env['PATH']}"]
        if at:
            library = _faketime_library()
            assert library is not None
            words += [f"LD_PRELOAD={library.replace('libfaketimeMT', 'libfaketime')}", f"FAKETIME=@{at} x60"]
            words += ["FAKETIME_DONT_RESET=1"]
        return self.desk.start(*words, "cron", "-f", "-L", "0", output=subprocess.DEVNULL)

    def icon(self) -> tuple[int, int]:
        """Where the tray icon is, by its small window."""

        def find() -> tuple[int, int] | None:
            for view in self.desk.x("search", "--onlyvisible", "--class", "birkez").split():
                shape = dict(re.findall(r"(\w+)=(-?\d+)", self.desk.x("getwindowgeometry", "--shell", view)))
                if 0 < int(shape.get("WIDTH", 0)) < 60:
                    x, y = int(shape["X"]), int(shape["Y"])
                    return x + int(shape["WIDTH"]) // 2, y + int(shape["HEIGHT"]) // 2
            return None

        def still() -> tuple[int, int] | None:
            before = find()
            time.sleep(0.2)
            return before if before == find() else None

        return until(still)

    def open_menu(self) -> None:
        """Right click on the icon."""
        before = self._popups()
        self.desk.x("mousemove", *self.icon(), "click", 3)
        until(lambda: self._popups() - before)

    def open_panel(self) -> None:
        """Left click on the icon."""
        time.sleep(0.4)  # a click right after the panel closed is taken for the one that closed it
        self.desk.x("mousemove", *self.icon(), "click", 1)
        until(lambda: self.desk.views("panel"))

    def close_panel(self) -> None:
        """Press Esc, first for the notes and then for the panel."""

        def press() -> bool:
            self.desk.x("key", "Escape")
            return not self.desk.views("panel")

        until(press, step=0.3)

    def panel_lines(self, token: str) -> list[str]:
        """Log lines of that token in the panel."""
        lines = self.reader.all(role="list item", view=_("Birkez") + "…")
        return [line.name for line in lines if f" {token} " in line.name]

    def says(self, *parts: str) -> str:
        """Wait for a text that holds all *parts*, anywhere on the screen."""

        end = time.monotonic() + 25
        while True:
            names = self.names()
            found = next((name for name in names if all(part in name for part in parts)), "")
            if found:
                return found
            assert time.monotonic() < end, f"{parts} is nowhere in {[name for name in names if name]}"
            time.sleep(0.2)

    def reads_in_panel(self, beginning: str, without: str) -> None:
        """Wait for a row of the panel that begins so, without that word; opens the panel anew where it has closed."""
        end = time.monotonic() + 25
        while True:
            if not self.desk.views("panel"):
                self.open_panel()
            rows = [name for name in self.names() if name.startswith(beginning)]
            if any(without not in name for name in rows):
                return
            assert time.monotonic() < end, rows or self.names()
            time.sleep(0.3)

    def open_page(self, title: str) -> None:
        """Click on a page's name, again where the view was only just coming to the front."""

        def is_open() -> bool:
            self.reader.click(title, "check box")
            time.sleep(0.5)
            return bool(self.reader.all(title, "label"))

        until(is_open, 30, step=0.5)

    def names(self) -> list[str]:
        """Everything that can be read on the screen."""
        return [node.name for node in self.reader.all()]

    def log(self) -> list[str]:
        """Lines of the job's log."""
        return read_tail(self.desk.places.log_file(JOB), 20)

    def _popups(self) -> set[str]:
        return set(self.desk.x("search", "--onlyvisible", "--class", "birkez").split())


def test_newcomer_makes_a_job_that_goes_on_without_the_tray(desk: Desk, reader: ScreenReader):
    desk.start_trayer()
    desk.start_notice_sink()
    someone = Newcomer(desk, reader)

    _makes_a_job(someone)
    table = until(lambda: table if f" {JOB}" in (table := someone.inside("crontab", "-l")) else "")
    assert re.search(r"^\d+ \* \* \* \* ", table, re.MULTILINE), table

    _runs_it_twice(someone)
    _looks_into_history(someone)
    _sees_who_runs(someone)

    someone.open_menu()
    desk.x("key", "Up", "Return")  # from the bottom: quit
    someone.cron.kill()
    someone.cron.wait()
    fast = someone.start_cron(_soon(table))
    try:
        someone.tray.process.wait(15)
        assert someone.tray.process.returncode == 0
        until(lambda: any("tetik=zamanli" in line for line in someone.log()), 30)
    finally:
        own_cron.stop_daemon(fast)
    with sqlite3.connect(someone.database) as connection:
        rows = connection.execute("SELECT count(*), count(DISTINCT saat) FROM ozet").fetchone()
    assert rows[0] == rows[1] >= PERIODS  # each once, however often it was started


def _makes_a_job(someone: Newcomer) -> None:
    reader = someone.reader
    reader.find(_("No jobs yet"))
    reader.click(_("Begin with an empty form"), "push button")
    reader.type_into(_("Name of the job"), TITLE)
    reader.type_into(_("Database"), str(someone.database))
    reader.type_into(_("SQL script"), str(someone.script))
    _next(reader, "When, and which data?")
    start = datetime.now().astimezone().replace(minute=0) - timedelta(hours=PERIODS)
    _type_start(someone, f"{start:%d.%m.%Y %H:%M}")
    _next(reader, "How careful?")
    _next(reader, "Review")
    reader.click(_("Save"), "push button")
    until(lambda: Path(someone.desk.places.job_file(JOB)).exists())
    someone.tray.wait_for(JOB, "well")


def _type_start(someone: Newcomer, text: str) -> None:
    reader, desk = someone.reader, someone.desk
    field = reader.find(_("First period"), "spin box")
    x, y = reader.place(field)
    desk.x("mousemove", x, y, "click", 1, "key", "ctrl+a")
    desk.x("type", "--delay", "20", text)
    desk.x("key", "Tab")
    until(lambda: reader.text(field) == text)


def _next(reader: ScreenReader, step: str) -> None:
    reader.click(say("Next: {step}", step=_(step)), "push button")
    reader.find(_(step), "label")


def _runs_it_twice(someone: Newcomer) -> None:
    someone.open_menu()
    someone.desk.x("key", "Down", "Down", "Right", "Down", "Return")  # state, job ▸ its state, Run now
    until(lambda: sum(" ISLENDI " in line for line in someone.log()) == PERIODS)
    someone.open_panel()
    until(lambda: len(someone.panel_lines("ISLENDI")) == PERIODS)
    someone.reader.click(say("Run now: {title}", title=TITLE), "push button")
    until(lambda: someone.panel_lines("ATLANDI"))
    someone.says(_("Pressing again changes nothing."))
    someone.close_panel()


def _looks_into_history(someone: Newcomer) -> None:
    someone.open_panel()
    someone.reader.click(_("Open Birkez"), "push button")
    someone.open_page(_("History"))
    runs = (_("Done"), _("Skipped"))
    for words in runs:
        someone.says(words)


def _sees_who_runs(someone: Newcomer) -> None:
    desk = someone.desk
    begun = desk.folder / "begun"
    desk.add_command_job("uzun", f"echo $$ > {begun}; exec sleep 120", "Uzun is")
    someone.tray.wait_for("uzun", "well")
    runner = desk.start(sys.executable, "-m", "trayapp", "run", "uzun", cwd=CHECKOUT)
    someone.tray.wait_for("uzun", "running")
    command = int(until(lambda: begun.read_text(encoding="ascii").strip() if begun.exists() else ""))
    someone.open_panel()
    someone.says("Uzun is", f"pid {runner.pid}")
    assert someone.tray.having("icon")[-1] == "running"
    runner.kill()
    runner.wait()
    someone.says("Uzun is", _("Its run has ended, the command that it started is still at work"))
    os.kill(command, signal.SIGKILL)
    until(lambda: someone.tray.having("icon")[-1] != "running")
    someone.reads_in_panel("Uzun is: ", without="pid")
    someone.close_panel()


def _soon(table: str) -> str:
    """Time of a clock that is about to reach the job's minute."""
    minute = int(re.search(r"^(\d+) \* \* \* \* ", table, re.MULTILINE)[1])
    return f"{datetime.now().astimezone().replace(minute=minute, second=0) - timedelta(seconds=12):%Y-%m-%d %H:%M:%S}"
