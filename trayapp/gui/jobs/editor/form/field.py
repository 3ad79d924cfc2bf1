"""A field: its name, the control, a hint, and what is wrong with it in the words of the job file's reader."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QEvent, QObject, QSize, Qt
from PySide6.QtWidgets import QComboBox, QFileDialog, QGridLayout, QHBoxLayout, QLineEdit, QSizePolicy, QWidget

from trayapp.gui.jobs.editor.field_words import LABELS, fault_words
from trayapp.gui.look.folders import documents_folder
from trayapp.gui.look.widgets import button, label, row, wrapping
from trayapp.wording.mark import N_
from trayapp.wording.speech import _

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from PySide6.QtGui import QWheelEvent

    from trayapp.gui.context import Context
    from trayapp.gui.jobs.editor.form.form import Form

_LABEL_SHARE = 13  # average letters, beyond which a name wraps


class Field(QWidget):
    """One row of the form, for one or more keys of the job file."""

    def __init__(
        self, form: Form, keys: Sequence[str], *parts: QWidget, caption: str = "", hint: str = "", is_wide: bool = False
    ) -> None:
        super().__init__()
        self._form, self._keys, self._parts = form, tuple(keys), parts
        context = form.context
        self.caption = wrapping(label(context, caption or LABELS[keys[0]]))
        self.caption.setAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignTop)
        self.hint = wrapping(label(context, hint, "small", is_second=True))
        self.hint.setVisible(bool(hint))
        self.fault = wrapping(label(context, size="small", weight=500))
        self.fault.set_tone("warn")
        self.fault.hide()
        self._build(is_wide=is_wide)
        self.caption.setBuddy(parts[0])
        for part in parts:
            if part.focusPolicy() != Qt.FocusPolicy.NoFocus and not part.accessibleName():
                context.language.bind(part, "setAccessibleName", caption or LABELS[keys[0]])
            part.installEventFilter(self)
        form.checked.connect(self.show_fault)

    @property
    def control(self) -> QWidget:
        """Its first control."""
        return self._parts[0]

    def show_fault(self) -> None:
        """Say what is wrong, or nothing."""
        found = self._form.complaint_about(self._keys)
        self.fault.setVisible(found is not None)
        words = fault_words(found) if found is not None else ""
        self.fault.setText(words)
        self._parts[0].setAccessibleDescription(words or self.hint.text())

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.FocusOut:
            self._form.touch(self._keys)
        return super().eventFilter(watched, event)

    def _build(self, *, is_wide: bool) -> None:
        controls = QHBoxLayout()
        controls.setSpacing(8)
        for part in self._parts:
            stretch = 1 if part.sizePolicy().horizontalPolicy() == QSizePolicy.Policy.Expanding else 0
            controls.addWidget(part, stretch)
        if not any(part.sizePolicy().horizontalPolicy() == QSizePolicy.Policy.Expanding for part in self._parts):
            controls.addStretch(1)
        grid = QGridLayout()
        grid.setContentsMargins(0, 0, 0, 0)
        grid.setHorizontalSpacing(12)
        grid.setVerticalSpacing(3)
        at = (1, 0) if is_wide else (0, 1)
        grid.addWidget(self.caption, 0, 0)
        grid.addLayout(controls, *at)
        grid.addWidget(self.fault, at[0] + 1, at[1])
        grid.addWidget(self.hint, at[0] + 2, at[1])
        if not is_wide:
            self.caption.setContentsMargins(0, 7, 0, 0)
            width = self._form.context.theme.font()
            from PySide6.QtGui import QFontMetrics  # noqa: PLC0415  # beside its only use

            self.caption.setFixedWidth(QFontMetrics(width).averageCharWidth() * _LABEL_SHARE + 60)
            grid.setColumnStretch(1, 1)
        self.setLayout(grid)


class Line(QLineEdit):
    """A text field of a draft's attribute; *letters* wide, or as wide as there is room."""

    def __init__(self, form: Form, name: str, letters: int = 0, placeholder: str = "") -> None:
        super().__init__()
        self._form, self._name, self._letters = form, name, letters
        self.textEdited.connect(lambda text: form.set(**{name: text}))
        form.checked.connect(self.show_draft)
        if letters:
            self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        if placeholder:
            form.context.language.bind(self, "setPlaceholderText", placeholder)
        self.setMinimumHeight(32)

    def show_draft(self) -> None:
        """Show the draft's value, without moving the cursor of who types."""
        value = str(getattr(self._form.draft, self._name))
        if value != self.text():
            self.setText(value)

    def sizeHint(self) -> QSize:
        hint = super().sizeHint()
        if self._letters:
            hint.setWidth(self.fontMetrics().averageCharWidth() * self._letters + 28)
        return hint


class Pick(QComboBox):
    """A list of a draft's attribute: values with their words, written anew with the language."""

    def __init__(self, form: Form, name: str, values: Sequence[Any], words: Callable[[Any], str]) -> None:
        super().__init__()
        self._form, self._name, self._values, self._words = form, name, list(values), words
        self.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToContents)
        self.setMinimumHeight(32)
        self._write()
        self.activated.connect(lambda number: form.set(**{name: self._values[number]}))
        form.checked.connect(self.show_draft)
        form.context.language.changed.connect(self._write)

    def show_draft(self) -> None:
        """Choose the draft's value."""
        value = getattr(self._form.draft, self._name)
        if value not in self._values:
            self._values.append(value)
            self.addItem(self._words(value))
        self.setCurrentIndex(self._values.index(value))

    def wheelEvent(self, event: QWheelEvent) -> None:
        """A wheel that scrolls the page changes no value."""
        event.ignore()

    def _write(self) -> None:
        at = self.currentIndex()
        self.clear()
        for value in self._values:
            self.addItem(self._words(value))
        self.setCurrentIndex(max(at, 0))


class PathLine(QWidget):
    """A path with a button that opens the system's own dialog."""

    def __init__(self, form: Form, name: str, title: str, filters: str = "", *, is_folder: bool = False) -> None:
        super().__init__()
        self._form, self._name, self._title, self._filters, self._is_folder = form, name, title, filters, is_folder
        self.line = Line(form, name)
        self._browse = button(form.context, N_("Browse…"), "folder")
        self._browse.clicked.connect(self._on_browse)
        self.setLayout(row(self.line, self._browse, gap=6))
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setFocusProxy(self.line)
        form.context.language.bind(self.line, "setAccessibleName", title)

    def _on_browse(self) -> None:
        start = self.line.text() or documents_folder()
        if self._is_folder:
            path = QFileDialog.getExistingDirectory(self, _(self._title), start)
        else:
            path, _chosen = QFileDialog.getOpenFileName(self, _(self._title), start, self._filters)
        if path:
            from PySide6.QtCore import QDir  # noqa: PLC0415  # beside its only use

            self._form.set(**{self._name: QDir.toNativeSeparators(path)})


def words_beside(context: Context, text: str) -> QWidget:
    """Words between the controls of a row."""
    return label(context, text)
