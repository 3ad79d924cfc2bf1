"""cron's side of the triggers: one marked block in the user's crontab, written whole or not at all.

An edit reads the table, changes bytes in memory, looks once more whether the table is still
the same, replaces it, reads it back and compares. `crontab` itself has no better offer: it
has no lock, so a person who saves in an editor at the same moment may overwrite us. That is
noticed the next time that somebody looks.

Why no variables in our block: they would hold for every line below it.
Why at the end: variables that a person set for all jobs, as MAILTO and PATH, then hold for
ours too. Only above one that would mislead them a new block stands higher.
"""

from __future__ import annotations

import os

from trayapp.errors import TriggerError
from trayapp.trigger import crontab_program, crontab_table
from trayapp.trigger.backend import ALL_JOBS, Change, Entry
from trayapp.trigger.command import LAST_DAY_GUARD, doubts, home_words, runner_command
from trayapp.trigger.crontab_table import Table, cut, home_mark, joined, own_line, read_line
from trayapp.trigger.crontab_tidy import tidied
from trayapp.trigger.crontab_times import crontab_times, needs_last_day_guard

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Sequence

    from trayapp.errors import BirkezError
    from trayapp.job.model import Job
    from trayapp.places import Places
    from trayapp.trigger.crontab_table import OwnLine

    Edit = Callable[[Table], Table]

LINE_LENGTH = 998  # bytes; cron's own buffers differ, and some cut a longer line without a word
_BOOT = "@reboot"
_ROUNDS = 10  # of edits that meet somebody else's
_DELETE = 127


