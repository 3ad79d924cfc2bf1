"""Which run stands in which row of a long list, without holding the list.

The list is a row of parts, the newest first. Without a text a part is a UTC day with its
number of runs, so that any row is found without those before it; with a text it is what
one stretch of the search found. Pages of a day are counted from its oldest run, so that
new runs move none of them.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import OrderedDict
from typing import TYPE_CHECKING

from trayapp.history.query import RunFilter, RunMark
from trayapp.value import NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from datetime import datetime

    from trayapp.history.query import HistoryReader, PageKey
    from trayapp.history.records import RunRecord

PAGE_ROWS = 256
_KEPT_PAGES = 48
_NO_MARK = RunMark()


class RunRow(NamedTuple):
    """A run, and what stands beside it in the list."""

    run: RunRecord
    mark: RunMark


class Part(NamedTuple):
    """A day (`since` and `until` are set), or what a search found behind `after`; `number` tells such parts apart."""

    row_count: int
    since: datetime | None = None
    until: datetime | None = None
    after: PageKey | None = None
    number: int = 0

    @property
    def key(self) -> object:
        """What stays the same while runs come and go."""
        return self.since or self.number


class PageName(NamedTuple):
    """A page of a part."""

    key: object
    number: int


class Look(NamedTuple):
    """What a filter finds: the parts, the newest rows, and the numbers by outcome of what it finds in all outcomes.

    Of a search there are no parts and no numbers yet; `next_key` is where it goes on.
    """

    parts: list[Part] | None
    counts: Mapping[str, int] | None
    rows: list[RunRow]
    next_key: PageKey | None
    total: int = 0  # of all runs, whatever is filtered


def look(reader: HistoryReader, wanted: RunFilter) -> Look:
    """Begin to show what *wanted* finds."""
    return reader.in_one_moment(lambda: _look(reader, wanted))


def _look(reader: HistoryReader, wanted: RunFilter) -> Look:
    page = reader.runs(wanted, count=PAGE_ROWS)
    stretches = reader.stretches(wanted)
    parts = None if stretches is None else [Part(count, since, until) for since, until, count in stretches]
    counts = reader.count_by_outcome(wanted._replace(outcomes=()))
    total = sum((reader.count_by_outcome(RunFilter()) or {}).values())
    return Look(parts, counts, with_marks(reader, page.runs), page.next_key, total)


def search_on(reader: HistoryReader, wanted: RunFilter, after: PageKey, count: int) -> Look:
    """Go on with a search for a tenth of a second, until *count* more are found."""
    page = reader.runs(wanted, after, count)
    return Look(None, None, with_marks(reader, page.runs), page.next_key)


def read_pages(
    reader: HistoryReader, wanted: RunFilter, pages: Iterable[tuple[PageName, Part]]
) -> dict[PageName, list[RunRow]]:
    """Rows of these pages, in the order of the pages: of a day the oldest first, of a search the newest."""
    return {name: reader.in_one_moment(lambda: _read_page(reader, wanted, name, part)) for name, part in pages}  # noqa: B023  # called at once


def _read_page(reader: HistoryReader, wanted: RunFilter, name: PageName, part: Part) -> list[RunRow]:
    if part.since is None:
        return with_marks(reader, _found_behind(reader, wanted, part.after, part.row_count))
    day = wanted._replace(since=part.since, until=part.until)
    count_now = sum(stretch.run_count for stretch in reader.stretches(day) or ())
    skip = count_now - (name.number + 1) * PAGE_ROWS
    runs = reader.runs(day, count=PAGE_ROWS + min(skip, 0), skip=max(skip, 0)).runs if skip > -PAGE_ROWS else []
    return with_marks(reader, runs)[::-1]


def _found_behind(reader: HistoryReader, wanted: RunFilter, after: PageKey | None, count: int) -> list[RunRecord]:
    found: list[RunRecord] = []
    while True:
        page = reader.runs(wanted, after, count - len(found))
        found += page.runs
        after = page.next_key
        if after is None or len(found) >= count:
            return found


def with_marks(reader: HistoryReader, runs: list[RunRecord]) -> list[RunRow]:
    """Put beside the runs what stands beside them."""
    marks = reader.marks_of(runs)
    return [RunRow(run, marks.get(run.run, _NO_MARK)) for run in runs]


def find_run(reader: HistoryReader, name: str) -> tuple[RunRecord, int] | None:
    """A run, and how many of its job's runs are newer; None when history does not have it."""
    run = reader.run(name)
    if run is None:
        return None
    not_older = reader.stretches(RunFilter(jobs=(run.job,), since=run.started_at)) or []
    return run, max(sum(stretch.run_count for stretch in not_older) - 1, 0)


