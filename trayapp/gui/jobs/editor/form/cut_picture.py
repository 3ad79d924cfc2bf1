"""A small picture of what a period cuts: records as dots, the next period between `[` and `)`, and when it is taken."""

from __future__ import annotations

import random
from datetime import timedelta
from typing import TYPE_CHECKING

from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QFontMetrics, QPainter, QPainterPath, QPalette, QPen, QPolygonF
from PySide6.QtWidgets import QSizePolicy, QWidget

from trayapp.gui.timeline.strip.blocks import draw_block
from trayapp.wording.instants import show_date, show_duration, show_near, show_time, show_window
from trayapp.wording.mark import N_
from trayapp.wording.speech import _, say

if TYPE_CHECKING:
    from datetime import datetime

    from PySide6.QtGui import QPaintEvent

    from trayapp.gui.context import Context
    from trayapp.gui.jobs.editor.outlook import Outlook
    from trayapp.window.grid import Window

_BOX = 66
_DOTS = (
    (0.12, 0.2),
    (0.3, 0.3),
    (0.48, 0.4),
    (0.2, 0.58),
    (0.4, 0.68),
    (0.6, 0.6),
    (0.74, 0.46),
    (0.92, 0.52),
    (0.8, 0.72),
)
_A_DAY = timedelta(hours=23)


