"""A mistake of ours inside the running application: told in one sentence, kept in a file; the application goes on.

Qt calls our code, so an exception has no caller that could stop at it: without this it
would end in an error output that nobody sees.
"""

from __future__ import annotations

import sys
import traceback
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

from trayapp.bug_file import keep_bug
from trayapp.wording.mark import N_
from trayapp.wording.speech import say

if TYPE_CHECKING:
    from types import TracebackType

_MOST = 3  # that are kept: the same mistake may come with each move of the pointer


class Mistakes(QObject):
    """Hears of exceptions that nobody caught; `told` with the sentence about one, also from other threads."""

    told = Signal(str)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._count = 0
        self._before = sys.excepthook
        sys.excepthook = self._on_exception

    def close(self) -> None:
        """Hear of no more."""
        sys.excepthook = self._before

    def _on_exception(self, kind: type[BaseException], error: BaseException, where: TracebackType | None) -> None:
        self._before(kind, error, where)
        self._count += 1
        if self._count > _MOST or not issubclass(kind, Exception):
            return
        path = keep_bug("".join(traceback.format_exception(kind, error, where)))
        text = N_("Birkez made a mistake of its own ({kind}). The details are in {path}; send that file to its makers.")
        self.told.emit(say(text, kind=kind.__name__, path=path or "-"))
