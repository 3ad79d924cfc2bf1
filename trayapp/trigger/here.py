"""Which scheduler starts jobs on this computer.

The one that the system has, unless `BIRKEZ_SCHEDULER` names another or `none`: then
Birkez reads and writes no scheduler, as in a container whose own scheduler starts jobs, in
the demo and in tests.
"""

from __future__ import annotations

import os
import sys

from trayapp.errors import SetupError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from trayapp.places import Places
    from trayapp.trigger.backend import Backend

VARIABLE = "BIRKEZ_SCHEDULER"
NO_SCHEDULER = "none"
NAMES = ("crontab", "schtasks", "launchd")
_OF_SYSTEM = {"win32": "schtasks", "darwin": "launchd"}  # every other system has cron


def backend_here(places: Places) -> Backend | None:
    """Scheduler that starts the jobs of *places*; None where the environment says `none`.

    Raises: SetupError `scheduler-unknown`.
    """
    wish = os.environ.get(VARIABLE, "")
    if wish == NO_SCHEDULER:
        return None
    if wish and wish not in NAMES:
        raise SetupError("scheduler-unknown", value=wish, allowed=[*NAMES, NO_SCHEDULER])
    return backend_named(wish or _OF_SYSTEM.get(sys.platform, "crontab"), places)


def backend_named(name: str, places: Places) -> Backend:
    """One of NAMES, whichever system this is: to render an entry none of them needs its system."""
    if name == "schtasks":
        from trayapp.trigger.schtasks import Schtasks  # noqa: PLC0415  # a system has one scheduler

        return Schtasks(places)
    if name == "launchd":
        from trayapp.trigger.launchd import Launchd  # noqa: PLC0415  # as above

        return Launchd(places)
    from trayapp.trigger.crontab import Crontab  # noqa: PLC0415  # as above

    return Crontab(places)
