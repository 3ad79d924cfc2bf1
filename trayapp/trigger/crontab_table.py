"""A user's crontab as bytes: our lines in one marked block, and not a byte of anybody else's changed.

Nothing here runs a program. A table is what `crontab -l` prints, and may hold anything: line
ends of DOS, bytes that are no text, lines that cron refuses, no end of the last line.
"""

from __future__ import annotations

import hashlib
import os
import re
import shlex

from trayapp.trigger.command import started_job
from trayapp.value import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from trayapp.places import Places

_LINE_END_ADDED = b", line end added above"
_TABLE_MADE = b", no crontab before"
_ANY_BEGIN = re.compile(rb"^# >>> birkez [0-9a-f]+ >>>[^\r\n]*", re.MULTILINE)
_LINES = re.compile(rb"[^\n]*\n|[^\n]+\Z")
_FIELDS = re.compile(rb"[ \t]*(@[a-z]+|[^\s#@]\S*(?:[ \t]+\S+){4})[ \t]+(\S.*)", re.DOTALL)
_COMMENT = re.compile(rb"[ \t]*#[# \t]*")
_SETTING = re.compile(rb"""[ \t]*(["']?)([A-Za-z_]\w*)\1[ \t]*=[ \t]*(.*?)[ \t]*\r?\n?""", re.DOTALL)
_SAFE = re.compile(r"[\w@+=:,./-]+", re.ASCII)
_SHELLS = ("sh", "bash", "dash", "ash", "zsh", "ksh", "mksh")


class OwnLine(NamedTuple):
    """One line of ours as it stands: *times* are five fields or `@reboot`."""

    job: str
    times: str
    command: tuple[str, ...]
    text: str
    is_enabled: bool = True


class Table(NamedTuple):
    """A crontab cut at the block of one home. Without a block *lines* is None, and *before* is all.

    *before* and *after* are foreign. So is what stands between our lines and is none of ours.
    The block remembers what else was done for it: *line_end_added*, and *is_made* where the
    user had no crontab at all.
    """

    before: bytes
    lines: tuple[bytes, ...] | None
    after: bytes
    line_end_added: bool = False
    is_made: bool = False


class Setting(NamedTuple):
    """A variable that the table sets for all lines below."""

    name: str
    value: str
    at: int  # offset of its line


def home_mark(places: Places) -> bytes:
    """Word that marks the block of one home: two homes of one user keep out of each other's."""
    digest = hashlib.sha256(os.fsencode("\n".join(places))).hexdigest()
    return digest[:10].encode("ascii")


def cut(table: bytes, mark: bytes) -> Table:
    """Cut *table* at the block of *mark*; of several (the table was put behind itself) one is made.

    A block whose end is gone goes as far as its lines are ours.
    """
    lines: list[bytes] = _LINES.findall(table)
    begin = next((at for at, line in enumerate(lines) if _is_begin(line, mark)), None)
    if begin is None:
        return Table(table, None, b"")
    end = next((at for at, line in enumerate(lines) if at > begin and _bare(line) == _end(mark)), None)
    if end is None:
        end = begin + 1
        while end < len(lines) and read_line(lines[end]) is not None:
            end += 1
        body, after = lines[begin + 1 : end], lines[end:]
    else:
        body, after = lines[begin + 1 : end], lines[end + 1 :]
    before, first, rest = b"".join(lines[:begin]), lines[begin], cut(b"".join(after), mark)
    inside = (*body, *(rest.lines or ()))
    return Table(before, inside, rest.before + rest.after, _LINE_END_ADDED in first, _TABLE_MADE in first)


def joined(table: Table, mark: bytes) -> bytes:
    """Bytes of *table*, with its block when it has lines; foreign bytes come out as they went in."""
    before, lines, after, added, is_made = table
    if not lines:
        return _without_block(table)
    if before and not before.endswith(b"\n"):
        before, added = before + b"\n", True
    begin = _begin(mark) + (_LINE_END_ADDED if added else b"") + (_TABLE_MADE if is_made else b"")
    return b"".join([before, begin, b"\n", *lines, _end(mark), b"\n", after])


def _without_block(table: Table) -> bytes:
    """Bytes of *table* as they were before its block; what it remembers, another home's block takes over."""
    before, after = table.before, table.after
    if table.line_end_added and not after:
        before = before.removesuffix(b"\n")
    elif table.line_end_added and _ANY_BEGIN.match(after):
        after = _marked(after, _LINE_END_ADDED)
    return _marked(before + after, _TABLE_MADE) if table.is_made else before + after


def _marked(table: bytes, remark: bytes) -> bytes:
    """*table* with *remark* at the beginning of its first block, whose home it may be."""
    return _ANY_BEGIN.sub(lambda found: found[0] if remark in found[0] else found[0] + remark, table, count=1)


def place_for_block(table: bytes) -> int:
    """Offset at which a new block may stand: the end, or above the first variable that would mislead our lines."""
    return next((setting.at for setting in settings_of(table) if misleads(setting)), len(table))


