"""launchd, the scheduler of macOS: one property list a job in `~/Library/LaunchAgents`.

An agent is loaded by `launchctl bootstrap` and after that by each log-on. The one for all
jobs is written and not loaded: it starts them when the person logs on, not now.
Taking a loaded agent out ends what it runs, so that of a job at work is left as it is.
Files and exit codes only: what launchctl prints may change with each macOS (launchctl(1)).
"""

from __future__ import annotations

import hashlib
import os
import plistlib
import subprocess
import time
from xml.parsers.expat import ExpatError

from trayapp.errors import BirkezError, TriggerError
from trayapp.lock.holder import read_state
from trayapp.trigger.backend import ALL_JOBS, Change, Entry
from trayapp.trigger.command import LAST_DAY_GUARD, doubts, runner_command
from trayapp.trigger.launchd_times import calendar_intervals, needs_last_day_guard
from trayapp.whole_file import flush_folder, replace_file

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence

    from trayapp.job.model import Job
    from trayapp.places import Places

_PROGRAM = "launchctl"
_ALL_JOBS_NAME = "_all"  # can be no job's id
_SUFFIX = ".plist"
_MARK_LENGTH = 8
_NOT_LOADED = 113  # "Could not find service"
_LEAVING_S = 10.0  # an agent is gone some time after bootout has said yes
_LOOK_S = 0.05
_TIMEOUT_S = 60


