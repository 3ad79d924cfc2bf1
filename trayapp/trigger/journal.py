"""What Birkez has written to the system's scheduler, newest last, so that it can be undone.

A write is noted before it happens and completed after it, so a crash between the two
leaves a record that says so, never a write that nobody knows of. The newest RECORDS are
kept, fewer when they are large. The journal is one file, replaced whole each time; the
caller holds `alone` from the note to its completion.
"""

from __future__ import annotations

import base64
import contextlib
import json
import os

from trayapp import clock
from trayapp.errors import SetupError, StateError
from trayapp.lock.short_lock import ShortLock
from trayapp.trigger.backend import Change
from trayapp.value import NamedTuple
from trayapp.whole_file import replace_file

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from datetime import datetime

    from trayapp.places import Places

BEGUN = "begun"  # noted, and not known to have happened
DONE = "done"
UNDONE = "undone"  # a later record put back what stood before it
ADOPT, RELEASE = "adopt", "release"  # why: a foreign entry was taken over, or given back
RECORDS = 50
_LARGEST_FILE = 8 << 20  # bytes; a whole crontab stands in each record twice
_FORMAT = 1
_WAIT_S = 30.0  # a scheduler's program takes a second, a slow Windows some


class Record(NamedTuple):
    """One write: what for (`install`, `remove`, `repair`, `undo`, ADOPT, RELEASE), which jobs, what it changed."""

    at: datetime
    why: str
    backend: str
    jobs: tuple[str, ...]
    state: str
    changes: tuple[Change, ...] = ()


@contextlib.contextmanager
def alone(places: Places) -> Iterator[None]:
    """Let nobody else write to the scheduler for this home meanwhile.

    Raises: StateError `trigger-busy` when another keeps it for half a minute; SetupError
    `trigger-journal-unwritable`.
    """
    folder = os.path.dirname(places.trigger_journal)
    try:
        os.makedirs(folder, mode=0o700, exist_ok=True)
        lock = ShortLock(places.trigger_journal + ".lock")
        is_ours = lock.acquire(_WAIT_S)
    except OSError as error:
        raise _unwritable(places, error) from error
    try:
        if not is_ours:
            raise StateError("trigger-busy", path=places.trigger_journal + ".lock")
        yield
    finally:
        lock.close()


def read_records(places: Places) -> list[Record]:
    """All that is kept, oldest first; a journal that cannot be understood is set aside and counts as empty.

    Raises: SetupError `trigger-journal-unreadable` when the system does not let it be read.
    """
    path = places.trigger_journal
    try:
        with open(path, "rb") as file:
            content = file.read()
    except FileNotFoundError:
        return []
    except OSError as error:
        raise SetupError("trigger-journal-unreadable", path=path, reason=error.strerror or str(error)) from error
    try:
        return [_from_json(record) for record in json.loads(content)["records"]]
    except (ValueError, LookupError, TypeError, AttributeError):
        aside = f"{path}.{clock.now():%Y%m%d-%H%M%S}.broken"
        with contextlib.suppress(OSError):  # then it is written over: what was written can be seen in the scheduler
            os.replace(path, aside)
        return []


def note(places: Places, why: str, backend: str, jobs: Sequence[str]) -> Record:
    """Note that a write begins; raises SetupError `trigger-journal-unwritable`, and then it must not."""
    record = Record(clock.now(), why, backend, tuple(jobs), BEGUN)
    _write(places, [*read_records(places), record])
    return record


def complete(places: Places, changes: Sequence[Change]) -> None:
    """Say what the newest record's write changed; one that changed nothing is forgotten.

    Raises: SetupError `trigger-journal-unwritable`; the record is then one that began.
    """
    *before, newest = read_records(places)
    done = [newest._replace(state=DONE, changes=tuple(changes))] if changes else []
    _write(places, [*before, *done])


def complete_undo(places: Places, undone: Record, changes: Sequence[Change], left: Sequence[Change]) -> None:
    """Complete the newest record, which undid *undone*; *left* is what of that still stands."""
    *before, newest = read_records(places)
    changed = undone._replace(changes=tuple(left)) if left else undone._replace(state=UNDONE)
    before = [changed if record == undone else record for record in before]
    _write(places, [*before, newest._replace(state=DONE, changes=tuple(changes))] if changes else before)


def _write(places: Places, records: list[Record]) -> None:
    kept = [_to_json(record) for record in records[-RECORDS:]]
    while len(content := json.dumps({"format": _FORMAT, "records": kept}).encode()) > _LARGEST_FILE and len(kept) > 1:
        del kept[0]
    try:
        replace_file(places.trigger_journal, content)
    except OSError as error:
        raise _unwritable(places, error) from error


def _to_json(record: Record) -> dict[str, object]:
    changes = [
        {**change._asdict(), "before": _to_text(change.before), "after": _to_text(change.after)}
        for change in record.changes
    ]
    return {**record._asdict(), "at": clock.format_log_time(record.at), "changes": changes}


def _from_json(found: dict[str, object]) -> Record:
    changes = tuple(
        Change(str(change["backend"]), str(change["name"]), _to_bytes(change["before"]), _to_bytes(change["after"]))
        for change in _listed(found["changes"])
    )
    at, jobs = clock.parse_instant(str(found["at"])), tuple(map(str, _listed(found["jobs"])))
    return Record(at, str(found["why"]), str(found["backend"]), jobs, str(found["state"]), changes)


def _listed(found: object) -> list[dict[str, str | None]]:
    if not isinstance(found, list):
        raise TypeError(found)
    return found


def _to_text(content: bytes | None) -> str | None:
    return None if content is None else base64.b64encode(content).decode()


def _to_bytes(text: str | None) -> bytes | None:
    return None if text is None else base64.b64decode(text, validate=True)


def _unwritable(places: Places, error: OSError) -> SetupError:
    path = places.trigger_journal
    return SetupError("trigger-journal-unwritable", path=path, reason=error.strerror or str(error))
