# ruff: noqa: S608  # what is put into a statement is a constant of ours
"""Looking at history: pages of runs, their periods and lines, and numbers for the filters.

Reading hinders no run and no run hinders reading. A page costs the same in 5,000 runs as
in 5,000,000: rows are merged from index ranges, newest first, from the key on where the last
page ended. A text is looked for within a time budget; a page may then be short, even
empty, and still say where to go on.
"""

from __future__ import annotations

import errno
import os
import sqlite3
import time

from trayapp.errors import SetupError, StateError
from trayapp.history import schema
from trayapp.history.beside import RunMark, marks_of, runs_beside
from trayapp.history.records import (
    RUN_COLUMNS,
    WINDOW_COLUMNS,
    RunRecord,
    WindowRecord,
    clean,
    instant,
    microseconds,
    read_run,
    read_window,
)
from trayapp.history.run_filter import (
    PageKey,
    RunFilter,
    Stretch,
    Terms,
    counts_of,
    marks_for,
    stretches_of,
    terms_of,
)
from trayapp.value import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from datetime import datetime
    from typing import Any, TypeVar

    from trayapp.errors import BirkezError

    Found = TypeVar("Found")

__all__ = [
    "HistoryReader",
    "LineKey",
    "LineRecord",
    "Page",
    "PageKey",
    "RunFilter",
    "RunMark",
    "Stretch",
    "open_for_reading",
]

_CACHE_KIB = 16 * 1024  # a search meets the upper pages of its index again and again
_SLICES = 500, 20_000  # runs looked at between two looks at the clock: at first, and at most


class Page(NamedTuple):
    """Runs, newest first. *next_key* asks for the following page, None at the end."""

    runs: list[RunRecord]
    next_key: PageKey | None


class LineKey(NamedTuple):
    """Place of a line among all lines, by time."""

    at: int
    run: int
    number: int


class LineRecord(NamedTuple):
    """One log line of a run, and its place, from which `newest_lines` pages back."""

    run: str
    job: str
    at: datetime
    token: str
    text: str
    key: LineKey


def open_for_reading(path: str) -> HistoryReader:
    """Open the history at *path* to look at it. A missing one is empty; nothing is made.

    Raises: SetupError `history-unusable` or `state-folder-unusable`; StateError `history-newer` or `history-damaged`.
    """
    if not os.path.exists(path):
        folder = os.path.dirname(path)
        if os.path.lexists(folder) and not os.path.isdir(folder):
            raise SetupError("state-folder-unusable", path=folder, reason=os.strerror(errno.ENOTDIR))
        connection = sqlite3.connect(":memory:", isolation_level=None)
        schema.make_tables(connection)
        return HistoryReader(path, connection)
    try:
        connection = _connect(path)
        if schema.version_of(connection) < schema.VERSION:
            connection.close()
            schema.prepare(path)[0].close()  # brought up to date, as a run would do
            connection = _connect(path)
        if schema.version_of(connection) > schema.VERSION:
            raise schema.newer(path, schema.version_of(connection))
    except (sqlite3.Error, schema.UnfitError, OSError) as error:
        raise _told(path, error) from error
    return HistoryReader(path, connection)


