"""Where the panel opens: beside the icon, on its side of the screen, whole."""

from __future__ import annotations

from PySide6.QtCore import QPoint, QRect, QSize

_GAP = 8


def place_beside(icon: QRect, size: QSize, room: QRect) -> QPoint:
    """Upper left corner for something of *size* beside *icon*, inside *room*, the screen without its bars."""
    centre = icon.center()
    x = centre.x() - size.width() // 2
    is_low = centre.y() > room.center().y()
    y = icon.top() - size.height() - _GAP if is_low else icon.bottom() + _GAP
    return QPoint(
        max(room.left() + _GAP, min(x, room.right() - size.width() - _GAP)),
        max(room.top() + _GAP, min(y, room.bottom() - size.height() - _GAP)),
    )
