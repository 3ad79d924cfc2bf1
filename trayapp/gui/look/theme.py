"""All colours and type sizes; no other module names one.

Palette roles have fixed meanings here: page `Window`, lists and cards `Base`, code
`AlternateBase`, second line `PlaceholderText`, hairlines `Mid`, inner lines and what lies
under the pointer `Midlight`, edges of fields `Dark`, the one accent `Highlight`.
State colours come as a pair: *text* reads at 4.5:1 on every ground here, *fill* is seen at 3:1.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Literal

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtGui import QColor, QFont, QFontDatabase, QPalette

from trayapp.gui.look import contrast
from trayapp.gui.look.sheet import style_sheet

if TYPE_CHECKING:
    from PySide6.QtWidgets import QApplication

Role = QPalette.ColorRole
Tone = Literal["ok", "run", "warn", "bad", "idle"]
Scheme = Literal["system", "light", "dark"]
Size = Literal["title", "head", "body", "small", "tiny"]

_LIGHT: Final = {
    Role.Window: "#f3f4f6",
    Role.Base: "#ffffff",
    Role.AlternateBase: "#f8f9fa",
    Role.WindowText: "#1b1f24",
    Role.Text: "#1b1f24",
    Role.PlaceholderText: "#59626e",
    Role.Button: "#ffffff",
    Role.ButtonText: "#1b1f24",
    Role.Highlight: "#0b60b8",
    Role.HighlightedText: "#ffffff",
    Role.Accent: "#0b60b8",
    Role.Link: "#0b60b8",
    Role.Mid: "#d3d8de",
    Role.Midlight: "#e6e9ed",
    Role.Dark: "#7d8794",
    Role.Light: "#ffffff",
    Role.Shadow: "#1b1f24",
    Role.ToolTipBase: "#ffffff",
    Role.ToolTipText: "#1b1f24",
    Role.BrightText: "#ffffff",
}
_DARK: Final = {
    Role.Window: "#1a1c20",
    Role.Base: "#22252a",
    Role.AlternateBase: "#272a30",
    Role.WindowText: "#e8eaed",
    Role.Text: "#e8eaed",
    Role.PlaceholderText: "#a6afbb",
    Role.Button: "#2d3138",
    Role.ButtonText: "#e8eaed",
    Role.Highlight: "#62aefc",
    Role.HighlightedText: "#0a1420",
    Role.Accent: "#62aefc",
    Role.Link: "#7cbcff",
    Role.Mid: "#3c424b",
    Role.Midlight: "#30353c",
    Role.Dark: "#8b95a2",
    Role.Light: "#3a3f47",
    Role.Shadow: "#000000",
    Role.ToolTipBase: "#30343b",
    Role.ToolTipText: "#f1f3f5",
    Role.BrightText: "#ffffff",
}
_TONES: Final[dict[bool, dict[Tone, tuple[str, str]]]] = {
    False: {
        "ok": ("#1a6e3a", "#2f9457"),
        "run": ("#0b60b8", "#1f78d1"),
        "warn": ("#8a5000", "#c47600"),
        "bad": ("#b0251e", "#d0392f"),
        "idle": ("#59626e", "#7d8794"),
    },
    True: {
        "ok": ("#6fd394", "#4db877"),
        "run": ("#7cbcff", "#4f9fee"),
        "warn": ("#f5c060", "#e0a233"),
        "bad": ("#ff9a91", "#f0685e"),
        "idle": ("#a6afbb", "#8b95a2"),
    },
}
_CHOSEN: Final = ("run", 0.14)  # tint of a chosen row
_TINT: Final = {False: 0.09, True: 0.16}
_SIZES: Final[dict[Size, float]] = {"title": 1.55, "head": 1.16, "body": 1.0, "small": 0.925, "tiny": 0.85}

STEP: Final = 4  # pixels of the grid: distances are 1, 2, 3, 4 or 6 of it
TOKEN_TONES: Final[dict[str, Tone]] = {"ISLENDI": "ok", "ATLANDI": "idle", "HATA": "bad", "BELIRSIZ": "warn"}


class Theme(QObject):
    """Light or dark, as the system says or as a person chose; `changed` when that or the system's font turns.

    In high contrast, the system's own colours.
    """

    changed = Signal()

    def __init__(self, app: QApplication, scheme: Scheme = "system") -> None:
        super().__init__(app)
        self._app = app
        self._scheme = scheme
        self._fonts: dict[tuple[object, ...], QFont] = {}
        self.is_dark = False
        self._system: dict[Role, QColor] | None = None  # colours in high contrast
        app.setStyle("Fusion")
        hints = app.styleHints()
        hints.colorSchemeChanged.connect(self._on_system_scheme)
        turned = contrast.turned(hints)
        if turned is not None:
            turned.connect(lambda _preference: self._apply())
        app.fontChanged.connect(lambda _font: self._on_font())
        self.choose(scheme)

    def choose(self, scheme: Scheme) -> None:
        """Follow the system, or stay light or dark."""
        self._scheme = scheme
        self._apply()

    @property
    def is_high_contrast(self) -> bool:
        """Tell whether the system's own colours are shown."""
        return self._system is not None

    def color(self, role: Role) -> QColor:
        """Colour of a palette role."""
        if self._system is not None:
            return QColor(self._system[role])
        return QColor((_DARK if self.is_dark else _LIGHT)[role])

    def text(self, tone: Tone) -> QColor:
        """Colour of words that tell a state."""
        if self._system is not None:
            return self.color(Role.WindowText)
        return QColor(_TONES[self.is_dark][tone][0])

    def fill(self, tone: Tone) -> QColor:
        """Colour of forms that tell a state."""
        if self._system is not None:
            return self.color(Role.WindowText)
        return QColor(_TONES[self.is_dark][tone][1])

    def tint(self, tone: Tone, share: float | None = None) -> QColor:
        """Ground under words of that tone: its fill laid thinly over `Base`."""
        if self._system is not None:
            return contrast.chosen_ground(self._system) if (tone, share) == _CHOSEN else self.color(Role.Base)
        part = _TINT[self.is_dark] if share is None else share
        above, below = self.fill(tone), self.color(Role.Base)
        mixed = (
            round(over * part + under * (1 - part))
            for over, under in zip(above.getRgb()[:3], below.getRgb()[:3], strict=True)  # type: ignore[index]
        )
        return QColor(*mixed)

    def font(self, size: Size = "body", weight: int = 400, *, monospace: bool = False) -> QFont:
        """Font of the system in one of our sizes; its digits are of one width, so that times do not dance."""
        base = self._app.font()
        key = (size, weight, monospace, base.key())
        if key not in self._fonts:
            font = QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont) if monospace else QFont(base)
            if base.pointSizeF() > 0:
                font.setPointSizeF(base.pointSizeF() * _SIZES[size])
            else:
                font.setPixelSize(round(base.pixelSize() * _SIZES[size]))
            font.setWeight(QFont.Weight(weight))
            if not monospace:
                font.setFeature(QFont.Tag("tnum"), 1)
            self._fonts[key] = font
        return self._fonts[key]

    def _wants_dark(self) -> bool:
        if self._scheme == "system":
            return self._app.styleHints().colorScheme() == Qt.ColorScheme.Dark
        return self._scheme == "dark"

    def _on_system_scheme(self, _scheme: Qt.ColorScheme) -> None:
        if self._scheme == "system" and self._wants_dark() != self.is_dark:
            self._apply()

    def _on_font(self) -> None:
        self._fonts.clear()
        self.changed.emit()

    def _apply(self) -> None:
        if contrast.is_wanted(self._app.styleHints()):
            self._system = contrast.system_colors(self._app)
            self.is_dark = self._system[Role.Base].lightness() < self._system[Role.Text].lightness()
        else:
            self._system, self.is_dark = None, self._wants_dark()
        palette = QPalette()
        for role in _LIGHT:
            palette.setColor(role, self.color(role))
        for role in (Role.Text, Role.WindowText, Role.ButtonText):
            palette.setColor(QPalette.ColorGroup.Disabled, role, self.fill("idle"))
        self._app.setPalette(palette)
        self._app.setStyleSheet(style_sheet(self))
        self.changed.emit()
