"""Renders all scenes in one language, scheme and scale: a process of `python -m tests.gui.screenshots`."""

from __future__ import annotations

import sys
import tempfile

from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from tests.gui.screenshots.scenes import SCENES
from tests.gui.stage import Stage


def main(folder: str, language: str, scheme: str, scale: str, *wanted: str) -> int:
    app = QApplication([])
    for name, scene in SCENES.items():
        if wanted and name not in wanted:
            continue
        with tempfile.TemporaryDirectory() as home:
            stage = Stage(app, home, language, scheme)
            view = scene(stage)
            view.show()
            QTest.qWait(120)
            picture = view.grab()
            path = f"{folder}/{name}-{language}-{scheme}-{scale}00.png"
            picture.save(path)
            print(path, f"{picture.width()}×{picture.height()}", flush=True)
            view.close()
            view.deleteLater()
            stage.close()
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
