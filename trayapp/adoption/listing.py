"""What the system's scheduler starts beside Birkez's own jobs: the user's entries, and the system's for reading."""

from __future__ import annotations

import sys

from trayapp.adoption import cron_lines, elsewhere, tasks
from trayapp.errors import BirkezError, TriggerError
from trayapp.trigger import crontab_program
from trayapp.trigger.adopted import read_adopted
from trayapp.trigger.crontab import Crontab
from trayapp.trigger.schtasks import Schtasks
from trayapp.value import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from trayapp.adoption.entry import Entry
    from trayapp.places import Places
    from trayapp.trigger.adopted import Adopted
    from trayapp.trigger.backend import Backend


class Listing(NamedTuple):
    """The user's *entries*, those of the *system* that are only shown, and what was adopted before.

    *trouble* says why the user's own could not be read.
    """

    scheduler: str
    entries: tuple[Entry, ...]
    system: tuple[Entry, ...]
    adopted: tuple[Adopted, ...]
    trouble: BirkezError | None = None


def list_entries(places: Places, backend: Backend) -> Listing:
    """All that can be seen; where the user's own entries cannot be read, the rest and the reason.

    Raises: SetupError `adopt-record-unreadable`.
    """
    trouble: BirkezError | None = None
    entries: list[Entry] = []
    try:
        entries = read_own(backend)
    except BirkezError as error:
        trouble = error
    adopted = read_adopted(places)
    # A task that was adopted still stands there, switched off, and must not be offered as one to switch on.
    ours = {record.name for record in adopted if record.name and record.backend == backend.name}
    entries = [entry for entry in entries if not (entry.key in ours and _is_off(entry))]
    system = elsewhere.read_system() if sys.platform != "win32" and isinstance(backend, Crontab) else []
    return Listing(backend.name, tuple(entries), tuple(system), tuple(adopted), trouble)


def _is_off(entry: Entry) -> bool:
    return entry.refusal is not None and entry.refusal.code == "adopt-disabled"


def read_own(backend: Backend) -> list[Entry]:
    """The user's entries that are not Birkez's, in the order of their scheduler.

    Raises: TriggerError when they cannot be read, or `adopt-no-keeper`.
    """
    if isinstance(backend, Schtasks):
        return tasks.read_tasks(*backend.foreign())
    if not isinstance(backend, Crontab):
        raise TriggerError("adopt-no-keeper", scheduler=backend.name)
    table = crontab_program.read_table() or b""
    heeds_cron_tz = b"CRON_TZ" in table and crontab_program.heeds_cron_tz()
    return cron_lines.read_entries(table, cron_lines.account_home(), heeds_cron_tz=heeds_cron_tz)
