"""The ledger inside a PostgreSQL database, for two servers with the same jobs.

Two hosts exclude each other by the job's row, locked in each transaction that writes; no
lock file and no lock of a session is needed for that, so a cut connection or a pooler in
between changes nothing.
"""

from __future__ import annotations

import os
import time

from trayapp.clock import from_epoch, to_epoch
from trayapp.errors import StateError
from trayapp.ledger import postgres_schema
from trayapp.ledger.ledger import Mark, Standing
from trayapp.ledger.postgres_server import connect, meaning, shown
from trayapp.ledger.sqlite_rows import COLUMNS, row_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from datetime import datetime
    from typing import Any

    from trayapp.ledger.ledger import WindowRow
    from trayapp.ledger.postgres_transaction import PostgresTransaction

_LOCK_OF_SCHEMA = 0x6269726B657A  # "birkez": one number for all who make the tables of one database
_ROWS = f"SELECT {COLUMNS} FROM birkez.birkez_window"
_NUMBER = "(SELECT number FROM birkez.birkez_job WHERE job = %s)"
# How many changes there were, and when the last one was.
_LAST_CHANGE = """SELECT commits, last_commit_s FROM birkez.birkez_ledger
    UNION ALL (SELECT id, at_ms / 1000 FROM birkez.birkez_window ORDER BY id DESC LIMIT 1)
    ORDER BY 1 DESC, 2 DESC LIMIT 1"""
_RELEVANT = f"""{_ROWS} WHERE job = %(job)s AND (
    (end_s > %(watermark)s AND state <> 'superseded') OR state IN ('started', 'failed', 'uncertain', 'again')
    OR (start_s <= %(asked)s AND end_s > %(asked)s AND state <> 'superseded')) ORDER BY start_s"""


