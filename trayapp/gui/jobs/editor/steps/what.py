"""Step 1: what the job does, and to what."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, ClassVar

from PySide6.QtWidgets import QCheckBox, QWidget

from trayapp.gui.jobs.editor.form.choices import OneOf
from trayapp.gui.jobs.editor.form.field import Field, Line, PathLine, Pick, words_beside
from trayapp.gui.jobs.editor.steps.step import Step
from trayapp.gui.look.widgets import column, label, wrapping
from trayapp.wording.mark import N_
from trayapp.wording.speech import _, say

if TYPE_CHECKING:
    from trayapp.gui.jobs.editor.form.form import Form

_KINDS = {"sql": N_("SQL script"), "python": N_("Python function"), "command": N_("Program")}
_KIND_NOTES = {
    "sql": N_(
        "A script runs in a database. Each period takes effect exactly once: it and its record are written together."
    ),
    "python": N_("A function of yours gets the period and the database. Each period takes effect exactly once."),
    "command": N_(
        "A program is started: mails, transfers, backups. It is never started twice for a period unless you allow it."
    ),
}
_FORMATS = {
    "iso": "2026-09-04T10:00:00",
    "iso-space": "2026-09-04 10:00:00",
    "epoch": N_("seconds since 1970"),
    "epoch-ms": N_("milliseconds since 1970"),
}


class What(Step):
    """Name, kind, and what that kind needs."""

    title: ClassVar[str] = N_("What shall it do?")
    keys: ClassVar[tuple[str, ...]] = (
        "title",
        "effect.kind",
        "effect.database",
        "effect.script",
        "effect.time_format",
        "effect.callable",
        "effect",
        "effect.argv",
        "effect.shell",
        "effect.cwd",
    )

    def __init__(self, form: Form) -> None:
        super().__init__(form, N_("A name for people, and the work itself."))
        self.name = Line(form, "title", placeholder=N_("Hourly sales summary"))
        self._kind = OneOf(form, "kind", _KINDS, N_("Kind of work"))
        self._kind_note = wrapping(label(form.context, size="small", is_second=True))
        self._fixed_note = wrapping(label(form.context, size="small", is_second=True))
        self._create = QCheckBox()
        self._missing = wrapping(label(form.context, size="small"))
        self._adds = wrapping(label(form.context, size="small"))
        self._rows: dict[str, QWidget] = {}
        self._make_rows()
        self.build(
            self.section("", Field(form, ["title"], self.name)),
            self.section(
                N_("Which kind of work?"),
                self._kind,
                self._kind_note,
                self._fixed_note,
                *self._rows.values(),
                self._adds,
            ),
        )
        form.checked.connect(self._on_checked)
        form.looked_ahead.connect(self._on_looked)

    def summary(self) -> str:
        draft = self.form.draft
        if draft.kind == "command":
            return _(_KINDS["command"])
        return " · ".join(
            filter(None, (draft.kind.capitalize() if draft.kind != "sql" else "SQL", os.path.basename(draft.database)))
        )

    def retranslate(self) -> None:
        self._on_checked()
        self._on_looked()

    def first(self) -> QWidget:
        return self.name

    def _make_rows(self) -> None:
        form, context = self.form, self.form.context
        databases = _("SQLite databases") + " (*.db *.sqlite *.sqlite3);;" + _("All files") + " (*)"
        database = PathLine(form, "database", N_("Database"), databases)
        context.language.bind(self._create, "setText", N_("There is no such file: make a new, empty database there"))
        self._create.toggled.connect(lambda is_on: form.set(create_database=is_on))
        script = PathLine(form, "script", N_("SQL script"), "SQL (*.sql);;" + _("All files") + " (*)")
        file = PathLine(form, "file", N_("Python file"), "Python (*.py)")
        function = Line(form, "function", 18)
        context.language.bind(function, "setAccessibleName", N_("Function"))
        formats = Pick(form, "time_format", list(_FORMATS), lambda value: _(_FORMATS[value]))
        self._rows = {
            "database": _stacked(Field(form, ["effect.database"], database), self._create),
            "script": Field(form, ["effect.script"], script),
            "file": Field(form, ["effect.callable"], file, caption=N_("Python file")),
            "function": Field(
                form, ["effect.callable-"], function, words_beside(context, "(window, tx)"), caption=N_("Function")
            ),
            "time_format": Field(
                form,
                ["effect.time_format"],
                formats,
                hint=N_("As the times in your tables look; :start and :end come like that."),
            ),
            **self._command_rows(),
            "missing": self._missing,
        }

    def _command_rows(self) -> dict[str, QWidget]:
        form, context = self.form, self.form.context
        command = Line(form, "command", placeholder="python3 gonder.py --from {start} --to {end}")
        shell = QCheckBox()
        context.language.bind(shell, "setText", N_("It is a line for the shell: pipes, variables, several commands"))
        shell.clicked.connect(lambda is_on: form.set(uses_shell=is_on))
        form.checked.connect(lambda: shell.setChecked(form.draft.uses_shell))
        cwd = PathLine(form, "cwd", N_("Folder it starts in"), is_folder=True)
        return {
            "command": Field(
                form,
                ["effect.argv", "effect.shell", "effect"],
                command,
                hint=N_("{start}, {end} and {key} stand for the period and its key."),
            ),
            "shell": shell,
            "cwd": Field(form, ["effect.cwd"], cwd, hint=N_("Left empty: the folder of Birkez' job files.")),
        }

    def _on_checked(self) -> None:
        kind, form = self.form.draft.kind, self.form
        self._kind_note.setText(_(_KIND_NOTES[kind]))
        shown = {
            "sql": ("database", "script", "time_format", "missing"),
            "python": ("database", "file", "function", "missing"),
            "command": ("command", "shell", "cwd", "missing"),
        }[kind]
        for name, part in self._rows.items():
            part.setVisible(name in shown)
        self._kind.setEnabled(form.is_new)
        self._fixed_note.setVisible(not form.is_new)
        self._fixed_note.setText(
            _("The kind stays: what was done is recorded where this kind records it. Another kind is another job.")
        )
        self._create.setChecked(form.draft.create_database)
        self._on_looked()

    def _on_looked(self) -> None:
        draft, ahead = self.form.draft, self.form.ahead
        there = ahead.there if ahead is not None else {}
        database = draft.database.strip()
        self._create.setVisible(
            self.form.is_new and draft.kind != "command" and bool(database) and there.get(database) is False
        )
        others = {"sql": draft.script, "python": draft.file, "command": draft.cwd}[draft.kind].strip()
        gone = [
            path for path in (others, "" if self._create.isVisibleTo(self) else database) if there.get(path) is False
        ]
        self._missing.setVisible(bool(gone) and (draft.kind != "command" or bool(draft.cwd.strip())))
        self._missing.set_tone("warn")
        self._missing.setText(
            say(
                "There is no {path} now. The job can be saved; it does not run before that is there.",
                path=", ".join(gone),
            )
        )
        adds = ahead is not None and ahead.adds_only and draft.kind == "sql"
        self._adds.setVisible(adds)
        self._adds.setText(
            _(
                "The script adds rows and removes none. That is safe as it is; but if you reopen a period one day, "
                "its rows are added a second time. A script that first deletes the period's rows can be repeated."
            )
        )
        self._adds.set_tone("warn")


def _stacked(*parts: QWidget) -> QWidget:
    made = QWidget()
    made.setLayout(column(*parts, gap=4))
    return made
