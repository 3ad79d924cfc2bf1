"""The left side of the Jobs page: search, chips, the table."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import Signal
from PySide6.QtGui import QFontMetrics, QPalette
from PySide6.QtWidgets import QButtonGroup, QLineEdit, QStackedLayout, QWidget

from trayapp.gui.jobs.table.flow import Flow
from trayapp.gui.jobs.table.model import CHIPS, Chip, JobsModel
from trayapp.gui.jobs.table.view import JobsTable
from trayapp.gui.look.empty import EmptyState
from trayapp.gui.look.widgets import button, column, held, label, line, row
from trayapp.wording.mark import N_
from trayapp.wording.numbers import show_number
from trayapp.wording.speech import _

if TYPE_CHECKING:
    from PySide6.QtGui import QShowEvent
    from PySide6.QtWidgets import QPushButton

    from trayapp.gui.context import Context
    from trayapp.gui.state.snapshot import Snapshot

_CHIP_EDGES = 28
_FIELD_HEIGHT = 32
_CHIP_WORDS: dict[Chip, str] = {
    "all": N_("All"),
    "needing": N_("Need you"),
    "running": N_("Running"),
    "paused": N_("Paused"),
}


class ListSide(QWidget):
    """All jobs; sorted when it is opened, by F5 and with each chip."""

    new_pressed = Signal()
    template_pressed = Signal()

    def __init__(self, context: Context) -> None:
        super().__init__()
        self._context = context
        self.model = JobsModel()
        self.table = JobsTable(context, self.model)
        self.search = QLineEdit()
        self._chips: dict[Chip, QPushButton] = {}
        self._chip: Chip = "all"
        self._stack = QStackedLayout()
        self._build()
        context.language.changed.connect(self._write_chips)
        context.store.ticked.connect(self.model.write_again)

    def show_snapshot(self, snapshot: Snapshot, *, sort: bool = False) -> None:
        """Show the jobs as they are now."""
        self.model.show_snapshot(snapshot, sort=sort)
        self._write_chips()
        self._show_table()

    def sort_again(self) -> None:
        """Bring those jobs first that need a person."""
        self.model.show_snapshot(self._context.store.snapshot, sort=True)

    def show_all(self) -> None:
        """Take search and chip away."""
        self.search.clear()
        self._chips["all"].click()

    def _build(self) -> None:
        context = self._context
        adding = button(context, N_("New job"), "plus")
        adding.clicked.connect(self.new_pressed)
        template = button(context, "", "chevron-down", name=N_("New job from a template"))
        template.clicked.connect(self.template_pressed)
        head = row(label(context, N_("Jobs"), "title", 600), None, adding, template, gap=4)
        icon = self.search.addAction(context.icons.icon("search", "idle"), QLineEdit.ActionPosition.LeadingPosition)
        context.icons.put(icon, "search", "idle")
        self.search.setClearButtonEnabled(True)
        self.search.setStyleSheet("QToolButton { border: 0; padding: 0; min-height: 0; background: transparent; }")
        self.search.setMinimumHeight(_FIELD_HEIGHT)
        context.language.bind(self.search, "setPlaceholderText", N_("Find a job"))
        context.language.bind(self.search, "setAccessibleName", N_("Find a job"))
        self.search.textChanged.connect(self._narrow)
        upper = column(head, self.search, self._make_chips(), gap=10, margins=(16, 14, 16, 12))
        nothing = EmptyState(
            context,
            N_("No job like that"),
            N_("No job fits the search and the choice above."),
            N_("Show all"),
            self.show_all,
        )
        self._stack.addWidget(self.table)
        self._stack.addWidget(nothing)
        room = held(self._stack, QPalette.ColorRole.Base)
        layout = column(held(upper), line(), room, gap=0)
        layout.setStretch(2, 1)
        self.setLayout(layout)

    def _make_chips(self) -> QWidget:
        group = QButtonGroup(self)
        for chip in CHIPS:
            made = self._chips[chip] = button(self._context, "", kind="chip")
            made.setCheckable(True)
            made.setChecked(chip == "all")
            made.clicked.connect(partial(self._choose, chip))
            group.addButton(made)
        return Flow(list(self._chips.values()))

    def _choose(self, chip: Chip, _checked: bool = False) -> None:  # noqa: FBT001, FBT002  # Qt's signal
        self._chip = chip
        self.sort_again()
        self._narrow()

    def _narrow(self) -> None:
        self.model.narrow(self._chip, self.search.text())
        self._show_table()

    def _show_table(self) -> None:
        is_empty = self.model.rowCount() == 0 and self.model.count("all") > 0
        self._stack.setCurrentIndex(1 if is_empty else 0)

    def _write_chips(self) -> None:
        for chip, made in self._chips.items():
            text = f"{_(_CHIP_WORDS[chip])}  {show_number(self.model.count(chip))}"
            bold = QFontMetrics(self._context.theme.font("body", 600))
            made.setText(text)
            made.setMinimumWidth(bold.horizontalAdvance(text) + _CHIP_EDGES)  # so that a chosen chip is no wider

    def showEvent(self, event: QShowEvent) -> None:
        self.sort_again()
        super().showEvent(event)
