"""Quit, as a person asks for it: what was typed and is not saved is not thrown away unasked.

Ctrl+Q, the menu, a closed main view where no tray is, and a log-off ask. A signal does not:
whoever sends one does not wait for an answer.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Qt
from PySide6.QtWidgets import QMessageBox

from trayapp.wording.speech import _, say

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from PySide6.QtGui import QSessionManager
    from PySide6.QtWidgets import QPushButton, QWidget


class Quitting(QObject):
    """Calls *end* when nothing would be lost, or a person said that it may be.

    *unsaved* gives the views whose text is not saved, each with its name as window title.
    """

    def __init__(
        self, unsaved: Callable[[], Sequence[QWidget]], end: Callable[[], object], parent: QObject | None = None
    ) -> None:
        super().__init__(parent)
        self._unsaved, self._end = unsaved, end
        self._question: QMessageBox | None = None
        self._is_ending = False

    def ask(self) -> None:
        """End, or first ask; does not wait for the answer. Asked again meanwhile, it shows the same question."""
        if self._is_ending:
            return
        if self._question is not None:
            self._question.raise_()
            self._question.activateWindow()
            return
        views = self._unsaved()
        if not views:
            self.end()
            return
        self._question, discard = _question(views)
        self._question.finished.connect(lambda _result: self._on_answer(views[-1], discard))
        self._question.open()

    def end(self) -> None:
        """End without a question; what is not saved is lost."""
        self._is_ending = True
        for view in self._unsaved():
            view.close()  # by us, which discards
        self._end()

    def ask_at_log_off(self, session: QSessionManager) -> None:
        """Ask while the desktop waits, where it does; "go on editing" stops the log-off."""
        views = self._unsaved()
        if not views or not session.allowsInteraction():
            return
        question, discard = _question(views)
        question.exec()
        if question.clickedButton() is not discard:
            session.cancel()
        session.release()

    def _on_answer(self, view: QWidget, discard: QPushButton) -> None:
        question, self._question = self._question, None
        assert question is not None
        if self._is_ending:
            return
        if question.clickedButton() is discard:
            self.end()
        else:
            _to_front(view)


def _question(views: Sequence[QWidget]) -> tuple[QMessageBox, QPushButton]:
    """Make the question about those views, and its button that lets them go; Esc and Enter go on editing."""
    _to_front(views[-1])
    made = QMessageBox(QMessageBox.Icon.Warning, "Birkez", _("What you typed is not saved."), parent=views[-1])
    made.setTextFormat(Qt.TextFormat.PlainText)
    made.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    names = "\n".join(view.windowTitle() for view in views)
    made.setInformativeText(say("If Birkez quits now, it is lost:\n{names}", names=names))
    discard = made.addButton(_("Discard and quit"), QMessageBox.ButtonRole.DestructiveRole)
    stay = made.addButton(_("Go on editing"), QMessageBox.ButtonRole.RejectRole)
    made.setDefaultButton(stay)
    made.setEscapeButton(stay)
    return made, discard


def _to_front(view: QWidget) -> None:
    if view.isMinimized():
        view.showNormal()
    view.show()
    view.raise_()
    view.activateWindow()
