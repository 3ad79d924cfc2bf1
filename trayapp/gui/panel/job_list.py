"""All jobs in the panel, in groups, worst first; only this list scrolls."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QCoreApplication, QEvent, Qt, QTimer, Signal
from PySide6.QtGui import QPalette
from PySide6.QtWidgets import QApplication, QFrame, QScrollArea, QWidget

from trayapp.gui.context import Place
from trayapp.gui.look.empty import EmptyState
from trayapp.gui.look.widgets import column, label
from trayapp.gui.panel.job_row import JobRow
from trayapp.gui.state.snapshot import KINDS, NEEDING, RESTING
from trayapp.wording.mark import N_
from trayapp.wording.numbers import show_number
from trayapp.wording.speech import _

if TYPE_CHECKING:
    from datetime import datetime

    from PySide6.QtGui import QKeyEvent
    from PySide6.QtWidgets import QVBoxLayout

    from trayapp.gui.context import Context
    from trayapp.gui.state.snapshot import JobState, Snapshot

_AT_ONCE = 12  # rows, more than are seen when the panel opens; the others follow while one looks
_GROUPS = (N_("Need you"), N_("Running"), N_("Well"), N_("Paused"))


class JobList(QScrollArea):
    """The rows. They are sorted when the panel opens, so that nothing moves under the pointer."""

    row_made = Signal(object)  # JobRow

    def __init__(self, context: Context) -> None:
        super().__init__()
        self._context = context
        self._rows: dict[str, JobRow] = {}
        self._heads = [label(context, size="small", weight=600, is_second=True) for _group in _GROUPS]
        self._order: list[list[str]] = [[] for _group in _GROUPS]
        self._search = ""
        self._snapshot: Snapshot | None = None
        self._more = QTimer(self)
        self._more.setSingleShot(True)
        self._more.timeout.connect(self._make_more)
        self.inner = inner = QWidget()
        self._layout: QVBoxLayout = column(gap=0, margins=(0, 4, 0, 8))
        inner.setLayout(self._layout)
        inner.setBackgroundRole(QPalette.ColorRole.Base)
        inner.setAutoFillBackground(True)
        self.setWidget(inner)
        self.setWidgetResizable(True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        for head in self._heads:
            head.setContentsMargins(16, 8, 16, 4)
            head.hide()
            self._layout.addWidget(head)
        self._empty = EmptyState(
            context,
            N_("No jobs yet"),
            N_("Each job will stand here with its state and a button that runs it."),
            N_("Add my first job"),
            lambda: context.go_to(Place("jobs", action="template")),
        )
        self._empty.hide()
        self._layout.addWidget(self._empty)
        self._layout.addStretch(1)

    @property
    def rows(self) -> dict[str, JobRow]:
        """Row of each job."""
        return self._rows

    def show_snapshot(self, snapshot: Snapshot, *, sort: bool) -> None:
        """Show the jobs as they are now; with *sort* in the order that says where to look first."""
        self._snapshot = snapshot
        known = {job.id: job for job in snapshot.jobs}
        self._empty.setVisible(snapshot.is_read and not known and snapshot.trouble is None)
        for job_id in [job_id for job_id in self._rows if job_id not in known]:
            self._rows.pop(job_id).deleteLater()
            sort = True
        for job_id, row in self._rows.items():
            row.show_job(known[job_id], snapshot.at)
        if self._make_rows(snapshot) or sort:
            self._sort(snapshot)

    def _make_rows(self, snapshot: Snapshot) -> bool:
        """Make rows that are missing, worst first, some now and the others soon; False when there were none."""
        missing = [job for job in _in_order(snapshot) if job.id not in self._rows]
        for job in missing[: len(missing) if self._search else _AT_ONCE]:
            self._rows[job.id] = made = JobRow(self._context, job, snapshot.at)
            self.row_made.emit(made)
        if any(job.id not in self._rows for job in missing):
            self._more.start(0)
        return bool(missing)

    def _make_more(self) -> None:
        if self._snapshot is not None and self._make_rows(self._snapshot):
            self._sort(self._snapshot)
            # Make room at once: else all rows are squeezed into the old room for a moment.
            QCoreApplication.sendEvent(self, QEvent(QEvent.Type.LayoutRequest))

    def tick(self, now: datetime) -> None:
        """Let the clocks of running jobs go on."""
        for row in self._rows.values():
            if row.job.kind == "running":
                row.show_job(row.job, now)

    def search(self, text: str) -> None:
        """Show those jobs alone that *text* is found in."""
        self._search = text.strip()
        if self._search and self._more.isActive():
            self._more.stop()
            self._make_more()
            return  # which searches in all of them
        for row in self._rows.values():
            is_wanted = not self._search or row.matches(self._search)
            if is_wanted == row.isHidden():
                row.setVisible(is_wanted)
        self._write_heads()

    def write_again(self, snapshot: Snapshot) -> None:
        """Write everything in the language or the colours of now."""
        self.show_snapshot(snapshot, sort=False)
        for row in self._rows.values():
            row.write()
        self._write_heads()

    def wanted_height(self) -> int:
        """Height at which nothing needs to be scrolled."""
        return self.inner.sizeHint().height()

    def _sort(self, snapshot: Snapshot) -> None:
        focused = QApplication.focusWidget()
        jobs = _in_order(snapshot)
        self._order = [[job.id for job in jobs if _group_of(job) == number] for number in range(len(_GROUPS))]
        place = 0
        previous: QWidget | None = None
        for head, group in zip(self._heads, self._order, strict=True):
            self._layout.insertWidget(place, head)
            place += 1
            for row in self._made(group):
                self._layout.insertWidget(place, row)
                if previous is not None:
                    QWidget.setTabOrder(previous, row)
                previous = row
                place += 1
        if focused is not None and focused is not self.inner and self.isAncestorOf(focused):
            self.ensureWidgetVisible(focused)
        self.search(self._search)

    def _made(self, group: list[str]) -> list[JobRow]:
        return [self._rows[job_id] for job_id in group if job_id in self._rows]

    def _write_heads(self) -> None:
        for head, name, group in zip(self._heads, _GROUPS, self._order, strict=True):
            found = [row for row in self._made(group) if not row.isHidden()]
            count = len(found) if self._search else len(group)  # also of rows that are yet to come
            head.setText(f"{_(name)}  {show_number(count)}")
            head.setVisible(count > 0)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """↑ and ↓ go from job to job, whatever in a row has the focus."""
        step = {Qt.Key.Key_Down: 1, Qt.Key.Key_Up: -1}.get(Qt.Key(event.key()))
        if step is None:
            super().keyPressEvent(event)
            return
        shown = [row for group in self._order for row in self._made(group) if row.isVisible()]
        at = next(
            (place for place, row in enumerate(shown) if row.hasFocus() or row.isAncestorOf(self.focusWidget())), -1
        )
        if shown:
            chosen = shown[max(0, min(at + step, len(shown) - 1))]
            chosen.setFocus(Qt.FocusReason.TabFocusReason)
            self.ensureWidgetVisible(chosen)


def _in_order(snapshot: Snapshot) -> list[JobState]:
    return sorted(snapshot.jobs, key=lambda job: (KINDS.index(job.kind), job.title.casefold()))


def _group_of(job: JobState) -> int:
    if job.kind in NEEDING:
        return 0
    if job.kind == "running":
        return 1
    return 3 if job.kind in RESTING else 2
