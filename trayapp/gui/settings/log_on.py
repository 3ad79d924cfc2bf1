"""Whether the icon comes when the person logs on: the system's own entry, read back and never remembered here."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtWidgets import QCheckBox, QWidget

from trayapp.gui.look.widgets import button, column, label, wrapping
from trayapp.wording.mark import N_
from trayapp.wording.speech import _

if TYPE_CHECKING:
    from trayapp.gui.commands import Done
    from trayapp.gui.context import Context

_FAULTS = {
    "moved": N_("Now another Birkez than this one starts when you log on."),
    "disabled": N_("It is set here, but turned off in the system's own list of startup programs."),
}


class LogOnSwitch(QWidget):
    """A check box that shows what would happen at the next log-on, and a remedy where that is neither yes nor no."""

    def __init__(self, context: Context) -> None:
        super().__init__()
        self._context = context
        self.box = QCheckBox()
        context.language.bind(self.box, "setText", N_("Start the icon when I log on"))
        self.note = wrapping(label(context, size="small"))
        self.note.set_tone("warn")
        self.mend = button(context, N_("Start this one"), "repair", kind="remedy")
        self.note.hide()
        self.mend.hide()
        self.box.setEnabled(False)  # until it is known how it is
        self.box.clicked.connect(lambda is_on: self._ask("on" if is_on else "off"))
        self.mend.clicked.connect(lambda: self._ask("on"))
        self.setLayout(column(self.box, self.note, self.mend, gap=6))

    def read_again(self) -> None:
        """Look at the entry as it is."""
        self._ask("check")

    def _ask(self, wish: str) -> None:
        self.box.setEnabled(False)
        self._context.commands.ask(["log-on", wish, "--json"], self._on_done)

    def _on_done(self, done: Done) -> None:
        found = done.json()
        state = found.get("state", "")
        self.box.setEnabled(bool(state))
        self.box.setChecked(state in ("on", "moved"))
        self.box.setToolTip(str(found.get("place", "")))
        fault = _(_FAULTS[state]) if state in _FAULTS else "" if state else done.complaint
        self.note.setText(fault)
        self.note.setVisible(bool(fault))
        self.mend.setVisible(state in _FAULTS)
        if not state:
            self.box.setEnabled(True)  # to be tried again
