"""What a run printed: both ends of it, more of it when asked, and all of it in a program of the person's own."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QFontDatabase
from PySide6.QtWidgets import QFrame, QPlainTextEdit, QWidget

from trayapp.gui.history.detail.reading import HEAD_BYTES
from trayapp.gui.look.widgets import button, column, label, ringed, row, wrapping
from trayapp.wording.mark import N_
from trayapp.wording.numbers import show_number
from trayapp.wording.speech import _, say

if TYPE_CHECKING:
    from trayapp.gui.context import Context
    from trayapp.gui.history.detail.reading import Output

_KIB = 1024
_MORE_BYTES = 1 << 20


class OutputView(QWidget):
    """Shows an `Output`; `more_wanted` with how many bytes of its beginning shall be read then."""

    more_wanted = Signal(int)

    def __init__(self, context: Context) -> None:
        super().__init__()
        self._context = context
        self._output: Output | None = None
        self._head_bytes = HEAD_BYTES
        self._size = label(context, "", "tiny", is_second=True)
        self._text = QPlainTextEdit()
        self._none = wrapping(label(context, N_("This run printed nothing."), "small", is_second=True))
        self._none.setContentsMargins(12, 0, 12, 0)
        self._none.setAlignment(Qt.AlignmentFlag.AlignTop)
        self._more = button(context, N_("Show more from the beginning"), kind="link")
        self._more.clicked.connect(self._on_more)
        self._text.setReadOnly(True)
        self._text.setFrameShape(QFrame.Shape.NoFrame)
        self._text.setLineWrapMode(QPlainTextEdit.LineWrapMode.NoWrap)
        self._text.setTabChangesFocus(True)
        self._text.setUndoRedoEnabled(False)
        self._text.setObjectName("run-output")
        ringed(self._text)
        self._text.setStyleSheet("#run-output { background: transparent; }")
        context.language.bind(self._text, "setAccessibleName", N_("What the run printed"))
        head = row(label(context, N_("Output"), "small", 650, is_second=True), None, self._size, margins=(12, 8, 12, 4))
        layout = column(head, self._none, self._text, row(self._more, None, margins=(10, 0, 10, 4)), gap=0)
        layout.setStretch(2, 1)
        self.setLayout(layout)
        context.theme.changed.connect(self._set_font)
        self._set_font()
        self.show_output(None)

    @property
    def head_bytes(self) -> int:
        """How much of the beginning is shown."""
        return self._head_bytes

    @property
    def stops(self) -> list[QWidget]:
        """What Tab comes to, in order."""
        return [self._text, self._more]

    def begin(self) -> None:
        """Prepare for another run: as little of it is read as of any."""
        self._head_bytes = HEAD_BYTES

    def show_output(self, output: Output | None) -> None:
        """Show that, and keep the place where one reads when it has only grown."""
        before, self._output = self._output, output
        self._none.setVisible(output is None or bool(output.trouble))
        self._none.setText(_(_NOTHING) if output is None else say(_TROUBLE, reason=output.trouble))
        self._text.setVisible(output is not None and not output.trouble)
        self._more.setVisible(output is not None and output.left_out > 0)
        self._size.setText(size_words(output.size) if output is not None and not output.trouble else "")
        text = _text_of(output)
        if text == self._text.toPlainText():
            return
        bar, same = self._text.verticalScrollBar(), before is not None and output is not None
        place = bar.value() if same and before is not None and output is not None and before.path == output.path else 0
        was_at_end = place and place == bar.maximum()
        self._text.setPlainText(text)
        bar.setValue(bar.maximum() if was_at_end else place)

    def retranslate(self) -> None:
        """Write the words between the ends anew."""
        self.show_output(self._output)

    def _on_more(self) -> None:
        self._head_bytes += _MORE_BYTES
        self.more_wanted.emit(self._head_bytes)

    def _set_font(self) -> None:
        font = self._context.theme.font("small", monospace=True)
        if not font.family():
            font = QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont)
        self._text.setFont(font)


_NOTHING = N_("This run printed nothing.")
_TROUBLE = N_("What it printed cannot be read: {reason}.")


def size_words(size: int) -> str:
    """Write a size as people do: 512 B, 2,1 KB, 300 MB."""
    if size < _KIB:
        return _("{number} B").format(number=size)
    value, unit = size / _KIB, N_("{number} KB")
    if value >= _KIB:
        value, unit = value / _KIB, N_("{number} MB")
    return _(unit).format(number=show_number(value, 1 if value < 10 else 0))  # noqa: PLR2004  # above, whole numbers do


def _text_of(output: Output | None) -> str:
    if output is None:
        return ""
    if not output.left_out:
        return output.head.rstrip("\n")
    gap = say("… {size} between are not shown …", size=size_words(output.left_out))
    return f"{output.head}\n{gap}\n\n{output.tail}".rstrip("\n")
