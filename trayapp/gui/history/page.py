"""All runs that history knows, with filters and details."""

from __future__ import annotations

import os
from itertools import pairwise
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, QTimer
from PySide6.QtGui import QPalette
from PySide6.QtWidgets import QFileDialog, QSplitter, QStackedWidget, QWidget

from trayapp import clock
from trayapp.gui.context import Place
from trayapp.gui.history.csv_export import export_words
from trayapp.gui.history.desk import Desk
from trayapp.gui.history.detail.pane import RunDetail
from trayapp.gui.history.filter_bar import FilterBar
from trayapp.gui.history.run_menu import RunMenu
from trayapp.gui.history.run_model import RunModel
from trayapp.gui.history.run_pages import RunRow, find_run
from trayapp.gui.history.run_table import RunTable
from trayapp.gui.look.empty import EmptyState
from trayapp.gui.look.folders import documents_folder
from trayapp.gui.look.widgets import button, column, held, label, line, row, wrapping
from trayapp.gui.page import Page
from trayapp.gui.state.words import many
from trayapp.history.query import RunMark
from trayapp.wording.mark import N_, NN_
from trayapp.wording.speech import _, sentence

if TYPE_CHECKING:
    from trayapp.errors import BirkezError
    from trayapp.gui.commands import Done
    from trayapp.gui.context import Context
    from trayapp.gui.state.snapshot import Snapshot
    from trayapp.history.records import RunRecord

_GATHER_MS = 150  # a run writes several times in a row


