"""The user's crontab read as foreign entries: each line that starts something, what it does, and whether it can go."""

from __future__ import annotations

import os
import re
import sys

from trayapp.adoption.cron_command import command_effect, read_command
from trayapp.adoption.cron_times import read_times
from trayapp.adoption.entry import Entry, check_of
from trayapp.adoption.refusals import cautions_of, why_not_command
from trayapp.adoption.titles import title_of
from trayapp.errors import BirkezError, TriggerError
from trayapp.trigger.crontab_table import lines_of, read_line, settings_of

if sys.platform != "win32":
    import pwd

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from trayapp.trigger.crontab_table import Setting

SOURCE = "crontab"
_TIMES = re.compile(rb"[ \t]*(@\w+|\S+(?:[ \t]+\S+){4})[ \t]+(\S.*)", re.DOTALL)


def read_entries(table: bytes, home: str, *, heeds_cron_tz: bool) -> list[Entry]:
    """Foreign entries of *table*, in its order; Birkez's own lines, of whatever home, are none.

    *home* is the account's folder. *heeds_cron_tz* says whether the cron here reads times by CRON_TZ.
    """
    lines, entries = lines_of(table), []
    for at, raw in enumerate(lines):
        bare = raw.rstrip(b"\n")
        text = bare.strip(b" \t")
        if not text or text.startswith(b"#") or settings_of(raw) or read_line(raw) is not None:
            continue
        above, below = settings_of(b"".join(lines[:at])), settings_of(b"".join(lines[at:]))
        entry = _read_entry(bare, above, below, home, heeds_cron_tz=heeds_cron_tz)
        told = [raw, *(f"{one.name}={one.value}".encode("utf-8", "surrogateescape") for one in above)]
        title = title_of(entry.command, lines[:at])
        entries.append(
            entry._replace(number=at + 1, raw=raw, occurrence=lines[:at].count(raw), check=check_of(told), title=title)
        )
    return entries


def _read_entry(
    bare: bytes, above: Sequence[Setting], below: Sequence[Setting], home: str, *, heeds_cron_tz: bool
) -> Entry:
    text = bare.decode("utf-8", "backslashreplace").strip(" \t")
    found = _TIMES.fullmatch(bare)
    if found is None:
        return Entry(SOURCE, 0, text, "", text, refusal=TriggerError("adopt-invalid-line", part=text))
    times = " ".join(found[1].decode("utf-8", "backslashreplace").split())
    command = found[2].decode("utf-8", "backslashreplace")
    entry = Entry(SOURCE, 0, text, times, command)
    try:
        entry = entry._replace(schedule=read_times(times))
        command = read_command(found[2])
        refusal = why_not_command(command) or _why_not_line(command, above, heeds_cron_tz=heeds_cron_tz)
        if refusal is not None:
            return entry._replace(refusal=refusal)
        return entry._replace(effect=command_effect(command, above, below, home), cautions=cautions_of(command))
    except BirkezError as error:
        return entry._replace(refusal=error)


def _why_not_line(command: str, above: Sequence[Setting], *, heeds_cron_tz: bool) -> BirkezError | None:
    word = command.split(maxsplit=1)[0]
    if _is_user(word):
        return TriggerError("adopt-user-column", user=word)
    zone = {one.name: one.value for one in above}.get("CRON_TZ", "")
    return TriggerError("adopt-cron-tz", zone=zone) if zone and heeds_cron_tz else None


def _is_user(word: str) -> bool:
    """Tell whether *word* is an account and no program: the line was written for /etc/crontab."""
    import shutil  # noqa: PLC0415  # only who adopts

    if sys.platform != "win32" and re.fullmatch(r"[a-z_][a-z0-9_-]*", word):
        try:
            pwd.getpwnam(word)
        except KeyError:
            return False
        return shutil.which(word) is None
    return False


def account_home() -> str:
    """Folder in which cron starts this account's commands."""
    if sys.platform != "win32":
        try:
            return pwd.getpwuid(os.getuid()).pw_dir
        except KeyError:
            pass
    return os.path.expanduser("~")
