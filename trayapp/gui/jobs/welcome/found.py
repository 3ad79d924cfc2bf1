"""What this computer's scheduler starts already, and which of it can become a job."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QButtonGroup, QFrame, QWidget

from trayapp.gui.look.way import Way
from trayapp.gui.look.widgets import card, column, label, wrapping
from trayapp.value import NamedTuple
from trayapp.wording.mark import N_
from trayapp.wording.speech import _

if TYPE_CHECKING:
    from trayapp.gui.commands import Done
    from trayapp.gui.context import Context

_LETTERS = 160  # of a command that are shown


class Found(NamedTuple):
    """An entry that can become a job; *cautions* say what will be otherwise then."""

    entry: str
    title: str
    times: str
    command: str
    cautions: tuple[str, ...]


class FoundList(QWidget):
    """`changed` when they were read or one was chosen; `chosen` is that one."""

    changed = Signal()

    def __init__(self, context: Context) -> None:
        super().__init__()
        self._context = context
        self.chosen: Found | None = None
        self.ways: list[Way] = []
        self._note = wrapping(label(context, is_second=True))
        self._stay = wrapping(label(context, size="small", is_second=True))
        self._room = column(gap=8)
        self._group = QButtonGroup(self)
        head = label(context, N_("Which of these?"), "head", 600)
        self._frame: QFrame = card(column(head, self._note, self._room, self._stay, gap=9, margins=(16, 12, 16, 14)))
        self.setLayout(column(self._frame))

    def look(self) -> None:
        """Ask the scheduler; the answer comes from a command of its own."""
        self._note.setText(_("The scheduler is asked…"))
        self._note.show()
        self._stay.hide()
        self._context.commands.ask(["adopt", "--list", "--json"], self._on_listed)

    def _on_listed(self, done: Done) -> None:
        facts = done.json()
        for way in self.ways:
            self._group.removeButton(way.radio)
            way.setParent(None)
            way.deleteLater()
        self.ways, self.chosen = [], None
        entries: list[dict[str, Any]] = [*facts.get("entries", ())]
        for entry in entries:
            if entry["adoptable"]:
                self._add(_found(entry))
        trouble = (facts.get("trouble") or {}).get("message") or ("" if facts else done.complaint)
        self._note.setText(trouble or _("Nothing that this computer starts can become a job."))
        self._note.setVisible(bool(trouble) or not self.ways)
        stay = [entry for entry in entries if not entry["adoptable"]]
        lines = [f"{_cut(entry['text'])}\n{entry['reason']['message']}" for entry in stay if entry["reason"]]
        self._stay.setVisible(bool(lines))
        self._stay.setText("\n".join((_("These stay as they are:"), *lines)))
        self.changed.emit()

    def _add(self, found: Found) -> None:
        way = Way(self._context, found.title or _cut(found.command), "")
        way.radio.setText((found.title or _cut(found.command)).replace("&", "&&"))
        words = "\n".join((found.times, _cut(found.command), *found.cautions))
        way.consequence.setText(words)
        way.radio.setAccessibleDescription(words)
        way.radio.toggled.connect(partial(self._on_chosen, found))
        self._group.addButton(way.radio)
        self._room.addWidget(way)
        self.ways.append(way)

    def _on_chosen(self, found: Found, is_on: bool) -> None:  # noqa: FBT001  # Qt's signal
        if is_on:
            self.chosen = found
            self.changed.emit()


def _found(entry: dict[str, Any]) -> Found:
    cautions = tuple(str(one["message"]) for one in entry["cautions"] if one)
    return Found(entry["entry"], entry["title"], entry["schedule"] or entry["times"] or "", entry["command"], cautions)


def _cut(text: str) -> str:
    return text if len(text) <= _LETTERS else text[: _LETTERS - 1] + "…"
