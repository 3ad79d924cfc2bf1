"""How long a job may go without a success before a person is told, as `warn_after` says it.

A leaf, since a job file and the settings of all jobs say it alike.
"""

from __future__ import annotations

NEVER = "never"
ALLOWED = '"never", "90m", "12h", "3d"'
_UNIT_S = {"m": 60, "h": 3_600, "d": 86_400}
_LONGEST_S = 366 * 86_400
_DIGITS = 6


def patience_s(text: str) -> int | None:
    """Seconds that *text* asks for; None where it is no length of time from a minute to a year."""
    number, unit = text[:-1], text[-1:]
    if unit not in _UNIT_S or not number.isascii() or not number.isdigit() or len(number) > _DIGITS:
        return None
    seconds = int(number) * _UNIT_S[unit]
    return seconds if 0 < seconds <= _LONGEST_S else None


def is_patience(text: str) -> bool:
    """Tell whether `warn_after` may be *text*; empty leaves it to the schedule."""
    return text in ("", NEVER) or patience_s(text) is not None
