"""The strips of all jobs below one clock: painted, zoomed, dragged, and walked through by keys."""

from __future__ import annotations

from bisect import bisect_right
from typing import TYPE_CHECKING

from PySide6.QtCore import QPoint, QRect, Qt, Signal
from PySide6.QtGui import QFontMetrics, QPainter
from PySide6.QtWidgets import QAbstractScrollArea

from trayapp import clock
from trayapp.gui.look.widgets import ringed
from trayapp.gui.timeline.drawing import Drawing
from trayapp.gui.timeline.keys import act_on_key
from trayapp.gui.timeline.pointing import Pointing
from trayapp.gui.timeline.rows import Rows, Spot
from trayapp.gui.timeline.strip.scale import SPANS, Scale, around_now
from trayapp.gui.timeline.strip.tiles import RowShape, Tiles
from trayapp.wording.mark import N_

if TYPE_CHECKING:
    from PySide6.QtCore import QEvent
    from PySide6.QtGui import QKeyEvent, QMouseEvent, QPaintEvent, QResizeEvent, QWheelEvent

    from trayapp.gui.context import Context
    from trayapp.gui.history.desk import Desk
    from trayapp.gui.state.snapshot import Snapshot
    from trayapp.gui.timeline.strip.reading import Mark, Period

_MARK_PX = 7  # around a mark's middle


