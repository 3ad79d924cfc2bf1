"""What one run leaves for people: its log lines and its row in history.

No fire without a line and a row. Both are for people: a failure to write them never
stops a run, and nothing is decided from them.
"""

from __future__ import annotations

import os
import sqlite3

from trayapp import clock, exit_code
from trayapp.errors import BirkezError, SetupError
from trayapp.history.store import ABANDONED, RunRecord, open_history
from trayapp.log import job_log
from trayapp.runner.ledger_copy import copy_ledger
from trayapp.value import NamedTuple
from trayapp.window.grid import Window

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import datetime

    from trayapp.history.store import History
    from trayapp.ledger.ledger import Counts, Ledger, Mark
    from trayapp.lock.holder import Holder
    from trayapp.places import Places
    from trayapp.runner.decision import Wish
    from trayapp.runner.items_run import ItemCounts
    from trayapp.window.catch_up import Recorded

TRIGGER_WORDS = {"manual": "elle", "schedule": "zamanli", "boot": "acilis"}
_LINES_AT_ONCE = 500  # kept until the run's next write; a long catch-up must not grow
_LONG_TRANSACTION_MS = 5_000  # others have waited so long for the database


class Answer(NamedTuple):
    """What came of a run, for whoever started it.

    `outcome` is `done`, `skipped`, `failed`, `uncertain` or `stopped`; `reason` the log's
    word for it (`kilit`, `anahtar mevcut`, an error's code). `is_first_failure`: the first
    failure of its window, or of a streak of scheduled runs. `untold` is why log or history
    could not be written, though the run went on.
    """

    run: str
    exit_status: int
    outcome: str
    reason: str = ""
    windows: int = 0
    new_count: int = 0
    repeated_count: int = 0
    waiting: int = 0
    next_at: datetime | None = None
    holder: Holder | None = None
    error: BirkezError | None = None
    key: str = ""
    is_first_failure: bool = False
    untold: BirkezError | None = None
    watermark: datetime | None = None
    items: ItemCounts | None = None


