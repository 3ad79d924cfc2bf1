"""What a ledger promises, whichever database holds it.

**The right to run a window is its row.** Whoever inserts the row, or moves it from
`failed` or `again` by a conditional update that changes exactly one row, has the right;
everybody else gets False. So the ledger is right without the lock: two accounts, two
state folders or a lock file deleted while held change nothing.

**A row and its effect stand in one transaction** where the effect has a database: the
`sql` and `python` effects write through the same connection between `take` and `commit`.
A crash anywhere leaves both or neither.

**Coverage is whole.** The active rows of a job never overlap, and the watermark moves
over contiguous settled rows only, inside a ledger transaction.

Why not a second file for the ledger: a WAL transaction over attached files is not atomic.
"""

from __future__ import annotations

from trayapp.value import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from datetime import datetime
    from typing import Protocol, Self

    from trayapp.process_identity import ProcessIdentity
    from trayapp.window.grid import Window

# States of a window's row. Stored as text, so that the admin can read the table.
DONE = "done"  # the effect took place
SKIPPED = "skipped"  # a person said that it shall not be done
PASSED = "passed"  # passed over by the job's catch-up policy
STARTED = "started"  # a command has begun; nobody has recorded its end yet
FAILED = "failed"  # attempted, nothing took effect
UNCERTAIN = "uncertain"  # a command began and nobody knows whether it finished
AGAIN = "again"  # a person said: do it (once more)
SUPERSEDED = "superseded"  # done once, then reopened: the row `…#2` stands for the window now

SETTLED = (DONE, SKIPPED, PASSED)
UNSETTLED = (STARTED, FAILED, UNCERTAIN, AGAIN)
TAKEABLE = (FAILED, AGAIN)


class WindowRow(NamedTuple):
    """One window as the ledger knows it; *seq* grows with each change of any row.

    `process` is the command's own process, `runner` the process that started it.
    """

    key: str
    start: datetime
    end: datetime
    state: str
    attempt: int
    seq: int
    run: str
    trigger: str
    at: datetime
    reason: str
    new_count: int | None
    repeated_count: int | None
    duration_ms: int | None
    process: ProcessIdentity | None
    runner: ProcessIdentity | None


class Standing(NamedTuple):
    """Where a job stands: its watermark and the rows that a decision needs.

    `rows` are the active rows that end after the watermark, the unsettled ones before it,
    and the one that holds an instant asked for, oldest first. `is_new` says that the ledger
    does not know the job yet and the watermark is the job file's `start`.
    """

    watermark: datetime
    origin: datetime
    rows: tuple[WindowRow, ...]
    last_commit_at: datetime | None
    is_new: bool


class Mark(NamedTuple):
    """Which ledger this is and how far it has come: what the state folder remembers."""

    identity: str
    commits: int


class Taking(NamedTuple):
    """Who takes a window, and how: the facts that its row records."""

    run: str
    trigger: str
    at: datetime
    state: str = DONE
    process: ProcessIdentity | None = None
    runner: ProcessIdentity | None = None


class Counts(NamedTuple):
    """What an effect did: records taken for the first time, and seen before."""

    new: int | None = None
    repeated: int | None = None


def window_key(job_id: str, start: datetime, edition: int = 1) -> str:
    """Name one unit of work for ever: `satis-ozet:2026-09-04T10:00:00+00:00`, later `…#2`."""
    key = f"{job_id}:{start.isoformat()}"
    return key if edition == 1 else f"{key}#{edition}"


def edition_of(key: str) -> int:
    """Which edition of its window a key names: 1, or the number behind `#`."""
    _, mark, edition = key.partition("#")
    return int(edition) if mark else 1


if TYPE_CHECKING:

    class LedgerTransaction(Protocol):
        """One open transaction, begun so that no other writer can come between.

        Leaving the `with` block without `commit` takes everything back.
        """

        def begin_job(self, job_id: str, start: datetime) -> None:
            """Make the job known, with *start* as its watermark, unless it is known already."""

        def take(self, job_id: str, window: Window, key: str, taking: Taking) -> bool:
            """Take the right to run *window*; False when somebody has it or it is covered."""

        def count(self, counts: Counts, duration_ms: int) -> None:
            """Write what the effect did into the row that this transaction took."""

        def settle(self, job_id: str, key: str, run: str, at: datetime, duration_ms: int) -> bool:
            """Mark the window that *run* started as done; False when it is no longer that run's."""

        def fail(self, job_id: str, window: Window, key: str, taking: Taking, reason: str) -> int:
            """Record an attempt that took no effect; returns how many there have been."""

        def change(self, job_id: str, key: str, states: Sequence[str], state: str, reason: str, at: datetime) -> bool:
            """Move a row from one of *states* to *state*; False when it is in none of them."""

        def cover(self, job_id: str, windows: Iterable[Window], taking: Taking, reason: str) -> int:
            """Settle ranges without an effect, leaving out those that meet an active row."""

        def advance(self, job_id: str) -> datetime:
            """Move the watermark over contiguous settled rows; returns where it stands."""

        def claim_keys(self, job_id: str, record_keys: Sequence[str]) -> set[str]:
            """Claim record keys for the window that this transaction took; returns the new ones."""

        def commit(self) -> None:
            """Make everything durable, power loss included."""

        def rollback(self) -> None:
            """Take everything back."""

        def __enter__(self) -> Self: ...

        def __exit__(self, kind: object, error: BaseException | None, traceback: object, /) -> None: ...

    class Ledger(Protocol):
        """A ledger that is open."""

        def mark(self) -> Mark | None:
            """Identity and commit counter; None while the database holds no ledger yet."""

        def standing(self, job_id: str, start: datetime, asked: datetime | None = None) -> Standing:
            """Where the job stands now, read without keeping any writer out."""

        def changed_since(self, job_id: str, seq: int, limit: int) -> list[WindowRow]:
            """Rows of the job changed after *seq*, in the order of their change."""

        def transaction(self) -> LedgerTransaction:
            """Begin; raises SetupError `database-busy` when others keep the database too long."""

        def close(self) -> None:
            """Let go of the database."""
