"""The tables `[effect]` and `[ledger]` of a job file: what the job does, and where it is recorded.

Paths leave here absolute; a relative one starts at the job file.
Whether a file or database is there is not asked: a job whose drive is not mounted is a
valid job that cannot run now, and the runner says so.
"""

from __future__ import annotations

import keyword
import os

from trayapp.job.fields import KEYS
from trayapp.job.model import CommandEffect, PythonEffect, Source, SqlEffect

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from trayapp.job.fields import Table
    from trayapp.job.model import Effect, TimeFormat

_KEYS_OF_KIND = {
    "sql": ("database", "script", "time_format", "timeout", "sources"),
    "python": ("database", "callable", "timeout"),
    "command": ("argv", "shell", "cwd", "env", "path", "encoding", "repeatable", "nothing_done", "timeout"),
}
_TIMEOUT = "10m"
_ARGV = '["python3", "mail.py", "--from", "{start}"]'
_LARGEST_EXIT_STATUS = 0xFFFF_FFFF  # Windows' are 32 bits wide
_POSTGRES = ("postgresql:", "postgres:")


def take_effect(job: Table) -> Effect:
    """Effect of the job, by its `kind`."""
    table = job.table("effect", None)
    if table.value("kind") == "download":
        raise table.fault("job-download-without-items", "kind", allowed="[items]")
    kind = take_kind(table, _KEYS_OF_KIND)
    if kind == "sql":
        return _take_sql(table)
    return _take_python(table) if kind == "python" else take_command(table)


def take_kind(table: Table, keys_of_kind: Mapping[str, tuple[str, ...]]) -> str:
    """Kind of an effect; a key of another kind is refused as that, any other as unknown."""
    kind = table.choice("kind", keys_of_kind)
    allowed = keys_of_kind[kind]
    known = {key for keys in keys_of_kind.values() for key in keys}
    for key in table.names():
        if key in known and key not in allowed:
            raise table.fault("job-key-of-other-kind", key, kind=kind, allowed=", ".join(allowed))
    table.refuse_unknown(("kind", *allowed))
    return kind


def take_ledger_database(job: Table, effect: Effect) -> str:
    """Database that keeps a command's ledger, "" where Birkez's own does."""
    if "ledger" not in job:
        return ""
    table = job.table("ledger", KEYS["ledger"])
    if not isinstance(effect, CommandEffect):
        raise job.fault("job-ledger-unneeded", "ledger")
    return _take_database(table)


def absolute_path(folder: str, path: str) -> str:
    """Path as it is meant in a job file that lies in *folder*."""
    return os.path.normpath(os.path.join(folder, path))


def _take_sql(table: Table) -> SqlEffect:
    formats: tuple[TimeFormat, ...] = ("iso", "iso-space", "epoch", "epoch-ms")
    word = table.choice("time_format", formats, default="iso")
    return SqlEffect(
        _take_database(table),
        take_path(table, "script", "summary.sql"),
        next(known for known in formats if known == word),
        take_timeout(table),
        _take_sources(table) if "sources" in table else (),
    )


def _take_sources(table: Table) -> tuple[Source, ...]:
    inner = table.table("sources", None)
    taken: set[str] = set()
    for name in inner.names():
        # Each becomes a TEMP table, and SQLite compares names without case.
        is_free = name.lower() not in taken and not name.lower().startswith(("birkez_", "sqlite_"))
        if not (is_free and name.isascii() and name.isidentifier()):
            raise inner.fault("job-source-name", name, name=name)
        taken.add(name.lower())
    sources = [(name, inner.table(name, ("database", "query"))) for name in inner.names()]
    return tuple(
        Source(name, _take_database(source), source.text("query", "select … where at >= :start and at < :end"))
        for name, source in sources
    )


def _take_python(table: Table) -> PythonEffect:
    file, function = take_callable(table)
    return PythonEffect(_take_database(table), file, function, take_timeout(table))


def take_callable(table: Table) -> tuple[str, str]:
    """Absolute path and function of `callable`."""
    example = '"summary.py:process"'
    text = table.text("callable", example.strip('"'))
    path, colon, function = text.rpartition(":")  # from the right: C:\jobs\summary.py:process
    if not (colon and path.strip() and function.isidentifier()) or keyword.iskeyword(function):
        raise table.fault("job-callable-malformed", "callable", allowed=example)
    return _from_job_file(table, "callable", path), function


