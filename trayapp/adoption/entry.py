"""A foreign entry of the scheduler, read: what it does and when, and whether a job can do it instead."""

from __future__ import annotations

import hashlib

from trayapp.errors import BirkezError, TriggerError
from trayapp.value import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from trayapp.job.model import CommandEffect
    from trayapp.job.schedule import Schedule

_DIGITS = 4  # of an entry's check; beside its number it need not be unique


class Entry(NamedTuple):
    """One foreign entry.

    *number* counts the lines of a crontab, or the tasks. *text* is the line, or a task's path;
    *times* and *command* are what it says, for people. *refusal* tells why no job can do its
    work; without one *schedule* and *effect* say what the job is. *cautions* are what will be
    otherwise. *key* and *occurrence* find it again in its scheduler; *raw* is all that it is.
    """

    source: str
    number: int
    text: str
    times: str
    command: str
    title: str = ""
    schedule: Schedule | None = None
    effect: CommandEffect | None = None
    refusal: BirkezError | None = None
    cautions: tuple[BirkezError, ...] = ()
    raw: bytes = b""
    check: str = ""
    occurrence: int = 0
    key: str = ""

    @property
    def name(self) -> str:
        """What a person types for it: its number, and a check that nobody has changed it since; "" for read-only."""
        return f"{self.number}-{self.check}" if self.check else ""


def check_of(parts: Iterable[bytes]) -> str:
    """Check of an entry that *parts* make up, all that decides what the job will be."""
    return hashlib.sha256(b"\0".join(parts)).hexdigest()[:_DIGITS]


def named(entries: Sequence[Entry], name: str) -> Entry:
    """Entry that *name* means; one that has only moved since the list is found by its check.

    Raises: TriggerError `adopt-no-entry`, with the entry that has this number now where there is one, as `near`.
    """
    found = [entry for entry in entries if entry.name == name]
    number, _dash, check = name.partition("-")
    moved = [entry for entry in entries if check and entry.check == check]
    if found or len(moved) == 1:
        return (found or moved)[0]
    near = next((entry for entry in entries if entry.name and str(entry.number) == number), None)
    if near is None:
        raise TriggerError("adopt-no-entry", entry=name)
    raise TriggerError("adopt-entry-changed", entry=name, near=near.name, text=near.text)
