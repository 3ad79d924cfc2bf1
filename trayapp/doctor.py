"""What would stop jobs from running here, or make them run wrong, each with its remedy.

Every finding is a code, its facts and how much it matters; `wording` has the sentences.
Looking changes nothing but a test file in the state folder, and takes no job's lock.
"""

from __future__ import annotations

import errno
import os
import shutil
import sqlite3
import sys
from datetime import UTC, datetime, timedelta

from trayapp import clock
from trayapp.clock_sync import is_synchronised
from trayapp.errors import BirkezError, JobFileError
from trayapp.fan_out.findings import item_findings
from trayapp.history.schema import set_aside_files
from trayapp.history.store import open_history
from trayapp.history.success import quiet_jobs
from trayapp.job.model import CommandEffect, Job, PythonEffect, SqlEffect
from trayapp.job.shelf import read_all
from trayapp.ledger.ledger import FAILED, UNCERTAIN
from trayapp.lock.holder import read_state
from trayapp.network_folder import network_kind
from trayapp.runner.decision import Wish
from trayapp.runner.ended import ends_in_log
from trayapp.runner.opening import open_ledger, owner_of
from trayapp.runner.preview import preview
from trayapp.settings import read_settings
from trayapp.trigger.findings import findings as trigger_findings
from trayapp.value import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Literal

    from trayapp.places import Places
    from trayapp.runner.preview import Preview

    Weight = Literal["ok", "warning", "problem"]

_BUILT_AT = datetime(2026, 1, 1, tzinfo=UTC)  # no clock may show less
_LEAST_FREE_BYTES = 100 << 20
_OWNERS_OF_LATE = timedelta(days=30)
_MANY_WAITING_RUNS = 3  # a backlog that three full runs do not empty is worth a word


class Finding(NamedTuple):
    """One thing that was looked at. `remedy` is a command that mends it, where there is one.

    `error` carries code and facts also of what is in order.
    """

    error: BirkezError
    weight: Weight
    job: str = ""
    remedy: tuple[str, ...] = ()

    @property
    def code(self) -> str:
        """Code of the finding, as of an error: `wording` says both alike."""
        return self.error.code


def examine(places: Places) -> list[Finding]:
    """Look at everything that this part of Birkez depends on; worst findings first."""
    try:
        clock.now()
    except BirkezError as error:
        return [_of(error)]  # nothing else can be told without a time
    findings = [*_machine(), *_folders(places), *_settings(places), *_history(places), *_jobs(places)]
    findings += [Finding(*found) for found in trigger_findings(places)]
    order = {"problem": 0, "warning": 1, "ok": 2}
    return sorted(findings, key=lambda finding: order[finding.weight])


def _machine() -> Iterator[Finding]:
    if sqlite3.sqlite_version_info < (3, 35):
        yield Finding(BirkezError("sqlite-too-old", found=sqlite3.sqlite_version, needed="3.35"), "problem")
    else:
        yield Finding(BirkezError("doctor-sqlite", found=sqlite3.sqlite_version), "ok")
    now = clock.now()
    if now < _BUILT_AT:
        yield Finding(BirkezError("doctor-clock-early", now=now), "problem")
    elif is_synchronised() is False:
        yield Finding(BirkezError("doctor-clock-unsynchronised", now=now), "warning")
    else:
        yield Finding(BirkezError("doctor-clock", now=now), "ok")
    yield _zone_data()
    encoding = sys.getfilesystemencoding().lower()
    if encoding not in ("utf-8", "utf8"):
        yield Finding(BirkezError("doctor-locale", encoding=encoding), "warning")


def _zone_data() -> Finding:
    from zoneinfo import ZoneInfo, ZoneInfoNotFoundError  # noqa: PLC0415

    try:
        ZoneInfo("Europe/Istanbul")
    except (ZoneInfoNotFoundError, OSError):
        return Finding(BirkezError("doctor-no-zones"), "problem")
    return Finding(BirkezError("doctor-zones"), "ok")


def _folders(places: Places) -> Iterator[Finding]:
    try:
        places.make_folders()
    except BirkezError as error:
        yield _of(error)
        return
    kind = network_kind(places.state)
    if kind is not None:
        yield Finding(BirkezError("lock-on-network", path=places.state, kind=kind), "problem")
    # The settings' folder and the state folder first; in one that refuses, those below it say nothing new.
    refused: list[str] = []
    for folder in (places.config, places.state, *places.folders):
        refusal = "" if folder.startswith(tuple(refused)) else _refusal_to_write(folder)
        if refusal:
            refused.append(os.path.join(folder, ""))
            yield Finding(BirkezError("state-folder-unusable", path=folder, reason=refusal), "problem")
    if kind is None and not refused:
        yield Finding(BirkezError("doctor-state-folder", path=places.state), "ok")
    free = shutil.disk_usage(places.state).free
    if free < _LEAST_FREE_BYTES:
        yield Finding(BirkezError("doctor-disk-nearly-full", path=places.state, mebibytes=free >> 20), "warning")


def _refusal_to_write(folder: str) -> str:
    path = os.path.join(folder, f".doctor-{os.getpid()}")
    try:
        with open(path, "wb") as file:
            file.write(b"birkez")
            file.flush()
            os.fsync(file.fileno())
        os.remove(path)
    except OSError as error:
        return error.strerror or str(error)
    return ""


def _refusal_to_append(path: str) -> str:
    if os.path.lexists(path):
        try:
            with open(path, "ab"):
                return ""
        except OSError as error:
            return error.strerror or str(error)
    return "" if os.access(os.path.dirname(path), os.W_OK | os.X_OK) else os.strerror(errno.EACCES)


