"""Read AppUserModelID out of a shortcut's property store ([MS-SHLLINK] 2.5.7): `shortcut.py FILE EXPECTED`."""

import struct
import sys
import uuid

_STORE = 0xA0000009  # signature of the block that holds properties
_ID = uuid.UUID("9F4C2855-9F79-4B39-A8D0-E1D42DE1D5F3"), 5  # System.AppUserModel.ID
_LPWSTR = 31


def app_id(data: bytes) -> str | None:
    """AppUserModelID of the shortcut in *data*; None where it has none."""
    at = data.find(struct.pack("<I", _STORE))
    if at < 0:
        return None
    (size,) = struct.unpack_from("<I", data, at - 4)
    block = data[at + 4 : at - 4 + size]
    while len(block) >= 24:
        (length,) = struct.unpack_from("<I", block)
        if not length or block[4:8] != b"1SPS":
            return None
        if uuid.UUID(bytes_le=block[8:24]) == _ID[0]:
            found = _value(block[24:length])
            if found is not None:
                return found
        block = block[length:]
    return None


def _value(values: bytes) -> str | None:
    while len(values) >= 17:
        length, number = struct.unpack_from("<II", values)
        if not length:
            return None
        kind, count = struct.unpack_from("<HxxI", values, 9)
        if number == _ID[1] and kind == _LPWSTR:
            return values[17 : 17 + 2 * count].decode("utf-16-le").rstrip("\0")
        values = values[length:]
    return None


if __name__ == "__main__":
    with open(sys.argv[1], "rb") as file:
        found = app_id(file.read())
    print(f"AppUserModelID of the shortcut: {found}")
    sys.exit(found != sys.argv[2])
