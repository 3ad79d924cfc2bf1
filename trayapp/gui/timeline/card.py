"""The card beside a period or a run: when, how it stands, why, and by which run."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QPoint, QRect, QRectF, QSize, Qt
from PySide6.QtGui import QPainter, QPalette
from PySide6.QtWidgets import QFrame, QSizePolicy, QWidget

from trayapp.gui.look.widgets import column, label, row, wrapping
from trayapp.gui.timeline.strip.blocks import TONES, Kind, draw_block
from trayapp.wording.mark import N_

if TYPE_CHECKING:
    from PySide6.QtGui import QPaintEvent

    from trayapp.gui.context import Context
    from trayapp.gui.timeline.words import Card

_WIDTH = 356
_AWAY = 6  # pixels from what it is about
_SHADOW = 6
_MARGINS = (14 + _SHADOW, 10 + _SHADOW, 14 + _SHADOW, 12 + _SHADOW)


class Swatch(QWidget):
    """A block as it stands on a strip, small."""

    def __init__(self, context: Context, kind: Kind = "done") -> None:
        super().__init__()
        self._context, self.kind = context, kind
        self.setFixedSize(20, 20)
        context.theme.changed.connect(self.update)

    def show_kind(self, kind: Kind) -> None:
        """Show that kind of block."""
        self.kind = kind
        self.update()

    def sizeHint(self) -> QSize:
        return QSize(20, 20)

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        tall = 6 if self.kind not in ("uncertain", "failed") else 5
        draw_block(painter, QRectF(0, tall - 2, 20, 24 - 2 * tall), self.kind, self._context.theme)


class PeriodCard(QFrame):
    """Shows a `Card` beside a place of its parent, never under the pointer."""

    def __init__(self, context: Context, parent: QWidget) -> None:
        super().__init__(parent)
        self._context = context
        self._title = label(context, size="body", weight=650)
        self._swatch = Swatch(context)
        self._state = label(context, weight=600)
        self._lines = wrapping(label(context, size="small"))
        self._key = wrapping(label(context, size="tiny", is_second=True))
        keys = label(context, N_("Enter: open the run    N: next problem    Esc: close"), "tiny", is_second=True)
        state = row(self._swatch, self._state, None, gap=8)
        for part in (self._lines, self._key):
            part.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Minimum)
        self.setLayout(column(self._title, state, self._lines, self._key, keys, gap=6, margins=_MARGINS))
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        self.hide()

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter, theme = QPainter(self), self._context.theme
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        inner = QRectF(self.rect()).adjusted(_SHADOW, _SHADOW - 2, -_SHADOW, -_SHADOW - 2)
        shadow = theme.color(QPalette.ColorRole.Shadow)
        painter.setPen(Qt.PenStyle.NoPen)
        for ring in range(_SHADOW, 0, -1):
            shadow.setAlpha(9)
            painter.setBrush(shadow)
            painter.drawRoundedRect(inner.adjusted(-ring, -ring + 2, ring, ring + 2), 6 + ring, 6 + ring)
        painter.setPen(theme.color(QPalette.ColorRole.Mid))
        painter.setBrush(theme.color(QPalette.ColorRole.ToolTipBase))
        painter.drawRoundedRect(inner.adjusted(0.5, 0.5, -0.5, -0.5), 6, 6)

    def show_card(self, card: Card, about: QRect, area: QRect) -> None:
        """Show *card* beside *about*, inside *area*."""
        self._title.setText(card.title)
        self._swatch.show_kind(card.kind)
        self._state.setText(card.state)
        self._state.set_tone(TONES[card.kind])
        self._lines.setText("\n".join(card.lines))
        self._key.setText(card.key)
        self._key.setVisible(bool(card.key))
        self.setAccessibleName(card.spoken)
        self.setFixedWidth(min(_WIDTH, area.width() - 8))
        layout = self.layout()
        assert layout is not None
        self.setFixedHeight(max(layout.heightForWidth(self.width()), layout.minimumSize().height()))
        self.move(_beside(about, self.size(), area))
        self.show()
        self.raise_()


def _beside(about: QRect, size: QSize, area: QRect) -> QPoint:
    """Below what it is about, or above where there is no room; never over it."""
    x = min(max(about.center().x() - size.width() // 2, area.left() + 4), area.right() - size.width() - 4)
    below = about.bottom() + _AWAY + 14
    if below + size.height() <= area.bottom():
        return QPoint(x, below)
    return QPoint(x, max(about.top() - _AWAY - size.height(), area.top()))
