"""What a job is, in six facts: what it does, when, with which data, up to where, its entry, its files."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, QUrl
from PySide6.QtGui import QDesktopServices, QPalette
from PySide6.QtWidgets import QGridLayout, QLabel, QSizePolicy, QWidget

from trayapp.gui.jobs.table.flow import Flow
from trayapp.gui.jobs.words import (
    catch_up_words,
    database_words,
    entry_words,
    step_words,
    what_words,
)
from trayapp.gui.look.widgets import button, column, label, wrapping
from trayapp.gui.state.words import many
from trayapp.job.model import CommandEffect, PythonEffect, SqlEffect
from trayapp.job.schedule_words import schedule_words
from trayapp.wording.instants import show_duration, show_instant, show_near
from trayapp.wording.mark import N_, NN_
from trayapp.wording.speech import _, say

if TYPE_CHECKING:
    from datetime import datetime

    from PySide6.QtWidgets import QPushButton

    from trayapp.gui.context import Context
    from trayapp.gui.look.theme import Tone
    from trayapp.gui.look.widgets import Label
    from trayapp.gui.state.snapshot import JobState
    from trayapp.job.model import Job

_TWO_COLUMNS_FROM = 440  # pixels


class Fact(QWidget):
    """An icon, what the fact is about, the fact, and a second line."""

    def __init__(self, context: Context, icon: str, caption: str) -> None:
        super().__init__()
        self._context, self._icon_name = context, icon
        self._icon = QLabel()
        self.value: Label = wrapping(label(context, weight=500))
        self.second: Label = wrapping(label(context, size="small", is_second=True))
        self.words = column(wrapping(label(context, caption, "small", is_second=True)), self.value, self.second, gap=1)
        layout = QGridLayout()
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setHorizontalSpacing(12)
        layout.addWidget(self._icon, 0, 0, Qt.AlignmentFlag.AlignTop)
        layout.addLayout(self.words, 0, 1)
        layout.setColumnStretch(1, 1)
        self.setLayout(layout)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Minimum)
        context.theme.changed.connect(self._refresh)
        self._refresh()

    def tell(self, value: str, second: str = "", tone: Tone | None = None, second_tone: Tone | None = None) -> None:
        """Show the fact; a tone where it is not as it should be."""
        self.value.setText(value)
        self.second.setText(second)
        self.second.setVisible(bool(second))
        self.value.set_tone(tone)
        self.second.setProperty("kind", None if second_tone else "second")
        self.second.set_tone(second_tone)

    def _refresh(self) -> None:
        color = self._context.theme.color(QPalette.ColorRole.PlaceholderText)
        self._icon.setPixmap(self._context.icons.pixmap(self._icon_name, color, 16, self.devicePixelRatioF()))


class Facts(QWidget):
    """The six facts, in two columns where there is room."""

    def __init__(self, context: Context) -> None:
        super().__init__()
        self._context = context
        self._what = Fact(context, "database", N_("What it does"))
        self._when = Fact(context, "calendar", N_("When"))
        self._data = Fact(context, "nav-timeline", N_("Which data"))
        self._done = Fact(context, "check", N_("Done up to"))
        self._entry = Fact(context, "by-schedule", N_("Scheduler entry"))
        self._files = Fact(context, "folder", N_("Its files"))
        self._all = (self._what, self._when, self._data, self._done, self._entry, self._files)
        self._links: dict[str, QPushButton] = {}
        self._paths: dict[str, str] = {}
        self._add_links()
        self._grid = QGridLayout()
        self._grid.setContentsMargins(0, 0, 0, 0)
        self._grid.setHorizontalSpacing(24)
        self._grid.setVerticalSpacing(12)
        self.setLayout(self._grid)
        self._columns = 0
        self._arrange(2)

    def show_job(self, state: JobState, now: datetime) -> None:
        """Show that job's facts; of a broken file its files alone."""
        job = state.file.job
        for fact in self._all[:-1]:
            fact.setVisible(job is not None and (fact is not self._done or job.items is None))
        if job is not None:
            self._show_work(job)
            self._show_times(state, job, now)
        self._show_files(state, job)
        self._arrange(self._columns, is_forced=True)

    def _show_work(self, job: Job) -> None:
        self._what.tell(what_words(job), database_words(job))
        if job.rule is None:
            assert job.items is not None
            self._data.tell(_("A list, one by one"), job.items.source)
            return
        rule = job.rule
        late = say("allowance for late records: {time}", time=show_duration(rule.lateness_s)) if rule.lateness_s else ""
        self._data.tell(step_words(rule.step), " · ".join(filter(None, (late, catch_up_words(rule)))))

    def _show_times(self, state: JobState, job: Job, now: datetime) -> None:
        if job.schedule is None:
            self._when.tell(_("only by hand"))
        else:
            words = schedule_words(job.schedule)
            following = (
                say("next: {at}", at=show_near(state.next_at, now)) if state.next_at else _("no start is planned")
            )
            self._when.tell(words, following)
        up_to = state.survey.done_up_to if state.survey else None
        is_waiting = bool(state.waiting)
        forms = NN_("{count:number} period waits", "{count:number} periods wait")
        waits = many(forms, state.waiting) if is_waiting else _("no period waits")
        self._done.tell(
            show_instant(up_to, now=now) if up_to else "—", waits, second_tone="warn" if is_waiting else None
        )
        text, second, tone = entry_words(state)
        self._entry.tell(text, second, tone)

    def _add_links(self) -> None:
        for name, text in (
            ("list", N_("List")),
            ("targets", N_("Folder of the files")),
            ("script", N_("Script")),
            ("database", N_("Database folder")),
            ("log", N_("Log")),
            ("output", N_("Outputs")),
            ("file", N_("Job file")),
            ("folder", N_("Open folder")),
        ):
            made = self._links[name] = button(self._context, text, kind="link")
            made.clicked.connect(lambda _checked=False, name=name: self._open(name))
        flow = Flow(list(self._links.values()))
        self._files.value.hide()
        self._files.second.hide()
        self._files.words.addWidget(flow)

    def _show_files(self, state: JobState, job: Job | None) -> None:
        places = self._context.places
        effect = job.effect if job else None
        items = job.items if job else None
        paths = {
            "list": items.source if items else "",
            "targets": items.folder if items else "",
            "script": effect.script if isinstance(effect, SqlEffect) else "",
            "database": os.path.dirname(getattr(effect, "database", "")),
            "log": places.log_file(state.id),
            "output": os.path.dirname(places.output_file(state.id, "x")) if isinstance(effect, CommandEffect) else "",
            "file": places.job_file(state.id),
            "folder": places.jobs_dir,
        }
        if isinstance(effect, PythonEffect):
            paths["script"] = effect.file
        self._paths = paths
        for name, link in self._links.items():
            link.setVisible(bool(paths[name]))
            link.setToolTip(paths[name])

    def _open(self, name: str) -> None:
        QDesktopServices.openUrl(QUrl.fromLocalFile(self._paths.get(name, "")))

    def _arrange(self, columns: int, *, is_forced: bool = False) -> None:
        if columns == self._columns and not is_forced:
            return
        self._columns = columns
        for number, fact in enumerate(fact for fact in self._all if not fact.isHidden()):
            self._grid.addWidget(fact, number // columns, number % columns, Qt.AlignmentFlag.AlignTop)
        for place in range(2):
            self._grid.setColumnStretch(place, 1 if place < columns else 0)

    def resizeEvent(self, event: object) -> None:
        super().resizeEvent(event)  # type: ignore[arg-type]
        unit = self._context.theme.font().pointSizeF() / 10 if self._context.theme.font().pointSizeF() > 0 else 1
        self._arrange(2 if self.width() >= _TWO_COLUMNS_FROM * max(1.0, unit) else 1)
