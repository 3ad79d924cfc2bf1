"""A command held on Windows: a stub that waits on a pipe, and a job object around it all.

The stub is put into the job object before it starts anything, so every descendant belongs
to it and can be ended in one call. It is not set to kill on close: when the runner dies,
the command goes on, as it does elsewhere.
"""

from __future__ import annotations

import json
import os
import queue
import signal
import subprocess
import sys
import threading
import time

from trayapp.effect.child import gate_stub
from trayapp.effect.child.gate_stub import start_windowless
from trayapp.effect.child.held import CommandEnd, HeldCommand
from trayapp.effect.child.tree import living_members, signal_members
from trayapp.errors import EffectError, SetupError
from trayapp.process_identity import ProcessIdentity, boot_id, start_of

assert sys.platform == "win32"  # for mypy, which then checks this file for its system alone

import ctypes  # noqa: E402  # only Windows pays for it
from ctypes import wintypes  # noqa: E402

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import BinaryIO

    from trayapp.effect.child.held import Start
    from trayapp.effect.child.output import KeptOutput
    from trayapp.effect.child.tree import Member

_READ_BYTES = 1 << 16
_CHUNKS_AHEAD = 16  # the reader waits for us after 1 MiB, so a flood costs bounded memory
_FROZEN_STUB_WORD = gate_stub.FROZEN_WORD

# winerror.h
_ERROR_FILE_NOT_FOUND, _ERROR_PATH_NOT_FOUND = 2, 3
_ERROR_ACCESS_DENIED = 5
_NOT_A_PROGRAM = (11, 193, 216)  # ERROR_BAD_FORMAT, ERROR_BAD_EXE_FORMAT, ERROR_EXE_MACHINE_TYPE_MISMATCH


def hold_on_win32(start: Start, output: KeptOutput) -> HeldCommand:
    """Start the stub that becomes the command's parent when its gate is opened.

    Raises: SetupError `command-process-refused`. Nothing is left behind then.
    """
    pipe = subprocess.PIPE
    try:
        stub = start_windowless(_stub_argv(), stdin=pipe, stdout=pipe, stderr=pipe, environment=None, folder=None)
    except OSError as error:
        raise SetupError("command-process-refused", reason=error.strerror or str(error)) from error
    return _HeldOnWin32(stub, start, output)


