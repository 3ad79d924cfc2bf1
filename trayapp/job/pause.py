"""Pausing: the trigger stays, each fire says so and leaves."""

from __future__ import annotations

import os

from trayapp import clock
from trayapp.value import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from datetime import datetime

    from trayapp.places import Places


class Pause(NamedTuple):
    """A job is paused: *until* an instant, or until somebody resumes it (None)."""

    until: datetime | None


def pause(places: Places, job_id: str, until: datetime | None) -> None:
    """Pause a job; the next start sees it.

    Raises: OSError when the state folder cannot be written.
    """
    from trayapp.whole_file import replace_file  # noqa: PLC0415  # a run only reads it

    replace_file(places.pause_file(job_id), (clock.format_instant(until) if until else "").encode())


def resume(places: Places, job_id: str) -> bool:
    """Let a job run again; returns whether it was paused.

    Raises: OSError when the state folder cannot be written.
    """
    was_paused = read_pause(places, job_id, clock.now()) is not None
    try:  # noqa: SIM105  # contextlib would be loaded by every run
        os.remove(places.pause_file(job_id))
    except FileNotFoundError:
        pass
    return was_paused


def read_pause(places: Places, job_id: str, now: datetime) -> Pause | None:
    """Read whether a job is paused at *now*. A pause whose time is over is none, though its file stays."""
    try:
        with open(places.pause_file(job_id), encoding="utf-8") as file:
            text = file.read().strip()
        until = clock.parse_instant(text) if text else None
    except FileNotFoundError:
        return None
    except (OSError, ValueError):
        until = None  # damaged or unreadable: paused until somebody resumes it, never running by accident
    return None if until is not None and until <= now else Pause(until)
