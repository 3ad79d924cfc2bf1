"""One file with jobs, settings and state, made while runs go on; and bringing it back.

Databases are copied by SQLite's backup API: a copy of the file would miss or tear what
stands in the WAL. They are also brought back through it, into the file that is there, so
no old WAL can be laid over new pages, whoever has it open.
What the jobs did stays in their own databases, which are the office's own to back up. What
is remembered of them is brought back only where nothing is remembered: a
restored, older ledger must be noticed by the next run. The ledger of commands comes from the
backup itself, so where nothing is remembered of it, it counts as older than it was: what
was sent since the backup nobody can know.
"""

from __future__ import annotations

import contextlib
import json
import os
import sqlite3
import tempfile
import zipfile

from trayapp import clock
from trayapp.errors import SetupError, StateError
from trayapp.job.model import is_job_id
from trayapp.job.shelf import SUFFIX, job_ids
from trayapp.ledger.seen import remember_mark
from trayapp.ledger.sqlite import open_sqlite_ledger
from trayapp.lock.holder import own_holder
from trayapp.lock.job_lock import acquire
from trayapp.value import NamedTuple
from trayapp.whole_file import replace_file

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from datetime import datetime

    from trayapp.places import Places

_FORMAT = 1
_MANIFEST = "birkez.json"
_DATABASES = ("ledger.db", "history.db")
_LARGEST_FILE = 1 << 20  # job files and marks are small; more is no backup of ours


class Contents(NamedTuple):
    """What a backup holds: when it was made, and its jobs."""

    made_at: datetime
    jobs: tuple[str, ...]
    databases: tuple[str, ...]


def back_up(places: Places, path: str) -> Contents:
    """Write jobs, settings and state into a new zip file at *path*, whole or not at all.

    Raises: SetupError `backup-exists`, `backup-unwritable`, `backup-state-full` (the databases
    are copied in the state folder first); what a job shelf that cannot be read raises.
    """
    if os.path.lexists(path):
        raise SetupError("backup-exists", path=path)
    contents = Contents(clock.now(), tuple(job_ids(places)), tuple(_existing_databases(places)))
    temporary = f"{path}.{os.getpid()}.part"
    try:
        with zipfile.ZipFile(temporary, "x", zipfile.ZIP_DEFLATED) as archive:
            _write(places, archive, contents)
        with open(temporary, "rb+") as file:
            os.fsync(file.fileno())
        os.replace(temporary, path)
    except (OSError, sqlite3.Error, SetupError) as error:
        with contextlib.suppress(OSError):
            os.remove(temporary)
        if isinstance(error, SetupError):
            raise
        raise SetupError("backup-unwritable", path=path, reason=str(error)) from error
    return contents


def look_into(path: str) -> Contents:
    """Read what a backup holds.

    Raises: SetupError `backup-missing`, `backup-unreadable`; StateError `backup-newer`.
    """
    with _open(path) as archive:
        return _contents(path, archive)


def restore(places: Places, path: str) -> Contents:
    """Bring back what the backup at *path* holds; jobs that it does not hold stay.

    Waits for nobody: raises StateError `job-running` when any job of either side is at
    work, before anything is changed. Raises as `look_into` does; SetupError
    `restore-failed` names the file that could not be written.
    """
    with _open(path) as archive:
        contents = _contents(path, archive)
        places.make_folders()
        with contextlib.ExitStack() as locks:
            for job_id in sorted({*contents.jobs, *job_ids(places)}):
                holder = own_holder("restore", "manual", clock.now())
                locks.enter_context(acquire(places.lock_file(job_id), holder))
            remembered = set(os.listdir(places.seen_dir))
            for name in archive.namelist():
                if name != _MANIFEST:
                    _bring_back(places, archive, name)
            if "ledger.db" in contents.databases:
                _distrust_ledger(places, remembered)
    return contents


def _write(places: Places, archive: zipfile.ZipFile, contents: Contents) -> None:
    manifest = {"format": _FORMAT, "made_at": clock.format_instant(contents.made_at), "jobs": contents.jobs}
    archive.writestr(_MANIFEST, json.dumps(manifest))
    for job_id in contents.jobs:
        _add(archive, f"jobs/{job_id}{SUFFIX}", places.job_file(job_id))
        _add(archive, f"seen/{job_id}", places.seen_file(job_id))
        _add(archive, f"paused/{job_id}", places.pause_file(job_id))
    _add(archive, "settings.toml", places.settings_file)
    with _folder_for_copies(places) as folder:
        for name in contents.databases:
            copy = os.path.join(folder, name)
            try:
                _copy_database(os.path.join(places.state, name), copy)
            except (OSError, sqlite3.Error) as error:
                raise SetupError("backup-state-full", path=places.state, reason=str(error)) from error
            archive.write(copy, f"state/{name}")