class HistoryReader:
    """Questions to one history. Each method raises SetupError or StateError as `open_for_reading`."""

    def __init__(self, path: str, connection: sqlite3.Connection) -> None:
        self._path = path
        self._connection = connection
        connection.execute(f"PRAGMA cache_size = -{_CACHE_KIB}")

    def runs(
        self,
        wanted: RunFilter,
        after: PageKey | None = None,
        count: int = 200,
        budget_s: float = 0.1,
        *,
        skip: int = 0,
    ) -> Page:
        """One page of at most *count* runs, the newest first; a search ends early when *budget_s* is used up.

        *skip* jumps over so many runs first, which costs some 0.3 µs each; not with a text.
        """
        terms = terms_of(wanted, self._ask)
        if terms is None:
            return Page([], None)
        if not terms.condition:
            if skip:
                after = self._last_of_slice(terms, after, skip)
                if after is None:
                    return Page([], None)
            return _page(self._matching(terms, after, count + 1, count + 1), count, None)
        deadline = time.monotonic() + budget_s
        found: list[tuple[RunRecord, PageKey]] = []
        slice_size = _SLICES[0]
        while True:
            last = self._last_of_slice(terms, after, slice_size)
            found += self._matching(terms, after, slice_size, count + 1 - len(found))
            if len(found) > count or last is None or time.monotonic() >= deadline:
                return _page(found, count, last)
            after, slice_size = last, min(2 * slice_size, _SLICES[1])

    def count_by_outcome(self, wanted: RunFilter) -> dict[str, int] | None:
        """How many runs of each outcome; None with a text, which no number is kept for."""
        return None if wanted.text else counts_of(wanted, self._ask)

    def stretches(self, wanted: RunFilter) -> list[Stretch] | None:
        """Runs counted by UTC day, the newest day first; None with a text. Tells where in a list a run stands."""
        return None if wanted.text else stretches_of(wanted, self._ask)

    def marks_of(self, runs: Sequence[RunRecord]) -> dict[str, RunMark]:
        """What stands beside these runs in a list, by run; one that touched no period and went well has none."""
        return marks_of(runs, self._ask)

    def run(self, run: str) -> RunRecord | None:
        """One run; None when history does not have it, or no more."""
        rows = self._ask(f"SELECT {RUN_COLUMNS} FROM run JOIN job ON job.id = run.job WHERE run.name = ?", [run])
        return read_run(rows[0]) if rows else None

    def latest_runs(self) -> list[RunRecord]:
        """Newest run of each job that ever ran, by job."""
        jobs = [row[0] for row in self._ask("SELECT name FROM job ORDER BY name", [])]
        return [run for job in jobs for run in self.runs(RunFilter(jobs=[job]), count=1).runs]

    def windows_of_run(self, run: str, count: int = -1) -> list[WindowRecord]:
        """Periods that a run was the last to touch, oldest first; with *count* at most so many."""
        sql = f"SELECT {WINDOW_COLUMNS} FROM ledger_window WHERE run = ? ORDER BY start, seq LIMIT ?"
        return [read_window(row) for row in self._ask(sql, [run, count])]

    def windows_of_job(self, job: str, since: datetime, until: datetime) -> list[WindowRecord]:
        """Periods of a job that begin in `[since, until)`, and the one before them, oldest first; for the timeline."""
        of_job = "WHERE job = (SELECT id FROM job WHERE name = ?1)"
        rows = self._ask(
            f"SELECT {WINDOW_COLUMNS} FROM ledger_window {of_job} AND start < ?3 AND start >= coalesce("
            f"(SELECT max(start) FROM ledger_window {of_job} AND start < ?2), ?2) ORDER BY start, seq",
            [job, microseconds(since), microseconds(until)],
        )
        return [read_window(row) for row in rows]

    def lines_of_run(self, run: str, count: int = -1) -> list[LineRecord]:
        """Log lines of a run in the order in which they were written; with *count* at most the first so many."""
        where = "WHERE line.run = (SELECT id FROM run WHERE name = ?) ORDER BY line.number LIMIT ?"
        return self._lines(where, [run, count])

    def lines_around(self, run: RunRecord, count: int) -> tuple[list[LineRecord], list[LineRecord]]:
        """At most *count* lines of the same job's runs before *run*, and of those after it; oldest first each."""
        found = []
        for is_before in (True, False):
            runs = runs_beside(run, count, self._ask, is_before=is_before)
            lines = self._lines(
                f"WHERE line.run IN ({marks_for(runs)}) ORDER BY line.at {'DESC' if is_before else ''}, line.number"
                " LIMIT ?",
                [*runs, count],
            )
            found.append(sorted(lines, key=lambda line: line.key))
        return found[0], found[1]

    def newest_lines(self, count: int, before: LineKey | None = None) -> list[LineRecord]:
        """Newest *count* lines of all jobs, oldest first; those before *before*, to page back."""
        order = "ORDER BY line.at DESC, line.run DESC, line.number DESC LIMIT ?"
        if before is None:
            return self._lines(order, [count])[::-1]
        where = "WHERE line.at <= ? AND (line.at < ? OR (line.run, line.number) < (?, ?))"
        return self._lines(f"{where} {order}", [before.at, *before, count])[::-1]

    def in_one_moment(self, read: Callable[[], Found]) -> Found:
        """Call *read*; all its questions see history as it is at the first of them."""
        self._ask("BEGIN", [])
        try:
            return read()
        finally:
            self._ask("COMMIT", [])

    def close(self) -> None:
        """Let go of the file."""
        self._connection.close()

    def _matching(
        self, terms: Terms, after: PageKey | None, slice_size: int, count: int
    ) -> list[tuple[RunRecord, PageKey]]:
        """First *count* matches among the next *slice_size* runs behind *after*."""
        candidates, values = terms.candidates(after)
        # CROSS JOIN keeps SQLite from beginning with another table, which would lose the order.
        sql = (
            f"SELECT {RUN_COLUMNS}, run.id FROM ({candidates} LIMIT ?) AS candidate"
            " CROSS JOIN run ON run.id = candidate.id CROSS JOIN job ON job.id = run.job"
            f" {terms.condition and 'WHERE ' + terms.condition} LIMIT ?"
        )
        rows = self._ask(sql, [*values, slice_size, *terms.values, count])
        return [(read_run(row[:-1]), PageKey(row[4], row[-1])) for row in rows]

    def _last_of_slice(self, terms: Terms, after: PageKey | None, size: int) -> PageKey | None:
        """Key of the *size*-th run behind *after*; None when there are fewer."""
        candidates, values = terms.candidates(after)
        rows = self._ask(f"{candidates} LIMIT 1 OFFSET ?", [*values, size - 1])
        return PageKey(*rows[0]) if rows else None

    def _lines(self, clauses: str, values: list[Any]) -> list[LineRecord]:
        rows = self._ask(
            "SELECT run.name, job.name, line.token, line.text, line.at, line.run, line.number FROM line"
            f" CROSS JOIN run ON run.id = line.run CROSS JOIN job ON job.id = run.job {clauses}",
            values,
        )
        return [
            LineRecord(run, job, instant(key[0]), token, text, LineKey(*key)) for run, job, token, text, *key in rows
        ]

    def _ask(self, sql: str, values: list[Any]) -> list[tuple[Any, ...]]:
        # As the rows were written: a word of the command line may hold bytes that are no text.
        cleaned = [clean(value) if isinstance(value, str) else value for value in values]
        try:
            return self._connection.execute(sql, cleaned).fetchall()
        except sqlite3.Error as error:
            raise _told(self._path, error) from error


def _connect(path: str) -> sqlite3.Connection:
    """Open read-only. In a folder that nobody may write to, SQLite needs to be told that nothing changes."""
    if not schema.looks_like_database(path):
        raise schema.UnfitError("file is not a database")
    try:
        return schema.connect(path, "ro")
    except sqlite3.OperationalError as error:
        if getattr(error, "sqlite_errorname", "") != "SQLITE_READONLY_DIRECTORY":
            raise
    return schema.connect(path, "ro&immutable=1")


def _told(path: str, error: Exception) -> BirkezError:
    if schema.is_unfit(error):
        return StateError("history-damaged", path=path, reason=str(error))
    return schema.unusable(path, error)


def _page(found: list[tuple[RunRecord, PageKey]], count: int, scanned_to: PageKey | None) -> Page:
    runs = [run for run, _ in found[:count]]
    return Page(runs, found[count - 1][1] if len(found) > count else scanned_to)
