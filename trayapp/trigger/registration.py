"""Entries in the system's scheduler made to fit the jobs, every write in the journal.

Who asks names jobs; what they shall have is read from the shelf at that moment. A job file
that cannot be read keeps the entry it has. Each function does all it can and tells what it
could not: one job that the scheduler refuses holds up no other.
Two registrations of one home never overlap, see `journal.alone`; those of other homes are
kept apart by the backend.
"""

from __future__ import annotations

from trayapp.errors import BirkezError, NoSuchJobError, TriggerError
from trayapp.job.model import Job
from trayapp.job.shelf import read_all
from trayapp.trigger import journal
from trayapp.trigger.backend import ALL_JOBS
from trayapp.trigger.health import REPAIRABLE, is_wanted, look, shelf_trouble
from trayapp.value import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Sequence

    from trayapp.places import Places
    from trayapp.trigger.backend import Backend, Change


# Windows refuses single tasks: one that starts without log-on, or that an administrator made.
OF_ONE_JOB = ("task-log-on-refused", "task-refused", "task-not-kept")


class Registration(NamedTuple):
    """What became of the jobs: their entries stand now, are gone now, or why neither.

    `changes` is empty where all stood so already.
    """

    installed: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()
    refused: tuple[tuple[str, BirkezError], ...] = ()
    changes: tuple[Change, ...] = ()


def install(places: Places, backend: Backend, wanted: Collection[str] | None = None) -> Registration:
    """Write the entries of the jobs *wanted*; without names those of all enabled jobs with a schedule.

    Raises: TriggerError when the scheduler says no, and then nothing changed; what the shelf
    and the journal raise.
    """
    with journal.alone(places):
        return _install(places, backend, _chosen(places, wanted), "install")


def remove(places: Places, backend: Backend, unwanted: Collection[str]) -> Registration:
    """Take out the entries of *unwanted*, whether there are such jobs or not; raises as `install`."""
    with journal.alone(places):
        return _remove(places, backend, unwanted, "remove")


def choose_log_on(places: Places, backend: Backend, job_ids: Collection[str], *, without: bool) -> tuple[Change, ...]:
    """Let the tasks of *job_ids* start without their user's log-on, or only with it; others have no such choice.

    Raises: TriggerError `task-log-on-refused`, and as `install`.
    """
    from trayapp.trigger.schtasks import Schtasks  # noqa: PLC0415  # as in `here`: a system has one scheduler

    if not isinstance(backend, Schtasks):
        return ()
    names = tuple(job_ids)
    with journal.alone(places):
        return write_recorded(places, backend, "install", names, lambda: backend.without_log_on(names, wanted=without))


def follow(places: Places, backend: Backend, job_id: str, why: str) -> Registration:
    """Let the entry of one job follow what became of it: added, changed, disabled, removed.

    A job whose file cannot be read keeps its entry, and is among the refused. Raises as `install`.
    """
    with journal.alone(places):
        (found,) = _read(places, [job_id])
        if isinstance(found, NoSuchJobError):
            trouble = shelf_trouble(places)
            return Registration(refused=((job_id, trouble),)) if trouble else _remove(places, backend, [job_id], why)
        if isinstance(found, Job) and not is_wanted(found):
            return _remove(places, backend, [job_id], why)
        return _install(places, backend, [found], why)


def repair(places: Places, backend: Backend, wanted: Collection[str] | None = None) -> Registration:
    """Mend what `health.look` finds wrong with the jobs *wanted*; without names with all, orphans too.

    Where there is no job at all, orphans stay: they go by name.

    Raises as `install`.
    """
    with journal.alone(places):
        found = look(places, backend)
        if found.trouble is not None:
            raise found.trouble
        broken = [one for one in found.jobs if one.state in REPAIRABLE and (wanted is None or one.job in wanted)]
        out_of_place = [one.job for one in broken if one.state == "unwanted"]
        if wanted is None and found.jobs:  # not a single job: more likely they are elsewhere than all gone
            out_of_place += [entry.job for entry in found.orphans]
            out_of_place += [ALL_JOBS] if found.boot.state == "unwanted" else []
        to_write = [one.job for one in broken if one.state != "unwanted"]
        if found.boot.state in REPAIRABLE and found.boot.state != "unwanted" and wanted is None and not to_write:
            to_write = [one.job for one in found.jobs if one.state in ("installed", "stopped")][:1]
        gone = _remove(places, backend, out_of_place, "repair")
        there = _install(places, backend, _read(places, to_write), "repair")
        refused = tuple(
            (one.job, one.error)
            for one in found.jobs
            if one.error is not None and one.state != "stopped" and (wanted is None or one.job in wanted)
        )
        changes = (*gone.changes, *there.changes)
        return Registration(there.installed, gone.removed, (*refused, *there.refused), changes)


