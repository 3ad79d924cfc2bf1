"""The process that stands before a command on Windows, and how any process is started there.

It is run as a script, without the package and without site-packages, so it imports nothing
of Birkez. It waits on its standard input for one line that says what to start. When that
line does not come whole, its runner is gone, and it leaves without having begun. Once the
command runs, the stub lives exactly as long: the runner's ledger names the stub's pid.

Why not a process created suspended: nothing resumes or ends it when its runner dies.

Standard input   a line of JSON (`command`, `folder`, `environment`) opens the gate; later
                 `stop` asks the command to end
Standard output  the command's, handed on
Standard error   lines of JSON: `began` or `refused`, then `exited`
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import BinaryIO

FROZEN_WORD = "held-command-stub"  # a frozen program has no interpreter to run a script with
_CREATE_NEW_PROCESS_GROUP = 0x00000200
_CREATE_NO_WINDOW = 0x08000000
_CTRL_BREAK_EVENT = 1
_OUTPUT_FD, _STATUS_FD = 1, 2
_handlers: list[object] = []  # C calls them as long as the process lives


def start_windowless(
    command: Sequence[str] | str, *, stdin: int, stdout: int, stderr: int, environment: Mapping[str, str] | None,
    folder: str | None,
) -> subprocess.Popen[bytes]:  # fmt: skip
    """Start a process of Windows that shows no window and that no Ctrl-C of ours reaches.

    Every process that Birkez starts on Windows comes from here. All three standard handles
    are named by the caller: without a window, what is left out leads nowhere and its text
    is lost.

    Raises: OSError with `winerror`; ValueError for a NUL in *command*.
    """
    return subprocess.Popen(
        command,
        stdin=stdin,
        stdout=stdout,
        stderr=stderr,
        env=environment,
        cwd=folder,
        creationflags=_CREATE_NO_WINDOW | _CREATE_NEW_PROCESS_GROUP,
    )


def main() -> None:
    """Wait for the gate, start the command, pass its exit status on."""
    orders = open(0, "rb", closefd=False)  # noqa: SIM115  # open as long as the process
    line = orders.readline()
    if not line.endswith(b"\n"):
        os._exit(0)
    process = _start(json.loads(line))
    threading.Thread(target=_obey, args=(orders, process.pid), daemon=True).start()
    code = process.wait()
    _tell(exited=code)
    os._exit(code - (1 << 32) if code >= 1 << 31 else code)  # the same 32 bits, as a C int


def _start(order: dict[str, object]) -> subprocess.Popen[bytes]:
    if getattr(sys, "frozen", False):
        _forget_dll_directory()
    try:
        process = start_windowless(
            order["command"],  # type: ignore[arg-type]  # what on_win32 wrote
            stdin=subprocess.DEVNULL,
            stdout=_OUTPUT_FD,
            stderr=subprocess.STDOUT,
            environment=order["environment"],  # type: ignore[arg-type]
            folder=order["folder"],  # type: ignore[arg-type]
        )
    except (OSError, ValueError) as error:
        _tell(refused=getattr(error, "winerror", None) or 0, reason=str(error))
        os._exit(1)
    _tell(began=process.pid)
    return process


def _obey(orders: BinaryIO, group: int) -> None:
    for line in orders:
        if line == b"stop\n":
            _send_break(group)


def _tell(**facts: object) -> None:
    try:
        os.write(_STATUS_FD, json.dumps(facts).encode("ascii") + b"\n")
    except OSError:
        return  # the runner was killed; the command's end is the stub's own


def _send_break(group: int) -> None:
    """Send Ctrl-Break to the command, which has a console of its own that nobody sees.

    A process sends such an event only within the console that it is attached to
    (GenerateConsoleCtrlEvent). A program without a console hears nothing.
    """
    if sys.platform != "win32":
        return
    import ctypes  # noqa: PLC0415  # most commands end by themselves

    kernel32 = ctypes.WinDLL("kernel32", use_last_error=True)
    kernel32.FreeConsole()
    if kernel32.AttachConsole(group):
        # Without a handler of its own the stub would end with the command's group.
        _handlers.append(ctypes.WINFUNCTYPE(ctypes.c_int, ctypes.c_uint)(lambda _event: 1))
        kernel32.SetConsoleCtrlHandler(_handlers[-1], True)
        kernel32.GenerateConsoleCtrlEvent(_CTRL_BREAK_EVENT, group)


def _forget_dll_directory() -> None:
    """Undo what a packaged program's loader set, or the command finds our DLLs before its own."""
    if sys.platform != "win32":
        return
    import ctypes  # noqa: PLC0415  # packaged programs only

    ctypes.WinDLL("kernel32").SetDllDirectoryW(None)


if __name__ == "__main__":
    main()
