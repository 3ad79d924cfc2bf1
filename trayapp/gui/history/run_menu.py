"""What can be done with the chosen run, by the menu key or the right button."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QPoint, Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QMenu

from trayapp.gui.context import Place
from trayapp.wording.mark import N_
from trayapp.wording.speech import _

if TYPE_CHECKING:
    from collections.abc import Callable

    from trayapp.gui.context import Context
    from trayapp.gui.history.detail.pane import RunDetail
    from trayapp.gui.history.run_table import RunTable


class RunMenu(QObject):
    """Menu of the list of runs."""

    def __init__(self, context: Context, table: RunTable, detail: RunDetail) -> None:
        super().__init__(table)
        self._context, self._table, self._detail = context, table, detail
        table.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        table.customContextMenuRequested.connect(self._open)
        self.menu = QMenu(table)

    def refresh(self) -> None:
        """Forget a menu that is about another run."""
        if self.menu.isVisible() and self._table.chosen() is None:
            self.menu.close()

    def _open(self, place: QPoint) -> None:
        row = self._table.chosen()
        if row is None:
            return
        job, run = row.run.job, row.run.run
        self.menu.clear()
        self._add(N_("Show in the timeline"), "nav-timeline", self._detail.show_in_timeline)
        self._add(N_("Open the job"), "nav-jobs", lambda: self._context.go_to(Place("jobs", job)))
        self._add(N_("Only this job's runs"), "search", lambda: self._context.go_to(Place("history", job)))
        self._add(N_("Run the job now"), "play", lambda: self._context.run_now.press(job))
        self.menu.addSeparator()
        self._add(N_("Copy the run's name"), "copy", lambda: QGuiApplication.clipboard().setText(run))
        inside = self._table.viewport().rect().contains(place)
        self.menu.popup(self._table.viewport().mapToGlobal(place if inside else QPoint(24, 24)))

    def _add(self, text: str, icon: str, action: Callable[[], object]) -> None:
        made = self.menu.addAction(_(text))
        self._context.icons.put(made, icon)
        made.triggered.connect(lambda _checked=False: action())
