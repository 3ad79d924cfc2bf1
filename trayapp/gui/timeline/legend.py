"""What the forms on the strips mean."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QPointF, QRect, QSize, Qt
from PySide6.QtGui import QPainter, QPalette, QPolygonF
from PySide6.QtWidgets import QHBoxLayout, QWidget

from trayapp.gui.look.widgets import column, held, label, row
from trayapp.gui.timeline.card import Swatch
from trayapp.gui.timeline.strip.tiles import draw_run_form
from trayapp.gui.timeline.words import KIND_WORDS
from trayapp.wording.mark import N_

if TYPE_CHECKING:
    from PySide6.QtGui import QPaintEvent

    from trayapp.gui.context import Context
    from trayapp.gui.timeline.strip.blocks import Kind

_SHOWN: tuple[Kind, ...] = ("done", "late", "waiting", "uncertain", "failed", "passed", "open")
_SIGNS = (
    ("flag", N_("done up to")),
    ("schedule", N_("started by the scheduler")),
    ("manual", N_("started by hand")),
    ("boot", N_("started at boot")),
    ("hollow", N_("hollow: there was nothing to do")),
)


def legend(context: Context) -> QWidget:
    """Two lines: how periods stand, and what the marks are."""
    blocks = [_entry(context, Swatch(context, kind), KIND_WORDS[kind]) for kind in _SHOWN]
    signs = [_entry(context, _Sign(context, name), text) for name, text in _SIGNS]
    made = held(
        column(row(*blocks, None, gap=18), row(*signs, None, gap=18), gap=4, margins=(16, 8, 16, 8)),
        QPalette.ColorRole.Window,
    )
    made.setMinimumWidth(200)
    return made


def _entry(context: Context, sign: QWidget, text: str) -> QHBoxLayout:
    return row(sign, label(context, text, "small"), gap=6)


class _Sign(QWidget):
    def __init__(self, context: Context, name: str) -> None:
        super().__init__()
        self._context, self._name = context, name
        self.setFixedSize(14, 18)
        context.theme.changed.connect(self.update)

    def sizeHint(self) -> QSize:
        return QSize(14, 18)

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        theme = self._context.theme
        if self._name == "flag":
            color = theme.color(QPalette.ColorRole.Text)
            painter.fillRect(QRect(9, 1, 2, 16), color)
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(color)
            painter.drawPolygon(QPolygonF([QPointF(10, 1), QPointF(2, 5), QPointF(10, 9)]))
            return
        is_hollow = self._name == "hollow"
        color = theme.text("idle" if is_hollow else "ok")
        trigger = "schedule" if is_hollow else self._name
        draw_run_form(painter, QPointF(7, 9), trigger, color, is_hollow=is_hollow)
