"""The spoken language, changed while everything is open.

A view says its fixed texts with `Language.bind`; they follow by themselves. What a view
puts together of several parts it writes anew when `changed` is emitted.
"""

from __future__ import annotations

import weakref
from typing import TYPE_CHECKING

from PySide6.QtCore import QLibraryInfo, QLocale, QObject, QTranslator, Signal
from shiboken6 import isValid

from trayapp.wording.language import _, choose_language, speak, spoken_language

if TYPE_CHECKING:
    from collections.abc import Callable

    from PySide6.QtWidgets import QApplication

    from trayapp.wording.language import Language as Code


class Language(QObject):
    """Speaks to the whole application; `changed` when it begins to speak the other language."""

    changed = Signal()

    def __init__(self, app: QApplication) -> None:
        super().__init__(app)
        self._app = app
        self._translator: QTranslator | None = None
        self._bound: weakref.WeakKeyDictionary[QObject, dict[str, str]] = weakref.WeakKeyDictionary()
        self._teach_qt(spoken_language())

    def speak(self, wished: str, environ: dict[str, str]) -> None:
        """Speak `tr` or `en`; empty is as the system speaks."""
        code = choose_language(wished, environ)
        if code == spoken_language():
            return
        speak(code)
        self._teach_qt(code)
        for target, texts in list(self._bound.items()):
            if isValid(target):
                for setter, text in texts.items():
                    _set(target, setter, text)
        self.changed.emit()

    def bind(self, target: QObject, setter: str, text: str) -> None:
        """Call the method *setter* of *target* with the marked *text*, now and in each language to come."""
        self._bound.setdefault(target, {})[setter] = text
        _set(target, setter, text)

    def _teach_qt(self, code: Code) -> None:
        """Let Qt's own dialogs and number fields speak the language too."""
        QLocale.setDefault(QLocale(QLocale.Language.Turkish if code == "tr" else QLocale.Language.English))
        if self._translator is not None:
            self._app.removeTranslator(self._translator)
            self._translator = None
        if code == "tr":
            translator = QTranslator(self)
            if translator.load("qtbase_tr", QLibraryInfo.path(QLibraryInfo.LibraryPath.TranslationsPath)):
                self._app.installTranslator(translator)
                self._translator = translator


def _set(target: QObject, setter: str, text: str) -> None:
    method: Callable[[str], object] = getattr(target, setter)
    method(_(text))