class _HeldOnWin32(HeldCommand):
    """The stub, the pipes to it and the job object that holds its descendants."""

    def __init__(self, stub: subprocess.Popen[bytes], start: Start, output: KeptOutput) -> None:
        super().__init__(ProcessIdentity(boot_id(), stub.pid, start_of(stub.pid) or ""), output, start.timeout_s)
        assert stub.stdin is not None  # all three are pipes
        assert stub.stdout is not None
        assert stub.stderr is not None
        self._stub = stub
        self._start = start
        self._orders: BinaryIO = stub.stdin  # type: ignore[assignment]
        self._status: BinaryIO = stub.stderr  # type: ignore[assignment]
        self._has_begun = False
        self._tree = _JobObject(stub)
        self._printed: queue.Queue[bytes] = queue.Queue(_CHUNKS_AHEAD)
        # A pipe of Windows cannot be waited for. The thread ends with the pipe, and as a
        # daemon it keeps nobody when a descendant of the command holds that open.
        threading.Thread(target=_read_all, args=(stub.stdout, self._printed), daemon=True).start()

    def abandon(self) -> None:
        if not self._has_begun and self._stub.returncode is None:
            self._release()

    def _begin(self) -> None:
        assert not self._has_begun, "the gate opens once"  # a caller's bug
        try:
            command, program = self._command_line()
            order = {"command": command, "folder": self._start.folder, "environment": self._start.environment}
            report = self._send_order(json.dumps(order).encode("ascii") + b"\n")
            # Without a report the stub was killed; whether the command began by then cannot
            # be known, so it counts as begun.
            if report and "began" not in report:
                raise _refusal(report, program)
        except EffectError:
            self._release()
            raise
        self._has_begun = True

    def _command_line(self) -> tuple[str | list[str], str]:
        folder = self._start.folder
        if not os.path.isdir(folder):
            raise EffectError("command-folder-missing", folder=folder, reason=os.strerror(2))
        if self._start.shell:
            cmd = self._start.environment.get("COMSPEC") or "cmd.exe"
            # With /s cmd takes exactly the outer quotes away and leaves the text as it is.
            return f'"{cmd}" /d /s /c "{self._start.shell}"', cmd
        program = _find_program(self._start)
        if os.path.isdir(program):
            raise EffectError("command-is-folder", path=program)
        return [program, *self._start.argv[1:]], program

    def _send_order(self, line: bytes) -> dict[str, object]:
        try:
            self._orders.write(line)
            self._orders.flush()
        except OSError:
            return {"reason": self._status.read().decode("utf-8", "replace").strip()}
        return self._read_report()

    def _read_report(self) -> dict[str, object]:
        line = self._status.readline()
        try:
            return dict(json.loads(line)) if line else {}
        except ValueError:  # the interpreter's own words: the stub did not even run
            return {"reason": (line + self._status.read()).decode("utf-8", "replace").strip()}

    def _release(self) -> None:
        """End the stub before it begins anything."""
        self._stub.kill()
        self._stub.wait()
        self._close()

    def _close(self) -> None:
        for pipe in (self._orders, self._status):
            try:
                pipe.close()
            except OSError:
                continue  # what could not be flushed into a broken pipe
        self._tree.close()
        self._output.close()

    def _has_ended(self) -> bool:
        return self._stub.poll() is not None

    def _pump(self, timeout_s: float) -> None:
        if self._is_output_open:
            try:
                data = self._printed.get(timeout=timeout_s)
            except queue.Empty:
                return
            self._output.feed(data)
            self._is_output_open = bool(data)
        elif self._has_ended():
            time.sleep(timeout_s)
        else:
            _wait(self._stub, timeout_s)

    def _ask_tree_to_end(self) -> None:
        try:
            self._orders.write(b"stop\n")
            self._orders.flush()
        except OSError:
            return  # it has just ended

    def _kill_tree(self) -> None:
        self._tree.kill(self._start.tag)

    def _has_living_tree(self) -> bool:
        return not self._has_ended() or self._tree.is_alive(self._start.tag)

    def _collect_end(self) -> CommandEnd:
        report = self._read_report() if self._has_ended() else {}
        self._close()
        code = report.get("exited")
        if isinstance(code, int):
            return CommandEnd("exited", code)
        return CommandEnd("signalled", self._stub.returncode or 0)


class _JobObject:
    """The stub and all its descendants. Where a job object cannot be had, psutil finds them."""

    def __init__(self, stub: subprocess.Popen[bytes]) -> None:
        self._stub = stub
        self._kernel32 = ctypes.WinDLL("kernel32", use_last_error=True)
        self._kernel32.CreateJobObjectW.restype = wintypes.HANDLE
        self._handle: int | None = self._kernel32.CreateJobObjectW(None, None)
        process = wintypes.HANDLE(int(stub._handle))  # type: ignore[attr-defined]  # noqa: SLF001  # spares OpenProcess
        # Refused when a job around the runner itself restricts its user interface.
        if not self._kernel32.AssignProcessToJobObject(wintypes.HANDLE(self._handle), process):
            self.close()

    def kill(self, tag: tuple[str, ...]) -> None:
        """End every process of the tree, the stub too."""
        if self._handle is not None:
            self._kernel32.TerminateJobObject(wintypes.HANDLE(self._handle), 1)
        else:
            signal_members(self._members(tag), signal.SIGTERM)

    def is_alive(self, tag: tuple[str, ...]) -> bool:
        """Tell whether a process of the tree lives."""
        if self._handle is None:
            return bool(self._members(tag))
        accounting = _Accounting()
        basic_accounting = 1  # JobObjectBasicAccountingInformation
        self._kernel32.QueryInformationJobObject(
            wintypes.HANDLE(self._handle), basic_accounting, ctypes.byref(accounting), ctypes.sizeof(accounting), None
        )
        return bool(accounting.ActiveProcesses)

    def close(self) -> None:
        """Forget the tree; what lives in it goes on."""
        handle, self._handle = self._handle, None
        if handle is not None:
            self._kernel32.CloseHandle(wintypes.HANDLE(handle))

    def _members(self, tag: tuple[str, ...]) -> list[Member]:
        return living_members(self._stub.pid if self._stub.poll() is None else 0, tag)