class CutPicture(QWidget):
    """Draws the period that the next start takes, between the one before it and the one that is open then."""

    def __init__(self, context: Context) -> None:
        super().__init__()
        self._context = context
        self._outlook: Outlook | None = None
        self._window: Window | None = None
        self._at: datetime | None = None
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        context.theme.changed.connect(self.update)
        context.language.changed.connect(self.update)

    def show_outlook(self, outlook: Outlook | None) -> None:
        """Show what is cut; None takes the picture away."""
        self._outlook = outlook
        self._window = self._at = None
        if outlook is not None:
            start = next((start for start in outlook.starts if start.take), None)
            self._window = start.take[-1] if start is not None else outlook.following
            self._at = start.at if start is not None else None
        self.setAccessibleName(self.sentence())
        self.setVisible(outlook is not None)
        self.update()

    def sentence(self) -> str:
        """What the picture says, in words."""
        if self._outlook is None or self._window is None:
            return ""
        now = self._outlook.now
        period = show_window(*self._window, now=now).removeprefix(_("today") + " ")
        if self._at is None:
            return say("The next period is {period}", period=period)
        # Translators: {at} comes with its Turkish ending: 12:05'te
        text = N_("Starts {at}, takes {period}")
        return say(text, at=show_near(self._at, now, "locative"), period=period)

    def sizeHint(self) -> QSize:
        line = QFontMetrics(self._context.theme.font("tiny")).height()
        return QSize(320, 2 * line + _BOX + 28)

    def minimumSizeHint(self) -> QSize:
        return QSize(240, self.sizeHint().height())

    def paintEvent(self, _event: QPaintEvent) -> None:
        if self._outlook is None or self._window is None:
            return
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        tiny = self._context.theme.font("tiny")
        metrics = QFontMetrics(tiny)
        side = max(metrics.horizontalAdvance(self._line_words(self._window.start)) / 2, 8) + 2
        width = (self.width() - 2 * side) / 3
        top = metrics.height() + 5.0
        length = self._window.end - self._window.start
        lines = (self._window.start - length, self._window.start, self._window.end, self._window.end + length)
        painter.setFont(tiny)
        painter.setPen(self._color(QPalette.ColorRole.PlaceholderText))
        for number, at in enumerate(lines):
            text = self._line_words(at)
            x = side + number * width - metrics.horizontalAdvance(text) / 2
            painter.drawText(QPointF(x, float(metrics.ascent())), text)
        boxes = [QRectF(side + number * width + 2, top, width - 4, _BOX) for number in range(3)]
        self._paint_before(painter, boxes[0])
        self._paint_open(painter, boxes[2])
        self._paint_taken(painter, boxes[1])
        self._paint_start(painter, boxes, metrics)

    def _line_words(self, at: datetime) -> str:
        assert self._window is not None
        is_days = self._window.end - self._window.start >= _A_DAY
        return show_date(at)[:5] if is_days else show_time(at)

    def _color(self, role: QPalette.ColorRole) -> object:
        return self._context.theme.color(role)

    def _paint_before(self, painter: QPainter, box: QRectF) -> None:
        theme = self._context.theme
        painter.setPen(QPen(theme.fill("ok"), 1))
        painter.setBrush(theme.tint("ok", 0.16))
        painter.drawRect(box)
        self._paint_dots(painter, box, is_taken=False, seed=1)

    def _paint_open(self, painter: QPainter, box: QRectF) -> None:
        draw_block(painter, box, "open", self._context.theme)
        half = QRectF(box.left(), box.top(), box.width() * 0.6, box.height())
        self._paint_dots(painter, half, is_taken=False, seed=3)

    def _paint_taken(self, painter: QPainter, box: QRectF) -> None:
        theme = self._context.theme
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(theme.tint("run", 0.14))
        painter.drawRect(box)
        self._paint_dots(painter, box, is_taken=True, seed=2)
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.setPen(QPen(theme.text("run"), 3))
        left, right = box.left(), box.right()
        painter.drawPolyline(
            [
                QPointF(left + 8, box.top() - 3),
                QPointF(left, box.top() - 3),
                QPointF(left, box.bottom() + 3),
                QPointF(left + 8, box.bottom() + 3),
            ]
        )
        arc = QPainterPath(QPointF(right - 7, box.top() - 4))
        arc.cubicTo(right + 2, box.top() + 10, right + 2, box.bottom() - 10, right - 7, box.bottom() + 4)
        painter.drawPath(arc)

    def _paint_dots(self, painter: QPainter, box: QRectF, *, is_taken: bool, seed: int) -> None:
        theme, chance = self._context.theme, random.Random(seed)  # noqa: S311  # dots, not secrets
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(theme.text("run") if is_taken else theme.fill("idle"))
        for x, y in _DOTS:
            place = QPointF(
                box.left() + 6 + (box.width() - 12) * min(1.0, x + chance.uniform(-0.03, 0.03)),
                box.top() + box.height() * y,
            )
            painter.drawEllipse(place, 2.6, 2.6)

    def _paint_start(self, painter: QPainter, boxes: list[QRectF], metrics: QFontMetrics) -> None:
        """The start behind the period's end, an arrow back to it, and the allowance for late records."""
        assert self._window is not None
        assert self._outlook is not None
        theme = self._context.theme
        if self._at is None:
            return
        length = self._window.end - self._window.start
        share = min(max((self._at - self._window.end) / length, 0.04), 0.9)
        x = boxes[2].left() + share * boxes[2].width()
        middle, bottom = boxes[1].center().x(), boxes[1].bottom()
        painter.setPen(QPen(theme.text("run"), 1.5))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawPolyline([QPointF(x, bottom + 18), QPointF(middle, bottom + 18), QPointF(middle, bottom + 7)])
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(theme.text("run"))
        painter.drawPolygon(
            QPolygonF([QPointF(middle, bottom + 4), QPointF(middle - 5, bottom + 11), QPointF(middle + 5, bottom + 11)])
        )
        painter.setBrush(theme.fill("ok"))
        painter.drawPolygon(
            QPolygonF([QPointF(x, bottom + 10), QPointF(x - 5, bottom + 19), QPointF(x + 5, bottom + 19)])
        )
        lateness = self._outlook.job.window.lateness_s
        if lateness:
            text = say("{time} allowance", time=show_duration(lateness))
            painter.setFont(theme.font("tiny", 600))
            painter.setPen(theme.text("warn"))
            width = QFontMetrics(theme.font("tiny", 600)).horizontalAdvance(text)
            left = min(max(x + 10, boxes[2].left() + 6), self.width() - width - 1.0)
            painter.drawText(QPointF(left, bottom + 10 + metrics.ascent()), text)
