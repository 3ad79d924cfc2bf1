"""Instants: aware UTC `datetime`s in, aware UTC `datetime`s out.

Local time exists at the edges only, because Python compares two local times of one zone
by wall clock: 02:30 and the repeated 02:30 of an autumn night are "equal".
"""

from __future__ import annotations

import time
from datetime import UTC, datetime, timedelta

from trayapp.errors import StateError

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_SECOND = timedelta(seconds=1)


def now() -> datetime:
    """Read the machine's clock: this instant, aware UTC, to the microsecond.

    Raises: StateError `clock-impossible` for one that is centuries ahead, which Python cannot hold.
    """
    try:
        return datetime.fromtimestamp(time.time(), UTC)
    except (OverflowError, ValueError, OSError) as error:
        raise StateError("clock-impossible") from error


def from_epoch(seconds: float) -> datetime:
    """Turn seconds since 1970-01-01T00:00Z into an instant.

    `datetime.fromtimestamp` refuses negative numbers on Windows; adding does not.
    """
    return EPOCH + timedelta(seconds=seconds)


def to_epoch(at: datetime) -> int:
    """Whole seconds since 1970-01-01T00:00Z of an aware instant, rounded down."""
    return (at - EPOCH) // _SECOND


def format_instant(at: datetime) -> str:
    """Write an instant as `2026-09-04T10:00:00Z`; a fraction of a second is dropped."""
    return at.astimezone(UTC).replace(tzinfo=None, microsecond=0).isoformat() + "Z"


def format_log_time(at: datetime) -> str:
    """Write an instant with milliseconds, as log lines begin: `2026-09-04T12:05:01.123Z`."""
    return at.astimezone(UTC).replace(tzinfo=None).isoformat(timespec="milliseconds") + "Z"


def parse_instant(text: str) -> datetime:
    """Read an ISO 8601 instant that names its offset (`Z` or `+03:00`).

    Raises: ValueError when the text is no date and time, or names no offset: whose
    midnight it means would be a guess.
    """
    at = datetime.fromisoformat(text)
    if at.tzinfo is None:
        message = f"no offset in {text!r}"
        raise ValueError(message)
    return at.astimezone(UTC)
