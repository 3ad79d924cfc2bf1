"""Forgetting old history, so that it does not grow for ever; never a ledger's rows.

Promise: all that is old goes, whatever has piled up, in transactions so short that no
run waits noticeably. The marks up to which ledgers were copied stay, so what was
forgotten does not come back, and what still waits for a person is kept however old.
"""

from __future__ import annotations

import os
import time
from datetime import timedelta

from trayapp import clock
from trayapp.errors import SetupError
from trayapp.history.records import OUTCOMES, TRIGGERS, microseconds
from trayapp.ledger.ledger import UNSETTLED
from trayapp.value import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Callable
    from datetime import datetime
    from typing import TypeVar

    from trayapp.history.store import History
    from trayapp.places import Places

    Result = TypeVar("Result")

_BUDGET_S = 2.0  # of one run's time; what is left goes on at the next run
_RUNS_AT_ONCE, _LINES_AT_ONCE, _WINDOWS_AT_ONCE, _PAGES_AT_ONCE = 250, 1000, 500, 250  # 5 to 30 ms each
_FREE_SHARE = 10  # one page in ten may stay free for the rows to come
_DAY_US = timedelta(days=1) // timedelta(microseconds=1)
_KINDS = f"started_by IN {TRIGGERS!r} AND outcome IN {OUTCOMES!r}"  # the index begins with them


class Purged(NamedTuple):
    """What a purge removed; *is_complete* is false when its time was up before the end."""

    runs: int
    windows: int
    is_complete: bool


def maintain_if_due(history: History, places: Places, now: datetime, budget_s: float = _BUDGET_S) -> Purged | None:
    """Purge by the person's settings at most once a day; None when it is not due.

    For the end of a run that did work: the check is one small query. Without readable
    settings nothing is removed, since how long to keep would be a guess.

    Raises: SetupError `history-unusable`.
    """
    if not _is_due(history, now):
        return None
    from trayapp.settings import read_settings  # noqa: PLC0415  # parses TOML; once a day

    _note_maintenance(history, microseconds(now))
    try:
        days = read_settings(places).history_days
    except SetupError:
        return None  # `doctor` tells it
    purged = purge(history, now - timedelta(days=days), places, budget_s)
    if not purged.is_complete:
        _note_maintenance(history, None)  # the next run goes on
    return purged


def purge(
    history: History, older_than: datetime, places: Places | None = None, budget_s: float | None = None
) -> Purged:
    """Remove runs that started before *older_than*, their lines and output, and settled windows of that age.

    The newest run of each job stays, so that its last result is known. A crash here
    leaves whole rows; the next purge goes on.

    Raises: SetupError `history-unusable`.
    """
    purging = _Purging(history, microseconds(older_than), places, budget_s)
    runs = purging.remove_runs()
    windows = purging.remove_windows()
    purging.remove_lost_output(clock.to_epoch(older_than))
    purging.return_space()
    return Purged(runs, windows, not purging.is_time_up())


