"""Pictures of stretches of a strip, each painted once: panning and scrolling only put them side by side."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import OrderedDict
from itertools import pairwise
from typing import TYPE_CHECKING, Final

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPen, QPixmap, QPolygonF

from trayapp.gui.timeline.strip.blocks import NARROWEST_GAP, draw_block
from trayapp.value import NamedTuple

if TYPE_CHECKING:
    from trayapp.gui.look.theme import Theme, Tone
    from trayapp.gui.timeline.strip.reading import Mark, Period, Strip
    from trayapp.history.records import RunRecord

TILE_PX: Final = 480  # a whole number of hatch lines, so that hatching goes on over the seam
_KEPT_BYTES: Final = 32 << 20  # 60 rows at 100 %, and more than a screen at 200 %
_MARGIN_PX = 24  # by which what stands beside a tile may reach into it, or tell how its marks stand
_TICK_PX = 4  # in which there is one tick at most
_THIN_PX = 9  # marks that stand closer are ticks
_MARK_TONES: Final[dict[str, Tone]] = {
    "done": "ok",
    "failed": "bad",
    "uncertain": "warn",
    "stopped": "warn",
    "running": "run",
    "skipped": "idle",
}


class RowShape(NamedTuple):
    """Where things stand in a row, in pixels from its top."""

    height: int
    block_top: int
    block_height: int
    mark_y: int


class _Content(NamedTuple):
    """What one tile shows: the same content is the same picture, whatever else the strip holds."""

    periods: list[Period]
    marks: list[Mark]


class _Kept(NamedTuple):
    strip: Strip
    content: _Content
    picture: QPixmap


class Tiles:
    """Keeps the tiles of all jobs that were in sight last."""

    def __init__(self, theme: Theme) -> None:
        self._theme = theme
        self._kept: OrderedDict[tuple[str, int, float, float], _Kept] = OrderedDict()
        self.painted = 0  # how many were painted; tests look at it

    def clear(self) -> None:
        """Forget all: colours or sizes have changed."""
        self._kept.clear()

    def tile(self, job: str, number: int, strip: Strip, second_per_px: float, shape: RowShape, ratio: float) -> QPixmap:
        """Picture of the strip from pixel *number* × `TILE_PX` since 1970 on."""
        key = (job, number, second_per_px, ratio)
        known = self._kept.get(key)
        if known is not None and known.strip is strip:
            self._kept.move_to_end(key)
            return known.picture
        content = _content_of(strip, number * TILE_PX, second_per_px)
        if known is not None and known.content == content:
            picture = known.picture
        else:
            picture = self._paint(content, number * TILE_PX, second_per_px, shape, ratio)
        self._kept[key] = _Kept(strip, content, picture)
        self._kept.move_to_end(key)
        bytes_each = TILE_PX * shape.height * 4 * ratio * ratio
        while len(self._kept) * bytes_each > _KEPT_BYTES:
            self._kept.popitem(last=False)
        return picture

    def _paint(self, content: _Content, origin: int, second_per_px: float, shape: RowShape, ratio: float) -> QPixmap:
        self.painted += 1
        picture = QPixmap(round(TILE_PX * ratio), round(shape.height * ratio))
        picture.setDevicePixelRatio(ratio)
        picture.fill(Qt.GlobalColor.transparent)
        painter = QPainter(picture)
        for period in content.periods:
            left = int(period.start_s // second_per_px) - origin
            right = int(period.end_s // second_per_px) - origin
            gap = 1 if right - left > NARROWEST_GAP and period.counts is None else 0  # columns have no edges
            place = QRectF(left, shape.block_top, max(right - left - gap, 1), shape.block_height)
            draw_block(painter, place, period.kind, self._theme)
        self._paint_marks(painter, content.marks, origin, second_per_px, shape)
        painter.end()
        return picture

    def _paint_marks(
        self, painter: QPainter, marks: list[Mark], origin: int, second_per_px: float, shape: RowShape
    ) -> None:
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        thin = thin_marks(marks, second_per_px)
        for place, mark in enumerate(marks):
            if place in thin and place > 0 and _same_column(marks[place - 1], mark, second_per_px):
                continue
            middle = QPointF(mark.at_s / second_per_px - origin, shape.mark_y)
            draw_mark(painter, middle, mark, self._theme, is_thin=place in thin)


def _content_of(strip: Strip, origin: int, second_per_px: float) -> _Content:
    since_s, until_s = ((origin + x) * second_per_px for x in (-_MARGIN_PX, TILE_PX + _MARGIN_PX))
    # One that began before may still reach in; none of a strip overlap, so the one before is enough.
    first = max(bisect_right(strip.periods, since_s, key=_start) - 1, 0)
    periods = strip.periods[first : bisect_left(strip.periods, until_s, key=_start)]
    marks = strip.marks[bisect_left(strip.marks, since_s, key=_at) : bisect_right(strip.marks, until_s, key=_at)]
    return _Content(periods, marks)


def _start(period: Period) -> float:
    return period.start_s


def _at(mark: Mark) -> float:
    return mark.at_s


def _same_column(one: Mark, other: Mark, second_per_px: float) -> bool:
    """Tell whether two ticks would run into each other."""
    width_s = _TICK_PX * second_per_px
    return one.at_s // width_s == other.at_s // width_s


def thin_marks(marks: list[Mark], second_per_px: float) -> set[int]:
    """Places of marks that stand so close to the next that only a tick has room; what failed keeps its form."""
    near_s = _THIN_PX * second_per_px
    close = {place for place, (one, other) in enumerate(pairwise(marks)) if other.at_s - one.at_s < near_s}
    close |= {place + 1 for place in close}
    return {place for place in close if _may_be_thin(marks[place].run)}


def _may_be_thin(run: RunRecord) -> bool:
    """Tell whether a run is one of many: started by the scheduler, and nothing ailed it."""
    return run.trigger == "schedule" and run.outcome not in ("failed", "uncertain")


def draw_mark(painter: QPainter, middle: QPointF, mark: Mark, theme: Theme, *, is_thin: bool = False) -> None:
    """Draw a run: ▲ by schedule, ◆ by hand, ● at boot; hollow when there was nothing to do."""
    tone = _MARK_TONES.get(mark.run.outcome, "idle")
    color = theme.text(tone)
    if is_thin:
        painter.fillRect(QRectF(middle.x() - 0.5, middle.y() - 3.5, 1.5, 7), color)
        return
    draw_run_form(painter, middle, mark.run.trigger, color, is_hollow=mark.run.outcome == "skipped")


def draw_run_form(painter: QPainter, middle: QPointF, trigger: str, color: QColor, *, is_hollow: bool) -> None:
    """Draw the form by which a run's starter is told."""
    painter.setPen(QPen(color, 1.2) if is_hollow else Qt.PenStyle.NoPen)
    painter.setBrush(Qt.BrushStyle.NoBrush if is_hollow else color)
    x, y, half = middle.x(), middle.y(), 3.4 if is_hollow else 4.0
    if trigger == "boot":
        painter.drawEllipse(middle, half, half)
    elif trigger == "manual":
        form = [QPointF(x, y - half - 1), QPointF(x + half + 1, y), QPointF(x, y + half + 1), QPointF(x - half - 1, y)]
        painter.drawPolygon(QPolygonF(form))
    else:
        painter.drawPolygon(QPolygonF([QPointF(x, y - half), QPointF(x + half, y + half), QPointF(x - half, y + half)]))
