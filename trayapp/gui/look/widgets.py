"""Small widgets in our look, and the distances between them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from PySide6.QtCore import QEvent, QObject, QSize, Qt
from PySide6.QtGui import QFocusEvent, QFont, QPalette
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QPushButton, QSizePolicy, QVBoxLayout, QWidget

if TYPE_CHECKING:
    from PySide6.QtWidgets import QAbstractScrollArea, QLayout

    from trayapp.gui.context import Context
    from trayapp.gui.look.theme import Size, Tone

ICON_BESIDE_TEXT = QSize(22, 16)  # by `icons.BESIDE_TEXT`
_BY_KEY = (Qt.FocusReason.TabFocusReason, Qt.FocusReason.BacktabFocusReason, Qt.FocusReason.ShortcutFocusReason)
ButtonKind = Literal["", "primary", "flat", "chip", "link", "remedy", "rail", "square"]


def button(context: Context, text: str, icon: str = "", kind: ButtonKind = "", *, name: str = "") -> QPushButton:
    """Button with a marked *text*; one that shows only an icon has its marked *name* for screen readers and as tip."""
    made = QPushButton()
    if kind:
        made.setProperty("kind", kind)
    if icon:
        made.setProperty("beside_text", bool(text))
        context.icons.put(made, icon)
        made.setIconSize(ICON_BESIDE_TEXT if text else QSize(16, 16))
    if text:
        context.language.bind(made, "setText", text)
    if name:
        context.language.bind(made, "setAccessibleName", name)
        context.language.bind(made, "setToolTip", name)
    made.setAutoDefault(False)
    return made


def label(
    context: Context, text: str = "", size: Size = "body", weight: int = 400, *, is_second: bool = False
) -> Label:
    """Line of text, marked when it is fixed; *is_second* is the colour of second lines."""
    made = Label(context, size, weight)
    made.setTextFormat(Qt.TextFormat.PlainText)  # a title is text, whatever it looks like
    if is_second:
        made.setProperty("kind", "second")
    if text:
        context.language.bind(made, "setText", text)
    return made


class Label(QLabel):
    """Label in one of our sizes, whatever the system's font becomes."""

    def __init__(self, context: Context, size: Size, weight: int) -> None:
        super().__init__()
        self._context, self._size, self._weight = context, size, weight
        self._refresh()
        context.theme.changed.connect(self._refresh)

    def set_tone(self, tone: Tone | None) -> None:
        """Write in a state's colour, or in that of text."""
        self.setProperty("tone", tone)
        self.style().unpolish(self)
        self.style().polish(self)

    def _refresh(self) -> None:
        font: QFont = self._context.theme.font(self._size, self._weight)
        self.setFont(font)


def row(
    *parts: QWidget | QLayout | None, gap: int = 8, margins: tuple[int, int, int, int] = (0, 0, 0, 0)
) -> QHBoxLayout:
    """Parts side by side; None is the place that takes what is left."""
    layout = QHBoxLayout()
    _fill(layout, parts, gap, margins)
    return layout


def column(
    *parts: QWidget | QLayout | None, gap: int = 8, margins: tuple[int, int, int, int] = (0, 0, 0, 0)
) -> QVBoxLayout:
    """Parts below each other; None is the place that takes what is left."""
    layout = QVBoxLayout()
    _fill(layout, parts, gap, margins)
    return layout


def line(*, upright: bool = False) -> QFrame:
    """Hairline between two parts."""
    made = QFrame()
    made.setProperty("kind", "upright-line" if upright else "line")
    return made


def card(layout: QLayout, tone: Tone | None = None) -> QFrame:
    """Frame around *layout*: a card, or with *tone* a callout on that tint."""
    made = QFrame()
    made.setProperty("kind", "callout" if tone else "card")
    if tone:
        made.setProperty("tone", tone)
    made.setLayout(layout)
    return made


def held(layout: QLayout, role: QPalette.ColorRole = QPalette.ColorRole.Window) -> QWidget:
    """Widget that holds *layout* on the ground of that role."""
    made = QWidget()
    made.setLayout(layout)
    made.setBackgroundRole(role)
    made.setAutoFillBackground(True)
    return made


def ringed(area: QAbstractScrollArea) -> None:
    """Let *area* show by an edge that it has the focus, when that came by a key: a click is seen by itself."""
    area.setProperty("kind", "ringed")
    area.installEventFilter(_Ring(area))


class _Ring(QObject):
    """Marks an area that got the focus by a key."""

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if isinstance(event, QFocusEvent) and isinstance(watched, QWidget):
            watched.setProperty("is_entered", event.gotFocus() and event.reason() in _BY_KEY)
            watched.style().unpolish(watched)
            watched.style().polish(watched)
        return super().eventFilter(watched, event)


def wrapping(made: Label) -> Label:
    """Let a label wrap its words and be as high as they need."""
    made.setWordWrap(True)
    made.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.MinimumExpanding)
    return made


def _fill(
    layout: QHBoxLayout | QVBoxLayout,
    parts: tuple[QWidget | QLayout | None, ...],
    gap: int,
    margins: tuple[int, int, int, int],
) -> None:
    layout.setSpacing(gap)
    layout.setContentsMargins(*margins)
    for part in parts:
        if part is None:
            layout.addStretch(1)
        elif isinstance(part, QWidget):
            layout.addWidget(part)
        else:
            layout.addLayout(part)
