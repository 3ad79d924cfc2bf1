"""A job as values: what the admin configured, already checked.

Everything here is a plain tuple of plain values, so that a parsed job can be kept beside
its file and the runner need not parse TOML again.
"""

from __future__ import annotations

from trayapp.errors import UsageError
from trayapp.value import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection
    from datetime import datetime
    from typing import Literal

    from trayapp.job.schedule import Schedule

    CatchUp = Literal["all", "latest", "none"]
    TimeFormat = Literal["iso", "iso-space", "epoch", "epoch-ms"]
    Method = Literal["GET", "POST"]


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
    """A function in a file; `callable` was `file:function`.

    `process(window, tx)`, or with `[items]`, and then without a *database*, `process(item, output)`.
    """

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


class DownloadEffect(NamedTuple):
    """Each item is fetched from *url* into its target file.

    `json` is the body's template as text; `expect` is "" or "json"; `per_host` the most
    requests to one server at a time, 0 for as many as there are workers.
    """

    url: str
    method: Method = "GET"
    json: str = ""
    headers: tuple[tuple[str, str], ...] = ()
    expect: str = ""
    per_host: int = 0
    timeout_s: float = 600.0


if TYPE_CHECKING:
    Effect = SqlEffect | PythonEffect | CommandEffect | DownloadEffect


class Items(NamedTuple):
    """Many small pieces of work instead of windows: each makes one target file, once.

    `source` is a text file, with `column` a CSV file, or a folder of files; `folder` holds
    the targets, and `name` is the template of their names.
    """

    source: str
    folder: str
    name: str
    column: str = ""
    workers: int = 4
    attempts: int = 3


class Job(NamedTuple):
    """One job. `file` is the absolute path of its job file, the root of relative paths.

    It cuts time by its `rule`, or works through `items`: exactly one of them is set.
    `ledger_database` is set for `command` jobs whose ledger is not Birkez's own. `warn_after`
    is how long it may go without a success, see `trayapp.patience`.
    """

    id: str
    title: str
    file: str
    rule: WindowRule | None
    effect: Effect
    schedule: Schedule | None = None
    enabled: bool = True
    ledger_database: str = ""
    items: Items | None = None
    warn_after: str = ""

    @property
    def window(self) -> WindowRule:
        """How the job cuts time; whoever works with windows asks for it.

        Raises: UsageError `job-without-periods` for a job that works through items.
        """
        if self.rule is None:
            raise UsageError("job-without-periods", job=self.id)
        return self.rule


_NAMELESS = "job"  # for a title without a letter or digit that an id could have
_ID_LETTERS = frozenset("abcdefghijklmnopqrstuvwxyz0123456789-")
_ID_LENGTH = 63
# Letters that NFKD does not take apart.
_LATIN = str.maketrans({"ı": "i", "ø": "o", "æ": "ae", "œ": "oe", "đ": "d", "ł": "l", "ð": "d", "þ": "th"})
# Windows opens a device for such a name in any folder, with any suffix: `con.toml` too.
_DEVICES = frozenset(
    ("con", "prn", "aux", "nul", *(f"{port}{number}" for port in ("com", "lpt") for number in range(10)))
)


def is_job_id(text: str) -> bool:
    """Tell whether *text* can be a job's id: `[a-z0-9][a-z0-9-]{0,62}`, and a file's name on each system."""
    return 0 < len(text) <= _ID_LENGTH and text[0] != "-" and _ID_LETTERS.issuperset(text) and text not in _DEVICES


def propose_id(title: str, taken: Collection[str]) -> str:
    """Free id that looks like *title*: "Sipariş özeti" gives siparis-ozeti, or siparis-ozeti-2."""
    stem = _slug(title)
    free_from = {name.lower() for name in taken}
    number = 1
    while True:
        suffix = "" if number == 1 else f"-{number}"
        proposed = stem[: _ID_LENGTH - len(suffix)].rstrip("-") + suffix
        if proposed not in free_from and is_job_id(proposed):  # a device's name is none: con-2
            return proposed
        number += 1


def _slug(title: str) -> str:
    import unicodedata  # noqa: PLC0415  # only a new job pays for it

    # NFKD takes marks off: ğ is g and a breve, İ is I and a dot.
    plain = unicodedata.normalize("NFKD", title).casefold().translate(_LATIN)
    kept = (letter for letter in plain if not unicodedata.combining(letter))
    words = "".join(letter if letter.isascii() and letter.isalnum() else " " for letter in kept).split()
    return "-".join(words)[:_ID_LENGTH].rstrip("-") or _NAMELESS