class _Purging:
    """One purge: its limits, and pauses in which runs get their turn."""

    def __init__(self, history: History, before: int, places: Places | None, budget_s: float | None) -> None:
        self._history = history
        self._before = before
        self._places = places
        self._deadline = None if budget_s is None else time.monotonic() + budget_s

    def is_time_up(self) -> bool:
        """Tell whether the budget is used up."""
        return self._deadline is not None and time.monotonic() >= self._deadline

    def remove_runs(self) -> int:
        """Remove old runs with their lines and output; returns how many."""
        kept = ", ".join(map(str, self._newest_run_of_each_job()))
        sql = (
            f"SELECT run.id, run.name, job.name FROM run JOIN job ON job.id = run.job WHERE {_KINDS}"  # noqa: S608  # our own words and numbers
            f" AND started_at < ? AND run.id NOT IN ({kept}) LIMIT {_RUNS_AT_ONCE}"
        )
        removed = 0
        while batch := self._history.read(sql, (self._before,)):
            for _, run, job in batch:
                self._remove_output(job, run)  # first, so that a crash leaves no file without a row
            ids = ", ".join(str(run_id) for run_id, *_ in batch)
            while not self._remove_lines_then_runs(ids):
                pass
            removed += len(batch)
            if self.is_time_up():  # not before, so that each purge gets further
                break
        if removed:
            self._history.transact(
                lambda connection: connection.execute(
                    "DELETE FROM day WHERE run_count <= 0 AND day <= ?", (self._before // _DAY_US,)
                )
            )
        return removed

    def remove_windows(self) -> int:
        """Remove old windows that need nobody any more; returns how many."""
        sql = (
            f"DELETE FROM ledger_window WHERE id IN (SELECT id FROM ledger_window WHERE at < ?"  # noqa: S608  # our own words
            f" AND state NOT IN {UNSETTLED!r} LIMIT {_WINDOWS_AT_ONCE})"
        )
        removed = 0
        while True:
            count = self._in_turn(lambda connection: connection.execute(sql, (self._before,)).rowcount)
            removed += count
            if count < _WINDOWS_AT_ONCE or self.is_time_up():
                return removed

    def remove_lost_output(self, before_epoch: int) -> None:
        """Remove old output files that no run points to: their history was set aside."""
        if self._places is None:
            return
        root = os.path.dirname(os.path.dirname(self._places.output_file("job", "run")))
        for folder in _entries(root):
            for file in _entries(folder.path) if folder.is_dir(follow_symlinks=False) else ():
                if self.is_time_up():
                    return
                is_old = file.stat(follow_symlinks=False).st_mtime < before_epoch
                run = file.name.removesuffix(".txt")
                if is_old and not self._history.read("SELECT 1 FROM run WHERE name = ?", (run,)):
                    _try_unlink(file.path)

    def return_space(self) -> None:
        """Give free pages back to the disk, but for a tenth that new rows will take."""
        while not self.is_time_up():
            free, total = (self._history.read(f"PRAGMA {name}")[0][0] for name in ("freelist_count", "page_count"))
            if free * _FREE_SHARE <= total:
                break
            began = time.monotonic()
            self._history.read(f"PRAGMA incremental_vacuum({_PAGES_AT_ONCE})")
            time.sleep(time.monotonic() - began)
            if self._history.read("PRAGMA freelist_count")[0][0] >= free:
                break  # a file that was made without auto_vacuum keeps its pages for new rows
        self._history.read("PRAGMA wal_checkpoint(PASSIVE)")  # shortens the file, waits for nobody

    def _newest_run_of_each_job(self) -> list[int]:
        """Numbers of those among them that would be removed for their age."""
        newest = []
        sql = (
            "SELECT started_at, id FROM run WHERE job = ? AND started_by = ? AND outcome = ?"
            " ORDER BY started_at DESC LIMIT 1"
        )
        for (job,) in self._history.read("SELECT id FROM job"):
            kinds = [(job, trigger, outcome) for trigger in TRIGGERS for outcome in OUTCOMES]
            found = [row for kind in kinds for row in self._history.read(sql, kind)]
            newest += [max(found)] if found else []
        return [run_id for started_at, run_id in newest if started_at < self._before]

    def _remove_lines_then_runs(self, ids: str) -> bool:
        """Remove a part of the runs' lines, or the last of them together with the runs; True when all is gone."""

        def work(connection: sqlite3.Connection) -> bool:
            lines = connection.execute(
                f"DELETE FROM line WHERE (run, number) IN (SELECT run, number FROM line WHERE run IN ({ids})"  # noqa: S608  # numbers
                f" LIMIT {_LINES_AT_ONCE})"
            ).rowcount
            if lines < _LINES_AT_ONCE:
                connection.execute(f"DELETE FROM run WHERE id IN ({ids})")  # noqa: S608  # numbers
            return lines < _LINES_AT_ONCE

        return self._in_turn(work)

    def _in_turn(self, work: Callable[[sqlite3.Connection], Result]) -> Result:
        """Do *work* in a transaction, then pause as long: waiting runs only look now and then."""
        began = time.monotonic()
        result = self._history.transact(work, again=False)
        time.sleep(time.monotonic() - began)
        return result

    def _remove_output(self, job: str, run: str) -> None:
        if self._places is not None:
            _try_unlink(self._places.output_file(job, run))


def _is_due(history: History, now: datetime) -> bool:
    noted = history.read("SELECT value FROM note WHERE name = 'maintained_at'")
    if not noted:
        return True
    since = microseconds(now) - noted[0][0]
    return not 0 <= since < _DAY_US  # a note of the future was made by a wrong clock


def _note_maintenance(history: History, at: int | None) -> None:
    """Remember when, so that others stay away until tomorrow; None lets the next run go on."""

    def work(connection: sqlite3.Connection) -> None:
        connection.execute("DELETE FROM note WHERE name = 'maintained_at'")
        if at is not None:
            connection.execute("INSERT INTO note VALUES ('maintained_at', ?)", (at,))

    history.transact(work, again=False)


def _entries(folder: str) -> list[os.DirEntry[str]]:
    try:
        with os.scandir(folder) as entries:
            return list(entries)
    except OSError:
        return []  # nothing was ever printed, or the folder is not ours to look into


def _try_unlink(path: str) -> None:
    try:
        os.unlink(path)
    except OSError:
        return  # gone, or open on Windows: taken by its age the next time
