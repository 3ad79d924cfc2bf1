"""Pack the frozen folder into Windows' installer: `setup_exe.py [FOLDER]`, after `freeze.py [FOLDER]` on Windows.

Makes `birkez-VERSION-setup.exe` in FOLDER (build/frozen unless named). Needs NSIS (`makensis`), which
packs on Linux as well what was frozen on Windows.
"""

from __future__ import annotations

import os
import sys
import tomllib
from pathlib import Path

from step import Failure, do, say

CHECKOUT = Path(__file__).resolve().parent.parent
_SCRIPT = CHECKOUT / "installer" / "windows" / "birkez.nsi"
_PROGRAMS = ("birkez.exe", "birkez-tray.exe", "birkez-run.exe")


def main(words: list[str]) -> int:
    """Pack, and tell where; returns the exit status."""
    folder = Path(words[0] if words else CHECKOUT / "build" / "frozen").resolve()
    try:
        made = pack(folder)
    except Failure as failure:
        say(failure.turkish, failure.english, to=sys.stderr)
        return 1
    size = made.stat().st_size / (1 << 20)
    say(f"{made}: {size:.0f} MiB hazır.", f"{made}: {size:.0f} MiB, ready.")
    return 0


def pack(folder: Path) -> Path:
    """Make the installer of *folder*'s frozen program; returns its file. Raises: Failure."""
    frozen = folder / "birkez"
    missing = [name for name in _PROGRAMS if not (frozen / name).is_file()]
    if missing:
        raise Failure(
            f"{frozen}: {missing} yok. Önce Windows'ta freeze.py.", f"{frozen}: no {missing}. First freeze.py."
        )
    version = tomllib.loads((CHECKOUT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["version"]
    version = os.environ.get("BIRKEZ_SETUP_VERSION", version)  # an upgrade is tried with a later one
    made = folder / f"birkez-{version}-setup.exe"
    facts = {"VERSION": version, "FROZEN": frozen, "ICON": folder / "icons" / "birkez.ico", "OUT": made}
    words = ["makensis", "-V2", "-WX", "-INPUTCHARSET", "UTF8", *(f"-D{name}={value}" for name, value in facts.items())]
    do([*words, str(_SCRIPT)], "Kurulum dosyası yapılamadı", "Cannot make the installer")
    return made


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
