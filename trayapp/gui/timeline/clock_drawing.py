"""The clock across the timeline: its lines, its names above, the line of now and that of the computer's start."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

from PySide6.QtCore import QRect, QRectF, Qt
from PySide6.QtGui import QFontMetrics, QPainter, QPalette, QPen

from trayapp import clock
from trayapp.wording.instants import show_time
from trayapp.wording.speech import say

if TYPE_CHECKING:
    from PySide6.QtGui import QFont

    from trayapp.gui.context import Context
    from trayapp.gui.timeline.canvas import Canvas
    from trayapp.gui.timeline.strip.scale import Tick

_CENTRED = Qt.AlignmentFlag.AlignVCenter
_PILL_ROOM_PX = 42
Role = QPalette.ColorRole


class ClockDrawing:
    """Paints the clock of a canvas: `paint_lines` below the strips, the others above them."""

    def __init__(self, context: Context, canvas: Canvas) -> None:
        self._context, self._canvas = context, canvas

    def paint_lines(self, painter: QPainter, ticks: list[Tick]) -> None:
        canvas, theme = self._canvas, self._context.theme
        bottom = min(canvas.viewport().height(), canvas.row_top(len(canvas.rows.jobs)))
        for tick in ticks:
            x = canvas.name_width + canvas.scale.x_of(tick.at_s)
            if x >= canvas.name_width:
                painter.setPen(theme.color(Role.Mid if tick.day else Role.Midlight))
                painter.drawLine(x, canvas.head_height, x, bottom)

    def paint_head(self, painter: QPainter, ticks: list[Tick]) -> None:
        canvas, theme = self._canvas, self._context.theme
        width, height = canvas.viewport().width(), canvas.head_height
        painter.fillRect(0, 0, width, height, theme.color(Role.Base))
        painter.setPen(theme.color(Role.Mid))
        painter.drawLine(0, height - 1, width, height - 1)
        tiny, bold = theme.font("tiny"), theme.font("tiny", 700)
        line = QFontMetrics(tiny).height()
        day_ends = width
        is_short = self._are_days_narrow(ticks, bold)
        pill = self._now_place()
        for tick in reversed(ticks):
            x = canvas.name_width + canvas.scale.x_of(tick.at_s)
            if tick.label and x >= canvas.name_width and (pill is None or abs(x - pill.center().x()) > _PILL_ROOM_PX):
                painter.setFont(tiny)
                painter.setPen(theme.color(Role.PlaceholderText))
                painter.drawText(QRect(x - 60, 3 + line, 120, line), Qt.AlignmentFlag.AlignCenter, tick.label)
            if tick.day:
                left = max(x + 5, canvas.name_width + 4)
                painter.setFont(bold)
                painter.setPen(theme.color(Role.Text))
                room = day_ends - left - 12
                text = tick.short if is_short else tick.day
                if QFontMetrics(bold).horizontalAdvance(text) <= room:
                    painter.drawText(QRect(left, 3, room, line), _CENTRED, text)
                day_ends = x
        self._paint_boot_label(painter, line, ticks)

    def _are_days_narrow(self, ticks: list[Tick], font: QFont) -> bool:
        """Tell whether some day has no room for its full name: then all are written short."""
        days = [tick for tick in ticks if tick.day]
        widest = max((QFontMetrics(font).horizontalAdvance(tick.day) for tick in days), default=0) + 17
        scale = self._canvas.scale
        return any(scale.x_of(other.at_s) - scale.x_of(one.at_s) < widest for one, other in pairwise(days))

    def _paint_boot_label(self, painter: QPainter, line: int, ticks: list[Tick]) -> None:
        canvas, theme = self._canvas, self._context.theme
        boot_s = canvas.boot_s
        if boot_s is None or not canvas.scale.since_s <= boot_s <= canvas.scale.until_s:
            return
        text = say("computer started {at}", at=show_time(clock.from_epoch(boot_s)))
        font = theme.font("tiny")
        width = QFontMetrics(font).horizontalAdvance(text) + 18
        x = canvas.name_width + canvas.scale.x_of(boot_s)
        right = canvas.viewport().width() - 4
        left = min(x - 5, right - width)
        days = [canvas.name_width + canvas.scale.x_of(tick.at_s) for tick in ticks if tick.day]
        if any(left - 130 < max(day, canvas.name_width) < left + width for day in days):
            return  # where a day's name stands
        icon = self._context.icons.pixmap(
            "by-boot", theme.color(Role.PlaceholderText), 12, painter.device().devicePixelRatioF()
        )
        painter.drawPixmap(left, 3 + (line - 12) // 2, icon)
        painter.setFont(font)
        painter.setPen(theme.color(Role.PlaceholderText))
        painter.drawText(QRect(left + 16, 3, width, line), _CENTRED, text)

    def paint_boot_line(self, painter: QPainter) -> None:
        canvas = self._canvas
        boot_s = canvas.boot_s
        if boot_s is None or not canvas.scale.since_s <= boot_s <= canvas.scale.until_s:
            return
        x = canvas.name_width + canvas.scale.x_of(boot_s)
        painter.setPen(QPen(self._context.theme.color(Role.PlaceholderText), 1, Qt.PenStyle.DotLine))
        painter.drawLine(
            x, canvas.head_height, x, min(canvas.viewport().height(), canvas.row_top(len(canvas.rows.jobs)))
        )

    def paint_now(self, painter: QPainter) -> None:
        canvas, theme, now = self._canvas, self._context.theme, clock.now()
        at_s = now.timestamp()
        if not canvas.scale.since_s <= at_s <= canvas.scale.until_s or canvas.scale.width <= 0:
            return
        pill, x = self._now_place(), canvas.name_width + canvas.scale.x_of(at_s)
        assert pill is not None
        accent = theme.color(Role.Highlight)
        bottom = min(canvas.viewport().height(), canvas.row_top(len(canvas.rows.jobs)))
        painter.setPen(QPen(accent, 2))
        painter.drawLine(x, canvas.head_height - 4, x, bottom)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(accent)
        painter.drawRoundedRect(pill, pill.height() / 2, pill.height() / 2)
        painter.setPen(theme.color(Role.HighlightedText))
        painter.setFont(theme.font("tiny", 700))
        painter.drawText(pill, Qt.AlignmentFlag.AlignCenter, show_time(now))
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, on=False)

    def _now_place(self) -> QRectF | None:
        """Where the time of now is written; None while now is out of sight."""
        canvas, now = self._canvas, clock.now()
        if canvas.scale.width <= 0 or not canvas.scale.since_s <= now.timestamp() <= canvas.scale.until_s:
            return None
        metrics = QFontMetrics(self._context.theme.font("tiny", 700))
        width = metrics.horizontalAdvance(show_time(now)) + 12
        x = canvas.name_width + canvas.scale.x_of(now.timestamp())
        left = min(max(x - width // 2, canvas.name_width), canvas.viewport().width() - width - 2)
        return QRectF(left, canvas.head_height - metrics.height() - 5, width, metrics.height() + 2)