def settings_of(table: bytes) -> list[Setting]:
    """Variables that *table* sets, in its order."""
    found, at = [], 0
    for line in _LINES.findall(table):
        setting = _SETTING.fullmatch(line)
        if setting is not None:
            name, value = setting[2].decode("ascii"), os.fsdecode(setting[3])
            found.append(
                Setting(name, value[1:-1] if value[:1] in ("'", '"') and value[-1:] == value[:1] else value, at)
            )
        at += len(line)
    return found


def lines_of(table: bytes) -> list[bytes]:
    """Lines of *table*, each with its end; the last may have none."""
    return _LINES.findall(table)


def keep_line(table: Table, mark: bytes, job: str, line: bytes, occurrence: int) -> Table | None:
    """*table* with the foreign *line* kept as a comment at its place: from now on *job* does its work.

    Of lines with the same bytes the one at *occurrence* is meant, the first is 0. None where it is not there.
    """
    found = 0

    def kept(raw: bytes) -> bytes:
        nonlocal found
        is_it = raw == line and found == occurrence
        found += raw == line
        return _kept_before(mark, job) + raw if is_it else raw

    changed = _with_each_line(table, kept)
    return changed if found > occurrence else None


def put_line_back(table: Table, mark: bytes, job: str) -> Table | None:
    """*table* with the line that was kept for *job* as it was, at its place; None where none is kept."""
    before = _kept_before(mark, job)
    changed = _with_each_line(table, lambda raw: raw.removeprefix(before))
    return changed if changed != table else None


def kept_lines(table: bytes, mark: bytes) -> dict[str, bytes]:
    """Foreign lines that are kept as comments, by the job that does their work now."""
    before = re.compile(rb"# birkez " + mark + rb" starts this as ([a-z0-9-]+): (.*)", re.DOTALL)
    found = (before.fullmatch(line) for line in _LINES.findall(table))
    return {one[1].decode("ascii"): one[2] for one in found if one is not None}


def _with_each_line(table: Table, change: Callable[[bytes], bytes]) -> Table:
    before = b"".join(map(change, _LINES.findall(table.before)))
    lines = None if table.lines is None else tuple(map(change, table.lines))
    return table._replace(before=before, lines=lines, after=b"".join(map(change, _LINES.findall(table.after))))


def _kept_before(mark: bytes, job: str) -> bytes:
    return b"# birkez " + mark + b" starts this as " + job.encode("ascii") + b": "


def misleads(setting: Setting) -> bool:
    """Tell whether lines below *setting* fire, or are read, otherwise than their words say.

    cronie reads times by CRON_TZ. TZ changes what the runner takes for local time. A shell
    of another family reads quotes otherwise.
    """
    if setting.name in ("CRON_TZ", "TZ"):
        return True
    return setting.name == "SHELL" and os.path.basename(setting.value) not in _SHELLS


def read_line(line: bytes) -> OwnLine | None:
    """Read a line of the block; None for one that starts no job, and so is none of ours."""
    comment = _COMMENT.match(line)
    fields = _FIELDS.fullmatch(_bare(line, b"\n"), comment.end() if comment else 0)
    if fields is None:
        return None
    command = _words(os.fsdecode(fields[2]))
    job = started_job(command)
    if job is None:
        return None
    times = " ".join(os.fsdecode(fields[1]).split())
    return OwnLine(job, times, command, os.fsdecode(_bare(line)), is_enabled=comment is None)


def own_line(times: str, command: Sequence[str]) -> bytes:
    """Line by which cron starts *command* with exactly these words, in any shell of the Bourne family."""
    quoted = " ".join(map(_quoted, command))
    return os.fsencode(f"{times} {quoted.replace('%', chr(92) + '%')}\n")


def _quoted(word: str) -> str:
    r"""*word* for the shell, so that cron's own reading on the way changes nothing but `\%`.

    Some crons read `\\` as one backslash, others leave it, and all end a command at a bare
    `%`. So inside the quotes no backslash stands before another, or before a `%`: there the
    quotes are closed and opened again.
    """
    if _SAFE.fullmatch(word):
        return word
    apart = re.sub(r"\\(?=[\\%])", lambda _found: "\\''", word.replace("'", "\0"))
    return "'" + apart.replace("\0", "'\\''") + "'"


def _words(command: str) -> tuple[str, ...]:
    """Words of a line's command, as cron and a shell would hand them on; those of a broken one by its blanks."""
    plain = re.split(r"(?<!\\)%", command, maxsplit=1)[0].replace("\\%", "%")
    reader = shlex.shlex(plain, posix=True)
    reader.whitespace, reader.whitespace_split, reader.commenters = " \t\n", True, ""  # a CR is part of a word
    try:
        return tuple(reader)
    except ValueError:
        return tuple(plain.split(" "))


def _begin(mark: bytes) -> bytes:
    return b"# >>> birkez " + mark + b" >>> written by Birkez, up to <<<"


def _end(mark: bytes) -> bytes:
    return b"# <<< birkez " + mark


def is_end(line: bytes, mark: bytes) -> bool:
    """Tell whether *line* ends the block of *mark*."""
    return _bare(line) == _end(mark)


def _is_begin(line: bytes, mark: bytes) -> bool:
    return _bare(line).startswith(b"# >>> birkez " + mark + b" >>>")


def _bare(line: bytes, ends: bytes = b"\r\n") -> bytes:
    return line.rstrip(ends)
