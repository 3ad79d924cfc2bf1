"""What the scheduler's own start of a job without a file does: look whether its adoption was cut off, and end it."""

from __future__ import annotations

from trayapp.adoption.exchange import keeper, settle
from trayapp.job.shelf import job_ids
from trayapp.trigger.adopted import waiting_jobs
from trayapp.trigger.here import backend_here

TYPE_CHECKING = False
if TYPE_CHECKING:
    from trayapp.places import Places


def settle_started(places: Places, job_id: str) -> bool:
    """Put the file of *job_id* in its place where it waits; tell whether it may run now.

    Raises: what `settle` raises.
    """
    if job_id not in waiting_jobs(places):
        return False
    backend = backend_here(places)
    if backend is None:
        return False
    settled = settle(places, keeper(backend))
    # Another start, or the person's own command, may have ended it while this one waited for its turn.
    return settled[job_id] if job_id in settled else job_id in job_ids(places)
