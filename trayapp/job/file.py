"""The job file: read into a checked `Job`, and replaced whole or not at all.

A file that is empty, cut or wrong is an error that is shown. It is never taken for a job
with defaults, and nothing is written over it: what the admin configured would be gone.
"""

from __future__ import annotations

import os
import stat
import sys
import time
import tomllib

from trayapp import whole_file
from trayapp.errors import SetupError
from trayapp.job.effect_fields import take_effect, take_ledger_database
from trayapp.job.fields import KEYS, JobText, Table, line_of
from trayapp.job.item_fields import take_item_effect, take_items
from trayapp.job.model import Job
from trayapp.job.timing_fields import take_schedule, take_window
from trayapp.patience import ALLOWED, is_patience

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime
    from typing import Any

    from trayapp.job.fields import Key
    from trayapp.job.timing_fields import StartFor

    Value = str | bool | int | datetime

MAX_SIZE = 256 * 1024  # bytes; a job file has a few hundred
_DOTS_IN_LINE = 1_000  # of a key with 60,000 parts tomllib makes a minute's work
_TITLE_LENGTH = 200


def read_job(path: str, job_id: str) -> Job:
    """Read and check the job file at *path*.

    Raises: JobFileError with a code for each kind of fault.
    """
    return parse_job(read_text(path, job_id), path, job_id)


def parse_job(text: str, path: str, job_id: str, *, start_for: StartFor | None = None) -> Job:
    """Check the *text* of a job file that lies, or shall lie, at *path*.

    A `start` that is left out is asked of *start_for* by step and zone; without one the
    file is refused, since where the first window begins must not depend on the day of reading.

    Raises: JobFileError, its facts: `job`, `file`, `line` (None where unknown), `place`,
    `key`, and where they apply `value` and `allowed`.
    """
    source = JobText(job_id, os.path.abspath(path), text)
    if not text.strip():
        raise source.fault("job-file-empty")
    table = Table(source, _parse_toml(source))
    table.refuse_unknown(KEYS[""])
    items = take_items(table) if "items" in table else None
    effect = take_effect(table) if items is None else take_item_effect(table)
    return Job(
        job_id,
        _take_title(table),
        source.file,
        take_window(table, start_for) if items is None else None,
        effect,
        take_schedule(table),
        table.flag("enabled", default=True),
        take_ledger_database(table, effect) if items is None else "",
        items,
        _take_warn_after(table),
    )


def read_text(path: str, job_id: str) -> str:
    """Text of a job file, line ends as they are, without the byte order mark of Windows' Notepad.

    Raises: JobFileError `job-file-missing`, `job-file-is-folder`, `job-file-not-regular`,
    `job-file-unreadable`, `job-file-large` or `job-file-not-utf8`.
    """
    source = JobText(job_id, os.path.abspath(path), "")
    try:
        data = _read_bytes(source)
    except FileNotFoundError as error:
        raise source.fault("job-file-missing") from error
    except (OSError, ValueError) as error:  # ValueError: a NUL in the path
        reason = getattr(error, "strerror", None) or str(error)
        raise source.fault("job-file-unreadable", reason=reason) from error
    return decode_text(data, source)


def decode_text(data: bytes, source: JobText) -> str:
    """Text of a job file's bytes, of which one beyond `MAX_SIZE` tells that it is too large."""
    if len(data) > MAX_SIZE:
        raise source.fault("job-file-large", allowed=f"{MAX_SIZE // 1024} KB")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise source.fault("job-file-not-utf8", (), line, value=f"0x{data[error.start]:02x}") from error


def replace_text(path: str, text: str) -> None:
    """Put *text* in place of the file at *path*, in UTF-8, readable by this user alone.

    Whole or not at all, also when the power fails. A link stays, the file behind it is replaced.

    Raises: SetupError `job-file-unwritable`; then too the file is the old one or the new one.
    """
    path = os.path.realpath(path)
    try:
        whole_file.replace_file(path, text.encode())
    except OSError as error:
        raise unwritable(path, error) from error


def create_file(path: str, content: bytes) -> None:
    """Like `replace_text`, but never over a file: whoever publishes second gets an error.

    Raises: FileExistsError; SetupError `job-file-unwritable`.
    """
    try:
        whole_file.create_file(path, content)
    except FileExistsError:
        raise
    except OSError as error:
        raise unwritable(path, error) from error


def unwritable(path: str, error: OSError) -> SetupError:
    """What to tell when *path* could not be written."""
    return SetupError("job-file-unwritable", path=path, reason=error.strerror or str(error))


