"""A period as a block: its state told by form first and by colour second, from 3 to 1000 pixels wide."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Literal

from PySide6.QtCore import QLineF, QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFont, QPainter, QPainterPath, QPalette, QPen

if TYPE_CHECKING:
    from trayapp.gui.look.theme import Theme, Tone

Kind = Literal["done", "late", "waiting", "uncertain", "failed", "passed", "open", "running"]
# Which of many in one column is seen: what a person must look at first.
KINDS: Final[tuple[Kind, ...]] = ("failed", "uncertain", "waiting", "running", "passed", "late", "done", "open")
TONES: Final[dict[Kind, Tone]] = {
    "done": "ok",
    "late": "ok",
    "waiting": "warn",
    "uncertain": "warn",
    "failed": "bad",
    "passed": "idle",
    "open": "run",
    "running": "run",
}
KIND_OF_STATE: Final[dict[str, Kind]] = {
    "done": "done",
    "skipped": "passed",
    "passed": "passed",
    "started": "uncertain",
    "failed": "failed",
    "uncertain": "uncertain",
    "again": "waiting",
    "superseded": "passed",
}
NARROW: Final = 13  # pixels: below, there is no room for a sign, and the form alone tells
WIDE: Final = 60  # pixels: above, problems become a pale frame with words in it
NARROWEST_GAP: Final = 3  # pixels: a narrower block touches its neighbours
TALLER: Final = 4  # pixels by which problems stand out above and below


def draw_block(painter: QPainter, place: QRectF, kind: Kind, theme: Theme) -> None:
    """Draw one period into *place*, which leaves a pixel to its neighbour."""
    painter.save()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(Qt.PenStyle.NoPen)
    _DRAW[kind](painter, place, theme)
    painter.restore()


def _radius(place: QRectF) -> float:
    return 1.0 if place.width() < NARROW else 2.0


def _done(painter: QPainter, place: QRectF, theme: Theme) -> None:
    painter.setBrush(theme.fill("ok"))
    painter.drawRoundedRect(place, _radius(place), _radius(place))


def _late(painter: QPainter, place: QRectF, theme: Theme) -> None:
    half = place.height() * 0.5
    clip = QPainterPath()
    clip.addRoundedRect(place, _radius(place), _radius(place))
    painter.setClipPath(clip, Qt.ClipOperation.IntersectClip)
    painter.fillRect(place, theme.tint("ok", 0.28))
    painter.fillRect(place.adjusted(0, half, 0, 0), theme.fill("ok"))


def _waiting(painter: QPainter, place: QRectF, theme: Theme) -> None:
    width = 1.0 if place.width() < NARROW else 1.5
    frame = place.adjusted(width / 2, width / 2, -width / 2, -width / 2)
    painter.setPen(QPen(theme.fill("warn"), width))
    painter.setBrush(theme.tint("warn"))
    painter.drawRoundedRect(frame, _radius(place) + 1, _radius(place) + 1)


def _uncertain(painter: QPainter, place: QRectF, theme: Theme) -> None:
    if place.width() < NARROW:
        _solid(painter, place.adjusted(0, -2 * TALLER, 0, 0), theme.fill("warn"))
    elif place.width() > WIDE:
        _pale_frame(painter, place, theme, "warn")
    else:
        _solid(painter, place.adjusted(0, -TALLER, 0, TALLER), theme.fill("warn"))
        _question(painter, place.center(), _sign_color(theme))


def _failed(painter: QPainter, place: QRectF, theme: Theme) -> None:
    tall = place.adjusted(0, -TALLER, 0, TALLER)
    if place.width() < NARROW:
        middle = place.center().y()
        _solid(painter, QRectF(tall.x(), tall.y(), tall.width(), middle - 1.5 - tall.y()), theme.fill("bad"))
        _solid(painter, QRectF(tall.x(), middle + 1.5, tall.width(), tall.bottom() - middle - 1.5), theme.fill("bad"))
    elif place.width() > WIDE:
        _pale_frame(painter, place, theme, "bad")
    else:
        _solid(painter, tall, theme.fill("bad"))
        _cross(painter, place.center(), _sign_color(theme))


def _passed(painter: QPainter, place: QRectF, theme: Theme) -> None:
    bar = QRectF(place.x(), place.center().y() - 2.5, place.width(), 5)
    painter.setBrush(theme.fill("idle"))
    painter.drawRoundedRect(bar, 2.5, 2.5)


def _open(painter: QPainter, place: QRectF, theme: Theme) -> None:
    color, frame = theme.fill("run"), place.adjusted(0.5, 0.5, -0.5, -0.5)
    clip = QPainterPath()
    clip.addRoundedRect(frame, 2, 2)
    painter.save()
    painter.setClipPath(clip, Qt.ClipOperation.IntersectClip)
    painter.setPen(QPen(color, 0.8))
    step, height = 6.0, frame.height()
    # Lines stand at fixed places of the page, so that neighbours hatch as one.
    at = (frame.x() - height) // step * step
    lines = []
    while at < frame.right():
        lines.append(QLineF(QPointF(at, frame.bottom()), QPointF(at + height, frame.top())))
        at += step
    painter.drawLines(lines)
    painter.restore()
    pen = QPen(color, 1)
    pen.setDashPattern([3, 2])
    painter.setPen(pen)
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.drawRoundedRect(frame, 2, 2)


def _running(painter: QPainter, place: QRectF, theme: Theme) -> None:
    _solid(painter, place, theme.fill("run"))


def _solid(painter: QPainter, place: QRectF, color: QColor) -> None:
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(color)
    painter.drawRoundedRect(place, _radius(place), _radius(place))


def _pale_frame(painter: QPainter, place: QRectF, theme: Theme, tone: Tone) -> None:
    painter.setPen(QPen(theme.fill(tone), 2))
    painter.setBrush(theme.tint(tone, 0.14))
    painter.drawRoundedRect(place.adjusted(1, 0, -1, 0), 3, 3)


def _sign_color(theme: Theme) -> QColor:
    return theme.color(QPalette.ColorRole.Base)


def _question(painter: QPainter, middle: QPointF, color: QColor) -> None:
    font = QFont(painter.font())
    font.setPixelSize(13)  # fits a block, whatever the text size is
    font.setBold(True)
    painter.setFont(font)
    painter.setPen(color)
    painter.drawText(QRectF(middle.x() - 8, middle.y() - 9, 16, 18), Qt.AlignmentFlag.AlignCenter, "?")


def _cross(painter: QPainter, middle: QPointF, color: QColor) -> None:
    pen = QPen(color, 2)
    pen.setCapStyle(Qt.PenCapStyle.RoundCap)
    painter.setPen(pen)
    arm = 3.2
    painter.drawLine(QPointF(middle.x() - arm, middle.y() - arm), QPointF(middle.x() + arm, middle.y() + arm))
    painter.drawLine(QPointF(middle.x() - arm, middle.y() + arm), QPointF(middle.x() + arm, middle.y() - arm))


_DRAW = {
    "done": _done,
    "late": _late,
    "waiting": _waiting,
    "uncertain": _uncertain,
    "failed": _failed,
    "passed": _passed,
    "open": _open,
    "running": _running,
}
