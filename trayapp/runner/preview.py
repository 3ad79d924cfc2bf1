"""What a run would do now, for `--dry-run`, `status` and the tray: writes nothing, takes no lock."""

from __future__ import annotations

import os

from trayapp import clock
from trayapp.job.cache import load_job
from trayapp.job.pause import read_pause
from trayapp.ledger.ledger import Standing
from trayapp.ledger.seen import has_run
from trayapp.runner.decision import check_clock, decide
from trayapp.runner.opening import is_clock_accepted, ledger_path, open_ledger
from trayapp.runner.pipeline import running_window
from trayapp.value import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from datetime import datetime

    from trayapp.job.model import Job
    from trayapp.job.pause import Pause
    from trayapp.ledger.ledger import WindowRow
    from trayapp.places import Places
    from trayapp.runner.decision import Decision, Wish


class Preview(NamedTuple):
    """A job, where its ledger stands, and the decision that a run would come to.

    `running` is a window whose command outlives its run: a run would wait for it.
    """

    job: Job
    standing: Standing
    decision: Decision
    paused: Pause | None
    running: WindowRow | None = None


def preview(places: Places, wish: Wish) -> Preview:
    """Ask the run's own decision function.

    Raises: what a run would stop with, before it does anything.
    """
    job = load_job(places, wish.job)
    now = clock.now()
    standing = standing_of(places, job, wish.window)
    if not is_clock_accepted(places, now):
        check_clock(standing, now, job.id)
    decision, paused = decide(job, standing, wish, now), read_pause(places, job.id, now)
    return Preview(job, standing, decision, paused, running_window(standing))


def standing_of(places: Places, job: Job, asked: datetime | None = None) -> Standing:
    """Where the job stands; *asked* adds the row that holds that instant. Nothing is made.

    Raises: SetupError, StateError: what a run would stop with.
    """
    path, start = ledger_path(places, job), job.window.start
    if path == places.ledger_db and not os.path.exists(path) and not has_run(places, job.id):
        return Standing(start, start, (), None, is_new=True)  # the first run will make it; a look makes nothing
    ledger, _ = open_ledger(places, job)
    try:
        return ledger.standing(job.id, start, asked)
    finally:
        ledger.close()
