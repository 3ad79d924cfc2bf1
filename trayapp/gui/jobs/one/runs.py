"""The last runs of a job, newest first; each opens in History."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QPointF, QSize, Qt, Signal
from PySide6.QtGui import QFontMetrics, QPainter, QPalette, QPen
from PySide6.QtWidgets import QAbstractButton, QSizePolicy, QWidget

from trayapp.gui.jobs.words import OUTCOME_SIGNS, OUTCOME_TONES, run_length, run_time, run_words
from trayapp.gui.look.widgets import column, label
from trayapp.gui.state.words import STARTERS
from trayapp.wording.mark import N_
from trayapp.wording.speech import _

if TYPE_CHECKING:
    from datetime import datetime

    from PySide6.QtGui import QPaintEvent

    from trayapp.gui.context import Context
    from trayapp.gui.jobs.one.reading import JobSeen, RunSeen
    from trayapp.gui.look.theme import Tone

_STARTER_ICONS = {"manual": "by-hand", "schedule": "by-schedule", "boot": "by-boot"}
_SIGN, _GAP = 16, 10


class Runs(QWidget):
    """Rows of runs; none is said in words."""

    run_opened = Signal(str)

    def __init__(self, context: Context) -> None:
        super().__init__()
        self._context = context
        self._rows: list[_Row] = []
        self._none = label(context, N_("It has not run yet."), "small", is_second=True)
        self._layout = column(self._none, gap=0)
        self.setLayout(self._layout)

    def show_seen(self, seen: JobSeen, now: datetime) -> None:
        """Show the runs of *seen*."""
        while len(self._rows) > len(seen.runs):
            self._rows.pop().deleteLater()
        while len(self._rows) < len(seen.runs):
            made = _Row(self._context)
            made.clicked.connect(partial(self._on_clicked, made))
            self._layout.addWidget(made)
            self._rows.append(made)
        times = [run_time(found.run, now) for found in seen.runs]
        starters = [_(STARTERS.get(found.run.trigger, "")) if found.run.trigger else "" for found in seen.runs]
        metrics = QFontMetrics(self._context.theme.font("small", 600))
        widths = [max((metrics.horizontalAdvance(text) for text in texts), default=0) for texts in (times, starters)]
        for made, found, at, by in zip(self._rows, seen.runs, times, starters, strict=True):
            made.show_run(found, (at, by, run_words(found, now), run_length(found.run)), widths)
        self._none.setVisible(not seen.runs)

    def _on_clicked(self, made: _Row, _checked: bool = False) -> None:  # noqa: FBT001, FBT002  # Qt's signal
        self.run_opened.emit(made.run)


class _Row(QAbstractButton):
    def __init__(self, context: Context) -> None:
        super().__init__()
        self._context = context
        self._parts = ("", "", "", "")
        self._widths = [0, 0]
        self._sign = "state-free"
        self._color: Tone = "ok"
        self._starter = ""
        self.run = ""
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)

    def show_run(self, found: RunSeen, parts: tuple[str, str, str, str], widths: list[int]) -> None:
        self.run = found.run.run
        self._parts, self._widths = parts, widths
        self._sign = OUTCOME_SIGNS.get(found.run.outcome, "state-unknown")
        self._color = OUTCOME_TONES.get(found.run.outcome, "idle")
        self._starter = _STARTER_ICONS.get(found.run.trigger, "")
        self.setAccessibleName(", ".join(filter(None, parts)))
        self.setToolTip(parts[2])
        self.update()

    def sizeHint(self) -> QSize:
        return QSize(240, max(_SIGN, QFontMetrics(self._context.theme.font("small")).height()) + 8)

    def paintEvent(self, _event: QPaintEvent) -> None:
        theme, icons, ratio = self._context.theme, self._context.icons, self.devicePixelRatioF()
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        if self.underMouse() or self.hasFocus():
            painter.setPen(
                QPen(theme.color(QPalette.ColorRole.WindowText), 2) if self.hasFocus() else Qt.PenStyle.NoPen
            )
            painter.setBrush(theme.color(QPalette.ColorRole.AlternateBase))
            painter.drawRoundedRect(self.rect().adjusted(1, 1, -1, -1), 4, 4)
        middle, x = self.height() / 2, 4.0
        painter.drawPixmap(
            QPointF(x, middle - _SIGN / 2), icons.pixmap(self._sign, theme.fill(self._color), _SIGN, ratio)
        )
        at, by, what, length = self._parts
        small = theme.font("small")
        metrics = QFontMetrics(small)
        base = middle + metrics.ascent() / 2 - metrics.descent() / 2
        x += _SIGN + _GAP
        painter.setFont(small)
        painter.setPen(theme.color(QPalette.ColorRole.Text))
        painter.drawText(QPointF(x, base), at)
        x += self._widths[0] + _GAP
        second = theme.color(QPalette.ColorRole.PlaceholderText)
        if self._starter:
            painter.drawPixmap(QPointF(x, middle - 7), icons.pixmap(self._starter, second, 14, ratio))
        painter.setPen(second)
        painter.drawText(QPointF(x + 18, base), by)
        x += 18 + self._widths[1] + _GAP
        length_width = metrics.horizontalAdvance(length)
        painter.drawText(QPointF(self.width() - 6 - length_width, base), length)
        painter.setPen(theme.color(QPalette.ColorRole.Text))
        room = int(self.width() - 6 - length_width - _GAP - x)
        painter.drawText(QPointF(x, base), metrics.elidedText(what, Qt.TextElideMode.ElideRight, room))
