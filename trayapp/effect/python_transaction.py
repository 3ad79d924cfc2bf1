"""`tx`: what a `process(window, tx)` function may do inside the run's transaction."""

from __future__ import annotations

import os
import sqlite3

from trayapp.effect.sql import deletes, rows_changed
from trayapp.effect.sqlite_guard import Guard
from trayapp.effect.watch import execute_many_on, execute_on, watched_cursor
from trayapp.errors import EffectError
from trayapp.ledger.ledger import Counts

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from typing import Any

    from trayapp.effect.unit import Unit
    from trayapp.effect.watch import Watch
    from trayapp.ledger.sqlite_transaction import SqliteTransaction

    Parameters = Sequence[Any] | Mapping[str, Any]

_READ_AT_ONCE = 1 << 20


class Transaction:
    """The open transaction as the user's code sees it; it ends when `process` returns.

    It belongs to the thread that runs `process`. `key` is the window's key and `job` the
    job's id, for services that want one.
    """

    def __init__(self, transaction: SqliteTransaction, unit: Unit, path: str, watch: Watch) -> None:
        self.key = unit.key
        self.job = unit.job
        self._transaction = transaction
        self._path = path  # of the user's file, for what has to be told
        self._connection = transaction.connection
        self._guard = Guard(self._connection)
        self._new_count = 0
        self._repeated_count = 0
        self._changes_before = self._connection.total_changes
        self._looked_at = 0  # changes that were seen so far …
        self._indirect = 0  # … and those among them of triggers, of FTS' own tables, and rows taken away
        self._watch = watch

    def execute(self, sql: str, parameters: Parameters = ()) -> sqlite3.Cursor:
        """Run one statement; rows come from the cursor it returns.

        Raises: EffectError when it would end the transaction, touch `birkez_*` tables or
        change the file's settings; sqlite3.Error as SQLite says.
        """
        self._check_open()
        changes_before = self._connection.total_changes
        cursor = watched_cursor(self._connection, self._watch)
        try:
            execute_on(cursor, self._guard.marked(sql), parameters)
        except sqlite3.Error:
            self._explain_refusal(sql)
            raise
        changes = self._connection.total_changes - changes_before
        if changes == cursor.rowcount and not (changes and deletes(sql.lstrip())):  # the most, and the quickest
            self._looked_at += changes
        else:
            self._note(sql, cursor, changes)
        return cursor

    def execute_many(self, sql: str, rows: Iterable[Parameters]) -> sqlite3.Cursor:
        """Run one statement for each of *rows*; raises as `execute` does."""
        self._check_open()
        changes_before, looked_at = self._connection.total_changes, self._looked_at
        cursor = watched_cursor(self._connection, self._watch)
        try:
            execute_many_on(cursor, self._guard.marked(sql), rows)
        except sqlite3.Error:
            self._explain_refusal(sql)
            raise
        # Rows may come from code that runs statements too: theirs are looked at by then.
        inner = self._looked_at - looked_at
        self._note(sql, cursor, self._connection.total_changes - changes_before - inner)
        return cursor

    def first_time(self, key: str) -> bool:
        """Claim a record key; True when this job never claimed it before."""
        return bool(self.first_times((key,)))

    def first_times(self, keys: Iterable[str]) -> list[str]:
        """Claim record keys; returns the new ones, each once, in the order given.

        The claim and the effect commit together. One call for thousands of keys is
        hundreds of times faster than a call for each.
        Raises: EffectError `record-key-invalid` for what is not text, empty, or holds NUL.
        """
        wanted = list(keys)
        _check_keys(wanted)
        self._check_open()
        new = self._guard.run_ours(lambda: self._transaction.claim_keys(self.job, wanted))
        self._new_count += len(new)
        self._repeated_count += len(wanted) - len(new)
        if not new or len(new) == len(wanted):  # what a job meets most, without a look at each key
            return wanted if new else []
        fresh = []
        for key in wanted:
            if key in new:
                new.remove(key)
                fresh.append(key)
        return fresh

    def file_key(self, path: str | os.PathLike[str]) -> str:
        """Name a file by its name and content: `siparis.csv:sha256-…`; a changed file is a new record."""
        from hashlib import sha256  # noqa: PLC0415  # only jobs that take files pay for it

        digest = sha256()
        with open(path, "rb") as file:
            while block := file.read(_READ_AT_ONCE):
                digest.update(block)
        return f"{os.path.basename(os.fspath(path))}:sha256-{digest.hexdigest()}"

    def guarded(self) -> Guard:
        """Stand guard over the user's statements while the block lasts."""
        return self._guard

    def is_open(self) -> bool:
        """Tell whether the transaction still stands; SQLite may have ended it by itself."""
        return self._connection.in_transaction

    def counts(self) -> Counts:
        """What was done: record keys new and repeated, or rows written where no keys were used."""
        if self._new_count or self._repeated_count:
            return Counts(self._new_count, self._repeated_count)
        return Counts(new=self._connection.total_changes - self._changes_before - self._indirect)

    def _check_open(self) -> None:
        # After INSERT OR ROLLBACK that the user's code swallowed, a statement would take
        # effect at once, by itself.
        self._watch.check()
        if not self._connection.in_transaction:
            raise EffectError("python-ended-transaction", path=self._path)

    def _note(self, sql: str, cursor: sqlite3.Cursor, changes: int) -> None:
        """Note what a statement changed besides rows it wrote; one with RETURNING, not done yet, counts as it is."""
        self._looked_at += changes
        if deletes(sql.lstrip()):
            self._indirect += changes
        elif changes and cursor.description is None:
            self._indirect += changes - rows_changed(self._connection, sql.lstrip(), cursor)

    def _explain_refusal(self, sql: str) -> None:
        if self._guard.refused:
            raise EffectError("sql-refused-" + self._guard.refused, path=sql.strip()[:80], line=1)


def _check_keys(keys: list[Any]) -> None:
    try:  # all at once: a look at each key would take a tenth of the claim
        text = "\0".join(("", *keys, ""))
        if text.count("\0") == len(keys) + 1 and "\0\0" not in text:
            return
    except TypeError:
        pass
    for key in keys:
        if not isinstance(key, str) or not key or "\0" in key:
            raise EffectError("record-key-invalid", value=repr(key))
