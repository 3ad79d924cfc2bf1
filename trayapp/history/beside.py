# ruff: noqa: S608  # what is put into a statement is a row of question marks
"""What stands beside a run: the periods that it touched, what ailed it, and its neighbours in time."""

from __future__ import annotations

from trayapp.history.records import OUTCOMES, TRIGGERS, instant, microseconds
from trayapp.history.run_filter import marks_for
from trayapp.value import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from trayapp.history.records import RunRecord
    from trayapp.history.run_filter import Ask


class RunMark(NamedTuple):
    """What stands beside a run in a list: its periods from the first to the last, and its last line of trouble."""

    start: datetime | None = None
    end: datetime | None = None
    trouble: str = ""


def marks_of(runs: Sequence[RunRecord], ask: Ask) -> dict[str, RunMark]:
    """Ask for what stands beside these runs in a list, by run."""
    names = [run.run for run in runs]
    spans = f'SELECT run, min(start), max("end") FROM ledger_window WHERE run IN ({marks_for(names)}) GROUP BY run'
    marks = {run: RunMark(instant(start), instant(end)) for run, start, end in ask(spans, names)}
    troubled = [run.run for run in runs if run.outcome in ("failed", "uncertain", "stopped")]
    last_lines = (
        "SELECT name, (SELECT text FROM line WHERE line.run = run.id AND token IN ('HATA', 'BELIRSIZ')"
        f" ORDER BY number DESC LIMIT 1) FROM run WHERE name IN ({marks_for(troubled)})"
    )
    for run, text in ask(last_lines, troubled):
        marks[run] = marks.get(run, RunMark())._replace(trouble=text or "")
    return marks


def runs_beside(run: RunRecord, count: int, ask: Ask, *, is_before: bool) -> list[int]:
    """Numbers of the nearest *count* runs of the same job that started before *run*, or after it."""
    sign, order = ("<", "DESC") if is_before else (">", "ASC")
    arm = (
        "SELECT * FROM (SELECT started_at, id FROM run WHERE job = (SELECT id FROM job WHERE name = ?)"
        f" AND started_by = ? AND outcome = ? AND started_at {sign} ? ORDER BY started_at {order} LIMIT ?)"
    )
    kinds = [(trigger, outcome) for trigger in TRIGGERS for outcome in OUTCOMES]
    at = microseconds(run.started_at)
    values = [value for trigger, outcome in kinds for value in (run.job, trigger, outcome, at, count)]
    rows = ask(f"{' UNION ALL '.join([arm] * len(kinds))} ORDER BY 1 {order} LIMIT ?", [*values, count])
    return [row[1] for row in rows]
