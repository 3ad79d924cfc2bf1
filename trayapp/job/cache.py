"""The runner's fast path to a job: its checked values, kept beside the identity of their file.

Reading TOML costs more than all else that a run with nothing to do does. The cache is a
copy that may be lost at any time: whatever does not match or is damaged is parsed anew.
It never makes a run fail, and never answers for a file that has changed.
"""

from __future__ import annotations

import marshal
import os
import sys
import time
from datetime import datetime

from trayapp import clock
from trayapp.errors import NoSuchJobError
from trayapp.job.model import (
    CommandEffect,
    DownloadEffect,
    Items,
    Job,
    PythonEffect,
    Source,
    SqlEffect,
    WindowRule,
    is_job_id,
)
from trayapp.job.schedule import Cron, Daily, Every, Monthly, Weekly

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from trayapp.places import Places

_FORMAT = 2  # raise it when the values change, or what a job file may say
_KINDS = (
    *(Job, WindowRule, Items, SqlEffect, PythonEffect, CommandEffect, DownloadEffect, Source),
    *(Every, Daily, Weekly, Monthly, Cron),
)
_HEADER = (_FORMAT, sys.version, tuple((kind.__name__, kind._fields) for kind in _KINDS))
# A file changed twice within one tick of its clock looks the same both times (git calls such
# an entry racy). FAT ticks every 2 s, the others far oftener.
_RACY_S = 2.0
_NEW_FILE = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | getattr(os, "O_BINARY", 0)  # else Windows adds CRs


def load_job(places: Places, job_id: str) -> Job:
    """Checked job with this id, from the cache when its file is the one that was parsed.

    Raises: NoSuchJobError `no-such-job`; JobFileError when the file must be read and is invalid.
    """
    path = os.path.abspath(places.job_file(job_id))
    identity = _identity_of(path) if is_job_id(job_id) else None
    if identity is None:
        raise NoSuchJobError("no-such-job", job=job_id)
    cached = places.cache_file(job_id)
    job = _read(cached, path, identity)
    if job is not None:
        return job
    from trayapp.job.file import read_job  # noqa: PLC0415  # tomllib, which a hit must not pay for

    job = read_job(path, job_id)
    # A change since the look above does no harm: what is stored answers for no file any more.
    if _is_settled(identity):
        _write(cached, path, identity, job)
    return job


def _identity_of(path: str) -> tuple[int, ...] | None:
    """What differs as soon as a file is another or its content changed; None where there is none.

    A file that cannot be looked at has none either, but reading it then says why.
    """
    try:
        found = os.stat(path)
    except FileNotFoundError:
        return None
    except OSError:
        return ()
    return found.st_mtime_ns, found.st_ctime_ns, found.st_size, found.st_ino, found.st_dev


def _is_settled(identity: tuple[int, ...]) -> bool:
    """Tell whether the file's times lie so far back that a change from now on would show in them."""
    try:
        return bool(identity) and max(identity[:2]) < (time.time() - _RACY_S) * 1e9
    except OverflowError:  # a clock that is centuries ahead; the run says so
        return False


def _read(cached: str, path: str, identity: tuple[int, ...]) -> Job | None:
    try:
        with open(cached, "rb") as file:
            data = file.read()
    except OSError:
        return None
    # The values stand there twice. marshal trusts what it reads and may crash on damage; to
    # compare costs nothing, while a checksum's module costs more than all of this.
    half, odd = divmod(len(data), 2)
    if odd or not half or data[:half] != data[half:]:
        return None
    try:
        header, of_path, of_identity, values = marshal.loads(data[:half])  # noqa: S302  # our own, of this user's folder
        if (header, of_path, of_identity) != (_HEADER, path, identity):
            return None
        job = _to_value(values)
    except (ValueError, TypeError, EOFError, LookupError):
        return None
    return job if isinstance(job, Job) else None


def _write(cached: str, path: str, identity: tuple[int, ...], job: Job) -> None:
    data = marshal.dumps((_HEADER, path, identity, _to_plain(job)))
    part = f"{cached}.{os.getpid()}.part"
    try:
        with open(os.open(part, _NEW_FILE, 0o600), "wb") as file:
            file.write(data + data)
        os.replace(part, cached)
    except OSError:
        # A full disk or a read-only folder costs the next run its five milliseconds, no more.
        try:
            os.unlink(part)
        except OSError:
            return


def _to_plain(value: Any) -> Any:  # noqa: ANN401  # whatever a field holds
    """Write *value* with what marshal knows: tuples that begin with the number of their kind."""
    if type(value) in _KINDS:
        return (_KINDS.index(type(value)), *map(_to_plain, value))
    if type(value) is tuple:
        return (None, *map(_to_plain, value))
    if isinstance(value, datetime):
        return ("at", clock.to_epoch(value))
    return value


def _to_value(plain: Any) -> Any:  # noqa: ANN401  # as above
    if type(plain) is not tuple:
        return plain
    kind, *values = plain
    if kind == "at":
        return clock.from_epoch(values[0])
    made = tuple(map(_to_value, values))
    return made if kind is None else _KINDS[kind](*made)
