"""F1: which place of the help is about what has the focus."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtGui import QKeySequence, QShortcut
from PySide6.QtWidgets import QApplication

from trayapp.gui.context import Place

if TYPE_CHECKING:
    from PySide6.QtWidgets import QWidget

    from trayapp.gui.context import Context

_PROPERTY = "help"


def is_about(view: QWidget, name: str) -> None:
    """Say which place of the help is about *view* and all that stands in it."""
    view.setProperty(_PROPERTY, name)


def answer_f1(view: QWidget, context: Context, name: str = "") -> None:
    """Let F1 anywhere in that top-level view open the help at what has the focus; by itself it is about *name*."""
    is_about(view, name)
    QShortcut(QKeySequence("F1"), view).activated.connect(partial(ask_for_help, view, context))


def ask_for_help(view: QWidget, context: Context) -> None:
    """Open the help at what has the focus in *view*."""
    context.go_to(Place("help", action=place_about(view)))


def place_about(view: QWidget) -> str:
    """Place about the innermost part around the focus that has one; else about what *view* shows; else empty."""
    focused = QApplication.focusWidget()
    widget: QWidget | None = focused if focused is not None and view.isAncestorOf(focused) else view
    while widget is not None:
        name = widget.property(_PROPERTY)
        if name:
            return str(name)
        if widget is view:
            break
        widget = widget.parentWidget()
    return ""
