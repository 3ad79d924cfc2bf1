"""Which runs are shown: by period, job, who started them, outcome and text."""

from __future__ import annotations

from datetime import UTC, date, datetime, time, timedelta
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QDate, QSize, QTimer, Signal
from PySide6.QtGui import QFontMetrics, QPainter, QPalette
from PySide6.QtWidgets import QComboBox, QDateEdit, QLineEdit, QPushButton, QToolButton, QWidget

from trayapp import clock
from trayapp.gui.history.run_words import OUTCOMES, STARTERS
from trayapp.gui.look.icons import SIGN_TONES
from trayapp.gui.look.widgets import button, column, label, row
from trayapp.history.query import RunFilter
from trayapp.history.records import is_found
from trayapp.wording.mark import N_
from trayapp.wording.numbers import show_number
from trayapp.wording.reasons import reasons_said
from trayapp.wording.speech import _

if TYPE_CHECKING:
    from collections.abc import Mapping

    from PySide6.QtGui import QPaintEvent

    from trayapp.gui.context import Context
    from trayapp.gui.state.snapshot import Snapshot

_TYPING_MS = 250  # a search begins when the keys rest
_PERIODS = {
    "today": N_("Today"),
    "7": N_("Last 7 days"),
    "30": N_("Last 30 days"),
    "365": N_("Last 365 days"),
    "all": N_("All time"),
    "dates": N_("Between two dates…"),
}
_RARE = ("running", "stopped")  # shown only where there are any


