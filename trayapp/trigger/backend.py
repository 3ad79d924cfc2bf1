"""What every native scheduler does for Birkez, whichever it is: the protocol and its values.

A backend speaks for one scheduler (crontab, Task Scheduler, launchd) and for one
`BIRKEZ_HOME`: entries of another home, and all that Birkez did not write, are foreign.

- It says exactly what the schedule says, or refuses with the nearest that it can say.
- It changes nothing unless it knows what stands there, and it reads back what it wrote.
- It reads no job file and keeps no journal: `registration` does both, around it.
"""

from __future__ import annotations

from trayapp.value import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Sequence
    from typing import Protocol

    from trayapp.errors import BirkezError
    from trayapp.job.model import Job

ALL_JOBS = ""  # the job of the one entry that starts all jobs when the computer or its user comes up


class Entry(NamedTuple):
    """One entry as the scheduler has it, or would have it.

    `job` is the id of the job that it starts, or ALL_JOBS. `times` is what it says about
    when, in the scheduler's own words and one order, so that two entries can be compared.
    `command` is the argv that starts the runner; empty where it cannot be read as one.
    `is_in_place` is False where it stands so that the scheduler takes it for something else than
    its words say. `text` is the whole entry as the scheduler keeps it, for `birkez schedule show`.
    """

    job: str
    times: tuple[str, ...]
    command: tuple[str, ...]
    text: str
    is_enabled: bool = True
    is_in_place: bool = True


class Change(NamedTuple):
    """One write to the scheduler: what stood under `name` before and after, byte for byte.

    `name` is the scheduler's own name for what was written (a task, a plist, the user's
    crontab). None is what was not there.
    """

    backend: str
    name: str
    before: bytes | None
    after: bytes | None


if TYPE_CHECKING:

    class Backend(Protocol):
        """One native scheduler. Every method raises TriggerError where the scheduler says no."""

        name: str  # "crontab", "schtasks" or "launchd"

        def entry_for(self, job: Job) -> Entry:
            """Entry that *job* shall have; nothing is read or written.

            Raises: TriggerError `schedule-not-sayable` with the reason and the `nearest`
            schedule that this scheduler can say.
            """

        def entries(self) -> list[Entry]:
            """Our entries as they stand, the one for ALL_JOBS too.

            Raises: TriggerError when they cannot be read: what stands there is then unknown.
            """

        def install(self, jobs: Sequence[Job]) -> list[Change]:
            """Make the entries of *jobs* stand as `entry_for` says, and the one for ALL_JOBS; others stay.

            What stands so already is not written. Read back and compared: an entry that the
            scheduler took and did not keep is an error.
            """

        def remove(self, job_ids: Collection[str]) -> list[Change]:
            """Take the entries of *job_ids* out; with the last, the one for ALL_JOBS goes too."""

        def undo(self, change: Change) -> Change:
            """Put back what *change* replaced, keeping what others have written since.

            Raises: TriggerError `undo-changed-since` where our part was changed since.
            """

        def obstacles(self) -> list[BirkezError]:
            """What keeps this scheduler from firing here: no daemon, not allowed, not installed."""