def undo(places: Places, backend: Backend) -> journal.Record:
    """Put back what stood before the newest write; returns the record of that write.

    Raises: TriggerError `trigger-nothing-to-undo`, `trigger-undone-already`, `trigger-undo-adoption`,
    `trigger-undo-unknown` after a crash, `trigger-undo-elsewhere` for another scheduler's
    write, `undo-changed-since`; what the journal raises.
    """
    with journal.alone(places):
        records = journal.read_records(places)
        if not records:
            raise TriggerError("trigger-nothing-to-undo")
        newest = records[-1]
        if newest.why in (journal.ADOPT, journal.RELEASE):  # a job file came or went with it
            raise TriggerError("trigger-undo-adoption", jobs=list(newest.jobs))
        if newest.why == "undo":
            raise TriggerError("trigger-undone-already", at=newest.at)
        if newest.state != journal.DONE:
            raise TriggerError("trigger-undo-unknown", at=newest.at)
        if newest.backend != backend.name:
            raise TriggerError("trigger-undo-elsewhere", scheduler=newest.backend, here=backend.name)
        _undo(places, backend, newest)
        return newest


def _undo(places: Places, backend: Backend, newest: journal.Record) -> None:
    journal.note(places, "undo", backend.name, newest.jobs)
    left, changes = list(newest.changes), []
    try:
        while left:
            changes.append(backend.undo(left[-1]))
            left.pop()
    finally:
        journal.complete_undo(places, newest, changes, left)


def _chosen(places: Places, wanted: Collection[str] | None) -> list[Job | BirkezError]:
    if wanted is not None:
        return _read(places, wanted)
    return [found for found in read_all(places) if not isinstance(found, Job) or is_wanted(found)]


def _read(places: Places, wanted: Iterable[str]) -> list[Job | BirkezError]:
    found = {job.id if isinstance(job, Job) else str(job.facts["job"]): job for job in read_all(places)}
    return [found.get(job_id) or NoSuchJobError("no-such-job", job=job_id) for job_id in wanted]


def _install(places: Places, backend: Backend, found: Sequence[Job | BirkezError], why: str) -> Registration:
    jobs: list[Job] = []
    refused: list[tuple[str, BirkezError]] = []
    for one in found:
        error = one if isinstance(one, BirkezError) else _refusal(backend, one)
        if error is not None:
            refused.append((str(error.facts.get("job", "")) if isinstance(one, BirkezError) else one.id, error))
        elif isinstance(one, Job):
            jobs.append(one)
    names = tuple(job.id for job in jobs)
    if not jobs:
        return Registration(refused=tuple(refused))
    late: list[tuple[str, BirkezError]] = []
    changes = write_recorded(places, backend, why, names, lambda: _install_what_can_be(backend, jobs, late))
    left = {job_id for job_id, _error in late}
    return Registration(tuple(name for name in names if name not in left), (), (*refused, *late), changes)


def _install_what_can_be(backend: Backend, jobs: Sequence[Job], refused: list[tuple[str, BirkezError]]) -> list[Change]:
    """Install *jobs* at once, or one by one where the scheduler refuses single ones: those go to *refused*.

    Raises: the refusal where no job is left, and what concerns all of them.
    """
    try:
        return backend.install(jobs)
    except TriggerError as error:
        if error.code not in OF_ONE_JOB or len(jobs) == 1:
            raise
    changes: list[Change] = []
    for job in jobs:
        try:
            changes += backend.install([job])
        except TriggerError as error:
            refused.append((job.id, error))
            if len(refused) == len(jobs):
                raise
    return changes


def _refusal(backend: Backend, job: Job) -> BirkezError | None:
    """Tell why *job* can have no entry."""
    if job.schedule is None:
        return TriggerError("trigger-no-schedule", job=job.id)
    if not job.enabled:
        return TriggerError("trigger-job-disabled", job=job.id)
    try:
        backend.entry_for(job)
    except BirkezError as error:
        return error
    return None


def _remove(places: Places, backend: Backend, unwanted: Collection[str], why: str) -> Registration:
    standing = {entry.job for entry in backend.entries()} if unwanted else set()
    names = tuple(job_id for job_id in dict.fromkeys(unwanted) if job_id in standing)
    changes = write_recorded(places, backend, why, names, lambda: backend.remove(names)) if names else ()
    return Registration((), names, (), changes)


def write_recorded(
    places: Places, backend: Backend, why: str, names: tuple[str, ...], write: Callable[[], list[Change]]
) -> tuple[Change, ...]:
    """Let *write* change entries of *names*, with a record in the journal; the caller is `journal.alone`.

    Raises: what *write* and the journal raise; the record then stays where something changed all the same.
    """
    before = backend.entries()
    journal.note(places, why, backend.name, names)
    try:
        changes = write()
    except BirkezError:
        if backend.entries() == before:
            journal.complete(places, ())  # nothing came of it; else the note stays, and says that much
        raise
    journal.complete(places, changes)
    return tuple(changes)
