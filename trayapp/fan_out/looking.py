"""How a job's items stand, for display: nothing is made, no lock is taken, nobody is disturbed."""

from __future__ import annotations

import os

from trayapp import clock
from trayapp.errors import SetupError
from trayapp.fan_out.failures import Failures, read_failures
from trayapp.fan_out.items import read_items
from trayapp.fan_out.names import folds_case
from trayapp.fan_out.place import count_standing
from trayapp.fan_out.progress import read_progress
from trayapp.job.pause import read_pause
from trayapp.value import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from trayapp.errors import EffectError
    from trayapp.fan_out.failures import Failure
    from trayapp.fan_out.place import Standing
    from trayapp.fan_out.progress import Progress
    from trayapp.job.model import Job
    from trayapp.job.pause import Pause
    from trayapp.places import Places


class Look(NamedTuple):
    """How the list stands, which items have failed or wait for another try, which lines are none."""

    standing: Standing
    failed: tuple[Failure, ...]
    retried: tuple[Failure, ...]
    refused: tuple[EffectError, ...]
    progress: Progress | None
    paused: Pause | None = None


def look_at_items(places: Places, job: Job) -> Look:
    """Count the items of *job* as they stand now.

    Raises: SetupError when the list or the folder cannot be read.
    """
    assert job.items is not None  # a caller's bug
    items = read_items(job.items, folds_case=folds_case(job.items.folder))
    have, listed = _names(job.items.folder), set(items.names)
    known = [
        failure
        for name, failure in sorted(read_failures(places.items_dir(job.id)).items())
        if name not in have and name in listed
    ]
    failed = tuple(failure for failure in known if failure.has_failed(job.items.attempts))
    retried = tuple(failure for failure in known if not failure.has_failed(job.items.attempts))
    standing = count_standing(items.names, have, {failure.name for failure in failed}, len(items.refused))
    paused = read_pause(places, job.id, clock.now())
    return Look(standing, failed, retried, tuple(items.refused), progress_of(places, job.id), paused)


def progress_of(places: Places, job_id: str) -> Progress | None:
    """How far the workers of a job are; None when nobody is at work. Never raises."""
    return read_progress(places.items_dir(job_id))


def retry_failed(places: Places, job_id: str) -> int:
    """Let what has failed be tried again by the next run; returns how many items that are.

    Raises: SetupError `failures-unusable`.
    """
    folder = places.items_dir(job_id)
    if not os.path.isdir(folder):
        return 0
    failures = Failures(folder)
    try:
        return failures.forget_all()
    finally:
        failures.close()


def _names(folder: str) -> set[str]:
    try:
        return set(os.listdir(folder))
    except FileNotFoundError:
        return set()
    except OSError as error:
        raise SetupError("targets-unwritable", path=folder, reason=error.strerror or str(error)) from error
