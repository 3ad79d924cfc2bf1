"""What a run would do now, for `--dry-run`, `status` and the tray: writes nothing, takes no lock."""

from __future__ import annotations

from trayapp import clock
from trayapp.job.cache import load_job
from trayapp.runner.decision import check_clock, decide
from trayapp.runner.opening import is_clock_accepted, open_ledger
from trayapp.runner.pause import read_pause
from trayapp.value import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from trayapp.job.model import Job
    from trayapp.ledger.ledger import Standing
    from trayapp.places import Places
    from trayapp.runner.decision import Decision, Wish
    from trayapp.runner.pause import Pause


class Preview(NamedTuple):
    """A job, where its ledger stands, and the decision that a run would come to."""

    job: Job
    standing: Standing
    decision: Decision
    paused: Pause | None


def preview(places: Places, wish: Wish) -> Preview:
    """Ask the run's own decision function.

    Raises: what a run would stop with, before it does anything.
    """
    job = load_job(places, wish.job)
    now = clock.now()
    ledger, _ = open_ledger(places, job)
    try:
        standing = ledger.standing(job.id, job.window.start, wish.window)
    finally:
        ledger.close()
    if not is_clock_accepted(places, now):
        check_clock(standing, now, job.id)
    return Preview(job, standing, decide(job, standing, wish, now), read_pause(places, job.id, now))
