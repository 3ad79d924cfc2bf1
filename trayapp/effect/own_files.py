"""Our own open files while code of the user's runs: whether it left them alone, and putting them back.

Code that closes all files ("from 3 to 200", as recipes for daemons do) closes the database
under SQLite. Whatever it opens next gets that number, and a commit would write into that
file. So our files are looked at after each call; where one is missing the call has failed,
and the file is opened again under its number, so that the failure can be recorded.

Linux alone tells which files are open under which name; elsewhere nothing is looked at.
"""

from __future__ import annotations

import os
import stat
import sys

from trayapp.errors import EffectError
from trayapp.value import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import NoReturn

_STANDARD = (0, 1, 2)
_FEWEST = 32  # open files that our own work is sure to find enough


class OpenFile(NamedTuple):
    """What lies behind a number: which file, under which name, opened how."""

    identity: tuple[int, int]
    path: str
    flags: int


class OwnFiles:
    """The files that are open at the time of making, and the standard three."""

    def __init__(self) -> None:
        self._files = _open_files()
        self._limit = _file_limit()

    def begin(self, *later: str) -> None:
        """Look anew before a call: what we closed ourselves since is ours no more; *later* are paths opened since."""
        found = _open_files() if later else {}
        wanted = {identity for path in later if (identity := _identity_of(path)) is not None}
        self._files = {
            **{number: file for number, file in self._files.items() if _identity_of(number) == file.identity},
            **{number: file for number, file in found.items() if file.identity in wanted},
        }

    def check(self, path: str) -> None:
        """Put back what the code in *path* closed or took the place of.

        Raises: EffectError `python-closed-files` when it did; the commit must not be tried.
        Ends the process where the code forbade it for good to open files.
        """
        if not self._restore_limit():
            _leave(EffectError("python-file-limit", path=path))
        lost = [number for number in sorted(self._files) if self._is_lost(number)]
        for number in lost:
            _put_back(number, self._files[number])
        if any(number not in _STANDARD for number in lost):
            raise EffectError("python-closed-files", path=path)

    def forget(self, path: str) -> None:
        """Look no more after the file at *path*, which is ours to close."""
        path = os.path.realpath(path)
        self._files = {number: file for number, file in self._files.items() if file.path != path}

    def _is_lost(self, number: int) -> bool:
        identity = _identity_of(number)
        if number in _STANDARD:
            return identity is None  # another file in its place is a redirection
        return identity != self._files[number].identity

    def _restore_limit(self) -> bool:
        if sys.platform != "linux" or not 0 <= _file_limit()[0] < min(_FEWEST, self._limit[0]):
            return True
        import resource  # noqa: PLC0415  # hardly ever

        for hard in (self._limit[1], _file_limit()[1]):
            soft = self._limit[0] if hard == resource.RLIM_INFINITY else min(self._limit[0], hard)
            try:
                resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
            except (OSError, ValueError):
                continue  # nobody but root may raise what was lowered for good
            return soft >= _FEWEST
        return False


def _open_files() -> dict[int, OpenFile]:
    if sys.platform != "linux":
        return {}
    import fcntl  # noqa: PLC0415  # POSIX alone has it

    files = {}
    for name in os.listdir("/proc/self/fd"):
        number = int(name)
        try:
            found = os.fstat(number)
            if number in _STANDARD or stat.S_ISREG(found.st_mode):
                flags = fcntl.fcntl(number, fcntl.F_GETFL)
                path = os.readlink(f"/proc/self/fd/{name}")
                files[number] = OpenFile((found.st_dev, found.st_ino), path, flags)
        except OSError:
            continue  # the listing's own, which is closed by now
    return files


def _file_limit() -> tuple[int, int]:
    if sys.platform != "linux":
        return (-1, -1)
    import resource  # noqa: PLC0415  # POSIX alone has it

    return resource.getrlimit(resource.RLIMIT_NOFILE)


def _identity_of(file: int | str) -> tuple[int, int] | None:
    try:
        found = os.stat(file)
    except OSError:
        return None
    return found.st_dev, found.st_ino


def _leave(error: EffectError) -> NoReturn:
    """Tell *error* and end the process: without a file, nothing can be recorded or even loaded any more.

    What was open is taken back, and the job's next run records that this one was cut short.
    """
    _try_close(0)  # the one number that we can do without
    try:
        from trayapp.wording.speech import sentence  # noqa: PLC0415  # only trouble is told

        told = sentence(error)
    except (OSError, ImportError):
        told = str(error)
    try:
        os.write(2, f"birkez: {told}\n".encode("utf-8", "backslashreplace"))
    finally:
        os._exit(error.exit_status)


def _put_back(number: int, file: OpenFile) -> None:
    """Open the file again under its *number*; what must not be written to any more becomes nowhere."""
    try:
        opened = _open_again(number, file)
        if opened != number:
            os.dup2(opened, number, inheritable=False)
            os.close(opened)
        if number in _STANDARD:
            os.set_inheritable(number, True)  # as a shell hands them on
    except OSError:
        _try_close(number)  # then better no file than the user's


def _open_again(number: int, file: OpenFile) -> int:
    if number not in _STANDARD:
        try:
            opened = os.open(file.path, file.flags & (os.O_RDWR | os.O_WRONLY | os.O_APPEND))
        except OSError:
            pass  # removed meanwhile
        else:
            if _identity_of(opened) == file.identity:
                return opened
            os.close(opened)
    return os.open(os.devnull, os.O_RDWR)


def _try_close(number: int) -> None:
    try:
        os.close(number)
    except OSError:
        return  # it is closed
