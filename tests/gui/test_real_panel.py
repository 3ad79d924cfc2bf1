"""The icon in a desktop's own panel that speaks StatusNotifierItem: shown, clicked, late, killed, back."""

from __future__ import annotations

import shutil
import subprocess

import pytest

from tests.gui.conftest import until
from tests.gui.desk import Desk, Witness
from trayapp.log.job_log import read_tail

pytestmark = [pytest.mark.linux, pytest.mark.timeout(120)]

FAILED_RED = "#b4261f"  # of tray-failed-on-light.svg
_CONFIG = """[General]
panels=panel1
[panel1]
plugins=statusnotifier
position=Bottom
panelSize=32
iconSize=22
width=30
width-percent=true
[statusnotifier]
type=statusnotifier
"""


@pytest.fixture(autouse=True)
def _needs_panel() -> None:
    if shutil.which("lxqt-panel") is None:
        pytest.skip("needs lxqt-panel: `python3 installer/bootstrap.py desktop-tools`")


def _start_panel(desk: Desk) -> subprocess.Popen[bytes]:
    folder = desk.folder / ".config" / "lxqt"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "panel.conf").write_text(_CONFIG, encoding="utf-8")
    desk.start_notice_sink()  # else a message of the panel itself may cover the icon
    return desk.start("lxqt-panel")


def _start_failing(desk: Desk) -> Witness:
    """The tray with a job whose database is not there: its icon has a colour that nothing else has."""
    desk.add_job(
        "kirik",
        'title = "Kırık"\n[window]\nstep = "1h"\n[effect]\nkind = "sql"\ndatabase = "yok.db"\nscript = "y.sql"\n',
    )
    tray = desk.watched_tray("--hidden")
    tray.wait_for("kirik", "failed")
    return tray


def _menus(desk: Desk) -> set[str]:
    return set(desk.x("search", "--onlyvisible", "--class", "lxqt-panel").split())


def _open_menu(desk: Desk) -> None:
    x, y = desk.icon_place(FAILED_RED)
    before = _menus(desk)
    desk.x("mousemove", x, y, "click", 3)
    until(lambda: _menus(desk) - before)


def test_left_click_opens_the_panel_and_the_menu_runs_and_quits(desk: Desk):
    _start_panel(desk)
    tray = _start_failing(desk)
    x, y = desk.icon_place(FAILED_RED)
    desk.x("mousemove", x, y, "click", 1)
    until(lambda: desk.views("panel"))
    desk.x("key", "Escape")
    until(lambda: not desk.views("panel"))
    before = len(read_tail(desk.places.log_file("kirik"), 50))
    _open_menu(desk)
    desk.x("key", "Down", "Down", "Right", "Down", "Return")  # state, job ▸ its state, Run now
    until(lambda: len(read_tail(desk.places.log_file("kirik"), 50)) > before)
    _open_menu(desk)
    desk.x("key", "Up", "Return")  # from the bottom: quit
    assert tray.process.wait(20) == 0
    until(lambda: not desk.pixels(FAILED_RED))


def test_panel_that_comes_late_dies_and_returns_shows_the_icon(desk: Desk):  # P75, P77
    tray = _start_failing(desk)
    assert not desk.pixels(FAILED_RED)
    panel = _start_panel(desk)
    desk.icon_place(FAILED_RED)
    panel.kill()
    panel.wait()
    until(lambda: not desk.pixels(FAILED_RED))
    desk.start("lxqt-panel")
    x, y = desk.icon_place(FAILED_RED)
    desk.x("mousemove", x, y, "click", 1)
    until(lambda: desk.views("panel"))
    desk.x("key", "Escape")
    until(lambda: not desk.views("panel"))
    _open_menu(desk)
    desk.x("key", "Up", "Return")
    assert tray.process.wait(20) == 0