class Crontab:
    """The crontab of the user who asks, for the jobs of *places*."""

    name = "crontab"

    def __init__(self, places: Places) -> None:
        self._places = places
        self._mark = home_mark(places)

    def entry_for(self, job: Job) -> Entry:
        """Lines that *job* shall have.

        Raises: TriggerError `schedule-not-sayable`, `crontab-line-too-long`,
        `crontab-control-character`, and as `runner_command` does.
        """
        assert job.schedule is not None, "a job without a schedule has no trigger"
        guard = LAST_DAY_GUARD if needs_last_day_guard(job.schedule) else ""
        return _entry(_lines(job.id, crontab_times(job.schedule), runner_command(self._places, job.id, guard=guard)))

    def entries(self) -> list[Entry]:
        """Our entries as they stand, in their order."""
        found = cut(crontab_program.read_table() or b"", self._mark)
        table = self._tidied(found)
        lines = [line for _raw, line in _read(table) if line is not None]
        jobs = dict.fromkeys(line.job for line in lines)
        entries = [_entry([line for line in lines if line.job == job]) for job in jobs]
        return entries if table == found else [entry._replace(is_in_place=False) for entry in entries]

    def install(self, jobs: Sequence[Job]) -> list[Change]:
        """Make the lines of *jobs* stand as `entry_for` says, and the one for ALL_JOBS.

        All of it is one write, or none. Raises: TriggerError `crontab-not-kept` beside those
        of reading and writing.
        """
        wanted = self._wanted(jobs)
        return self._change(lambda table: _with_entries(self._tidied(table), wanted))

    def remove(self, job_ids: Collection[str]) -> list[Change]:
        """Take the lines of *job_ids* out; with the last, the whole block."""
        return self._change(lambda table: _without_entries(self._tidied(table), job_ids))

    def undo(self, change: Change) -> Change:
        """Put our block back as it stood before *change*; foreign lines stay as they are now.

        Raises: TriggerError `undo-changed-since`.
        """
        before, after = cut(change.before or b"", self._mark), cut(change.after or b"", self._mark)

        def put_back(table: Table) -> Table:
            if table.lines != after.lines:
                raise TriggerError("undo-changed-since", name=change.name)
            return _with_lines(table, self._tidied(before).lines or ())

        done = self._change(put_back, whole=change)
        return done[0] if done else Change(self.name, change.name, change.before, change.before)

    def take_over(self, job: Job, line: bytes, occurrence: int = 0, _name: str = "") -> list[Change]:
        """Let *job* do what the foreign *line* does: ours is in and it is out by one write, kept as a comment.

        Raises: TriggerError `adopt-changed` where the line does not stand there, and what `install` raises.
        """
        wanted = self._wanted([job])

        def exchange(table: Table) -> Table:
            without = crontab_table.keep_line(table, self._mark, job.id, line, occurrence)
            if without is None:
                raise TriggerError("adopt-changed", entry=os.fsdecode(line).strip())
            return _with_entries(without, wanted)

        return self._change(exchange)

    def give_back(self, job_id: str, line: bytes, _name: str = "") -> tuple[list[Change], bool]:
        """Put the line that `take_over` kept for *job_id* back and take ours out, by one write.

        Where somebody has removed the comment that kept it, *line* goes to the end of the foreign lines, unless
        it stands somewhere; then False comes with the changes.
        """
        is_at_its_place = False

        def exchange(table: Table) -> Table:
            nonlocal is_at_its_place
            restored = crontab_table.put_line_back(table, self._mark, job_id)
            is_at_its_place = restored is not None
            return _without_entries(restored or _with_foreign_line(table, line), [job_id])

        changes = self._change(exchange)
        return changes, is_at_its_place

    def is_taken(self, job_id: str, _name: str) -> bool:
        """Tell whether the table keeps a foreign line as a comment, since *job_id* does its work."""
        return job_id in crontab_table.kept_lines(crontab_program.read_table() or b"", self._mark)

    def is_at_work(self, _name: str, line: bytes) -> bool:
        """Tell whether *line* stands in the table, be it that somebody put it back or that it stood there twice."""
        return line.strip() in {raw.strip() for raw in crontab_table.lines_of(crontab_program.read_table() or b"")}

    def complete(self, _job_id: str, _name: str) -> bool:
        """Tell that the foreign line is out: ours came in by the same write."""
        return True

    def obstacles(self) -> list[BirkezError]:
        """What keeps cron from firing our lines as they say, and files of them that may vanish."""
        found: list[BirkezError | None] = []
        try:
            table = crontab_program.read_table() or b""
        except TriggerError as error:
            found.append(error)
        else:
            ours = cut(table, self._mark)
            if ours.lines is not None:
                settings = crontab_table.settings_of(ours.before + b"".join(ours.lines))
                found += [
                    TriggerError("crontab-misleading-variable", name=name, value=value)
                    for name, value in {one.name: one.value for one in settings if crontab_table.misleads(one)}.items()
                ]
        return [error for error in (*found, crontab_program.no_daemon(), *doubts()) if error is not None]

    def _tidied(self, table: Table) -> Table:
        return tidied(table, self._mark, home_words(self._places))

    def _wanted(self, jobs: Sequence[Job]) -> dict[str, Entry]:
        """Entries of *jobs*, and the one for ALL_JOBS."""
        wanted = {job.id: self.entry_for(job) for job in jobs}
        wanted[ALL_JOBS] = _entry(_lines(ALL_JOBS, (_BOOT,), runner_command(self._places, ALL_JOBS)))
        return wanted

    def _change(self, edit: Edit, whole: Change | None = None) -> list[Change]:
        """Read the table, edit it and write it; nothing is written that stands so already.

        With *whole*, a table that is just as that change left it becomes just as it was before.
        """
        with crontab_program.only_editor(self._places.lock_file("_crontab")):
            for _round in range(_ROUNDS):
                before = crontab_program.read_table()
                after = self._edited(before, edit, whole)
                if after == before:
                    return []
                if crontab_program.read_table() == before:
                    if before and not before.endswith(b"\n"):
                        # Most crontabs take no table whose last line has no end: then it could never be put back,
                        # and cron, which has passed over that line, would begin to heed it.
                        crontab_program.write_table(before)
                    crontab_program.write_table(after)
                    self._check_kept(crontab_program.read_table(), after)
                    return [Change(self.name, crontab_program.user_name(), before, after)]
        raise TriggerError("crontab-busy", waited_s=0)

    def _edited(self, before: bytes | None, edit: Edit, whole: Change | None) -> bytes | None:
        """Bytes of the edited table; the very same where the edit changes nothing, None where no table shall be."""
        if whole is not None and before == whole.after:
            return whole.before
        found = self._cut(before)
        edited = edit(found)
        if edited == found:
            return before
        after = joined(edited, self._mark)
        return None if edited.is_made and not after else after

    def _cut(self, table: bytes | None) -> Table:
        """Cut at our block, or at the place where a new one may stand."""
        found = cut(table or b"", self._mark)
        if found.lines is not None:
            return found
        at = crontab_table.place_for_block(found.before)
        return Table(found.before[:at], None, found.before[at:], is_made=table is None)

    def _check_kept(self, now: bytes | None, wanted: bytes | None) -> None:
        """Compare what cron has with what it was given; what others wrote since is theirs."""
        if now != wanted and cut(now or b"", self._mark).lines != cut(wanted or b"", self._mark).lines:
            raise TriggerError("crontab-not-kept")


