from __future__ import annotations

import os
import plistlib
import subprocess
import sys

import pytest

from trayapp import log_on
from trayapp.errors import SetupError
from trayapp.log_on import forget_log_on, read_log_on, start_at_log_on
from trayapp.trigger.command import tray_command


@pytest.fixture(autouse=True)
def _own_desktop(tmp_path, monkeypatch: pytest.MonkeyPatch):
    """No test changes what the person at this computer logs on to."""
    if sys.platform == "win32":
        own = rf"Software\BirkezTest{os.getpid()}"  # other workers test at the same time
        monkeypatch.setattr(log_on, "_RUN", own + r"\Run")
        monkeypatch.setattr(log_on, "_APPROVED", own + r"\Approved")
        yield
        import winreg

        for name in ("Run", "Approved", ""):
            try:
                winreg.DeleteKey(winreg.HKEY_CURRENT_USER, rf"{own}\{name}".rstrip("\\"))
            except FileNotFoundError:
                continue
        return
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "Küçük ayar"))
    monkeypatch.setenv("HOME", str(tmp_path))
    yield


def test_it_is_off_until_it_is_set_and_off_again(birkez_home):
    states = [
        read_log_on(birkez_home).state,
        start_at_log_on(birkez_home).state,
        read_log_on(birkez_home).state,
        forget_log_on(birkez_home).state,
        forget_log_on(birkez_home).state,
    ]
    assert states == ["off", "on", "on", "off", "off"]


def test_an_entry_of_a_program_that_moved_is_told_and_mended(birkez_home, monkeypatch: pytest.MonkeyPatch):
    with monkeypatch.context() as before:
        before.setattr(log_on, "tray_command", lambda _places: ("/eski yer/birkez-tray", "--hidden"))
        start_at_log_on(birkez_home)
    assert read_log_on(birkez_home).state == "moved"
    assert start_at_log_on(birkez_home).state == "on"


@pytest.mark.linux
@pytest.mark.parametrize("line", ["Hidden=true", "X-GNOME-Autostart-enabled=false"])
def test_what_the_desktop_turned_off_is_off_and_can_be_turned_on(birkez_home, line: str):
    place = start_at_log_on(birkez_home).place
    with open(place, "a", encoding="utf-8") as file:
        file.write(line + "\n")
    assert read_log_on(birkez_home).state == "disabled"
    assert start_at_log_on(birkez_home).state == "on"


@pytest.mark.win32
def test_what_task_manager_turned_off_is_off_and_can_be_turned_on(birkez_home):
    import winreg

    start_at_log_on(birkez_home)
    with winreg.CreateKey(winreg.HKEY_CURRENT_USER, log_on._APPROVED) as key:
        winreg.SetValueEx(key, "Birkez", 0, winreg.REG_BINARY, b"\x03" + bytes(11))
    assert read_log_on(birkez_home).state == "disabled"
    assert start_at_log_on(birkez_home).state == "on"


@pytest.mark.linux
def test_a_folder_that_cannot_be_written_is_told_with_its_path(birkez_home, tmp_path):
    (tmp_path / "Küçük ayar").write_text("no folder")
    with pytest.raises(SetupError) as refused:
        start_at_log_on(birkez_home)
    assert refused.value.code in ("log-on-unwritable", "log-on-unreadable")
    assert refused.value.facts["path"].endswith("birkez.desktop")


@pytest.mark.posix
@pytest.mark.parametrize("word", ["Ayşe'nin", 'a "b"', "100% $HOME `x`", r"C:\yol", " "])
def test_words_are_quoted_as_desktops_read_them(word: str):
    line = log_on._exec_word(word)
    # What a desktop does: unescape the value, then read quotes as a shell would, then %% is %.
    value = line.replace("\\\\", "\\")
    read = subprocess.run(["sh", "-c", f"printf %s {value}"], capture_output=True, encoding="utf-8", check=True)
    assert read.stdout.replace("%%", "%") == word


def test_the_written_command_starts_the_tray_for_this_home(birkez_home):
    command = tray_command(birkez_home)
    assert command[-3:] == ("--hidden", "--home", os.path.dirname(birkez_home.config))
    asked = [*command[: command.index("--hidden")], "--help"]
    done = subprocess.run(asked, capture_output=True, check=False, env={**os.environ, "BIRKEZ_HOME": ""})
    assert done.returncode == 0


def test_agent_of_macos_starts_the_tray_once_a_log_on_in_the_person_s_own_session():
    from trayapp.log_on import _agent

    facts = plistlib.loads(
        _agent(["/Applications/Birkez.app/Contents/MacOS/birkez-tray", "--hidden", "İş & <iş>"]).encode()
    )
    assert facts["ProgramArguments"][1:] == ["--hidden", "İş & <iş>"]
    assert (facts["RunAtLoad"], facts["LimitLoadToSessionType"]) == (True, "Aqua")
    assert "KeepAlive" not in facts  # Quit means quit
    assert facts["Label"] == "birkez.tray"