class _Accounting(ctypes.Structure):
    """JOBOBJECT_BASIC_ACCOUNTING_INFORMATION of winnt.h."""

    _fields_ = (
        ("TotalUserTime", wintypes.LARGE_INTEGER),
        ("TotalKernelTime", wintypes.LARGE_INTEGER),
        ("ThisPeriodTotalUserTime", wintypes.LARGE_INTEGER),
        ("ThisPeriodTotalKernelTime", wintypes.LARGE_INTEGER),
        ("TotalPageFaultCount", wintypes.DWORD),
        ("TotalProcesses", wintypes.DWORD),
        ("ActiveProcesses", wintypes.DWORD),
        ("TotalTerminatedProcesses", wintypes.DWORD),
    )


def _stub_argv() -> list[str]:
    if getattr(sys, "frozen", False):
        return [sys.executable, _FROZEN_STUB_WORD]
    # A virtual environment's python.exe is a launcher that starts the base one as its child.
    executable = getattr(sys, "_base_executable", None) or sys.executable
    return [executable, "-I", "-S", os.path.abspath(gate_stub.__file__)]


def _find_program(start: Start) -> str:
    """Absolute path of the program, searched as `cmd` does: the folder itself, then PATH, with PATHEXT."""
    command = start.argv[0]
    has_folder = os.path.dirname(command) or os.path.splitdrive(command)[0]
    folders = [start.folder] if has_folder else [start.folder, *filter(None, start.searched.split(os.pathsep))]
    endings = ["", *start.environment.get("PATHEXT", ".COM;.EXE;.BAT;.CMD").split(";")]
    if not os.path.splitext(command)[1]:
        endings = [*endings[1:], ""]
    for folder in folders:
        for ending in endings:
            path = os.path.join(folder, command + ending)
            if os.path.isfile(path) or (has_folder and os.path.isdir(path)):
                return path
    searched = os.path.join(start.folder, command) if has_folder else start.searched
    raise EffectError("command-not-found", command=command, searched=searched)


def _refusal(report: dict[str, object], program: str) -> EffectError:
    number = report.get("refused")
    not_found = number in (_ERROR_FILE_NOT_FOUND, _ERROR_PATH_NOT_FOUND)
    if not_found and not os.path.exists(program):
        return EffectError("command-not-found", command=program, searched=program)
    if not_found or number in _NOT_A_PROGRAM:
        return EffectError("command-not-a-program", path=program)
    if number == _ERROR_ACCESS_DENIED:
        return EffectError("command-not-executable", path=program)
    return EffectError("command-not-started", command=program, reason=str(report.get("reason", "")))


def _read_all(printed: BinaryIO, chunks: queue.Queue[bytes]) -> None:
    """Reader's thread: what was printed, then an empty chunk."""
    with printed:
        fd = printed.fileno()
        while data := os.read(fd, _READ_BYTES):
            chunks.put(data)
    chunks.put(b"")


def _wait(stub: subprocess.Popen[bytes], timeout_s: float) -> None:
    try:
        stub.wait(timeout_s)
    except subprocess.TimeoutExpired:
        return
