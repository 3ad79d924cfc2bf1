"""The rail at the left of the main view: where one is, and where something needs a person."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QRect, QSize, Qt, Signal
from PySide6.QtGui import QPainter, QPalette
from PySide6.QtWidgets import QButtonGroup, QPushButton, QWidget

from trayapp.gui.look.widgets import ICON_BESIDE_TEXT, button, column, label, row, wrapping
from trayapp.wording.mark import N_, NN_
from trayapp.wording.numbers import show_number
from trayapp.wording.speech import fill, ngettext_

if TYPE_CHECKING:
    from collections.abc import Mapping

    from PySide6.QtGui import QPaintEvent

    from trayapp.gui.context import Context
    from trayapp.gui.page import Page

_WIDTH, _EDGE = 172, 8


class Rail(QWidget):
    """Names of the pages; `chosen` with the name of the one that was pressed."""

    chosen = Signal(str)
    help_pressed = Signal()

    def __init__(self, context: Context, pages: tuple[type[Page], ...]) -> None:
        super().__init__()
        self._context = context
        self._group = QButtonGroup(self)
        self._buttons = {page.name: RailButton(context, page) for page in pages}
        for name, made in self._buttons.items():
            self._group.addButton(made)
            made.clicked.connect(lambda _checked=False, name=name: self.chosen.emit(name))
        sign = label(context)
        sign.setPixmap(context.icons.application().pixmap(QSize(22, 22)))
        self._head = row(sign, label(context, N_("Birkez"), "head", 600), None, gap=10, margins=(17, 14, 8, 14))
        foot = wrapping(
            label(
                context,
                N_("Jobs run also while Birkez is closed: the system's scheduler starts them."),
                "tiny",
                is_second=True,
            )
        )
        self.help = button(context, N_("Help"), "info", "rail")
        self.help.clicked.connect(self.help_pressed)
        layout = column(
            self._head,
            column(*self._buttons.values(), gap=4, margins=(8, 0, 8, 0)),
            None,
            row(self.help, margins=(8, 0, 8, 0)),
            gap=4,
        )
        layout.addLayout(row(foot, margins=(16, 8, 8, 12)))
        self.setLayout(layout)
        context.language.changed.connect(self._fit)
        context.theme.changed.connect(self._fit)
        self._fit()

    def _fit(self) -> None:
        """Be as wide as the longest name, whatever the language and the size of letters."""
        names = max(made.sizeHint().width() for made in self._buttons.values())
        self.setFixedWidth(max(_WIDTH, names + 2 * _EDGE, self._head.minimumSize().width()))

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() in (QEvent.Type.FontChange, QEvent.Type.StyleChange) and hasattr(self, "_head"):
            self._fit()

    @property
    def marked(self) -> str:
        """Name of the page that is open."""
        return next(name for name, made in self._buttons.items() if made.isChecked())

    def mark(self, name: str) -> None:
        """Show that this page is open."""
        self._buttons[name].setChecked(True)

    def show_badges(self, counts: Mapping[str, int]) -> None:
        """Show beside each name how much there needs a person."""
        for name, count in counts.items():
            self._buttons[name].show_count(count)


class RailButton(QPushButton):
    """One page in the rail, with a count of what needs a person there."""

    def __init__(self, context: Context, page: type[Page]) -> None:
        super().__init__()
        self._context, self._page, self._count = context, page, 0
        self.setProperty("kind", "rail")
        self.setCheckable(True)
        self.setProperty("beside_text", True)
        self.setIconSize(ICON_BESIDE_TEXT)
        context.icons.put(self, page.icon)
        context.language.bind(self, "setText", page.title)
        context.language.changed.connect(self._name)
        self._name()

    def show_count(self, count: int) -> None:
        """Show *count*, nothing when it is 0."""
        if count != self._count:
            self._count = count
            self._name()
            self.update()

    def _name(self) -> None:
        forms = NN_("{page}, {count:number} needs you", "{page}, {count:number} need you")
        text = fill(ngettext_(*forms, self._count), {"page": self.text(), "count": self._count})
        self.setAccessibleName(text if self._count else self.text())

    def sizeHint(self) -> QSize:
        hint = super().sizeHint()
        return QSize(hint.width() + 34, max(hint.height(), 34))

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        theme = self._context.theme
        if self.isChecked():
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(theme.color(QPalette.ColorRole.Highlight))
            painter.drawRoundedRect(QRect(0, 9, 3, self.height() - 18), 1.5, 1.5)
        if self._count:
            painter.setFont(theme.font("tiny", 700))
            text = show_number(self._count)
            width = max(20, painter.fontMetrics().horizontalAdvance(text) + 12)
            place = QRect(self.width() - width - 8, (self.height() - 18) // 2, width, 18)
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(theme.tint("warn", 0.22))
            painter.drawRoundedRect(place, 9, 9)
            painter.setPen(theme.text("warn"))
            painter.drawText(place, Qt.AlignmentFlag.AlignCenter, text)
