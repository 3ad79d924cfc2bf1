"""The shelf of job files: which jobs there are, and how one comes, changes and goes.

An id is permanent, and no two ids differ by case alone, since on most file systems they
would be one file. Nothing here writes over a job: whoever adds a taken id is refused.
A folder that cannot be read is an error, never an empty shelf: triggers hang on the answer.
"""

from __future__ import annotations

import os

from trayapp.errors import JobFileError, NoSuchJobError, SetupError, UsageError
from trayapp.job.fields import JobText
from trayapp.job.file import (
    MAX_SIZE,
    create_file,
    decode_text,
    edit_value,
    parse_job,
    read_job,
    read_text,
    set_values,
    unwritable,
)
from trayapp.job.model import CommandEffect, DownloadEffect, Job, PythonEffect, SqlEffect, is_job_id, propose_id
from trayapp.value import NamedTuple
from trayapp.whole_file import flush_folder

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping
    from zipfile import ZipFile, ZipInfo

    from trayapp.job.fields import Key
    from trayapp.job.file import Value
    from trayapp.job.timing_fields import StartFor
    from trayapp.places import Places

SUFFIX = ".toml"
_ZIP = ".zip"


def job_ids(places: Places) -> list[str]:
    """Ids of the job files, ascending; broken files count.

    Raises: SetupError `job-folder-unreadable`.
    """
    return [stem for stem in _stems(places) if is_job_id(stem)]


def read_all(places: Places) -> list[Job | JobFileError]:
    """Each job, or what is wrong with its file, by id: one broken file hides no other.

    A file whose name can be no id is among the errors (`job-file-name`); hidden files are not.

    Raises: SetupError `job-folder-unreadable`.
    """
    return [_read(places, stem) for stem in _stems(places)]


def add(places: Places, job_id: str, text: str, source: str, start_for: StartFor | None = None) -> Job:
    """Put the job file *text*, which lies at *source*, on the shelf under a free id.

    Paths that were relative to *source* become absolute, since the file moves; a `start`
    that is left out is asked of *start_for* and written down. All else stays as it was written.

    Raises: UsageError `job-id-malformed` or `job-id-taken`; JobFileError about *source*;
    SetupError `job-file-unwritable` or `job-folder-unreadable`. Then there is no new job.
    """
    if not is_job_id(job_id):
        raise UsageError("job-id-malformed", job=job_id, proposal=propose_id(job_id, _stems(places)))
    if job_id in {stem.lower() for stem in _stems(places)}:
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


class Arrival(NamedTuple):
    """A job file that waits to be imported: nothing is written yet.

    `job_id` is the id it had, `proposal` a free one: the same unless that is taken here.
    `error` says why it cannot come in, or is None. `source` names it in messages.
    """

    job_id: str
    proposal: str
    source: str
    text: str
    title: str = ""
    error: JobFileError | None = None

    @property
    def is_clash(self) -> bool:
        """Tell whether another job has its id."""
        return self.proposal != self.job_id


def export_jobs(places: Places, job_ids: Collection[str], path: str) -> None:
    """Write job files as they are to *path*: one to a `.toml`, any number to a `.zip`.

    Raises: UsageError `job-export-format` or `job-export-exists`; NoSuchJobError `no-such-job`;
    JobFileError when a file cannot be read; SetupError `job-file-unwritable`.
    """
    texts = {job_id: _exported(places, job_id) for job_id in job_ids}
    if path.lower().endswith(_ZIP):
        content = _zipped(texts)
    elif path.lower().endswith(SUFFIX) and len(texts) == 1:
        (text,) = texts.values()
        content = text.encode()
    else:
        raise UsageError("job-export-format", path=path, count=len(texts))
    try:
        create_file(path, content)
    except FileExistsError:
        raise UsageError("job-export-exists", path=path) from None


