"""A foreign entry and a job exchanged, in either direction: a crash at any moment leaves one of the two at work.

The order is: the record, which holds the job file; the scheduler; the job file; the record
once more. The way back: the record, the job file away, the scheduler, the record away. In
between, `settle` brings to an end what stands there: the scheduler's own start of a job that
waits calls it, and so does everything that looks at adoption.
"""

from __future__ import annotations

import contextlib
import os

from trayapp import clock
from trayapp.adoption.job_text import job_text
from trayapp.adoption.period import local_timezone, periods_of
from trayapp.errors import BirkezError, NoSuchJobError, TriggerError, UsageError
from trayapp.job import shelf
from trayapp.job.file import create_file, parse_job, read_text
from trayapp.job.model import is_job_id, propose_id
from trayapp.job.pause import resume
from trayapp.lock.holder import own_holder
from trayapp.lock.job_lock import acquire
from trayapp.trigger import journal, registration
from trayapp.trigger.adopted import Adopted, entry_text, forget_adopted, read_adopted, write_adopted
from trayapp.trigger.crontab import Crontab
from trayapp.trigger.registration import write_recorded
from trayapp.trigger.schtasks import Schtasks
from trayapp.value import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection
    from typing import Protocol

    from trayapp.adoption.entry import Entry
    from trayapp.job.model import Job
    from trayapp.places import Places
    from trayapp.trigger.backend import Backend, Change

    class Keeper(Backend, Protocol):
        """A backend that can exchange a foreign entry for one of ours."""

        def take_over(self, job: Job, line: bytes, occurrence: int = 0, name: str = "") -> list[Change]:
            """Put the entry of *job* in the place of the foreign one: both changes, or none."""

        def give_back(self, job_id: str, line: bytes, name: str = "") -> tuple[list[Change], bool]:
            """Put the foreign entry back in the place of ours; tell whether it is where it was."""

        def is_taken(self, job_id: str, name: str) -> bool:
            """Tell whether the foreign entry is kept out of work for *job_id*."""

        def complete(self, job_id: str, name: str) -> bool:
            """Keep the foreign entry out of work; tell whether it was out already."""


class Wish(NamedTuple):
    """How an entry becomes a job: may it run twice for one period; its id and title, "" for the proposed ones."""

    repeatable: bool
    job_id: str = ""
    title: str = ""


class Released(NamedTuple):
    """What was given back: whether it stands at its old place, and whether there still was a job."""

    job: str
    text: str
    is_at_its_place: bool
    had_job: bool


def plan(places: Places, entry: Entry, wish: Wish, taken: Collection[str] = ()) -> tuple[Job, str]:
    """Job that *entry* would become, and the text of its file; nothing is written. Ids in *taken* are not proposed.

    Raises: what *entry* was refused for; UsageError `job-id-malformed` or `job-id-taken`; JobFileError.
    """
    if entry.refusal is not None:
        raise entry.refusal
    assert entry.schedule is not None, "an entry that is not refused has a schedule"
    title = wish.title or entry.title
    used = {*shelf.job_ids(places), *(record.job for record in read_adopted(places))}
    job_id = wish.job_id or propose_id(title, used | set(taken))
    if not is_job_id(job_id):
        raise UsageError("job-id-malformed", job=job_id, proposal=propose_id(job_id, used))
    if job_id in used:
        raise UsageError("job-id-taken", job=job_id, proposal=propose_id(job_id, used))
    periods = periods_of(entry.schedule, clock.now(), local_timezone())
    text = job_text(entry, periods, title, repeatable=wish.repeatable)
    return parse_job(text, places.job_file(job_id), job_id), text


def adopt(places: Places, backend: Keeper, entry: Entry, job: Job, text: str) -> None:
    """Let *job*, whose file is *text*, do from now on what *entry* does. Whole or not at all.

    Raises: TriggerError `adopt-changed` and what the backend refuses; UsageError `job-id-taken`;
    SetupError where a file cannot be written. Then *entry* does its work as before.
    """
    with journal.alone(places):
        record = Adopted(job.id, backend.name, clock.now(), entry.key, entry.raw, text)
        write_adopted(places, record)
        try:
            write_recorded(
                places,
                backend,
                journal.ADOPT,
                (job.id,),
                lambda: backend.take_over(job, entry.raw, entry.occurrence, entry.key),
            )
            create_file(places.job_file(job.id), text.encode())
        except (BirkezError, FileExistsError) as error:
            with contextlib.suppress(BirkezError):  # the first one is to be told; `settle` ends what is left
                _take_back(places, backend, record)
            if isinstance(error, FileExistsError):
                proposal = propose_id(job.id, shelf.job_ids(places))
                raise UsageError("job-id-taken", job=job.id, proposal=proposal) from error
            raise
        with contextlib.suppress(BirkezError):  # all is done, and `settle` would say so once more
            write_adopted(places, record._replace(waiting=""))


