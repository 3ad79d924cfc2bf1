r"""Windows' Task Scheduler: one task a job in the folder `\Birkez\`, told and read back as XML.

The folder is one for all users of the computer, so a task's name says whose it is:
`\Birkez\<user>-<home>-<job>`, where `<home>` is a digest of the account's SID and of the
home's folders. A task whose name has another digest is foreign and never touched.

Why not COM, which `schtasks` itself speaks: Python would need a package for it, in every
frozen program, for four calls; and its errors are the same numbers.
"""

from __future__ import annotations

import contextlib
from functools import cached_property

from trayapp.errors import BirkezError, TriggerError
from trayapp.trigger.backend import ALL_JOBS, Change, Entry
from trayapp.trigger.command import runner_command
from trayapp.trigger.task_check import name_faults, task_faults
from trayapp.trigger.task_foreign import canonical, foreign_tasks, put_back, read_task, switch
from trayapp.trigger.task_names import TaskNames, about, task_names
from trayapp.trigger.task_program import TaskProgram
from trayapp.trigger.task_reading import (
    differences,
    is_task_enabled,
    keep_log_on,
    starts_without_log_on,
    task_command,
    task_times,
    tasks_in,
    with_log_on,
)
from trayapp.trigger.task_times import triggers_of
from trayapp.trigger.task_user import TaskUser, current_user
from trayapp.trigger.task_xml import TaskText, task_bytes, task_document, task_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Sequence
    from xml.etree.ElementTree import Element

    from trayapp.job.model import Job
    from trayapp.places import Places
    from trayapp.trigger.task_foreign import ForeignTask


