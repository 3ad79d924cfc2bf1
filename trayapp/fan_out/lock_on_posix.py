"""A claim's file made and locked on Linux and macOS: `O_EXCL`, flock, and the inode compared.

Who locks a file that its owner removed meanwhile owns nothing: the next to come makes a
new file of that name. So path and open file are compared after locking.
"""

from __future__ import annotations

import os
import sys

assert sys.platform != "win32"  # for mypy, which then checks this file for its systems alone

import fcntl  # noqa: E402  # known here to exist

_FLAGS = os.O_RDWR | os.O_NOFOLLOW | os.O_CLOEXEC
_TRIES = 20


def take(path: str) -> tuple[int, bool] | None:
    """Open and lock the claim at *path*; also tells whether it is new. None when somebody alive has it.

    Raises: OSError.
    """
    for _ in range(_TRIES):
        try:
            descriptor, is_new = os.open(path, _FLAGS | os.O_CREAT | os.O_EXCL, 0o600), True
        except FileExistsError:
            try:
                descriptor, is_new = os.open(path, _FLAGS), False
            except FileNotFoundError:
                continue  # its owner has just finished
        kept = False
        try:
            try:
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                return None
            kept = _is_at(path, descriptor)
        finally:
            if not kept:
                os.close(descriptor)
        if kept:
            return descriptor, is_new
    return None


def give_back(descriptor: int, path: str) -> None:
    """Remove the claim and free its lock: removed first, so that nobody locks a name that is about to go."""
    try:
        os.unlink(path)
    except FileNotFoundError:
        pass  # a person cleared the folder
    finally:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_UN)  # also from a child that C code forked past Python
        finally:
            os.close(descriptor)


def _is_at(path: str, descriptor: int) -> bool:
    try:
        current = os.stat(path, follow_symlinks=False)
    except FileNotFoundError:
        return False
    locked = os.fstat(descriptor)
    return current.st_ino == locked.st_ino and current.st_dev == locked.st_dev