@contextlib.contextmanager
def _folder_for_copies(places: Places) -> Iterator[str]:
    """Make a folder on this computer for a while: where the backup goes, SQLite may find no locks."""
    try:
        folder = tempfile.TemporaryDirectory(dir=places.state)
    except OSError as error:
        raise SetupError("backup-state-full", path=places.state, reason=str(error)) from error
    with folder as path:
        yield path


def _add(archive: zipfile.ZipFile, name: str, path: str) -> None:
    try:
        with open(path, "rb") as file:
            archive.writestr(name, file.read())
    except FileNotFoundError:
        return  # a job that is not paused, or has never run


def _existing_databases(places: Places) -> Iterator[str]:
    return (name for name in _DATABASES if os.path.exists(os.path.join(places.state, name)))


def _copy_database(source: str, target: str) -> None:
    with (
        contextlib.closing(sqlite3.connect(source, timeout=30)) as old,
        contextlib.closing(sqlite3.connect(target)) as new,
    ):
        old.backup(new)
        new.execute("PRAGMA journal_mode=DELETE")  # one file, without a WAL beside it


@contextlib.contextmanager
def _open(path: str) -> Iterator[zipfile.ZipFile]:
    try:
        archive = zipfile.ZipFile(path)
    except FileNotFoundError as error:
        raise SetupError("backup-missing", path=path) from error
    except (OSError, zipfile.BadZipFile) as error:
        raise SetupError("backup-unreadable", path=path, reason=str(error)) from error
    with archive:
        yield archive


def _contents(path: str, archive: zipfile.ZipFile) -> Contents:
    try:
        damaged = archive.testzip()
        manifest = json.loads(archive.read(_MANIFEST))
        found, made_at = int(manifest["format"]), clock.parse_instant(manifest["made_at"])
        jobs = tuple(job_id for job_id in manifest["jobs"] if is_job_id(job_id))
    except (KeyError, ValueError, TypeError, zipfile.BadZipFile, OSError) as error:
        raise SetupError("backup-unreadable", path=path, reason=str(error)) from error
    if damaged is not None:
        raise SetupError("backup-unreadable", path=path, reason=damaged)
    if found > _FORMAT:
        raise StateError("backup-newer", path=path, found=found, known=_FORMAT)
    names = archive.namelist()
    databases = tuple(name for name in _DATABASES if f"state/{name}" in names)
    return Contents(made_at, jobs, databases)


def _bring_back(places: Places, archive: zipfile.ZipFile, name: str) -> None:
    folder, _, file_name = name.rpartition("/")
    target = _target(places, folder, file_name)
    if target is None:
        return
    try:
        if folder == "state":
            _bring_back_database(places, archive, name, target)
        elif folder != "seen" or not os.path.exists(target):
            _replace(target, archive.read(name))
    except (OSError, sqlite3.Error) as error:
        raise SetupError("restore-failed", path=target, reason=str(error)) from error


def _distrust_ledger(places: Places, remembered: set[str]) -> None:
    """Let each job of the restored `ledger.db` that was not *remembered* stop until a person accepts it."""
    ledger = open_sqlite_ledger(places.ledger_db)
    try:
        mark, jobs = ledger.mark(), ledger.jobs()
    finally:
        ledger.close()
    for job_id in jobs:
        if mark is not None and job_id not in remembered:
            remember_mark(places, job_id, mark._replace(commits=mark.commits + 1))


def _target(places: Places, folder: str, file_name: str) -> str | None:
    """Where a member belongs; None for a name that no backup of ours holds."""
    if folder == "" and file_name == "settings.toml":
        return places.settings_file
    if folder == "state" and file_name in _DATABASES:
        return os.path.join(places.state, file_name)
    if folder == "jobs" and file_name.endswith(SUFFIX) and _is_plain(file_name):
        return os.path.join(places.jobs_dir, file_name)
    if folder == "seen" and _is_plain(file_name):
        return os.path.join(places.seen_dir, file_name)
    if folder == "paused" and _is_plain(file_name):
        return os.path.join(places.state, folder, file_name)
    return None


def _is_plain(file_name: str) -> bool:
    return bool(file_name) and not set(file_name) & set('/\\:"*?<>|\0') and file_name.strip(". ") == file_name


def _replace(target: str, content: bytes) -> None:
    if len(content) > _LARGEST_FILE:
        raise OSError(len(content), "too large")
    replace_file(target, content)


def _bring_back_database(places: Places, archive: zipfile.ZipFile, name: str, target: str) -> None:
    with tempfile.TemporaryDirectory(dir=places.state) as folder:
        copy = archive.extract(name, folder)
        with (
            contextlib.closing(sqlite3.connect(copy)) as source,
            contextlib.closing(sqlite3.connect(target)) as present,
        ):
            if source.execute("PRAGMA quick_check").fetchone() != ("ok",):
                raise sqlite3.DatabaseError(name)
            present.execute("PRAGMA busy_timeout=30000")
            source.backup(present)
            present.execute("PRAGMA journal_mode=WAL")
    os.chmod(target, 0o600)