class Schtasks:
    """Tasks of one account for one home; *argv* starts another program than Windows' own, for tests."""

    name = "schtasks"

    def __init__(self, places: Places, argv: Sequence[str] = (), user: TaskUser | None = None) -> None:
        self._places = places
        self._argv = tuple(argv)
        self._given_user = user

    def entry_for(self, job: Job) -> Entry:
        """Entry that *job* shall have; nothing is read or written.

        Raises: TriggerError `schedule-not-sayable`, `task-program-long`, `task-command-expands`,
        and as `runner_command` does.
        """
        return self._entry(job.id, self._document(job))

    def entries(self) -> list[Entry]:
        """Our entries as they stand, the one for ALL_JOBS too.

        Raises: TriggerError `tasks-unreadable`, `schtasks-missing`, `schtasks-unanswered`.
        """
        ours = ((self._names.job_of(path), document) for path, document in self._standing().items())
        return [self._entry(job_id, document) for job_id, document in ours if job_id is not None]

    def install(self, jobs: Sequence[Job]) -> list[Change]:
        """Make the tasks of *jobs* stand, and the one for ALL_JOBS; others stay.

        When one is refused, those that were written before it are put back.

        Raises: TriggerError `task-refused`, `task-not-kept`, and what `entry_for` and `entries` raise.
        """
        wanted = {self._names.path_of(job.id): self._document(job) for job in jobs}
        if wanted:
            wanted[self._names.path_of(ALL_JOBS)] = self._document(None)
        standing = self._standing()
        changes: list[Change] = []
        for path, document in wanted.items():
            before = standing.get(path)
            if before is not None and not differences(document, before, self._user):
                continue
            if before is not None:
                keep_log_on(document, before)
            self._or_put_back(changes, path, before, document)
        return changes

    def remove(self, job_ids: Collection[str]) -> list[Change]:
        """Delete the tasks of *job_ids*; with the last, the one for ALL_JOBS goes too. One that is gone is done.

        Raises: TriggerError `task-not-removed`, and what `entries` raises.
        """
        standing = self._standing()
        paths = [self._names.path_of(job_id) for job_id in job_ids]
        unwanted = [path for path in dict.fromkeys(paths) if path in standing]
        left = set(standing) - set(unwanted)
        if unwanted and left == {self._names.path_of(ALL_JOBS)}:
            unwanted.extend(left)
        changes: list[Change] = []
        for path in unwanted:
            self._or_put_back(changes, path, standing[path], None)
        return changes

    def undo(self, change: Change) -> Change:
        """Put back the task that *change* replaced.

        Raises: TriggerError `undo-changed-since`, and what `install` and `remove` raise.
        """
        if self._names.job_of(change.name) is None:
            raise TriggerError("task-foreign", name=change.name)
        standing = self._read(change.name)
        if _bytes_of(standing) != change.after:
            raise TriggerError("undo-changed-since", name=change.name)
        before = tasks_in(change.before, "utf-8")[0].document if change.before is not None else None
        return self._write(change.name, standing, before)

    def obstacles(self) -> list[BirkezError]:
        """What keeps tasks from being set up here: no `schtasks`, or a scheduler that does not answer."""
        try:
            self._standing()
        except BirkezError as error:
            return [error]
        return []

    # --------------------------------------------------------------- exchanging

    def foreign(self) -> tuple[TaskUser, list[ForeignTask]]:
        """Account whose tasks these are, and those that are neither Windows' nor ours."""
        return self._user, foreign_tasks(self._program, self._user.code_page)

    def take_over(self, job: Job, line: bytes, _occurrence: int = 0, name: str = "") -> list[Change]:
        """Make the task of *job* and disable the one at *name*, which stays as it is; both, or none.

        Raises: TriggerError `adopt-changed` where that is not *line* any more, `adopt-unfound`, `task-gone`,
        `task-not-switched`, and what `install` raises.
        """
        standing = read_task(self._program, self._user.code_page, name)
        if standing is None:
            raise TriggerError("adopt-unfound", entry=name)
        if canonical(standing) != line:
            raise TriggerError("adopt-changed", entry=name)
        changes = self.install([job])
        try:
            return [*changes, *switch(self._program, self._user.code_page, name, enabled=False)]
        except TriggerError:
            self.remove([job.id])
            raise

    def give_back(self, job_id: str, line: bytes, name: str = "") -> tuple[list[Change], bool]:
        """Enable the task at *name* again, or make it anew, and delete that of *job_id*. Raises as `take_over` does."""
        is_there = read_task(self._program, self._user.code_page, name) is not None
        if is_there:
            changes = switch(self._program, self._user.code_page, name, enabled=True)
        else:
            changes = [put_back(self._program, self._user.code_page, name, line)]
        return [*changes, *self.remove([job_id])], is_there

    def is_taken(self, _job_id: str, name: str) -> bool:
        """Tell whether the task at *name* stands there and is disabled."""
        standing = read_task(self._program, self._user.code_page, name)
        return standing is not None and not is_task_enabled(standing)

    def is_at_work(self, name: str, _line: bytes) -> bool:
        """Tell whether the task at *name* stands there and may start."""
        standing = read_task(self._program, self._user.code_page, name)
        return standing is not None and is_task_enabled(standing)

    def complete(self, _job_id: str, name: str) -> bool:
        """Disable the task at *name*; tell whether it was already, or gone."""
        try:
            return not switch(self._program, self._user.code_page, name, enabled=False)
        except TriggerError as error:
            if error.code != "task-gone":
                raise
            return True

    # ------------------------------------------------------------------ names

    @cached_property
    def _user(self) -> TaskUser:
        try:
            return self._given_user or current_user()
        except OSError as error:
            raise TriggerError("task-user-unknown", reason=error.strerror or str(error)) from error

    @cached_property
    def _program(self) -> TaskProgram:
        return TaskProgram(self._argv, self._user.code_page)

    @cached_property
    def _names(self) -> TaskNames:
        return task_names(self._places, self._user)

    # ------------------------------------------------------------- log-on

    def without_log_on(self, job_ids: Collection[str], *, wanted: bool) -> list[Change]:
        """Let the standing tasks of *job_ids* start while nobody is logged on, or only while their user is.

        One that does not stand is passed over. When one is refused, those before it are put back.

        Raises: TriggerError `task-log-on-refused`, and what `entries` raises.
        """
        standing = self._standing()
        changes: list[Change] = []
        try:
            for path in map(self._names.path_of, job_ids):
                after = with_log_on(standing[path], without=wanted) if path in standing else None
                if after is not None:
                    self._or_put_back(changes, path, standing[path], after)
        except TriggerError as error:
            reason = error.facts.get("reason") or error.facts.get("difference") or error.code
            raise TriggerError("task-log-on-refused", reason=reason) from error
        return changes

    # -------------------------------------------------------------- documents

    def _document(self, job: Job | None) -> Element:
        """Task of *job*, or of all jobs for None; it keeps the rules of the format."""
        job_id = ALL_JOBS if job is None else job.id
        text = TaskText(self._names.path_of(job_id), about(job))
        assert job is None or job.schedule is not None, "a job without a schedule has no trigger"
        triggers = () if job is None or job.schedule is None else triggers_of(job.schedule)
        document = task_document(text, triggers, runner_command(self._places, job_id), self._user.sid)
        faults = [*name_faults(text.path), *task_faults(task_bytes(document))]
        assert not faults, faults
        return document

    def _entry(self, job_id: str, document: Element) -> Entry:
        times = task_times(document, self._user)
        return Entry(job_id, times, task_command(document), task_text(document), is_task_enabled(document))

    # --------------------------------------------------------- what stands there

    def _standing(self) -> dict[str, Element]:
        """Our tasks by their paths as `_path` writes them."""
        answer = self._program.list_folder()
        found = tasks_in(answer.printed, self._user.code_page)
        if answer.status or not found:  # no such folder, or a version that lists none: look at them all
            answer = self._program.list_all()
            if answer.status:
                raise TriggerError("tasks-unreadable", status=answer.status, reason=answer.said)
            found = tasks_in(answer.printed, self._user.code_page)
        jobs = ((self._names.job_of(task.path), task.document) for task in found)
        return {self._names.path_of(job_id): document for job_id, document in jobs if job_id is not None}

    def _read(self, path: str) -> Element | None:
        """Document of our task at *path*, None where there is none."""
        answer = self._program.query(path)
        found = tasks_in(answer.printed, self._user.code_page) if not answer.status else []
        return found[0].document if found else self._standing().get(path)

    # ------------------------------------------------------------------ writing

    def _or_put_back(self, changes: list[Change], path: str, before: Element | None, after: Element | None) -> None:
        """Write one task more, or put back those of *changes*, newest first: a refusal leaves all as it was."""
        try:
            changes.append(self._write(path, before, after))
        except TriggerError:
            for change in reversed(changes):
                self._restore(change.name, change.before)
            raise  # of the first refusal, whatever became of the way back

    def _write(self, path: str, before: Element | None, after: Element | None) -> Change:
        """Make *after* stand at *path*, read it back, and tell what became of it."""
        if after is None:
            answer = self._program.delete(path)
            if self._read(path) is not None:
                raise TriggerError("task-not-removed", name=path, status=answer.status, reason=answer.said)
            return Change(self.name, path, _bytes_of(before), None)
        answer = self._program.create(path, task_bytes(after))
        if answer.status and starts_without_log_on(task_text(after)):
            raise TriggerError("task-log-on-refused", reason=answer.said)
        if answer.status:
            raise TriggerError("task-refused", name=path, status=answer.status, reason=answer.said)
        kept = self._read(path)
        wrong = differences(after, kept, self._user, strictly=True) if kept is not None else ["-"]
        if kept is None or wrong:
            self._restore(path, _bytes_of(before))
            raise TriggerError("task-not-kept", name=path, difference="; ".join(wrong))
        return Change(self.name, path, _bytes_of(before), _bytes_of(kept))

    def _restore(self, path: str, document: bytes | None) -> None:
        with contextlib.suppress(TriggerError):  # why it was not written is what has to be told
            if document is None:
                self._program.delete(path)
            else:
                self._program.create(path, document)


def _bytes_of(document: Element | None) -> bytes | None:
    return None if document is None else task_bytes(document)
