"""Keeping a job's workers out while the job goes, and forgetting what is remembered of its items."""

from __future__ import annotations

import os
from contextlib import contextmanager

from trayapp.errors import SetupError, StateError
from trayapp.lock.shared_lock import SharedLock

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from trayapp.places import Places


@contextmanager
def without_workers(places: Places, job_id: str) -> Iterator[None]:
    """Let no worker of the job begin while the block lasts.

    Raises: StateError `workers-running` when one is at work; SetupError `workers-lock-unusable`.
    """
    lock = SharedLock(places.workers_file(job_id))
    try:
        is_alone = lock.take_alone()
    except OSError as error:
        raise SetupError("workers-lock-unusable", job=job_id, reason=error.strerror or str(error)) from error
    if not is_alone:
        raise StateError("workers-running", job=job_id)
    try:
        yield
    finally:
        lock.release()


def forget_items(places: Places, job_id: str) -> bool:
    """Delete what is remembered of a job's items; returns whether there was anything. The targets stay.

    Raises: as `without_workers`; SetupError `failures-unusable`.
    """
    folder = places.items_dir(job_id)
    with without_workers(places, job_id):
        try:
            for name in os.listdir(folder):
                os.unlink(os.path.join(folder, name))
            os.rmdir(folder)
        except FileNotFoundError:
            return False
        except OSError as error:
            raise SetupError("failures-unusable", path=folder, reason=error.strerror or str(error)) from error
    return True
