"""The icon set: one SVG a sign, drawn in the colour of its role, in every size and pixel density.

A file's `currentColor` is replaced when it is drawn, which gives light, dark and
disabled from one file. Icons that stand on widgets follow the theme by themselves.
"""

from __future__ import annotations

import os
import weakref
from typing import TYPE_CHECKING, Final, Literal

from PySide6.QtCore import QByteArray, QDir, QRectF, Qt
from PySide6.QtGui import QColor, QIcon, QPainter, QPalette, QPixmap
from PySide6.QtSvg import QSvgRenderer
from shiboken6 import isValid

from trayapp.places import resources_dir

if TYPE_CHECKING:
    from PySide6.QtGui import QAction
    from PySide6.QtWidgets import QAbstractButton

    from trayapp.gui.look.theme import Theme, Tone

    Carrier = QAbstractButton | QAction

Sign = Literal["free", "running", "uncertain", "late", "trigger", "failed", "paused", "skipped", "unknown"]
SIGN_TONES: Final[dict[Sign, Tone]] = {
    "free": "ok",
    "running": "run",
    "uncertain": "warn",
    "late": "warn",
    "trigger": "warn",
    "failed": "bad",
    "paused": "idle",
    "skipped": "idle",
    "unknown": "idle",
}
TrayState = Literal["well", "running", "needs-you", "failed"]
_TRAY_SIZES: Final = (16, 20, 22, 24, 32, 40, 48, 64)
BESIDE_TEXT: Final = 1.375  # width of an icon beside words, by its height: 22 to 16
_SIZES: Final = (12, 16, 20, 24, 32, 48)


class Icons:
    """Draws the icons in the colours of *theme*, and draws them again when it changes."""

    def __init__(self, theme: Theme) -> None:
        self._theme = theme
        self._folder = os.path.join(resources_dir(), "icons")
        self._texts: dict[str, str] = {}
        self._icons: dict[tuple[str, Tone | None], QIcon] = {}
        self._pixmaps: dict[tuple[str, str, float, float], QPixmap] = {}
        self._carriers: weakref.WeakKeyDictionary[Carrier, tuple[str, Tone | None]] = weakref.WeakKeyDictionary()
        QDir.addSearchPath("icons", self._folder)
        theme.changed.connect(self._refresh)

    def pixmap(self, name: str, color: QColor, size: float = 16, ratio: float = 1.0) -> QPixmap:
        """Icon *name* as a picture of *size* device-independent pixels, sharp at *ratio*."""
        key = (name, color.name(), size, ratio)
        if key not in self._pixmaps:
            pixmap = QPixmap(round(size * ratio), round(size * ratio))
            pixmap.fill(Qt.GlobalColor.transparent)
            painter = QPainter(pixmap)
            source = self._read(name).replace("currentColor", color.name())
            QSvgRenderer(QByteArray(source.encode())).render(painter, QRectF(pixmap.rect()))
            painter.end()
            pixmap.setDevicePixelRatio(ratio)
            self._pixmaps[key] = pixmap
        return self._pixmaps[key]

    def sign(self, sign: Sign, size: float = 16, ratio: float = 1.0) -> QPixmap:
        """Sign of a job's state, in its colour."""
        tone = SIGN_TONES[sign]
        color = self._theme.text(tone) if tone == "idle" else self._theme.fill(tone)
        return self.pixmap(f"state-{sign}", color, size, ratio)

    def icon(self, name: str, tone: Tone | None = None) -> QIcon:
        """Icon for a button or a menu; with *tone* in that state's colour. Does not follow the theme: see `put`."""
        if (name, tone) in self._icons:
            return self._icons[name, tone]
        normal = self._theme.color(QPalette.ColorRole.ButtonText) if tone is None else self._theme.fill(tone)
        icon = QIcon()
        for size in _SIZES:
            for mode, color in ((QIcon.Mode.Normal, normal), (QIcon.Mode.Disabled, self._theme.fill("idle"))):
                icon.addPixmap(self.pixmap(name, color, size), mode)
        self._icons[name, tone] = icon
        return icon

    def _beside_text(self, name: str, normal: QColor) -> QIcon:
        """Icon with room at its right: style sheets have no rule for the distance to the words."""
        icon = QIcon()
        for size in _SIZES:
            for mode, color in ((QIcon.Mode.Normal, normal), (QIcon.Mode.Disabled, self._theme.fill("idle"))):
                pixmap = QPixmap(round(size * BESIDE_TEXT), size)
                pixmap.fill(Qt.GlobalColor.transparent)
                painter = QPainter(pixmap)
                painter.drawPixmap(0, 0, self.pixmap(name, color, size))
                painter.end()
                icon.addPixmap(pixmap, mode)
        return icon

    def primary(self, name: str) -> QIcon:
        """Icon for a primary button."""
        icon = QIcon()
        for size in _SIZES:
            icon.addPixmap(self.pixmap(name, self._theme.color(QPalette.ColorRole.HighlightedText), size))
        return icon

    def put(self, carrier: Carrier, name: str, tone: Tone | None = None) -> None:
        """Set the icon of a button or an action, and keep it in the theme's colours."""
        if self._carriers.get(carrier) == (name, tone):
            return  # as it is already
        self._carriers[carrier] = (name, tone)
        self._draw(carrier, name, tone)

    def application(self) -> QIcon:
        """Icon of the application itself."""
        return QIcon(os.path.join(self._folder, "birkez.svg"))

    def tray(self, state: TrayState, *, on_dark: bool) -> QIcon:
        """Icon of the tray in that state, for a panel that is dark or light."""
        icon = QIcon()
        for size in _TRAY_SIZES:
            icon.addPixmap(self.pixmap(f"tray-{state}-on-{'dark' if on_dark else 'light'}", QColor(), size))
        return icon

    def _draw(self, carrier: Carrier, name: str, tone: Tone | None) -> None:
        is_primary = carrier.property("kind") == "primary"
        if carrier.property("beside_text"):
            role = QPalette.ColorRole.HighlightedText if is_primary else QPalette.ColorRole.ButtonText
            carrier.setIcon(self._beside_text(name, self._theme.fill(tone) if tone else self._theme.color(role)))
            return
        carrier.setIcon(self.primary(name) if is_primary else self.icon(name, tone))

    def _read(self, name: str) -> str:
        if name not in self._texts:
            with open(os.path.join(self._folder, name + ".svg"), encoding="utf-8") as file:
                self._texts[name] = file.read()
        return self._texts[name]

    def _refresh(self) -> None:
        self._pixmaps.clear()
        self._icons.clear()
        for carrier, (name, tone) in list(self._carriers.items()):
            if isValid(carrier):
                self._draw(carrier, name, tone)
