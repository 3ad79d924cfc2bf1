"""The timeline's head: how much of the clock is shown, and the way back and on."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtGui import QFontMetrics
from PySide6.QtWidgets import QButtonGroup, QPushButton, QWidget

from trayapp.gui.look.widgets import button, label, row
from trayapp.gui.timeline.strip.scale import SPANS
from trayapp.wording.mark import N_

if TYPE_CHECKING:
    from trayapp.gui.context import Context
    from trayapp.gui.timeline.canvas import Canvas

ZOOMS = {"6h": N_("6 hours"), "day": N_("Day"), "week": N_("Week"), "month": N_("Month")}
_PAN_SHARE = 0.8  # of what is shown, for a page back or on
_SAME = 0.01


class Head(QWidget):
    """Title, spans, and buttons that move the canvas."""

    def __init__(self, context: Context, canvas: Canvas) -> None:
        super().__init__()
        self._context, self._canvas = context, canvas
        self._group = QButtonGroup(self)
        self._spans = {name: self._span_button(name) for name in ZOOMS}
        back = button(context, "", "chevron-left", name=N_("Back in time"))
        now = button(context, N_("Now"))
        on = button(context, "", "chevron-right", name=N_("On in time"))
        for arrow in (back, on):
            arrow.setMaximumWidth(34)
        back.clicked.connect(lambda: canvas.pan(-_PAN_SHARE))
        on.clicked.connect(lambda: canvas.pan(_PAN_SHARE))
        now.clicked.connect(lambda: canvas.show_span(canvas.span_s))
        title = label(context, N_("Timeline"), "title", 600)
        spans, moves = row(*self._spans.values(), gap=4), row(back, now, on, gap=6)
        self.setLayout(row(title, None, spans, moves, gap=16, margins=(24, 16, 16, 8)))
        self.stops = [*self._spans.values(), back, now, on]  # what Tab comes to, in order
        context.language.changed.connect(self._measure)
        self._measure()

    def choose_span(self, name: str) -> None:
        """Show that span up to now."""
        self._canvas.show_span(SPANS[name])
        self.mark_span(self._canvas.scale.span_s)
        self._canvas.setFocus()

    def mark_span(self, span_s: float) -> None:
        """Mark the button whose span is shown; none when it is another."""
        self._group.setExclusive(False)
        shown = next((name for name in ZOOMS if abs(span_s / SPANS[name] - 1) < _SAME), "")
        for name, made in self._spans.items():
            made.setChecked(name == shown)
        self._group.setExclusive(bool(shown))

    def _span_button(self, name: str) -> QPushButton:
        made = button(self._context, ZOOMS[name], kind="chip")
        made.setCheckable(True)
        made.setChecked(name == "day")
        made.clicked.connect(partial(self.choose_span, name))
        self._group.addButton(made)
        return made

    def _measure(self) -> None:
        """Room for the bold words of a chosen span."""
        bold = QFontMetrics(self._context.theme.font("body", 600))
        for made in self._spans.values():
            made.setMinimumWidth(bold.horizontalAdvance(made.text()) + 30)
