"""What was taken over from the scheduler: for each job the foreign entry whose work it does, for the way back.

A record is written before the scheduler is, and holds the job file that shall stand: until it
does, the job *waits*. What decides is the scheduler. Where our entry stands the job is
adopted, and its file is put there; where it does not, the foreign entry does the work and the
record goes. So a crash at any moment leaves one of the two at work, and never both.
"""

from __future__ import annotations

import base64
import json
import os

from trayapp import clock
from trayapp.errors import SetupError
from trayapp.job.model import is_job_id
from trayapp.value import NamedTuple
from trayapp.whole_file import flush_folder, replace_file

TYPE_CHECKING = False
if TYPE_CHECKING:
    from datetime import datetime

    from trayapp.places import Places

_FORMAT = 1
_SUFFIX = ".json"


class Adopted(NamedTuple):
    """One foreign entry: *name* and *content* as its scheduler has them, and the *job* that does its work.

    In a crontab *name* is "" and *content* the line; a task is its path and its document.
    *waiting* is the job file that shall stand, "" as soon as it does. A job that *is_removed* was
    taken away without a release: another one may have its name since.
    """

    job: str
    backend: str
    at: datetime
    name: str
    content: bytes
    waiting: str = ""
    is_removed: bool = False


def entry_text(record: Adopted) -> str:
    """What the entry of *record* is for people: its task's path, or its line."""
    return record.name or os.fsdecode(record.content).strip()


def read_adopted(places: Places) -> list[Adopted]:
    """All records by job; one that cannot be understood is left out, and stays where it is.

    Raises: SetupError `adopt-record-unreadable`.
    """
    folder = places.adopted_dir
    try:
        names = sorted(os.listdir(folder))
    except FileNotFoundError:
        return []
    except OSError as error:
        raise _disk_refusal("adopt-record-unreadable", folder, error) from error
    stems = [name.removesuffix(_SUFFIX) for name in names if name.endswith(_SUFFIX)]
    found = [_read(places, stem) for stem in stems if is_job_id(stem)]
    return [record for record in found if record is not None]


def waiting_jobs(places: Places) -> frozenset[str]:
    """Ids of the jobs that wait: an entry that starts one of them is no orphan. Raises as `read_adopted`."""
    return frozenset(record.job for record in read_adopted(places) if record.waiting)


def write_adopted(places: Places, record: Adopted) -> None:
    """Keep *record*, in place of an older one of its job.

    Raises: SetupError `adopt-record-unwritable`.
    """
    content = base64.b64encode(record.content).decode("ascii")
    told = {**record._asdict(), "format": _FORMAT, "at": clock.format_log_time(record.at), "content": content}
    path = places.adopted_file(record.job)
    try:
        os.makedirs(places.adopted_dir, mode=0o700, exist_ok=True)
        replace_file(path, json.dumps(told).encode())
    except OSError as error:
        raise _disk_refusal("adopt-record-unwritable", path, error) from error


def forget_adopted(places: Places, job_id: str) -> None:
    """Forget the record of *job_id*, if there is one.

    Raises: SetupError `adopt-record-unwritable`.
    """
    path = places.adopted_file(job_id)
    try:
        os.unlink(path)
        flush_folder(places.adopted_dir)
    except FileNotFoundError:
        return
    except OSError as error:
        raise _disk_refusal("adopt-record-unwritable", path, error) from error


def _read(places: Places, job_id: str) -> Adopted | None:
    path = places.adopted_file(job_id)
    try:
        with open(path, "rb") as file:
            told = json.loads(file.read())
        at, content = clock.parse_instant(told["at"]), base64.b64decode(told["content"], validate=True)
        name, waiting, is_removed = str(told["name"]), str(told["waiting"]), bool(told.get("is_removed"))
        return Adopted(job_id, str(told["backend"]), at, name, content, waiting, is_removed)
    except OSError as error:
        raise _disk_refusal("adopt-record-unreadable", path, error) from error
    except (ValueError, LookupError, TypeError):
        return None


def _disk_refusal(code: str, path: str, error: OSError) -> SetupError:
    return SetupError(code, path=path, reason=error.strerror or str(error))
