"""What the four steps have in common: a title, a line below it, cards, and the keys of the job file they are about."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from PySide6.QtCore import Qt
from PySide6.QtGui import QPalette
from PySide6.QtWidgets import QFrame, QScrollArea, QWidget

from trayapp.gui.jobs.editor.form.field import Field
from trayapp.gui.look.widgets import card, column, label, wrapping

if TYPE_CHECKING:
    from PySide6.QtWidgets import QLayout

    from trayapp.gui.jobs.editor.form.form import Form


class Step(QScrollArea):
    """One step. `keys` are those of the job file that are set here."""

    title: ClassVar[str]
    keys: ClassVar[tuple[str, ...]] = ()

    def __init__(self, form: Form, subtitle: str) -> None:
        super().__init__()
        self.form = form
        context = form.context
        self.heading = wrapping(label(context, self.title, "title", 500))
        self.subtitle = wrapping(label(context, subtitle, is_second=True))
        self._inner = QWidget()
        self._inner.setBackgroundRole(QPalette.ColorRole.Window)
        self._inner.setAutoFillBackground(True)
        self.setWidgetResizable(True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        context.language.bind(self, "setAccessibleName", self.title)

    def build(self, *parts: QWidget | QLayout) -> None:
        """Put the parts below the title."""
        self._inner.setLayout(
            column(column(self.heading, self.subtitle, gap=0), *parts, None, gap=12, margins=(24, 18, 24, 18))
        )
        self.setWidget(self._inner)

    def section(self, title: str, *parts: QWidget | QLayout, note: str = "") -> QFrame:
        """Card with a title."""
        context = self.form.context
        head: list[QWidget] = [label(context, title, "head", 600)] if title else []
        if note:
            head.append(wrapping(label(context, note, "small", is_second=True)))
        return card(column(column(*head, gap=1), *parts, gap=9, margins=(16, 12, 16, 14)))

    def summary(self) -> str:
        """What was chosen here, in a few words for the list of steps."""
        return ""

    def first_wrong(self) -> QWidget | None:
        """Control of the first field of which a fault is told."""
        fields = (field for field in self.findChildren(Field) if field.isVisibleTo(self))
        return next((field.control for field in fields if not field.fault.isHidden()), None)

    def retranslate(self) -> None:
        """Write anew what is put together of several parts."""

    def first(self) -> QWidget | None:
        """Where the cursor stands when the step is opened."""
        return None