def read_arrivals(places: Places, path: str, start_for: StartFor | None = None) -> list[Arrival]:
    """Jobs that the file at *path* would bring, each with a free id; what is wrong with one hides no other.

    Raises: UsageError `job-import-unreadable` or `job-import-empty`; SetupError `job-folder-unreadable`.
    """
    taken = set(_stems(places))
    arrivals = []
    for name, source, text in _unpacked(path):
        title, error = "", text if isinstance(text, JobFileError) else None
        if isinstance(text, str):
            try:
                title = parse_job(text, source, name, start_for=start_for).title
            except JobFileError as fault:
                error = fault
        proposal = name if is_job_id(name) and name not in taken else propose_id(name, taken)
        taken.add(proposal)
        arrivals.append(Arrival(name, proposal, source, text if isinstance(text, str) else "", title, error))
    if not arrivals:
        raise UsageError("job-import-empty", path=path)
    return arrivals


def import_job(places: Places, arrival: Arrival, job_id: str, start_for: StartFor | None = None) -> Job:
    """Put *arrival* on the shelf under *job_id*, as `add` does; its own error is raised again."""
    if arrival.error is not None:
        raise arrival.error
    return add(places, job_id, arrival.text, arrival.source, start_for)


def _exported(places: Places, job_id: str) -> str:
    if job_id not in job_ids(places):
        raise NoSuchJobError("no-such-job", job=job_id)
    return read_text(places.job_file(job_id), job_id)


def _zipped(texts: Mapping[str, str]) -> bytes:
    import io  # noqa: PLC0415  # rare
    import zipfile  # noqa: PLC0415  # rare, and slow to import

    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for job_id, text in texts.items():
            archive.writestr(zipfile.ZipInfo(job_id + SUFFIX), text)  # without a date: equal jobs, equal bytes
    return packed.getvalue()


def _unpacked(path: str) -> Iterator[tuple[str, str, str | JobFileError]]:
    """Yield id, source and text (or what is wrong with it) of each job file in a `.zip` or `.toml`."""
    import errno  # noqa: PLC0415  # rare, as the others
    import stat  # noqa: PLC0415
    import struct  # noqa: PLC0415
    import zipfile  # noqa: PLC0415  # and slow to import

    if not path.lower().endswith(_ZIP):
        name = os.path.splitext(os.path.basename(path))[0]
        try:
            yield name, path, read_text(path, name)
        except JobFileError as error:
            yield name, path, error
        return
    try:
        if not stat.S_ISREG(os.stat(path).st_mode):  # a pipe would wait for ever
            raise UsageError("job-import-unreadable", path=path, reason=os.strerror(errno.EINVAL))
        with zipfile.ZipFile(path) as archive:
            for entry in archive.infolist():
                # Only the last part of a name counts: `../../x.toml` is the job x and no path.
                name, suffix = os.path.splitext(entry.filename.replace("\\", "/").rpartition("/")[2])
                if suffix == SUFFIX and name:
                    source = f"{path}!{name}{suffix}"  # relative paths start beside the archive
                    yield name, source, _entry_text(archive, entry, JobText(name, source, ""))
    # ValueError: a name that is not in its encoding. NotImplementedError: of a version that Python lacks.
    except (OSError, zipfile.BadZipFile, ValueError, NotImplementedError, struct.error) as error:
        raise UsageError("job-import-unreadable", path=path, reason=str(error)) from error


def _entry_text(archive: ZipFile, entry: ZipInfo, source: JobText) -> str | JobFileError:
    """Text of one job file in an archive; never more of it is unpacked than a job file may have."""
    import zlib  # noqa: PLC0415  # rare
    from zipfile import BadZipFile  # noqa: PLC0415  # rare

    try:
        with archive.open(entry) as file:
            return decode_text(file.read(MAX_SIZE + 1), source)
    except JobFileError as error:
        return error
    # RuntimeError: it is encrypted. NotImplementedError: compressed in a way that Python lacks.
    except (OSError, BadZipFile, zlib.error, EOFError, RuntimeError, NotImplementedError) as error:
        return source.fault("job-file-unreadable", reason=str(error))


def _read(places: Places, stem: str) -> Job | JobFileError:
    path = places.job_file(stem)
    if not is_job_id(stem):
        proposal = propose_id(stem, _stems(places))
        return JobFileError("job-file-name", job=stem, file=path, line=None, place=path, key="", proposal=proposal)
    try:
        return read_job(path, stem)
    except JobFileError as error:
        return error


def _stems(places: Places) -> list[str]:
    """Names of the job files without their suffix, ascending; "" is no job's."""
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
    return UsageError("job-id-taken", job=job_id, proposal=propose_id(job_id, _stems(places)))


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
