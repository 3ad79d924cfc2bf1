"""What can be done with a job besides running it: its menu, a new name, switching off, deleting."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QUrl, Signal
from PySide6.QtGui import QDesktopServices
from PySide6.QtWidgets import QMenu

from trayapp.gui.context import Place
from trayapp.gui.jobs.dialogs import DeleteDialog, RenameDialog
from trayapp.gui.pausing import add_resume, fill_pause_menu
from trayapp.gui.state.answer_words import Words
from trayapp.wording.speech import _

if TYPE_CHECKING:
    from collections.abc import Callable

    from PySide6.QtCore import QPoint
    from PySide6.QtWidgets import QWidget

    from trayapp.gui.commands import Done
    from trayapp.gui.context import Context
    from trayapp.gui.state.snapshot import JobState


class Acts(QObject):
    """Offers the acts for a job and does them; `told` says what came of one, for the place where it was asked."""

    told = Signal(str, object)  # job id, Words
    edit_pressed = Signal(str)
    copy_pressed = Signal(str)

    def __init__(self, context: Context, parent: QWidget) -> None:
        super().__init__(parent)
        self._context, self._parent = context, parent

    def open_menu(self, job_id: str, place: QPoint) -> None:
        """Show what can be done with that job."""
        state = self._context.store.state_of(job_id)
        if state is not None:
            self.menu(state).popup(place)

    def menu(self, state: JobState) -> QMenu:
        """Menu of all that can be done with that job."""
        menu, job_id = QMenu(self._parent), state.id
        is_whole = state.file.job is not None

        def add(text: str, icon: str, act: Callable[[], object], keys: str = "") -> None:
            action = menu.addAction(f"{text}\t{keys}" if keys else text)
            if icon:
                self._context.icons.put(action, icon)
            action.triggered.connect(lambda: act())

        add(_("Run now"), "play", lambda: self._context.run_now.press(job_id), "Ctrl+Enter")
        if state.pause is not None:
            add_resume(self._context, menu, job_id)
        else:
            pausing = menu.addMenu(_("Pause"))
            fill_pause_menu(self._context, pausing, job_id)
        menu.addSeparator()
        if is_whole:
            add(_("Edit"), "edit", lambda: self.edit_pressed.emit(job_id), "Ctrl+E")
            add(_("Duplicate"), "copy", lambda: self.copy_pressed.emit(job_id))
            add(_("Rename…"), "", lambda: self.rename(job_id), "F2")
            is_on = state.file.job is not None and state.file.job.enabled
            text = _("Switch off") if is_on else _("Switch on")
            add(text, "state-paused", lambda: self.switch(job_id, on=not is_on))
        path = self._context.places.job_file(job_id)
        add(_("Open the job file"), "file", lambda: QDesktopServices.openUrl(QUrl.fromLocalFile(path)))
        menu.addSeparator()
        add(_("All runs in History"), "nav-history", lambda: self._context.go_to(Place("history", job_id)))
        menu.addSeparator()
        add(_("Delete…"), "close", lambda: self.delete(job_id), "Del")
        return menu

    def rename(self, job_id: str) -> None:
        """Ask for another title."""
        state = self._context.store.state_of(job_id)
        if state is not None and state.file.job is not None:
            dialog = RenameDialog(self._context, state, self._parent)
            dialog.open()

    def switch(self, job_id: str, *, on: bool) -> None:
        """Let the scheduler start the job, or no longer; harmless, so nothing is asked."""
        words = ["job", "enable" if on else "disable", job_id]
        good = _("The job is switched on") if on else _("The job is switched off: nothing starts it by itself")
        self._context.commands.ask(words, lambda done: self._on_switched(job_id, done, good))

    def delete(self, job_id: str) -> None:
        """Ask whether and how the job shall be deleted."""
        state = self._context.store.state_of(job_id)
        if state is not None:
            dialog = DeleteDialog(self._context, state, self._parent)
            dialog.open()

    def _on_switched(self, job_id: str, done: Done, good: str) -> None:
        self._context.store.read_again()
        if done.is_good:
            self.told.emit(job_id, Words("ok", "check", good, done.complaint))  # what it warned of
        else:
            self.told.emit(job_id, Words("bad", "state-failed", _("That was not done"), done.complaint))