def release(places: Places, backend: Keeper, job_id: str) -> Released:
    """Give the entry of *job_id* back to the scheduler, as it was, and take the job away; what it did stays recorded.

    Raises: NoSuchJobError or TriggerError `adopt-not-adopted` for a job that was never adopted,
    `adopt-elsewhere` for another scheduler's, `adopt-name-reused` where another job has that name
    now; the job lock's refusal while it runs; what the backend refuses.
    """
    with journal.alone(places):
        record = _record_of(places, backend, job_id)
        places.make_folders()
        with acquire(places.lock_file(job_id), own_holder("release", "manual", clock.now())):
            path = places.job_file(job_id)
            had_job = os.path.lexists(path)
            if had_job and record.is_removed:
                raise TriggerError("adopt-name-reused", job=job_id, entry=entry_text(record))
            if had_job:
                write_adopted(places, record._replace(waiting=read_text(path, job_id)))
                shelf.remove(places, job_id)
                resume(places, job_id)
            is_there: list[bool] = []

            def give_back() -> list[Change]:
                changes, is_at_its_place = backend.give_back(job_id, record.content, record.name)
                is_there.append(is_at_its_place)
                return changes

            try:
                write_recorded(places, backend, journal.RELEASE, (job_id,), give_back)
            except BirkezError:
                with contextlib.suppress(BirkezError):  # as above
                    _settle(places, backend)
                raise
            forget_adopted(places, job_id)
        return Released(job_id, entry_text(record), is_there[0], had_job)


def undo(places: Places, backend: Backend) -> journal.Record:
    """Take back the newest write to the scheduler, an adoption too; returns its record.

    Raises: what `registration.undo` and `release` raise.
    """
    for newest in journal.read_records(places)[-1:]:
        if (newest.why, newest.state, newest.backend) == (journal.ADOPT, journal.DONE, backend.name):
            for job_id in newest.jobs:
                release(places, keeper(backend), job_id)
            return newest
    return registration.undo(places, backend)


def keeper(backend: Backend) -> Keeper:
    """*backend* as one that can exchange entries.

    Raises: TriggerError `adopt-no-keeper` for launchd, whose entries are programs' own.
    """
    if isinstance(backend, Crontab | Schtasks):
        return backend
    raise TriggerError("adopt-no-keeper", scheduler=backend.name)


def settle(places: Places, backend: Keeper) -> dict[str, bool]:
    """Bring to an end what a crash has left between entries and jobs.

    Returns for each of them whether it may run now: else the foreign entry was still at work, and has done this
    fire's.

    Raises: what reading and writing the scheduler and the records raises.
    """
    if not any(record.waiting for record in read_adopted(places)):
        return {}
    with journal.alone(places):
        return _settle(places, backend)


def _settle(places: Places, backend: Keeper) -> dict[str, bool]:
    waiting = [record for record in read_adopted(places) if record.waiting and record.backend == backend.name]
    standing = {entry.job for entry in backend.entries()} if waiting else set()
    settled: dict[str, bool] = {}
    for record in waiting:
        if record.job not in standing and not backend.is_taken(record.job, record.name):
            forget_adopted(places, record.job)  # the foreign entry does the work
            continue
        settled[record.job] = backend.complete(record.job, record.name)
        with contextlib.suppress(FileExistsError):  # it was written already, or not yet taken away
            create_file(places.job_file(record.job), record.waiting.encode())
        write_adopted(places, record._replace(waiting=""))
    return settled


def _take_back(places: Places, backend: Keeper, record: Adopted) -> None:
    """Undo the first steps of `adopt`, as far as they came."""
    if any(entry.job == record.job for entry in backend.entries()):
        write_recorded(
            places,
            backend,
            journal.RELEASE,
            (record.job,),
            lambda: backend.give_back(record.job, record.content, record.name)[0],
        )
    forget_adopted(places, record.job)


def _record_of(places: Places, backend: Keeper, job_id: str) -> Adopted:
    record = next((record for record in read_adopted(places) if record.job == job_id), None)
    if record is None:
        if job_id in shelf.job_ids(places):
            raise TriggerError("adopt-not-adopted", job=job_id)
        raise NoSuchJobError("no-such-job", job=job_id)
    if record.backend != backend.name:
        raise TriggerError("adopt-elsewhere", job=job_id, scheduler=record.backend, here=backend.name)
    return record
