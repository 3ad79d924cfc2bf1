"""The list of the four steps on the left: which are right, which is open, what was chosen in each."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QFontMetrics, QPainter, QPalette, QPen
from PySide6.QtWidgets import QAbstractButton, QSizePolicy, QWidget

from trayapp.gui.look.widgets import column, label, wrapping
from trayapp.wording.speech import _, say

if TYPE_CHECKING:
    from collections.abc import Sequence

    from PySide6.QtGui import QPaintEvent

    from trayapp.gui.context import Context

_CIRCLE, _LEFT = 26, 38
WIDTH = 208


class StepList(QWidget):
    """Names of the steps; each can be opened."""

    chosen = Signal(int)

    def __init__(self, context: Context, titles: Sequence[str]) -> None:
        super().__init__()
        self._name = wrapping(label(context, size="head", weight=600))
        self._state = wrapping(label(context, size="small", is_second=True))
        self.rows = [_Row(context, number, title) for number, title in enumerate(titles)]
        for number, row in enumerate(self.rows):
            row.clicked.connect(partial(self._choose, number))
        self.rows[-1].is_last = True
        self.setLayout(
            column(
                column(self._name, self._state, gap=0),
                column(*self.rows, gap=0),
                None,
                gap=18,
                margins=(20, 20, 16, 16),
            )
        )
        self._context, self._titles = context, tuple(titles)
        self._fit()
        context.language.changed.connect(self._fit)

    def _fit(self) -> None:
        """Be as wide as the longest title needs, within bounds."""
        metrics = QFontMetrics(self._context.theme.font("body", 600))
        longest = max(metrics.horizontalAdvance(_(title)) for title in self._titles)
        self.setFixedWidth(min(max(WIDTH, longest + _LEFT + 46), 2 * WIDTH))

    def show_name(self, title: str, state: str) -> None:
        """Show the job's name, and whether it is new."""
        self._name.setText(title)
        self._state.setText(state)

    def show_step(self, number: int, *, is_open: bool, is_right: bool, is_known: bool, summary: str) -> None:
        """Show how it stands with a step; *is_known* once it was opened."""
        self.rows[number].show_state(is_open=is_open, is_right=is_right, is_known=is_known, summary=summary)

    def _choose(self, number: int, _checked: bool = False) -> None:  # noqa: FBT001, FBT002  # Qt's signal
        self.chosen.emit(number)


class _Row(QAbstractButton):
    def __init__(self, context: Context, number: int, title: str) -> None:
        super().__init__()
        self._context, self._number, self._title = context, number, title
        self._is_open = self._is_right = self._is_known = False
        self._summary = ""
        self.is_last = False
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)

    def show_state(self, *, is_open: bool, is_right: bool, is_known: bool, summary: str) -> None:
        self._is_open, self._is_right, self._is_known, self._summary = is_open, is_right, is_known, summary
        state = _("done") if is_right and is_known else _("needs a look") if is_known else _("still to come")
        text = say("Step {number}: {title}", number=self._number + 1, title=_(self._title))
        self.setAccessibleName(f"{text}, {state}" + (f", {summary}" if summary else ""))
        self.setToolTip(summary)
        self.update()

    def sizeHint(self) -> QSize:
        theme = self._context.theme
        lines = QFontMetrics(theme.font("body", 600)).height() + QFontMetrics(theme.font("small")).height()
        return QSize(160, max(62, lines + 28))

    def paintEvent(self, _event: QPaintEvent) -> None:
        theme = self._context.theme
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        if self.hasFocus():
            painter.setPen(QPen(theme.color(QPalette.ColorRole.WindowText), 2))
            painter.drawRoundedRect(QRectF(self.rect()).adjusted(1, 1, -1, -5), 4, 4)
        body, small = theme.font("body", 600 if self._is_open else 400), theme.font("small")
        upper, lower = QFontMetrics(body), QFontMetrics(small)
        top = 8.0
        circle = QRectF(4, top, _CIRCLE, _CIRCLE)
        if not self.is_last:
            painter.setPen(QPen(theme.color(QPalette.ColorRole.Mid), 1.5))
            painter.drawLine(
                QPointF(circle.center().x(), circle.bottom() + 1), QPointF(circle.center().x(), self.height() + 8.0)
            )
        self._paint_circle(painter, circle)
        room = self.width() - _LEFT - 4
        painter.setFont(body)
        painter.setPen(theme.color(QPalette.ColorRole.Text))
        title = upper.elidedText(_(self._title), Qt.TextElideMode.ElideRight, room)
        base = circle.center().y() - (0 if self._summary else -upper.ascent() / 2 + 2)
        painter.drawText(QPointF(_LEFT, base), title)
        painter.setFont(small)
        painter.setPen(theme.color(QPalette.ColorRole.PlaceholderText))
        text = lower.elidedText(self._summary, Qt.TextElideMode.ElideRight, room)
        painter.drawText(QPointF(_LEFT, circle.center().y() + lower.ascent() + 1), text)

    def _paint_circle(self, painter: QPainter, circle: QRectF) -> None:
        theme = self._context.theme
        is_wrong = self._is_known and not self._is_right
        if self._is_open:
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(theme.color(QPalette.ColorRole.Highlight))
            painter.drawEllipse(circle)
            color = theme.color(QPalette.ColorRole.HighlightedText)
        else:
            tone = "warn" if is_wrong else "ok" if self._is_known else "idle"
            painter.setPen(QPen(theme.fill(tone), 1.6))  # type: ignore[arg-type]
            painter.setBrush(theme.color(QPalette.ColorRole.Window))
            painter.drawEllipse(circle.adjusted(1, 1, -1, -1))
            color = theme.text(tone)  # type: ignore[arg-type]
            if self._is_known and self._is_right:
                check = self._context.icons.pixmap("check", color, 14, self.devicePixelRatioF())
                painter.drawPixmap(QPointF(circle.center().x() - 7, circle.center().y() - 7), check)
                return
        painter.setPen(color)
        painter.setFont(theme.font("small", 600))
        painter.drawText(
            circle, int(Qt.AlignmentFlag.AlignCenter), "!" if is_wrong and not self._is_open else str(self._number + 1)
        )
