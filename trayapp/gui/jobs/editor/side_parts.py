"""Parts of the editor's right side: the next starts, and what Run now would do."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QFontMetrics, QPainter, QPalette, QPen
from PySide6.QtWidgets import QFrame, QGridLayout, QLabel, QSizePolicy, QWidget

from trayapp.gui.look.widgets import column, label, line, wrapping
from trayapp.gui.state.words import many
from trayapp.gui.timeline.strip.blocks import draw_block
from trayapp.wording.instants import show_date, show_near, show_time, show_window
from trayapp.wording.mark import N_, NN_
from trayapp.wording.speech import _, say

if TYPE_CHECKING:
    from datetime import datetime

    from PySide6.QtGui import QPaintEvent

    from trayapp.gui.context import Context
    from trayapp.gui.jobs.editor.outlook import Outlook, Start
    from trayapp.window.grid import Window

_MOST_BLOCKS = 4


def windows_words(windows: tuple[Window, ...], now: datetime) -> str:
    """Periods in short: one or two by their times, more by their number."""
    if not windows:
        return _("nothing yet")
    if len(windows) <= 2:  # noqa: PLR2004  # two fit on a line
        texts = [show_window(*window, now=now).removeprefix(_("today") + " ") for window in windows]
        return say("{first} and {second}", first=texts[0], second=texts[1]) if len(texts) > 1 else texts[0]
    span = show_window(windows[0].start, windows[-1].end, now=now).removeprefix(_("today") + " ")
    forms = NN_("{count:number} period: {span}", "{count:number} periods: {span}")
    return many(forms, len(windows), span=span)


class Starts(QWidget):
    """The next starts, and the periods that each would take."""

    def __init__(self, context: Context) -> None:
        super().__init__()
        self._context = context
        self._grid = QGridLayout()
        self._grid.setContentsMargins(0, 0, 0, 0)
        self._grid.setHorizontalSpacing(14)
        self._grid.setVerticalSpacing(4)
        self._grid.setColumnStretch(2, 1)
        title = label(context, N_("Next starts"), weight=600)
        second = wrapping(label(context, N_("when, and the period it takes"), "small", is_second=True))
        self.setLayout(column(line(), column(title, second, gap=0), self._grid, gap=10))
        self.rows: list[tuple[str, str]] = []

    def show_outlook(self, outlook: Outlook) -> None:
        """Show them."""
        while (item := self._grid.takeAt(0)) is not None:
            widget = item.widget()
            if widget is not None:
                widget.hide()
                widget.deleteLater()
        self.rows = [
            (self._at_words(start, outlook.now), self._take_words(start, outlook.now)) for start in outlook.starts
        ]
        for number, (at, take) in enumerate(self.rows):
            icon = QLabel()
            color = self._context.theme.color(QPalette.ColorRole.PlaceholderText)
            icon.setPixmap(self._context.icons.pixmap("by-schedule", color, 14, self.devicePixelRatioF()))
            when, what = label(self._context, weight=600), wrapping(label(self._context))
            when.setText(at)
            what.setText(take)
            for place, part in enumerate((icon, when, what)):
                self._grid.addWidget(part, number, place, Qt.AlignmentFlag.AlignTop)
        self.setVisible(bool(self.rows) and self.isVisibleTo(self.parentWidget() or self))

    @staticmethod
    def _at_words(start: Start, now: datetime) -> str:
        return show_near(start.at, now)

    @staticmethod
    def _take_words(start: Start, now: datetime) -> str:
        words = windows_words(start.take, now)
        if start.passed:
            words += "; " + _("older ones are passed over")
        if start.waiting:
            words += "; " + many(NN_("{count:number} waits", "{count:number} wait"), start.waiting)
        return words


class Fires(QWidget):
    """The next starts of a job with a list: each makes what is missing then."""

    def __init__(self, context: Context) -> None:
        super().__init__()
        title = label(context, N_("Next starts"), weight=600)
        second = wrapping(label(context, N_("each makes the files that are missing then"), "small", is_second=True))
        self.times = wrapping(label(context))
        self.setLayout(column(line(), column(title, second, gap=0), self.times, gap=10))

    def show_fires(self, fires: tuple[datetime, ...], now: datetime) -> None:
        """Show them."""
        self.times.setText("\n".join(show_near(at, now) for at in fires))


class ByHand(QFrame):
    """What Run now would do, in words and drawn."""

    def __init__(self, context: Context) -> None:
        super().__init__()
        self.setProperty("kind", "callout")
        self.setProperty("tone", "run")
        self._title = wrapping(label(context, N_("If Run now were pressed"), weight=600))
        self._text = wrapping(label(context))
        self._second = wrapping(label(context, size="small", is_second=True))
        self._blocks = _Blocks(context)
        self.setLayout(column(self._title, self._text, self._second, self._blocks, gap=4, margins=(14, 10, 14, 12)))

    def show_outlook(self, outlook: Outlook) -> None:
        """Show it."""
        take, now = outlook.by_hand.take, outlook.now
        if take:
            forms = NN_("{count:number} period is done: {periods}.", "{count:number} periods are done: {periods}.")
            periods = windows_words(take, now)
            if len(take) > 2:  # noqa: PLR2004  # their number stands in the sentence already
                periods = show_window(take[0].start, take[-1].end, now=now).removeprefix(_("today") + " ")
            words = many(forms, len(take), periods=periods)
            if outlook.by_hand.waiting:
                words += " " + many(
                    NN_("{count:number} more waits then.", "{count:number} more wait then."), outlook.by_hand.waiting
                )
            self._text.setText(words)
        else:
            self._text.setText(_("Nothing is done: no period has closed yet."))
        following = show_window(*outlook.following, now=now).removeprefix(_("today") + " ")
        # Translators: {at} comes with its Turkish ending: 13:05'te
        text = N_("{period} is still open; it can be taken {at}.")
        self._second.setText(say(text, period=following, at=show_near(outlook.takeable_at, now, "locative")))
        self._blocks.show_windows((*take[-_MOST_BLOCKS + 1 :], outlook.following), len(take[-_MOST_BLOCKS + 1 :]))


class _Blocks(QWidget):
    """The last periods that would be done, and the one that is open."""

    def __init__(self, context: Context) -> None:
        super().__init__()
        self._context = context
        self._windows: tuple[Window, ...] = ()
        self._done = 0
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)

    def show_windows(self, windows: tuple[Window, ...], done: int) -> None:
        self._windows, self._done = windows, done
        self.update()

    def sizeHint(self) -> QSize:
        return QSize(200, QFontMetrics(self._context.theme.font("tiny")).height() + 34)

    def paintEvent(self, _event: QPaintEvent) -> None:
        if not self._windows:
            return
        theme = self._context.theme
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        tiny = theme.font("tiny")
        metrics = QFontMetrics(tiny)
        width = (self.width() - 2) / len(self._windows)
        is_days = (self._windows[-1].end - self._windows[-1].start).total_seconds() > 23 * 3600
        for number, window in enumerate(self._windows):
            box = QRectF(1 + number * width, 6, width - 3, 22)
            if number < self._done:
                painter.setPen(QPen(theme.fill("run"), 1.5))
                painter.setBrush(theme.color(QPalette.ColorRole.Base))
                painter.drawRoundedRect(box, 3, 3)
                painter.setPen(theme.text("run"))
                painter.setFont(theme.font("tiny", 600))
                words = metrics.elidedText(_("to be done"), Qt.TextElideMode.ElideRight, int(width - 8))
                painter.drawText(box, int(Qt.AlignmentFlag.AlignCenter), words)
            else:
                draw_block(painter, box, "open", theme)
            painter.setFont(tiny)
            painter.setPen(theme.color(QPalette.ColorRole.PlaceholderText))
            text = show_date(window.start)[:5] if is_days else show_time(window.start)
            painter.drawText(
                QRectF(1 + number * width, 31, width, metrics.height()), int(Qt.AlignmentFlag.AlignLeft), text
            )
