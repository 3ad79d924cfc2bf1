"""The parts of the application around a sample office, for screenshots and tests of views."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Sequence

from PySide6.QtWidgets import QApplication
from shiboken6 import delete

from tests.gui import sample
from trayapp import clock
from trayapp.gui.commands import Commands, Done
from trayapp.gui.context import Context, Place
from trayapp.gui.language import Language
from trayapp.gui.look.icons import Icons
from trayapp.gui.look.theme import Scheme, Theme
from trayapp.gui.run_now import Answer, RunNow
from trayapp.gui.state.log_feed import LogEntry, LogFeed
from trayapp.gui.state.snapshot import Snapshot
from trayapp.gui.state.store import Store
from trayapp.gui.state.watcher import Watcher
from trayapp.places import Places
from trayapp.wording.language import speak


class NoCommands(Commands):
    """Starts nothing and notes what it was asked for."""

    def __init__(self) -> None:
        super().__init__()
        self.asked: list[list[str]] = []

    def ask(
        self,
        words: list[str],
        then: Callable[[Done], None],  # noqa: ARG002
        timeout_s: float | None = 120,  # noqa: ARG002
        stop: threading.Event | None = None,  # noqa: ARG002
    ) -> None:
        self.asked.append(words)


class Stage:
    """A context whose store holds the sample and reads nothing; the clock stands still."""

    def __init__(self, app: QApplication, home: str, language: str = "en", scheme: Scheme = "light") -> None:
        clock.now = lambda: sample.NOW  # type: ignore[assignment]  # `close` puts it back
        speak(language)  # type: ignore[arg-type]
        self.places = Places(os.path.join(home, "config"), os.path.join(home, "state"))
        self.commands = NoCommands()
        self.went: list[Place] = []
        theme = Theme(app, scheme)
        watcher = self._watcher = Watcher(self.places)
        self.context = Context(
            places=self.places,
            theme=theme,
            icons=Icons(theme),
            language=Language(app),
            store=Store(self.places, watcher, self.commands),
            log_feed=LogFeed(self.places, watcher),
            commands=self.commands,
            run_now=RunNow(self.commands),
            go_to=self.went.append,
        )
        self.show(sample.snapshot(), sample.entries())

    def show(self, snapshot: Snapshot, entries: Sequence[LogEntry] | None = None) -> None:
        """Let the store and the feed tell this."""
        if entries is not None:
            self.context.log_feed.entries.clear()
            self.context.log_feed.entries.extend(entries)
            self.context.log_feed.grew.emit([])
        self.context.store.snapshot = snapshot
        self.context.store.changed.emit(snapshot)

    def answer(self, job: str, **facts: object) -> None:
        """Let a run of *job* have answered so."""
        answer = Answer(job, facts)
        self.context.run_now._answers[job] = answer
        self.context.run_now.answered.emit(answer)

    def close(self) -> None:
        clock.now = _REAL_NOW
        delete(self._watcher)  # or the system's 128 places for watching are soon all taken


_REAL_NOW = clock.now