class PostgresLedger:
    """A ledger on a server that answers; keeps the promises of `ledger.ledger`.

    *owner* names the account and state folder that runs jobs here. *wait_s* bounds how long
    others may keep what is not the job's own row.
    """

    def __init__(self, url: str, *, wait_s: float = 60, owner: Callable[[], str] = str) -> None:
        self.url = url
        self.path = shown(url)
        self.owner = owner
        self.begun: set[str] = set()  # jobs that this process has made known, committed
        self.wait_ms = max(1, int(wait_s * 1000))
        self._schema = 0  # as committed; 0: no tables yet
        self.connection = connect(url)
        try:
            self._check_schema()
        except BaseException:
            self.close()
            raise

    def mark(self) -> Mark | None:
        """Identity and commit counter; None while the database holds no ledger yet."""
        if not self._has_tables():
            return None
        return Mark(
            *self.run(f"SELECT identity, (SELECT commits FROM ({_LAST_CHANGE}) AS last) FROM birkez.birkez_ledger")[0]
        )

    def standing(self, job_id: str, start: datetime, asked: datetime | None = None) -> Standing:
        """Where the job stands now, from one snapshot; *start* serves a job that is new."""
        if not self._has_tables():
            return Standing(start, start, (), None, is_new=True)
        self.run("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY")
        try:
            return self._standing(job_id, start, asked)
        finally:
            self.give_up()

    def _standing(self, job_id: str, start: datetime, asked: datetime | None) -> Standing:
        commits, last_commit_s = self.run(_LAST_CHANGE)[0]
        last_commit_at = from_epoch(last_commit_s) if commits else None
        job = self.run("SELECT number, origin_s, watermark_s FROM birkez.birkez_job WHERE job = %s", (job_id,))
        if not job:
            if self.run(f"{_ROWS} WHERE job NOT IN (SELECT number FROM birkez.birkez_job) LIMIT 1"):
                raise StateError("ledger-rows-missing", path=self.path)
            return Standing(start, start, (), last_commit_at, is_new=True)
        number, origin_s, watermark_s = job[0]
        facts = {"job": number, "watermark": watermark_s, "asked": None if asked is None else to_epoch(asked)}
        rows = tuple(map(row_of, self.run(_RELEVANT, facts)))
        return Standing(from_epoch(watermark_s), from_epoch(origin_s), rows, last_commit_at, is_new=False)

    def changed_since(self, job_id: str, seq: int, limit: int) -> list[WindowRow]:
        """Rows of the job changed after *seq*, at most *limit*, in the order of their change."""
        if not self._has_tables():
            return []
        sql = f"{_ROWS} WHERE job = {_NUMBER} AND id > %s ORDER BY id LIMIT %s"
        return [row_of(row) for row in self.run(sql, (job_id, seq, limit))]

    def claimed_count(self, job_id: str, key: str) -> int:
        """How many record keys the window *key* claimed; no other window of the job can have them."""
        if not self._has_tables():
            return 0
        window = f"(SELECT id FROM birkez.birkez_window WHERE job = {_NUMBER} AND key = %s)"
        sql = f"SELECT count(*) FROM birkez.birkez_key WHERE job = {_NUMBER} AND window_id = {window}"
        return int(self.run(sql, (job_id, job_id, key))[0][0])

    def jobs(self) -> list[str]:
        """Ids of the jobs that this ledger knows."""
        if not self._has_tables():
            return []
        return [job for (job,) in self.run("SELECT job FROM birkez.birkez_job ORDER BY job")]

    def owners(self, job_id: str) -> list[tuple[str, datetime]]:
        """Accounts and state folders that have run the job, and when each did last."""
        if not self._has_tables():
            return []
        sql = f"SELECT owner, seen_s FROM birkez.birkez_owner WHERE job = {_NUMBER} ORDER BY owner"
        return [(owner, from_epoch(seen_s)) for owner, seen_s in self.run(sql, (job_id,))]

    def transaction(self) -> PostgresTransaction:
        """Begin, making the ledger's tables where there are none; the first word about a job locks its row.

        Raises: SetupError `server-lost`, `server-read-only`, `server-no-right`, …
        """
        from trayapp.ledger.postgres_transaction import PostgresTransaction  # noqa: PLC0415  # reading needs it not

        self.run(
            "BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE;"  # whatever the role's defaults are
            f"SET LOCAL lock_timeout = {self.wait_ms};"
            # What is told as done has reached the disk, also where the role would do with less.
            "SELECT set_config('synchronous_commit', 'on', true)"
            " WHERE current_setting('synchronous_commit') IN ('off', 'local')"
        )
        try:
            if self._schema < postgres_schema.NEWEST:
                self._make_schema()
        except BaseException:
            self.give_up()
            raise
        return PostgresTransaction(self)

    def run(self, sql: str, parameters: Sequence[object] | dict[str, object] | None = None) -> list[tuple[Any, ...]]:
        """Run one statement of ours and return its rows; raises what its error means."""
        import psycopg  # noqa: PLC0415  # loaded by `connect` already

        try:
            cursor = self.connection.execute(sql.encode(), parameters)
            return cursor.fetchall() if cursor.description is not None else []
        except psycopg.Error as error:
            raise meaning(error, self.url, lost=self.connection.broken) from error

    def committed(self) -> None:
        """Note that a transaction has been committed, and the tables with it."""
        self._schema = postgres_schema.NEWEST

    def reconnect(self) -> None:
        """Connect anew where the connection was cut; raises as `connect` does."""
        self.connection.close()
        self.connection = connect(self.url)

    def give_up(self) -> None:
        """Take an open transaction back; a connection that is gone has done so by itself."""
        if not self.connection.closed and self.connection.info.transaction_status:
            self.run("ROLLBACK")

    def close(self) -> None:
        """Let go of the server; an open transaction is taken back."""
        self.connection.close()

    def _has_tables(self) -> bool:
        if self._schema == 0:
            self._check_schema()  # another first run may have made them meanwhile
        return self._schema != 0

    def _check_schema(self) -> None:
        # `to_regclass` may answer from what the session remembers, and so not see what we have just waited for.
        found = self.run("SELECT 1 FROM pg_tables WHERE schemaname = 'birkez' AND tablename = 'birkez_schema'")
        self._schema = self.run("SELECT max(step) FROM birkez.birkez_schema")[0][0] if found else 0
        if self._schema > postgres_schema.NEWEST:
            raise StateError("ledger-newer", path=self.path, found=self._schema, known=postgres_schema.NEWEST)

    def _make_schema(self) -> None:
        # Two first runs at once: the second waits here and then finds the tables.
        self.run("SELECT pg_advisory_xact_lock(%s)", (_LOCK_OF_SCHEMA,))
        self._check_schema()
        found, now = self._schema, int(time.time())
        if not found:
            self.run("CREATE SCHEMA IF NOT EXISTS birkez")
            self.run("CREATE TABLE birkez.birkez_schema (step integer PRIMARY KEY, at_s bigint NOT NULL)")
        for number, statements in enumerate(postgres_schema.STEPS[found:], start=found + 1):
            for statement in statements:
                self.run(statement)
            self.run("INSERT INTO birkez.birkez_schema VALUES (%s, %s)", (number, now))
        if not found:
            self.run("INSERT INTO birkez.birkez_ledger VALUES (1, %s, 0, %s)", (os.urandom(16).hex(), now))


def open_postgres_ledger(url: str, *, wait_s: float = 60, owner: Callable[[], str] = str) -> PostgresLedger:
    """Open the ledger in the database at *url*, which must exist.

    Raises: SetupError or StateError, naming the server and what is wrong with it.
    """
    return PostgresLedger(url, wait_s=wait_s, owner=owner)
