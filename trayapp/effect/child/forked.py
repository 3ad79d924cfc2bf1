"""The forked half of a held command: what runs between fork and exec, and what its report means.

Nothing is imported there and no lock is taken: the runner may have threads, and a lock
that one of them holds would stay held in the child for ever. The child closes every
descriptor before it waits, so that in a child whose runner was killed neither the job's
lock nor a database stays open.
"""

from __future__ import annotations

import contextlib
import errno
import gc
import os
import signal
import sys

from trayapp.errors import EffectError
from trayapp.value import NamedTuple

assert sys.platform != "win32"  # for mypy, which then checks this file for its systems alone

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import NoReturn

    from trayapp.effect.child.held import Start

GO = b"g"
_FIRST_LINE_BYTES = 256  # BINPRM_BUF_SIZE: Linux reads no more of it


class ChildPart(NamedTuple):
    """All that the child needs, made before the fork; the last four are its descriptors."""

    argv: list[bytes]
    candidates: list[bytes]
    environment: dict[bytes, bytes]
    folder: bytes
    reset_signals: list[signal.Signals]
    gate: int
    status: int
    output: int
    null: int


def prepare(start: Start, gate: int, status: int, output: int, null: int) -> ChildPart:
    """Make the child's part of *start*; the descriptors lie above 2 and close on exec."""
    command = start.argv[0]
    folders = [""] if "/" in command else start.searched.split(os.pathsep)
    handled = [number for number in signal.valid_signals() if callable(signal.getsignal(number))]
    return ChildPart(
        argv=[_encode(word) for word in start.argv],
        candidates=[_encode(os.path.join(folder, command)) for folder in folders],
        environment={_encode(name): _encode(value) for name, value in start.environment.items()},
        folder=_encode(start.folder),
        # Python ignores the first two, and ignored signals stay ignored across exec.
        reset_signals=[signal.SIGPIPE, signal.SIGXFSZ, signal.SIGCHLD, *map(signal.Signals, handled)],
        gate=gate,
        status=status,
        output=output,
        null=null,
    )


def fork(part: ChildPart) -> int:
    """Fork the child and return its pid. It becomes the command once it reads `GO` from its gate.

    A gate that closes first ends it without having begun. A step that fails is reported
    through `status`, which otherwise closes with nothing written when the command begins.
    """
    # Signals wait until the child has given the runner's handlers up: one that raised in
    # the child would unwind into a second copy of the runner.
    mask = signal.pthread_sigmask(signal.SIG_BLOCK, signal.valid_signals())
    try:
        pid = os.fork()
        if pid == 0:
            _become_command(part)
        return pid
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, mask)


def _become_command(part: ChildPart) -> NoReturn:
    """Child: detach, wait for the gate, become the command. It leaves by `_exit` or `execve` alone."""
    try:
        gc.disable()  # a collection could close what the runner uses, in this copy
        os.setsid()
        for number in part.reset_signals:
            signal.signal(number, signal.SIG_DFL)
        signal.pthread_sigmask(signal.SIG_SETMASK, ())
        os.dup2(part.null, 0)
        os.dup2(part.output, 1)
        os.dup2(part.output, 2)
        _close_all_but(0, 1, 2, part.gate, part.status)
        if os.read(part.gate, 1) == GO:
            os.write(part.status, _enter_and_exec(part))
    except BaseException:  # noqa: BLE001  # whatever it is: without a report the command would count as begun
        os.write(part.status, b"child %d " % errno.EINVAL)
    finally:
        os._exit(127)


def _enter_and_exec(part: ChildPart) -> bytes:
    """Report of the step that failed: its name, error number and path; no return where none does."""
    try:
        os.chdir(part.folder)
    except OSError as error:
        return b"folder %d " % (error.errno or 0)
    failed = b"exec %d %s" % (errno.ENOENT, part.candidates[-1])
    for path in part.candidates:
        try:
            os.execve(path, part.argv, part.environment)  # noqa: S606  # that is the trade
        except OSError as error:
            if error.errno in (errno.ENOENT, errno.ENOTDIR) and not os.path.lexists(path):
                continue
            failed = b"exec %d %s" % (error.errno or 0, path)
            if error.errno != errno.EACCES:  # as execvp(3): only what may not be run is passed over
                break
    return failed


def _close_all_but(*kept: int) -> None:
    try:
        open_fds = [int(name) for name in os.listdir("/proc/self/fd" if sys.platform == "linux" else "/dev/fd")]
    except OSError:
        open_fds = list(range(3, 1 << 12))
    for fd in open_fds:
        if fd not in kept:
            with contextlib.suppress(OSError):  # the listing's own, closed by now
                os.close(fd)


def _encode(text: str) -> bytes:
    try:
        return os.fsencode(text)
    except UnicodeEncodeError:  # Python under cron's C locale knows ASCII only; files are UTF-8
        return text.encode("utf-8", "surrogateescape")


def _decode(data: bytes) -> str:
    return data.decode("utf-8", "surrogateescape")


def refusal(start: Start, report: bytes) -> EffectError:
    """Error for the *report* of a child that could not become the command."""
    step, number, found = report.split(b" ", 2)
    if step == b"folder":
        return EffectError("command-folder-missing", folder=start.folder, reason=os.strerror(int(number)))
    if step == b"exec":
        return _refusal_by_file(start, int(number), os.path.join(start.folder, _decode(found)))
    # A NUL in a word, a name in the environment that no system can pass on.
    return EffectError("command-not-started", command=start.argv[0], reason=os.strerror(int(number)))


def _refusal_by_file(start: Start, number: int, path: str) -> EffectError:
    command = start.argv[0]
    if not os.path.lexists(path):
        searched = path if "/" in command else start.searched
        return EffectError("command-not-found", command=command, searched=searched)
    if os.path.isdir(path):
        return EffectError("command-is-folder", path=path)
    if number == errno.EACCES and not os.access(path, os.X_OK):
        return EffectError("command-not-executable", path=path)
    if number in (errno.ENOENT, errno.EACCES, errno.ENOTDIR, errno.ELOOP, errno.ENOEXEC):
        return _refusal_by_first_line(command, path, os.strerror(number))
    return EffectError("command-not-started", command=command, reason=os.strerror(number))


def _refusal_by_first_line(command: str, path: str, reason: str) -> EffectError:
    # The number alone misleads: a script whose first line ends in CR is "no such file or
    # directory", though everybody sees the file; execve(2) means the interpreter.
    try:
        with open(path, "rb") as file:
            begin = file.read(_FIRST_LINE_BYTES)
    except OSError:
        return EffectError("command-not-started", command=command, reason=reason)
    if not begin.startswith(b"#!"):
        return EffectError("command-not-a-program" if b"\0" in begin else "command-no-shebang", path=path)
    line = begin.split(b"\n")[0]
    interpreter = (line[2:].split() or [b""])[0].decode("utf-8", "backslashreplace")
    code = "command-windows-line-ends" if line.endswith(b"\r") else "command-bad-interpreter"
    return EffectError(code, path=path, interpreter=interpreter)
