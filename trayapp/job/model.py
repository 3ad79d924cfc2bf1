"""A job as values: what the admin configured, already checked.

Everything here is a plain tuple of plain values, so that a parsed job can be kept beside
its file and the runner need not parse TOML again.
"""

from __future__ import annotations

from trayapp.value import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from datetime import datetime
    from typing import Literal

    from trayapp.job.schedule import Schedule

    CatchUp = Literal["all", "latest", "none"]
    TimeFormat = Literal["iso", "iso-space", "epoch", "epoch-ms"]


class WindowRule(NamedTuple):
    """How time is cut for a job, and how far one run may catch up.

    `step` is the text of the job file ("1h", "1d"); `timezone` is an IANA name, set with
    calendar steps only; `start` is the watermark before the first run.
    """

    step: str
    start: datetime
    timezone: str | None = None
    lateness_s: int = 300
    max_per_run: int = 24
    catch_up: CatchUp = "all"


class Source(NamedTuple):
    """A named query on another database, copied before the transaction begins."""

    name: str
    database: str
    query: str


class SqlEffect(NamedTuple):
    """A script that runs inside the ledger's transaction; paths are absolute."""

    database: str
    script: str
    time_format: TimeFormat = "iso"
    timeout_s: float = 600.0
    sources: tuple[Source, ...] = ()


class PythonEffect(NamedTuple):
    """A function `process(window, tx)` in a file; `callable` was `file:function`."""

    database: str
    file: str
    function: str
    timeout_s: float = 600.0


class CommandEffect(NamedTuple):
    """A program of the user's: either `argv` or `shell` is set.

    `env` adds to the environment, `path` replaces PATH, `nothing_done` are exit codes
    by which the command says that it did nothing.
    """

    argv: tuple[str, ...] = ()
    shell: str = ""
    cwd: str = ""
    env: tuple[tuple[str, str], ...] = ()
    path: str = ""
    encoding: str = ""
    repeatable: bool = False
    nothing_done: tuple[int, ...] = ()
    timeout_s: float = 600.0


class Job(NamedTuple):
    """One job. `file` is the absolute path of its job file, the root of relative paths.

    `ledger_database` is set for `command` jobs whose ledger is not Birkez's own.
    """

    id: str
    title: str
    file: str
    window: WindowRule
    effect: SqlEffect | PythonEffect | CommandEffect
    schedule: Schedule | None = None
    enabled: bool = True
    ledger_database: str = ""
