"""The rig is what the other tests take it for; a false rig would make them green for nothing."""

from __future__ import annotations

import ctypes
import locale
import os
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.win32


def test_interpreter_is_microsofts_build():
    assert "MSC v." in sys.version
    assert os.name == "nt"


@pytest.mark.skipif(
    sys.platform != "win32" or not hasattr(ctypes.WinDLL("ntdll"), "wine_get_version"), reason="not under Wine"
)
def test_wine_speaks_turkish():
    kernel32 = ctypes.WinDLL("kernel32")
    assert (kernel32.GetACP(), kernel32.GetOEMCP()) == (1254, 857)
    assert locale.getencoding() == "cp1254"
    assert not sys.flags.utf8_mode  # a person's Windows has none


def test_busy_lock_is_refused_as_microsofts_runtime_does(tmp_path: Path):
    import msvcrt

    path = tmp_path / "busy.lock"
    path.touch()
    code = f"import msvcrt, os; msvcrt.locking(os.open({str(path)!r}, os.O_RDWR), msvcrt.LK_NBLCK, 1)"
    with path.open("r+b") as file:
        msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)
        other = subprocess.run([sys.executable, "-c", code], capture_output=True, encoding="utf-8", check=False)
    assert "PermissionError: [Errno 13]" in other.stderr


@pytest.mark.parametrize("name", ["Sipariş özeti İ ı.txt", "a" * 200, "漢字"])
def test_files_bear_the_names_that_people_give(tmp_path: Path, name: str):
    (tmp_path / name).write_text("x", encoding="utf-8")
    assert os.listdir(tmp_path) == [name]


def test_what_ships_compiled_can_be_imported():
    import sqlite3
    import zoneinfo

    import psutil

    assert sqlite3.sqlite_version_info >= (3, 35)
    assert zoneinfo.ZoneInfo("Europe/Istanbul").key == "Europe/Istanbul"
    assert psutil.Process().pid == os.getpid()