def _settings(places: Places) -> Iterator[Finding]:
    try:
        read_settings(places)
    except BirkezError as error:
        yield _of(error)


def _history(places: Places) -> Iterator[Finding]:
    try:
        history = open_history(places.history_db)
    except BirkezError as error:
        yield _of(error, "warning")
        return
    history.close()
    aside = set_aside_files(places.history_db)
    if aside:
        yield Finding(BirkezError("doctor-history-set-aside", paths=aside), "warning")


def _cut_off(places: Places, job: Job) -> Iterator[Finding]:
    """A job whose newest run began to work and ended without a word, while nobody holds its lock."""
    try:
        history = open_history(places.history_db)
    except BirkezError:
        return  # told once, for all jobs
    try:
        unfinished = history.unfinished_runs(job.id, "")
        ended = ends_in_log(places.log_file(job.id), unfinished)
        cut_off = history.cut_off_in_a_row(job.id)
    except BirkezError:
        return
    finally:
        history.close()
    if read_state(places.lock_file(job.id)).state == "idle":
        cut_off += len(unfinished) - len(ended)
    if cut_off:
        # Of what a command, or work on items, had done by then only a person can tell.
        is_taken_back = isinstance(job.effect, SqlEffect | PythonEffect) and job.items is None
        code = "doctor-cut-off" if is_taken_back else "doctor-cut-off-midway"
        yield Finding(BirkezError(code, job=job.id, count=cut_off), "problem", job.id)


def _jobs(places: Places) -> Iterator[Finding]:
    try:
        jobs = read_all(places)
    except BirkezError as error:
        yield _of(error)
        return
    told = quiet_jobs(places, [job for job in jobs if isinstance(job, Job)], clock.now())
    for job in jobs:
        if isinstance(job, JobFileError):
            yield _of(job)
            continue
        yield from _job(places, job)
        if job.id in told:
            code = "doctor-no-success" if told[job.id].has_succeeded else "doctor-no-success-yet"
            quiet = BirkezError(code, job=job.id, since=told[job.id].since)
            yield Finding(quiet, "warning", job.id, ("run", job.id))


def _job(places: Places, job: Job) -> Iterator[Finding]:
    log = places.log_file(job.id)
    refusal = _refusal_to_append(log)
    if refusal:
        yield Finding(BirkezError("doctor-log-unwritable", path=log, reason=refusal), "problem", job.id)
    yield from _cut_off(places, job)
    missing = _missing_file(job)
    if missing:
        yield Finding(BirkezError("doctor-file-missing", job=job.id, path=missing), "problem", job.id)
    if job.items is not None:
        for found in item_findings(places, job):
            if not missing or found.weight != "ok":
                yield Finding(*found)
        return
    try:
        yield from _ledger(places, job)
        look = preview(places, Wish(job.id, "schedule"))
    except BirkezError as error:
        yield _of(error)._replace(job=job.id, remedy=_remedy_of(error, job))
        return
    yield from _periods(job, look)
    waiting = len(look.decision.take) + look.decision.waiting
    if job.enabled and waiting > _MANY_WAITING_RUNS * job.window.max_per_run:
        yield Finding(BirkezError("doctor-backlog", job=job.id, count=waiting), "warning", job.id, ("run", job.id))
    elif not missing:
        yield Finding(BirkezError("doctor-job", job=job.id), "ok", job.id)


def _periods(job: Job, look: Preview) -> Iterator[Finding]:
    if look.running is not None:
        row, process = look.running, look.running.process
        alive = BirkezError("doctor-command-alive", job=job.id, at=row.at, pid=process and process.pid)
        yield Finding(alive, "warning", job.id)
    for row in look.standing.rows:
        if look.running is not None and row.key == look.running.key:
            continue
        window = (row.start, row.end)
        if row.state == UNCERTAIN:
            remedy = ("resolve", job.id, row.key, "--done", "--reason", "…")
            found = BirkezError("doctor-uncertain", job=job.id, window=window, key=row.key)
            yield Finding(found, "problem", job.id, remedy)
        elif row.state == FAILED:
            found = BirkezError("doctor-failing", job=job.id, window=window, count=row.attempt)
            yield Finding(found, "problem", job.id)


def _ledger(places: Places, job: Job) -> Iterator[Finding]:
    ledger, _ = open_ledger(places, job)
    try:
        owners = [owner for owner, seen_at in ledger.owners(job.id) if seen_at > clock.now() - _OWNERS_OF_LATE]
    finally:
        ledger.close()
    others = [owner for owner in owners if owner != owner_of(places)]
    if others:
        error = BirkezError("doctor-two-accounts", job=job.id, others=others, here=owner_of(places))
        yield Finding(error, "warning", job.id)


def _missing_file(job: Job) -> str:
    effect = job.effect
    if isinstance(effect, CommandEffect):
        return effect.cwd if effect.cwd and not os.path.isdir(effect.cwd) else ""
    if isinstance(effect, SqlEffect):
        return "" if os.path.isfile(effect.script) else effect.script
    return effect.file if isinstance(effect, PythonEffect) and not os.path.isfile(effect.file) else ""


def _remedy_of(error: BirkezError, job: Job) -> tuple[str, ...]:
    if error.code in ("ledger-other", "ledger-older"):
        return ("ledger", "accept", job.id, "--reason", "…")
    if error.code in ("clock-behind", "clock-jumped"):
        return ("doctor", "--accept-clock")
    return ()


def _of(error: BirkezError, weight: Weight = "problem") -> Finding:
    return Finding(error, weight)