def take_command(table: Table) -> CommandEffect:
    """Program that `argv` or `shell` names, and what it is started with."""
    if ("argv" in table) == ("shell" in table):
        code = "job-command-twice" if "argv" in table else "job-command-missing"
        raise table.fault(code, "shell" if "argv" in table else "", allowed=f'argv = {_ARGV}, shell = "…"')
    return CommandEffect(
        _take_argv(table) if "argv" in table else (),
        table.optional_text("shell", "python3 mail.py | tee mail.log"),
        # A command has a folder of its own in any case: started by Task Scheduler it would be System32.
        take_path(table, "cwd", "scripts") if "cwd" in table else _from_job_file(table, "cwd", ""),
        _take_env(table) if "env" in table else (),
        table.optional_text("path", "/usr/local/bin:/usr/bin:/bin"),
        _take_encoding(table) if "encoding" in table else "",
        table.flag("repeatable", default=False),
        _take_nothing_done(table) if "nothing_done" in table else (),
        take_timeout(table),
    )


def _take_argv(table: Table) -> tuple[str, ...]:
    argv = table.items("argv", str, _ARGV)
    if not argv[0].strip():
        raise table.fault("job-text-empty", "argv", allowed=_ARGV)
    if any("\0" in word for word in argv):
        raise table.fault("job-text-nul", "argv")
    return argv


def _take_env(table: Table) -> tuple[tuple[str, str], ...]:
    example = '{ LANG = "tr_TR.UTF-8" }'
    env: list[tuple[str, str]] = []
    for name, value in table.required("env", dict, example).items():
        is_name = bool(name) and "=" not in name and "\0" not in name
        if not is_name or name.upper().startswith("BIRKEZ_"):  # ours tell the command its window and key
            raise table.fault("job-env-name", "env", name=name, allowed=example)
        if type(value) is not str:
            raise table.fault("job-value-type", "env", allowed=example)
        if "\0" in value:
            raise table.fault("job-text-nul", "env")
        env.append((name, value))
    return tuple(env)


def _take_encoding(table: Table) -> str:
    import codecs  # noqa: PLC0415  # few jobs name one

    name = table.text("encoding", "cp857")
    try:
        is_text = codecs.lookup(name)._is_text_encoding  # noqa: SLF001  # "hex" is a codec that makes no text
    except (LookupError, ValueError):
        is_text = False
    if not is_text:
        raise table.fault("job-encoding-unknown", "encoding", allowed='"utf-8", "cp1254", "cp857"')
    return name


def _take_nothing_done(table: Table) -> tuple[int, ...]:
    codes = table.items("nothing_done", int, "[75]")
    if not all(0 < code <= _LARGEST_EXIT_STATUS for code in codes):  # 0 says that all is done
        raise table.fault("job-value-range", "nothing_done", allowed="1 … 255")
    return tuple(sorted(set(codes)))


def take_timeout(table: Table) -> float:
    """The most that one unit of work may take, in seconds."""
    return float(table.seconds("timeout", _TIMEOUT, least=1))


def take_path(table: Table, key: str, example: str) -> str:
    """Absolute path of *key*; a relative one starts at the job file."""
    path = table.text(key, example)
    if any(ord(letter) < ord(" ") for letter in path):
        raise table.fault("job-path-unusable", key, allowed=f'"{example}"')
    return _from_job_file(table, key, path)


def _from_job_file(table: Table, key: str, path: str) -> str:
    path = absolute_path(table.folder, path)
    try:
        path.encode()
    except UnicodeEncodeError as error:  # a folder's name may be any bytes; what we write down is UTF-8
        raise table.fault("job-folder-not-utf8", key, folder=table.folder, asked=key) from error
    return path


def _take_database(table: Table) -> str:
    example = "sales.db"
    address = table.text("database", example)
    if address.lower().startswith(_POSTGRES):
        raise table.fault("job-postgresql-later", "database", allowed=f'"{example}"')
    # A ledger in memory, or behind another program's address, would be gone with the run.
    if "://" in address or address.lower().startswith((":memory:", "file:")):
        raise table.fault("job-database-address", "database", allowed=f'"{example}"')
    return take_path(table, "database", example)