class FilterBar(QWidget):
    """Two rows of filters; `changed` when another one is chosen."""

    changed = Signal()

    def __init__(self, context: Context) -> None:
        super().__init__()
        self._context = context
        self._period = QComboBox()
        self._job = QComboBox()
        self._trigger = QComboBox()
        self.search = _SearchField(context)
        self._since, self._until = self._date_field(days_ago=7), self._date_field(days_ago=0)
        self._dates = QWidget()
        self._all = button(context, "", kind="chip")
        self._chips = {outcome: button(context, "", kind="chip") for outcome in OUTCOMES}
        self.found = label(context, size="small", is_second=True)  # what a search has found so far
        self._counts: Mapping[str, int] | None = None
        self._typing = QTimer(self)
        self._build()
        self.retranslate()
        self._connect()
        self._show_counts()

    def wanted(self) -> RunFilter:
        """What is chosen."""
        text = self.search.text().strip()
        snapshot = self._context.store.snapshot
        since, until = self._bounds()
        return RunFilter(
            jobs=(self._job.currentData(),) if self._job.currentData() else (),
            outcomes=tuple(outcome for outcome, chip in self._chips.items() if chip.isChecked()),
            triggers=(self._trigger.currentData(),) if self._trigger.currentData() else (),
            since=since,
            until=until,
            text=text,
            text_jobs=tuple(job.id for job in snapshot.jobs if is_found(text, job.title)) if text else (),
            text_reasons=reasons_said(partial(is_found, text)) if text else (),
        )

    @property
    def stops(self) -> list[QWidget]:
        """What Tab comes to, in order."""
        chips = [self._all, *self._chips.values()]
        return [self._period, self._since, self._until, self._job, self._trigger, self.search, *chips]

    def clear(self, *, period: str = "all") -> None:
        """Show all runs."""
        self._set(self._job, "")
        self._set(self._trigger, "")
        self._set(self._period, period)
        self.search.clear()
        self._check(())
        self._on_change()

    def choose_job(self, job: str, *, period: str = "all") -> None:
        """Show that job's runs alone."""
        self.clear(period=period)
        if self._job.findData(job) < 0:
            self._job.addItem(job, job)
        self._set(self._job, job)
        self._on_change()

    @property
    def job(self) -> str:
        """Job that is chosen; "" for all."""
        return str(self._job.currentData() or "")

    def show_jobs(self, snapshot: Snapshot) -> None:
        """Offer these jobs."""
        offered = [("", _("All jobs")), *((job.id, job.title) for job in snapshot.jobs)]
        known = [(self._job.itemData(place), self._job.itemText(place)) for place in range(self._job.count())]
        if offered == known:
            return
        chosen = self.job
        if chosen and chosen not in dict(offered):
            offered.append((chosen, chosen))  # removed meanwhile; its history stays
        self._job.blockSignals(True)
        self._job.clear()
        for job_id, title in offered:
            self._job.addItem(title, job_id)
        self._set(self._job, chosen)
        self._job.blockSignals(False)

    def show_counts(self, counts: Mapping[str, int] | None) -> None:
        """Write on the chips how many runs each would show; None where nobody counts."""
        self._counts = counts
        self._show_counts()

    def retranslate(self) -> None:
        """Write everything in the spoken language."""
        self._fill(self._period, dict(_PERIODS), "7")
        starters = {trigger: words for trigger, (_icon, words) in STARTERS.items()}
        self._fill(self._trigger, {"": N_("Started by: any"), **starters}, "")
        self._job.clear()
        self.show_jobs(self._context.store.snapshot)
        self._show_counts()
        for field in (self._since, self._until):
            field.setDisplayFormat("dd.MM.yyyy")

    def _build(self) -> None:
        context = self._context
        context.language.bind(self.search, "setPlaceholderText", N_("Search: job, period, message…"))
        context.language.bind(self.search, "setAccessibleName", N_("Search in jobs, reasons and log lines"))
        for box, name in (
            (self._period, N_("Period shown")),
            (self._job, N_("Job shown")),
            (self._trigger, N_("Who started the runs")),
        ):
            box.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToContents)
            context.language.bind(box, "setAccessibleName", name)
        self._job.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        self._job.setMinimumContentsLength(18)
        context.language.bind(self._since, "setAccessibleName", N_("First day"))
        context.language.bind(self._until, "setAccessibleName", N_("Last day"))
        self._dates.setLayout(row(self._since, label(context, "–"), self._until, gap=6))
        self._dates.hide()
        for outcome, chip in self._chips.items():
            context.icons.put(chip, f"state-{OUTCOMES[outcome][0]}", SIGN_TONES[OUTCOMES[outcome][0]])
            chip.setIconSize(QSize(14, 14))
        for chip in (self._all, *self._chips.values()):
            chip.setCheckable(True)
        self._all.setChecked(True)
        fields = row(self._period, self._dates, self._job, self._trigger, self.search, gap=8)
        fields.setStretch(4, 1)
        chips = row(self._all, *self._chips.values(), None, self.found, gap=6)
        layout = column(fields, chips, gap=8)
        self.setLayout(layout)
        self._typing.setSingleShot(True)
        self._typing.setInterval(_TYPING_MS)

    def _connect(self) -> None:
        self._period.currentIndexChanged.connect(self._on_period)
        self._job.currentIndexChanged.connect(self._on_change)
        self._trigger.currentIndexChanged.connect(self._on_change)
        self._since.dateChanged.connect(self._on_change)
        self._until.dateChanged.connect(self._on_change)
        self.search.textChanged.connect(self._typing.start)
        self.search.returnPressed.connect(self._on_change)
        self._typing.timeout.connect(self._on_change)
        self._all.clicked.connect(lambda: self._on_chip(None))
        for chip in self._chips.values():
            chip.clicked.connect(lambda _checked=False, chip=chip: self._on_chip(chip))

    def _on_change(self) -> None:
        self._typing.stop()
        self.changed.emit()

    def _on_period(self) -> None:
        self._dates.setVisible(self._period.currentData() == "dates")
        self._on_change()

    def _on_chip(self, chip: QPushButton | None) -> None:
        chosen = [] if chip is None else [key for key, each in self._chips.items() if each.isChecked()]
        self._check(chosen)
        self._on_change()

    def _check(self, outcomes: object) -> None:
        chosen = set(outcomes)  # type: ignore[call-overload]
        for outcome, chip in self._chips.items():
            chip.setChecked(outcome in chosen)
        self._all.setChecked(not chosen)
        self._show_counts()

    def _bounds(self) -> tuple[datetime | None, datetime | None]:
        kind = self._period.currentData()
        today = clock.now().astimezone().date()
        if kind == "all":
            return None, None
        if kind == "dates":
            first, last = (_day_of(field) for field in (self._since, self._until))
            return _midnight(min(first, last)), _midnight(max(first, last) + timedelta(days=1))
        return _midnight(today - timedelta(days=0 if kind == "today" else int(kind) - 1)), None

    def _show_counts(self) -> None:
        counts = self._counts
        total = None if counts is None else sum(counts.values())
        self._all.setText(_with_count(_("All"), total))
        for outcome, chip in self._chips.items():
            count = None if counts is None else counts.get(outcome, 0)
            chip.setText(" " + _with_count(_(OUTCOMES[outcome][1]), count))
            chip.setVisible(outcome not in _RARE or bool(count) or chip.isChecked())
        bold = QFontMetrics(
            self._context.theme.font("body", 600)
        )  # as a chosen chip is written: it must not be cut then
        for chip in (self._all, *self._chips.values()):
            icon = 0 if chip.icon().isNull() else 18
            chip.setMinimumWidth(bold.horizontalAdvance(chip.text()) + icon + 26)

    def _date_field(self, days_ago: int) -> QDateEdit:
        day = clock.now().astimezone().date() - timedelta(days=days_ago)
        field = QDateEdit(QDate(day.year, day.month, day.day))
        field.setCalendarPopup(True)
        return field

    def _fill(self, box: QComboBox, offered: Mapping[str, str], first: str) -> None:
        chosen = box.currentData() if box.count() else first
        box.blockSignals(True)
        box.clear()
        for key, words in offered.items():
            box.addItem(_(words), key)
        self._set(box, chosen)
        box.blockSignals(False)

    def _set(self, box: QComboBox, key: str) -> None:
        was_blocked = box.blockSignals(True)
        box.setCurrentIndex(max(box.findData(key), 0))
        box.blockSignals(was_blocked)
        self._dates.setVisible(self._period.currentData() == "dates")


class _SearchField(QLineEdit):
    """Field with a glass in front of its text."""

    def __init__(self, context: Context) -> None:
        super().__init__()
        self._context = context
        self.setTextMargins(22, 0, 0, 0)
        self.setClearButtonEnabled(True)
        for clearing in self.findChildren(QToolButton):
            # The edges that our buttons have would push its sign out of the field.
            clearing.setStyleSheet("QToolButton { border: 0; padding: 0; min-height: 0; background: transparent; }")

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        painter = QPainter(self)
        color = self._context.theme.color(QPalette.ColorRole.PlaceholderText)
        glass = self._context.icons.pixmap("search", color, 16, self.devicePixelRatioF())
        painter.drawPixmap(9, (self.height() - 16) // 2, glass)


def _with_count(words: str, count: int | None) -> str:
    return words if count is None else f"{words}   {show_number(count)}"


def _day_of(field: QDateEdit) -> date:
    day = field.date()
    return date(day.year(), day.month(), day.day())


def _midnight(day: date) -> datetime:
    return datetime.combine(day, time()).astimezone(UTC)
