"""What is wrong with a job, why, and the button that mends it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QUrl, Signal
from PySide6.QtGui import QDesktopServices
from PySide6.QtWidgets import QWidget

from trayapp import clock
from trayapp.gui.context import Place
from trayapp.gui.look.callout import Callout
from trayapp.gui.look.widgets import button, column
from trayapp.gui.state.words import period_words, quiet_words, status_words
from trayapp.wording.instants import show_near
from trayapp.wording.mark import N_
from trayapp.wording.reasons import reason_words
from trayapp.wording.speech import _, say, sentence

if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import datetime

    from PySide6.QtWidgets import QPushButton

    from trayapp.gui.commands import Done
    from trayapp.gui.context import Context
    from trayapp.gui.state.snapshot import JobState, Unsettled


class Problem(QWidget):
    """One callout; nothing where nothing is wrong. What a remedy answers stands in it until the state changes."""

    decide_pressed = Signal()
    skip_pressed = Signal(object)  # Unsettled
    mended = Signal()

    def __init__(self, context: Context) -> None:
        super().__init__()
        self._context = context
        self._state: JobState | None = None
        self._refusal = ""
        self.callout = Callout(context)
        self.setLayout(column(self.callout, gap=0))
        self._writers: dict[str, Callable[[JobState, datetime], None]] = {
            "broken": self._write_broken,
            "failed": self._write_failed,
            "uncertain": self._write_uncertain,
            "trigger": self._write_trigger,
            "late": self._write_late,
            "unknown": self._write_unknown,
            "paused": self._write_paused,
            "disabled": self._write_disabled,
        }

    def show_job(self, state: JobState) -> None:
        """Show what is wrong with that job."""
        if self._state is None or (self._state.id, self._state.kind) != (state.id, state.kind):
            self._refusal = ""
        self._state = state
        self.write_again()

    def write_again(self) -> None:
        """Write in the language of now."""
        state = self._state
        writer = self._writers.get(state.kind) if state is not None else None
        self.setVisible(writer is not None)
        if writer is not None and state is not None:
            writer(state, clock.now())

    def _write_broken(self, state: JobState, _now: datetime) -> None:
        text = sentence(state.file.error) if state.file.error else ""
        self.callout.tell(
            "bad", "state-failed", _("The job file has a mistake; the job does not run until it is mended"), text
        )
        opening = self._button(N_("Open the file"), "edit", lambda: self._open_file(state.id))
        self.callout.buttons.show_only(opening)

    def _write_failed(self, state: JobState, now: datetime) -> None:
        failed = next((row for row in state.unsettled if row.state == "failed"), None)
        title, _colon, reason = status_words(state, now).partition(": ")
        reason = reason or (reason_words(failed.reason) if failed else "")
        second = self._failed_period(failed, now) if failed else ""
        self.callout.tell("bad", "state-failed", title, reason, second)
        buttons = []
        if state.last is not None:
            run = state.last.run
            look = lambda: self._context.go_to(Place("history", state.id, run=run))  # noqa: E731
            buttons.append(self._button(N_("See why"), "nav-history", look))
        if failed is not None:
            buttons.append(self._button(N_("Skip this period…"), "", lambda: self.skip_pressed.emit(failed)))
        self.callout.buttons.show_only(*buttons)

    def _failed_period(self, failed: Unsettled, now: datetime) -> str:
        text = N_("It is about {period}. Later periods wait until it is done; each start tries it again.")
        return say(text, period=period_words(failed.start, failed.end, now))

    def _write_uncertain(self, state: JobState, now: datetime) -> None:
        row = state.uncertain
        period = period_words(row.start, row.end, now) if row else ""
        title = say("Your decision is needed about {period}", period=period) if row else _("A decision is needed")
        text = _(
            "Its work began and was cut off. Birkez cannot know whether it was finished and does nothing twice unasked."
        )
        self.callout.tell("warn", "state-uncertain", title, text)
        self.callout.buttons.show_only(self._button(N_("Decide…"), "", self.decide_pressed.emit))

    def _write_trigger(self, state: JobState, _now: datetime) -> None:
        title = status_words(state, clock.now())
        text = state.trigger.message if state.trigger is not None else ""
        if state.waiting:
            text += " " + _("Periods that wait are done by the next start.")
        self.callout.tell("warn", "state-trigger", title, text.strip(), self._refusal)
        remedy = list(state.trigger.remedy) if state.trigger is not None else []
        buttons = [self._button(N_("Repair"), "repair", lambda: self._run(remedy))] if remedy else []
        self.callout.buttons.show_only(*buttons)

    def _write_late(self, state: JobState, now: datetime) -> None:
        if state.late_since is None:
            text = _("Its runs neither fail nor get done: one may hang, or is stopped each time.")
            second = _("How long is too long is said under Settings, or by warn_after in the job file.")
            self.callout.tell("warn", "state-late", quiet_words(state, now), text, second)
            look = lambda: self._context.go_to(Place("history", state.id))  # noqa: E731
            self.callout.buttons.show_only(self._button(N_("See its runs"), "nav-history", look))
            return
        text = _("No start came at that time: the computer may have been off or asleep, or the scheduler stood still.")
        second = _("Nothing is lost: Run now, or the next start, does what was missed.")
        self.callout.tell("warn", "state-late", status_words(state, now), text, second)
        self.callout.buttons.show_only(self._checkup_button())

    def _write_unknown(self, state: JobState, now: datetime) -> None:
        text = _("Run now is harmless all the same: it starts no second copy.")
        self.callout.tell("idle", "state-unknown", status_words(state, now), text)
        self.callout.buttons.show_only(self._checkup_button())

    def _write_paused(self, state: JobState, now: datetime) -> None:
        until = state.pause.until if state.pause else None
        text = _("Each start writes that it is paused, and does nothing.")
        if until is not None:
            text += " " + say("It goes on by itself {until}.", until=show_near(until, now, "locative"))
        self.callout.tell("idle", "state-paused", status_words(state, now), text)
        resume = self._button(N_("Resume"), "play", lambda: self._context.commands.do(["resume", state.id]))
        self.callout.buttons.show_only(resume)

    def _write_disabled(self, state: JobState, now: datetime) -> None:
        text = _("By hand it runs all the same. Switched on again, it goes on where it stopped.")
        self.callout.tell("idle", "state-paused", status_words(state, now), text, self._refusal)
        on = self._button(N_("Switch on"), "play", lambda: self._run(["job", "enable", state.id]))
        self.callout.buttons.show_only(on)

    def _checkup_button(self) -> QPushButton:
        return self._button(N_("Open Check-up"), "nav-checkup", lambda: self._context.go_to(Place("checkup")))

    def _button(self, text: str, icon: str, action: Callable[[], object]) -> QPushButton:
        made = button(self._context, text, icon)
        made.clicked.connect(lambda: action())
        return made

    def _run(self, words: list[str]) -> None:
        for made in self.callout.buttons.findChildren(QWidget):
            made.setEnabled(False)
        self._context.commands.ask(words, self._on_done)

    def _on_done(self, done: Done) -> None:
        self._refusal = "" if done.is_good else (done.complaint or done.output.strip())
        self._context.store.read_again()
        self.mended.emit()
        self.write_again()

    def _open_file(self, job_id: str) -> None:
        QDesktopServices.openUrl(QUrl.fromLocalFile(self._context.places.job_file(job_id)))
