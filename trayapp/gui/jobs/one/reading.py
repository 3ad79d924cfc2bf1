"""What history knows of one job, read in a thread: its last runs, and its last periods for the strip."""

from __future__ import annotations

from datetime import timedelta
from itertools import islice
from typing import TYPE_CHECKING

from trayapp import clock
from trayapp.errors import BirkezError
from trayapp.gui.timeline.strip.blocks import KIND_OF_STATE
from trayapp.history.query import RunFilter, open_for_reading
from trayapp.job.schedule import first_fire_from
from trayapp.value import NamedTuple
from trayapp.window.catch_up import SETTLED, Recorded, closed_windows_after, is_own_fire
from trayapp.window.grid import Window, grid_of

if TYPE_CHECKING:
    from collections.abc import Iterable
    from datetime import datetime

    from trayapp.gui.timeline.strip.blocks import Kind
    from trayapp.history.query import HistoryReader, RunMark
    from trayapp.history.records import RunRecord, WindowRecord
    from trayapp.job.model import Job
    from trayapp.places import Places
    from trayapp.window.grid import Grid

_RUNS = 5
_BLOCKS = 28
_MOMENT = timedelta(microseconds=1)


class Block(NamedTuple):
    """One period on the strip."""

    start: datetime
    end: datetime
    kind: Kind


class RunSeen(NamedTuple):
    """One run in the list, with its periods from the first to the last where it touched some."""

    run: RunRecord
    mark: RunMark | None


class JobSeen(NamedTuple):
    """What was read of a job at `at`; `trouble` is why history could not be read."""

    job_id: str
    at: datetime
    runs: tuple[RunSeen, ...] = ()
    blocks: tuple[Block, ...] = ()
    done_up_to: datetime | None = None
    trouble: BirkezError | None = None


def read_job_seen(places: Places, job: Job | None, job_id: str, done_up_to: datetime | None) -> JobSeen:
    """Read it; *done_up_to* is what the ledger says, None where nobody asked it yet."""
    now = clock.now()
    try:
        reader = open_for_reading(places.history_db)
    except BirkezError as error:
        return JobSeen(job_id, now, trouble=error)
    try:
        runs = reader.runs(RunFilter(jobs=[job_id]), count=_RUNS).runs
        marks = reader.marks_of(runs)
        seen = JobSeen(job_id, now, tuple(RunSeen(run, marks.get(run.run)) for run in runs))
        return seen if job is None or job.rule is None else _with_blocks(seen, reader, job, done_up_to)
    except BirkezError as error:
        return JobSeen(job_id, now, trouble=error)
    finally:
        reader.close()


def _with_blocks(seen: JobSeen, reader: HistoryReader, job: Job, done_up_to: datetime | None) -> JobSeen:
    rule = job.window
    grid = grid_of(rule.step, rule.timezone)
    since = max(rule.start, _lines_back(grid, seen.at, _BLOCKS))
    records = [row for row in reader.windows_of_job(job.id, since, seen.at) if row.end > since]
    if done_up_to is None:
        done_up_to = _known_up_to(rule.start, records)
    blocks = [_block(job, row) for row in records]
    horizon = seen.at - timedelta(seconds=rule.lateness_s)
    rows = [Recorded(row.start, row.end, row.state, row.key) for row in records]
    waiting = closed_windows_after(max(done_up_to, since), horizon, grid, rows)
    blocks += [Block(*offer.window, "waiting") for offer in islice(waiting, 2 * _BLOCKS) if offer.recorded is None]
    start = max([done_up_to, since, *(block.end for block in blocks)])
    if start <= seen.at:
        blocks.append(Block(start, grid.line_after(max(start, seen.at - _MOMENT)), "open"))
    return seen._replace(blocks=tuple(sorted(blocks)), done_up_to=done_up_to)


def _lines_back(grid: Grid, at: datetime, count: int) -> datetime:
    line = grid.line_at_or_before(at)
    for _line in range(count):
        line = grid.line_at_or_before(line - _MOMENT)
    return line


def _known_up_to(start: datetime, records: Iterable[WindowRecord]) -> datetime:
    """Up to where what was read is settled without a gap."""
    up_to = None
    for row in records:
        if row.state not in SETTLED or (up_to is not None and row.start > up_to):
            break
        up_to = row.end
    return up_to or start


def _block(job: Job, row: WindowRecord) -> Block:
    if row.state != "done":
        return Block(row.start, row.end, KIND_OF_STATE.get(row.state, "waiting"))
    schedule = job.schedule
    if schedule is None:
        return Block(row.start, row.end, "done")
    lateness = timedelta(seconds=job.window.lateness_s)
    own = is_own_fire(Window(row.start, row.end), lateness, row.at, lambda since: first_fire_from(schedule, since))
    return Block(row.start, row.end, "late" if own is False else "done")
