"""What the statements of an open transaction do to rows, table by table, for a trial that is taken back.

Triggers of this connection's own write it down: TEMP ones, of which the database file
never hears and which the rollback takes away together with everything else. What REPLACE
removes is not among it, nor rows of virtual tables: SQLite runs no trigger for them.
"""

from __future__ import annotations

import sqlite3

from trayapp.value import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

_COUNTS, _ROWS = '"count of the trial"', '"rows of the trial"'
_MOST_ROWS = 5  # of a table that are kept
_MOST_COLUMNS = 8
_MOST_LETTERS = 80  # of a value
_SEPARATOR = "\x1f"


class TableChange(NamedTuple):
    """What became of one table: counts of rows, and the first rows that were *written* or *changed*.

    Of a new table all rows count as written; of one that was dropped nothing is counted.
    Values are written as SQL writes them, long ones cut with an ellipsis.
    """

    table: str
    written: int = 0
    changed: int = 0
    removed: int = 0
    columns: tuple[str, ...] = ()
    rows: tuple[tuple[str, ...], ...] = ()
    is_new: bool = False
    is_dropped: bool = False


class RowWatch:
    """Watches from its making on; make it inside the transaction, before the statements."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._execute = connection.execute
        self._execute(
            f"CREATE TEMP TABLE {_COUNTS} (id INTEGER PRIMARY KEY, written INTEGER, changed INTEGER, removed INTEGER)"
        )
        self._execute(f"CREATE TEMP TABLE {_ROWS} (id INTEGER, text TEXT)")
        self._before = self._tables()
        self._columns: dict[str, tuple[str, ...]] = {}
        for number, table in enumerate(self._before):
            self._watch(number, table)

    def changes(self) -> list[TableChange]:
        """What was done so far to the tables that anything was done to."""
        after = self._tables()
        found = [self._change(number, table, after) for number, table in enumerate(self._before)]
        found += [self._new_table(table) for table in after if table not in self._before]
        return [change for change in found if any(change[1:4]) or change.is_new or change.is_dropped]

    def _watch(self, number: int, table: str) -> None:
        columns = self._columns_of(table)
        if not columns:
            return
        self._execute(f"INSERT INTO {_COUNTS} VALUES ({number}, 0, 0, 0)")  # noqa: S608  # our own names
        kept = f" || '{_SEPARATOR}' || ".join(_shortened(f"NEW.{_quoted(column)}") for column in columns)
        keep = (
            f"INSERT INTO {_ROWS} SELECT {number}, {kept}"  # noqa: S608  # names as the database has them, quoted
            f" WHERE (SELECT written + changed FROM {_COUNTS} WHERE id = {number}) <= {_MOST_ROWS};"
        )
        for action, count, more in (
            ("INSERT", "written", keep),
            ("UPDATE", "changed", keep),
            ("DELETE", "removed", ""),
        ):
            try:
                self._execute(
                    f'CREATE TEMP TRIGGER "trial {number} {count}" AFTER {action} ON main.{_quoted(table)} BEGIN'  # noqa: S608  # as above
                    f" UPDATE {_COUNTS} SET {count} = {count} + 1 WHERE id = {number}; {more} END"
                )
            except sqlite3.OperationalError:
                return  # a table of SQLite's or an extension's own
        self._columns[table] = columns

    def _change(self, number: int, table: str, after: Iterable[str]) -> TableChange:
        if table not in after:
            return TableChange(table, is_dropped=True)
        if table not in self._columns:
            return TableChange(table)
        sql = f"SELECT written, changed, removed FROM {_COUNTS} WHERE id = ?"  # noqa: S608  # our own name
        counts = self._execute(sql, (number,)).fetchone()
        rows = self._execute(f"SELECT text FROM {_ROWS} WHERE id = ? ORDER BY rowid", (number,))  # noqa: S608  # as above
        told = tuple(tuple(map(_cut, text.split(_SEPARATOR))) for (text,) in rows)
        written, changed, removed = map(int, counts)
        return TableChange(table, written, changed, removed, self._columns[table], told)

    def _new_table(self, table: str) -> TableChange:
        columns = self._columns_of(table)
        name = f"main.{_quoted(table)}"
        count = self._execute(f"SELECT count(*) FROM {name}").fetchone()[0]  # noqa: S608  # as the database has it
        values = ", ".join(_shortened(_quoted(column)) for column in columns)
        rows = self._execute(f"SELECT {values} FROM {name} LIMIT {_MOST_ROWS}").fetchall()  # noqa: S608  # as above
        told = tuple(tuple(map(_cut, row)) for row in rows)
        return TableChange(table, int(count), columns=columns, rows=told, is_new=True)

    def _tables(self) -> list[str]:
        sql = (
            "SELECT name FROM main.sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite~_%' ESCAPE '~'"
            " AND name NOT LIKE 'birkez~_%' ESCAPE '~' AND sql NOT LIKE 'CREATE VIRTUAL%' ORDER BY name"
        )
        names = [name for (name,) in self._execute(sql)]
        try:
            shadows = self._execute("SELECT name FROM pragma_table_list WHERE type = 'shadow'")
        except sqlite3.OperationalError:  # before SQLite 3.37
            return names
        hidden = {name for (name,) in shadows}
        return [name for name in names if name not in hidden]

    def _columns_of(self, table: str) -> tuple[str, ...]:
        sql = "SELECT name FROM pragma_table_xinfo(?, 'main') WHERE hidden <> 1"
        return tuple(name for (name,) in self._execute(sql, (table,)))[:_MOST_COLUMNS]


def _shortened(value: str) -> str:
    return f"substr(quote({value}), 1, {_MOST_LETTERS + 1})"


def _cut(value: str) -> str:
    """Value as people read it: text without its quotes, a long one with an ellipsis."""
    is_long = len(value) > _MOST_LETTERS
    if value.startswith("'"):
        value = (value[1:] if is_long else value[1:-1]).replace("''", "'")
    return value[: _MOST_LETTERS - 1] + "…" if is_long else value


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'
