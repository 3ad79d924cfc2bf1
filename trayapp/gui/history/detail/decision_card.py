"""Asks for a decision: nothing is chosen beforehand, each way says what follows, and a reason is asked for."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QAbstractButton, QButtonGroup, QFrame, QLineEdit, QScrollArea, QWidget

from trayapp.gui.help.asking import is_about
from trayapp.gui.look.way import Way
from trayapp.gui.look.widgets import button, column, label, row, wrapping
from trayapp.wording.mark import N_

if TYPE_CHECKING:
    from trayapp.gui.context import Context
    from trayapp.gui.history.detail.choices import Choice, Question


class DecisionCard(QScrollArea):
    """Shows a `Question`. `decided` with the choice and the reason; `left` when it is put off."""

    decided = Signal(object, str)
    left = Signal()

    def __init__(self, context: Context) -> None:
        super().__init__()
        self._context = context
        self._question: Question | None = None
        self._group = QButtonGroup(self)
        self._choices: dict[QAbstractButton, Choice] = {}
        self._reason = QLineEdit()
        self._save = button(context, N_("Record the decision"), kind="primary")
        self._later = button(context, N_("Decide later"))
        self._title = wrapping(label(context, size="head", weight=600))
        self._text = wrapping(label(context, is_second=True))
        self._ways = row(gap=8)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        is_about(self, "decide")
        self._build()

    def ask(self, question: Question) -> None:
        """Ask this."""
        self._question = question
        self._title.setText(question.title)
        self._text.setText(question.text)
        self._reason.clear()
        self._reason.setPlaceholderText(question.hint)
        while self._ways.count():
            item = self._ways.takeAt(0)
            if item is not None and (old := item.widget()) is not None:
                old.deleteLater()
        for known in self._group.buttons():
            self._group.removeButton(known)
        self._choices.clear()
        for choice in question.choices:
            way = Way(self._context, choice.title.replace("&", "&&"), choice.text)
            self._choices[way.radio] = choice
            self._group.addButton(way.radio)
            way.radio.toggled.connect(self._on_change)
            self._ways.addWidget(way, 1)
        for one, other in pairwise(self.stops):
            QWidget.setTabOrder(one, other)
        self._on_change()
        first = self._group.buttons()[0]
        first.setFocus(Qt.FocusReason.OtherFocusReason)

    @property
    def stops(self) -> list[QWidget]:
        """What Tab comes to, in order."""
        return [*self._group.buttons(), self._reason, self._later, self._save]

    @property
    def is_asking(self) -> bool:
        """Tell whether a question stands open."""
        return self._question is not None

    def close_question(self) -> None:
        """Ask nothing any more."""
        self._question = None

    def _build(self) -> None:
        context = self._context
        self._group.setExclusive(True)
        context.language.bind(self._reason, "setAccessibleName", N_("Reason"))
        self._reason.textChanged.connect(self._on_change)
        self._reason.returnPressed.connect(self._on_save)
        self._save.clicked.connect(self._on_save)
        self._later.clicked.connect(self.left)
        buttons = row(self._reason, self._later, self._save, gap=8)
        buttons.setStretch(0, 1)
        reason = label(context, N_("Reason (recorded with the decision)"), "small", 600)
        reason.setBuddy(self._reason)
        matter = column(self._title, self._text, None, gap=6)
        answer = column(self._ways, reason, buttons, None, gap=8)
        inner = QWidget()
        layout = row(matter, answer, gap=24, margins=(20, 12, 20, 12))
        layout.setStretch(0, 2)
        layout.setStretch(1, 5)
        inner.setLayout(layout)
        inner.setMaximumWidth(1400)
        outer = QWidget()
        held_left = row(inner, None, gap=0)
        held_left.setStretch(0, 1)
        held_left.setStretch(1, 0)
        outer.setLayout(held_left)
        self.setWidget(outer)
        self.setWidgetResizable(True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)

    def _chosen(self) -> Choice | None:
        way = self._group.checkedButton()
        return self._choices.get(way) if way is not None else None

    def _on_change(self) -> None:
        self._save.setEnabled(self._chosen() is not None and bool(self._reason.text().strip()))

    def _on_save(self) -> None:
        choice = self._chosen()
        if choice is not None and self._save.isEnabled():
            self.decided.emit(choice, self._reason.text().strip())
