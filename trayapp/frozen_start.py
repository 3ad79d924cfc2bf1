"""How a frozen Birkez begins: the same words as from a checkout, and those with which it starts itself.

The second are Windows' gate, and the processes that `multiprocessing` starts for a job's own
code: they take the program for an interpreter.

`birkez` and `birkez-tray` lie in one folder. Only the second is prepared for Qt, which would
cost each scheduled run a third of its start; so `birkez tray` starts that one.
"""

from __future__ import annotations

import os
import sys
import zipimport

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

_TRAY = "birkez-tray"
_FORK = "--multiprocessing-fork"  # multiprocessing.spawn, of a frozen program
# multiprocessing's two helpers, which come as code for an interpreter: `-c`, and then this with a call of main.
_HELPERS = ("from multiprocessing.resource_tracker import main", "from multiprocessing.forkserver import main")
_NAME_SHORTCUT = "--name-shortcut"  # said by Windows' installer
_APP_ID = "Birkez.Tray"  # by which Windows joins a view, a notification and the shortcut; installer/windows has it too


def main(words: Sequence[str]) -> int:
    """Do what *words* ask for; returns the exit status. The stub that holds a command never returns."""
    if words[:1] == ["tray"] and "--help" not in words and "-h" not in words and not _is_tray():
        return _start_tray(words[1:])
    if sys.platform == "linux":
        _hold_own_files()
    if words and (words[0] == _FORK or (words[-1].startswith(_HELPERS) and words[-2:-1] == ["-c"])):
        return _be_helper(words)
    if words[:1] == [_NAME_SHORTCUT] and len(words) == 2:  # noqa: PLR2004  # and the file
        from trayapp.shortcut import name_shortcut  # noqa: PLC0415  # the installer alone

        return int(not name_shortcut(words[1], _APP_ID))
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


def _hold_own_files() -> None:
    """Go on reading modules from the files of this start, whatever an upgrade puts in their place meanwhile.

    A run reads some of them only at its end. The package manager renames a new file over the old
    one, and the old places of modules mean nothing in it; an open file stays the one it was.
    """
    try:
        sys.modules["pyimod02_importers"].pyz_archive._filename = "/proc/self/exe"  # noqa: SLF001  # PyInstaller's, as below
        read = zipimport._get_data  # type: ignore[attr-defined]  # noqa: SLF001  # by what all its importers read
        held = {
            path: f"/proc/self/fd/{os.open(path, os.O_RDONLY)}"
            for path in sys.path
            if path.endswith("base_library.zip")
        }
    except (KeyError, AttributeError, OSError):
        return  # another PyInstaller, or no /proc: then only the tests notice
    zipimport._get_data = lambda path, entry: read(held.get(path, path), entry)  # type: ignore[attr-defined]  # noqa: SLF001  # as above


def _be_helper(words: Sequence[str]) -> int:
    """Be one of multiprocessing's processes, as its own `freeze_support` would let it on Windows alone."""
    if words[0] != _FORK:
        exec(words[-1])  # noqa: S102  # the two lines of multiprocessing's own, see above
        return 0
    from multiprocessing.spawn import spawn_main  # noqa: PLC0415  # a job's own processes alone

    given = (word.partition("=") for word in words[1:])
    numbers: dict[str, Any] = {name: None if value == "None" else int(value) for name, _equals, value in given}
    spawn_main(**numbers)
    return 0  # never: it ends the process


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
