"""The one place that knows the jobs' state: gathers what the readers read, and tells each change.

Nothing is polled at rest. While a job holds its lock a slow timer looks at the locks, since
a runner that is killed tells nobody; one timer waits for the next moment at which
something changes by the clock alone (a start that did not come, a pause that ends).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Qt, QTimer, Signal

from trayapp import clock
from trayapp.gui.state import reading
from trayapp.gui.state.judging import Told, fresh_survey, judge, next_turn
from trayapp.gui.state.reader import Reader
from trayapp.gui.state.snapshot import Snapshot
from trayapp.lock.holder import LockState
from trayapp.patience import NEVER

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from datetime import datetime

    from trayapp.gui.commands import Commands, Done
    from trayapp.gui.state.reading import FilesRead, HistoryRead, LocksRead
    from trayapp.gui.state.snapshot import JobState, Survey
    from trayapp.gui.state.watcher import Watcher
    from trayapp.places import Places

_HELD_LOOK_MS = 1000
_SURVEY_WAIT_MS = 400  # a run that ended writes its last rows
_LOOK_AT_LEFT_EVERY = 3  # ticks: a look starts a process
_LONGEST_TIMER_MS = 24 * 3600 * 1000


class Store(QObject):
    """Tells the jobs' state: `changed` with each new `Snapshot`, `ticked` each second while a job runs."""

    changed = Signal(object)
    ticked = Signal()
    history_read = Signal()  # somebody wrote to history, also what changes no job's state

    def __init__(self, places: Places, watcher: Watcher, commands: Commands, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._places = places
        self._commands = commands
        self._watcher = watcher
        self._tick = 0  # of the timer while somebody works
        self.snapshot = Snapshot(clock.now())
        self._files: FilesRead | None = None
        self._locks: LocksRead | None = None
        self._history: HistoryRead | None = None
        self._surveys: Mapping[str, Survey] = {}
        self._is_surveying = self._is_survey_wanted = self._is_surveyed = False
        self._file_reader = Reader("files", lambda _names: reading.read_files(places), self)
        self._lock_reader = Reader("locks", lambda names: reading.read_locks(places, names), self)
        self._history_reader = Reader("history", lambda _names: reading.read_history(places), self)
        self._held_timer = self._timer(self._on_held_timer, _HELD_LOOK_MS, repeats=True)
        self._turn_timer = self._timer(self._compose, 0)
        self._survey_timer = self._timer(self._survey, _SURVEY_WAIT_MS)
        self._file_reader.was_read.connect(self._on_files)
        self._lock_reader.was_read.connect(self._on_locks)
        self._history_reader.was_read.connect(self._on_history)
        watcher.jobs_changed.connect(self._file_reader.ask)
        watcher.locks_changed.connect(self._look_at_locks)
        watcher.items_changed.connect(self._on_items)
        watcher.history_changed.connect(self._history_reader.ask)

    def start(self) -> None:
        """Read everything, and go on by what changes."""
        for reader in (self._file_reader, self._lock_reader, self._history_reader):
            reader.start()
        self.read_again()

    def stop(self) -> None:
        """Read no more."""
        for reader in (self._file_reader, self._lock_reader, self._history_reader):
            reader.stop()
        for timer in (self._held_timer, self._turn_timer, self._survey_timer):
            timer.stop()

    def read_again(self) -> None:
        """Read everything anew (F5)."""
        self._watcher.start()
        self._history_reader.ask()
        self._file_reader.ask()
        self.survey_soon()

    def survey_soon(self) -> None:
        """Have `birkez status` look at the ledgers, which alone knows what waits; a view that opens asks for it."""
        self._is_survey_wanted = True
        if not self._survey_timer.isActive():
            self._survey_timer.start()

    def _look_at_locks(self) -> None:
        if self._files is not None and self._files.files:
            self._lock_reader.ask(self._files.files)

    def _on_items(self) -> None:
        """A worker came or went, or failures were forgotten; while somebody works the timer looks anyway."""
        if not self.snapshot.is_running:
            self._look_at_locks()
            self.survey_soon()

    def _on_files(self, read: FilesRead) -> None:
        self._files = read
        self.survey_soon()
        if read.files:
            self._look_at_locks()  # composed with what they say
        else:
            self._compose()

    def _on_locks(self, read: LocksRead) -> None:
        before = _working(self.snapshot)
        self._locks = read
        self._compose()
        if before - _working(self.snapshot):
            self.survey_soon()

    def _on_history(self, read: HistoryRead) -> None:
        self.history_read.emit()
        needs_look = any(run.outcome in ("failed", "uncertain") for run in read.last.values())
        if self._history is not None and (needs_look or self.snapshot.needing):
            self.survey_soon()  # a decision leaves no run, only the change of a period
        if read != self._history:
            self._history = read
            self._compose()

    def _survey(self) -> None:
        if self._is_surveying:
            return  # one is on its way; the wish stands
        self._is_surveying, self._is_survey_wanted = True, False
        begun_at = clock.now()
        self._commands.ask(["status", "--json"], lambda done: self._on_survey(done, begun_at))

    def _on_survey(self, done: Done, begun_at: datetime) -> None:
        self._is_surveying, self._is_surveyed = False, True
        told = done.json()
        if "jobs" in told:
            self._surveys = reading.read_survey(told, begun_at)
        self._compose()
        if self._is_survey_wanted:
            self._survey_timer.start()

    def _compose(self) -> None:
        """Put together what was read, and tell it when it is another than before."""
        if self._files is None or self._history is None:
            return
        now = clock.now()
        every = [self._told(job_id) for job_id in self._files.files]
        jobs = tuple(judge(told, now) for told in every)
        self._wait_for_turn([turn for told in every if (turn := next_turn(told, now))], now)
        before, self.snapshot = (
            self.snapshot,
            Snapshot(now, jobs, self._files.trouble, is_read=True, is_surveyed=self._is_surveyed),
        )
        self._watch_held(is_held=self.snapshot.is_running or any(map(_is_left, jobs)))
        if before._replace(at=now) != self.snapshot:
            late = {job.id for job in before.jobs if job.kind == "late"}
            if any(job.kind == "late" and job.id not in late for job in jobs):
                self.survey_soon()  # which knows whether the scheduler's entry is the reason
            self.changed.emit(self.snapshot)

    def _told(self, job_id: str) -> Told:
        assert self._files is not None
        idle = LockState("idle")
        told = Told(self._files.files[job_id], self._locks.locks.get(job_id, idle) if self._locks else idle)
        if self._locks is not None:
            told.pause, told.progress = self._locks.pauses.get(job_id), self._locks.progress.get(job_id)
        if self._history is not None:
            told.last, told.streak = self._history.last.get(job_id), self._history.streaks.get(job_id, 0)
            told.failure = self._history.failures.get(job_id, "")
            told.success = self._history.successes.get(job_id)
            told.warn_after = self._files.warn_after if self._history.trouble is None else NEVER
        told.survey = fresh_survey(self._surveys.get(job_id), told.last)
        return told

    def _watch_held(self, *, is_held: bool) -> None:
        if is_held and not self._held_timer.isActive():
            self._held_timer.start()
        elif not is_held:
            self._held_timer.stop()

    def _on_held_timer(self) -> None:
        self._look_at_locks()
        self._tick += 1
        if self._tick % _LOOK_AT_LEFT_EVERY == 0 and any(_is_left(job) for job in self.snapshot.jobs):
            self.survey_soon()  # no file tells the end of a command whose run is gone
        self.ticked.emit()

    def _wait_for_turn(self, turns: list[datetime], now: datetime) -> None:
        ahead = min(turns, default=None)
        if ahead is None:
            self._turn_timer.stop()
            return
        wait_ms = int((ahead - now).total_seconds() * 1000) + 1000
        self._turn_timer.start(min(wait_ms, _LONGEST_TIMER_MS))

    def _timer(self, slot: Callable[[], None], interval_ms: int, *, repeats: bool = False) -> QTimer:
        timer = QTimer(self)
        timer.setSingleShot(not repeats)
        timer.setInterval(interval_ms)
        timer.setTimerType(Qt.TimerType.CoarseTimer)
        timer.timeout.connect(slot)
        return timer

    def state_of(self, job_id: str) -> JobState | None:
        """State of one job."""
        return self.snapshot.job(job_id)


def _is_left(job: JobState) -> bool:
    """Tell whether a command goes on whose run has ended."""
    return job.survey is not None and job.survey.is_left_running and job.lock.state != "held"


def _working(snapshot: Snapshot) -> set[str]:
    return {job.id for job in snapshot.jobs if job.lock.state == "held" or job.progress is not None}
