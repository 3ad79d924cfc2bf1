"""What is known of all jobs at one moment, as values. Nothing here reads or draws."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from trayapp.value import NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime

    from trayapp.errors import BirkezError
    from trayapp.fan_out.progress import Progress
    from trayapp.history.records import RunRecord
    from trayapp.history.success import Quiet
    from trayapp.job.model import Job
    from trayapp.job.pause import Pause
    from trayapp.lock.holder import LockState

# In the order in which they worry a person; of all jobs the first one that is found decides the tray's icon.
Kind = Literal["broken", "failed", "uncertain", "trigger", "late", "running", "unknown", "paused", "disabled", "well"]
KINDS: tuple[Kind, ...] = (
    "broken",
    "failed",
    "uncertain",
    "trigger",
    "late",
    "running",
    "unknown",
    "paused",
    "disabled",
    "well",
)
FAILING: frozenset[Kind] = frozenset(("broken", "failed"))
NEEDING: frozenset[Kind] = frozenset(("broken", "failed", "uncertain", "trigger", "late"))
RESTING: frozenset[Kind] = frozenset(("paused", "disabled"))


BROKEN_ENTRIES = frozenset(("missing", "disabled", "edited", "moved", "stopped", "not-sayable"))


class TriggerHealth(NamedTuple):
    """A job's entry in the scheduler: a state of `trigger.health`, what is wrong, `birkez` words that mend it."""

    state: str
    message: str = ""
    scheduler: str = ""
    remedy: tuple[str, ...] = ()

    @property
    def is_broken(self) -> bool:
        """Tell whether the scheduler does not start the job as it should."""
        return self.state in BROKEN_ENTRIES


class Unsettled(NamedTuple):
    """A period that has begun and is not settled: `state` is started, failed or uncertain."""

    key: str
    start: datetime
    end: datetime
    state: str
    attempt: int
    reason: str


class ItemCounts(NamedTuple):
    """How the list of a job with items stands; `refused` are lines that cannot be used."""

    total: int
    done: int
    failed: int
    waiting: int
    refused: int


class Survey(NamedTuple):
    """What `birkez status` found out about a job: that alone opens the job's ledger.

    `problem` is what a run would stop with, in words. `is_left_running`: its run has
    ended, the command that it started has not. A run that ended after *at* made it old.
    `items` of a job with items alone.
    """

    at: datetime | None = None
    waiting: int = 0
    done_up_to: datetime | None = None
    next_at: datetime | None = None
    unsettled: tuple[Unsettled, ...] = ()
    problem: str = ""
    is_left_running: bool = False
    trigger: TriggerHealth | None = None
    items: ItemCounts | None = None


class JobFile(NamedTuple):
    """A job as its file says; `error` instead of `job` when the file is broken."""

    id: str
    job: Job | None
    error: BirkezError | None
    changed_at: datetime

    @property
    def title(self) -> str:
        """Name for people."""
        return (self.job.title if self.job else "") or self.id


class JobState(NamedTuple):
    """What is known of one job; what is None is not known or not there.

    `next_at` is its schedule's next fire, `late_since` one that did not come, `streak` how
    many runs failed in a row and `failure` what the last of them said. `last` is the newest
    run that was no mere look at a lock or a pause. `progress` is there while workers go
    through the job's list, with or without a run. `quiet` is a job without a success for too long.
    """

    file: JobFile
    kind: Kind
    lock: LockState
    pause: Pause | None = None
    last: RunRecord | None = None
    next_at: datetime | None = None
    late_since: datetime | None = None
    streak: int = 0
    failure: str = ""
    survey: Survey | None = None
    progress: Progress | None = None
    quiet: Quiet | None = None

    @property
    def id(self) -> str:
        """Permanent id."""
        return self.file.id

    @property
    def title(self) -> str:
        """Name for people."""
        return self.file.title

    @property
    def has_items(self) -> bool:
        """Tell whether it works through a list instead of periods."""
        return self.file.job is not None and self.file.job.items is not None

    @property
    def waiting(self) -> int:
        """Closed periods that wait, as far as the newest source knows."""
        if self.survey is not None:
            return self.survey.waiting
        return self.last.waiting if self.last else 0

    @property
    def uncertain(self) -> Unsettled | None:
        """Oldest period that waits for a person's decision."""
        return next((row for row in self.unsettled if row.state == "uncertain"), None)

    @property
    def unsettled(self) -> tuple[Unsettled, ...]:
        """Periods that began and are not settled."""
        return self.survey.unsettled if self.survey else ()

    @property
    def trigger(self) -> TriggerHealth | None:
        """How the scheduler's entry is; None while nobody has looked."""
        return self.survey.trigger if self.survey else None


class Snapshot(NamedTuple):
    """All jobs at one moment. What is not read or surveyed yet is not known."""

    at: datetime
    jobs: tuple[JobState, ...] = ()
    trouble: BirkezError | None = None  # why the jobs could not be read
    is_read: bool = False
    is_surveyed: bool = False

    def job(self, job_id: str) -> JobState | None:
        """State of that job; None when there is no such job."""
        return next((job for job in self.jobs if job.id == job_id), None)

    @property
    def worst(self) -> Kind:
        """Worst state of all jobs, by the order of `KINDS`."""
        if self.trouble is not None:
            return "broken"
        return min((job.kind for job in self.jobs), key=KINDS.index, default="well")

    @property
    def counts(self) -> Mapping[Kind, int]:
        """How many jobs are in each state."""
        kinds = [job.kind for job in self.jobs]
        return {kind: kinds.count(kind) for kind in KINDS if kind in kinds}

    @property
    def needing(self) -> int:
        """How many jobs a person should look at."""
        return sum(job.kind in NEEDING for job in self.jobs)

    @property
    def is_running(self) -> bool:
        """Tell whether some job holds its lock, or has workers on its list."""
        return any(job.lock.state == "held" or job.progress is not None for job in self.jobs)
