"""What goes beside the program into the packages: each part is well formed, and names what is really there."""

from __future__ import annotations

import ast
import configparser
import os
import plistlib
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from tests.conftest import CHECKOUT
from trayapp.cli.main import MODULES

pytestmark = pytest.mark.posix  # packages are made there
INSTALLER = CHECKOUT / "installer"


def describe(form: str, language: str = "C.UTF-8") -> str:
    environment = {**os.environ, "LC_ALL": language, "LANGUAGE": language[:2]}
    words = [sys.executable, INSTALLER / "linux" / "describe.py", form]
    return subprocess.run(words, env=environment, capture_output=True, encoding="utf-8", check=True).stdout


def checked(*words: str | Path, given: str = "") -> str:
    """What a checker said; the test is skipped where it is not installed."""
    if shutil.which(str(words[0])) is None:
        pytest.skip(f"needs {words[0]}")
    done = subprocess.run(words, input=given, capture_output=True, encoding="utf-8", check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout + done.stderr


def test_desktop_entry_starts_the_tray_and_speaks_turkish():
    entry = configparser.RawConfigParser(interpolation=None)
    entry.optionxform = str
    entry.read(INSTALLER / "linux" / "birkez.desktop", encoding="utf-8")
    main = entry["Desktop Entry"]
    assert (main["Type"], main["Exec"], main["Icon"]) == ("Application", "birkez-tray", "birkez")
    assert {"GenericName[tr]", "Comment[tr]", "Keywords[tr]"} <= set(main)
    assert all(main[key].endswith(";") for key in ("Categories", "Keywords", "Keywords[tr]"))


def test_desktop_entry_passes_the_desktop_s_own_check():
    assert checked("desktop-file-validate", INSTALLER / "linux" / "birkez.desktop") == ""


@pytest.mark.parametrize("language", ["C.UTF-8", "tr_TR.UTF-8"])
def test_manual_page_names_every_command(language: str):
    page = describe("man", language)
    for name in (name for names in MODULES.values() for name in names):
        assert f".B {name}".replace("-", "\\-") in page, name
    assert page.startswith(".TH BIRKEZ 1")


@pytest.mark.parametrize("language", ["C.UTF-8", "tr_TR.UTF-8"])
def test_manual_page_passes_groff_without_a_warning(language: str):
    assert checked("groff", "-man", "-Tutf8", "-ww", "-Kutf8", "-z", given=describe("man", language)) == ""


def test_completion_is_bash_and_offers_every_command():
    script = describe("bash")
    assert checked("bash", "-n", given=script) == ""
    asked = f'{script}\nCOMP_WORDS=(birkez ""); COMP_CWORD=1; _birkez; printf "%s\\n" "${{COMPREPLY[@]}}"'
    offered = checked("bash", "-c", asked).split()
    assert {name for names in MODULES.values() for name in names} <= set(offered)


def test_script_before_removal_is_plain_shell():
    assert checked("sh", "-n", INSTALLER / "linux" / "prerm") == ""


@pytest.mark.skipif(shutil.which("makensis") is None, reason="needs nsis")
def test_windows_installer_compiles_without_a_warning(tmp_path: Path):
    (tmp_path / "birkez" / "_internal").mkdir(parents=True)
    for name in ("birkez.exe", "birkez-tray.exe", "birkez-run.exe", "_internal/x"):
        (tmp_path / "birkez" / name).write_bytes(b"MZ")
    (tmp_path / "icons").mkdir()
    # The smallest icon: one picture of one point.
    picture = bytes.fromhex(
        "28000000010000000200000001002000000000000400000000000000000000000000000000000000ffffffff00000000"
    )
    head = bytes.fromhex("000001000100010101000100") + bytes.fromhex("2000") + len(picture).to_bytes(4, "little")
    (tmp_path / "icons" / "birkez.ico").write_bytes(head + (22).to_bytes(4, "little") + picture)
    subprocess.run([sys.executable, INSTALLER / "setup_exe.py", tmp_path], check=True)
    version = tomllib.loads((CHECKOUT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["version"]
    assert (tmp_path / f"birkez-{version}-setup.exe").stat().st_size > 10_000


def test_windows_installer_is_made_for_64_bits():
    first = next(
        line
        for line in (INSTALLER / "windows" / "birkez.nsi").read_text(encoding="utf-8").splitlines()
        if not line.startswith(";")
    )
    assert first == "Target amd64-unicode"  # of 32 bits it ends well and installs nothing


def test_instructions_for_pyinstaller_are_python():
    for path in (INSTALLER / "frozen").iterdir():
        if path.suffix in (".py", ".spec"):
            ast.parse(path.read_text(encoding="utf-8"), str(path))


def test_bundle_of_macos_is_well_formed_and_says_that_nobody_tried_it():
    text = (INSTALLER / "macos" / "Info.plist").read_bytes()
    facts = plistlib.loads(text)
    assert (facts["CFBundleExecutable"], facts["LSUIElement"]) == ("birkez-tray", True)
    assert b"UNTESTED" in text
    assert "UNTESTED" in (INSTALLER / "frozen" / "birkez.spec").read_text(encoding="utf-8")
