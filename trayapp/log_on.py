"""Starting the tray application when the person logs on: the entry for it, read back and repaired.

Each system has its own place for one entry a person: XDG autostart, HKCU's Run, a
LaunchAgent. The entry is the truth; no setting remembers what was wished, so that whoever
turns it off in the system's own list has turned it off here, too.
"""

from __future__ import annotations

import os
import sys

from trayapp.errors import SetupError
from trayapp.places import APPLICATION
from trayapp.trigger.command import tray_command
from trayapp.value import NamedTuple
from trayapp.whole_file import replace_file

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Literal

    from trayapp.places import Places

    State = Literal["on", "off", "moved", "disabled"]

_RUN = r"Software\Microsoft\Windows\CurrentVersion\Run"
_APPROVED = r"Software\Microsoft\Windows\CurrentVersion\Explorer\StartupApproved\Run"  # where Task Manager turns off
_VALUE = "Birkez"
_LONGEST = 260  # characters of a command; Windows passes over a longer one
_AGENT = "birkez.tray"
_EXEC_SPECIAL = '"`$\\'  # Desktop Entry Specification, "The Exec key": each is escaped inside quotes


class LogOn(NamedTuple):
    """Whether the tray starts at log-on, and *place*, the file or registry value that says so.

    "moved" is an entry that starts another program than this one; "disabled" one that the
    system's own list of startup programs has turned off.
    """

    state: State
    place: str


def read_log_on(places: Places) -> LogOn:
    """Look at what the desktop would do at the next log-on.

    Raises: SetupError `log-on-unreadable`; TriggerError where this copy cannot be named so that it stays.
    """
    place = _place()
    try:
        found = _read(place)
    except OSError as error:
        raise SetupError("log-on-unreadable", path=place, reason=error.strerror or str(error)) from error
    if found is None:
        return LogOn("off", place)
    text, is_off = found
    if is_off:
        return LogOn("disabled", place)
    return LogOn("on" if text == _written(tray_command(places)) else "moved", place)


def start_at_log_on(places: Places) -> LogOn:
    """Let the tray start at log-on, or mend the entry that is there; returns what was read back.

    Raises: SetupError `log-on-unwritable`, `log-on-too-long`, and as `read_log_on`.
    """
    place, text = _place(), _written(tray_command(places))
    if sys.platform == "win32" and len(text) > _LONGEST:
        raise SetupError("log-on-too-long", command=text, limit=_LONGEST)
    try:
        _write(place, text)
    except OSError as error:
        raise SetupError("log-on-unwritable", path=place, reason=error.strerror or str(error)) from error
    return read_log_on(places)


def forget_log_on(places: Places) -> LogOn:
    """Let the tray not start at log-on; returns what was read back.

    Raises: SetupError `log-on-unwritable`, and as `read_log_on`.
    """
    place = _place()
    try:
        _remove(place)
    except OSError as error:
        raise SetupError("log-on-unwritable", path=place, reason=error.strerror or str(error)) from error
    return read_log_on(places)


if sys.platform == "win32":
    import winreg

    def _place() -> str:
        return rf"HKEY_CURRENT_USER\{_RUN}\{_VALUE}"

    def _written(command: Sequence[str]) -> str:
        import subprocess  # noqa: PLC0415  # only to quote

        return subprocess.list2cmdline(command)

    def _read(_place: str) -> tuple[str, bool] | None:
        text = _value(_RUN)
        if not isinstance(text, str):
            return None
        approved = _value(_APPROVED)
        # Twelve bytes: an odd first one means off, the rest is since when.
        return text, isinstance(approved, bytes) and approved[:1] != b"" and bool(approved[0] & 1)

    def _value(key: str) -> object:
        try:
            with winreg.OpenKey(winreg.HKEY_CURRENT_USER, key) as opened:
                return winreg.QueryValueEx(opened, _VALUE)[0]
        except FileNotFoundError:
            return None

    def _write(_place: str, text: str) -> None:
        _remove_value(_APPROVED)
        with winreg.CreateKey(winreg.HKEY_CURRENT_USER, _RUN) as opened:
            winreg.SetValueEx(opened, _VALUE, 0, winreg.REG_SZ, text)

    def _remove(_place: str) -> None:
        _remove_value(_RUN)
        _remove_value(_APPROVED)

    def _remove_value(key: str) -> None:
        try:
            with winreg.OpenKey(winreg.HKEY_CURRENT_USER, key, access=winreg.KEY_SET_VALUE) as opened:
                winreg.DeleteValue(opened, _VALUE)
        except FileNotFoundError:
            return

else:

    def _place() -> str:
        if sys.platform == "darwin":
            return os.path.expanduser(f"~/Library/LaunchAgents/{_AGENT}.plist")
        base = os.environ.get("XDG_CONFIG_HOME", "")
        base = base if os.path.isabs(base) else os.path.expanduser("~/.config")
        return os.path.join(base, "autostart", APPLICATION + ".desktop")

    def _written(command: Sequence[str]) -> str:
        return _agent(command) if sys.platform == "darwin" else _desktop_entry(command)

    def _read(place: str) -> tuple[str, bool] | None:
        try:
            with open(place, encoding="utf-8", errors="replace", newline="") as file:
                text = file.read()
        except FileNotFoundError:
            return None
        lines = {line.strip().replace(" ", "").lower() for line in text.splitlines()}
        return text, bool(lines & {"hidden=true", "x-gnome-autostart-enabled=false"})

    def _write(place: str, text: str) -> None:
        os.makedirs(os.path.dirname(place), mode=0o700, exist_ok=True)
        replace_file(os.path.realpath(place), text.encode("utf-8"))

    def _remove(place: str) -> None:
        try:
            os.remove(place)
        except FileNotFoundError:
            return


def _desktop_entry(command: Sequence[str]) -> str:
    line = " ".join(map(_exec_word, command))
    return (
        "[Desktop Entry]\nType=Application\nName=Birkez\n"
        f"Exec={line}\nIcon={APPLICATION}\nTerminal=false\nX-GNOME-Autostart-enabled=true\n"
    )


def _exec_word(word: str) -> str:
    """*word* inside quotes as Exec wants it: escaped for it, and then as any value of such a file."""
    inner = "".join("\\" + letter if letter in _EXEC_SPECIAL else letter for letter in word.replace("%", "%%"))
    return '"' + inner.replace("\\", "\\\\").replace("\n", "\\n") + '"'


def _agent(command: Sequence[str]) -> str:
    import plistlib  # noqa: PLC0415  # macOS alone

    facts = {
        "Label": _AGENT,
        "ProgramArguments": list(command),
        "RunAtLoad": True,
        "LimitLoadToSessionType": "Aqua",
        "ProcessType": "Interactive",
    }
    return plistlib.dumps(facts, sort_keys=False).decode("utf-8")
