"""The list of runs as Qt asks for it: as many rows as there are runs, read page by page where one looks."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QPersistentModelIndex, Qt, QTimer, Signal

from trayapp import clock
from trayapp.gui.history import run_pages
from trayapp.gui.history.run_pages import PAGE_ROWS, Look, PageName, Part, RunPages, RunRow
from trayapp.gui.history.run_words import cell_words
from trayapp.history.query import RunFilter
from trayapp.wording.mark import N_
from trayapp.wording.speech import _

if TYPE_CHECKING:
    from trayapp.gui.context import Context
    from trayapp.gui.history.desk import Desk
    from trayapp.history.query import PageKey

Index = QModelIndex | QPersistentModelIndex
ROW_ROLE = Qt.ItemDataRole.UserRole
HEADINGS = (N_("Started"), N_("Job"), N_("Started by"), N_("Result"), N_("Period"), N_("Duration"))
START, JOB, BY, RESULT, PERIOD, DURATION = range(6)
_AHEAD_ROWS = 2048  # that a search finds behind the last one looked at; then it rests
_ASKED_PAGES = 6  # at most at once: what was scrolled past is not read


class RunModel(QAbstractTableModel):
    """Runs that a filter finds, the newest first.

    `looked`: the numbers of a filter are known. `came`: so many runs came on top.
    """

    looked = Signal()
    came = Signal(int)

    def __init__(self, context: Context, desk: Desk) -> None:
        super().__init__()
        self._context, self._desk = context, desk
        self._wanted: RunFilter | None = None
        self._shown: RunFilter | None = None
        self._pages = RunPages()
        self._asked: list[PageName] = []
        self._search_at: PageKey | None = None
        self._looked_at = 0
        self._part_count = 0
        self._newest_run = ""
        self.counts: dict[str, int] | None = None
        self.total: int | None = None  # of all runs; None before the first look
        self._fetching = QTimer(self)
        self._fetching.setSingleShot(True)
        self._fetching.setInterval(0)
        self._fetching.timeout.connect(self._fetch)
        desk.failed.connect(lambda _error: self._asked.clear())

    @property
    def wanted(self) -> RunFilter:
        """What is looked for."""
        return self._wanted or RunFilter()

    @property
    def is_searching(self) -> bool:
        """Tell whether a search for a text has not come to the end of history."""
        return self._search_at is not None

    def choose(self, wanted: RunFilter) -> None:
        """Show what *wanted* finds; what is shown stays until that is known."""
        self._wanted = wanted
        self._desk.forget("search")
        self._desk.ask("look", partial(run_pages.look, wanted=wanted), partial(self._on_look, wanted))

    def read_again(self) -> None:
        """Look what has changed, and show it without moving what is there."""
        if self._wanted is not None:
            self._desk.ask("look", partial(run_pages.look, wanted=self._wanted), partial(self._on_look, self._wanted))

    def run_at(self, row: int) -> RunRow | None:
        """Run in that row; None while it is not read, which is asked for."""
        if not 0 <= row < self._pages.row_count:
            return None
        found, name = self._pages.at(row)
        if name is not None and name not in self._asked:
            self._asked = [*self._asked, name][-_ASKED_PAGES:]
            if not self._fetching.isActive():
                self._fetching.start()
        if row > self._looked_at:
            self._looked_at = row
            self._search_on()
        return found

    def row_of(self, run: str) -> int | None:
        """Row of that run, where it is known."""
        return self._pages.row_of(run)

    # ------------------------------------------------------------------ Qt's questions

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008  # as Qt has it
        return 0 if parent.isValid() else self._pages.row_count

    def columnCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008  # as Qt has it
        return 0 if parent.isValid() else len(HEADINGS)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:  # noqa: ANN401  # as Qt has it
        if not index.isValid() or role not in _ROLES:
            return None
        found = self.run_at(index.row())
        if role == ROW_ROLE:
            return found
        if found is None:
            return _("Reading…") if role == Qt.ItemDataRole.AccessibleTextRole else None
        words = cell_words(found, self._context.store.snapshot, clock.now())
        return words[index.column()]

    def headerData(
        self,
        section: int,
        orientation: Qt.Orientation,
        role: int = Qt.ItemDataRole.DisplayRole,
    ) -> Any:  # noqa: ANN401  # as Qt has it
        if orientation != Qt.Orientation.Horizontal:
            return None
        if role == Qt.ItemDataRole.DisplayRole:
            return _(HEADINGS[section])
        if role == Qt.ItemDataRole.TextAlignmentRole:
            side = Qt.AlignmentFlag.AlignRight if section == DURATION else Qt.AlignmentFlag.AlignLeft
            return int(side | Qt.AlignmentFlag.AlignVCenter)
        return None

    def tell_all_changed(self) -> None:
        """Have everything written anew: in another language, at another hour."""
        if self._pages.row_count:
            self.dataChanged.emit(self.index(0, 0), self.index(self._pages.row_count - 1, len(HEADINGS) - 1))
        self.headerDataChanged.emit(Qt.Orientation.Horizontal, 0, len(HEADINGS) - 1)

    # ------------------------------------------------------------------ answers

    def _on_look(self, wanted: RunFilter, found: Look) -> None:
        self.total = found.total
        self.counts = None if found.counts is None else dict(found.counts)
        is_same = wanted == self._shown and bool(self._pages.row_count)
        if is_same and (self._renew(found) if found.parts is not None else self._renew_search(found)):
            self.looked.emit()
            return
        self.beginResetModel()
        self._shown = wanted
        self._pages.clear()
        self._asked.clear()
        self._looked_at = 0
        self._search_at = None
        if found.parts is None:
            self._search_at = found.next_key
            self._part_count = 1
            self._pages.set_parts([Part(len(found.rows), number=1)] if found.rows else [])
        else:
            self._pages.set_parts(found.parts)
        self._pages.spread(found.rows)
        self._note_newest(found.rows)
        self.endResetModel()
        self.looked.emit()
        self._search_on()

    def _renew(self, found: Look) -> bool:
        """Bring the days up to date, one after the other, so that views can keep their place."""
        assert found.parts is not None
        new = {part.key: part for part in found.parts}
        old = {part.key: part for part in self._pages.parts}
        changed = {key for key in {*new, *old} if new.get(key) != old.get(key)}
        self._pages.doubt(changed)
        for key in sorted(changed, reverse=True):  # type: ignore[type-var]  # of days
            self._renew_day(key, new.get(key))
        self._pages.spread(found.rows)
        self._note_newest(found.rows)
        if self._pages.row_count:
            last = min(len(found.rows), self._pages.row_count) - 1
            self.dataChanged.emit(self.index(0, 0), self.index(last, len(HEADINGS) - 1))
        return True

    def _renew_day(self, key: object, new: Part | None) -> None:
        parts = self._pages.parts
        place = next((index for index, part in enumerate(parts) if part.key <= key), len(parts))  # type: ignore[operator]
        is_there = place < len(parts) and parts[place].key == key
        before = parts[place].row_count if is_there else 0
        after = new.row_count if new is not None else 0
        changed = [*parts[:place], *([new] if new is not None else []), *parts[place + is_there :]]
        first, more = self._pages.first_row(place), after - before
        if more > 0:
            self.beginInsertRows(QModelIndex(), first, first + more - 1)
            self._pages.set_parts(changed)
            self.endInsertRows()
            if first == 0:
                self.came.emit(more)
        elif more < 0:
            # Old runs are forgotten at the old end of a day.
            self.beginRemoveRows(QModelIndex(), first + after, first + before - 1)
            self._pages.set_parts(changed)
            self.endRemoveRows()
        else:
            self._pages.set_parts(changed)

    def _renew_search(self, found: Look) -> bool:
        """Put on top what a search finds now and did not before; False when that cannot be told."""
        names = [row.run.run for row in found.rows]
        if self._newest_run not in names:
            return False
        fresh = found.rows[: names.index(self._newest_run)]
        self._pages.doubt(set())
        if fresh:
            self._part_count += 1
            part = Part(len(fresh), number=self._part_count)
            self.beginInsertRows(QModelIndex(), 0, len(fresh) - 1)
            self._pages.set_parts([part, *self._pages.parts])
            self._pages.put(PageName(part.key, 0), fresh)
            self.endInsertRows()
            self._note_newest(fresh)
            self.came.emit(len(fresh))
        return True

    def _note_newest(self, rows: list[RunRow]) -> None:
        self._newest_run = rows[0].run.run if rows else ""

    # ------------------------------------------------------------------ reading on

    def _fetch(self) -> None:
        wanted = self._shown
        pages = [(name, part) for name in self._asked if (part := self._pages.part_of(name)) is not None]
        if wanted is not None and pages:
            self._desk.ask(
                "pages",
                partial(run_pages.read_pages, wanted=wanted, pages=pages),
                partial(self._on_pages, wanted),
            )

    def _on_pages(self, wanted: RunFilter, found: dict[PageName, list[RunRow]]) -> None:
        if wanted != self._shown:
            return
        for name, rows in found.items():
            self._pages.put(name, rows)
            if name in self._asked:
                self._asked.remove(name)
            span = self._pages.rows_of(name)
            if span is not None:
                self.dataChanged.emit(self.index(span[0], 0), self.index(span[1], len(HEADINGS) - 1))

    def _search_on(self) -> None:
        wanted, after = self._shown, self._search_at
        if wanted is None or after is None or self._pages.row_count > self._looked_at + _AHEAD_ROWS:
            return
        parts = self._pages.parts
        count = PAGE_ROWS - (parts[-1].row_count % PAGE_ROWS if parts else 0)  # what the last part has room for
        self._desk.ask(
            "search",
            partial(run_pages.search_on, wanted=wanted, after=after, count=count),
            partial(self._on_search, wanted, after),
        )

    def _on_search(self, wanted: RunFilter, after: PageKey, found: Look) -> None:
        if wanted != self._shown or after != self._search_at:
            return
        self._search_at = found.next_key
        if found.rows:
            self._add_found(after, found.rows)
        self.looked.emit()
        self._search_on()

    def _add_found(self, after: PageKey, rows: list[RunRow]) -> None:
        """Add what the search found to the last part, or begin another one."""
        first, parts = self._pages.row_count, list(self._pages.parts)
        self.beginInsertRows(QModelIndex(), first, first + len(rows) - 1)
        last = parts[-1] if parts else None
        known = self._pages.page(PageName(last.key, 0)) if last is not None else []
        if last is not None and known and len(known) == last.row_count <= PAGE_ROWS - len(rows):
            parts[-1] = last._replace(row_count=last.row_count + len(rows))
        else:
            self._part_count += 1
            parts.append(Part(len(rows), after=after, number=self._part_count))
            known = []
        self._pages.set_parts(parts)
        self._pages.put(PageName(parts[-1].key, 0), [*known, *rows])
        self.endInsertRows()


_ROLES = frozenset((ROW_ROLE, Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.AccessibleTextRole))