def edit_value(path: str, job_id: str, key: str, value: Value) -> Job:
    """Set the top-level *key* in the job file and keep all else: comments, order, line ends.

    Raises: JobFileError when the file is invalid, before or after; SetupError
    `job-file-unwritable`.
    """
    text = read_text(path, job_id)
    parse_job(text, path, job_id)
    edited = set_values(text, {(key,): value})
    job = parse_job(edited, path, job_id)
    if edited != text:
        replace_text(path, edited)
    return job


def set_values(text: str, changes: Mapping[Key, Value]) -> str:
    """Text of a valid job file with *changes*; a new key of a table stands below the table's first."""
    import tomlkit  # noqa: PLC0415  # 30 ms that only a change pays

    for key, value in changes.items():
        document = tomlkit.parse(text)
        inner: Any = document
        for name in key[:-1]:
            inner = inner[name]
        if inner.get(key[-1]) == value:
            continue
        first = next(([name] for name in inner if not isinstance(inner[name], dict)), [])
        grown = None if key[-1] in inner else _with_line(text, key, value, line_of(text, (*key[:-1], *first)))
        if grown is None:
            inner[key[-1]] = value
        text = grown or document.as_string()
    return text


def _with_line(text: str, key: Key, value: Value, below: int | None) -> str | None:
    """*text* with a line for *key* behind the line *below*, or as the first; None where that fails.

    tomlkit puts a new key behind the comment above the next table, which then stands at the wrong one.
    """
    import tomlkit  # noqa: PLC0415  # as above

    lines = text.split("\n")
    at = below or 0
    ending = "\r" if lines[0].endswith("\r") else ""
    lines.insert(at, f"{key[-1]} = {tomlkit.item(value).as_string()}{ending}")
    grown = "\n".join(lines)
    try:
        inner: Any = tomllib.loads(grown)
        before: Any = tomllib.loads(text)
    except tomllib.TOMLDecodeError:  # the first value goes over several lines
        return None
    here = inner
    for name in key[:-1]:
        here = here[name]
    is_right = here.pop(key[-1], None) == value and inner == before
    return grown if is_right else None


def _parse_toml(source: JobText) -> dict[str, object]:
    for number, text in enumerate(source.text.split("\n"), start=1):
        if text.count(".") > _DOTS_IN_LINE:
            raise source.fault("job-file-not-toml", (), number, reason=f"more than {_DOTS_IN_LINE} dots in a line")
    try:
        return tomllib.loads(source.text)
    except (ValueError, RecursionError) as error:  # ValueError: also a number of 5000 digits
        reason, _, place = str(error).partition(" (at line ")
        digits = place.partition(",")[0]
        # "at end of document": the file was cut, and what is missing would follow its last line.
        line = int(digits) if digits.isdigit() else source.text.rstrip().count("\n") + 1
        has_backslash = "\\" in source.text.split("\n")[line - 1]  # "C:\Users": what a Windows admin writes first
        code = "job-file-backslash" if has_backslash else "job-file-not-toml"
        raise source.fault(code, (), line, reason=reason) from error


def _take_title(table: Table) -> str:
    """Title, the id where it is left out; it stands in lists and on one line of messages."""
    title = table.optional_text("title", "Hourly summary").strip()
    has_controls = any(letter < " " or "\x7f" <= letter < "\xa0" or letter in "\u2028\u2029" for letter in title)
    if has_controls or len(title) > _TITLE_LENGTH:
        raise table.fault("job-title-unusable", "title", allowed=f"1 … {_TITLE_LENGTH}")
    return title or table.source.job_id


def _take_warn_after(table: Table) -> str:
    text = table.optional_text("warn_after", ALLOWED)
    if not is_patience(text):
        raise table.fault("job-value-choice", "warn_after", value=text, allowed=ALLOWED)
    return text


def _read_bytes(source: JobText) -> bytes:
    mode = os.stat(source.file).st_mode
    if not stat.S_ISREG(mode):  # opening a pipe would wait for ever
        raise source.fault("job-file-is-folder" if stat.S_ISDIR(mode) else "job-file-not-regular")
    for attempt in range(whole_file.ATTEMPTS):
        try:
            with open(source.file, "rb") as file:
                return file.read(MAX_SIZE + 1)
        except PermissionError:
            # On Windows a file that is being replaced at this moment cannot be opened.
            if sys.platform != "win32" or attempt == whole_file.ATTEMPTS - 1:
                raise
            time.sleep(whole_file.PAUSE_S)
    raise AssertionError
