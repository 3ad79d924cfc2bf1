"""The mouse over the timeline: the wheel zooms, dragging pans, a press chooses, resting asks for the card."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QPoint, Qt

if TYPE_CHECKING:
    from PySide6.QtGui import QMouseEvent, QWheelEvent

    from trayapp.gui.timeline.canvas import Canvas
    from trayapp.gui.timeline.rows import Spot

_ZOOM = 1.25  # a notch of the wheel
_NOTCH = 120
_PAN_SHARE = 0.1  # of what is seen, for a notch
_SLACK_PX = 4  # a press that moves less is a click
_NEAR_NOW = 0.9  # of the width: zooming right of it goes on following now


class Pointing:
    """What the pointer does to a canvas."""

    def __init__(self, canvas: Canvas) -> None:
        self._canvas = canvas
        self.spot: Spot | None = None  # on which the pointer rests
        self._pressed: QPoint | None = None
        self._dragged_from = 0
        self._is_dragging = False

    def wheel(self, event: QWheelEvent) -> None:
        """Zoom around the pointer; with Shift, or sideways, pan; over the names scroll."""
        canvas, turns = self._canvas, event.angleDelta()
        x = event.position().x() - canvas.name_width
        held = event.modifiers()
        if turns.x() or held & Qt.KeyboardModifier.ShiftModifier:
            canvas.pan(-(turns.x() or turns.y()) / _NOTCH * _PAN_SHARE)
        elif x < 0 and not held & Qt.KeyboardModifier.ControlModifier:
            bar = canvas.verticalScrollBar()
            bar.setValue(bar.value() - round(turns.y() / _NOTCH * canvas.shape.height))
        else:
            if x < canvas.scale.width * _NEAR_NOW:
                canvas.follows_now = False
            canvas.zoom(_ZOOM ** (-turns.y() / _NOTCH), max(x, 0))
        event.accept()

    def press(self, event: QMouseEvent) -> None:
        """Begin a click or a drag."""
        if event.button() == Qt.MouseButton.LeftButton:
            self._pressed = event.position().toPoint()
            self._dragged_from = self._canvas.scale.origin_px
            self._is_dragging = False

    def move(self, event: QMouseEvent) -> None:
        """Drag, or look what the pointer rests on."""
        canvas, place = self._canvas, event.position().toPoint()
        if self._pressed is None:
            self.point_at(canvas.spot_at(place))
            return
        moved = place.x() - self._pressed.x()
        if not self._is_dragging and abs(moved) > _SLACK_PX and self._pressed.x() >= canvas.name_width:
            self._is_dragging = True
            canvas.follows_now = False
            self.point_at(None)
            canvas.viewport().setCursor(Qt.CursorShape.ClosedHandCursor)
        if self._is_dragging:
            canvas.set_scale(canvas.scale._replace(origin_px=self._dragged_from - moved))

    def release(self, event: QMouseEvent) -> None:
        """Choose what was clicked; a job's name opens the job."""
        canvas, place = self._canvas, event.position().toPoint()
        if self._pressed is not None and not self._is_dragging:
            spot = canvas.spot_at(place)
            canvas.choose(spot if spot is not None and (spot.period or spot.mark) else None)
            if spot is not None and place.x() < canvas.name_width:
                canvas.opened.emit(spot)
        self._pressed, self._is_dragging = None, False
        canvas.viewport().unsetCursor()

    def double_click(self, event: QMouseEvent) -> None:
        """Ask for more about what was clicked."""
        spot = self._canvas.spot_at(event.position().toPoint())
        if spot is not None and (spot.period or spot.mark):
            self._canvas.opened.emit(spot)

    def point_at(self, spot: Spot | None) -> None:
        """Note what the pointer rests on, and tell when that changes."""
        if spot is not None and spot.period is None and spot.mark is None:
            spot = None
        if spot != self.spot:
            self.spot = spot
            self._canvas.pointed.emit(spot)
