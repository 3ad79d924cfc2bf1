"""The application's parts over a real home: readers read it, commands are real processes."""

from __future__ import annotations

import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path

from PySide6.QtWidgets import QApplication
from shiboken6 import delete

from trayapp.gui.commands import Commands
from trayapp.gui.context import Context, Place
from trayapp.gui.language import Language
from trayapp.gui.look.icons import Icons
from trayapp.gui.look.theme import Theme
from trayapp.gui.run_now import RunNow
from trayapp.gui.state.log_feed import LogFeed
from trayapp.gui.state.store import Store
from trayapp.gui.state.watcher import Watcher
from trayapp.job import shelf
from trayapp.places import Places
from trayapp.wording.language import speak


class Live:
    """All parts at work; `went` is where views asked to go."""

    def __init__(self, app: QApplication, places: Places) -> None:
        speak("en")
        self.places = places
        self.went: list[Place] = []
        self.commands = Commands()
        self.watcher = Watcher(places)
        theme = Theme(app, "light")
        self.context = Context(
            places=places,
            theme=theme,
            icons=Icons(theme),
            language=Language(app),
            store=Store(places, self.watcher, self.commands),
            log_feed=LogFeed(places, self.watcher),
            commands=self.commands,
            run_now=RunNow(self.commands),
            go_to=self.went.append,
        )

    def start(self) -> None:
        self.watcher.start()
        self.context.store.start()

    def close(self) -> None:
        self.context.store.stop()
        self.context.log_feed.stop()
        delete(self.watcher)  # or the system's 128 places for watching are soon all taken


def hour(ago: int) -> datetime:
    return datetime.now(UTC).replace(minute=0, second=0, microsecond=0) - timedelta(hours=ago)


def add_command_job(places: Places, folder: Path, job_id: str, code: str, *, hours: int = 1, more: str = "") -> None:
    """A job whose command is Python *code*, with *hours* closed periods waiting."""
    program = folder / f"{job_id}.py"
    program.write_text(code, encoding="utf-8")
    text = f"""title = "Invoices of {job_id}"
[window]
step = "1h"
lateness = "0s"
start = {hour(hours):%Y-%m-%dT%H:%M:%SZ}
[effect]
kind = "command"
argv = ["{Path(sys.executable).as_posix()}", "{program.as_posix()}"]
{more}
"""
    shelf.add(places, job_id, text, str(folder / "job.toml"))
