"""Python's garbage is collected in the GUI thread alone.

The interpreter collects cycles in whichever thread just made one object too many. In a
reader's thread that would destroy widgets, models and file watchers there, and Qt's objects
may be destroyed in their own thread only: the event loop's lists break, and it crashes later
and elsewhere. So the automatic collection is off, and the GUI thread does it each time
before it goes to sleep, when there is enough of it. That wakes nothing at rest.
"""

from __future__ import annotations

import gc
import threading
from typing import TYPE_CHECKING

from PySide6.QtCore import QAbstractEventDispatcher, QObject

if TYPE_CHECKING:
    from PySide6.QtWidgets import QApplication

_YOUNG, _MIDDLE, _OLD = 700, 10, 10  # the interpreter's own thresholds


class Garbage(QObject):
    """Collects from now until `close`; made in the GUI thread."""

    def __init__(self, app: QApplication) -> None:
        super().__init__(app)
        self._was_automatic = gc.isenabled()
        gc.disable()
        dispatcher = QAbstractEventDispatcher.instance()
        assert dispatcher is not None
        self._dispatcher = dispatcher
        dispatcher.aboutToBlock.connect(self.collect)

    def collect(self) -> None:
        """Collect as much as the interpreter would by now; nothing in most cases."""
        young, middle, old = gc.get_count()
        if young > _YOUNG and threading.current_thread() is threading.main_thread():
            gc.collect(0 if middle <= _MIDDLE else 1 if old <= _OLD else 2)

    def close(self) -> None:
        """Let the interpreter collect by itself again."""
        self._dispatcher.aboutToBlock.disconnect(self.collect)
        if self._was_automatic:
            gc.enable()
