"""A real home with real jobs and a real database; commands are real processes, no scheduler is used."""

from __future__ import annotations

import sqlite3
import sys
from collections.abc import Iterator
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from tests.gui.conftest import until
from tests.gui.live import Live
from trayapp.job import shelf
from trayapp.places import Places

SCRIPT = "INSERT INTO summary SELECT :start, count(*) FROM sale WHERE at >= :start AND at < :end;\n"


class Office(Live):
    """`Live`, and jobs to put into it."""

    def __init__(self, app: QApplication, folder: Path) -> None:
        self.folder = folder
        places = Places(str(folder / "home" / "config"), str(folder / "home" / "state"))
        places.make_folders()
        super().__init__(app, places)
        self.database = folder / "sales.db"
        with closing(sqlite3.connect(self.database)) as connection:
            connection.executescript("CREATE TABLE sale (at TEXT); CREATE TABLE summary (hour TEXT, count INTEGER);")
        self.script = folder / "summary.sql"
        self.script.write_text(SCRIPT, encoding="utf-8")

    def add_sql(self, job_id: str, title: str, *, hours: int = 3, schedule: str = 'every = "1h"') -> Path:
        """SQL job with *hours* closed periods."""
        start = datetime.now(UTC).replace(minute=0, second=0, microsecond=0) - timedelta(hours=hours)
        text = f"""# The owner's own words.
title = "{title}"   # shown in lists
{f"[schedule]{chr(10)}{schedule}" if schedule else ""}

# which data
[window]
start = {start:%Y-%m-%dT%H:%M:%SZ}
step = "1h"          # an hour
lateness = "0s"

[effect]
script = "{self.script.as_posix()}"
kind = "sql"
database = "{self.database.as_posix()}"
"""
        return self._add(job_id, text)

    def add_command(self, job_id: str, code: str, more: str = "") -> Path:
        """Job whose command is Python *code*, with one closed period."""
        start = datetime.now(UTC).replace(minute=0, second=0, microsecond=0) - timedelta(hours=1)
        text = f"""title = "{job_id}"
[window]
step = "1h"
lateness = "0s"
start = {start:%Y-%m-%dT%H:%M:%SZ}
[effect]
kind = "command"
argv = ["{Path(sys.executable).as_posix()}", "-c", "{code}"]
{more}
"""
        return self._add(job_id, text)

    def rows(self) -> list[tuple[str, int]]:
        """What the jobs wrote."""
        with closing(sqlite3.connect(self.database)) as connection:
            return connection.execute("SELECT hour, count FROM summary ORDER BY hour").fetchall()

    def read(self) -> None:
        """Have the store know the jobs as they are now."""
        self.context.store.read_again()
        ids = set(shelf.job_ids(self.places))
        until(lambda: {job.id for job in self.context.store.snapshot.jobs} == ids)
        until(lambda: all(job.survey is not None for job in self.context.store.snapshot.jobs if job.file.job))

    def _add(self, job_id: str, text: str) -> Path:
        shelf.add(self.places, job_id, text, str(self.folder / "job.toml"))
        return Path(self.places.job_file(job_id))


@pytest.fixture
def office(app: QApplication, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Office]:
    monkeypatch.setenv("BIRKEZ_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("BIRKEZ_SCHEDULER", "none")
    monkeypatch.setenv("LANG", "en_US.UTF-8")
    monkeypatch.setenv("LANGUAGE", "en")
    made = Office(app, tmp_path)
    made.start()
    yield made
    for view in app.topLevelWidgets():
        view.hide()
        view.deleteLater()
    QTest.qWait(1)
    made.close()
