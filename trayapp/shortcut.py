"""The name by which Windows joins a program, its views and notifications, inside a shortcut's file.

Windows' own way is COM, which an installer may not have; the file's format is published
([MS-SHLLINK] 2.5.7 and [MS-PROPSTORE]), and the name is one more block at its end.
"""

from __future__ import annotations

import struct

from trayapp.whole_file import replace_file

_HEADER_SIZE = 0x4C
_HAS_TARGET, _HAS_INFO = 0x01, 0x02
_STRINGS = (0x04, 0x08, 0x10, 0x20, 0x40)  # name, relative path, folder, arguments, icon
_IS_UNICODE = 0x80
_SIGNATURE = 0xA0000009  # of the block that holds properties
_FORMAT = bytes.fromhex("55284c9f799f394ba8d0e1d42de1d5f3")  # System.AppUserModel, as bytes of its GUID
_ID, _LPWSTR = 5, 31


def name_shortcut(path: str, app_id: str) -> bool:
    """Write *app_id* into the shortcut at *path* unless it has properties; returns whether it was written.

    Raises: OSError; ValueError when the file is no whole shortcut. Then it is as it was.
    """
    with open(path, "rb") as file:
        data = file.read()
    at = _end_of_blocks(data)
    if at is None:
        return False
    value = app_id.encode("utf-16-le") + b"\0\0"
    value += b"\0" * (-len(value) % 4)
    inner = struct.pack("<IBHHI", _ID, 0, _LPWSTR, 0, len(app_id) + 1) + value
    storage = b"1SPS" + _FORMAT + struct.pack("<I", 4 + len(inner)) + inner + bytes(4)
    store = struct.pack("<I", 4 + len(storage)) + storage + bytes(4)
    block = struct.pack("<II", 8 + len(store), _SIGNATURE) + store
    replace_file(path, data[:at] + block + bytes(4))
    return True


def _end_of_blocks(data: bytes) -> int | None:
    """Offset of the end mark behind the last block; None where one of the blocks holds properties."""
    try:
        (size,) = struct.unpack_from("<I", data)
        (flags,) = struct.unpack_from("<I", data, 20)
        at = _HEADER_SIZE
        if size != _HEADER_SIZE:
            raise ValueError(size)
        if flags & _HAS_TARGET:
            at += 2 + int(struct.unpack_from("<H", data, at)[0])
        if flags & _HAS_INFO:
            at += int(struct.unpack_from("<I", data, at)[0])
        for flag in _STRINGS:
            if flags & flag:
                at += 2 + int(struct.unpack_from("<H", data, at)[0]) * (2 if flags & _IS_UNICODE else 1)
        while at + 4 <= len(data):
            length = int(struct.unpack_from("<I", data, at)[0])
            if length < 4:  # noqa: PLR2004  # the end mark
                return at
            if data[at + 4 : at + 8] == struct.pack("<I", _SIGNATURE):
                return None
            at += length
    except struct.error as error:
        raise ValueError(str(error)) from error
    return at