class Canvas(QAbstractScrollArea):
    """Shows `Rows`. `chosen_changed` and `pointed` tell a `Spot` or None, `opened` the one of which more is wanted."""

    chosen_changed = Signal(object)
    pointed = Signal(object)
    opened = Signal(object)
    scale_changed = Signal()

    def __init__(self, context: Context, desk: Desk) -> None:
        super().__init__()
        self._context = context
        self.rows = Rows(desk, self)
        self.tiles = Tiles(context.theme)
        self.scale = Scale(0, 1.0, 0)
        self.span_s = SPANS["day"]
        self.follows_now = True
        self.chosen: Spot | None = None
        self._pointing = Pointing(self)
        self._awaited: tuple[str, float] | None = None
        self.boot_s: float | None = None
        self.drawing = Drawing(context, self)
        self._set_up()

    def show_snapshot(self, snapshot: Snapshot, *, sort: bool) -> None:
        """Show these jobs."""
        chosen = self.rows.jobs[self.chosen.row].id if self.chosen is not None else ""
        self.rows.show(snapshot, sort=sort)
        if self.chosen is not None:
            row = next((row for row, job in enumerate(self.rows.jobs) if job.id == chosen), None)
            self.chosen = None if row is None else self.chosen._replace(row=row)
        before = self.name_width
        self._measure()
        self._update_bar()
        if before != self.name_width:
            self._on_width()
        self.refresh()

    def refresh(self) -> None:
        """Paint again, and read what is missing for it."""
        if self.scale.width > 0 and self.isVisible():
            self.rows.want(self.rows_in_sight(), self.scale)
        self.viewport().update()

    def show_span(self, span_s: float) -> None:
        """Show that many seconds up to now."""
        self.span_s = span_s
        self.follows_now = True
        self.follow()

    def follow(self) -> None:
        """Keep now in sight, where it was."""
        if self.follows_now and self.strip_width() > 0:
            self.set_scale(around_now(clock.now(), self.span_s, self.strip_width()))

    def pan(self, share: float) -> None:
        """Move by that share of what is seen: negative is back in time."""
        self.follows_now = False
        self.set_scale(self.scale.moved(round(self.scale.width * share)))

    def zoom(self, factor: float, x: float | None = None) -> None:
        """Show less (below 1) or more; what is at *x* stays, else the right edge while now is followed."""
        if x is None:
            x = self.scale.width * (0.96 if self.follows_now else 0.5)
        self.set_scale(self.scale.zoomed(factor, x))
        self.span_s = self.scale.span_s

    def choose(self, spot: Spot | None) -> None:
        """Choose a period or a run, and bring it into sight."""
        self.chosen = spot
        if spot is not None:
            self._bring_into_sight(spot)
        self.chosen_changed.emit(spot)
        self.viewport().update()

    def choose_when_read(self, row: int, at_s: float) -> None:
        """Choose the period at an instant as soon as it is read."""
        self._awaited = (self.rows.jobs[row].id, at_s)

    @property
    def pointed_at(self) -> Spot | None:
        """What the pointer rests on."""
        return self._pointing.spot

    def look_at(self, row: int, at_s: float) -> None:
        """Bring an instant of a row into sight."""
        if not self.scale.since_s <= at_s <= self.scale.until_s:
            self.follows_now = False
            middle = self.scale.x_of(at_s) - self.scale.width // 2
            self.set_scale(self.scale.moved(middle))
        self._scroll_to_row(row)

    def period_at(self, row: int, at_s: float) -> Period | None:
        """Period of a row at an instant."""
        strip = self.rows.strip(self.rows.jobs[row].id)
        periods = strip.periods if strip is not None else ()
        place = bisect_right(periods, at_s, key=lambda period: period.start_s) - 1
        found = periods[place] if place >= 0 else None
        return found if found is not None and at_s < found.end_s else None

    # ------------------------------------------------------------------ measures

    def _set_up(self) -> None:
        ringed(self)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.viewport().setMouseTracking(True)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self._context.language.bind(self, "setAccessibleName", N_("Timeline of the jobs"))
        self.rows.came.connect(self._on_came)
        self._context.theme.changed.connect(self._on_theme)
        self._measure()

    def _measure(self) -> None:
        theme = self._context.theme
        body, small, tiny = (QFontMetrics(theme.font(size)) for size in ("body", "small", "tiny"))
        words = body.height() + small.height()
        height = max(66, words + 30)
        self.shape = RowShape(height, (height - 26) // 2 - 2, 24, (height - 26) // 2 + 36)
        self.head_height = tiny.height() * 2 + 8
        titles = QFontMetrics(theme.font("body", 600))
        widest = max((titles.horizontalAdvance(job.title) for job in self.rows.jobs), default=0)
        self.name_width = min(max(widest + 62, 200), body.horizontalAdvance("n" * 32) + 46)
        self.verticalScrollBar().setSingleStep(height // 2)

    def _on_came(self, job: str) -> None:
        self.viewport().update()
        row = next((row for row, state in enumerate(self.rows.jobs) if state.id == job), None)
        if row is None:
            return
        if self._awaited is not None and self._awaited[0] == job:
            at_s = self._awaited[1]
            if (period := self.period_at(row, at_s)) is not None:
                self._awaited = None
                self.choose(Spot(row, period))
        elif self.chosen is not None and self.chosen.row == row and self.chosen.period is not None:
            period = self.period_at(row, self.chosen.period.start_s)
            if period is not None and period != self.chosen.period:
                self.chosen = self.chosen._replace(period=period)
                self.chosen_changed.emit(self.chosen)

    def _on_theme(self) -> None:
        self._measure()
        self.tiles.clear()
        self.refresh()

    def strip_width(self) -> int:
        """Pixels that a strip has."""
        return max(0, self.viewport().width() - self.name_width - 16)

    def row_top(self, row: int) -> int:
        """Where a row begins on the viewport."""
        return self.head_height + row * self.shape.height - self.verticalScrollBar().value()

    def rows_in_sight(self) -> range:
        """Rows of which something is seen."""
        top = self.verticalScrollBar().value()
        room = self.viewport().height() - self.head_height
        first = top // self.shape.height
        return range(first, min(len(self.rows.jobs), (top + max(room, 0)) // self.shape.height + 1))

    def _update_bar(self) -> None:
        room = max(1, self.viewport().height() - self.head_height)
        self.verticalScrollBar().setPageStep(room)
        self.verticalScrollBar().setRange(0, max(0, len(self.rows.jobs) * self.shape.height - room))

    def set_scale(self, scale: Scale) -> None:
        """Show another stretch or detail."""
        if scale != self.scale:
            self.scale = scale
            self.scale_changed.emit()
            self.refresh()

    def _bring_into_sight(self, spot: Spot) -> None:
        if spot.period is not None and not (
            spot.period.end_s > self.scale.since_s and spot.period.start_s < self.scale.until_s
        ):
            self.look_at(spot.row, (spot.period.start_s + spot.period.end_s) / 2)
        self._scroll_to_row(spot.row)

    def _scroll_to_row(self, row: int) -> None:
        bar, top = self.verticalScrollBar(), row * self.shape.height
        room = self.viewport().height() - self.head_height
        if top < bar.value():
            bar.setValue(top)
        elif top + self.shape.height > bar.value() + room:
            bar.setValue(top + self.shape.height - room)

    def spot_at(self, place: QPoint) -> Spot | None:
        """Find what is at a place of the viewport; a row alone where nothing stands."""
        row = (place.y() - self.head_height + self.verticalScrollBar().value()) // self.shape.height
        if place.y() < self.head_height or not 0 <= row < len(self.rows.jobs):
            return None
        x, y = place.x() - self.name_width, place.y() - self.row_top(row)
        if x < 0:
            return Spot(row)
        if abs(y - self.shape.mark_y) <= _MARK_PX:
            return Spot(row, mark=self._mark_at(row, x))
        inside = self.shape.block_top - 8 <= y <= self.shape.block_top + self.shape.block_height + 6
        return Spot(row, self.period_at(row, self.scale.at(x)) if inside else None)

    def _mark_at(self, row: int, x: float) -> Mark | None:
        strip = self.rows.strip(self.rows.jobs[row].id)
        if strip is None:
            return None
        near = [mark for mark in strip.marks if abs(self.scale.x_of(mark.at_s) - x) <= _MARK_PX]
        return min(near, key=lambda mark: abs(self.scale.x_of(mark.at_s) - x), default=None)

    def place_of(self, spot: Spot) -> QRect:
        """Where a period or a run stands on the viewport."""
        top = self.row_top(spot.row)
        if spot.mark is not None:
            x = self.name_width + self.scale.x_of(spot.mark.at_s)
            return QRect(x - _MARK_PX, top + self.shape.mark_y - _MARK_PX, 2 * _MARK_PX, 2 * _MARK_PX)
        if spot.period is None:
            return QRect(0, top, self.name_width, self.shape.height)
        left = self.name_width + self.scale.x_of(spot.period.start_s)
        right = self.name_width + self.scale.x_of(spot.period.end_s)
        return QRect(left, top + self.shape.block_top, max(right - left, 2), self.shape.block_height)

    def is_in_sight(self, spot: Spot) -> bool:
        """Tell whether some of a period or a run is seen."""
        strips = self.viewport().rect().adjusted(self.name_width, self.head_height, 0, 0)
        return strips.intersects(self.place_of(spot))

    # ------------------------------------------------------------------ Qt's events

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self.viewport())
        self.drawing.paint(painter)
        painter.end()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._update_bar()
        self._on_width()

    def _on_width(self) -> None:
        width = self.strip_width()
        if width > 0 and (self.follows_now or self.scale.width == 0):
            self.set_scale(around_now(clock.now(), self.span_s, width))
        elif width > 0:
            self.set_scale(self.scale.resized(width))

    def scrollContentsBy(self, _dx: int, _dy: int) -> None:
        self.refresh()

    def wheelEvent(self, event: QWheelEvent) -> None:
        self._pointing.wheel(event)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        self._pointing.press(event)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        self._pointing.move(event)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        self._pointing.release(event)

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        self._pointing.double_click(event)

    def leaveEvent(self, event: QEvent) -> None:
        self._pointing.point_at(None)
        super().leaveEvent(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if not act_on_key(self, Qt.Key(event.key())):
            super().keyPressEvent(event)
