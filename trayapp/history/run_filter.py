# ruff: noqa: S608  # what is put into a statement is a constant of ours or a row of question marks
"""Which runs are wanted, and the same in SQLite's words.

History with 5,000,000 runs is never sorted: there is one index range for each trigger and
outcome (and job), each newest first, and SQLite merges them. What no index knows (a text)
is a condition on the rows that come out of the merge.
"""

from __future__ import annotations

from datetime import timedelta

from trayapp.history.records import MARKED, OUTCOMES, TRIGGERS, fold, instant, microseconds, unmarked
from trayapp.value import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence, Sized
    from datetime import datetime
    from typing import Any

    Ask = Callable[[str, list[Any]], list[tuple[Any, ...]]]

_DAY_US = timedelta(days=1) // timedelta(microseconds=1)
_BEYOND = 1 << 62  # after every instant that the tables can hold
_MOST_JOBS = 20  # with ranges of their own, 24 each; SQLite merges up to 500


class RunFilter(NamedTuple):
    """Which runs: an empty part means all. *since* is inclusive, *until* exclusive, by start.

    *text* is found in the job's id, the reason and the log lines, in any letter case; one
    without Turkish letters finds them too (`sube`: şube).
    *text_jobs* and *text_reasons* count as hits too: history knows neither the jobs' titles
    nor the words in which a reason is shown.
    """

    jobs: Sequence[str] = ()
    outcomes: Sequence[str] = ()
    triggers: Sequence[str] = ()
    since: datetime | None = None
    until: datetime | None = None
    text: str = ""
    text_jobs: Sequence[str] = ()
    text_reasons: Sequence[str] = ()


class PageKey(NamedTuple):
    """Where a page ended; plain numbers that stay right whatever is added or deleted."""

    started_at: int
    id: int


class Stretch(NamedTuple):
    """A UTC day, or the part of one that a filter wants, and how many of the wanted runs started in it."""

    since: datetime
    until: datetime
    run_count: int


class Terms(NamedTuple):
    """Index *ranges* of (job or any, trigger, outcome) between two instants, and a *condition* on what they give."""

    ranges: list[tuple[int | None, str, str]]
    since: int
    until: int
    condition: str
    values: list[Any]

    def candidates(self, after: PageKey | None) -> tuple[str, list[Any]]:
        """Query for the keys behind *after*, newest first. It needs a LIMIT, which keeps it in order."""
        # One upper bound only: of two, SQLite may take the wrong one for its range and walk all pages before.
        bounds, bound_values = "started_at >= ? AND started_at < ?", [self.since, self.until]
        if after is not None and after.started_at < self.until:
            bounds = "started_at >= ? AND started_at <= ? AND (started_at < ? OR id < ?)"
            bound_values = [self.since, after.started_at, *after]
        arms: list[str] = []
        values: list[Any] = []
        for job, trigger, outcome in self.ranges:
            of_job = "" if job is None else "job = ? AND "
            arms.append(f"SELECT started_at, id FROM run WHERE {of_job}started_by = ? AND outcome = ? AND {bounds}")
            values += [*([] if job is None else [job]), trigger, outcome, *bound_values]
        return f"{' UNION ALL '.join(arms)} ORDER BY started_at DESC, id DESC", values


def terms_of(wanted: RunFilter, ask: Ask) -> Terms | None:
    """Ask history for the jobs' numbers, and put the filter into terms; None when no run can match."""
    jobs: list[Any] = _job_ids(wanted.jobs, ask)
    outcomes = [outcome for outcome in OUTCOMES if outcome in (wanted.outcomes or OUTCOMES)]
    triggers = [trigger for trigger in TRIGGERS if trigger in (wanted.triggers or TRIGGERS)]
    if (wanted.jobs and not jobs) or not (outcomes and triggers):
        return None
    conditions: list[str] = []
    values: list[Any] = []
    if len(jobs) > _MOST_JOBS:
        conditions.append(f"run.job IN ({marks_for(jobs)})")
        values += jobs
        jobs = []
    if wanted.text:
        text = fold(wanted.text)
        named = [row[0] for row in ask("SELECT id FROM job WHERE instr(name, ?)", [text])]
        hits = [*_job_ids(wanted.text_jobs, ask), *named]
        reason, line = (_folded(table, is_plain=unmarked(text) == text) for table in ("run", "line"))
        conditions.append(
            f"(run.job IN ({marks_for(hits)}) OR run.reason IN ({marks_for(wanted.text_reasons)})"
            f" OR instr(coalesce({reason}, lower(run.reason)), ?) OR EXISTS"
            f" (SELECT 1 FROM line WHERE line.run = run.id AND instr(coalesce({line}, lower(line.text)), ?)))"
        )
        values += [*hits, *wanted.text_reasons, text, text]
    since = -_BEYOND if wanted.since is None else microseconds(wanted.since)
    until = _BEYOND if wanted.until is None else microseconds(wanted.until)
    ranges = [(job, trigger, outcome) for job in jobs or [None] for trigger in triggers for outcome in outcomes]
    return Terms(ranges, since, until, " AND ".join(conditions), values)


