"""A shortcut gets the program's name once, and stays what it was; read back by the published format."""

from __future__ import annotations

import struct
import sys
from pathlib import Path

import pytest

from tests.conftest import CHECKOUT
from trayapp.shortcut import name_shortcut

sys.path.append(str(CHECKOUT / "tests" / "platform" / "windows"))

from shortcut import app_id

HEADER = struct.pack("<I", 0x4C) + bytes.fromhex("0114020000000000c000000000000046")
TRACKER = struct.pack("<II", 12, 0xA0000003) + b"abcd"


def shortcut(flags: int, body: bytes, end: bytes = bytes(4)) -> bytes:
    return HEADER + struct.pack("<I", flags) + bytes(0x4C - 24) + body + end


def text(words: str) -> bytes:
    return struct.pack("<H", len(words)) + words.encode("utf-16-le")


TARGET, INFO = struct.pack("<H", 2) + b"\0\0", struct.pack("<I", 6) + b"xx"


@pytest.mark.parametrize(
    "data",
    [
        shortcut(0, b""),
        shortcut(0x81, TARGET),
        shortcut(0x83, TARGET + INFO + TRACKER),
        shortcut(0x83 | 0x14, TARGET + INFO + text("İşler") + text("C:\\Birkez")),
        shortcut(0x83, TARGET + INFO, end=b""),
    ],
)
def test_name_is_written_and_all_else_stays(tmp_path: Path, data: bytes):
    path = tmp_path / "a.lnk"
    path.write_bytes(data)
    assert name_shortcut(str(path), "Birkez.Tray")
    written = path.read_bytes()
    assert app_id(written) == "Birkez.Tray"
    assert written.startswith(data.removesuffix(bytes(4)))
    assert written.endswith(bytes(4))
    assert not name_shortcut(str(path), "Other")
    assert path.read_bytes() == written


@pytest.mark.parametrize("data", [b"", b"MZ" + bytes(100), shortcut(0x81, b"", end=b"")])
def test_file_that_is_no_shortcut_is_left_alone(tmp_path: Path, data: bytes):
    path = tmp_path / "a.lnk"
    path.write_bytes(data)
    with pytest.raises(ValueError):  # noqa: PT011  # its words are struct's
        name_shortcut(str(path), "Birkez.Tray")
    assert path.read_bytes() == data
