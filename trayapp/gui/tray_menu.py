"""The tray icon's menu: the state in its first line, then each job with what can be done."""

from __future__ import annotations

from datetime import datetime, time, timedelta
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QMenu

from trayapp import clock
from trayapp.gui.context import Place
from trayapp.gui.state.snapshot import KINDS
from trayapp.gui.state.words import SIGNS, headline, status_words, tone_of
from trayapp.wording.mark import N_
from trayapp.wording.speech import _

if TYPE_CHECKING:
    from collections.abc import Callable

    from PySide6.QtGui import QAction

    from trayapp.gui.context import Context
    from trayapp.gui.state.snapshot import JobState, Snapshot

_SHOWN = 12  # jobs in the menu itself; the others are below one more entry
_MORNING = time(8)


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
            self._add_pausing(self.addMenu(_("Pause all")), "--all")
            if any(job.pause for job in jobs):
                self._add(self, _("Resume all"), partial(self._command, ["resume", "--all"]))
        self.addSeparator()
        self._add(self, _("Open Birkez"), self.open_requested.emit)
        self._add(self, _("Quit"), self.quit_requested.emit)

    def _add_job(self, menu: QMenu, job: JobState, now: datetime) -> None:
        entry = menu.addMenu(_escaped(job.title))
        entry.setIcon(self._context.icons.icon(f"state-{SIGNS[job.kind]}", tone_of(job)))
        self._add(entry, _escaped(status_words(job, now)), partial(self._context.go_to, Place("jobs", job.id)))
        entry.addSeparator()
        self._add(entry, _("Run now"), partial(self._context.run_now.press, job.id))
        if job.pause is not None:
            self._add(entry, _("Resume"), partial(self._command, ["resume", job.id]))
        else:
            self._add_pausing(entry.addMenu(_("Pause")), job.id)
        self._add(entry, _("History"), partial(self._context.go_to, Place("history", job.id)))

    def _add_pausing(self, menu: QMenu, which: str) -> None:
        for text, until in pause_choices(clock.now()):
            words = ["pause", which] + ([] if until is None else ["--until", clock.format_instant(until)])
            self._add(menu, _(text), partial(self._command, words))

    def _command(self, words: list[str]) -> None:
        self._context.commands.ask(words, lambda _done: None)

    @staticmethod
    def _add(menu: QMenu, text: str, action: Callable[[], object]) -> QAction:
        made = menu.addAction(text)
        made.triggered.connect(lambda _checked=False: action())
        return made


def pause_choices(now: datetime) -> list[tuple[str, datetime | None]]:
    """Marked words for how long a pause may be, each with its end; None is until somebody resumes."""
    today = now.astimezone().date()
    tomorrow = datetime.combine(today + timedelta(days=1), _MORNING).astimezone()
    monday = datetime.combine(today + timedelta(days=7 - today.weekday()), _MORNING).astimezone()
    return [
        (N_("For one hour"), now + timedelta(hours=1)),
        (N_("Until tomorrow 08:00"), tomorrow),
        (N_("Until Monday 08:00"), monday),
        (N_("Until I resume"), None),
    ]


def _escaped(text: str) -> str:
    """Text in which `&` is a letter and no mark of a key."""
    return text.replace("&", "&&")
