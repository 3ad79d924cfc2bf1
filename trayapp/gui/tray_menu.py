"""The tray icon's menu: the state in its first line, then each job with what can be done."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QMenu

from trayapp.gui.context import Place
from trayapp.gui.pausing import ALL, add_resume, fill_pause_menu
from trayapp.gui.state.snapshot import KINDS
from trayapp.gui.state.words import SIGNS, headline, status_words, tone_of
from trayapp.wording.speech import _

if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import datetime

    from PySide6.QtGui import QAction

    from trayapp.gui.context import Context
    from trayapp.gui.state.snapshot import JobState, Snapshot

_LONGEST = 60  # letters of a state
_SHOWN = 12  # jobs in the menu itself; the others are below one more entry


class TrayMenu(QMenu):
    """Everything here is in the main view too: not every desktop shows a tray icon."""

    open_requested = Signal()
    quit_requested = Signal()

    def __init__(self, context: Context) -> None:
        super().__init__()
        self._context = context
        self._shown: object = None

    def show_snapshot(self, snapshot: Snapshot) -> None:
        """Offer what *snapshot* asks for; a menu that says the same already stays as it is."""
        now = snapshot.at
        jobs = sorted(snapshot.jobs, key=lambda job: (KINDS.index(job.kind), job.title.casefold()))
        shown = (headline(snapshot), _("Quit"), [(job.id, job.title, job.kind, job.pause) for job in jobs])
        if shown == self._shown:
            return
        self._shown = shown
        self.clear()
        self._add(self, headline(snapshot), self.open_requested.emit)
        self.addSeparator()
        for job in jobs[:_SHOWN]:
            self._add_job(self, job, now)
        if jobs[_SHOWN:]:
            more = self.addMenu(_("More jobs"))
            for job in jobs[_SHOWN:]:
                self._add_job(more, job, now)
        if jobs:
            self.addSeparator()
            fill_pause_menu(self._context, self.addMenu(_("Pause all")), ALL)
            if any(job.pause for job in jobs):
                add_resume(self._context, self, ALL)
        self.addSeparator()
        self._add(self, _("Open Birkez"), self.open_requested.emit)
        self._add(self, _("Quit"), self.quit_requested.emit)

    def _add_job(self, menu: QMenu, job: JobState, now: datetime) -> None:
        entry = menu.addMenu(_escaped(job.title))
        entry.setIcon(self._context.icons.icon(f"state-{SIGNS[job.kind]}", tone_of(job)))
        self._add(
            entry, _escaped(_shortened(status_words(job, now))), partial(self._context.go_to, Place("jobs", job.id))
        )
        entry.addSeparator()
        self._add(entry, _("Run now"), partial(self._context.run_now.press, job.id))
        if job.pause is not None:
            add_resume(self._context, entry, job.id)
        else:
            fill_pause_menu(self._context, entry.addMenu(_("Pause")), job.id)
        self._add(entry, _("History"), partial(self._context.go_to, Place("history", job.id)))

    @staticmethod
    def _add(menu: QMenu, text: str, action: Callable[[], object]) -> QAction:
        made = menu.addAction(text)
        made.triggered.connect(lambda _checked=False: action())
        return made


def _shortened(text: str) -> str:
    """Text that makes no menu wider than a screen; the whole of it stands in the job's page."""
    return text if len(text) <= _LONGEST else text[: _LONGEST - 1].rstrip() + "…"


def _escaped(text: str) -> str:
    """Text in which `&` is a letter and no mark of a key."""
    return text.replace("&", "&&")
