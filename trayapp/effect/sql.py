"""The `sql` effect: the user's script, inside the ledger's transaction.

Statement by statement, because `executescript` commits first; split by
`sqlite3.complete_statement`, because `;` also stands in strings, comments and triggers.
Commits nothing itself.
"""

from __future__ import annotations

import os
import sqlite3
import stat

from trayapp.clock import to_epoch
from trayapp.errors import EffectError
from trayapp.ledger.ledger import Counts
from trayapp.ledger.sqlite_file import Patience, environment_error, open_database
from trayapp.value import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from datetime import datetime

    from trayapp.effect.interruption import Interruption
    from trayapp.effect.sqlite_guard import Guard
    from trayapp.effect.unit import Unit
    from trayapp.job.model import Source, SqlEffect

_ROWS_AT_ONCE = 1_000
_MAX_MIB = 64  # of a script; SQLite itself takes no statement of a gigabyte
_SEMICOLONS_TO_TRY = 100  # in one statement, before its texts and comments are told apart from its code
# A text, name or comment, with or without its end, or a `;` outside of all these.
_LITERAL_OR_SEMICOLON = r"'[^']*'?|\"[^\"]*\"?|`[^`]*`?|\[[^\]]*\]?|--[^\n]*|/\*(?s:.*?)(?:\*/|\Z)|;"


class Statement(NamedTuple):
    """One statement of a script and the line that it begins on."""

    text: str
    line: int


def read_script(path: str) -> tuple[Statement, ...]:
    """Read a script and split it as the sqlite3 shell would; a last statement needs no `;`.

    Raises: EffectError `script-missing`, `script-unreadable`, `script-not-regular`, `script-large`,
    `script-not-utf8`, `script-nul` or `script-empty`.
    """
    data = _read_bytes(path)
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise EffectError("script-not-utf8", path=path, position=error.start) from error
    if "\0" in text:  # SQLite would take the rest for the end
        raise EffectError("script-nul", path=path, line=text.count("\n", 0, text.index("\0")) + 1)
    statements = tuple(split_script(text))
    if not statements:
        raise EffectError("script-empty", path=path)
    return statements


def split_script(text: str) -> list[Statement]:
    """Cut a script into its statements; pieces of nothing but white space and comments are left out."""
    statements, begin = [], 0
    while (end := _statement_end(text, begin)) is not None:
        statements.append((begin, text[begin:end]))
        begin = end
    statements.append((begin, text[begin:]))
    found, line, counted_to = [], 1, 0
    for start, piece in statements:
        skip = _code_offset(piece)
        if skip is not None:
            line += text.count("\n", counted_to, start + skip)
            counted_to = start + skip
            found.append(Statement(piece[skip:], line))
    return found


def perform_sql(
    connection: sqlite3.Connection,
    effect: SqlEffect,
    script: tuple[Statement, ...],
    unit: Unit,
    interruption: Interruption,
    guard: Guard,
) -> Counts:
    """Run the script for one window inside the open transaction; returns the rows it wrote.

    Rows that it deleted are none of them: a script that first clears its period, and so can
    be repeated, would tell each row twice.

    *guard* is the connection's, one for all windows of the run.
    Raises: EffectError with the statement's line when a statement fails or may not be
    run; SetupError when the database itself fails. Nothing is committed or rolled back.
    """
    row_count = 0
    parameters = _parameters(effect, unit)
    interruption.limit_statements(connection, effect.timeout_s)
    try:
        with guard:
            for statement in script:
                row_count += _run(connection, effect, statement, parameters, guard, interruption)
    finally:
        interruption.lift(connection)
    return Counts(row_count)


def copy_sources(connection: sqlite3.Connection, effect: SqlEffect, unit: Unit, interruption: Interruption) -> None:
    """Copy each source's rows for the window into a TEMP table of its name, before the transaction.

    An attached database would be kept from committing as long as ours is open (measured);
    a copy holds its owner up for the length of one read.
    Raises: SetupError for a database that cannot be opened, EffectError for a query that fails.
    """
    for source in effect.sources:
        patience = Patience(source.database, effect.timeout_s, interruption.asked)
        other = open_database(source.database, read_only=True, patience=patience)
        interruption.limit_statements(other, effect.timeout_s)
        try:
            patience.fetch(other, "BEGIN")
            patience.fetch(other, "SELECT 1 FROM sqlite_schema")  # one view of it, whoever writes meanwhile
            _copy(connection, other, source, _parameters(effect, unit))
        except sqlite3.Error as error:
            if interruption.asked():
                raise EffectError("effect-timed-out", seconds=effect.timeout_s) from error
            known = environment_error(error, source.database)
            raise known or EffectError(
                "source-failed", source=source.name, path=source.database, reason=str(error)
            ) from error
        finally:
            other.close()


def format_bound(at: datetime, time_format: str) -> str | int:
    """Write a window's bound as the script wants it; text has no suffix, so that it sorts right as a prefix."""
    if time_format == "epoch":
        return to_epoch(at)
    if time_format == "epoch-ms":
        return to_epoch(at) * 1000
    return at.replace(tzinfo=None).isoformat(" " if time_format == "iso-space" else "T", "seconds")


