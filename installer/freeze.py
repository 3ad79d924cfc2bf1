"""Freeze Birkez into one folder that needs no Python: `python3 installer/freeze.py [FOLDER]`.

Makes FOLDER (build/frozen unless named) with `birkez/` in it and the icon in all sizes under
`icons/`. Everything that goes in comes from the checkout, the Python that runs this and
`requirements-freeze.lock`. With `--here` that Python's own packages are taken, where no
environment can be made.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
from pathlib import Path

from step import Failure, clean_environment, do, say

CHECKOUT = Path(__file__).resolve().parent.parent
_LOCK = CHECKOUT / "installer" / "requirements-freeze.lock"
_FROZEN = CHECKOUT / "installer" / "frozen"
_PYTHON = "Scripts/python.exe" if os.name == "nt" else "bin/python"
_MIB = 1 << 20


def main(words: list[str]) -> int:
    """Freeze, and tell how large it became; returns the exit status."""
    is_here = "--here" in words
    named = [word for word in words if not word.startswith("--")]
    if len(named) > 1 or any(word.startswith("--") and word != "--here" for word in words):
        say("Kullanım: freeze.py [--here] [KLASÖR]", "Usage: freeze.py [--here] [FOLDER]", to=sys.stderr)
        return 2
    folder = Path(named[0] if named else CHECKOUT / "build" / "frozen").resolve()
    try:
        python = sys.executable if is_here else environment(folder)
        freeze(python, folder)
    except Failure as failure:
        say(failure.turkish, failure.english, to=sys.stderr)
        return 1
    size = sum(path.stat().st_size for path in (folder / "birkez").rglob("*") if not path.is_symlink()) / _MIB
    say(f"{folder / 'birkez'}: {size:.0f} MiB hazır.", f"{folder / 'birkez'}: {size:.0f} MiB, ready.")
    return 0


def freeze(python: str, folder: Path) -> None:
    """Make `birkez/` in *folder* with *python*, which has the lock's packages.

    Raises: Failure with PyInstaller's own words.
    """
    icons = folder / "icons"
    if not icons.is_dir():  # drawn elsewhere where Qt cannot draw
        do([python, str(_FROZEN / "draw_icons.py"), str(icons)], "Simgeler çizilemedi", "Cannot draw the icons")
    os.environ["BIRKEZ_ICON"] = str(icons / "birkez.ico") if os.name == "nt" else ""
    shutil.rmtree(folder / "birkez", ignore_errors=True)
    words = ["-m", "PyInstaller", "--noconfirm", "--log-level", "WARN", "--distpath", str(folder)]
    do(
        [python, *words, "--workpath", str(folder / "work"), str(_FROZEN / "birkez.spec")],
        "Birkez dondurulamadı",
        "Cannot freeze Birkez",
    )


def environment(folder: Path) -> str:
    """Interpreter of an environment in *folder* with the lock's packages, kept for the next time. Raises: Failure."""
    place = folder / "environment"
    python, stamp = place / _PYTHON, place / "stamp"
    wanted = f"{sys.version}\n{hashlib.sha256(_LOCK.read_bytes()).hexdigest()}\n"
    if stamp.is_file() and stamp.read_text(encoding="utf-8") == wanted and _starts(python):
        return str(python)
    shutil.rmtree(place, ignore_errors=True)
    say("Paketler kuruluyor…", "Installing packages…")
    do([sys.executable, "-m", "venv", str(place)], "Python ortamı kurulamadı", "Cannot create the environment")
    pip = [str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-input", "--no-deps"]
    do([*pip, "--require-hashes", "-r", str(_LOCK)], "Paketler kurulamadı", "Cannot install the packages")
    stamp.write_text(wanted, encoding="utf-8")
    return str(python)


def _starts(python: Path) -> bool:
    try:
        return subprocess.run([python, "-c", ""], env=clean_environment(), check=False).returncode == 0
    except OSError:
        return False


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
