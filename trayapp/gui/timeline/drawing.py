"""How the timeline looks: names, clock, strips, and above them what must be read at once."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QPointF, QRect, QRectF, Qt
from PySide6.QtGui import QFontMetrics, QPainter, QPalette, QPen, QPolygonF

from trayapp import clock
from trayapp.gui.state.item_words import counts_words, progress_words
from trayapp.gui.state.words import SIGNS, clock_words, many
from trayapp.gui.timeline.clock_drawing import ClockDrawing
from trayapp.gui.timeline.strip.blocks import WIDE, draw_block
from trayapp.gui.timeline.strip.scale import ticks_of
from trayapp.gui.timeline.strip.tiles import TILE_PX
from trayapp.gui.timeline.words import block_words, short_words
from trayapp.job.schedule_words import schedule_words
from trayapp.wording.mark import N_, NN_
from trayapp.wording.speech import _, say

if TYPE_CHECKING:
    from trayapp.gui.context import Context
    from trayapp.gui.state.snapshot import JobState
    from trayapp.gui.timeline.canvas import Canvas
    from trayapp.gui.timeline.rows import Spot
    from trayapp.gui.timeline.strip.reading import Period, Strip

_CENTRED = Qt.AlignmentFlag.AlignVCenter
_LEAST_BRACKET_PX = 16
_MOST_CUT_SHARE = 2.2  # words that are longer than their room by more are said in one
Role = QPalette.ColorRole


class Drawing:
    """Paints the canvas."""

    def __init__(self, context: Context, canvas: Canvas) -> None:
        self._context, self._canvas = context, canvas
        self._clock = ClockDrawing(context, canvas)

    def paint(self, painter: QPainter) -> None:
        """Paint all that is in sight."""
        canvas, theme = self._canvas, self._context.theme
        area = canvas.viewport().rect()
        painter.fillRect(area, theme.color(Role.Base))
        ticks = ticks_of(canvas.scale) if canvas.scale.width > 0 else []
        self._clock.paint_lines(painter, ticks)
        painter.save()
        painter.setClipRect(0, canvas.head_height, area.width(), area.height() - canvas.head_height)
        for row in canvas.rows_in_sight():
            self._paint_row(painter, row)
        self._clock.paint_boot_line(painter)
        painter.restore()
        self._clock.paint_head(painter, ticks)
        self._clock.paint_now(painter)

    # ------------------------------------------------------------------ rows

    def _paint_row(self, painter: QPainter, row: int) -> None:
        canvas, theme = self._canvas, self._context.theme
        job, top, shape = canvas.rows.jobs[row], canvas.row_top(row), canvas.shape
        painter.setPen(theme.color(Role.Midlight))
        painter.drawLine(0, top + shape.height - 1, canvas.viewport().width(), top + shape.height - 1)
        self._paint_name(painter, job, top, is_chosen=canvas.chosen is not None and canvas.chosen.row == row)
        strip = canvas.rows.strip(job.id)
        painter.save()
        painter.setClipRect(
            QRect(canvas.name_width, top, canvas.viewport().width() - canvas.name_width, shape.height),
            Qt.ClipOperation.IntersectClip,
        )
        if strip is not None:
            self._paint_tiles(painter, job, strip, top)
            self._paint_words(painter, job, strip, top)
            self._paint_flag(painter, job, top)
        self._paint_counts(painter, job, top)
        self._paint_run(painter, job, top)
        self._paint_choice(painter, row)
        painter.restore()

    def _paint_name(self, painter: QPainter, job: JobState, top: int, *, is_chosen: bool) -> None:
        canvas, theme = self._canvas, self._context.theme
        body, small = theme.font("body", 600), theme.font("small")
        heights = QFontMetrics(body).height(), QFontMetrics(small).height()
        y = top + (canvas.shape.height - sum(heights)) // 2 - 1
        if is_chosen:
            painter.fillRect(0, top + 10, 3, canvas.shape.height - 20, theme.color(Role.Highlight))
        sign = self._context.icons.sign(SIGNS[job.kind], 18, painter.device().devicePixelRatioF())
        painter.drawPixmap(16, y + 1, sign)
        left, width = 44, canvas.name_width - 56
        rule = job.file.job.schedule if job.file.job is not None else None
        second = schedule_words(rule) if rule is not None else _("started by hand only")
        for font, role, text, line in (
            (body, Role.Text, job.title, QRect(left, y, width, heights[0])),
            (small, Role.PlaceholderText, second, QRect(left, y + heights[0] + 1, width, heights[1])),
        ):
            painter.setFont(font)
            painter.setPen(theme.color(role))
            shown = QFontMetrics(font).elidedText(text, Qt.TextElideMode.ElideRight, width)
            painter.drawText(line, _CENTRED, shown)

    def _paint_tiles(self, painter: QPainter, job: JobState, strip: Strip, top: int) -> None:
        canvas = self._canvas
        scale, ratio = canvas.scale, painter.device().devicePixelRatioF()
        for number in range(scale.origin_px // TILE_PX, (scale.origin_px + scale.width + 16) // TILE_PX + 1):
            picture = canvas.tiles.tile(job.id, number, strip, scale.second_per_px, canvas.shape, ratio)
            painter.drawPixmap(canvas.name_width + number * TILE_PX - scale.origin_px, top, picture)

    def _paint_words(self, painter: QPainter, job: JobState, strip: Strip, top: int) -> None:
        """Words in wide problems, and how many periods wait above the gap that they leave."""
        canvas, theme = self._canvas, self._context.theme
        if strip.is_coarse:
            return
        waiting: list[Period] = []
        for period in strip.periods:
            if period.kind not in ("failed", "uncertain", "waiting"):
                continue
            if period.kind == "waiting":
                waiting.append(period)
            left = max(canvas.scale.x_of(period.start_s), 0)
            room = min(canvas.scale.x_of(period.end_s), canvas.scale.width + 16) - left - 18
            if room < WIDE - 18:
                continue
            font = theme.font("small", 600)
            painter.setFont(font)
            painter.setPen(theme.text("bad" if period.kind == "failed" else "warn"))
            metrics = QFontMetrics(font)
            words = block_words(period, job, clock.now())
            if metrics.horizontalAdvance(words) > room * _MOST_CUT_SHARE:
                words = short_words(period.kind)
            shown = metrics.elidedText(words, Qt.TextElideMode.ElideRight, room)
            place = QRect(canvas.name_width + left + 10, top + canvas.shape.block_top, room, canvas.shape.block_height)
            painter.drawText(place, _CENTRED, shown)
        self._paint_bracket(painter, job, waiting, top)

    def _paint_bracket(self, painter: QPainter, job: JobState, waiting: list[Period], top: int) -> None:
        canvas, theme = self._canvas, self._context.theme
        if len(waiting) <= 1:
            return
        left, right = (canvas.scale.x_of(at_s) for at_s in (waiting[0].start_s, waiting[-1].end_s))
        left, right = max(left, 0), min(right, canvas.scale.width + 12)
        if right - left < _LEAST_BRACKET_PX:
            return
        y = top + canvas.shape.block_top - 5
        x = canvas.name_width + left
        painter.setPen(QPen(theme.fill("warn"), 1.5))
        painter.drawPolyline(
            [
                QPointF(x, y + 4),
                QPointF(x, y),
                QPointF(canvas.name_width + right - 1, y),
                QPointF(canvas.name_width + right - 1, y + 4),
            ]
        )
        font = theme.font("tiny", 700)
        text = many(NN_("{count:number} period waits", "{count:number} periods wait"), max(len(waiting), job.waiting))
        width = QFontMetrics(font).horizontalAdvance(text) + 2
        height = QFontMetrics(font).height()
        middle = x + (right - left) // 2
        start = min(max(middle - width // 2, canvas.name_width), canvas.viewport().width() - width - 4)
        place = QRect(start, y - height, width, height)
        painter.fillRect(place, theme.color(Role.Base))
        painter.setFont(font)
        painter.setPen(theme.text("warn"))
        painter.drawText(place, Qt.AlignmentFlag.AlignCenter, text)

    def _paint_flag(self, painter: QPainter, job: JobState, top: int) -> None:
        """The watermark: a dark line, with a flag that points back over what is done."""
        canvas, survey = self._canvas, job.survey
        if survey is None or survey.done_up_to is None:
            return
        x = canvas.scale.x_of(survey.done_up_to.timestamp())
        if not 0 <= x <= canvas.scale.width + 12:
            return
        left = canvas.name_width + x
        head, foot = top + canvas.shape.block_top - 7, top + canvas.shape.block_top + canvas.shape.block_height + 4
        color = self._context.theme.color(Role.Text)
        painter.fillRect(QRect(left - 1, head, 2, foot - head), color)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(color)
        painter.drawPolygon(QPolygonF([QPointF(left, head), QPointF(left - 8, head + 4), QPointF(left, head + 8)]))
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, on=False)

    def _paint_run(self, painter: QPainter, job: JobState, top: int) -> None:
        """A run that is at work: a bar that grows; of a job without periods, its words beside it."""
        canvas, theme, now = self._canvas, self._context.theme, clock.now()
        since_s = _at_work_since(job)
        if since_s is None or canvas.scale.width <= 0:
            return
        left = max(canvas.scale.x_of(since_s), 0)
        right = min(canvas.scale.x_of(now.timestamp()), canvas.scale.width)
        if right < 0 or left > canvas.scale.width:
            return
        has_periods = job.file.job is not None and job.file.job.rule is not None
        y, height = (canvas.shape.mark_y + 7, 4) if has_periods else (canvas.shape.block_top, canvas.shape.block_height)
        place = QRectF(canvas.name_width + left, top + y, max(right - left, 3), height)
        draw_block(painter, place, "running", theme)
        if not has_periods:
            font = theme.font("small", 600)
            text = say(N_("running {elapsed}"), elapsed=clock_words(now.timestamp() - since_s))
            if job.progress is not None:
                text = progress_words(job.progress)
            width = QFontMetrics(font).horizontalAdvance(text) + 4
            painter.setFont(font)
            painter.setPen(theme.text("run"))
            start = max(place.x() - width - 8, canvas.name_width + 8.0)
            painter.drawText(QRectF(start, place.y(), width, place.height()), _CENTRED, text)

    def _paint_counts(self, painter: QPainter, job: JobState, top: int) -> None:
        """How a list stands, where nobody works on it: it has no periods that would tell."""
        canvas, theme = self._canvas, self._context.theme
        counts = job.survey.items if job.survey is not None else None
        if counts is None or _at_work_since(job) is not None:
            return
        font = theme.font("small")
        painter.setFont(font)
        painter.setPen(theme.text("bad") if counts.failed + counts.refused else theme.color(Role.PlaceholderText))
        place = QRect(
            canvas.name_width + 12, top + canvas.shape.block_top, canvas.scale.width, canvas.shape.block_height
        )
        shown = QFontMetrics(font).elidedText(counts_words(counts), Qt.TextElideMode.ElideRight, place.width() - 24)
        painter.drawText(place, _CENTRED, shown)

    def _paint_choice(self, painter: QPainter, row: int) -> None:
        """A frame around what is chosen, and a thin one around what the card is about while the pointer rests."""
        for spot, role, width in (
            (self._canvas.pointed_at, Role.PlaceholderText, 1.0),
            (self._canvas.chosen, Role.WindowText, 2.0),
        ):
            if spot is not None and spot.row == row and (spot.period is not None or spot.mark is not None):
                self._paint_frame(painter, spot, QPen(self._context.theme.color(role), width))

    def _paint_frame(self, painter: QPainter, spot: Spot, pen: QPen) -> None:
        place = QRectF(self._canvas.place_of(spot))
        if spot.mark is None:
            place.adjust(-2, -5, 1, 5)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.setPen(pen)
        painter.drawRoundedRect(place, 4, 4)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, on=False)


def _at_work_since(job: JobState) -> float | None:
    """Since when, in seconds since 1970, a run or workers of a list are at work; None when nobody is."""
    if job.lock.state == "held" and job.lock.holder is not None:
        return job.lock.holder.since.timestamp()
    return job.progress.since if job.progress is not None else None
