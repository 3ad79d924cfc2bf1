"""What the editor's parts share: the draft, what is wrong with it, and what would become of it."""

from __future__ import annotations

import os
import tomllib
from copy import copy
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject, QTimer, QTimeZone, Signal

from trayapp.errors import BirkezError
from trayapp.gui.jobs.editor.checking import Checked, check
from trayapp.gui.jobs.editor.draft import Draft, draft_of, values_of
from trayapp.gui.jobs.editor.listing import ListLooker
from trayapp.gui.jobs.editor.outlook import Standing, look_ahead, look_at_list_ahead
from trayapp.gui.jobs.editor.text import changed_text, new_text
from trayapp.gui.state.reader import Reader
from trayapp.job.file import parse_job, read_text
from trayapp.job.model import propose_id
from trayapp.job.shelf import job_ids
from trayapp.value import NamedTuple
from trayapp.window.catch_up import Recorded

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from trayapp.gui.context import Context
    from trayapp.gui.jobs.editor.draft import Plain
    from trayapp.gui.jobs.editor.listing import Listing
    from trayapp.gui.jobs.editor.outlook import ListOutlook, Outlook
    from trayapp.gui.state.snapshot import JobState
    from trayapp.job.fields import Key
    from trayapp.job.model import Job

_LOOK_WAIT_MS = 200
_MOST_OF_SCRIPT = 256 * 1024  # bytes that are looked at


class Ahead(NamedTuple):
    """What a thread found out: the outlook or why there is none; which of the paths are there; a script that adds."""

    outlook: Outlook | None
    error: BirkezError | None
    there: Mapping[str, bool]
    adds_only: bool = False
    of_list: ListOutlook | None = None