def _lines(job: str, times: Sequence[str], command: tuple[str, ...]) -> list[OwnLine]:
    """Lines that start *command* at *times*, each as it will be read back."""
    for word in command:
        if any(ord(letter) < ord(" ") or ord(letter) == _DELETE for letter in word):
            raise TriggerError("crontab-control-character", word=word)
    lines = []
    for time in times:
        raw = own_line(time, command)
        if len(raw) - 1 > LINE_LENGTH:
            raise TriggerError("crontab-line-too-long", job=job, length=len(raw) - 1, limit=LINE_LENGTH)
        line = read_line(raw)
        assert line is not None
        assert line.command == command, "what we write must be what we read"
        lines.append(line)
    return lines


def _entry(lines: Sequence[OwnLine]) -> Entry:
    """Entry of one job's lines: disabled when all are commented out, else what is not."""
    standing = [line for line in lines if line.is_enabled] or lines
    commands = {line.command for line in standing}
    return Entry(
        job=lines[0].job,
        times=tuple(line.times for line in standing),
        command=commands.pop() if len(commands) == 1 else (),
        text="\n".join(line.text for line in lines),
        is_enabled=any(line.is_enabled for line in lines),
    )


def _read(table: Table) -> list[tuple[bytes, OwnLine | None]]:
    """Lines of our block, each with what it says; None for what somebody else put there."""
    return [(raw, read_line(raw)) for raw in table.lines or ()]


def _with_entries(table: Table, wanted: dict[str, Entry]) -> Table:
    """Put the entries of *wanted* where they stand or, new ones, below the others."""
    lines = _read(table)
    standing = {
        job: _entry(found) for job in wanted if (found := [line for _raw, line in lines if line and line.job == job])
    }
    missing = {job: entry for job, entry in wanted.items() if standing.get(job) != entry}
    result: list[bytes] = []
    for raw, line in lines:
        if line is None or line.job not in wanted or standing[line.job] == wanted[line.job]:
            result.append(raw)
        elif line.job in missing:
            result += _raw_lines(missing.pop(line.job))
    for entry in missing.values():
        result += _raw_lines(entry)
    return table._replace(lines=tuple(result))


def _raw_lines(entry: Entry) -> list[bytes]:
    return [own_line(times, entry.command) for times in entry.times]


def _without_entries(table: Table, job_ids: Collection[str]) -> Table:
    """Take the lines of *job_ids* out; what others put between ours stays when the block goes."""
    kept = [(raw, line) for raw, line in _read(table) if line is None or line.job not in job_ids]
    if any(line is not None and line.job != ALL_JOBS for _raw, line in kept):
        return _with_lines(table, [raw for raw, _line in kept])
    foreign = b"".join(raw for raw, line in kept if line is None)
    if foreign:
        table = table._replace(before=table.before + foreign, line_end_added=False)
    return _with_lines(table, ())


def _with_foreign_line(table: Table, line: bytes) -> Table:
    """Put *line* behind the foreign lines above our block, unless it stands somewhere."""
    if line in crontab_table.lines_of(table.before) + crontab_table.lines_of(table.after):
        return table
    before = table.before if not table.before or table.before.endswith(b"\n") else table.before + b"\n"
    return table._replace(before=before + line.rstrip(b"\n") + b"\n", line_end_added=False)


def _with_lines(table: Table, lines: Sequence[bytes]) -> Table:
    return table._replace(lines=tuple(lines) or None)
