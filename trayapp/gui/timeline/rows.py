"""Which jobs the timeline shows in which order, what is read of each, and what is asked for next."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

from trayapp import clock
from trayapp.gui.state.snapshot import KINDS
from trayapp.gui.timeline.strip.reading import Strip, Wish, read_strip
from trayapp.value import NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable

    from trayapp.gui.history.desk import Desk
    from trayapp.gui.state.snapshot import JobState, Snapshot
    from trayapp.gui.timeline.strip.reading import Mark, Period
    from trayapp.gui.timeline.strip.scale import Scale
    from trayapp.job.model import Job

_BESIDE = 1.0  # spans that are read to the left and right of what is seen, so that dragging finds them there


class Problem(NamedTuple):
    """A period that a person should look at."""

    job: str
    start_s: float
    end_s: float


class Spot(NamedTuple):
    """What is at a place: a row, and there a period or a run."""

    row: int
    period: Period | None = None
    mark: Mark | None = None


class Rows(QObject):
    """The jobs as rows; `came` when another strip of one of them was read."""

    came = Signal(str)

    def __init__(self, desk: Desk, parent: QObject) -> None:
        super().__init__(parent)
        self._desk = desk
        self.jobs: list[JobState] = []
        self._strips: dict[str, Strip] = {}
        self._stale: set[str] = set()
        self._asked: dict[str, Wish] = {}
        desk.failed.connect(lambda _error: self._asked.clear())

    def show(self, snapshot: Snapshot, *, sort: bool) -> None:
        """Take over the jobs: sorted by need where *sort*, else each in its place and new ones at the end."""
        readable = {job.id: job for job in snapshot.jobs if job.file.job is not None}
        before = {job.id: job for job in self.jobs}
        kept = [readable[job_id] for job_id in before if job_id in readable and not sort]
        known = {job.id for job in kept}
        new = sorted(
            (job for job in readable.values() if job.id not in known),
            key=lambda job: (KINDS.index(job.kind), job.title.casefold()),
        )
        self.jobs = [*kept, *new]
        for job in self.jobs:
            old = before.get(job.id)
            if old is None or (old.survey, old.file) != (job.survey, job.file):
                self._stale.add(job.id)

    def doubt(self) -> None:
        """Have everything read again; shown as it is till then."""
        self._stale.update(job.id for job in self.jobs)

    def strip(self, job_id: str) -> Strip | None:
        """What is known of a job's strip; of another stretch or detail than asked for, it may be."""
        return self._strips.get(job_id)

    def want(self, rows: Iterable[int], scale: Scale) -> None:
        """Read what is missing of these rows at that scale."""
        for row in rows:
            state = self.jobs[row]
            job = state.file.job
            if job is not None and not self._is_known(state.id, scale):
                self._ask(state, job, scale)

    def problems(self) -> list[Problem]:
        """Periods that need a person, row by row; of those that wait the first."""
        found: list[Problem] = []
        for job in self.jobs:
            found += [Problem(job.id, row.start.timestamp(), row.end.timestamp()) for row in job.unsettled]
            survey = job.survey
            if not job.unsettled and job.waiting and survey is not None and survey.done_up_to is not None:
                start_s = survey.done_up_to.timestamp()
                found.append(Problem(job.id, start_s, start_s + 1))
        return found

    def _is_known(self, job_id: str, scale: Scale) -> bool:
        if job_id in self._stale:
            return False
        wish = self._asked.get(job_id)
        if wish is None and job_id in self._strips:
            wish = self._strips[job_id].wish
        if wish is None:
            return False
        covers = wish.since.timestamp() <= scale.since_s and scale.until_s <= wish.until.timestamp()
        return covers and wish.second_per_px == scale.second_per_px

    def _ask(self, state: JobState, job: Job, scale: Scale) -> None:
        self._stale.discard(state.id)
        beside = scale.span_s * _BESIDE
        survey = state.survey
        wish = Wish(
            job,
            clock.from_epoch(scale.since_s - beside),
            clock.from_epoch(scale.until_s + beside),
            scale.second_per_px,
            clock.now(),
            survey.done_up_to if survey is not None else None,
        )
        self._asked[state.id] = wish
        self._desk.ask(f"strip:{state.id}", partial(read_strip, wish=wish), partial(self._on_read, state.id))

    def _on_read(self, job_id: str, strip: Strip) -> None:
        self._asked.pop(job_id, None)
        known = self._strips.get(job_id)
        if known is not None and _looks_alike(known, strip):
            strip = known._replace(wish=strip.wish) if known.wish != strip.wish else known
        self._strips[job_id] = strip
        self.came.emit(job_id)


def _looks_alike(one: Strip, other: Strip) -> bool:
    same_stretch = (one.wish.since, one.wish.until, one.is_coarse) == (
        other.wish.since,
        other.wish.until,
        other.is_coarse,
    )
    return same_stretch and one.periods == other.periods and one.marks == other.marks