class Form(QObject):
    """One draft. `checked` after each change, `looked_ahead` when the thread has answered.

    `listed` when the list of a job that has one was read; `listing` is what the list holds, None while it is not known.
    """

    checked = Signal()
    looked_ahead = Signal()
    listed = Signal()

    def __init__(self, context: Context, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.context = context
        self.draft = Draft()
        self.state: Checked = Checked(None, {})
        self.ahead: Ahead | None = None
        self.job_id = ""  # of the job that is changed; empty for a new one
        self.original = ""  # its text as it was read
        self.standing: Standing | None = None
        self.listing: Listing | None = None
        self._before: Mapping[Key, Plain] = {}
        self._first = copy(self.draft)
        self._taken: list[str] = []
        self._touched: set[str] = set()
        self.is_all_shown = False
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setInterval(_LOOK_WAIT_MS)
        self._timer.timeout.connect(self._ask)
        self._list_looker = ListLooker(context, self)
        self._list_looker.looked.connect(self._on_listed)
        self._reader = Reader("outlook", lambda _names: self._look(), self)
        self._reader.was_read.connect(self._on_looked)
        self._reader.start()

    def begin_new(self, draft: Draft | None = None) -> None:
        """Begin a new job, from *draft* where there is one to copy."""
        self.draft = draft or Draft(timezone=system_zone())
        self._first = copy(self.draft)
        try:
            self._taken = job_ids(self.context.places)
        except BirkezError:
            self._taken = []  # adding tells it
        self.check_again()

    def begin_change(self, state: JobState) -> None:
        """Begin to change a job.

        Raises: BirkezError where its file cannot be read.
        """
        path = self.context.places.job_file(state.id)
        text = read_text(path, state.id)
        job = parse_job(text, path, state.id)
        self.job_id, self.original, self.draft = state.id, text, draft_of(job, system_zone())
        self._before, self._first = values_of(self.draft), copy(self.draft)
        self.standing = _standing_of(state)
        self.is_all_shown = True
        self.check_again()

    def begin_saved(self) -> None:
        """Take what stands in the fields for saved."""
        self._first = copy(self.draft)

    @property
    def is_new(self) -> bool:
        """Tell whether the job is yet to be added."""
        return not self.job_id

    @property
    def is_changed(self) -> bool:
        """Tell whether anything was typed that is not saved."""
        return self.draft != self._first

    @property
    def proposed_id(self) -> str:
        """Short name that a new job will get."""
        return propose_id(self.draft.title, self._taken)

    @property
    def job(self) -> Job | None:
        """The job, when nothing is wrong."""
        return self.state.job

    def text(self) -> str:
        """Text of the job file as it would be saved."""
        values = values_of(self.draft)
        return new_text(values) if self.is_new else changed_text(self.original, self._before, values)

    @property
    def kept_keys(self) -> list[str]:
        """Keys of the effect that the job file has and the form has no field for; they stay as they are."""
        if self.is_new:
            return []
        effect = tomllib.loads(self.original).get("effect", {})
        return [key for key in effect if ("effect", key) not in self._before]

    def set(self, **values: Any) -> None:  # noqa: ANN401  # fields of the draft
        """Take what was typed or chosen, and check."""
        if all(getattr(self.draft, name) == value for name, value in values.items()):
            return
        for name, value in values.items():
            setattr(self.draft, name, value)
        self.draft.settle()
        self.check_again()

    def check_again(self) -> None:
        """Have the job file's reader look at the draft, and soon the thread ahead."""
        job_id = self.job_id or self.proposed_id
        path = self.context.places.job_file(job_id)
        self.state = check(self.text(), path, job_id)
        if self.state.job is None or self.state.job.items is None:
            self.listing = None
            self._list_looker.forget()
        self._timer.start()
        self.checked.emit()

    def touch(self, keys: Iterable[str]) -> None:
        """Note that a field was left: what is missing in it is told from now on."""
        if not self._touched.issuperset(keys):
            self._touched.update(keys)
            self.checked.emit()

    def show_faults_of(self, keys: Iterable[str]) -> None:
        """Tell all that is wrong with those fields: the step is about to be left."""
        self.touch(keys)

    def complaint_about(self, keys: Iterable[str]) -> BirkezError | None:
        """First fault of those keys that is told; what is merely missing yet is not."""
        for key in keys:
            found = self.state.faults.get(key)
            if found is not None and (self.is_all_shown or key in self._touched or found.code not in _MISSING):
                return found
        return None

    def is_right(self, keys: Iterable[str]) -> bool:
        """Tell whether those fields have no fault, told or not."""
        return not any(key in self.state.faults for key in keys)

    def stop(self) -> None:
        """Look ahead no more."""
        self._timer.stop()
        self._reader.stop()

    def _ask(self) -> None:
        self._reader.ask()
        job = self.state.job
        if job is not None and job.items is not None:
            self._list_looker.ask(job, self.text())

    def _on_listed(self, listing: Listing) -> None:
        job = self.state.job
        if job is not None and job.items is not None:
            self.listing = listing
            self.listed.emit()

    def _look(self) -> Ahead:
        job, draft = self.state.job, copy(self.draft)
        there = {path: os.path.exists(path) for path in _paths_of(draft) if path}
        adds_only = draft.kind == "sql" and _adds_only(draft.script.strip())
        if job is None:
            return Ahead(None, None, there, adds_only)
        if job.items is not None:
            return Ahead(None, None, there, of_list=look_at_list_ahead(self.context.places, job))
        try:
            return Ahead(look_ahead(self.context.places, job, self.standing), None, there, adds_only)
        except BirkezError as error:
            return Ahead(None, error, there, adds_only)

    def _on_looked(self, ahead: Ahead) -> None:
        is_empty = ahead.outlook is None and ahead.of_list is None
        if is_empty and self.state.job is not None and ahead.error is None:
            return  # an older answer
        self.ahead = ahead
        self.looked_ahead.emit()


_MISSING = ("job-text-empty", "job-command-missing", "job-list-empty", "job-callable-malformed")


def system_zone() -> str:
    """IANA name of this computer's time zone."""
    return bytes(QTimeZone.systemTimeZoneId().data()).decode("ascii", "replace") or "UTC"


def _paths_of(draft: Draft) -> tuple[str, ...]:
    if draft.kind in ("command", "download"):
        return (draft.cwd.strip(),) if draft.kind == "command" else ()
    return (draft.database.strip(), draft.script.strip() if draft.kind == "sql" else draft.file.strip())


def _adds_only(path: str) -> bool:
    """Tell whether a script adds rows and removes none: it would double what a reopened period did."""
    try:
        with open(path, "rb") as file:
            text = file.read(_MOST_OF_SCRIPT).lower()
    except OSError:
        return False
    return b"insert" in text and not any(word in text for word in (b"delete", b"replace", b"on conflict"))


def _standing_of(state: JobState) -> Standing | None:
    if state.survey is None or state.survey.done_up_to is None:
        return None
    rows = (Recorded(row.start, row.end, row.state, row.key) for row in state.unsettled)
    return Standing(state.survey.done_up_to, tuple(rows))
