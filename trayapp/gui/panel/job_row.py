"""One job in the panel: its state, what comes next, what can be done, and what was answered."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QPalette
from PySide6.QtWidgets import QFrame, QLabel, QWidget

from trayapp.gui.look.elided import ElidedLabel
from trayapp.gui.look.share_bar import ShareBar
from trayapp.gui.look.widgets import button, column, label, row, wrapping
from trayapp.gui.state.words import SIGNS, next_words, status_words, tone_of
from trayapp.wording.mark import N_
from trayapp.wording.speech import say

if TYPE_CHECKING:
    from datetime import datetime

    from PySide6.QtGui import QContextMenuEvent, QFocusEvent, QKeyEvent, QMouseEvent, QPaintEvent
    from PySide6.QtWidgets import QPushButton

    from trayapp.gui.context import Context
    from trayapp.gui.state.answer_words import Words
    from trayapp.gui.state.snapshot import JobState

_SIGN, _BUTTON = 18, 30


class JobRow(QWidget):
    """A job's row. It takes the focus; Tab goes on to its buttons."""

    run_pressed = Signal(str)
    remedy_pressed = Signal(str)
    opened = Signal(str)
    entered = Signal(str)
    menu_asked = Signal(str, object)  # job, where on the screen

    def __init__(self, context: Context, job: JobState, now: datetime) -> None:
        super().__init__()
        self._context, self._job, self._now = context, job, now
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self._sign = QLabel()
        self._title = ElidedLabel(context, "body", 600)
        self._status = ElidedLabel(context, "small", 400)
        self._next = label(context, size="small", is_second=True)
        self._run = button(context, "", "play", "square", name=N_("Run now"))
        self._run.setFixedSize(_BUTTON, _BUTTON)
        self._run.setIconSize(QSize(12, 12))
        self._run.clicked.connect(lambda: self.run_pressed.emit(self._job.id))
        # Most rows need none of these ever, and with sixty jobs each part is felt when the panel opens.
        self._bar: ShareBar | None = None
        self._remedy: QPushButton | None = None
        self._note: _Note | None = None
        self._words = column(self._title, self._status, gap=1)
        self._top = row(self._sign, self._words, self._next, self._run, gap=10)
        self._top.setStretch(1, 1)
        self._parts = column(self._top, gap=6, margins=(16, 6, 12, 6))
        self.setLayout(self._parts)
        self.write()

    @property
    def job(self) -> JobState:
        """State that the row shows."""
        return self._job

    def show_job(self, job: JobState, now: datetime) -> None:
        """Show that state."""
        if (job, now) != (self._job, self._now):
            self._job, self._now = job, now
            self.write()

    def write(self) -> None:
        """Write all anew, in the language and the colours of now."""
        job, now = self._job, self._now
        ratio = self.devicePixelRatioF()
        self._sign.setPixmap(self._context.icons.sign(SIGNS[job.kind], _SIGN, ratio))
        self._title.set_full_text(job.title)
        status = status_words(job, now)
        tone = tone_of(job)
        self._status.set_full_text(status)
        self._status.set_color(
            self._context.theme.color(QPalette.ColorRole.PlaceholderText)
            if tone in ("ok", "idle")
            else self._context.theme.text(tone)
        )
        self._show_progress()
        remedy = {"uncertain": N_("Decide"), "trigger": N_("Repair")}.get(job.kind, "")
        self._show_remedy(remedy)
        self._next.setVisible(not remedy and job.next_at is not None)
        self._next.setText(next_words(job, now))
        self._run.setAccessibleName(say("Run now: {title}", title=job.title))
        # Never disabled: a press while it runs or rests only answers why nothing starts.
        self._context.icons.put(self._run, "play", "idle" if job.kind in ("running", "paused", "disabled") else None)
        self.setAccessibleName(f"{job.title}: {status}")
        if job.next_at is not None:
            at = say("Next start: {at}", at=job.next_at)
            self._next.setToolTip(at)
            self.setAccessibleDescription(at)

    def _show_progress(self) -> None:
        if self._bar is None and self._job.progress is not None:
            self._bar = ShareBar(self._context, 4)
            self._words.addWidget(self._bar)
        if self._bar is not None:
            self._bar.show_progress(self._job.progress)

    def _show_remedy(self, remedy: str) -> None:
        if self._remedy is None and remedy:
            self._remedy = button(self._context, "", kind="remedy")
            self._remedy.setFont(self._context.theme.font("small", 600))
            self._remedy.clicked.connect(lambda: self.remedy_pressed.emit(self._job.id))
            self._top.insertWidget(self._top.indexOf(self._run), self._remedy)
            self.setTabOrder(self._remedy, self._run)
        if self._remedy is not None:
            self._remedy.setVisible(bool(remedy))
            if remedy:
                self._context.language.bind(self._remedy, "setText", remedy)

    def show_note(self, words: Words | None) -> None:
        """Show an answer, or what a run would do, below the state; None takes it away."""
        if self._note is None:
            if words is None:
                return
            self._note = _Note(self._context)
            self._parts.addWidget(self._note)
        self._note.show_words(words)

    @property
    def has_note(self) -> bool:
        """Tell whether something stands below the state."""
        return self._note is not None and self._note.isVisibleTo(self)

    def matches(self, text: str) -> bool:
        """Tell whether the job's name or state holds the folded *text*."""
        from trayapp.history.records import fold  # noqa: PLC0415  # only a search

        return fold(text) in fold(f"{self._job.title} {self._job.id} {status_words(self._job, self._now)}")

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.opened.emit(self._job.id)
        elif event.key() == Qt.Key.Key_R:
            self.run_pressed.emit(self._job.id)
        else:
            super().keyPressEvent(event)

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        self.opened.emit(self._job.id)
        super().mouseDoubleClickEvent(event)

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        self.menu_asked.emit(self._job.id, event.globalPos())

    def focusInEvent(self, event: QFocusEvent) -> None:
        self.entered.emit(self._job.id)
        self.update()
        super().focusInEvent(event)

    def focusOutEvent(self, event: QFocusEvent) -> None:
        self.update()
        super().focusOutEvent(event)

    def paintEvent(self, event: QPaintEvent) -> None:
        from PySide6.QtGui import QPainter, QPen  # noqa: PLC0415  # loaded anyway

        if self.hasFocus() or self.underMouse():
            painter = QPainter(self)
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            theme = self._context.theme
            frame = self.rect().adjusted(5, 1, -5, -1)
            painter.setBrush(
                theme.tint("run", 0.08) if self.hasFocus() else theme.color(QPalette.ColorRole.AlternateBase)
            )
            pen = QPen(theme.color(QPalette.ColorRole.WindowText), 2) if self.hasFocus() else QPen(Qt.PenStyle.NoPen)
            painter.setPen(pen)
            painter.drawRoundedRect(frame, 5, 5)
        super().paintEvent(event)


class _Note(QFrame):
    """Words in a tinted frame below a job's state."""

    def __init__(self, context: Context) -> None:
        super().__init__()
        self._context = context
        self.setProperty("kind", "callout")
        self._icon = QLabel()
        self._title = wrapping(label(context, size="small", weight=600))
        self._text = wrapping(label(context, size="small"))
        words = column(self._title, self._text, gap=2)
        layout = row(self._icon, words, gap=8, margins=(10, 7, 10, 7))
        layout.setStretch(1, 1)
        layout.setAlignment(self._icon, Qt.AlignmentFlag.AlignTop)
        self.setLayout(layout)
        self.hide()

    def show_words(self, words: Words | None) -> None:
        self.setVisible(words is not None)
        if words is None:
            return
        self.setProperty("tone", words.tone)
        self.style().unpolish(self)
        self.style().polish(self)
        self._icon.setPixmap(
            self._context.icons.pixmap(words.icon, self._context.theme.fill(words.tone), 16, self.devicePixelRatioF())
        )
        self._title.set_tone(words.tone if words.tone != "idle" else None)
        self._title.setText(words.title)
        self._text.setText(words.text)
        self._text.setVisible(bool(words.text))
        self.setAccessibleName(words.line)
