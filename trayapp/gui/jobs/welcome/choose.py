"""Step 1: which template, and what it works on."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, ClassVar

from PySide6.QtCore import QTimer, Signal
from PySide6.QtWidgets import QButtonGroup

from trayapp.gui.jobs.editor.form.field import Field, Line, PathLine
from trayapp.gui.jobs.editor.steps.step import Step
from trayapp.gui.jobs.editor.steps.what import What
from trayapp.gui.jobs.welcome.found import FoundList
from trayapp.gui.jobs.welcome.templates import ADOPT, LIST, SAMPLE, SCRIPT, SQL, TEMPLATES
from trayapp.gui.look.way import Way
from trayapp.gui.look.widgets import label, wrapping
from trayapp.wording.mark import N_
from trayapp.wording.speech import _, say

if TYPE_CHECKING:
    from PySide6.QtWidgets import QFrame, QWidget

    from trayapp.gui.jobs.editor.form.form import Form

_EXAMPLE = "INSERT INTO summary SELECT :start, count(*) FROM sale WHERE at >= :start AND at < :end"


class Choose(Step):
    """`template_chosen` with its name; the fields below are those that it needs."""

    title: ClassVar[str] = N_("What shall it do?")
    keys: ClassVar[tuple[str, ...]] = What.keys
    template_chosen = Signal(str)

    def __init__(self, form: Form) -> None:
        super().__init__(form, N_("Choose what comes nearest. Everything can be changed later."))
        context = form.context
        self.template = ""
        group = QButtonGroup(self)
        self.ways: dict[str, Way] = {}
        for template in TEMPLATES:
            way = self.ways[template.name] = Way(context, template.title, template.note)
            group.addButton(way.radio)
            way.radio.toggled.connect(partial(self._on_chosen, template.name))
        self.name = Line(form, "title")
        self.found = FoundList(context)
        self._missing = wrapping(label(context, size="small", weight=500))
        self._missing.set_tone("warn")
        self._rows: dict[str, QWidget] = self._make_rows()
        self._fields = self._make_fields()
        self.build(*self.ways.values(), self._fields, self.found)
        form.checked.connect(self._write)
        form.looked_ahead.connect(self._write)
        self._write()

    def summary(self) -> str:
        title = next((one.title for one in TEMPLATES if one.name == self.template), "")
        return _(title) if title else ""

    def first(self) -> QWidget:
        return self.ways[self.template or SQL].radio

    def retranslate(self) -> None:
        self._write()

    @property
    def is_right(self) -> bool:
        """Tell whether the next step may be opened."""
        if self.template == ADOPT:
            return self.found.chosen is not None
        return self.template == SAMPLE or (bool(self.template) and self.form.is_right(self.keys))

    def _make_rows(self) -> dict[str, QWidget]:
        form = self.form
        databases = _("SQLite databases") + " (*.db *.sqlite *.sqlite3);;" + _("All files") + " (*)"
        self.database = PathLine(form, "database", N_("Database"), databases)
        self.script = PathLine(form, "script", N_("SQL script"), "SQL (*.sql);;" + _("All files") + " (*)")
        self.command = Line(form, "command")
        self.url = Line(form, "url", placeholder="https://example.com/documents/{item}")
        script = Field(form, ["effect.script"], self.script, hint=N_("A text file with SQL, for example:"))
        self._example = label(form.context, size="small", is_second=True)
        self._example.setFont(form.context.theme.font("small", monospace=True))
        self._example = wrapping(self._example)
        self._example.setText(_EXAMPLE)
        return {
            "database": Field(form, ["effect.database"], self.database),
            "script": script,
            "example": self._example,
            "command": Field(
                form,
                ["effect.argv", "effect.shell", "effect"],
                self.command,
                hint=N_("With its whole path: the scheduler knows neither your folder nor your drive letters."),
            ),
            "url": Field(
                form, ["effect.url", "effect.expect"], self.url, hint=N_("{item} stands for the entry of the list.")
            ),
        }

    def _make_fields(self) -> QFrame:
        return self.section("", Field(self.form, ["title"], self.name), *self._rows.values(), self._missing)

    def _on_chosen(self, name: str, is_on: bool) -> None:  # noqa: FBT001  # Qt's signal
        if is_on and name != self.template:
            self.template = name
            self.template_chosen.emit(name)
            if name == ADOPT:
                self.found.look()
            self._write()
            QTimer.singleShot(0, self, self._show_fields)

    def _show_fields(self) -> None:
        part = self.found if self.template == ADOPT else self._fields
        if part.isVisible():
            self.ensureWidgetVisible(part, 0, 12)

    def _write(self) -> None:
        shown = {SQL: ("database", "script", "example"), SCRIPT: ("command",), LIST: ("url",)}.get(self.template, ())
        for name, part in self._rows.items():
            part.setVisible(name in shown)
        self._fields.setVisible(bool(shown))
        self.found.setVisible(self.template == ADOPT)
        there = self.form.ahead.there if self.form.ahead is not None else {}
        paths = (self.form.draft.database.strip(), self.form.draft.script.strip()) if self.template == SQL else ()
        gone = [path for path in paths if there.get(path) is False]
        self._missing.setVisible(bool(gone))
        text = N_("There is no {path} now. The job can be saved; it does not run before that is there.")
        self._missing.setText(say(text, path=", ".join(gone)))
