"""Run a command with a network folder mounted: `network_mount.py FOLDER KIND COMMAND…` (root, Linux).

The mount is real, of type `fuse.KIND`, and seen by the command alone; behind it stands a
server that knows an empty folder and no more.
"""

from __future__ import annotations

import ctypes
import errno
import os
import struct
import sys

_IN = struct.Struct("IIQQIIII")  # fuse_in_header: length, opcode, unique, node, uid, gid, pid, padding
_OUT = struct.Struct("IiQ")  # fuse_out_header: length, error, unique
_LOOKUP, _FORGET, _GETATTR, _INIT, _INTERRUPT, _BATCH_FORGET = 1, 2, 3, 26, 36, 42
_CLONE_NEWNS, _MS_REC, _MS_PRIVATE = 0x20000, 0x4000, 0x40000
_DIRECTORY_MODE = 0o40755


def _answer(opcode: int) -> tuple[int, bytes]:
    if opcode == _INIT:
        return 0, struct.pack("IIIIHHIIHHI", 7, 31, 0, 0, 0, 0, 4096, 1, 1, 0, 0).ljust(64, b"\0")
    if opcode == _GETATTR:
        attributes = struct.pack("6Q3I7I", 1, 0, 0, 0, 0, 0, 0, 0, 0, _DIRECTORY_MODE, 2, 0, 0, 0, 4096, 0)
        return 0, struct.pack("QII", 0, 0, 0) + attributes
    return (-errno.ENOENT if opcode == _LOOKUP else -errno.ENOSYS), b""


def _serve(fd: int) -> None:
    while True:
        try:
            request = os.read(fd, 1 << 17)
        except OSError:  # ENODEV: the command has ended, and the mount with it
            return
        _, opcode, unique, *_ = _IN.unpack_from(request)
        if opcode not in (_FORGET, _INTERRUPT, _BATCH_FORGET):
            error, body = _answer(opcode)
            os.write(fd, _OUT.pack(_OUT.size + len(body), error, unique) + body)


def main(folder: str, kind: str, *command: str) -> None:
    libc = ctypes.CDLL(None, use_errno=True)
    fd = os.open("/dev/fuse", os.O_RDWR)
    options = f"fd={fd},rootmode={_DIRECTORY_MODE:o},user_id=0,group_id=0".encode()
    for failed in (
        libc.unshare(_CLONE_NEWNS),
        libc.mount(None, b"/", None, _MS_REC | _MS_PRIVATE, None),
        libc.mount(b"server:/export", os.fsencode(folder), b"fuse." + kind.encode(), 0, options),
    ):
        if failed:
            raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    if os.fork() == 0:
        # A namespace of its own, without which the mount would live as long as its server.
        os.setsid()
        libc.unshare(_CLONE_NEWNS)
        libc.umount2(os.fsencode(folder), 2)  # MNT_DETACH
        for stream in (0, 1, 2):
            os.dup2(os.open(os.devnull, os.O_RDWR), stream)
        _serve(fd)
        os._exit(0)
    os.execvp(command[0], command)


main(*sys.argv[1:])
