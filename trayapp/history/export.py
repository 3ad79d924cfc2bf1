"""History as a CSV file that the spreadsheet of the person's own country opens by double click.

Turkish: `;` between cells and a decimal comma; English: `,` and a point; UTF-8 with a
byte order mark either way, since Excel takes a file without one for an ANSI page.
A cell of text can never become a formula; numbers stay numbers.
"""

from __future__ import annotations

import csv
import io
from datetime import UTC, timedelta

from trayapp import clock
from trayapp.wording.language import _
from trayapp.wording.mark import N_
from trayapp.wording.numbers import SEPARATORS
from trayapp.wording.reasons import reason_words

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from datetime import datetime
    from typing import BinaryIO

    from trayapp.history.records import RunRecord
    from trayapp.wording.language import Language

HEADINGS = (
    N_("Started"),
    N_("Started (UTC)"),
    N_("Ended"),
    N_("Duration (s)"),
    N_("Job"),
    N_("Started by"),
    N_("Outcome"),
    N_("Reason"),
    N_("Periods"),
    N_("New records"),
    N_("Repeated records"),
    N_("Periods waiting"),
    N_("Exit status"),
    N_("Process"),
    N_("Run"),
)
TRIGGER_WORDS = {"manual": N_("by hand"), "schedule": N_("schedule"), "boot": N_("start of the computer")}
OUTCOME_WORDS = {
    "running": N_("running"),
    "done": N_("done"),
    "skipped": N_("skipped"),
    "failed": N_("failed"),
    "uncertain": N_("uncertain"),
    "stopped": N_("stopped"),
}

# A cell that begins so is calculated, also behind blanks and in its full-width form (OWASP, "CSV Injection").
_FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r", "\n", "\uff1d", "\uff0b", "\uff0d", "\uff20")
_SECOND = timedelta(seconds=1)


def write_csv(file: BinaryIO, rows: Iterable[RunRecord], language: Language) -> int:
    """Write runs in the order given, one row each below a heading; returns how many.

    *file* is binary, so that nothing translates the line ends (CRLF, as RFC 4180 has
    them) once more. Words are those of the language that `speak` chose. Times are this
    machine's, with a UTC column that tells a repeated autumn hour apart.

    Raises: OSError when the file cannot be written.
    """
    decimal = SEPARATORS[language][1]
    text = io.TextIOWrapper(file, encoding="utf-8-sig", errors="backslashreplace", newline="", write_through=True)
    try:
        writer = csv.writer(text, delimiter=";" if decimal == "," else ",", lineterminator="\r\n")
        writer.writerow([_(heading) for heading in HEADINGS])
        count = 0
        for row in rows:
            writer.writerow([_cell(value, decimal) for value in _cells(row)])
            count += 1
        text.flush()
    finally:
        text.detach()  # the file is the caller's to close
    return count


def _cells(row: RunRecord) -> tuple[object, ...]:
    duration = None if row.ended_at is None else (row.ended_at - row.started_at) / _SECOND
    return (
        _local(row.started_at),
        clock.format_instant(row.started_at),
        None if row.ended_at is None else _local(row.ended_at),
        duration,
        row.job,
        _(TRIGGER_WORDS.get(row.trigger, row.trigger)),
        _(OUTCOME_WORDS.get(row.outcome, row.outcome)),
        reason_words(row.reason),
        row.windows,
        row.new_count,
        row.repeated_count,
        row.waiting,
        row.exit_status,
        row.pid,
        row.run,
    )


def _cell(value: object, decimal: str) -> str:
    if value is None:
        return ""
    if isinstance(value, float):
        return f"{value:.3f}".replace(".", decimal)
    if isinstance(value, int):
        return str(value)
    text = str(value)
    return "'" + text if text.lstrip(" ").startswith(_FORMULA_STARTS) else text


def _local(at: datetime) -> str:
    """Local time in ISO order, which every spreadsheet reads as a time, whatever its country."""
    try:
        local = at.astimezone()
    except (OSError, OverflowError, ValueError):  # the C library of Windows knows no time before 1970
        local = at.astimezone(UTC)
    return f"{local:%Y-%m-%d %H:%M:%S}"
