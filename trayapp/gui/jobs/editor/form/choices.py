"""Chips of which one or several are chosen, for an attribute of the draft."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject
from PySide6.QtGui import QFontMetrics
from PySide6.QtWidgets import QButtonGroup

from trayapp.gui.jobs.table.flow import Flow
from trayapp.gui.look.widgets import button

if TYPE_CHECKING:
    from collections.abc import Mapping

    from PySide6.QtWidgets import QPushButton

    from trayapp.gui.context import Context
    from trayapp.gui.jobs.editor.form.form import Form

_EDGES = 28  # of a chip, in pixels


class OneOf(Flow):
    """Chips of which one is chosen; their words are marked."""

    def __init__(self, form: Form, name: str, words: Mapping[str, str], title: str) -> None:
        self._chips = {value: checked_chip(form, text) for value, text in words.items()}
        super().__init__(list(self._chips.values()))
        self._form, self._name = form, name
        group = QButtonGroup(self)
        for value, chip in self._chips.items():
            group.addButton(chip)
            chip.clicked.connect(partial(self._choose, value))
        form.context.language.bind(self, "setAccessibleName", title)
        form.checked.connect(self.show_draft)

    def show_draft(self) -> None:
        """Choose the draft's value."""
        chip = self._chips.get(getattr(self._form.draft, self._name))
        if chip is not None:
            chip.setChecked(True)

    def chip(self, value: str) -> QPushButton:
        """Chip of that value."""
        return self._chips[value]

    def _choose(self, value: str, _checked: bool = False) -> None:  # noqa: FBT001, FBT002  # Qt's signal
        self._form.set(**{self._name: value})


class SomeOf(Flow):
    """Chips of which any are chosen: a frozenset of their numbers. None chosen may mean all, as *none_is_all* says."""

    def __init__(self, form: Form, name: str, words: list[str], title: str, *, none_is_all: bool = False) -> None:
        self._chips = [checked_chip(form, text) for text in words]
        super().__init__(self._chips)
        self._form, self._name, self._none_is_all = form, name, none_is_all
        for chip in self._chips:
            chip.clicked.connect(self._on_clicked)
        form.context.language.bind(self, "setAccessibleName", title)
        form.checked.connect(self.show_draft)

    def show_draft(self) -> None:
        """Choose the draft's values."""
        chosen = getattr(self._form.draft, self._name)
        for number, chip in enumerate(self._chips):
            chip.setChecked(number in chosen or (self._none_is_all and not chosen))

    def _on_clicked(self) -> None:
        chosen = frozenset(number for number, chip in enumerate(self._chips) if chip.isChecked())
        is_all = self._none_is_all and len(chosen) == len(self._chips)
        self._form.set(**{self._name: frozenset() if is_all else chosen})
        self.show_draft()


def checked_chip(form: Form, text: str) -> QPushButton:
    """Chip that can be chosen, and is then no wider than before."""
    made = button(form.context, text, kind="chip")
    made.setCheckable(True)
    _Widening(form.context, made)
    return made


class _Widening(QObject):
    """Keeps a chip as wide as it is when it is chosen; it goes with its chip."""

    def __init__(self, context: Context, chip: QPushButton) -> None:
        super().__init__(chip)
        self._context, self._chip = context, chip
        self._widen()
        context.language.changed.connect(self._widen)

    def _widen(self) -> None:
        bold = QFontMetrics(self._context.theme.font("body", 600))
        self._chip.setMinimumWidth(bold.horizontalAdvance(self._chip.text()) + _EDGES)
