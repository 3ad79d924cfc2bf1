"""Trying the job from within the editor: what it would write, shown and taken back, before anything is saved.

Done by `birkez job try`. What cannot be taken back (a program, what Python code does
beside the database) asks for a clear choice first.
"""

from __future__ import annotations

import os
import threading
from functools import partial
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QCheckBox, QFrame, QPlainTextEdit
from shiboken6 import isValid

from trayapp import clock
from trayapp.gui.help.asking import is_about
from trayapp.gui.jobs.editor.listing import text_file
from trayapp.gui.look.callout import Callout
from trayapp.gui.look.widgets import button, column, label, row, wrapping
from trayapp.gui.state.answer_words import Words
from trayapp.gui.state.words import many, period_words
from trayapp.wording.instants import show_duration
from trayapp.wording.mark import N_, NN_
from trayapp.wording.numbers import show_number
from trayapp.wording.speech import _, say

if TYPE_CHECKING:
    from collections.abc import Mapping

    from trayapp.gui.commands import Done
    from trayapp.gui.jobs.editor.form.form import Form

_LINES = 12  # that are seen at once
_NOT_FOUND = 127
_NOTES = {
    "sql": N_("The script is run for one period, its rows are shown, and all of it is taken back."),
    "python": N_("The function is called for one period; what it does in the database is shown and taken back."),
    "command": N_("The program is started once, with nothing but what the scheduler gives it at night."),
    "download": N_("The first entry of the list is downloaded; the file is looked at and thrown away."),
}
_LIST_NOTES = {
    "python": N_("The function is called for the first entry of the list; its file is looked at and thrown away."),
    "command": N_("The program is started for the first entry of the list; its file is looked at and thrown away."),
}
_CHOICES = {
    "python": N_("Call it really"),
    "command": N_("Start it really"),
    "download": N_("Ask the server really"),
}
_REMAINS = {
    "python": N_("Mails, files and other things that it does beside the database stay."),
    "command": N_("What it does stays: mails, transfers, files."),
    "download": N_("The server sees one request."),
}


class TrialCard(QFrame):
    """A button, the choice where one is needed, and the answer; an answer of before a change goes away."""

    def __init__(self, form: Form) -> None:
        super().__init__()
        self._form = form
        context = form.context
        self.setProperty("kind", "card")
        is_about(self, "trial")
        self._note = wrapping(label(context, size="small", is_second=True))
        self.choice = QCheckBox()
        self._remains = wrapping(label(context, size="small", is_second=True))
        self.press = button(context, N_("Try it"), "play")
        self.stop = button(context, N_("Stop it"), "close")
        self._wait = label(context, N_("Trying…"), "small", is_second=True)
        self.answer = Callout(context)
        self.details = QPlainTextEdit()
        self.details.setReadOnly(True)
        self.details.setTabChangesFocus(True)
        self.details.setLineWrapMode(QPlainTextEdit.LineWrapMode.NoWrap)
        self.details.setFont(context.theme.font("small", monospace=True))
        context.language.bind(self.details, "setAccessibleName", N_("What it wrote and printed"))
        title = label(context, N_("Try it before it is saved"), "head", 600)
        buttons = row(self.press, self.stop, self._wait, None)
        asked = column(self.choice, self._remains, gap=1)
        parts = (column(title, self._note, gap=1), asked, buttons, self.answer, self.details)
        self.setLayout(column(*parts, gap=9, margins=(16, 12, 16, 14)))
        self._tried = ""  # the text of the job file that the answer is about
        self._is_under_way = False
        self._stopping = threading.Event()
        self._told: Mapping[str, Any] | None = None
        self._kind = ""
        self.press.clicked.connect(self._on_press)
        self.stop.clicked.connect(self._on_stop)
        self.choice.toggled.connect(lambda _is_on: self._write())
        form.checked.connect(self._on_checked)
        context.language.changed.connect(self._write)
        self._on_checked()

    def _on_checked(self) -> None:
        kind = self._form.draft.kind
        if kind != self._kind:
            self._kind = kind
            self.choice.setChecked(False)  # it was about another kind
        if self._told is not None and self._form.text() != self._tried:
            self._told = None
        self._write()

    def _write(self) -> None:
        draft = self._form.draft
        notes = {**_NOTES, **_LIST_NOTES} if draft.works == "list" else _NOTES
        self._note.setText(_(notes[draft.kind]))
        asks = draft.kind in _CHOICES
        self.choice.setVisible(asks)
        self._remains.setVisible(asks)
        if asks:
            self.choice.setText(_(_CHOICES[draft.kind]))
            self._remains.setText(_(_REMAINS[draft.kind]))
            self.choice.setAccessibleDescription(self._remains.text())
        is_ready = self._form.job is not None and not self._is_under_way
        self.press.setEnabled(is_ready and (not asks or self.choice.isChecked()))
        self.press.setVisible(not self._is_under_way)
        self.stop.setVisible(self._is_under_way)
        self.stop.setEnabled(not self._stopping.is_set())
        self._wait.setVisible(self._is_under_way)
        self._write_answer()

    def _write_answer(self) -> None:
        told = self._told
        self.answer.setVisible(told is not None)
        details = details_text(told) if told is not None else ""
        self.details.setVisible(bool(details))
        if told is None:
            return
        words = trial_words(told)
        self.answer.tell(words.tone, words.icon, words.title, words.text)
        self.details.setPlainText(details)
        lines = min(details.count("\n") + 2, _LINES)
        self.details.setFixedHeight(self.details.fontMetrics().lineSpacing() * lines + 24)

    def _on_press(self) -> None:
        job = self._form.job
        if job is None or self._is_under_way:
            return
        self._is_under_way, self._told, self._tried = True, None, self._form.text()
        path = text_file(self._tried)
        sure = ["--yes"] if self._form.draft.kind in _CHOICES else []
        words = ["job", "try", path, "--place", job.file, "--as", job.id, *sure, "--json"]
        self._stopping = threading.Event()
        self._form.context.commands.ask(words, partial(self._on_done, path), None, self._stopping)
        self._write()
        self.stop.setFocus(Qt.FocusReason.OtherFocusReason)  # the button that was pressed is gone

    def _on_stop(self) -> None:
        self._stopping.set()
        self._write()

    def _on_done(self, path: str, done: Done) -> None:
        os.unlink(path)
        if not isValid(self):
            return
        self._is_under_way = False
        had_focus = self.stop.hasFocus()
        message = done.complaint or _("Birkez could not be started, or ended without an answer.")
        if self._stopping.is_set():
            message = _("The trial was stopped. What a database had got of it was taken back.")
        told = done.json() or {"outcome": "not-tried", "message": message}
        self._told = told if self._form.text() == self._tried else None
        self._write()
        if had_focus:
            self.press.setFocus(Qt.FocusReason.OtherFocusReason)


