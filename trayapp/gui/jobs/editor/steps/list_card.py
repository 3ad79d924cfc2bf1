"""The list of a job that works through one: where it is, which files it makes, by how many workers."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from PySide6.QtCore import QDir
from PySide6.QtWidgets import QFileDialog, QWidget

from trayapp.gui.jobs.editor.form.field import Field, Line, PathLine, words_beside
from trayapp.gui.look.folders import documents_folder
from trayapp.gui.look.widgets import button
from trayapp.wording.mark import N_
from trayapp.wording.speech import _

if TYPE_CHECKING:
    from trayapp.gui.jobs.editor.form.form import Form

KEYS = ("items", "items.source", "items.column", "items.target", "items.workers", "items.attempts")
_OF_LIST, _OF_FOLDER = "{item}.json", "{item}-{digest}.txt"


def list_rows(form: Form) -> list[QWidget]:
    """Fields of the list."""
    context = form.context
    return [
        Field(
            form,
            ["items.source"],
            SourceLine(form),
            hint=N_("A text file with one entry a line, a CSV file, or a folder whose files are the entries."),
        ),
        Field(
            form,
            ["items.column"],
            Line(form, "column", 18),
            hint=N_("Of a CSV file: the column that holds the entry. Left empty: the list is no CSV file."),
        ),
        Field(
            form,
            ["items.target", "items"],
            TargetLine(form),
            hint=N_(
                "{item} stands for the entry. All files lie in one folder of this computer; "
                "where the list is a folder, {digest} belongs in the name, too."
            ),
        ),
        Field(
            form,
            ["items.workers"],
            Line(form, "workers", 5),
            words_beside(context, N_("at a time, side by side")),
        ),
        Field(
            form,
            ["items.attempts"],
            Line(form, "attempts", 5),
            words_beside(context, N_("for each entry, with growing pauses")),
        ),
    ]


class SourceLine(PathLine):
    """A file, or by a second button a folder."""

    def __init__(self, form: Form) -> None:
        super().__init__(form, "source", N_("List"), _("Lists") + " (*.txt *.csv);;" + _("All files") + " (*)")
        folder = button(form.context, N_("Folder…"))
        folder.clicked.connect(self._on_folder)
        layout = self.layout()
        assert layout is not None
        layout.addWidget(folder)

    def _on_folder(self) -> None:
        path = QFileDialog.getExistingDirectory(self, _("List"), self.line.text() or documents_folder())
        if path:
            values = {"source": QDir.toNativeSeparators(path), "column": ""}
            folder, name = os.path.split(self._form.draft.target)
            if "{digest}" not in name:  # a changed file is a new entry
                values["target"] = os.path.join(folder, _OF_FOLDER)
            self._form.set(**values)


class TargetLine(PathLine):
    """The pattern of the files' paths; the button chooses the folder and leaves the name."""

    def __init__(self, form: Form) -> None:
        super().__init__(form, "target", N_("Files to make"), is_folder=True)
        self.line.setPlaceholderText(os.path.join("documents", _OF_LIST))

    def _on_browse(self) -> None:
        folder, name = os.path.split(self.line.text())
        path = QFileDialog.getExistingDirectory(self, _(self._title), folder or documents_folder())
        if path:
            self._form.set(target=os.path.join(QDir.toNativeSeparators(path), name or _OF_LIST))