def counts_of(wanted: RunFilter, ask: Ask) -> dict[str, int]:
    """How many runs of each outcome, whatever text is wanted."""
    counts = dict.fromkeys(OUTCOMES, 0)
    for _start, outcome, count in _counted(wanted, ask, "outcome"):
        counts[outcome] += count
    return {outcome: count for outcome, count in counts.items() if count}


def stretches_of(wanted: RunFilter, ask: Ask) -> list[Stretch]:
    """How many runs in each UTC day, the newest first, whatever text is wanted; days without any are left out."""
    since = -_BEYOND if wanted.since is None else microseconds(wanted.since)
    until = _BEYOND if wanted.until is None else microseconds(wanted.until)
    found = []
    for start, day, count in _counted(wanted, ask, "day"):
        first = start if day is None else day * _DAY_US
        after = min(until, (first // _DAY_US + 1) * _DAY_US)
        found.append(Stretch(instant(max(since, first)), instant(after), count))
    return sorted(found, reverse=True)


def _counted(wanted: RunFilter, ask: Ask, by: str) -> list[tuple[int, Any, int]]:
    """Counts of runs by *by*, `outcome` or `day`, each with the instant from which on they were counted.

    Whole UTC days come from the daily numbers, the parts of days at both ends are counted
    run by run; those have no day of their own.
    """
    kinds: list[tuple[str, Sequence[Any]]] = [  # all of them named, since the index begins with them
        ("outcome", wanted.outcomes or OUTCOMES),
        ("started_by", wanted.triggers or TRIGGERS),
    ]
    of_jobs = [("job", _job_ids(wanted.jobs, ask))] if wanted.jobs else []
    since = -_BEYOND if wanted.since is None else microseconds(wanted.since)
    until = _BEYOND if wanted.until is None else microseconds(wanted.until)
    first_day, last_day = -(-since // _DAY_US), until // _DAY_US

    def count(columns: str, bounded: str, start: int, end: int, terms: list[tuple[str, Sequence[Any]]]) -> list[Any]:
        where = "".join(f" AND {column} IN ({marks_for(values)})" for column, values in terms)
        sql = f"SELECT {columns} WHERE {bounded} >= ? AND {bounded} < ? {where} GROUP BY 1"
        rows = ask(sql, [start, end, *(value for _, values in terms for value in values)])
        return [(start, what, number) for what, number in rows if number]

    counts = count(f"{by}, sum(run_count) FROM day", "day", first_day, last_day, [*kinds, *(of_jobs or [("job", [0])])])
    edges = [(since, until)] if first_day > last_day else [(since, first_day * _DAY_US), (last_day * _DAY_US, until)]
    of_edge = by if by == "outcome" else "NULL"
    for start, end in edges:
        counts += count(f"{of_edge}, count(*) FROM run", "started_at", start, end, [*kinds, *of_jobs])
    return counts


def _folded(table: str, *, is_plain: bool) -> str:
    """Folded text of a table, without the marks of its letters where *is_plain*; NULL stays NULL."""
    folded = f"{table}.folded"
    for marked, plain in MARKED if is_plain else ():
        folded = f"replace({folded}, '{marked}', '{plain}')"
    return folded


def _job_ids(jobs: Sequence[str], ask: Ask) -> list[int]:
    return [row[0] for row in ask(f"SELECT id FROM job WHERE name IN ({marks_for(jobs)})", [*jobs])]


def marks_for(values: Sized) -> str:
    """Write a question mark for each value."""
    return ", ".join("?" * len(values))
