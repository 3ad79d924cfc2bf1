"""The top of a job's page: its state, Run now with what a press would do, and what the last press answered."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QPoint, QTimer, Signal
from PySide6.QtWidgets import QLabel, QMenu, QWidget

from trayapp import clock
from trayapp.gui.context import Place
from trayapp.gui.jobs.table.flow import Flow
from trayapp.gui.jobs.words import short_status
from trayapp.gui.look.callout import Callout
from trayapp.gui.look.widgets import button, column, label, row, wrapping
from trayapp.gui.pausing import add_resume, fill_pause_menu
from trayapp.gui.state.answer_words import Words, answer_words, preview_words
from trayapp.gui.state.words import SIGNS, tone_of
from trayapp.wording.mark import N_
from trayapp.wording.speech import _

if TYPE_CHECKING:
    from datetime import datetime

    from trayapp.gui.context import Context
    from trayapp.gui.run_now import Answer
    from trayapp.gui.state.snapshot import JobState

_SIGN = 24
_PREVIEW_WAIT_MS = 150  # a person who goes through the list with ↓ starts no process for each job


class Head(QWidget):
    """State, buttons, and one line or answer below them."""

    edit_pressed = Signal(str)
    menu_asked = Signal(str, QPoint)

    def __init__(self, context: Context) -> None:
        super().__init__()
        self._context = context
        self._state: JobState | None = None
        self._preview: Answer | None = None
        self._sign = QLabel()
        self._title = wrapping(label(context, size="title", weight=500))
        self._status = wrapping(label(context))
        self.run = button(context, N_("Run now"), "play", "primary")
        self._pause = button(context, N_("Pause"), "pause")
        self._edit = button(context, N_("Edit"), "edit")
        self._more = button(context, "", "more", "flat", name=N_("More about this job"))
        self._line_icon = QLabel()
        self._line = wrapping(label(context, size="small", is_second=True))
        self._line_row = QWidget()
        self.answer = Callout(context)
        self._told: Words | None = None  # what an act other than a run answered
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setInterval(_PREVIEW_WAIT_MS)
        self._timer.timeout.connect(self._ask_preview)
        self._build()
        context.run_now.started.connect(self._on_run_changed)
        context.run_now.answered.connect(self._on_answered)
        context.theme.changed.connect(self._write)
        context.store.ticked.connect(self._on_tick)

    def show_job(self, state: JobState) -> None:
        """Show that job; its preview is asked for where it may be another than before."""
        before = self._state
        self._state = state
        if before is None or before.id != state.id:
            self._preview, self._told = None, None
        if before is None or _what_decides(before) != _what_decides(state):
            self._timer.start()
        self._write()

    def tell(self, words: Words) -> None:
        """Show what an act answered, until the next one."""
        self._told = words
        self._write_note()

    def dismiss(self) -> bool:
        """Take the answer away; False when there was none."""
        is_there = self.answer.isVisibleTo(self)
        if self._state is not None:
            self._context.run_now.dismiss(self._state.id)
        self._told = None
        self._write_note()
        return is_there

    def write_again(self) -> None:
        """Write in the language of now."""
        self._write()

    def _build(self) -> None:
        words = column(self._title, self._status, gap=1)
        upper = row(self._sign, words, gap=12)
        upper.setStretch(1, 1)
        self._buttons = Flow([self.run, self._pause, self._edit])
        buttons = row(self._buttons, self._more, gap=8)
        buttons.setStretch(0, 1)
        line = row(self._line_icon, self._line, gap=7)
        line.setStretch(1, 1)
        self._line_row.setLayout(line)
        self._more_link = button(self._context, "", kind="link")
        self._more_link.clicked.connect(self._on_more_link)
        self.answer.body.addWidget(self._more_link)
        self.setLayout(column(upper, buttons, self._line_row, self.answer, gap=10))
        self.run.clicked.connect(self._on_run)
        self._pause.clicked.connect(self._on_pause)
        self._edit.clicked.connect(self._on_edit)
        self._more.clicked.connect(self._on_more)

    def _write(self) -> None:
        if self._state is None:
            return
        state, ratio = self._state, self.devicePixelRatioF()
        self._sign.setPixmap(self._context.icons.sign(SIGNS[state.kind], _SIGN, ratio))
        self._title.setText(state.title)
        self._write_status()
        is_paused = state.pause is not None
        self._context.language.bind(self._pause, "setText", N_("Resume") if is_paused else N_("Pause"))
        self._context.icons.put(self._pause, "play" if is_paused else "pause")
        is_broken = state.file.job is None
        self._edit.setVisible(not is_broken)
        self._write_note()

    def _write_status(self) -> None:
        assert self._state is not None
        tone = tone_of(self._state)
        words = short_status(self._state, clock.now())
        # The reason stands in the card below.
        self._status.setText(words.partition(": ")[0] if self._state.kind == "failed" else words)
        self._status.setProperty("kind", "second" if tone in ("ok", "idle") else None)
        self._status.set_tone(None if tone in ("ok", "idle") else tone)

    def _on_tick(self) -> None:
        if self._state is not None and self._state.kind == "running" and self.isVisible():
            self._write_status()

    def _write_note(self) -> None:
        """Answer of the last run, or of another act, or what a run would do."""
        if self._state is None:
            return
        now, job_id = clock.now(), self._state.id
        answer = self._context.run_now.answer(job_id)
        words = self._told
        if self._context.run_now.is_under_way(job_id):
            words = Words("run", "state-running", _("Started"))
        elif answer is not None:
            words = answer_words(answer, now)
        self.answer.setVisible(words is not None)
        self._line_row.setVisible(words is None and self._state.kind != "broken")
        if words is not None:
            self.answer.tell(words.tone, words.icon, words.title, words.text)
            self._write_link(answer)
            return
        line = preview_words(self._preview, now) if self._preview is not None else None
        self._line.setText(line.line if line else _("Looking what a press would do…"))
        color = self._context.theme.fill("bad" if line and line.tone == "bad" else "run")
        icon = line.icon if line else "info"
        self._line_icon.setPixmap(self._context.icons.pixmap(icon, color, 16, self.devicePixelRatioF()))

    def _write_link(self, answer: Answer | None) -> None:
        run = answer.facts.get("run") if answer is not None and self._told is None else None
        self._more_link.setVisible(bool(run))
        self._more_link.setText(_("Open this run in History"))
        self._more_link.setProperty("run", run or "")

    def _on_more_link(self) -> None:
        if self._state is not None:
            self._context.go_to(Place("history", self._state.id, run=str(self._more_link.property("run"))))

    def _on_run(self) -> None:
        if self._state is not None:
            self._told = None
            self._context.run_now.press(self._state.id)

    def _on_run_changed(self, job_id: str) -> None:
        if self._state is not None and job_id == self._state.id:
            self._told = None
            self._write_note()

    def _on_answered(self, answer: Answer) -> None:
        self._on_run_changed(answer.job)
        if self._state is not None and answer.job == self._state.id:
            self._timer.start()  # what is shown when the answer is dismissed

    def _on_edit(self) -> None:
        if self._state is not None:
            self.edit_pressed.emit(self._state.id)

    def _on_pause(self) -> None:
        if self._state is None:
            return
        if self._state.pause is not None:
            self._context.commands.do(["resume", self._state.id])
            return
        menu = QMenu(self)
        fill_pause_menu(self._context, menu, self._state.id)
        menu.popup(self._pause.mapToGlobal(QPoint(0, self._pause.height())))

    def add_pause_to(self, menu: QMenu) -> None:
        """Offer to pause or resume in *menu*."""
        if self._state is None:
            return
        if self._state.pause is not None:
            add_resume(self._context, menu, self._state.id)
        else:
            fill_pause_menu(self._context, menu.addMenu(_("Pause")), self._state.id)

    def _on_more(self) -> None:
        if self._state is not None:
            self.menu_asked.emit(self._state.id, self._more.mapToGlobal(QPoint(0, self._more.height())))

    def _ask_preview(self) -> None:
        if self._state is not None and self.isVisible():
            self._context.run_now.preview(self._state.id, self._on_preview)

    def _on_preview(self, answer: Answer) -> None:
        if self._state is not None and answer.job == self._state.id:
            self._preview = answer
            self._write_note()

    def showEvent(self, event: object) -> None:
        super().showEvent(event)  # type: ignore[arg-type]
        self._timer.start()


def _what_decides(state: JobState) -> tuple[object, ...]:
    """All that a preview may change by, as far as it is seen here."""
    return (
        state.id,
        state.file,
        state.lock.state,
        state.pause,
        state.last,
        state.waiting,
        _until(state),
        state.unsettled,
        state.survey.items if state.survey else None,
        state.progress is None,
    )


def _until(state: JobState) -> datetime | None:
    return state.survey.done_up_to if state.survey else None