def rows_changed(connection: sqlite3.Connection, sql: str, cursor: sqlite3.Cursor) -> int:
    """Count the rows that the statement *sql* itself changed, without those of triggers and of FTS' own tables.

    *cursor* is done with it, and nothing was run since.
    """
    if cursor.rowcount < 0 and sql[:4].lower() == "with":  # sqlite3 counts no rows there
        return int(connection.execute("SELECT changes()").fetchone()[0])
    return max(0, cursor.rowcount)


def deletes(sql: str) -> bool:
    """Tell whether the statement *sql*, without white space in front, takes rows away and writes none."""
    return sql[:6].lower() == "delete"


def _run(
    connection: sqlite3.Connection,
    effect: SqlEffect,
    statement: Statement,
    parameters: dict[str, object],
    guard: Guard,
    interruption: Interruption,
) -> int:
    where = {"path": effect.script, "line": statement.line}
    changes_before = connection.total_changes
    try:
        cursor = connection.execute(guard.marked(statement.text), parameters)
        for _ in cursor:
            pass  # a statement with RETURNING is not done before its last row
    except sqlite3.Error as error:
        if interruption.timed_out:
            raise EffectError("effect-timed-out", seconds=effect.timeout_s) from error
        if guard.refused:
            raise EffectError("sql-refused-" + guard.refused, **where) from error
        known = environment_error(error, effect.database)
        raise known or EffectError("sql-failed", reason=str(error), **where) from error
    except (OverflowError, ValueError) as error:
        raise EffectError("sql-failed", reason=str(error), **where) from error
    if not connection.in_transaction:
        # INSERT OR ROLLBACK, RAISE(ROLLBACK): SQLite has ended the transaction by itself.
        raise EffectError("sql-ended-transaction", **where)
    if connection.total_changes == changes_before or deletes(statement.text):
        return 0
    return rows_changed(connection, statement.text, cursor)


def _copy(
    connection: sqlite3.Connection, other: sqlite3.Connection, source: Source, parameters: dict[str, object]
) -> None:
    name = _quoted(source.name)
    rows = other.execute(source.query, parameters)
    columns = ", ".join(_quoted(column[0]) for column in rows.description)
    marks = ", ".join("?" * len(rows.description))
    connection.execute(f"DROP TABLE IF EXISTS temp.{name}")
    connection.execute(f"CREATE TEMP TABLE {name} ({columns})")
    connection.execute("BEGIN")  # touches TEMP alone: it keeps nobody from the user's database
    try:
        while some := rows.fetchmany(_ROWS_AT_ONCE):
            connection.executemany(f"INSERT INTO temp.{name} VALUES ({marks})", some)
        connection.execute("COMMIT")
    except BaseException:
        connection.execute("ROLLBACK")
        raise


def _parameters(effect: SqlEffect, unit: Unit) -> dict[str, object]:
    return {
        "start": format_bound(unit.window.start, effect.time_format),
        "end": format_bound(unit.window.end, effect.time_format),
        "key": unit.key,
        "job": unit.job,
    }


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def _read_bytes(path: str) -> bytes:
    try:
        # A pipe would wait for ever and a device never end.
        if not stat.S_ISREG(os.stat(path).st_mode):
            raise EffectError("script-not-regular", path=path)
        with open(path, "rb") as file:
            data = file.read((_MAX_MIB << 20) + 1)
    except FileNotFoundError as error:
        raise EffectError("script-missing", path=path) from error
    except OSError as error:
        raise EffectError("script-unreadable", path=path, reason=error.strerror) from error
    except ValueError as error:  # a letter that this system's file names cannot have
        raise EffectError("script-unreadable", path=path, reason=str(error)) from error
    if len(data) > _MAX_MIB << 20:
        raise EffectError("script-large", path=path, limit_mib=_MAX_MIB)
    return data


def _statement_end(text: str, begin: int) -> int | None:
    """Place behind the `;` that ends the statement at *begin*; None where none does."""
    semicolon = text.find(";", begin)
    for _ in range(_SEMICOLONS_TO_TRY):
        if semicolon < 0:
            return None
        if sqlite3.complete_statement(text[begin : semicolon + 1]):
            return semicolon + 1
        semicolon = text.find(";", semicolon + 1)
    import re  # noqa: PLC0415  # 4 ms, for a long trigger or a text full of `;`: each asked for would take hours

    for found in re.compile(_LITERAL_OR_SEMICOLON).finditer(text, begin):
        if found[0] == ";" and sqlite3.complete_statement(text[begin : found.end()]):
            return found.end()
    return None


def _code_offset(piece: str) -> int | None:
    """Where the first code of a piece begins; None when it is white space, comments and `;` alone."""
    at = 0
    while at < len(piece):
        if piece[at].isspace() or piece[at] in ";\ufeff":
            at += 1
        elif piece.startswith("--", at):
            line_end = piece.find("\n", at)
            at = len(piece) if line_end < 0 else line_end + 1
        elif piece.startswith("/*", at):
            comment_end = piece.find("*/", at + 2)
            at = len(piece) if comment_end < 0 else comment_end + 2
        else:
            return at
    return None