class Record:
    """One run's record, growing as the run goes on; with *carried*, of a run that another process began."""

    def __init__(
        self, places: Places, wish: Wish, started_at: datetime, carried: tuple[str, int, int, int, bool] | None = None
    ) -> None:
        self.run = f"{started_at:%Y%m%d-%H%M%S}-{os.urandom(4).hex()}"
        self.windows = 0
        self.new_count = 0
        self.repeated_count = 0
        self._has_counts = False
        if carried is not None:
            self.run, self.windows, self.new_count, self.repeated_count, self._has_counts = carried
        self.started_at = started_at
        self._places = places
        self._wish = wish
        self._log = job_log.JobLog(places.log_file(wish.job))
        self._lines: list[tuple[datetime, str, str]] = []
        self._history: History | None = None
        self._attempt = 0  # of the window that ended the run, where one did
        self._unlogged: BirkezError | None = None  # why a line is missing in the log
        self._untold: BirkezError | None = None  # why something is missing in history

    def done(self, window: Window, key: str, did: Counts, duration_ms: int) -> None:
        """Note a window that took effect: an `ISLENDI` line; a transaction open for long is marked."""
        self.windows, self._has_counts = self.windows + 1, True
        self.new_count += did.new or 0
        self.repeated_count += did.repeated or 0
        long = duration_ms if duration_ms > _LONG_TRANSACTION_MS and did.new is not None else None
        counts = (("kayit", did.new), ("tekrar", did.repeated), ("sure_ms", duration_ms), ("uzun_islem_ms", long))
        self.line(job_log.ISLENDI, *window_fields(window, key), result=counts)

    def count_items(self, counts: ItemCounts) -> None:
        """Let history know how many items the run made, and how many had been made before."""
        self.new_count, self.repeated_count, self._has_counts = counts.made, counts.before, True

    def line(self, token: str, *what: tuple[str, object], result: tuple[tuple[str, object], ...] = ()) -> None:
        """Write one line to the job's log at once, and keep it for history."""
        at = clock.now()
        started_by = (("tetik", TRIGGER_WORDS[self._wish.trigger]), ("kosum", self.run))
        text = job_log.format_line(at, token, (("is", self._wish.job), *what, *started_by, *result))
        refused = self._log.write(text)
        if refused is not None:
            path, reason = self._places.log_file(self._wish.job), refused.strerror or str(refused)
            self._unlogged = SetupError("log-unwritable", path=path, reason=reason)
        self._lines.append((at, token, text))
        if len(self._lines) >= _LINES_AT_ONCE:
            self._write_run("running")

    def skip(self, reason: str, *fields: tuple[str, object]) -> None:
        """Note that nothing was done, and why: an `ATLANDI` line."""
        self.line(job_log.ATLANDI, ("sebep", reason), *fields)

    def failed(self, error: BirkezError, window: Window | None = None, key: str = "", attempt: int = 0) -> None:
        """Note what stopped the run: a `HATA` line with the error's code and sentence."""
        self._trouble(job_log.HATA, error, window, key, attempt)

    def uncertain(self, error: BirkezError, window: Window, key: str, attempt: int) -> None:
        """Note a window that began and may or may not have finished: a `BELIRSIZ` line."""
        self._trouble(job_log.BELIRSIZ, error, window, key, attempt)

    def blocked(self, row: Recorded, waiting: int) -> Answer:
        """Close a run that an uncertain window stops: a person has to decide first."""
        fields = (*window_fields(Window(row.start, row.end), row.key), ("bekleyen", waiting))
        self.skip("belirsiz", *fields)
        return self.finish("uncertain", exit_code.UNCERTAIN, "belirsiz", waiting, key=row.key)

    def broke(self, error: BirkezError) -> Answer:
        """Close a run that the environment or the job file stopped."""
        self.failed(error)
        return self.finish("failed", error.exit_status, error.code, error=error)

    def misasked(self, error: BirkezError) -> Answer:
        """Close a run that was asked for what cannot be: nothing failed, the words were wrong."""
        self.skip(error.code)
        return self.finish("skipped", error.exit_status, error.code, error=error)

    def stopped(self, signal_number: int, waiting: int = 0) -> Answer:
        """Close a run that was told to stop by a signal: what it had open was taken back."""
        self.line(job_log.HATA, ("sebep", "durduruldu"), ("sinyal", signal_number))
        return self.finish("stopped", exit_code.STOPPED_BY_SIGNAL + signal_number, "durduruldu", waiting)

    def bug(self, bug: Exception) -> Answer:
        """Close a run that a bug of ours ended."""
        self.line(job_log.HATA, ("sebep", "bug"), result=(("ileti", repr(bug)),))
        return self.finish("failed", exit_code.BUG, "bug")

    def begin_work(self) -> None:
        """Show the run in history while it works, so that people see it and its kill."""
        history = self._open_history()
        if history is not None:
            self._guarded(lambda: self._tell_cut_off(history))
        self._write_run("running")

    def _tell_cut_off(self, history: History) -> None:
        """Note runs that ended without a word of their own: killed, or left by `os._exit`."""
        unfinished = history.unfinished_runs(self._wish.job, self.run)
        if not unfinished:
            return
        from trayapp.runner.ended import ends_in_log, outcome_of  # noqa: PLC0415  # hardly ever

        ends = ends_in_log(self._places.log_file(self._wish.job), unfinished)
        for run in unfinished:
            if run in ends:
                history.end_run(run, outcome_of(ends[run]), ends[run].fields.get("sebep", ""), ends[run].at)
            else:
                self.line(job_log.HATA, ("sebep", ABANDONED), ("kesilen", run))
        history.end_abandoned_runs(self._wish.job, self.run)

    def copy_ledger(self, ledger: Ledger, mark: Mark | None) -> None:
        """Copy what the ledger has that history has not, a killed run's windows included."""
        history = self._open_history()
        if history is None or mark is None:
            return
        job, identity = self._wish.job, mark.identity
        self._guarded(lambda: copy_ledger(history, ledger, identity, job))

    def finish(self, outcome: str, exit_status: int, reason: str = "", waiting: int = 0, **facts: object) -> Answer:
        """Write the run's row in history; returns the answer for who started the run."""
        is_first = outcome in ("failed", "uncertain", "stopped") and (
            self._attempt == 1 or self._last_scheduled_end() != outcome
        )
        self._write_run(outcome, reason, waiting, exit_status)
        answer = Answer(
            self.run,
            exit_status,
            outcome,
            reason,
            self.windows,
            self.new_count,
            self.repeated_count,
            waiting,
            is_first_failure=is_first,
            untold=self._unlogged or self._untold,
        )
        return answer._replace(**facts)  # type: ignore[arg-type]

    def carried(self) -> tuple[str, int, int, int, bool]:
        """What another process needs to go on with this record."""
        return self.run, self.windows, self.new_count, self.repeated_count, self._has_counts

    def change_thread(self) -> None:
        """Go on in another thread of the same process: an SQLite connection stays with its own."""
        self._history = None

    def close(self) -> None:
        """Let go of history; a run that did something leaves it checkpointed."""
        history, self._history = self._history, None
        if history is None:
            return
        if self._has_counts:
            self._guarded(lambda: _forget_old_runs(history, self._places))
        self._guarded(history.close if self._has_counts else history.leave)

    def _write_run(self, outcome: str, reason: str = "", waiting: int = 0, exit_status: int | None = None) -> None:
        history, lines = self._open_history(), self._lines
        if history is not None:
            ended_at = None if outcome == "running" else clock.now()
            record = self._run_record(ended_at, outcome, reason, waiting, exit_status)
            self._guarded(lambda: history.add_run(record, lines=lines))
        self._lines = []

    def _trouble(self, token: str, error: BirkezError, window: Window | None, key: str, attempt: int) -> None:
        from trayapp.wording.speech import sentence  # noqa: PLC0415  # only a run with trouble speaks

        self._attempt = attempt
        where = window_fields(window, key) if window else ()
        tries = (("deneme", attempt),) if attempt else ()
        self.line(token, *where, ("sebep", error.code), *tries, result=(("ileti", sentence(error)),))

    def _run_record(
        self, ended_at: datetime | None, outcome: str, reason: str, waiting: int, exit_status: int | None = None
    ) -> RunRecord:
        counted = self._has_counts
        return RunRecord(
            run=self.run,
            job=self._wish.job,
            trigger=self._wish.trigger,
            pid=os.getpid(),
            started_at=self.started_at,
            ended_at=ended_at,
            outcome=outcome,
            reason=reason,
            windows=self.windows,
            new_count=self.new_count if counted else None,
            repeated_count=self.repeated_count if counted else None,
            waiting=waiting,
            exit_status=exit_status,
        )

    def _last_scheduled_end(self) -> str | None:
        history = self._open_history()
        try:
            return None if history is None else history.last_scheduled_end(self._wish.job)
        except BirkezError:
            return None  # better one mail too many than none

    def _open_history(self) -> History | None:
        if self._history is None:
            try:
                self._history = open_history(self._places.history_db)
            except BirkezError as error:
                self._untold = error  # `doctor` tells it too; the text log has the lines all the same
                return None
        return self._history

    def _guarded(self, work: Callable[[], object]) -> None:
        try:
            work()
        except (sqlite3.Error, BirkezError, OSError) as error:
            # History is for people: full, locked or damaged, it must not stop a run.
            self._untold = error if isinstance(error, BirkezError) else self._untold
            self._history = None


def window_fields(window: Window, key: str) -> tuple[tuple[str, object], ...]:
    """The two log fields that name a window."""
    bounds = f"{clock.format_instant(window.start)}/{clock.format_instant(window.end)}"
    return (("pencere", bounds), ("anahtar", key))


def _forget_old_runs(history: History, places: Places) -> None:
    from trayapp.history.retention import maintain_if_due  # noqa: PLC0415  # once a day, and only after work

    maintain_if_due(history, places, clock.now())
