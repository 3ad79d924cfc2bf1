"""High contrast: the colours that a person chose for the whole system, in place of ours.

Tints and fills go, forms and words stay: what tells a state is then its shape and its text.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
from PySide6.QtGui import QColor, QPalette

if TYPE_CHECKING:
    from PySide6.QtCore import SignalInstance
    from PySide6.QtGui import QStyleHints
    from PySide6.QtWidgets import QApplication

Role = QPalette.ColorRole

# Roles that we give a meaning of our own, and what stands for them where the person's colours rule.
_STAND_INS = {
    Role.PlaceholderText: Role.WindowText,  # the system's is half transparent
    Role.Mid: Role.WindowText,
    Role.Dark: Role.WindowText,
    Role.Midlight: Role.Button,
    Role.AlternateBase: Role.Base,
    Role.Accent: Role.Highlight,
}
_CHOSEN_SHARE = 0.25
RULES = """
QPushButton:checked, QPushButton[kind="chip"]:checked, QPushButton[kind="rail"]:checked {{
    background: {Highlight}; color: {HighlightedText}; border: 2px solid {WindowText}; }}
QPushButton:hover, QToolButton:hover {{ border: 2px solid {Highlight}; padding: 4px 10px; }}
QPushButton:disabled, QToolButton:disabled {{ border-style: dashed; }}
QMenu::item:selected {{ background: {Highlight}; color: {HighlightedText}; }}
"""


def is_wanted(hints: QStyleHints) -> bool:
    """Tell whether the system is set to high contrast; not known before Qt 6.10."""
    accessibility = getattr(hints, "accessibility", None)
    if accessibility is None:
        return False
    return bool(accessibility().contrastPreference() == Qt.ContrastPreference.HighContrast)


def turned(hints: QStyleHints) -> SignalInstance | None:
    """Signal that tells when that is set or unset; None before Qt 6.10."""
    accessibility = getattr(hints, "accessibility", None)
    return accessibility().contrastPreferenceChanged if accessibility is not None else None


def system_colors(app: QApplication) -> dict[Role, QColor]:
    """Colours of the system for our roles. Takes ours off the application: the caller sets its palette anew."""
    app.setPalette(QPalette())
    palette = app.palette()
    return {role: palette.color(_STAND_INS.get(role, role)) for role in Role if role != Role.NColorRoles}


def chosen_ground(colors: dict[Role, QColor]) -> QColor:
    """Ground of a chosen row: seen beside the others, and text can be read on it."""
    above, below = colors[Role.Highlight], colors[Role.Base]
    mixed = (
        round(over * _CHOSEN_SHARE + under * (1 - _CHOSEN_SHARE))
        for over, under in zip(above.getRgb()[:3], below.getRgb()[:3], strict=True)  # type: ignore[index]
    )
    return QColor(*mixed)
