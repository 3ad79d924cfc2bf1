"""A command that outlives its run is shown, and its end too: no file tells of it."""

from __future__ import annotations

import os
import signal
import sys
import time

import pytest

from tests.conftest import CHECKOUT
from tests.gui.conftest import until
from tests.gui.desk import Desk

pytestmark = [pytest.mark.linux, pytest.mark.timeout(90)]


def test_command_left_by_a_killed_run_is_shown_until_it_ends(desk: Desk):
    desk.start_trayer()
    begun = desk.folder / "begun"
    desk.add_command_job("uzun", f"echo $$ > {begun}; exec sleep 120")
    tray = desk.watched_tray("--hidden")
    tray.wait_for("uzun", "well")
    runner = desk.start(sys.executable, "-m", "trayapp", "run", "uzun", cwd=CHECKOUT)
    command = int(until(lambda: begun.read_text(encoding="ascii").strip() if begun.exists() else ""))
    runner.kill()
    runner.wait()
    until(lambda: "still at work" in tray.job("uzun").get("words", ""), 25)
    time.sleep(2)  # looks that are on their way are over
    os.kill(command, signal.SIGKILL)
    until(lambda: tray.job("uzun")["kind"] != "running", 25)
