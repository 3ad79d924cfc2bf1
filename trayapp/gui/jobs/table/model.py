"""The jobs as a table model: what each cell shows, and which jobs are in it. Draws nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QPersistentModelIndex, Qt

from trayapp.gui.jobs.words import short_status
from trayapp.gui.state.snapshot import KINDS, NEEDING, RESTING
from trayapp.gui.state.words import many, next_words
from trayapp.history.records import fold
from trayapp.wording.mark import N_, NN_
from trayapp.wording.numbers import show_number
from trayapp.wording.speech import _, say

if TYPE_CHECKING:
    from datetime import datetime

    from trayapp.gui.state.snapshot import JobState, Snapshot

Chip = Literal["all", "needing", "running", "paused"]
CHIPS: tuple[Chip, ...] = ("all", "needing", "running", "paused")
JOB, WAITING, NEXT, RUN = range(4)
STATE_ROLE = int(Qt.ItemDataRole.UserRole)
_HEADS = (N_("Job"), N_("Waiting"), N_("Next"), "")
_ALIGNED = {WAITING: Qt.AlignmentFlag.AlignHCenter, NEXT: Qt.AlignmentFlag.AlignRight}
_AnyIndex = QModelIndex | QPersistentModelIndex
_NO_INDEX = QModelIndex()


class JobsModel(QAbstractTableModel):
    """Jobs that match chip and search. Sorted on request alone: nothing moves under the pointer."""

    def __init__(self) -> None:
        super().__init__()
        self._snapshot: Snapshot | None = None
        self._order: list[str] = []  # of all jobs
        self._shown: list[JobState] = []
        self._chip: Chip = "all"
        self._search = ""

    def show_snapshot(self, snapshot: Snapshot, *, sort: bool = False) -> None:
        """Show the jobs as they are now; *sort* brings those first that need a person."""
        self._snapshot = snapshot
        known = {job.id for job in snapshot.jobs}
        self._order = [job_id for job_id in self._order if job_id in known]
        if sort or len(self._order) < len(known):
            jobs = sorted(snapshot.jobs, key=lambda job: (KINDS.index(job.kind), job.title.casefold()))
            self._order = [job.id for job in jobs]
        self._filter()

    def narrow(self, chip: Chip, search: str) -> None:
        """Show those jobs alone that *chip* means and in whose name or state *search* is found."""
        self._chip, self._search = chip, fold(search.strip())
        self._filter()

    def count(self, chip: Chip) -> int:
        """How many jobs *chip* means, whatever is searched for."""
        return sum(_is_meant(chip, job) for job in self._snapshot.jobs) if self._snapshot else 0

    def job(self, row: int) -> JobState | None:
        """Job in that row."""
        return self._shown[row] if 0 <= row < len(self._shown) else None

    def row_of(self, job_id: str) -> int:
        """Row of that job; -1 where it is not shown."""
        return next((row for row, job in enumerate(self._shown) if job.id == job_id), -1)

    def write_again(self) -> None:
        """Let every cell be written anew: another language, other colours, a second later."""
        if self._shown:
            self.dataChanged.emit(self.index(0, 0), self.index(len(self._shown) - 1, RUN))
        self.headerDataChanged.emit(Qt.Orientation.Horizontal, 0, RUN)

    def _filter(self) -> None:
        if self._snapshot is None:
            return
        jobs = {job.id: job for job in self._snapshot.jobs}
        shown = [jobs[job_id] for job_id in self._order if self._is_shown(jobs[job_id])]
        if [job.id for job in shown] == [job.id for job in self._shown]:
            changed = [row for row, job in enumerate(shown) if job != self._shown[row]]
            self._shown = shown
            for row in changed:
                self.dataChanged.emit(self.index(row, 0), self.index(row, RUN))
            return
        self.beginResetModel()
        self._shown = shown
        self.endResetModel()

    def _is_shown(self, job: JobState) -> bool:
        if not _is_meant(self._chip, job):
            return False
        return not self._search or self._search in fold(f"{job.title} {job.id} {short_status(job, self._now)}")

    @property
    def _now(self) -> datetime:
        assert self._snapshot is not None
        return self._snapshot.at

    def rowCount(self, parent: _AnyIndex = _NO_INDEX) -> int:
        return 0 if parent.isValid() else len(self._shown)

    def columnCount(self, parent: _AnyIndex = _NO_INDEX) -> int:
        return 0 if parent.isValid() else len(_HEADS)

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole) -> Any:  # noqa: ANN401  # Qt's
        if orientation != Qt.Orientation.Horizontal:
            return None
        if role == Qt.ItemDataRole.DisplayRole:
            return _(_HEADS[section]) if _HEADS[section] else ""
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return _ALIGNED.get(section, Qt.AlignmentFlag.AlignLeft) | Qt.AlignmentFlag.AlignVCenter
        return None

    def data(self, index: _AnyIndex, role: int = Qt.ItemDataRole.DisplayRole) -> Any:  # noqa: ANN401  # Qt's
        job = self.job(index.row())
        if job is None:
            return None
        if role == STATE_ROLE:
            return job
        if role == Qt.ItemDataRole.DisplayRole:
            return self._cell(job, index.column())
        if role in (Qt.ItemDataRole.AccessibleTextRole, Qt.ItemDataRole.ToolTipRole):
            return self._sentence(job, index.column())
        return None

    def _cell(self, job: JobState, column: int) -> str:
        if column == JOB:
            return job.title
        if column == WAITING:
            return show_number(job.waiting) if job.waiting else ""
        return next_words(job, self._now) if column == NEXT else ""

    def _sentence(self, job: JobState, column: int) -> str:
        if column == JOB:
            return f"{job.title}: {short_status(job, self._now)}"
        if column == WAITING:
            forms = NN_("{count:number} period waits", "{count:number} periods wait")
            return many(forms, job.waiting) if job.waiting else _("No period waits")
        if column == NEXT:
            return say("Next start: {at}", at=job.next_at) if job.next_at else _("No start is planned")
        return say("Run now: {title}", title=job.title)


def _is_meant(chip: Chip, job: JobState) -> bool:
    if chip == "needing":
        return job.kind in NEEDING
    if chip == "running":
        return job.kind == "running"
    return job.kind in RESTING if chip == "paused" else True
