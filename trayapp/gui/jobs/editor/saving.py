"""Saving what was edited: a new job by `birkez job add`, a changed one into its file, whole or not at all."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

from trayapp.errors import BirkezError
from trayapp.gui.jobs.editor.listing import text_file
from trayapp.job.file import parse_job, read_text, replace_text
from trayapp.trigger.here import backend_here
from trayapp.wording.mark import N_
from trayapp.wording.speech import _, sentence

if TYPE_CHECKING:
    from trayapp.gui.commands import Done
    from trayapp.gui.jobs.editor.form.form import Form

_GO_ON = "--go-on"  # words of `job add` that its refusal names where the short name was used before
CHANGED_MEANWHILE = N_(
    "The job file was changed by somebody else while it was open here. Nothing was saved over that. "
    "Close this and open the job again; what you changed here has to be typed anew."
)


class Saving(QObject):
    """`saved` with the job's id and what was complained of all the same; `refused` says why nothing was saved.

    `choice_needed`: the short name of a new job has a past in its database.
    """

    saved = Signal(str, str)
    refused = Signal(str)
    choice_needed = Signal(str)

    def __init__(self, form: Form) -> None:
        super().__init__(form)
        self._form = form
        self.is_under_way = False
        self._complain = form.context.commands.complained.emit  # outlives the editor

    def save(self, choice: str = "") -> None:
        """Save; *choice* is `--go-on` or `--forget`, once it was asked for."""
        if self.is_under_way:
            return
        self.is_under_way = True
        try:
            if self._form.is_new:
                self._add(choice)
            else:
                self._change()
        except (BirkezError, OSError) as error:
            self.is_under_way = False
            self.refused.emit(sentence(error) if isinstance(error, BirkezError) else error.strerror or str(error))

    def _add(self, choice: str) -> None:
        job_id = self._form.proposed_id
        path = text_file(self._form.text())
        # Relative paths begin where the job will lie, as the editor has shown them.
        words = ["job", "add", path, "--id", job_id, "--place", self._form.context.places.job_file(job_id)]
        draft = self._form.draft
        if draft.create_database and draft.works == "periods" and draft.kind != "command":
            words.append("--create-database")
        if choice:
            words += [choice, "--yes"]
        self._form.context.commands.ask(words, lambda done: self._on_added(job_id, path, done))

    def _on_added(self, job_id: str, path: str, done: Done) -> None:
        self.is_under_way = False
        os.unlink(path)
        if done.is_good:
            self.saved.emit(job_id, done.complaint)
        elif _GO_ON in done.complaint:
            self.choice_needed.emit(job_id)
        else:
            self.refused.emit(done.complaint or done.output.strip())

    def _change(self) -> None:
        form = self._form
        path = form.context.places.job_file(form.job_id)
        if read_text(path, form.job_id) != form.original:
            self.is_under_way = False
            self.refused.emit(_(CHANGED_MEANWHILE))
            return
        text = form.text()
        job = parse_job(text, path, form.job_id)
        before = parse_job(form.original, path, form.job_id)
        if text != form.original:
            replace_text(path, text)
        if job.effect != before.effect:
            form.context.commands.ask(["job", "validate", form.job_id, "--json"], self._on_validated)
        if job.schedule == before.schedule or backend_here(form.context.places) is None:
            self._on_followed(None)
            return
        # The entry follows: made, changed, or taken out where the job is started by hand from now on.
        words = ["schedule", "check", form.job_id, "--repair"]
        form.context.commands.ask(words, self._on_followed)

    def _on_validated(self, done: Done) -> None:
        """Tell what would stop the changed job, as adding tells it of a new one."""
        concerns = [str(one["message"]) for one in done.json().get("concerns", ())]
        if concerns:
            self._complain("\n".join(concerns))

    def _on_followed(self, done: Done | None) -> None:
        self.is_under_way = False
        self.saved.emit(self._form.job_id, done.complaint if done is not None and not done.is_good else "")
