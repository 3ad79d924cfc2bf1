"""The shelf of job files: which jobs there are, and how one comes, changes and goes.

An id is permanent, and no two ids differ by case alone, since on most file systems they
would be one file. Nothing here writes over a job: whoever adds a taken id is refused.
A folder that cannot be read is an error, never an empty shelf: triggers hang on the answer.
"""

from __future__ import annotations

import os

from trayapp.errors import JobFileError, NoSuchJobError, SetupError, UsageError
from trayapp.job.file import (
    create_file,
    edit_value,
    parse_job,
    read_job,
    set_values,
    unwritable,
)
from trayapp.job.model import CommandEffect, DownloadEffect, Job, PythonEffect, SqlEffect, is_job_id, propose_id
from trayapp.whole_file import flush_folder

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from trayapp.job.fields import Key
    from trayapp.job.file import Value
    from trayapp.job.timing_fields import StartFor
    from trayapp.places import Places

SUFFIX = ".toml"


def job_ids(places: Places) -> list[str]:
    """Ids of the job files, ascending; broken files count.

    Raises: SetupError `job-folder-unreadable`.
    """
    return [stem for stem in stems(places) if is_job_id(stem)]


def read_all(places: Places) -> list[Job | JobFileError]:
    """Each job, or what is wrong with its file, by id: one broken file hides no other.

    A file whose name can be no id is among the errors (`job-file-name`); hidden files are not.

    Raises: SetupError `job-folder-unreadable`.
    """
    return [_read(places, stem) for stem in stems(places)]


def add(places: Places, job_id: str, text: str, source: str, start_for: StartFor | None = None) -> Job:
    """Put the job file *text*, which lies at *source*, on the shelf under a free id.

    Paths that were relative to *source* become absolute, since the file moves; a `start`
    that is left out is asked of *start_for* and written down. All else stays as it was written.

    Raises: UsageError `job-id-malformed` or `job-id-taken`; JobFileError about *source*;
    SetupError `job-file-unwritable` or `job-folder-unreadable`. Then there is no new job.
    """
    if not is_job_id(job_id):
        raise UsageError("job-id-malformed", job=job_id, proposal=propose_id(job_id, stems(places)))
    if job_id in {stem.lower() for stem in stems(places)}:
        raise _taken(places, job_id)
    job = parse_job(text, source, job_id, start_for=start_for)
    path = places.job_file(job_id)
    stored = set_values(text, _settled_values(job))
    added = parse_job(stored, path, job_id)
    try:
        create_file(path, stored.encode())
    except FileExistsError:
        raise _taken(places, job_id) from None
    return added


def remove(places: Places, job_id: str) -> None:
    """Take the job file off the shelf; what the job recorded stays. The caller holds its lock.

    Raises: NoSuchJobError `no-such-job`; SetupError `job-file-unwritable`.
    """
    path = places.job_file(job_id)
    if not is_job_id(job_id) or not os.path.lexists(path):
        raise NoSuchJobError("no-such-job", job=job_id)
    try:
        os.unlink(path)
        flush_folder(os.path.dirname(path))
    except OSError as error:
        raise unwritable(path, error) from error
    try:
        os.unlink(places.cache_file(job_id))
    except OSError:
        return  # there was none, or it answers for a file that is gone, which it never does


def set_enabled(places: Places, job_id: str, *, enabled: bool) -> Job:
    """Write `enabled` into the job file and keep all else in it; the job as it is then.

    Raises: NoSuchJobError `no-such-job`; JobFileError when the file is invalid; SetupError
    `job-file-unwritable`.
    """
    path = places.job_file(job_id)
    if not is_job_id(job_id) or not os.path.lexists(path):
        raise NoSuchJobError("no-such-job", job=job_id)
    return edit_value(path, job_id, "enabled", enabled)


def _read(places: Places, stem: str) -> Job | JobFileError:
    path = places.job_file(stem)
    if not is_job_id(stem):
        proposal = propose_id(stem, stems(places))
        return JobFileError("job-file-name", job=stem, file=path, line=None, place=path, key="", proposal=proposal)
    try:
        return read_job(path, stem)
    except JobFileError as error:
        return error


def stems(places: Places) -> list[str]:
    """Names of the job files without their suffix, ascending; "" is no job's.

    Raises: SetupError `job-folder-unreadable`.
    """
    try:
        names = os.listdir(places.jobs_dir)
    except FileNotFoundError:
        return []  # before the first job
    except OSError as error:
        reason = error.strerror or str(error)
        raise SetupError("job-folder-unreadable", path=places.jobs_dir, reason=reason) from error
    # An editor's own files are hidden or end otherwise: `.x.toml.swp`, `x.toml~`.
    return sorted(name[: -len(SUFFIX)] for name in names if name.endswith(SUFFIX) and not name.startswith("."))


def _taken(places: Places, job_id: str) -> UsageError:
    return UsageError("job-id-taken", job=job_id, proposal=propose_id(job_id, stems(places)))


def _settled_values(job: Job) -> dict[Key, Value]:
    """What must be written down so that the job means the same wherever and whenever its file is read."""
    if job.items is not None:
        target = os.path.join(job.items.folder, job.items.name)
        return {("items", "source"): job.items.source, ("items", "target"): target, **dict(_paths(job))}
    return {("window", "start"): job.window.start, **dict(_paths(job))}


def _paths(job: Job) -> Iterator[tuple[Key, str]]:
    effect = job.effect
    if isinstance(effect, CommandEffect):
        yield ("effect", "cwd"), effect.cwd
        if job.ledger_database:
            yield ("ledger", "database"), job.ledger_database
        return
    if isinstance(effect, DownloadEffect):
        return
    if effect.database:
        yield ("effect", "database"), effect.database
    if isinstance(effect, PythonEffect):
        yield ("effect", "callable"), f"{effect.file}:{effect.function}"
    if isinstance(effect, SqlEffect):
        yield ("effect", "script"), effect.script
        for source in effect.sources:
            yield ("effect", "sources", source.name, "database"), source.database
