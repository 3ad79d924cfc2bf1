"""Step 1: what the job does, and to what."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, ClassVar

from PySide6.QtWidgets import QCheckBox, QWidget

from trayapp.gui.jobs.editor.draft import KINDS_OF
from trayapp.gui.jobs.editor.form.choices import OneOf
from trayapp.gui.jobs.editor.form.field import Field, Line, PathLine, Pick, words_beside
from trayapp.gui.jobs.editor.steps.step import Step
from trayapp.gui.jobs.editor.trial import TrialCard
from trayapp.gui.look.widgets import column, label, wrapping
from trayapp.wording.mark import N_
from trayapp.wording.speech import _, say

if TYPE_CHECKING:
    from trayapp.gui.jobs.editor.form.form import Form

_WORKS = {"periods": N_("Period after period"), "list": N_("Through a list")}
_WORKS_NOTES = {
    "periods": N_("Each start takes the hours, days or months that have closed since: summaries, mails, backups."),
    "list": N_("Each entry of a list makes one file: thousands of downloads, documents to convert."),
}
_KINDS = {
    "sql": N_("SQL script"),
    "download": N_("Download"),
    "python": N_("Python function"),
    "command": N_("Program"),
}
_KIND_NOTES = {
    "sql": N_(
        "A script runs in a database. Each period takes effect exactly once: it and its record are written together."
    ),
    "python": N_("A function of yours gets the period and the database. Each period takes effect exactly once."),
    "command": N_(
        "A program is started: mails, transfers, backups. It is never started twice for a period unless you allow it."
    ),
}
_LIST_NOTES = {
    "download": N_("Each entry is fetched from its own address. A file stands there whole, or not at all."),
    "command": N_("A program is started for each entry and writes its file."),
    "python": N_("A function of yours is called for each entry and writes its file."),
}
_FORMATS = {
    "iso": "2026-09-04T10:00:00",
    "iso-space": "2026-09-04 10:00:00",
    "epoch": N_("seconds since 1970"),
    "epoch-ms": N_("milliseconds since 1970"),
}


_PERIOD_HINT = N_("{start}, {end} and {key} stand for the period and its key.")
_ITEM_HINT = N_("{item} stands for the entry, {output} for the file that the program has to write.")


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
        "effect.url",
        "effect.expect",
        "effect.per_host",
    )

    def __init__(self, form: Form) -> None:
        super().__init__(form, N_("A name for people, and the work itself."))
        self.name = Line(form, "title", placeholder=N_("Hourly sales summary"))
        self._works = OneOf(form, "works", _WORKS, N_("How it goes on"))
        self._works_note = wrapping(label(form.context, size="small", is_second=True))
        self._kind = OneOf(form, "kind", _KINDS, N_("Kind of work"))
        self._kind_note = wrapping(label(form.context, size="small", is_second=True))
        self._fixed_note = wrapping(label(form.context, size="small", is_second=True))
        self._create = QCheckBox()
        self._missing = wrapping(label(form.context, size="small"))
        self._adds = wrapping(label(form.context, size="small"))
        self._kept = wrapping(label(form.context, size="small", is_second=True))
        self.trial = TrialCard(form)
        self._rows: dict[str, QWidget] = {}
        self._make_rows()
        self.build(
            self.section("", Field(form, ["title"], self.name)),
            self.section(N_("How does it go on?"), self._works, self._works_note),
            self.section(
                N_("Which kind of work?"),
                self._kind,
                self._kind_note,
                self._fixed_note,
                *self._rows.values(),
                self._adds,
                self._kept,
            ),
            self.trial,
        )
        form.checked.connect(self._on_checked)
        form.looked_ahead.connect(self._on_looked)

    def summary(self) -> str:
        draft = self.form.draft
        if draft.works == "list" or draft.kind == "command":
            return _(_KINDS[draft.kind])
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
        self._arguments = label(context, "(window, tx)")
        context.language.bind(function, "setAccessibleName", N_("Function"))
        formats = Pick(form, "time_format", list(_FORMATS), lambda value: _(_FORMATS[value]))
        self._rows = {
            "database": _stacked(Field(form, ["effect.database"], database), self._create),
            "script": Field(form, ["effect.script"], script),
            "file": Field(form, ["effect.callable"], file, caption=N_("Python file")),
            "function": Field(form, ["effect.callable-"], function, self._arguments, caption=N_("Function")),
            "time_format": Field(
                form,
                ["effect.time_format"],
                formats,
                hint=N_("As the times in your tables look; :start and :end come like that."),
            ),
            **self._command_rows(),
            **self._download_rows(),
            "missing": self._missing,
        }

    def _download_rows(self) -> dict[str, QWidget]:
        form, context = self.form, self.form.context
        url = Line(form, "url", placeholder="https://example.com/documents/{item}")
        expect = QCheckBox()
        context.language.bind(expect, "setText", N_("The answers are JSON: keep only what can be read as that"))
        expect.clicked.connect(lambda is_on: form.set(expects_json=is_on))
        form.checked.connect(lambda: expect.setChecked(form.draft.expects_json))
        most = Field(
            form,
            ["effect.per_host"],
            Line(form, "per_host", 5),
            words_beside(context, N_("requests")),
            hint=N_("Left empty: as many as there are workers."),
        )
        hint = N_("{item} stands for the entry; of a CSV file, other columns can be filled in by their names.")
        return {
            "url": Field(form, ["effect.url", "effect.expect"], url, hint=hint),
            "expect": expect,
            "per_host": most,
        }

    def _command_rows(self) -> dict[str, QWidget]:
        form, context = self.form, self.form.context
        command = Line(form, "command", placeholder="python3 gonder.py --from {start} --to {end}")
        shell = QCheckBox()
        context.language.bind(shell, "setText", N_("It is a line for the shell: pipes, variables, several commands"))
        shell.clicked.connect(lambda is_on: form.set(uses_shell=is_on))
        form.checked.connect(lambda: shell.setChecked(form.draft.uses_shell))
        cwd = PathLine(form, "cwd", N_("Folder it starts in"), is_folder=True)
        self._command_field = Field(form, ["effect.argv", "effect.shell", "effect"], command, hint=_PERIOD_HINT)
        return {
            "command": self._command_field,
            "shell": shell,
            "cwd": Field(form, ["effect.cwd"], cwd, hint=N_("Left empty: the folder of Birkez' job files.")),
        }

    def _on_checked(self) -> None:
        draft, form = self.form.draft, self.form
        kind, is_list = draft.kind, draft.works == "list"
        for value in _KINDS:
            self._kind.chip(value).setVisible(value in KINDS_OF[draft.works])
        self._works_note.setText(_(_WORKS_NOTES[draft.works]))
        self.trial.setVisible(not is_list)  # what it needs is asked for in the next step
        self._kind_note.setText(_((_LIST_NOTES if is_list else _KIND_NOTES)[kind]))
        self._arguments.setText("(item, output)" if is_list else "(window, tx)")
        form.context.language.bind(self._command_field.hint, "setText", _ITEM_HINT if is_list else _PERIOD_HINT)
        shown = {
            "sql": ("database", "script", "time_format", "missing"),
            "python": ("file", "function", "missing") if is_list else ("database", "file", "function", "missing"),
            "command": ("command", "shell", "cwd", "missing"),
            "download": ("url", "expect", "per_host"),
        }[kind]
        for name, part in self._rows.items():
            part.setVisible(name in shown)
        self._kind.setEnabled(form.is_new)
        self._works.setEnabled(form.is_new)
        self._fixed_note.setVisible(not form.is_new)
        self._fixed_note.setText(
            _("The kind stays: what was done is recorded where this kind records it. Another kind is another job.")
        )
        self._create.setChecked(form.draft.create_database)
        kept = form.kept_keys
        self._kept.setVisible(bool(kept))
        self._kept.setText(say("The job file also sets {keys}; that stays as it is.", keys=", ".join(kept)))
        self._on_looked()

    def _on_looked(self) -> None:
        draft, ahead = self.form.draft, self.form.ahead
        there = ahead.there if ahead is not None else {}
        database = draft.database.strip() if draft.works == "periods" and draft.kind != "command" else ""
        self._create.setVisible(self.form.is_new and bool(database) and there.get(database) is False)
        others = {"sql": draft.script, "python": draft.file, "command": draft.cwd}.get(draft.kind, "").strip()
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
