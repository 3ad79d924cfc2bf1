"""The switch for the start at log-on shows the real entry, and the real command changes it."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.gui.conftest import until
from tests.gui.jobs.conftest import Office, office  # noqa: F401  # a fixture
from trayapp.gui.settings.log_on import LogOnSwitch

pytestmark = pytest.mark.linux  # elsewhere the entry is no file of this home


@pytest.fixture
def switch(office: Office, tmp_path: Path, monkeypatch) -> LogOnSwitch:  # noqa: F811
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    made = LogOnSwitch(office.context)
    made.show()
    made.read_again()
    until(made.box.isEnabled)
    return made


def entry(tmp_path: Path) -> Path:
    return tmp_path / "config" / "autostart" / "birkez.desktop"


def test_it_is_off_until_it_is_switched_on_and_off_again(switch: LogOnSwitch, tmp_path: Path):
    assert not switch.box.isChecked()
    switch.box.click()
    until(lambda: switch.box.isEnabled() and switch.box.isChecked())
    assert "Exec=" in entry(tmp_path).read_text(encoding="utf-8")
    assert switch.note.isHidden()
    switch.box.click()
    until(lambda: switch.box.isEnabled() and not entry(tmp_path).exists())
    assert not switch.box.isChecked()


def test_an_entry_of_a_program_that_moved_is_told_and_mended(switch: LogOnSwitch, tmp_path: Path):
    entry(tmp_path).parent.mkdir(parents=True)
    entry(tmp_path).write_text("[Desktop Entry]\nExec=/old/birkez tray\n", encoding="utf-8")
    switch.read_again()
    until(switch.mend.isVisible)
    assert "another Birkez" in switch.note.text()
    switch.mend.click()
    until(lambda: switch.mend.isHidden() and switch.box.isEnabled())
    assert "/old/birkez" not in entry(tmp_path).read_text(encoding="utf-8")


def test_what_the_desktop_turned_off_is_told(switch: LogOnSwitch, tmp_path: Path):
    switch.box.click()
    until(lambda: switch.box.isEnabled() and switch.box.isChecked())
    with entry(tmp_path).open("a", encoding="utf-8") as file:
        file.write("Hidden=true\n")
    switch.read_again()
    until(switch.mend.isVisible)
    assert not switch.box.isChecked()


def test_a_place_that_cannot_be_written_is_told(switch: LogOnSwitch, tmp_path: Path):
    entry(tmp_path).parent.parent.mkdir(parents=True, exist_ok=True)
    entry(tmp_path).parent.write_text("a file", encoding="utf-8")
    switch.box.click()
    until(lambda: switch.box.isEnabled() and switch.note.isVisible())
    assert "autostart" in switch.note.text()
