"""What the work is given for each period: parameters of the script, arguments of the function, placeholders."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QGridLayout, QLabel, QWidget

from trayapp import clock
from trayapp.gui.look.widgets import column, label, wrapping
from trayapp.wording.mark import N_
from trayapp.wording.speech import _

if TYPE_CHECKING:
    from trayapp.gui.jobs.editor.form.form import Form

_INTRO = {
    "sql": N_("The script is run once for each period, with these parameters:"),
    "python": N_("The function is called once for each period, as process(window, tx):"),
    "command": N_("The program is started once for each period; these stand for:"),
}
_ROWS = {
    "sql": (
        (":start", N_("first moment of the period; it belongs to it")),
        (":end", N_("first moment after it; it does not belong to it")),
        (":key", N_("name of this period for ever, for a column of your own")),
        (":job", N_("short name of the job")),
    ),
    "python": (
        ("window", N_("start and end of the period, in UTC")),
        ("tx.execute()", N_("runs SQL in the transaction that is saved as a whole or not at all")),
        ("tx.first_time()", N_("tells whether a record is new: for records that may come again")),
    ),
    "command": (
        ("{start}", N_("first moment of the period; it belongs to it")),
        ("{end}", N_("first moment after it; it does not belong to it")),
        ("{key}", N_("name of this period for ever: hand it to the service, so that it refuses a second one")),
        ("BIRKEZ_KEY", N_("the same in the environment, with BIRKEZ_START and BIRKEZ_END")),
    ),
}
_LIST_INTRO = {
    "download": N_("One address is asked for each entry of the list; these stand for:"),
    "python": N_("The function is called once for each entry, as process(item, output):"),
    "command": N_("The program is started once for each entry; these stand for:"),
}
_LIST_ROWS = {
    "download": (
        ("{item}", N_("the entry, written so that it cannot change the address")),
        ("{region}", N_("another column of a CSV file, by its name in the first line")),
    ),
    "python": (
        ("item.id", N_("the entry")),
        ("item.fields", N_("the other columns of a CSV file")),
        ("item.input", N_("the entry's own file, where the list is a folder")),
        ("output", N_("path of the file to write; it gets its own name once it is whole")),
    ),
    "command": (
        ("{item}", N_("the entry")),
        ("{output}", N_("path of the file to write; it gets its own name once it is whole")),
        ("{input}", N_("the entry's own file, where the list is a folder")),
        ("BIRKEZ_ITEM", N_("the same in the environment, with BIRKEZ_OUTPUT and BIRKEZ_INPUT")),
    ),
}
_LIST_EXAMPLES = {
    "download": "https://example.com/documents/{item}",
    "python": "def process(item, output): …",
    "command": "python3 convert.py {input} {output}",
}
_EXAMPLES = {
    "sql": "SELECT … WHERE an >= :start AND an < :end",
    "python": "def process(window, tx): …",
    "command": "python3 gonder.py --from {start} --to {end}",
}


class Given(QWidget):
    """A small table, with the values of the period that comes next as examples."""

    def __init__(self, form: Form) -> None:
        super().__init__()
        self._form = form
        context = form.context
        self._intro = wrapping(label(context))
        self._grid = QGridLayout()
        self._grid.setContentsMargins(0, 0, 0, 0)
        self._grid.setHorizontalSpacing(14)
        self._grid.setVerticalSpacing(8)
        self._grid.setColumnStretch(1, 1)
        self._example = QLabel()
        self._example.setTextFormat(Qt.TextFormat.PlainText)
        self._example.setWordWrap(True)
        self._example.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self._note = wrapping(
            label(
                context,
                N_("“From the start on, before the end”: so no record falls between two periods, and none into both."),
                "small",
                is_second=True,
            )
        )
        self.setLayout(column(self._intro, self._grid, self._example, self._note, gap=12))
        self._shown: tuple[object, ...] = ()
        form.checked.connect(self._write)
        form.looked_ahead.connect(self._write)
        context.language.changed.connect(self._write)

    def _write(self) -> None:
        draft, context = self._form.draft, self._form.context
        is_list = draft.works == "list"
        self._note.setVisible(not is_list)
        self._intro.setText(_((_LIST_INTRO if is_list else _INTRO)[draft.kind]))
        while (item := self._grid.takeAt(0)) is not None:
            widget = item.widget()
            if widget is not None:
                widget.hide()
                widget.deleteLater()
        mono = context.theme.font("small", 600, monospace=True)
        for number, (name, text) in enumerate((_LIST_ROWS if is_list else _ROWS)[draft.kind]):
            left, right = QLabel(name), wrapping(label(context, size="small"))
            left.setTextFormat(Qt.TextFormat.PlainText)
            left.setFont(mono)
            example = self._value(name)
            right.setText(_(text) + (f"\n{example}" if example else ""))
            self._grid.addWidget(left, number, 0, Qt.AlignmentFlag.AlignTop)
            self._grid.addWidget(right, number, 1, Qt.AlignmentFlag.AlignTop)
        self._example.setFont(context.theme.font("small", monospace=True))
        self._example.setText((_LIST_EXAMPLES if is_list else _EXAMPLES)[draft.kind])

    def _value(self, name: str) -> str:
        """Value that the next period gives, as an example."""
        ahead = self._form.ahead
        if ahead is None or ahead.outlook is None or self._form.draft.kind == "python" or self._form.job is None:
            return ""
        start, end = ahead.outlook.following
        at = {"start": start, "end": end}.get(name.strip(":{}"))
        if at is None:
            return ""
        if self._form.draft.kind == "command":
            return clock.format_instant(at)
        seconds = clock.to_epoch(at)
        plain = at.replace(tzinfo=None)
        return {
            "epoch": str(seconds),
            "epoch-ms": str(seconds * 1000),
            "iso-space": plain.isoformat(" ", "seconds"),
        }.get(self._form.draft.time_format, plain.isoformat("T", "seconds"))
