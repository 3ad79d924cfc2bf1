"""What the editor and the first job's steps look like around the steps themselves."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtGui import QPalette

from trayapp.gui.look.widgets import column, held, line, row

if TYPE_CHECKING:
    from PySide6.QtWidgets import QHBoxLayout, QStackedWidget, QVBoxLayout, QWidget

_BESIDE, _ABOVE = 40, 60  # pixels that the screen keeps, for the edge and the title of a window


def lay_out_steps(
    view: QWidget, parts: tuple[QWidget, QStackedWidget, QWidget], room: QVBoxLayout, foot: QHBoxLayout
) -> None:
    """Lay out list of steps, open step and side in *view*, and below them what is refused and the buttons."""
    step_list, stack, side = parts
    middle = row(held(column(step_list)), line(upright=True), stack, line(upright=True), side, gap=0)
    middle.setStretch(2, 1)
    layout = column(middle, line(), held(column(room, foot, gap=0)), gap=0)
    layout.setStretch(0, 1)
    view.setLayout(layout)
    view.setBackgroundRole(QPalette.ColorRole.Window)


def resize_within_screen(view: QWidget, width: int, height: int) -> None:
    """Make *view* that large, or as large as its screen lets it be."""
    if view.screen() is not None:
        free = view.screen().availableGeometry()
        width, height = min(width, free.width() - _BESIDE), min(height, free.height() - _ABOVE)
    view.resize(width, height)
