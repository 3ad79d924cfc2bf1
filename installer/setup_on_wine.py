"""Build Windows' installer on Debian, and try it: `python3 installer/setup_on_wine.py [--test] [FOLDER]`.

Freezes with the genuine Windows CPython on Wine, packs with NSIS, and with `--test` installs,
uses, upgrades and removes it there. Makes `birkez-VERSION-setup.exe` in FOLDER
(build/windows unless named); the interpreter and Wine's folders stay in a cache.
"""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

import freeze
import setup_exe
from debian import WINDOWS_TOOLS, missing_packages
from step import Failure, clean_environment, do, say

CHECKOUT = Path(__file__).resolve().parent.parent
_SKIPPED = 77
_FREEZE = CHECKOUT / "installer" / "windows" / "freeze_on_wine.sh"
_TRY = CHECKOUT / "tests" / "platform" / "windows" / "installer.sh"
_ICONS = CHECKOUT / "installer" / "frozen" / "draw_icons.py"


def main(words: list[str]) -> int:
    """Build, and with `--test` try; returns the exit status, 77 where something is missing."""
    is_tried = "--test" in words
    named = [word for word in words if not word.startswith("--")]
    if len(named) > 1 or any(word.startswith("--") and word != "--test" for word in words):
        say("Kullanım: setup_on_wine.py [--test] [KLASÖR]", "Usage: setup_on_wine.py [--test] [FOLDER]", to=sys.stderr)
        return 2
    folder = Path(named[0] if named else CHECKOUT / "build" / "windows").resolve()
    try:
        missing = missing_packages(WINDOWS_TOOLS)
        if missing:
            command = f"sudo apt-get install {' '.join(missing)}"
            say(f"Önce: {command}", f"First: {command}", to=sys.stderr)
            return _SKIPPED
        return _build(folder) or (_try(folder) if is_tried else 0)
    except Failure as failure:
        say(failure.turkish, failure.english, to=sys.stderr)
        return 1


def cache() -> Path:
    """Where the interpreter and Wine's folders stay, which take minutes to make."""
    named = os.environ.get("BIRKEZ_FREEZER_CACHE")
    base = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
    return Path(named or Path(base) / "birkez-freezer")


def _build(folder: Path) -> int:
    began = time.monotonic()
    icons = folder / "icons"
    if not icons.is_dir():  # Qt draws nothing on this Wine
        python = freeze.environment(folder / "here")
        do([python, str(_ICONS), str(icons)], "Simgeler çizilemedi", "Cannot draw the icons")
    say("Wine'da donduruluyor; birkaç dakika sürer…", "Freezing on Wine, which takes minutes…")
    status = subprocess.run([str(_FREEZE), str(folder), str(cache())], env=clean_environment(), check=False).returncode
    if status:
        return status
    made = setup_exe.pack(folder)
    size, took = made.stat().st_size / (1 << 20), time.monotonic() - began
    say(f"{made}: {size:.0f} MiB, {took:.0f} sn.", f"{made}: {size:.0f} MiB, {took:.0f} s.")
    return 0


def _try(folder: Path) -> int:
    words = [str(_TRY), str(folder), str(cache() / "person")]
    return subprocess.run(words, env=clean_environment(), check=False).returncode


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