class Launchd:
    """Agents of this user for the jobs of *places*."""

    name = "launchd"

    def __init__(self, places: Places) -> None:
        self._places = places
        self._folder = os.path.expanduser(os.path.join("~", "Library", "LaunchAgents"))
        mark = hashlib.sha256("\0".join(places).encode("utf-8", "surrogateescape")).hexdigest()[:_MARK_LENGTH]
        self._prefix = f"birkez.{mark}."
        self._domain = f"gui/{os.getuid() if hasattr(os, 'getuid') else 0}"

    def entry_for(self, job: Job) -> Entry:
        """Agent that *job* shall have; raises as the protocol says."""
        return _entry_of(job.id, self._agent(job))

    def entries(self) -> list[Entry]:
        """Our agents as they stand; one that is not loaded is not enabled."""
        found = []
        for label in self._labels():
            job = self._job_of(label)
            entry = _entry_of(job, self._read(label) or b"")
            is_ready = job == ALL_JOBS or self._is_loaded(label)
            found.append(entry._replace(is_enabled=entry.is_enabled and is_ready))
        return found

    def install(self, jobs: Sequence[Job]) -> list[Change]:
        """Write and load the agents of *jobs* and the one for all; on an error all is as it was."""
        wanted: dict[str, bytes | None] = {self._label(job.id): self._agent(job) for job in jobs}
        if wanted:
            wanted[self._label(ALL_JOBS)] = self._agent(None)
        return self._apply(wanted)

    def remove(self, job_ids: Collection[str]) -> list[Change]:
        """Unload and remove the agents of *job_ids*, with the last of all jobs also the one for all."""
        gone = {label for label in self._labels() if self._job_of(label) in job_ids}
        if set(self._labels()) - gone == {self._label(ALL_JOBS)}:
            gone.add(self._label(ALL_JOBS))
        return self._apply(dict.fromkeys(sorted(gone)))

    def undo(self, change: Change) -> Change:
        """Put back the one agent that *change* replaced."""
        if self._read(change.name) != change.after:
            raise TriggerError("undo-changed-since", name=change.name)
        (undone,) = self._apply({change.name: change.before})
        return undone

    def obstacles(self) -> list[BirkezError]:
        """No launchctl, nobody logged on at the screen (agents live in that session), files that may vanish."""
        found: list[BirkezError] = [*doubts()]
        try:
            if self._launchctl("print", self._domain):
                found.insert(0, TriggerError("launchd-no-session", domain=self._domain))
        except TriggerError as error:
            found.insert(0, error)
        return found

    # ------------------------------------------------------------------- files

    def _label(self, job_id: str) -> str:
        return self._prefix + (_ALL_JOBS_NAME if job_id == ALL_JOBS else job_id)

    def _job_of(self, label: str) -> str:
        name = label.removeprefix(self._prefix)
        return ALL_JOBS if name == _ALL_JOBS_NAME else name

    def _path(self, label: str) -> str:
        return os.path.join(self._folder, label + _SUFFIX)

    def _labels(self) -> list[str]:
        try:
            names = os.listdir(self._folder)
        except FileNotFoundError:
            return []
        except OSError as error:
            raise _unreadable(self._folder, error) from error
        ours = (name for name in names if name.startswith(self._prefix) and name.endswith(_SUFFIX))
        return sorted(name.removesuffix(_SUFFIX) for name in ours)

    def _read(self, label: str) -> bytes | None:
        try:
            with open(self._path(label), "rb") as file:
                return file.read()
        except FileNotFoundError:
            return None
        except OSError as error:
            raise _unreadable(self._path(label), error) from error

    def _agent(self, job: Job | None) -> bytes:
        """Property list of one job, or of the agent for all of them."""
        if job is None:
            when: dict[str, object] = {"RunAtLoad": True}
            command = runner_command(self._places, ALL_JOBS)
        else:
            assert job.schedule is not None
            when = {"StartCalendarInterval": calendar_intervals(job.schedule)}
            guard = LAST_DAY_GUARD if needs_last_day_guard(job.schedule) else ""
            command = runner_command(self._places, job.id, guard=guard)
        label = self._label(ALL_JOBS if job is None else job.id)
        return plistlib.dumps({"Label": label, "ProgramArguments": list(command), **when}, sort_keys=False)

    # ----------------------------------------------------------------- writing

    def _apply(self, wanted: dict[str, bytes | None]) -> list[Change]:
        """Let each agent be what is *wanted*, None to be gone; on an error what was done is taken back."""
        changes: list[Change] = []
        try:
            for label, content in wanted.items():
                changes += self._set(label, content)
        except BirkezError:
            for change in reversed(changes):
                list(self._set(change.name, change.before))
            raise
        return changes

    def _set(self, label: str, content: bytes | None) -> Iterator[Change]:
        before = self._read(label)
        shall_be_loaded = content is not None and self._job_of(label) != ALL_JOBS
        is_loaded = self._is_loaded(label)
        if before == content and (is_loaded or not shall_be_loaded):
            return
        if is_loaded:
            self._refuse_running(self._job_of(label))
            self._unload(label)
        try:
            self._write(label, content)
            if shall_be_loaded:
                self._load(label)
            if self._read(label) != content or (shall_be_loaded and not self._is_loaded(label)):
                raise TriggerError("launchd-not-kept", name=label)
        except BirkezError:
            self._write(label, before)
            if is_loaded and before is not None:
                self._load(label)
            raise
        yield Change(self.name, label, before, content)

    def _refuse_running(self, job_id: str) -> None:
        """Unloading an agent ends its processes; what a command has half done nobody would know."""
        lock = read_state(self._places.lock_file(job_id)) if job_id != ALL_JOBS else None
        if lock is not None and lock.state == "held" and (lock.holder is None or lock.holder.trigger == "schedule"):
            raise TriggerError("launchd-job-running", job=job_id)

    def _write(self, label: str, content: bytes | None) -> None:
        path = self._path(label)
        try:
            if content is None:
                if os.path.lexists(path):
                    os.unlink(path)
                    flush_folder(self._folder)
                return
            os.makedirs(self._folder, mode=0o700, exist_ok=True)
            replace_file(path, content)
        except OSError as error:
            raise TriggerError("launchd-unwritable", path=path, reason=error.strerror or str(error)) from error

    # --------------------------------------------------------------- launchctl

    def _is_loaded(self, label: str) -> bool:
        status = self._launchctl("print", f"{self._domain}/{label}")
        if status not in (0, _NOT_LOADED):
            raise self._refused("print", status)
        return status == 0

    def _load(self, label: str) -> None:
        self._launchctl("enable", f"{self._domain}/{label}")  # switched off, it could not be loaded
        status = self._launchctl("bootstrap", self._domain, self._path(label))
        if status:
            raise self._refused("bootstrap", status)

    def _unload(self, label: str) -> None:
        status = self._launchctl("bootout", f"{self._domain}/{label}")
        deadline = time.monotonic() + _LEAVING_S
        while self._is_loaded(label):
            if time.monotonic() > deadline:
                raise self._refused("bootout", status)
            time.sleep(_LOOK_S)

    def _launchctl(self, *words: str) -> int:
        """Exit status of `launchctl` *words*; what it said is kept for `_refused`."""
        try:
            ended = subprocess.run(
                [_PROGRAM, *words], stdin=subprocess.DEVNULL, capture_output=True, timeout=_TIMEOUT_S, check=False
            )
        except FileNotFoundError as error:
            raise TriggerError("launchd-missing") from error
        except (OSError, subprocess.TimeoutExpired) as error:
            raise TriggerError("launchd-refused", command=_PROGRAM, status=-1, said=str(error)) from error
        self._said = (ended.stderr or ended.stdout).decode("utf-8", "replace").strip()
        return ended.returncode

    def _refused(self, action: str, status: int) -> TriggerError:
        return TriggerError("launchd-refused", command=f"{_PROGRAM} {action}", status=status, said=self._said)


def _entry_of(job: str, content: bytes) -> Entry:
    """Entry in a property list; one that somebody has made unreadable has no times and no command."""
    text = content.decode("utf-8", "replace")
    try:
        agent = plistlib.loads(content)
        intervals = agent.get("StartCalendarInterval", [])
        times = [" ".join(f"{part}={number}" for part, number in interval.items()) for interval in intervals]
        times += ["RunAtLoad"] if agent.get("RunAtLoad") else []
        command = tuple(map(str, agent.get("ProgramArguments", ())))
        return Entry(job, tuple(times), command, text, not agent.get("Disabled", False))
    except (ValueError, AttributeError, TypeError, ExpatError, plistlib.InvalidFileException):
        return Entry(job, (), (), text)


def _unreadable(path: str, error: OSError) -> TriggerError:
    return TriggerError("launchd-unreadable", path=path, reason=error.strerror or str(error))