class RunPages:
    """The rows that are known, of the pages looked at last, and what has to be read for the others."""

    def __init__(self) -> None:
        self.parts: list[Part] = []
        self._firsts: list[int] = []
        self.row_count = 0
        self._pages: OrderedDict[PageName, list[RunRow | None]] = OrderedDict()
        self._stale: set[PageName] = set()

    def set_parts(self, parts: list[Part]) -> None:
        """Let the list consist of these parts; pages of those that stay are kept."""
        self.parts, self._firsts, self.row_count = parts, [], 0
        for part in parts:
            self._firsts.append(self.row_count)
            self.row_count += part.row_count

    def clear(self) -> None:
        """Forget all rows."""
        self.set_parts([])
        self._pages.clear()
        self._stale.clear()

    def first_row(self, index: int) -> int:
        """Row at which the part with that index begins."""
        return self._firsts[index] if index < len(self._firsts) else self.row_count

    def at(self, row: int) -> tuple[RunRow | None, PageName | None]:
        """What stands in a row; None while it is not known. With it the page that has to be read for it, if any."""
        name, place = self._place_of(row)[1:]
        page = self._pages.get(name)
        if page is None:
            return None, name
        self._pages.move_to_end(name)
        found = page[place]
        return found, name if found is None or name in self._stale else None

    def part_of(self, name: PageName) -> Part | None:
        """Part of a page; None when it is gone."""
        return next((part for part in self.parts if part.key == name.key), None)

    def page(self, name: PageName) -> list[RunRow]:
        """Rows that are known of a page, without its gaps."""
        return [row for row in self._pages.get(name, ()) if row is not None]

    def put(self, name: PageName, rows: list[RunRow]) -> None:
        """Keep what was read of a page."""
        self._pages[name] = [*rows, *[None] * (PAGE_ROWS - len(rows))]
        self._pages.move_to_end(name)
        self._stale.discard(name)
        while len(self._pages) > _KEPT_PAGES:
            forgotten, _rows = self._pages.popitem(last=False)
            self._stale.discard(forgotten)

    def spread(self, rows: list[RunRow]) -> None:
        """Keep the newest rows of the list, on whatever pages they stand."""
        for row, found in enumerate(rows[: self.row_count]):
            _part, name, place = self._place_of(row)
            page = self._pages.setdefault(name, [None] * PAGE_ROWS)
            page[place] = found
        while len(self._pages) > _KEPT_PAGES:
            self._pages.popitem(last=False)

    def doubt(self, keys: set[object]) -> None:
        """Have pages of these parts read again, and those with runs that had not ended; shown as they are till then."""
        for name, page in self._pages.items():
            if name.key in keys or any(row is not None and row.run.ended_at is None for row in page):
                self._stale.add(name)

    def rows_of(self, name: PageName) -> tuple[int, int] | None:
        """First and last row of a page; None when its part is gone or too short."""
        index = next((index for index, part in enumerate(self.parts) if part.key == name.key), None)
        if index is None:
            return None
        part, first = self.parts[index], self._firsts[index]
        if part.since is None:
            return first, first + part.row_count - 1
        newest = part.row_count - 1 - ((name.number + 1) * PAGE_ROWS - 1)
        oldest = part.row_count - 1 - name.number * PAGE_ROWS
        return (first + max(newest, 0), first + oldest) if oldest >= 0 else None

    def row_of(self, run: str) -> int | None:
        """Row in which a run stands, among those that are known."""
        for name, page in self._pages.items():
            for place, found in enumerate(page):
                if found is not None and found.run.run == run:
                    return self._row_at(name, place)
        return None

    def _row_at(self, name: PageName, place: int) -> int | None:
        rows = self.rows_of(name)
        if rows is None:
            return None
        part = self.part_of(name)
        row = rows[0] + place if part is not None and part.since is None else rows[1] - place
        return row if rows[0] <= row <= rows[1] else None

    def _place_of(self, row: int) -> tuple[Part, PageName, int]:
        index = bisect_right(self._firsts, row) - 1
        part, behind = self.parts[index], row - self._firsts[index]
        if part.since is None:
            return part, PageName(part.key, 0), behind
        number, place = divmod(part.row_count - 1 - behind, PAGE_ROWS)
        return part, PageName(part.key, number), place
