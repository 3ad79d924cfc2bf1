"""What a draft's list holds: its first entries with the files they make, as `birkez job validate` reads it."""

from __future__ import annotations

import os
import tempfile
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QGridLayout, QLabel, QWidget
from shiboken6 import isValid

from trayapp.gui.look.elided import ElidedLabel
from trayapp.gui.look.widgets import column, label, wrapping
from trayapp.gui.state.words import many
from trayapp.value import NamedTuple
from trayapp.wording.mark import NN_
from trayapp.wording.speech import _, say

if TYPE_CHECKING:
    from trayapp.gui.commands import Done
    from trayapp.gui.context import Context
    from trayapp.job.model import Job

_SHOWN = 6  # entries, and lines that cannot be used


class Listing(NamedTuple):
    """`first` are entries with the names of their files; `troubles` are sentences about the list or its lines."""

    total: int | None = None
    first: tuple[tuple[str, str], ...] = ()
    refused: int = 0
    troubles: tuple[str, ...] = ()
    columns: tuple[str, ...] = ()


class ListLooker(QObject):
    """Asks what a job's list holds, one question at a time: a folder of large files takes its while.

    Only the answer to the newest question is told.
    """

    looked = Signal(object)  # Listing

    def __init__(self, context: Context, parent: QObject) -> None:
        super().__init__(parent)
        self._context = context
        self._asked: object = None
        self._wish: tuple[str, str] | None = None
        self._is_under_way = self._is_wanted = False

    def ask(self, job: Job, text: str) -> None:
        """Have the list of *job*, whose file's text will be *text*, read soon; one that is known is not read again."""
        about = (job.items, job.effect)
        if about == self._asked:
            return
        self._asked, self._wish = about, (text, job.file)
        self._is_wanted = True
        self._go_on()

    def forget(self) -> None:
        """Read anew what is asked next, and tell no answer before that."""
        self._asked = self._wish = None
        self._is_wanted = False

    def _go_on(self) -> None:
        if self._is_under_way or self._wish is None:
            return
        (text, place), self._wish = self._wish, None
        self._is_under_way = True
        path = text_file(text)
        words = ["job", "validate", path, "--json", "--place", place]
        self._context.commands.ask(words, partial(self._on_told, path))

    def _on_told(self, path: str, done: Done) -> None:
        os.unlink(path)
        if not isValid(self):
            return
        self._is_under_way = False
        if self._wish is None and self._is_wanted:
            self.looked.emit(listing_of(done))
        self._go_on()


def text_file(text: str) -> str:
    """Path of a new temporary job file with *text*, which the caller deletes."""
    handle, path = tempfile.mkstemp(prefix="birkez-", suffix=".toml")
    with os.fdopen(handle, "w", encoding="utf-8") as file:
        file.write(text)
    return path


def listing_of(done: Done) -> Listing:
    """What `birkez job validate --json` told of a list."""
    told = done.json()
    if not told and not done.complaint:
        return Listing(troubles=(_("Reading it takes too long to be shown here."),))
    error = told.get("error")
    if error or not told:
        return Listing(troubles=(str(error["message"]) if error else done.complaint,))
    troubles = tuple(str(one["message"]) for one in told["concerns"])
    found = told.get("list")
    if not found:
        return Listing(troubles=troubles)
    first = tuple((str(one["item"]), str(one["target"])) for one in found["first"])
    return Listing(int(found["total"]), first, int(found["refused"]), troubles, tuple(found["columns"]))


class ListPreview(QWidget):
    """How many entries, which files the first of them make, and what cannot be used, with the reason."""

    def __init__(self, context: Context) -> None:
        super().__init__()
        self._context = context
        self.title = wrapping(label(context, weight=600))
        self.note = wrapping(label(context, size="small", is_second=True))
        self.trouble = wrapping(label(context, size="small"))
        self.trouble.set_tone("warn")
        self._grid = QGridLayout()
        self._grid.setContentsMargins(0, 0, 0, 0)
        self._grid.setHorizontalSpacing(10)
        self._grid.setVerticalSpacing(4)
        self._grid.setColumnStretch(0, 1)
        self._grid.setColumnStretch(2, 2)
        self.rows: list[tuple[str, str]] = []
        self.setLayout(column(self.title, self.note, self._grid, self.trouble, gap=8))

    def show_listing(self, listing: Listing | None) -> None:
        """Show it; None while it is not known."""
        self._clear()
        found = listing or Listing()
        if listing is None:
            self.title.setText(_("The list is read as soon as the fields are right."))
        elif found.total is None:
            self.title.setText(_("The list cannot be read"))
        else:
            self.title.setText(
                many(NN_("{count:number} entry in the list", "{count:number} entries in the list"), found.total)
            )
        self.rows = list(found.first[:_SHOWN])
        self.note.setText(_("Each makes one file, once; a file that is there already is left alone:"))
        self.note.setVisible(bool(self.rows))
        for number, (item, target) in enumerate(self.rows):
            self._add_row(number, item, target)
        if (found.total or 0) > len(self.rows) > 0:
            more = label(self._context, size="small", is_second=True)
            more.setText(say("and {count:number} more", count=(found.total or 0) - len(self.rows)))
            self._grid.addWidget(more, len(self.rows), 0, 1, 3)
        troubles = list(found.troubles[:_SHOWN])
        if found.refused > len(troubles):
            forms = NN_("{count:number} more line cannot be used.", "{count:number} more lines cannot be used.")
            troubles.append(many(forms, found.refused - len(troubles)))
        self.trouble.setText("\n".join(troubles))
        self.trouble.setVisible(bool(troubles))

    def _add_row(self, number: int, item: str, target: str) -> None:
        left, right = ElidedLabel(self._context, "small", 400), ElidedLabel(self._context, "small", 600)
        for part, text in ((left, item), (right, target)):
            part.set_full_text(text)
            part.setToolTip(text)
        arrow = QLabel("→")
        arrow.setAccessibleName(_("makes"))
        self._grid.addWidget(left, number, 0)
        self._grid.addWidget(arrow, number, 1)
        self._grid.addWidget(right, number, 2)

    def _clear(self) -> None:
        while (item := self._grid.takeAt(0)) is not None:
            widget = item.widget()
            if widget is not None:
                widget.hide()
                widget.deleteLater()
