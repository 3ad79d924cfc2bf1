"""Everything that is shown of one run, read in one go; of its output only both ends. Blocks: for a reader's thread."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from trayapp.value import NamedTuple

if TYPE_CHECKING:
    from trayapp.history.query import HistoryReader, LineRecord
    from trayapp.history.records import RunRecord, WindowRecord
    from trayapp.places import Places

MOST_WINDOWS = 2000
MOST_LINES = 4000
_NEIGHBOURS = 12  # lines before and after the run's own
HEAD_BYTES = 64 << 10
TAIL_BYTES = 64 << 10


class Output(NamedTuple):
    """What a run printed: how much it is, its first part, and its last where there is more; None where nothing is."""

    path: str
    size: int = 0
    head: str = ""
    tail: str = ""
    left_out: int = 0  # bytes between the two
    trouble: str = ""


class Details(NamedTuple):
    """One run: its periods, its lines and those of its neighbours in time, its output."""

    run: RunRecord
    windows: list[WindowRecord]
    before: list[LineRecord]
    lines: list[LineRecord]
    after: list[LineRecord]
    output: Output | None


def read_details(reader: HistoryReader, places: Places, run: RunRecord, head_bytes: int) -> Details:
    """Read what is shown of *run*."""

    def read() -> Details:
        fresh = reader.run(run.run) or run
        before, after = reader.lines_around(fresh, _NEIGHBOURS)
        return Details(
            fresh,
            reader.windows_of_run(run.run, MOST_WINDOWS),
            before,
            reader.lines_of_run(run.run, MOST_LINES),
            after,
            None,
        )

    details = reader.in_one_moment(read)
    return details._replace(output=read_output(places.output_file(run.job, run.run), head_bytes))


def read_output(path: str, head_bytes: int = HEAD_BYTES) -> Output | None:
    """Both ends of the file at *path*, however long it is; None when there is none."""
    try:
        with open(path, "rb") as file:
            size = os.fstat(file.fileno()).st_size
            if size <= head_bytes + TAIL_BYTES:
                return Output(path, size, _text(file.read()))
            head = _until_line_end(file.read(head_bytes))
            file.seek(size - TAIL_BYTES)
            tail = _from_line_start(file.read())
    except FileNotFoundError:
        return None
    except OSError as error:
        return Output(path, trouble=error.strerror or str(error))
    return Output(path, size, _text(head), _text(tail), max(size - len(head) - len(tail), 0))


def _until_line_end(data: bytes) -> bytes:
    end = data.rfind(b"\n") + 1
    return data[:end] if end else data


def _from_line_start(data: bytes) -> bytes:
    start = data.find(b"\n") + 1
    return data[start:] if 0 < start < len(data) else data


def _text(data: bytes) -> str:
    """Text that a view can show: without what would move a cursor."""
    text = data.decode("utf-8", "replace").replace("\r\n", "\n").replace("\r", "\n")
    return "".join(letter for letter in text if letter >= " " or letter in "\n\t")
