"""A claim's file made and locked on Windows: a locked byte, as in `trayapp.lock.on_win32`.

The C library opens without FILE_SHARE_DELETE, so a file that somebody has open cannot be
removed, and path and open file need not be compared. Removing therefore comes after
closing, and loses against whoever opened the claim in between: it is theirs then.
"""

from __future__ import annotations

import os
import sys

assert sys.platform == "win32"  # for mypy, which then checks this file for its systems alone

from trayapp.lock.on_win32 import lock_byte  # noqa: E402  # Windows' own

_FLAGS = os.O_RDWR | os.O_BINARY | os.O_NOINHERIT


def take(path: str) -> tuple[int, bool] | None:
    """Open and lock the claim at *path*; also tells whether it is new. None when somebody alive has it.

    Raises: OSError.
    """
    try:
        descriptor, is_new = _open(path)
    except PermissionError:
        # Being removed at this moment, or looked at by a virus scanner. A folder that really
        # cannot be written to was refused before.
        return None
    kept = False
    try:
        kept = lock_byte(descriptor)
    finally:
        if not kept:
            os.close(descriptor)
    return (descriptor, is_new) if kept else None


def give_back(descriptor: int, path: str) -> None:
    """Free the claim's lock by closing it, and remove it unless somebody else has opened it."""
    os.close(descriptor)
    try:
        os.unlink(path)
    except (PermissionError, FileNotFoundError):
        return


def _open(path: str) -> tuple[int, bool]:
    try:
        return os.open(path, _FLAGS | os.O_CREAT | os.O_EXCL, 0o600), True
    except FileExistsError:
        return os.open(path, _FLAGS | os.O_CREAT, 0o600), False
