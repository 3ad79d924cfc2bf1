"""The ledger inside an SQLite database: the effect's own, or Birkez's `ledger.db`."""

from __future__ import annotations

import os
import sqlite3
import time

from trayapp.clock import from_epoch
from trayapp.errors import SetupError, StateError
from trayapp.ledger import sqlite_schema
from trayapp.ledger.ledger import Mark, Standing
from trayapp.ledger.sqlite_file import LONGEST_WAIT_S, Patience, damaged, open_database
from trayapp.ledger.sqlite_rows import CHANGED_SINCE, LAST_CHANGE, ORPHANS, read_standing, row_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import datetime
    from typing import Any

    from trayapp.ledger.ledger import WindowRow
    from trayapp.ledger.sqlite_transaction import SqliteTransaction


class SqliteLedger:
    """A ledger in an SQLite file that exists; keeps the promises of `ledger.ledger`.

    *wait_s* bounds how long others may keep the database busy before we give up;
    *stop* is asked in between, and ends the wait early when it answers true. *owner*
    names the account and state folder that runs jobs here, so that two are noticed.
    """

    def __init__(
        self,
        path: str,
        *,
        wait_s: float = LONGEST_WAIT_S,
        stop: Callable[[], bool] | None = None,
        owner: Callable[[], str] = str,
    ) -> None:
        self.path = path
        self.owner = owner
        self.begun: set[str] = set()  # jobs that this process has made known, committed
        self._patience = Patience(path, wait_s, stop)
        self._schema = 0  # as committed; 0: no tables yet
        self.connection = open_database(path, patience=self._patience)
        try:
            self._check_schema()
        except BaseException:
            self.close()
            raise

    def mark(self) -> Mark | None:
        """Identity and commit counter; None while the database holds no ledger yet."""
        if not self._has_tables():
            return None
        sql = f"SELECT identity, (SELECT commits FROM ({LAST_CHANGE})) FROM birkez_ledger"
        return Mark(*self._read(sql)[0])

    def standing(self, job_id: str, start: datetime, asked: datetime | None = None) -> Standing:
        """Where the job stands now, from one snapshot; *start* serves a job that is new.

        *asked* adds the row that holds that instant, wherever the watermark stands.
        """
        if not self._has_tables():
            return Standing(start, start, (), None, is_new=True)
        self._read("BEGIN")
        try:
            self._read("SELECT 1 FROM birkez_ledger")  # now no writer can come between
            return self._checked(read_standing(self.connection, job_id, start, asked))
        except sqlite3.Error as error:
            raise damaged(error, self.path) from error
        finally:
            self.connection.execute("ROLLBACK")

    def _checked(self, standing: Standing) -> Standing:
        if standing.is_new and self._read(ORPHANS):  # a new job may get a deleted one's number, and its periods
            raise StateError("ledger-rows-missing", path=self.path)
        return standing

    def changed_since(self, job_id: str, seq: int, limit: int) -> list[WindowRow]:
        """Rows of the job changed after *seq*, at most *limit*, in the order of their change."""
        if not self._has_tables():
            return []
        return [row_of(row) for row in self._read(CHANGED_SINCE, (job_id, seq, limit))]

    def claimed_count(self, job_id: str, key: str) -> int:
        """How many record keys the window *key* claimed; no other window of the job can have them."""
        if not self._has_tables():
            return 0
        number = "(SELECT number FROM birkez_job WHERE job = ?)"
        window = f"(SELECT id FROM birkez_window WHERE job = {number} AND key = ?)"
        sql = f"SELECT count(*) FROM birkez_key WHERE job = {number} AND window = {window}"
        return int(self._read(sql, (job_id, job_id, key))[0][0])

    def jobs(self) -> list[str]:
        """Ids of the jobs that this ledger knows."""
        if not self._has_tables():
            return []
        return [job for (job,) in self._read("SELECT job FROM birkez_job ORDER BY job")]

    def owners(self, job_id: str) -> list[tuple[str, datetime]]:
        """Accounts and state folders that have run the job, and when each did last."""
        if not self._has_tables():
            return []
        sql = "SELECT owner, seen_s FROM birkez_owner WHERE job = (SELECT number FROM birkez_job WHERE job = ?)"
        return [(owner, from_epoch(seen_s)) for owner, seen_s in self._read(sql, (job_id,))]

    def transaction(self) -> SqliteTransaction:
        """Begin at once as the only writer, making the ledger's tables where there are none.

        Raises: SetupError `database-busy` after *wait_s*, or what else the database says.
        """
        from trayapp.ledger.sqlite_transaction import SqliteTransaction  # noqa: PLC0415  # runs with nothing to do read only

        self._read("BEGIN IMMEDIATE")
        transaction = SqliteTransaction(self)
        if self._schema < sqlite_schema.NEWEST:
            try:
                self._make_schema()
            except BaseException as error:
                transaction.rollback()
                if isinstance(error, sqlite3.Error):
                    raise damaged(error, self.path) from error
                raise
        return transaction

    def commit(self) -> None:
        """Commit, waiting for readers that a rollback journal makes us wait for."""
        self._read("COMMIT")
        self._schema = sqlite_schema.NEWEST

    def close(self) -> None:
        """Let go of the file; an open transaction is taken back."""
        self.connection.close()

    def _has_tables(self) -> bool:
        if self._schema == 0:
            self._check_schema()  # another first run may have made them meanwhile
        return self._schema != 0

    def _read(self, sql: str, parameters: tuple[object, ...] = ()) -> list[tuple[Any, ...]]:
        try:
            return self._patience.fetch(self.connection, sql, parameters)
        except sqlite3.Error as error:
            raise damaged(error, self.path) from error

    def _check_schema(self) -> None:
        found = self._read("SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = 'birkez_schema'")
        self._schema = self._read("SELECT max(step) FROM birkez_schema")[0][0] if found else 0
        if self._schema > sqlite_schema.NEWEST:
            raise StateError("ledger-newer", path=self.path, found=self._schema, known=sqlite_schema.NEWEST)

    def _make_schema(self) -> None:
        # Inside BEGIN IMMEDIATE: another runner may have made the tables while we waited.
        self._check_schema()
        execute, found = self.connection.execute, self._schema
        now = int(time.time())
        if not found:
            execute("CREATE TABLE birkez_schema (step INTEGER PRIMARY KEY, at_s INTEGER NOT NULL)")
        for number, statements in enumerate(sqlite_schema.STEPS[found:], start=found + 1):
            for statement in statements:
                execute(statement)
            execute("INSERT INTO birkez_schema VALUES (?, ?)", (number, now))
        if not found:
            execute("INSERT INTO birkez_ledger VALUES (1, ?, 0, ?)", (os.urandom(16).hex(), now))


def open_sqlite_ledger(
    path: str,
    *,
    wait_s: float = LONGEST_WAIT_S,
    stop: Callable[[], bool] | None = None,
    owner: Callable[[], str] = str,
) -> SqliteLedger:
    """Open the ledger in *path*; the database must exist.

    Raises: SetupError or StateError, naming the file and what is wrong with it.
    """
    if sqlite3.sqlite_version_info < (3, 35):  # RETURNING, by which record keys are claimed
        raise SetupError("sqlite-too-old", found=sqlite3.sqlite_version, needed="3.35")
    return SqliteLedger(path, wait_s=wait_s, stop=stop, owner=owner)
