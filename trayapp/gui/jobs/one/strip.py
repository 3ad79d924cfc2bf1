"""A strip of a job's last periods: done in time, done later, waiting, failed, still open.

What each is is told by its form, not by its colour alone, so that it reads in grey too.
"""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING

from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QFontMetrics, QHelpEvent, QPainter, QPalette, QPen, QPolygonF
from PySide6.QtWidgets import QSizePolicy, QToolTip, QWidget

from trayapp.gui.state.words import many
from trayapp.gui.timeline.strip.blocks import draw_block
from trayapp.gui.timeline.words import KIND_WORDS
from trayapp.wording.instants import show_date, show_near, show_time, show_window
from trayapp.wording.mark import NN_
from trayapp.wording.speech import _, say

if TYPE_CHECKING:
    from datetime import datetime

    from PySide6.QtCore import QEvent
    from PySide6.QtGui import QPaintEvent

    from trayapp.gui.context import Context
    from trayapp.gui.jobs.one.reading import Block, JobSeen

_HEIGHT, _GAP = 26, 1
_A_DAY = timedelta(hours=23)  # the shortest day of a clock change


class Strip(QWidget):
    """Draws a `JobSeen`; says each block on hover, and all of them in short to screen readers."""

    def __init__(self, context: Context) -> None:
        super().__init__()
        self._context = context
        self._seen: JobSeen | None = None
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setMouseTracking(True)
        context.theme.changed.connect(self.update)
        context.language.changed.connect(self._write_again)

    def show_seen(self, seen: JobSeen) -> None:
        """Show those periods."""
        self._seen = seen
        self._write_again()
        self.updateGeometry()

    def words(self) -> str:
        """What the strip shows, in a sentence."""
        blocks = self._seen.blocks if self._seen else ()
        counts = {kind: sum(block.kind == kind for block in blocks) for kind in KIND_WORDS}
        return ", ".join(f"{count} {_(KIND_WORDS[kind])}" for kind, count in counts.items() if count)

    def _write_again(self) -> None:
        self.setAccessibleName(say("Last periods: {counts}", counts=self.words() or "—"))
        self.update()

    def sizeHint(self) -> QSize:
        return QSize(320, self._top() + _HEIGHT + QFontMetrics(self._context.theme.font("tiny")).height() + 10)

    def minimumSizeHint(self) -> QSize:
        return QSize(160, self.sizeHint().height())

    def _top(self) -> int:
        return QFontMetrics(self._context.theme.font("tiny", 600)).height() + 8

    def _x(self, at: datetime) -> float:
        assert self._seen is not None
        first, last = self._seen.blocks[0].start, self._seen.blocks[-1].end
        return 1 + (at - first) / (last - first) * (self.width() - 2)

    def _rect(self, block: Block) -> QRectF:
        left, right = self._x(block.start), self._x(block.end)
        return QRectF(left, self._top(), max(2.0, right - left - _GAP), _HEIGHT)

    def paintEvent(self, _event: QPaintEvent) -> None:
        if self._seen is None or not self._seen.blocks:
            return
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        for block in self._seen.blocks:
            draw_block(painter, self._rect(block), block.kind, self._context.theme)
        self._paint_now(painter)
        self._paint_flag(painter)
        self._paint_axis(painter)

    def _paint_now(self, painter: QPainter) -> None:
        assert self._seen is not None
        x = self._x(self._seen.at)
        if x <= self.width():
            painter.setPen(QPen(self._context.theme.fill("run"), 2))
            painter.drawLine(QPointF(x, self._top() - 4), QPointF(x, self._top() + _HEIGHT + 5))

    def _paint_flag(self, painter: QPainter) -> None:
        """Mark up to where all is done: a line with a flag that points back over it."""
        assert self._seen is not None
        up_to, first = self._seen.done_up_to, self._seen.blocks[0].start
        if up_to is None or up_to < first:
            self._paint_waiting_words(painter, -12)
            return
        theme, top = self._context.theme, float(self._top())
        x = min(self._x(up_to), self.width() - 1.0)
        color = theme.color(QPalette.ColorRole.Text)
        painter.setPen(QPen(color, 2))
        painter.drawLine(QPointF(x, top - 5), QPointF(x, top + _HEIGHT + 5))
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(color)
        painter.drawPolygon(QPolygonF([QPointF(x + 1, top - 7), QPointF(x - 6, top - 4), QPointF(x + 1, top - 1)]))
        font = theme.font("tiny", 600)
        metrics = QFontMetrics(font)
        text = say("done up to {at}", at=show_near(up_to, self._seen.at))
        width = metrics.horizontalAdvance(text)
        painter.setFont(font)
        painter.setPen(color)
        left = min(max(0.0, x - width), max(0.0, self.width() - width))
        painter.drawText(QPointF(left, metrics.ascent() + 0.0), text)
        self._paint_waiting_words(painter, left + width)

    def _paint_waiting_words(self, painter: QPainter, after: float) -> None:
        assert self._seen is not None
        waiting = [block for block in self._seen.blocks if block.kind == "waiting"]
        if not waiting:
            return
        font = self._context.theme.font("tiny", 600)
        forms = NN_("{count:number} period waits", "{count:number} periods wait")
        text = many(forms, len(waiting))
        width = QFontMetrics(font).horizontalAdvance(text)
        middle = (self._x(waiting[0].start) + self._x(waiting[-1].end)) / 2
        left = min(max(after + 12, middle - width / 2), self.width() - width)
        if left >= after + 8:
            painter.setPen(self._context.theme.text("warn"))
            painter.setFont(font)
            painter.drawText(QPointF(left, QFontMetrics(font).ascent() + 0.0), text)

    def _paint_axis(self, painter: QPainter) -> None:
        assert self._seen is not None
        font = self._context.theme.font("tiny")
        metrics = QFontMetrics(font)
        painter.setFont(font)
        painter.setPen(self._context.theme.color(QPalette.ColorRole.PlaceholderText))
        blocks = self._seen.blocks
        is_days = blocks[0].end - blocks[0].start >= _A_DAY
        free_from, y = 0.0, self._top() + _HEIGHT + 8 + metrics.ascent()
        for block in blocks:
            text = show_date(block.start)[:5] if is_days else show_time(block.start)
            width = metrics.horizontalAdvance(text)
            left = self._x(block.start) - width / 2
            if left >= free_from and left + width <= self.width():
                painter.drawText(QPointF(left, y), text)
                free_from = left + width * 2.4

    def event(self, event: QEvent) -> bool:
        if isinstance(event, QHelpEvent) and event.type() == QHelpEvent.Type.ToolTip and self._seen is not None:
            hit = next((block for block in self._seen.blocks if self._rect(block).contains(event.pos())), None)
            if hit is None:
                QToolTip.hideText()
            else:
                words = f"{show_window(hit.start, hit.end, now=self._seen.at)}: {_(KIND_WORDS[hit.kind])}"
                QToolTip.showText(event.globalPos(), words, self)
            return True
        return super().event(event)
