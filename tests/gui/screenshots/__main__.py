"""`python -m tests.gui.screenshots FOLDER [--scene NAME]…`: each view, in tr and en, light and dark, at 100 and 200 %.

Each language, scheme and scale is a process of its own, on the display that is there or
offscreen.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
from pathlib import Path

VARIANTS = [
    (language, scheme, scale) for language in ("tr", "en") for scheme in ("light", "dark") for scale in ("1", "2")
]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--scene", action="append", help="this one alone; may be given again")
    parser.add_argument("--variant", help="one of tr-light-1 … en-dark-2 alone")
    options = parser.parse_args()
    options.folder.mkdir(parents=True, exist_ok=True)
    failed = 0
    for variant in VARIANTS:
        if options.variant in (None, "-".join(variant)):
            failed |= _render(options.folder, *variant, options.scene or [])
    return failed


def _render(folder: Path, language: str, scheme: str, scale: str, scenes: list[str]) -> int:
    environment = {**os.environ, "QT_SCALE_FACTOR": scale, "TZ": "Europe/Istanbul", "NO_AT_BRIDGE": "1"}
    environment.setdefault("QT_QPA_PLATFORM", "xcb" if os.environ.get("DISPLAY") else "offscreen")
    words = [sys.executable, "-m", "tests.gui.screenshots.render", str(folder), language, scheme, scale, *scenes]
    return subprocess.run(words, env=environment, check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
