"""Reading what the jobs' files, locks, pauses and history say, as values. Blocks: for the reader's threads alone."""

from __future__ import annotations

import os
from types import MappingProxyType
from typing import TYPE_CHECKING

from trayapp import clock
from trayapp.errors import BirkezError
from trayapp.fan_out.progress import read_progress
from trayapp.gui.settings.wishes import wished
from trayapp.gui.state.snapshot import ItemCounts, JobFile, Survey, TriggerHealth, Unsettled
from trayapp.history.query import RunFilter, open_for_reading
from trayapp.history.success import last_success
from trayapp.job import shelf
from trayapp.job.model import Job
from trayapp.job.pause import Pause, read_pause
from trayapp.lock.holder import LockState, read_state
from trayapp.log.job_log import parse_line
from trayapp.value import NamedTuple
from trayapp.wording.reasons import trouble_words

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from datetime import datetime
    from typing import Any

    from trayapp.errors import JobFileError
    from trayapp.fan_out.progress import Progress
    from trayapp.history.query import HistoryReader
    from trayapp.history.records import RunRecord
    from trayapp.places import Places

_LONGEST_STREAK = 100  # more in a row is said as that many
_MERE_LOOKS = ("kilit", "duraklatildi", "devre disi")
_LOOKED_THROUGH = 50  # runs


class FilesRead(NamedTuple):
    """Job files, by id; `trouble` is why the folder could not be read: then nothing is known of them.

    `warn_after` is what the settings say for all of them.
    """

    files: Mapping[str, JobFile]
    trouble: BirkezError | None = None
    warn_after: str = ""


class LocksRead(NamedTuple):
    """Lock states and pauses of those jobs that were asked for, and how far their workers are."""

    locks: Mapping[str, LockState]
    pauses: Mapping[str, Pause | None]
    progress: Mapping[str, Progress]


class HistoryRead(NamedTuple):
    """Newest run of each job, and its newest success; where it failed, how many did in a row and what it said.

    `trouble`: it cannot be read.
    """

    last: Mapping[str, RunRecord]
    streaks: Mapping[str, int]
    failures: Mapping[str, str]
    trouble: BirkezError | None = None
    successes: Mapping[str, datetime] = MappingProxyType({})


def read_files(places: Places) -> FilesRead:
    """Read each job's file, or what is wrong with it."""
    try:
        files = {file.id: file for file in map(_file_of, shelf.read_all(places))}
    except BirkezError as error:
        return FilesRead({}, error)
    return FilesRead(files, warn_after=wished(places).warn_after)


def read_locks(places: Places, job_ids: Iterable[str]) -> LocksRead:
    """Look at locks and pauses; no lock is taken."""
    wanted, now = list(job_ids), clock.now()
    progress = {job_id: read_progress(places.items_dir(job_id)) for job_id in wanted}
    return LocksRead(
        {job_id: read_state(places.lock_file(job_id)) for job_id in wanted},
        {job_id: read_pause(places, job_id, now) for job_id in wanted},
        {job_id: found for job_id, found in progress.items() if found is not None},
    )


def read_history(places: Places) -> HistoryRead:
    """Ask history for the newest runs."""
    try:
        reader = open_for_reading(places.history_db)
    except BirkezError as error:
        return HistoryRead({}, {}, {}, error)
    try:
        newest = reader.latest_runs()
        last = {run.job: _telling(reader, run) for run in newest}
        successes = {run.job: at for run in newest if (at := last_success(reader, run.job, run)) is not None}
        failed = [run for run in last.values() if run.outcome == "failed"]
        streaks = {run.job: _streak(reader, run.job) for run in failed}
        failures = {run.job: _failure(reader, run) for run in failed}
    except BirkezError as error:
        return HistoryRead({}, {}, {}, error)
    finally:
        reader.close()
    return HistoryRead(last, streaks, failures, successes=successes)


def read_survey(told: Mapping[str, Any], at: datetime) -> Mapping[str, Survey]:
    """Take apart what `birkez status --json`, started *at*, said, by job."""
    return {str(job["id"]): _survey_of(job, at) for job in told.get("jobs", ())}


def _file_of(found: Job | JobFileError) -> JobFile:
    if isinstance(found, Job):
        return JobFile(found.id, found, None, _changed_at(found.file))
    return JobFile(str(found.facts["job"]), None, found, _changed_at(str(found.facts.get("file", ""))))


def _changed_at(path: str) -> Any:  # noqa: ANN401  # an instant
    try:
        return clock.from_epoch(os.stat(path).st_mtime)
    except OSError:
        return clock.EPOCH


def _telling(reader: HistoryReader, newest: RunRecord) -> RunRecord:
    """Newest run that tells how the job is: one that met a lock or a pause tells nothing new."""
    if newest.reason not in _MERE_LOOKS:
        return newest
    runs = reader.runs(RunFilter(jobs=[newest.job]), count=_LOOKED_THROUGH).runs
    return next((run for run in runs if run.reason not in _MERE_LOOKS), newest)


def _failure(reader: HistoryReader, run: RunRecord) -> str:
    """What the run's last line of trouble says to people."""
    lines = [parse_line(line.text) for line in reader.lines_of_run(run.run) if line.token == "HATA"]  # noqa: S105  # a log word
    last = next((line for line in reversed(lines) if line is not None), None)
    return trouble_words(last.fields.get("sebep", ""), last.fields.get("ileti", "")) if last is not None else ""


def _streak(reader: HistoryReader, job: str) -> int:
    """How many runs failed since the last one that did something."""
    done = reader.runs(RunFilter(jobs=[job], outcomes=["done"]), count=1).runs
    since = done[0].started_at if done else None
    failed = reader.runs(RunFilter(jobs=[job], outcomes=["failed"], since=since), count=_LONGEST_STREAK)
    return len(failed.runs)


def _survey_of(job: Mapping[str, Any], at: datetime) -> Survey:
    found, problem = job.get("preview"), job.get("problem")
    unsettled = tuple(
        Unsettled(
            row["key"],
            clock.parse_instant(row["start"]),
            clock.parse_instant(row["end"]),
            row["state"],
            row["attempt"],
            row.get("reason") or "",
        )
        for row in job.get("unsettled", ())
    )
    survey = Survey(
        at=at,
        unsettled=unsettled,
        problem=problem["message"] if problem and found is None and job.get("title") is not None else "",
        trigger=_trigger_of(job.get("trigger")),
        items=_items_of(job.get("items")),
    )
    if found is None:
        return survey
    is_left_running = found["would"] == "skip-running" and job["lock"]["state"] == "idle"
    return survey._replace(
        waiting=len(found["windows"]) + found["waiting"],
        done_up_to=_instant(found["done_up_to"]),
        next_at=_instant(found["next_at"]),
        is_left_running=is_left_running,
    )


def _items_of(told: Mapping[str, Any] | None) -> ItemCounts | None:
    return ItemCounts(*(int(told[name]) for name in ItemCounts._fields)) if told else None


def _trigger_of(told: Mapping[str, Any] | None) -> TriggerHealth | None:
    if not told:
        return None
    message = (told.get("error") or {}).get("message") or ""
    return TriggerHealth(told["state"], message, told.get("scheduler") or "", tuple(told.get("remedy") or ()))


def _instant(text: str | None) -> Any:  # noqa: ANN401  # an instant or None
    return clock.parse_instant(text) if text else None
