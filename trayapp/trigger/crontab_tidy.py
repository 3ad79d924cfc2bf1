"""What a person's editing has done to our block, and the table as it is without that.

A line that cron reads otherwise than its words say is none that stands as it shall, even if
its own bytes do: a variable above it changes its times or its shell. And a line of ours that
lost its block would go on starting a job that is not registered any more.
"""

from __future__ import annotations

from trayapp.trigger import crontab_table
from trayapp.trigger.crontab_table import Table, lines_of, read_line

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from trayapp.trigger.crontab_table import OwnLine


def tidied(table: Table, mark: bytes, home_words: Sequence[str]) -> Table:
    """*table* with our block above what would mislead it, and with our lines in it that lie elsewhere.

    Foreign lines stay in their order; a variable that a person put between our lines stands
    below the block then, so for those lines that followed it nothing changes. Ours are the
    lines that name this home (*home_words*); where a home needs no words, none is known by them.
    """
    table = _above_misleading(table)
    outside = [*lines_of(table.before), *lines_of(table.after)]
    strays = [raw for raw in outside if _is_stray(raw, mark, home_words)]
    if not strays:
        return table
    known = {line.job for raw in table.lines or () if (line := read_line(raw)) is not None}
    found = [raw for raw in strays if (line := read_line(raw)) is not None and line.job not in known]
    before, after = (
        b"".join(raw for raw in lines_of(part) if raw not in strays) for part in (table.before, table.after)
    )
    lines = (*(table.lines or ()), *(raw.rstrip(b"\n") + b"\n" for raw in found))
    return table._replace(before=before, lines=lines or None, after=after)


def _above_misleading(table: Table) -> Table:
    if table.lines is None:
        return table
    misleading = [raw for raw in table.lines if _misleads(raw)]
    if misleading:
        first = table.lines.index(misleading[0])
        foreign = b"".join(raw for raw in table.lines[first:] if read_line(raw) is None)
        lines = (*table.lines[:first], *(raw for raw in table.lines[first:] if read_line(raw) is not None))
        table = table._replace(lines=lines, after=foreign + table.after)
    at = crontab_table.place_for_block(table.before)
    if at == len(table.before):
        return table
    moved = table.before[at:]
    moved = moved if moved.endswith(b"\n") else moved + b"\n"
    return table._replace(before=table.before[:at], after=moved + table.after, line_end_added=False)


def _misleads(raw: bytes) -> bool:
    return any(crontab_table.misleads(setting) for setting in crontab_table.settings_of(raw))


def _is_stray(raw: bytes, mark: bytes, home_words: Sequence[str]) -> bool:
    """Tell whether a line outside of our block is ours: one that starts a job of this home, or the block's lone end."""
    line = read_line(raw)
    if line is None or not line.is_enabled:
        return crontab_table.is_end(raw, mark)
    return bool(home_words) and _names(line, tuple(home_words))


def _names(line: OwnLine, home_words: tuple[str, ...]) -> bool:
    length = len(home_words)
    return any(line.command[at : at + length] == home_words for at in range(len(line.command)))
