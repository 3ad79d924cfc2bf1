# ruff: noqa: S608  # what is put into a statement is a constant of ours or a row of question marks
"""Which runs are wanted, and the same in SQLite's words.

History with 5,000,000 runs is never sorted: there is one index range for each outcome (and
job), each newest first, and SQLite merges them. What no index knows is a condition on
the rows that come out of the merge.
"""

from __future__ import annotations

from datetime import timedelta

from trayapp.history.records import OUTCOMES, fold, microseconds
from trayapp.value import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence, Sized
    from datetime import datetime
    from typing import Any

    Ask = Callable[[str, list[Any]], list[tuple[Any, ...]]]

_DAY_US = timedelta(days=1) // timedelta(microseconds=1)
_BEYOND = 1 << 62  # after every instant that the tables can hold
_MOST_JOBS = 50  # with ranges of their own; SQLite merges up to 500 ranges


class RunFilter(NamedTuple):
    """Which runs: an empty part means all. *since* is inclusive, *until* exclusive, by start.

    *text* is found in the job's id, the reason and the log lines, in any letter case;
    *text_jobs* are jobs that count as hits too, since history does not know their titles.
    """

    jobs: Sequence[str] = ()
    outcomes: Sequence[str] = ()
    triggers: Sequence[str] = ()
    since: datetime | None = None
    until: datetime | None = None
    text: str = ""
    text_jobs: Sequence[str] = ()


class PageKey(NamedTuple):
    """Where a page ended; plain numbers that stay right whatever is added or deleted."""

    started_at: int
    id: int


class Terms(NamedTuple):
    """Index *ranges* of (job or any, outcome) between two instants, and a *condition* on what they give."""

    ranges: list[tuple[int | None, str]]
    since: int
    until: int
    condition: str
    values: list[Any]

    def candidates(self, after: PageKey | None) -> tuple[str, list[Any]]:
        """Query for the keys behind *after*, newest first. It needs a LIMIT, which keeps it in order."""
        bounds, bound_values = "started_at >= ? AND started_at < ?", [self.since, self.until]
        if after is not None:
            bounds += " AND started_at <= ? AND (started_at < ? OR id < ?)"
            bound_values += [after.started_at, *after]
        arms: list[str] = []
        values: list[Any] = []
        for job, outcome in self.ranges:
            of_job = "" if job is None else "job = ? AND "
            arms.append(f"SELECT started_at, id FROM run WHERE {of_job}outcome = ? AND {bounds}")
            values += [*([] if job is None else [job]), outcome, *bound_values]
        return f"{' UNION ALL '.join(arms)} ORDER BY started_at DESC, id DESC", values


def terms_of(wanted: RunFilter, ask: Ask) -> Terms | None:
    """Ask history for the jobs' numbers, and put the filter into terms; None when no run can match."""
    jobs: list[Any] = _job_ids(wanted.jobs, ask)
    outcomes = [outcome for outcome in wanted.outcomes or OUTCOMES if outcome in OUTCOMES]
    if (wanted.jobs and not jobs) or not outcomes:
        return None
    conditions: list[str] = []
    values: list[Any] = []
    if len(jobs) > _MOST_JOBS:
        conditions.append(f"run.job IN ({_marks(jobs)})")
        values += jobs
        jobs = []
    if wanted.triggers:
        conditions.append(f"run.started_by IN ({_marks(wanted.triggers)})")
        values += wanted.triggers
    if wanted.text:
        text = fold(wanted.text)
        named = [row[0] for row in ask("SELECT id FROM job WHERE instr(name, ?)", [text])]
        hits = [*_job_ids(wanted.text_jobs, ask), *named]
        conditions.append(
            f"(run.job IN ({_marks(hits)}) OR instr(coalesce(run.folded, lower(run.reason)), ?) OR EXISTS"
            " (SELECT 1 FROM line WHERE line.run = run.id AND instr(coalesce(line.folded, lower(line.text)), ?)))"
        )
        values += [*hits, text, text]
    since = -_BEYOND if wanted.since is None else microseconds(wanted.since)
    until = _BEYOND if wanted.until is None else microseconds(wanted.until)
    ranges = [(job, outcome) for job in jobs or [None] for outcome in outcomes]
    return Terms(ranges, since, until, " AND ".join(conditions), values)


def counts_of(wanted: RunFilter, ask: Ask) -> dict[str, int]:
    """How many runs of each outcome, whatever text is wanted.

    Whole UTC days come from the daily numbers, the parts of days at both ends are counted
    run by run.
    """
    where, values = _where(wanted, ask)
    since = -_BEYOND if wanted.since is None else microseconds(wanted.since)
    until = _BEYOND if wanted.until is None else microseconds(wanted.until)
    first_day, last_day = -(-since // _DAY_US), until // _DAY_US
    parts = [("day", "sum(run_count)", "day", first_day, last_day)]
    if first_day > last_day:
        parts = [("run", "count(*)", "started_at", since, until)]
    else:
        parts.append(("run", "count(*)", "started_at", since, min(until, first_day * _DAY_US)))
        parts.append(("run", "count(*)", "started_at", max(since, last_day * _DAY_US), until))
    counts: dict[str, int] = {}
    for table, number, column, start, end in parts:
        if start >= end:
            continue
        sql = f"SELECT outcome, {number} FROM {table} WHERE {column} >= ? AND {column} < ? {where} GROUP BY outcome"
        for outcome, count in ask(sql, [start, end, *values]):
            counts[outcome] = counts.get(outcome, 0) + count
    return {outcome: count for outcome, count in counts.items() if count}


def _where(wanted: RunFilter, ask: Ask) -> tuple[str, list[Any]]:
    # Every outcome is named even when all are wanted, since the index begins with it.
    parts: list[tuple[str, Sequence[Any]]] = [("outcome", wanted.outcomes or OUTCOMES)]
    if wanted.triggers:
        parts.append(("started_by", wanted.triggers))
    if wanted.jobs:
        parts.append(("job", _job_ids(wanted.jobs, ask)))
    where = "".join(f" AND {column} IN ({_marks(values)})" for column, values in parts)
    return where, [value for _, values in parts for value in values]


def _job_ids(jobs: Sequence[str], ask: Ask) -> list[int]:
    return [row[0] for row in ask(f"SELECT id FROM job WHERE name IN ({_marks(jobs)})", [*jobs])]


def _marks(values: Sized) -> str:
    return ", ".join("?" * len(values))
