"""Taking jobs and settings to another computer and back, and the file for whoever helps: each as one file."""

from __future__ import annotations

import contextlib
import os
from typing import TYPE_CHECKING

from PySide6.QtWidgets import QFileDialog, QWidget

from trayapp import clock
from trayapp.gui.jobs.table.flow import Flow
from trayapp.gui.look.folders import documents_folder
from trayapp.gui.look.widgets import button, column, label, wrapping
from trayapp.gui.settings.arrivals import ArrivalsDialog
from trayapp.wording.mark import N_
from trayapp.wording.speech import _, say

if TYPE_CHECKING:
    from collections.abc import Callable

    from trayapp.gui.commands import Done
    from trayapp.gui.context import Context

    Tell = Callable[[str, bool], None]

_SLOW_S = 300  # a check of many jobs on a drive that is away


class Moving(QWidget):
    """Three buttons, and below them what came of the last press."""

    def __init__(self, context: Context) -> None:
        super().__init__()
        self._context = context
        self.export = button(context, N_("Save jobs and settings…"), "export")
        self.bring = button(context, N_("Bring jobs from a file…"), "plus")
        self.support = button(context, N_("Make a support file…"), "file")
        self.note = wrapping(label(context, size="small"))
        self.note.hide()
        self.export.clicked.connect(self._on_export)
        self.bring.clicked.connect(self._on_bring)
        self.support.clicked.connect(lambda: ask_for_support_file(self, context, self._tell))
        self.setLayout(column(Flow([self.export, self.bring, self.support]), self.note, gap=8))

    def save_to(self, path: str) -> None:
        """Write all jobs and the settings to *path*."""
        _make_anew(path, ["job", "export", path], self._context, self._tell)

    def look_into(self, path: str) -> None:
        """Show what the file at *path* would bring; nothing is changed before the person agrees."""
        self.bring.setEnabled(False)
        words = ["job", "import", path, "--check", "--json"]
        self._context.commands.ask(words, lambda done: self._on_looked(path, done), _SLOW_S)

    def _on_export(self) -> None:
        path = _ask_name(self, _("Save jobs and settings"), _("birkez-jobs-{day}.zip"))
        if path:
            self.save_to(path)

    def _on_bring(self) -> None:
        title, kinds = _("Bring jobs from a file"), _("Jobs (*.zip *.toml)")
        path, _kind = QFileDialog.getOpenFileName(self, title, documents_folder(), kinds)
        if path:
            self.look_into(path)

    def _on_looked(self, path: str, done: Done) -> None:
        self.bring.setEnabled(True)
        found = done.json()
        if not found.get("jobs"):
            self._tell(done.complaint or _("The file could not be read."), False)
            return
        dialog = ArrivalsDialog(self._context, path, found, self.window())
        dialog.told.connect(self._tell)
        dialog.open()

    def _tell(self, text: str, is_good: bool) -> None:  # noqa: FBT001  # a signal's arguments
        self.note.set_tone("ok" if is_good else "bad")
        self.note.setText(text)
        self.note.show()


def ask_for_support_file(parent: QWidget, context: Context, tell: Tell) -> None:
    """Ask where the support file shall lie, and have it made; *tell* gets what came of it."""
    path = _ask_name(parent, _("Make a support file"), _("birkez-support-{day}.zip"))
    if path:
        make_support_file(path, context, tell)


def make_support_file(path: str, context: Context, tell: Tell) -> None:
    """Have the support file made at *path*; *tell* gets what came of it."""
    _make_anew(path, ["support", path], context, tell)


def _make_anew(path: str, words: list[str], context: Context, tell: Tell) -> None:
    """Start a command that makes the file at *path*; what lies there is kept until it has."""
    old = f"{path}.{os.getpid()}.old"
    with contextlib.suppress(OSError):  # none is there, or the command will say why not
        os.replace(path, old)

    def then(done: Done) -> None:
        with contextlib.suppress(OSError):
            os.unlink(old) if done.is_good else os.replace(old, path)
        _tell_done(done, tell)

    context.commands.ask(words, then, _SLOW_S)


def _tell_done(done: Done, tell: Tell) -> None:
    words = [done.output.strip(), done.complaint] if done.is_good else [done.complaint or done.output.strip()]
    text = "\n".join(word for word in words if word)
    tell(text or _("The file could not be written."), done.is_good)


def _ask_name(parent: QWidget, title: str, name: str) -> str:
    today = format(clock.now().astimezone(), "%Y-%m-%d")
    path = os.path.join(documents_folder(), say(name, day=today))
    chosen = QFileDialog.getSaveFileName(parent, title, path, _("Archive (*.zip)"))[0]
    return chosen if not chosen or chosen.lower().endswith(".zip") else chosen + ".zip"
