"""The lower part of the panel: the newest log lines, live, of all jobs or of one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtGui import QGuiApplication, QKeySequence, QPalette, QShortcut
from PySide6.QtWidgets import QMenu, QWidget

from trayapp.gui.look.widgets import button, column, held, label, row
from trayapp.gui.panel.log_list import RING, LogList, LogModel, row_height
from trayapp.wording.mark import N_
from trayapp.wording.speech import _

if TYPE_CHECKING:
    from collections.abc import Mapping

    from trayapp.gui.context import Context

_LINES = 5


class LogPart(QWidget):
    """Latest events, and a chip that chooses whose."""

    def __init__(self, context: Context) -> None:
        super().__init__()
        self._context = context
        self._titles: dict[str, str] = {}
        self._model = LogModel(lambda job: self._titles.get(job, job))
        self._list = LogList(context, self._model)
        self._empty = label(context, N_("Nothing has been written yet."), "small", is_second=True)
        self._empty.setContentsMargins(16, 6, 16, 6)
        self._whose = button(context, "", kind="chip")
        self._menu = QMenu(self)
        self._whose.clicked.connect(self._choose)
        context.language.bind(self._list, "setAccessibleName", N_("Latest events"))
        head = row(label(context, N_("Latest events"), "small", 650), None, self._whose, margins=(16, 6, 12, 6))
        body = held(column(self._empty, self._list, gap=0, margins=(0, 2, 0, 4)), QPalette.ColorRole.Base)
        self.setLayout(column(held(head), body, gap=0))
        self._list.setFixedHeight(_LINES * row_height(context) + 2 * RING)
        QShortcut(QKeySequence.StandardKey.Copy, self._list).activated.connect(self._copy)
        context.log_feed.grew.connect(self._on_grew)
        context.language.changed.connect(self._write)
        self._model.set_entries(context.log_feed.entries)
        self._write()

    def show_jobs(self, titles: Mapping[str, str]) -> None:
        """Know the jobs' names."""
        if titles != self._titles:
            self._titles = dict(titles)
            self._write()

    def _on_grew(self, entries: object) -> None:
        self._model.add(entries)  # type: ignore[arg-type]  # a list of LogEntry, through a signal
        self._write()

    def _choose(self) -> None:
        self._menu.clear()
        for job_id, title in (("", _("All jobs")), *self._titles.items()):
            action = self._menu.addAction(title.replace("&", "&&"))
            action.setCheckable(True)
            action.setChecked(job_id == self._model.job)
            action.triggered.connect(lambda _checked=False, job_id=job_id: self._show_job(job_id))
        self._menu.popup(self._whose.mapToGlobal(self._whose.rect().bottomLeft()))

    def _show_job(self, job_id: str) -> None:
        self._model.choose_job(job_id)
        self._write()

    def _write(self) -> None:
        chosen = self._titles.get(self._model.job, self._model.job) or _("All jobs")
        self._whose.setText(chosen.replace("&", "&&"))
        self._whose.setAccessibleName(chosen)
        has_lines = self._model.rowCount() > 0
        self._list.setVisible(has_lines)
        self._empty.setVisible(not has_lines)
        self._list.viewport().update()

    def _copy(self) -> None:
        if self._list.chosen_line():
            QGuiApplication.clipboard().setText(self._list.chosen_line())
