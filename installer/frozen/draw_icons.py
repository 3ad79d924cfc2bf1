"""Draw the program's icon in all sizes that desktops ask for: `draw_icons.py FOLDER`.

Makes `birkez-SIZE.png` for each size, and `birkez.ico` of those that Windows takes.
"""

from __future__ import annotations

import os
import struct
import sys
from pathlib import Path

os.environ["QT_QPA_PLATFORM"] = "offscreen"

from PySide6.QtCore import QByteArray, QRectF, Qt
from PySide6.QtGui import QGuiApplication, QImage, QPainter
from PySide6.QtSvg import QSvgRenderer

SIZES = (16, 22, 24, 32, 48, 64, 96, 128, 256, 512)
_ICO_SIZES = (16, 24, 32, 48, 64, 128, 256)
_DRAWING = Path(__file__).resolve().parents[2] / "resources" / "icons" / "birkez.svg"


def main(folder: Path) -> None:
    """Draw them into *folder*, which is made."""
    application = QGuiApplication([])
    folder.mkdir(parents=True, exist_ok=True)
    renderer = QSvgRenderer(QByteArray(_DRAWING.read_bytes()))
    for size in SIZES:
        image = QImage(size, size, QImage.Format.Format_ARGB32)
        image.fill(Qt.GlobalColor.transparent)
        painter = QPainter(image)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        renderer.render(painter, QRectF(0, 0, size, size))
        painter.end()
        if not image.save(str(folder / f"birkez-{size}.png")):
            sys.exit(f"{folder}: cannot write")
    pictures = [(size, (folder / f"birkez-{size}.png").read_bytes()) for size in _ICO_SIZES]
    (folder / "birkez.ico").write_bytes(ico(pictures))
    del application


def ico(pictures: list[tuple[int, bytes]]) -> bytes:
    """Windows' icon file of PNG *pictures*, as it takes them since Vista."""
    at = 6 + 16 * len(pictures)
    entries, bodies = b"", b""
    for size, png in pictures:
        entries += struct.pack("<BBBBHHII", size % 256, size % 256, 0, 0, 1, 32, len(png), at + len(bodies))
        bodies += png
    return struct.pack("<HHH", 0, 1, len(pictures)) + entries + bodies


if __name__ == "__main__":
    main(Path(sys.argv[1]))
