"""Giving a finished part its target's name: never over a file, whole, and so that a power cut keeps it.

`link` refuses an existing name and works wherever there are hard links; a memory stick has
none, so there the system's own "rename, but over nothing" is asked. A file system with
neither is refused before anything is done.
"""

from __future__ import annotations

import errno
import os
import sys
import time

from trayapp.errors import SetupError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    Publish = Callable[[str, str], bool]

PROBE = "probe-"  # how names of files begin that only try the folder out
_TRIES = 5
_UNWRITABLE = (errno.EACCES, errno.EROFS, errno.ENOSPC, errno.EDQUOT, errno.ENOENT)
_AT_FDCWD = -100
_RENAME_NOREPLACE = 1  # renameat2(2)
_RENAME_EXCL = 4  # renamex_np(2) of macOS
_MOVEFILE_WRITE_THROUGH = 8
_ERROR_FILE_EXISTS, _ERROR_ALREADY_EXISTS = 80, 183
_ERROR_ACCESS_DENIED, _ERROR_SHARING_VIOLATION = 5, 32
_IN_USE_PATIENCE_S, _IN_USE_TICK_S = 5.0, 0.05  # a virus scanner looks at what is new


def find_publish(folder: str) -> Publish:
    """Way to publish in *folder*, tried out there: it gives a part a name that is free, or says false.

    Raises: SetupError `targets-cannot-publish`, `targets-unwritable`.
    """
    if sys.platform == "win32":
        _try_out(folder, _move_on_win32)
        return _move_on_win32
    for publish in (_link, _rename):
        try:
            _try_out(folder, publish)
        except OSError as error:
            # EPERM is also how Linux says that a file system has no links.
            if error.errno in _UNWRITABLE or not os.access(folder, os.W_OK):
                raise unwritable(folder, error) from error
        else:
            return publish
    raise SetupError("targets-cannot-publish", path=folder)


def is_in_use(error: OSError) -> bool:
    """Tell whether Windows refused since somebody has the file open."""
    return getattr(error, "winerror", None) == _ERROR_SHARING_VIOLATION


def unwritable(folder: str, error: OSError) -> SetupError:
    """What to tell when nothing can be written in the targets' folder."""
    return SetupError("targets-unwritable", path=folder, reason=error.strerror or str(error))


def _try_out(folder: str, publish: Publish) -> None:
    for attempt in range(_TRIES):
        stem = os.path.join(folder, f"{PROBE}{os.getpid()}-{os.urandom(4).hex()}")
        part, published = stem + ".a.part", stem + ".b.part"  # what a kill leaves here is swept
        try:
            os.close(os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))
            if not publish(part, published):
                raise OSError(errno.EEXIST, os.strerror(errno.EEXIST), published)
        except FileNotFoundError:
            if attempt == _TRIES - 1:  # else somebody has just swept it
                raise
        else:
            return
        finally:
            _remove(part)
            _remove(published)


def _remove(path: str) -> None:
    try:
        os.unlink(path)
    except OSError:
        return  # never made, or moved


def _link(part: str, target: str) -> bool:
    try:
        os.link(part, target)
    except FileExistsError:
        return False
    os.unlink(part)
    return True


def _rename(part: str, target: str) -> bool:
    """Rename, but over nothing; where the system knows no such thing it answers EINVAL or ENOSYS."""
    import ctypes  # noqa: PLC0415  # only where there are no links

    library = ctypes.CDLL(None, use_errno=True)
    old, new = os.fsencode(part), os.fsencode(target)
    if sys.platform == "darwin":
        failed = library.renamex_np(old, new, _RENAME_EXCL)
    elif hasattr(library, "renameat2"):
        failed = library.renameat2(_AT_FDCWD, old, _AT_FDCWD, new, _RENAME_NOREPLACE)
    else:
        raise OSError(errno.ENOSYS, os.strerror(errno.ENOSYS))
    if not failed:
        return True
    number = ctypes.get_errno()
    if number == errno.EEXIST:
        return False
    raise OSError(number, os.strerror(number), target)


def _move_on_win32(part: str, target: str) -> bool:
    if sys.platform != "win32":
        raise AssertionError
    import ctypes  # noqa: PLC0415  # only Windows pays

    kernel32 = ctypes.WinDLL("kernel32", use_last_error=True)
    deadline = time.monotonic() + _IN_USE_PATIENCE_S
    while not kernel32.MoveFileExW(ctypes.c_wchar_p(part), ctypes.c_wchar_p(target), _MOVEFILE_WRITE_THROUGH):
        number = ctypes.get_last_error()
        if number in (_ERROR_FILE_EXISTS, _ERROR_ALREADY_EXISTS):
            return False
        if number not in (_ERROR_ACCESS_DENIED, _ERROR_SHARING_VIOLATION) or time.monotonic() > deadline:
            raise ctypes.WinError(number)
        time.sleep(_IN_USE_TICK_S)
    return True
