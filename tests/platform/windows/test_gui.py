"""Windows' tray application, from the icon to its end, by clicks and keys: `gui.sh` prepares all and runs this."""

from __future__ import annotations

import os
import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from datetime import timedelta
from functools import partial
from pathlib import Path

import pytest

from tests.gui.conftest import until as until_within
from trayapp import clock

pytestmark = [
    pytest.mark.linux,
    pytest.mark.skipif("WINE_PYTHON" not in os.environ, reason="needs Wine: tests/platform/windows/gui.sh"),
]

from tests.platform.windows.wine_desk import WineDesk  # noqa: E402  # after the reason to skip

until = partial(until_within, seconds=60.0)  # on a busy machine Wine takes its time
_FOLDER = "birkez-gui"
_RUN = r"Software\Microsoft\Windows\CurrentVersion\Run"


@pytest.fixture
def desk() -> Iterator[WineDesk]:
    shutil.rmtree(Path(os.environ["WINEPREFIX"]) / "drive_c" / _FOLDER, ignore_errors=True)
    made = WineDesk(_FOLDER)
    yield made
    made.close()


def _add_sales(desk: WineDesk) -> Path:
    """An hourly job with two closed periods, on paths as Windows has them; returns its database as we see it."""
    shop = desk.folder / "satis.db"
    with closing(sqlite3.connect(shop)) as connection, connection:
        connection.execute("CREATE TABLE ozet (saat TEXT PRIMARY KEY)")
    (desk.folder / "satis.sql").write_text("INSERT INTO ozet VALUES (:start);\n", encoding="utf-8")
    hour = clock.now().replace(minute=0, second=0, microsecond=0)
    (desk.folder / "satis.toml").write_text(
        'title = "Saatlik satış özeti"\n'
        f'[window]\nstep = "1h"\nlateness = "0m"\nstart = {clock.format_instant(hour - timedelta(hours=2))}\n'
        f"[effect]\nkind = \"sql\"\ndatabase = '{desk.inner}\\satis.db'\nscript = '{desk.inner}\\satis.sql'\n",
        encoding="utf-8",
    )
    done = desk.birkez("job", "add", f"{desk.inner}\\satis.toml", "--id", "satis")
    assert done.returncode == 0, done.stdout
    return shop


def _rows(shop: Path) -> int:
    with closing(sqlite3.connect(shop)) as connection:
        return int(connection.execute("SELECT count(*) FROM ozet").fetchone()[0])


def test_from_the_icon_to_the_end(desk):
    shop = _add_sales(desk)
    tray = desk.watched_tray("--hidden")
    assert tray.wait(lambda seen: seen.get("jobs"), 60)["icon"] == "well"
    until(lambda: tray.job("satis").get("waiting") == 2)

    desk.open_from_icon("panel", 1)
    desk.keep_picture("panel")
    desk.x("key", "Escape")
    until(lambda: not desk.views("panel"))

    _press_run_now(desk, "menu")
    first = tray.wait(lambda seen: "answer" in seen, 60)["answer"]
    assert (first["outcome"], first["windows"], _rows(shop)) == ("done", 2, 2)
    _press_run_now(desk)
    second = until(lambda: [answer for answer in tray.having("answer") if answer != first])[0]
    assert (second["outcome"], second["reason"], _rows(shop)) == ("skipped", "kapanmis pencere yok", 2)
    assert len([line for lines in tray.having("lines") for line in lines if "ISLENDI" in line]) == 2

    again = desk.windows_python("-m", "trayapp", "tray")  # a second start raises the first
    assert again.wait(60) == 0
    [main] = until(lambda: desk.views("main"))
    for key, page in (("ctrl+2", "Geçmiş"), ("ctrl+3", "Zaman çizgisi"), ("ctrl+4", "Kontrol"), ("ctrl+1", "İşler")):
        desk.x("key", key)
        until(lambda page=page: desk.x("getwindowname", main).startswith(page))
        desk.settle()
        desk.keep_picture(f"main-{key[-1]}")

    desk.x("key", "ctrl+q")
    assert tray.process.wait(30) == 0


def test_entry_for_the_log_on_starts_the_tray_hidden(desk):
    assert desk.birkez("language", "en").returncode == 0
    done = desk.birkez("log-on", "on")
    assert done.returncode == 0, done.stdout
    code = (
        f"import winreg; print(winreg.QueryValueEx(winreg.OpenKey(winreg.HKEY_CURRENT_USER, r'{_RUN}'), 'Birkez')[0])"
    )
    registered = desk.windows_python_says(code)
    assert "tray --hidden" in registered
    assert str(desk.inner) in registered
    desk.windows_program(registered)  # as Windows does at the log-on
    desk.icon()
    assert not desk.views("main"), "it starts in the tray alone"
    assert desk.windows_python("-m", "trayapp", "tray").wait(60) == 0
    [main] = until(lambda: desk.views("main"))
    assert desk.x("getwindowname", main) == "Jobs - Birkez"
    desk.settle()
    desk.keep_picture("main-en")
    _open_menu(desk)
    desk.keep_picture("menu-quit")
    desk.x("key", "Up", "Return")  # the last entry ends it
    until(lambda: not desk.has_icon())
    assert desk.birkez("log-on", "off").returncode == 0


def _open_menu(desk: WineDesk) -> None:
    desk.open_from_icon("menu", 3)
    desk.settle()  # on the screen it is before it hears keys


def _press_run_now(desk: WineDesk, picture: str = "") -> None:
    """Right click, ↓ to the job below the state of all, → into its menu, ↓ past its state."""
    _open_menu(desk)
    desk.x("key", "Down", "Down", "Right")
    until(lambda: len(desk.views("menu")) == 2)
    if picture:
        desk.keep_picture(picture)
    desk.x("key", "Down", "Return")
    until(lambda: not desk.views("menu"))
