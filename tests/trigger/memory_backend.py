"""A scheduler that lives in this process: for tests of what stands around a backend.

It keeps its table as text, as a crontab does, and can be told to refuse, to lie and to die.
"""

from __future__ import annotations

import json

from trayapp.errors import BirkezError, TriggerError
from trayapp.job.schedule import Cron
from trayapp.job.schedule_text import schedule_text
from trayapp.trigger.backend import ALL_JOBS, Change, Entry
from trayapp.trigger.command import runner_command


class Table:
    """What the scheduler keeps, for all homes: `<home>|<job>` to times, command and a switch."""

    def __init__(self) -> None:
        self.rows: dict[str, tuple[list[str], list[str], bool]] = {}
        self.writes = 0
        self.unreadable: BirkezError | None = None
        self.refuses: BirkezError | None = None
        self.dies: BaseException | None = None  # after the write
        self.stops: list[BirkezError] = []


class MemoryBackend:
    name = "memory"

    def __init__(self, places, table: Table) -> None:
        self._places = places
        self._home = places.config + "|"
        self.table = table

    def entry_for(self, job) -> Entry:
        if isinstance(job.schedule, Cron) and "#" in job.schedule.expression:
            text = schedule_text(job.schedule)
            raise TriggerError("schedule-not-sayable", scheduler="memory", schedule=text, reason="no.", nearest="-")
        return self._entry(job.id, [schedule_text(job.schedule)], runner_command(self._places, job.id))

    def entries(self) -> list[Entry]:
        if self.table.unreadable is not None:
            raise self.table.unreadable
        rows = self._own(self.table.rows)
        return [self._entry(job, times, command, is_enabled) for job, (times, command, is_enabled) in rows.items()]

    def install(self, jobs) -> list[Change]:
        wanted = [self.entry_for(job) for job in jobs]
        wanted.append(self._entry(ALL_JOBS, ["boot"], runner_command(self._places, ALL_JOBS)))
        rows = dict(self.table.rows)
        for entry in wanted:
            rows[self._home + entry.job] = (list(entry.times), list(entry.command), True)
        return self._write(rows)

    def remove(self, job_ids) -> list[Change]:
        gone = {self._home + job for job in job_ids}
        rows = {name: row for name, row in self.table.rows.items() if name not in gone}
        if set(self._own(rows)) == {ALL_JOBS}:
            del rows[self._home + ALL_JOBS]
        return self._write(rows)

    def undo(self, change: Change) -> Change:
        before, after = (self._own(json.loads(content or b"{}")) for content in (change.before, change.after))
        if json.dumps(self._own(self.table.rows)) != json.dumps(after):
            raise TriggerError("undo-changed-since", name=change.name)
        foreign = {name: row for name, row in self.table.rows.items() if not name.startswith(self._home)}
        (undone,) = self._write(foreign | {self._home + job: row for job, row in before.items()})
        return undone

    def obstacles(self) -> list[BirkezError]:
        return list(self.table.stops)

    def _own(self, rows):
        return {name.removeprefix(self._home): row for name, row in rows.items() if name.startswith(self._home)}

    def _write(self, rows) -> list[Change]:
        before, after = (json.dumps(table).encode() if table else None for table in (self.table.rows, rows))
        if before == after:
            return []
        if self.table.refuses is not None:
            raise self.table.refuses
        self.table.rows = rows
        self.table.writes += 1
        if self.table.dies is not None:
            raise self.table.dies
        return [Change(self.name, "table", before, after)]

    @staticmethod
    def _entry(job, times, command, is_enabled=True) -> Entry:  # noqa: FBT002  # a row, spread out
        return Entry(job, tuple(times), tuple(command), json.dumps([job, times, command]), is_enabled)
