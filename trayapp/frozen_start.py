"""How a frozen Birkez begins: the same words as from a checkout, and the one that only Windows' gate needs.

`birkez` and `birkez-tray` lie in one folder. Only the second is prepared for Qt, which would
cost each scheduled run a third of its start; so `birkez tray` starts that one.
"""

from __future__ import annotations

import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

_TRAY = "birkez-tray"
_APP_ID = "Birkez.Tray"  # by which Windows joins a view, a notification and the shortcut; installer/windows has it too


def main(words: Sequence[str]) -> int:
    """Do what *words* ask for; returns the exit status. The stub that holds a command never returns."""
    if words[:1] == ["tray"] and "--help" not in words and "-h" not in words and not _is_tray():
        return _start_tray(words[1:])
    if sys.platform == "win32" and len(words) == 1:
        from trayapp.effect.child import gate_stub  # noqa: PLC0415  # few starts have one word

        if words[0] == gate_stub.FROZEN_WORD:
            gate_stub.main()
    if sys.platform == "win32" and _is_tray():
        import ctypes  # noqa: PLC0415  # the tray alone

        ctypes.WinDLL("shell32").SetCurrentProcessExplicitAppUserModelID(_APP_ID)
    _heed_encoding()
    from trayapp.__main__ import main as start  # noqa: PLC0415  # the stub does without

    sys.argv[1:] = words
    return start()


def _is_tray() -> bool:
    return os.path.splitext(os.path.basename(sys.executable))[0].lower() == _TRAY


def _start_tray(words: Sequence[str]) -> int:
    folder, name = os.path.split(os.path.abspath(sys.executable))
    program = os.path.join(folder, _TRAY + os.path.splitext(name)[1])
    if sys.platform != "win32":
        os.execv(program, [program, *words])  # noqa: S606  # it takes this one's place
    import subprocess  # noqa: PLC0415  # Windows cannot replace a program

    return subprocess.run([program, *words], check=False).returncode


def _heed_encoding() -> None:
    """Write in the encoding that whoever reads us asked for; a frozen interpreter passes the variable over."""
    encoding = os.environ.get("PYTHONIOENCODING", "").partition(":")[0]
    for stream in (sys.stdout, sys.stderr) if encoding else ():
        if stream is not None:
            stream.reconfigure(encoding=encoding)  # type: ignore[union-attr]  # of a process, and not a test's