class HistoryPage(Page):
    """All runs that history knows, with filters and details."""

    name = "history"
    title = N_("History")
    icon = "nav-history"

    def __init__(self, context: Context, parent: QWidget | None = None) -> None:
        super().__init__(context, parent)
        self._desk = Desk(context.places, "history-page", self)
        self.model = RunModel(context, self._desk)
        self.model.setParent(self)
        self.filters = FilterBar(context)
        self.table = RunTable(context, self.model)
        self.detail = RunDetail(context, self._desk)
        self.menu = RunMenu(context, self.table, self.detail)
        self._save = button(context, N_("Save as CSV"), "download")
        self._notice = wrapping(label(context, size="small"))
        self._above = button(context, "", kind="chip")
        self._body = QStackedWidget()
        self._wanted_run = ""
        self._wanted_row: int | None = None
        self._wanted_key = ""
        self._is_stale = False
        self._gathering = QTimer(self)
        self._gathering.setSingleShot(True)
        self._gathering.setInterval(_GATHER_MS)
        self._build()
        self._connect()
        for one, other in pairwise([*self.filters.stops, self._above, self._save, self.table, *self.detail.stops]):
            QWidget.setTabOrder(one, other)
        self.model.choose(self.filters.wanted())

    def show_snapshot(self, snapshot: Snapshot) -> None:
        self.filters.show_jobs(snapshot)
        self.table.viewport().update()
        self.menu.refresh()

    def retranslate(self) -> None:
        self.filters.retranslate()
        self.model.tell_all_changed()
        self.detail.retranslate()
        self._show_state()

    def go_to(self, place: Place) -> None:
        if place.run:
            self._wanted_key = _key_of(place)
            self._desk.ask("run", lambda reader: find_run(reader, place.run), self._on_run_found)
        elif place.job and place.job != self.filters.job:
            self.filters.choose_job(place.job)
        self.table.setFocus()
        if place.action == "find":
            self.start_search()

    def start_search(self) -> None:
        self.filters.search.setFocus(Qt.FocusReason.ShortcutFocusReason)
        self.filters.search.selectAll()

    def read_again(self) -> None:
        self.model.read_again()

    def leave_card(self) -> bool:
        if self.detail.leave_card():
            return True
        if self.filters.search.text():
            self.filters.search.clear()
            return True
        return False

    def export_to(self, path: str) -> None:
        """Have all runs that the filters let through written into *path*, as a spreadsheet opens it."""
        self._notice.setText(_("Writing…"))
        self._notice.set_tone(None)
        self._notice.show()
        self._save.setEnabled(False)
        self.context.commands.ask(export_words(self.filters.wanted(), path), self._on_exported, None)

    # ------------------------------------------------------------------ building

    def _build(self) -> None:
        context = self.context
        self._above.hide()
        head = row(label(context, self.title, "title", 600), None, self._above, self._save, margins=(24, 16, 16, 10))
        self._notice.setContentsMargins(24, 0, 16, 8)
        self._notice.hide()
        filters = row(self.filters, margins=(24, 0, 16, 12))
        self._splitter = QSplitter(Qt.Orientation.Vertical)
        self._splitter.addWidget(self._make_body())
        self._splitter.addWidget(self.detail)
        self._splitter.setSizes([360, 264])
        self._splitter.setStretchFactor(0, 1)
        self._splitter.setChildrenCollapsible(False)
        self._splitter.setHandleWidth(1)
        layout = column(head, self._notice, filters, line(), self._splitter, gap=0)
        layout.setStretch(4, 1)
        self.setLayout(layout)

    def _make_body(self) -> QWidget:
        context = self.context
        none = EmptyState(
            context,
            N_("No run yet"),
            N_("Each start of a job leaves a line here: when, by whom, which periods it took and what came of it."),
            N_("Run a job now"),
            self._on_first_run,
        )
        unmatched = EmptyState(
            context,
            N_("No run matches these filters"),
            N_("Another period, another job, or fewer words may find some."),
            N_("Clear the filters"),
            self.filters.clear,
        )
        self._trouble = wrapping(label(context))
        self._trouble.setContentsMargins(24, 24, 24, 24)
        troubled = held(column(self._trouble, None), QPalette.ColorRole.Base)
        for part in (self.table, held(column(none), QPalette.ColorRole.Base)):
            self._body.addWidget(part)
        self._body.addWidget(held(column(unmatched), QPalette.ColorRole.Base))
        self._body.addWidget(troubled)
        return self._body

    def _connect(self) -> None:
        self.filters.changed.connect(self._on_filter)
        self.model.looked.connect(self._on_looked)
        self.model.modelReset.connect(self._on_reset)
        self.model.rowsInserted.connect(lambda *_: self._show_state())
        self.model.dataChanged.connect(lambda *_: self._show_chosen())
        self.table.selectionModel().currentRowChanged.connect(lambda *_: self._show_chosen())
        self.table.opened.connect(self.detail.window_list.setFocus)
        self.table.held_back.connect(self._show_above)
        self._above.clicked.connect(self.table.go_to_top)
        self._save.clicked.connect(self._on_save)
        self._desk.failed.connect(self._on_trouble)
        self._gathering.timeout.connect(self._on_gathered)
        self.context.store.history_read.connect(self._gather)
        self.context.store.ticked.connect(self._on_tick)
        self.detail.deciding.changed.connect(self._gather)

    # ------------------------------------------------------------------ what happens

    def _on_filter(self) -> None:
        self.model.choose(self.filters.wanted())

    def _gather(self) -> None:
        """Read soon, however often that is asked for till then."""
        if not self._gathering.isActive():
            self._gathering.start()

    def _on_gathered(self) -> None:
        if not self.isVisible():
            self._is_stale = True  # read when somebody looks
            return
        self._is_stale = False
        self.model.read_again()
        if self.table.chosen() is not None:
            self.detail.show_run(self.table.chosen())

    def showEvent(self, event: object) -> None:
        super().showEvent(event)  # type: ignore[arg-type]
        if self._is_stale:
            self._on_gathered()

    def _on_tick(self) -> None:
        if self.isVisible():
            self.table.viewport().update()
            self.detail.tick()

    def _on_reset(self) -> None:
        """Choose in a new list what was chosen, else its newest run, so that the detail is never about nothing."""
        if not self.model.rowCount():
            self.detail.show_run(None)
            return
        self.table.choose_row(self.model.row_of(self._wanted_run) or 0)

    def _on_looked(self) -> None:
        place, self._wanted_row = self._wanted_row, None
        if place is not None and self.model.rowCount():
            self.table.choose_row(min(place, self.model.rowCount() - 1))
        self._show_state()

    def _show_chosen(self) -> None:
        found = self.table.chosen()
        if found is not None:
            key = self._wanted_key if found.run.run == self._wanted_run else ""
            self._wanted_run, self._wanted_key = found.run.run, ""
            self.detail.show_run(found, key=key)
        self.menu.refresh()

    def _on_run_found(self, found: tuple[RunRecord, int] | None) -> None:
        """Show a run that another page asked for, in its place among those of its job."""
        if found is None:
            self._say(_("History does not have that run any more."), "warn")
            return
        run, self._wanted_row = found
        self._wanted_run = run.run
        self.filters.choose_job(run.job)
        self.detail.show_run(RunRow(run, RunMark()), key=self._wanted_key)

    def _show_above(self, count: int) -> None:
        self._above.setVisible(bool(count))
        forms = NN_("{count:number} new run above", "{count:number} new runs above")
        self._above.setText(many(forms, count))

    def _show_state(self) -> None:
        self.filters.show_counts(self.model.counts)
        if self.model.rowCount() or self.model.is_searching or self.model.total is None:
            self._body.setCurrentIndex(0)
        else:
            self._body.setCurrentIndex(2 if self.model.total else 1)
        self.detail.setVisible(self._body.currentIndex() == 0)
        self.filters.found.setVisible(bool(self.filters.wanted().text))
        forms = NN_("{count:number} run found", "{count:number} runs found")
        words = many(forms, self.model.rowCount())
        self.filters.found.setText(
            _("{found}, searching on…").format(found=words) if self.model.is_searching else words
        )

    def _say(self, words: str, tone: str | None = None) -> None:
        self._notice.setText(words)
        self._notice.set_tone(tone)  # type: ignore[arg-type]
        self._notice.show()

    def _on_trouble(self, error: BirkezError) -> None:
        self._trouble.setText(sentence(error))
        self._body.setCurrentIndex(3)

    def _on_first_run(self) -> None:
        jobs = self.context.store.snapshot.jobs
        chosen = self.filters.job or (jobs[0].id if len(jobs) == 1 else "")
        if chosen:
            self.context.run_now.press(chosen)
        else:
            self.context.go_to(Place("jobs"))

    def _on_save(self) -> None:
        name = _("birkez-history-{day}.csv").format(day=f"{clock.now().astimezone():%Y-%m-%d}")
        path, _kind = QFileDialog.getSaveFileName(
            self, _("Save the runs that are shown"), os.path.join(documents_folder(), name), _("Spreadsheet (*.csv)")
        )
        if path:
            self.export_to(path)

    def _on_exported(self, done: Done) -> None:
        self._save.setEnabled(True)
        words = (done.output.strip() if done.is_good else done.complaint) or _("The file could not be written.")
        self._say(words, "ok" if done.is_good else "bad")


def _key_of(place: Place) -> str:
    return f"{place.job}:{place.start.isoformat()}" if place.job and place.start is not None else ""
