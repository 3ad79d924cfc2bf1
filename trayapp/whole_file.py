"""A file that is replaced whole: after a crash or a power cut it is the old one or the new one.

Written beside it, flushed, renamed over it, and the folder flushed: without the last, a
power cut can take the new name away again.
"""

from __future__ import annotations

import os
import sys
import time

ATTEMPTS, PAUSE_S = 50, 0.02  # a second in all, while Windows keeps a file from being replaced or opened


def replace_file(path: str, content: bytes) -> None:
    """Put *content* in place of the file at *path*, readable by this user alone.

    Raises: OSError; then too the file is the old one or the new one, and nothing lies beside it.
    """
    part = write_beside(path, content)
    try:
        _put_in_place(part, path)
        flush_folder(os.path.dirname(path))
    except OSError:
        remove_part(part)
        raise


def create_file(path: str, content: bytes) -> None:
    """Like `replace_file`, but never over a file: whoever publishes second gets FileExistsError.

    Raises: OSError; then nothing of ours lies there.
    """
    part = write_beside(path, content)
    try:
        _publish(part, path)
        flush_folder(os.path.dirname(path))
    except OSError:
        remove_part(part)
        raise


def write_beside(path: str, content: bytes) -> str:
    """Write *content* beside *path*, flushed, and return the name, which ends in `.part`.

    Raises: OSError; then nothing is left there.
    """
    part = f"{path}.{os.getpid()}-{os.urandom(4).hex()}.part"
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)  # else Windows adds CRs
    try:
        with open(os.open(part, flags, 0o600), "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
    except OSError:
        remove_part(part)
        raise
    return part


def flush_folder(folder: str) -> None:
    """Make names that changed in *folder* survive a power cut; Windows has no such call."""
    if sys.platform == "win32":
        return
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def remove_part(part: str) -> None:
    """Take away what was written beside; the error before this one is what has to be told."""
    try:
        os.unlink(part)
    except OSError:
        return  # never made, or gone with its folder


def _put_in_place(part: str, path: str) -> None:
    for attempt in range(ATTEMPTS):
        try:
            os.replace(part, path)
        except PermissionError:
            # On Windows a file that someone reads at this moment cannot be replaced.
            if sys.platform != "win32" or attempt == ATTEMPTS - 1:
                raise
            time.sleep(PAUSE_S)
        else:
            return


def _publish(part: str, path: str) -> None:
    """Give *part* the name *path* unless something has it."""
    if sys.platform == "win32":
        os.rename(part, path)  # refuses an existing name there
        return
    try:
        os.link(part, path)
    except FileExistsError:
        raise
    except OSError:
        # A memory stick (FAT) has no links: hold the name with an empty file, which a crash
        # here would leave behind and which is then told as such.
        os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))
        os.replace(part, path)
    else:
        os.unlink(part)
