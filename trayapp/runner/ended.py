"""Runs that history takes for running and that did come to an end: their log line says so.

On a full disk the line may find room where the row in history does not.
"""

from __future__ import annotations

from trayapp.history.store import ABANDONED
from trayapp.log.job_log import BELIRSIZ, HATA, parse_line, read_tail

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection

    from trayapp.log.job_log import LogLine

_LINES = 2_000
_NO_END = (ABANDONED, "command-died", "ledger-unremembered")  # said in the midst of a run, or of another one


def ends_in_log(path: str, runs: Collection[str]) -> dict[str, LogLine]:
    """Find the line that tells how each of *runs* ended, in the newest lines of the log at *path*."""
    if not runs:
        return {}
    try:
        lines = [parse_line(line) for line in read_tail(path, _LINES)]
    except OSError:
        return {}
    return {
        line.fields["kosum"]: line
        for line in lines
        if line is not None and line.token in (HATA, BELIRSIZ)
        if line.fields.get("kosum") in runs and line.fields.get("sebep") not in _NO_END
    }


def outcome_of(line: LogLine) -> str:
    """What history says of a run whose last word was *line*."""
    if line.token == BELIRSIZ:
        return "uncertain"
    return "stopped" if line.fields.get("sebep") == "durduruldu" else "failed"
