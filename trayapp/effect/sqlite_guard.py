"""What a user's statements may not do while they run inside our transaction.

SQLite asks when a statement is prepared, and Python keeps prepared statements by their
text: the user's `COMMIT` would find ours, already allowed. So the user's statements bear a
mark that none of ours bears, and are prepared apart.
Why not an authorizer that is set around the user's statements: each setting makes SQLite
prepare all statements anew, a third of what a window costs beside its commit (measured).
"""

from __future__ import annotations

import sqlite3

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Self, TypeVar

    T = TypeVar("T")

_OK, _DENY = sqlite3.SQLITE_OK, sqlite3.SQLITE_DENY
_HARMLESS = {
    sqlite3.SQLITE_READ,
    sqlite3.SQLITE_SELECT,
    sqlite3.SQLITE_FUNCTION,
    sqlite3.SQLITE_RECURSIVE,
    # Of all tables where none is named; they change how rows are found, and none of the rows.
    sqlite3.SQLITE_ANALYZE,
    sqlite3.SQLITE_REINDEX,
}
_WRITES_ROWS = {sqlite3.SQLITE_INSERT, sqlite3.SQLITE_UPDATE, sqlite3.SQLITE_DELETE}
_CHANGES_WITHOUT_VALUE = {"optimize", "incremental_vacuum", "wal_checkpoint", "shrink_memory"}
_ASKS_WITH_VALUE = {
    "defer_foreign_keys",  # lasts until the end of the transaction only
    "foreign_key_check",
    "foreign_key_list",
    "index_info",
    "index_list",
    "index_xinfo",
    "integrity_check",
    "quick_check",
    "table_info",
    "table_list",
    "table_xinfo",
}
_MARK = "/* job */ "  # in front, since SQLite keeps what follows CREATE as the table's own text


class Guard:
    """Refuses transaction control, ATTACH, PRAGMAs that change the file, and writes to `birkez_*`.

    It stands from its making to the end of the connection and refuses inside its block only.
    There the user's statements go through `marked`, and one guard serves all windows of a
    script. Python code can reach the connection past that, by a cursor: it gets a guard of
    its own each time, whose making spoils whatever was prepared before.
    `refused` names the first thing refused, since SQLite itself only says "not authorized".
    """

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._ours = True
        self.refused: str | None = None
        connection.set_authorizer(self._allow)

    def __enter__(self) -> Self:
        self._ours = False
        self.refused = None
        return self

    def __exit__(self, *_exc: object) -> None:
        self._ours = True

    def marked(self, sql: str) -> str:
        """Text of a statement of the user's that shares no prepared statement with ours."""
        return _MARK + sql

    def run_ours(self, work: Callable[[], T]) -> T:
        """Do a piece of ledger work while the guard stands."""
        before, self._ours = self._ours, True
        try:
            return work()
        finally:
            self._ours = before

    def _allow(self, action: int, first: str | None, second: str | None, _database: str | None, _by: str | None) -> int:
        if self._ours or action in _HARMLESS:
            return _OK
        refused = _refusal(action, first, second)
        if refused is None:
            return _OK
        self.refused = self.refused or refused
        return _DENY


def _refusal(action: int, first: str | None, second: str | None) -> str | None:
    if action in (sqlite3.SQLITE_TRANSACTION, sqlite3.SQLITE_SAVEPOINT):
        return "transaction"
    if action in (sqlite3.SQLITE_ATTACH, sqlite3.SQLITE_DETACH):
        return "attach"
    if action == sqlite3.SQLITE_PRAGMA:
        name = (first or "").lower()
        asks = name not in _CHANGES_WITHOUT_VALUE if second is None else name in _ASKS_WITH_VALUE
        return None if asks else "pragma"
    names = (first,) if action in _WRITES_ROWS else (first, second)
    if any(name is not None and name.lower().startswith("birkez_") for name in names):
        return "ledger-table"
    return None
