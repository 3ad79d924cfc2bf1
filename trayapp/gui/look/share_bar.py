"""A thin bar: what is done, what failed, what is left of a list."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QRectF, QSize
from PySide6.QtGui import QPainter, QPainterPath, QPalette
from PySide6.QtWidgets import QProgressBar, QSizePolicy

from trayapp.gui.state.item_words import progress_words

if TYPE_CHECKING:
    from PySide6.QtGui import QPaintEvent

    from trayapp.fan_out.progress import Progress
    from trayapp.gui.context import Context

_PARTS = 1000  # of the whole, for screen readers


class ShareBar(QProgressBar):
    """Hidden while nobody works; the numbers stand in words beside it."""

    def __init__(self, context: Context, height: int) -> None:
        super().__init__()
        self._context, self._height = context, height
        self._done = self._failed = 0.0
        self.setRange(0, _PARTS)
        self.setTextVisible(False)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.hide()
        context.theme.changed.connect(self.update)

    def show_progress(self, progress: Progress | None) -> None:
        """Show how far the workers are; nothing where None."""
        self.setVisible(progress is not None)
        if progress is None:
            return
        total = max(progress.total, 1)
        self._done, self._failed = progress.done / total, progress.failed / total
        self.setValue(min(_PARTS, int((self._done + self._failed) * _PARTS)))
        self.setAccessibleName(progress_words(progress))
        self.update()

    def sizeHint(self) -> QSize:
        return QSize(120, self._height + 4)

    def minimumSizeHint(self) -> QSize:
        return QSize(20, self._height + 4)

    def paintEvent(self, _event: QPaintEvent) -> None:
        theme = self._context.theme
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        track = QRectF(0, (self.height() - self._height) / 2, self.width(), self._height)
        rounded = QPainterPath()
        rounded.addRoundedRect(track, self._height / 2, self._height / 2)
        painter.setClipPath(rounded)
        painter.fillRect(track, theme.color(QPalette.ColorRole.Mid))
        done, failed = (min(share, 1.0) * track.width() for share in (self._done, self._failed))
        if self._failed:
            failed = max(failed, 2.0)  # one of 10,000 is seen too
        painter.fillRect(QRectF(track.left(), track.top(), done, track.height()), theme.fill("run"))
        left = min(track.left() + done, track.right() - failed)
        painter.fillRect(QRectF(left, track.top(), failed, track.height()), theme.fill("bad"))
