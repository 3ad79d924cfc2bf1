"""Seeing to it that the run's connection is used by `process` alone, and while it runs.

A statement from another thread could come between our rollback and the end of the run, and
would stand by itself; in a forked child it would write past the locks. SQLite's binding
refuses other threads of itself; the classes here also note it, so that the period fails
though that thread swallowed the error, and they refuse what is kept for later: an old `tx`,
its cursors, their connection.
"""

from __future__ import annotations

import os
import sqlite3
import sys
from _thread import get_ident

from trayapp.errors import EffectError
from trayapp.ledger.sqlite_file import OwnConnection

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from typing import Any, NoReturn, Self

    from trayapp.effect.python_transaction import Parameters

_NOBODY = 0


class Watch:
    """One call of the user's code: whose the connection is meanwhile, and the first misuse that was met.

    With *is_for_use* the call may use the connection (`process`), else it may not (`prepare`).
    """

    def __init__(self, connection: OwnConnection, path: str, *, is_for_use: bool) -> None:
        self.thread = _NOBODY  # the one that may use it now
        self.misuse: EffectError | None = None
        self._connection = connection
        self._path = path
        self.is_for_use = is_for_use

    def __enter__(self) -> Self:
        if self.is_for_use:
            self.thread = get_ident()
        _running.append(self)
        self._connection.watch = self
        self._connection.__class__ = WatchedConnection
        return self

    def __exit__(self, *_exc: object) -> None:
        self.thread = _NOBODY
        self._connection.__class__ = OwnConnection
        _running.remove(self)

    def check(self) -> None:
        """Refuse a use by another thread or process, or by code whose call is over.

        Raises: EffectError `python-other-thread`, `python-used-late`.
        """
        if self.thread != get_ident():
            self.refuse_use("python-other-thread" if self.thread else "python-used-late")

    def refuse_use(self, code: str) -> NoReturn:
        """Note a misuse, which is told whatever becomes of the error, and raise it."""
        error = EffectError(code, path=self._path)
        for watch in _running or [self]:  # what an earlier call has left behind fails the call that it is met in
            watch.misuse = watch.misuse or error
        raise error


class WatchedConnection(OwnConnection):
    """The connection as code of the user's finds it, which reaches it by a cursor of `tx`."""

    __slots__ = ()

    def cursor(self, factory: object = None) -> WatchedCursor:  # type: ignore[override]  # noqa: ARG002
        """Make a cursor that is watched too, whatever kind is asked for."""
        self.watch.check()
        return watched_cursor(self, self.watch)

    def execute(self, sql: str, parameters: Parameters = (), /) -> sqlite3.Cursor:  # type: ignore[override]
        """Run a statement, as `tx.execute` does."""
        self.watch.check()
        return super().execute(sql, parameters)

    def executemany(self, sql: str, rows: Iterable[Parameters], /) -> sqlite3.Cursor:  # type: ignore[override]
        """Run a statement for each of many rows."""
        self.watch.check()
        return super().executemany(sql, rows)

    def executescript(self, script: str) -> sqlite3.Cursor:
        """Refused by SQLite, since it commits first."""
        self.watch.check()
        return super().executescript(script)

    def close(self) -> None:
        """Refuse: the run goes on with this connection."""
        self.watch.refuse_use("python-closed-connection")


class WatchedCursor(sqlite3.Cursor):
    """A cursor of `tx`; rows are taken one by one at SQLite's own speed."""

    __slots__ = ("watch",)
    watch: Watch

    @property
    def connection(self) -> sqlite3.Connection:
        """The run's connection, for what only a connection can do."""
        self.watch.check()
        return _connection_of(self)

    def execute(self, sql: str, parameters: Parameters = (), /) -> Self:  # type: ignore[override]
        """Run a statement in the cursor's place."""
        self.watch.check()
        return super().execute(sql, parameters)

    def executemany(self, sql: str, rows: Iterable[Parameters], /) -> Self:  # type: ignore[override]
        """Run a statement for each of many rows."""
        self.watch.check()
        return super().executemany(sql, rows)

    def executescript(self, script: str) -> sqlite3.Cursor:
        """Refused by SQLite, since it commits first."""
        self.watch.check()
        return super().executescript(script)

    def fetchone(self) -> object:
        """Take the next row; None after the last."""
        self.watch.check()
        return super().fetchone()

    def fetchmany(self, size: int | None = None) -> list[Any]:
        """Take some rows."""
        self.watch.check()
        return super().fetchmany() if size is None else super().fetchmany(size)

    def fetchall(self) -> list[Any]:
        """Take all rows that are left."""
        self.watch.check()
        return super().fetchall()

    def __iter__(self) -> Self:
        self.watch.check()
        return self


def watched_cursor(connection: sqlite3.Connection, watch: Watch) -> WatchedCursor:
    """Make a cursor that *watch* watches."""
    cursor = _new_cursor(connection, WatchedCursor)
    cursor.watch = watch
    return cursor


def execute_on(cursor: WatchedCursor, sql: str, parameters: Parameters) -> None:
    """Run a statement for a caller who has looked at the watch already."""
    _execute(cursor, sql, parameters)


def execute_many_on(cursor: WatchedCursor, sql: str, rows: Iterable[Parameters]) -> None:
    """Run a statement for each of *rows*, likewise."""
    _execute_many(cursor, sql, rows)


def _refuse_in_child() -> None:
    for watch in _running:
        watch.thread = -1  # no thread's


_running: list[Watch] = []
_new_cursor = sqlite3.Connection.cursor
_execute, _execute_many = sqlite3.Cursor.execute, sqlite3.Cursor.executemany
_connection_of: Callable[[sqlite3.Cursor], sqlite3.Connection] = sqlite3.Cursor.connection.__get__
if sys.platform != "win32":
    os.register_at_fork(after_in_child=_refuse_in_child)
