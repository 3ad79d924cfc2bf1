"""What would stop jobs on this computer, with remedies; below it, all that was looked at and is in order."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication, QPalette
from PySide6.QtWidgets import QFrame, QGridLayout, QLabel, QScrollArea, QWidget

from trayapp import clock
from trayapp.gui.checkup.card import FindingCard
from trayapp.gui.checkup.findings import Finding, read_findings
from trayapp.gui.look.callout import Callout
from trayapp.gui.look.widgets import button, card, column, held, label, line, row, wrapping
from trayapp.gui.page import Page
from trayapp.gui.settings.moving import ask_for_support_file
from trayapp.gui.state.words import many
from trayapp.wording.instants import show_time
from trayapp.wording.mark import N_, NN_
from trayapp.wording.speech import _, say

if TYPE_CHECKING:
    from datetime import datetime

    from PySide6.QtGui import QResizeEvent, QShowEvent

    from trayapp.gui.commands import Done
    from trayapp.gui.context import Context
    from trayapp.gui.state.snapshot import Snapshot

_TWO_COLUMNS_FROM = 720


class CheckupPage(Page):
    """Runs `birkez doctor` when it is opened, by F5, and after each remedy."""

    name = "checkup"
    title = N_("Check-up")
    icon = "nav-checkup"

    def __init__(self, context: Context, parent: QWidget | None = None) -> None:
        super().__init__(context, parent)
        self.findings: tuple[Finding, ...] = ()
        self._at: datetime | None = None
        self._is_under_way = False
        self.cards: list[FindingCard] = []
        self._sub = wrapping(label(context, is_second=True))
        self.again = button(context, N_("Check again"), "refresh")
        self._copy = button(context, N_("Copy the report"), "copy")
        self.support = button(context, N_("Make a support file…"), "file")
        self._support_note = Callout(context)
        self._head = label(context, size="head", weight=600)
        self._well_head = label(context, N_("In order"), "head", 600)
        self._refusal = Callout(context)
        self._all_well = Callout(context)
        self._cards_room = column(gap=8)
        self._passed = _Passed(context)
        self._build()

    def retranslate(self) -> None:
        self._write_head()
        if self.isVisible():
            self._look()  # the sentences are the command's, in the language of then

    def read_again(self) -> None:
        self._look()

    @staticmethod
    def badge(snapshot: Snapshot) -> int:
        return sum(job.kind in ("broken", "trigger") for job in snapshot.jobs)

    def _build(self) -> None:
        context = self.context
        self.again.clicked.connect(self._look)
        self._copy.clicked.connect(self._on_copy)
        self.support.clicked.connect(lambda: ask_for_support_file(self, context, self.tell_support))
        self._support_note.hide()
        words = column(label(context, self.title, "title", 600), self._sub, gap=1)
        head = row(words, self.support, self._copy, self.again, gap=8, margins=(24, 14, 24, 12))
        head.setStretch(0, 1)
        self._passed_card = card(column(self._passed, margins=(16, 12, 16, 12)))
        inner = QWidget()
        inner.setLayout(
            column(
                self._support_note,
                self._head,
                self._refusal,
                self._all_well,
                self._cards_room,
                self._well_head,
                self._passed_card,
                None,
                gap=12,
                margins=(24, 14, 24, 20),
            )
        )
        inner.setBackgroundRole(QPalette.ColorRole.Window)
        inner.setAutoFillBackground(True)
        area = QScrollArea()
        area.setWidget(inner)
        area.setWidgetResizable(True)
        area.setFrameShape(QFrame.Shape.NoFrame)
        area.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        layout = column(held(head), line(), area, gap=0)
        layout.setStretch(2, 1)
        self.setLayout(layout)
        for part in (self._head, self._refusal, self._all_well, self._well_head, self._passed_card):
            part.hide()
        self._write_head()

    def _look(self) -> None:
        if self._is_under_way:
            return
        self._is_under_way = True
        self.again.setEnabled(False)
        self._write_head()
        self.context.commands.ask(["doctor", "--json"], self._on_done)

    def _on_done(self, done: Done) -> None:
        self._is_under_way = False
        self.again.setEnabled(True)
        found = read_findings(done.output)
        self._refusal.setVisible(found is None)
        if found is None:
            text = done.complaint or _("Birkez could not be started, or ended without an answer.")
            self._refusal.tell("bad", "state-failed", _("The check-up could not be done"), text)
        else:
            self._at = clock.now()
            self.show_findings(found)
        self._write_head()

    def show_findings(self, found: tuple[Finding, ...]) -> None:
        """Show these."""
        self.findings = found
        for made in self.cards:
            self._cards_room.removeWidget(made)
            made.hide()
            made.deleteLater()
        wrong = [finding for finding in found if finding.weight != "ok"]
        self.cards = [FindingCard(self.context, finding) for finding in wrong]
        for made in self.cards:
            made.mended.connect(self._look)
            self._cards_room.addWidget(made)
        passed = [finding for finding in found if finding.weight == "ok"]
        self._passed.show_findings(passed)
        self._well_head.setVisible(bool(passed))
        self._passed_card.setVisible(bool(passed))
        self._write_head()

    def _write_head(self) -> None:
        text = _("Looks at everything that could keep jobs from running on this computer.")
        if self._is_under_way:
            text += " " + _("Looking…")
        elif self._at is not None:
            text += " " + say("Last looked at {time}.", time=show_time(self._at, case="locative"))
        self._sub.setText(text)
        count = len(self.cards)
        self._head.setVisible(count > 0)
        forms = NN_("{count:number} thing needs your look", "{count:number} things need your look")
        self._head.setText(many(forms, count))
        is_well = self._at is not None and not count and self._refusal.isHidden()
        self._all_well.setVisible(is_well)
        if is_well:
            words = _("Nothing stands in the way of the jobs")
            self._all_well.tell("ok", "check", words, _("What was looked at stands below."))

    def tell_support(self, text: str, is_good: bool) -> None:  # noqa: FBT001  # as the command's end tells it
        """Show what came of the support file."""
        first, _line, rest = text.partition("\n")
        self._support_note.tell("ok" if is_good else "bad", "check" if is_good else "state-failed", first, rest)
        self._support_note.show()

    def _on_copy(self) -> None:
        lines = [f"[{finding.weight}] {finding.code} {finding.job}: {finding.sentence}" for finding in self.findings]
        QGuiApplication.clipboard().setText("\n".join(lines))

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._look()


class _Passed(QWidget):
    """Checks that were passed, in two columns where there is room."""

    def __init__(self, context: Context) -> None:
        super().__init__()
        self._context = context
        self._items: list[QWidget] = []
        self._columns = 0
        self._grid = QGridLayout()
        self._grid.setContentsMargins(0, 0, 0, 0)
        self._grid.setHorizontalSpacing(24)
        self._grid.setVerticalSpacing(12)
        self.setLayout(self._grid)

    def show_findings(self, findings: list[Finding]) -> None:
        for made in self._items:
            self._grid.removeWidget(made)
            made.hide()
            made.deleteLater()
        self._items = [self._item(finding) for finding in findings]
        self._columns = 0
        self._arrange()

    def _item(self, finding: Finding) -> QWidget:
        check = QLabel()

        def draw() -> None:
            color = self._context.theme.fill("ok")
            check.setPixmap(self._context.icons.pixmap("check", color, 16, self.devicePixelRatioF()))

        draw()
        title = wrapping(label(self._context, weight=500))
        state = self._context.store.snapshot.job(finding.job) if finding.job else None
        what, text = finding.words(state.title if state else finding.job)
        title.setText(what)
        second = wrapping(label(self._context, size="small", is_second=True))
        second.setText(text)
        second.setVisible(bool(text))
        made = QWidget()
        layout = row(check, column(title, second, gap=1), gap=12)
        layout.setStretch(1, 1)
        layout.setAlignment(check, Qt.AlignmentFlag.AlignTop)
        made.setLayout(layout)
        return made

    def _arrange(self) -> None:
        columns = 2 if self.width() >= _TWO_COLUMNS_FROM else 1
        if columns == self._columns:
            return
        self._columns = columns
        for number, made in enumerate(self._items):
            self._grid.addWidget(made, number // columns, number % columns, Qt.AlignmentFlag.AlignTop)
        for place in range(2):
            self._grid.setColumnStretch(place, 1 if place < columns else 0)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._arrange()
