"""Jobs and settings leave for another computer in one file, and arrive from one.

A file that leaves holds no secrets unless the person says so, and no script, no database and
no record of what was done. Nothing that arrives is written, registered or run here: whoever
reads a parcel shows it first.
"""

from __future__ import annotations

import json
import os

from trayapp.errors import JobFileError, NoSuchJobError, StateError, UsageError
from trayapp.job.fields import JobText
from trayapp.job.file import MAX_SIZE, create_file, decode_text, parse_job, read_text
from trayapp.job.folders import with_folders
from trayapp.job.model import is_job_id, propose_id
from trayapp.job.shelf import SUFFIX, add, job_ids, stems
from trayapp.settings import Settings, read_settings
from trayapp.value import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping, Sequence
    from zipfile import ZipFile, ZipInfo

    from trayapp.job.model import Job
    from trayapp.job.timing_fields import StartFor
    from trayapp.places import Places

_ZIP = ".zip"
_FORMAT = 1
_MANIFEST = "birkez.json"  # no job: those end in .toml


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


class Departure(NamedTuple):
    """What went into the file: jobs, of each the keys whose values stayed here, what could not go, and why."""

    jobs: tuple[str, ...]
    taken: dict[str, tuple[str, ...]]
    left: tuple[JobFileError, ...]
    settings: Settings | None


class Parcel(NamedTuple):
    """What a file of `export_jobs` holds; *settings* only where they came along."""

    arrivals: tuple[Arrival, ...]
    settings: dict[str, str | int | bool]


def export_jobs(places: Places, wanted: Collection[str] | None, path: str, *, with_secrets: bool = False) -> Departure:
    """Write job files to *path*: one to a `.toml`, any number to a `.zip`; None is all jobs and the settings.

    Values that may be secret are replaced by `TAKEN_OUT`, unless *with_secrets*. A job file that
    cannot be read as one then stays behind, and is told, where others go.

    Raises: UsageError `job-export-format` or `job-export-exists`; NoSuchJobError `no-such-job`;
    JobFileError when none can go; SetupError `job-file-unwritable` and those of the settings.
    """
    texts, taken, left = dict[str, str](), dict[str, tuple[str, ...]](), list[JobFileError]()
    ids = job_ids(places) if wanted is None else wanted
    for job_id in ids:
        try:
            texts[job_id], gone = _exported(places, job_id, with_secrets=with_secrets)
        except JobFileError as error:
            left.append(error)
            continue
        if gone:
            taken[job_id] = gone
    if left and not texts:
        raise left[0]
    settings = None
    if path.lower().endswith(_ZIP):
        settings = read_settings(places) if wanted is None else None
        content = _zipped(texts, settings)
    elif path.lower().endswith(SUFFIX) and len(texts) == 1:
        content = next(iter(texts.values())).encode()
    else:
        raise UsageError("job-export-format", path=path, count=len(texts))
    try:
        create_file(path, content)
    except FileExistsError:
        raise UsageError("job-export-exists", path=path) from None
    return Departure(tuple(texts), taken, tuple(left), settings)


def read_parcel(
    places: Places, path: str, start_for: StartFor | None = None, moves: Sequence[tuple[str, str]] = ()
) -> Parcel:
    """Look into a file of `export_jobs`; nothing here changes. *moves* as `with_folders` takes them.

    Raises: as `read_arrivals`; StateError `job-import-newer`.
    """
    return Parcel(tuple(read_arrivals(places, path, start_for, moves)), _packed_settings(path))


def read_arrivals(
    places: Places, path: str, start_for: StartFor | None = None, moves: Sequence[tuple[str, str]] = ()
) -> list[Arrival]:
    """Jobs that the file at *path* would bring, each with a free id; what is wrong with one hides no other.

    Raises: UsageError `job-import-unreadable` or `job-import-empty`; SetupError `job-folder-unreadable`.
    """
    taken = set(stems(places))
    arrivals = []
    for name, source, text in _unpacked(path, moves):
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


def _exported(places: Places, job_id: str, *, with_secrets: bool) -> tuple[str, tuple[str, ...]]:
    from trayapp.job.confidential import without_secrets  # noqa: PLC0415  # only an export pays

    if job_id not in job_ids(places):
        raise NoSuchJobError("no-such-job", job=job_id)
    path = places.job_file(job_id)
    text = read_text(path, job_id)
    if with_secrets:
        return text, ()
    try:
        cleaned = without_secrets(text)
    except ValueError:
        parse_job(text, path, job_id)  # says where it is wrong
        raise
    return cleaned.text, cleaned.taken


def _zipped(texts: Mapping[str, str], settings: Settings | None) -> bytes:
    import io  # noqa: PLC0415  # rare
    import zipfile  # noqa: PLC0415  # rare, and slow to import

    packed = io.BytesIO()
    manifest: dict[str, object] = {"format": _FORMAT, "jobs": list(texts)}
    if settings is not None:
        manifest["settings"] = settings._asdict()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(zipfile.ZipInfo(_MANIFEST), json.dumps(manifest))  # without a date: equal jobs, equal bytes
        for job_id, text in texts.items():
            archive.writestr(zipfile.ZipInfo(job_id + SUFFIX), text)
    return packed.getvalue()


def _packed_settings(path: str) -> dict[str, str | int | bool]:
    """Settings of the file that this Birkez knows; {} where there are none. Raises: StateError `job-import-newer`."""
    import zipfile  # noqa: PLC0415  # as above

    if not path.lower().endswith(_ZIP):
        return {}
    try:
        with zipfile.ZipFile(path) as archive, archive.open(_MANIFEST) as file:
            manifest = json.loads(file.read(MAX_SIZE))
        found, settings = int(manifest["format"]), manifest.get("settings", {})
        known = {name: value for name, value in settings.items() if name in Settings._fields}
    except (KeyError, TypeError, AttributeError, ValueError, OSError, RuntimeError, zipfile.BadZipFile):
        return {}  # of an older Birkez, or made by hand: jobs alone
    if found > _FORMAT:
        raise StateError("job-import-newer", path=path, found=found, known=_FORMAT)
    return known


def _unpacked(path: str, moves: Sequence[tuple[str, str]]) -> Iterator[tuple[str, str, str | JobFileError]]:
    """Yield id, source and text (or what is wrong with it) of each job file in a `.zip` or `.toml`."""
    import errno  # noqa: PLC0415  # rare, as the others
    import stat  # noqa: PLC0415
    import struct  # noqa: PLC0415
    import zipfile  # noqa: PLC0415  # and slow to import

    if not path.lower().endswith(_ZIP):
        name = os.path.splitext(os.path.basename(path))[0]
        try:
            yield name, path, with_folders(read_text(path, name), moves)
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
                    text = _entry_text(archive, entry, JobText(name, source, ""))
                    yield name, source, with_folders(text, moves) if isinstance(text, str) else text
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