def trial_words(told: Mapping[str, Any]) -> Words:
    """Say what came of a trial, by what `birkez job try --json` told."""
    error = told.get("error")
    message = str((error or {}).get("message") or told.get("message") or "")
    where = _where(told)
    if told["outcome"] == "not-tried":
        return Words("warn", "state-uncertain", _("It could not be tried"), message)
    if _is_not_found(told, error or {}):
        message += " " + _("The scheduler looks in few folders: write the whole path of each program.")
    if told["outcome"] != "works":
        return Words("bad", "state-failed", _("It does not work yet"), "\n".join(filter(None, (message, where))))
    taken = {
        "sql": N_("All of it was taken back; nothing was written."),
        "python": N_("What it did in the database was taken back."),
        "command": N_("It works with what the scheduler gives it."),
        "download": "",
    }[str(told["kind"])]
    text = " ".join(filter(None, (where, _(taken) if taken and "item" not in told else "")))
    return Words("ok", "check", _("It works"), text)


def _is_not_found(told: Mapping[str, Any], error: Mapping[str, Any]) -> bool:
    """Tell whether a program was not found: 127 is how shells say so of one that they were to start."""
    status = error.get("facts", {}).get("status")
    return told.get("kind") == "command" and (error.get("code") == "command-not-found" or status == _NOT_FOUND)


def details_text(told: Mapping[str, Any]) -> str:
    """Rows that would be written, table by table, the file that was made, and what was printed."""
    parts = [_table_text(table) for table in told.get("tables", ())]
    if told["outcome"] == "works" and told.get("kind") == "sql" and not parts:
        parts.append(_("No row would be written, changed or removed."))
    if told.get("repeated_count") or (told.get("kind") == "python" and told.get("new_count")):
        text = N_("Records: {new:number} new, {repeated:number} known ones left out.")
        parts.append(say(text, new=told["new_count"], repeated=told["repeated_count"]))
    if told.get("head"):
        parts.append(str(told["head"]))
    output = str(told.get("output") or "").strip()
    if output:
        parts.append(_("It printed:") + "\n" + output)
    return "\n\n".join(parts)


def _where(told: Mapping[str, Any]) -> str:
    if "item" in told:
        text = N_("Tried for the entry {item}: {target} would have {size} bytes.")
        if told["outcome"] != "works":
            text = N_("Tried for the entry {item}.")
        return say(text, item=told["item"], target=told["target"], size=show_number(int(told["size"])))
    if "start" not in told:
        return ""
    start, end = clock.parse_instant(told["start"]), clock.parse_instant(told["end"])
    facts = {"period": period_words(start, end, clock.now()), "time": show_duration(int(told["duration_ms"]) / 1000)}
    words = say("Tried for the period {period}, which took {time}.", **facts)
    if told.get("done_already"):
        words += " " + _("A run has done that period already; the trial did it anew.")
    return words


def _table_text(table: Mapping[str, Any]) -> str:
    name = str(table["table"])
    if table["is_dropped"]:
        return say("{table}: the table is dropped", table=name)
    parts = [
        many(forms, int(table[count]))
        for count, forms in (
            ("written", NN_("{count:number} row written", "{count:number} rows written")),
            ("changed", NN_("{count:number} row changed", "{count:number} rows changed")),
            ("removed", NN_("{count:number} row removed", "{count:number} rows removed")),
        )
        if table[count]
    ]
    what = ", ".join(parts) or "0"
    text = say("{table}: a new table, {what}", table=name, what=what) if table["is_new"] else f"{name}: {what}"
    rows = [table["columns"], *table["rows"]] if table["rows"] else []
    widths = [max(map(len, cells)) for cells in zip(*rows, strict=False)]
    lines = [
        "  ".join(cell.ljust(width) for cell, width in zip(cells, widths, strict=False)).rstrip() for cells in rows
    ]
    return "\n".join([text, *("  " + line for line in lines)])
