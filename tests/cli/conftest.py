"""A job on a real database; the command speaks English unless a test asks for Turkish."""

from __future__ import annotations

import json
import os
import sqlite3
import subprocess
import time
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from trayapp.job import shelf
from trayapp.lock.holder import own_holder
from trayapp.lock.job_lock import acquire
from trayapp.places import Places

TURKISH = {"LC_MESSAGES": "tr_TR.UTF-8"}
DAYS = 3  # closed windows that a new job of these tests finds


def midnight(days_ago: int = 0) -> datetime:
    today = datetime.now(UTC).replace(hour=0, minute=0, second=0, microsecond=0)
    return today - timedelta(days=days_ago)


def iso(at: datetime) -> str:
    return at.strftime("%Y-%m-%dT%H:%M:%SZ")


def key(job: str, at: datetime) -> str:
    return f"{job}:{at.isoformat()}"


def on_a_terminal(birkez, answer: str, *words: str) -> tuple[str, int]:
    """Run the command on a pseudo terminal and type *answer*; returns what it said and its status."""
    import pty

    master, slave = pty.openpty()
    process = subprocess.Popen(birkez.argv(*words), env=birkez.environment(), stdin=slave, stdout=slave, stderr=slave)
    os.close(slave)
    os.write(master, answer.encode() + b"\n")
    said, deadline = b"", time.monotonic() + 30
    while time.monotonic() < deadline:
        try:
            said += os.read(master, 4096)
        except OSError:  # the other end is closed
            break
    os.close(master)
    return said.decode(), process.wait(timeout=10)


class Desk:
    """The person's folder with job files, scripts and a database; and jobs on the shelf."""

    def __init__(self, folder: Path, places: Places) -> None:
        self.folder = folder
        self.places = places
        self.database = folder / "sales.db"

    def make_database(self) -> None:
        with sqlite3.connect(self.database) as connection:
            connection.execute("CREATE TABLE IF NOT EXISTS took (start TEXT, key TEXT)")
        connection.close()

    def took(self) -> list[str]:
        """Starts of the windows that took effect, in the order in which they did."""
        connection = sqlite3.connect(self.database)
        rows = connection.execute("SELECT start FROM took ORDER BY rowid").fetchall()
        connection.close()
        return [row[0] for row in rows]

    def sql_file(self, title: str = "Sales", *, script: str = "", window: str = "", name: str = "job.toml") -> Path:
        """A job file of kind sql with days since `DAYS` ago."""
        (self.folder / "sum.sql").write_text(script or "INSERT INTO took VALUES (:start, :key);", encoding="utf-8")
        text = f"""title = "{title}"
[schedule]
every = "1h"
[window]
step = "1d"
timezone = "UTC"
lateness = "0s"
{window or f"start = {iso(midnight(DAYS))}"}
[effect]
kind = "sql"
database = "sales.db"
script = "sum.sql"
"""
        path = self.folder / name
        path.write_text(text, encoding="utf-8")
        return path

    def command_file(self, argv: str, more: str = "", name: str = "command.toml") -> Path:
        path = self.folder / name
        path.write_text(
            f"""title = "Mail"
[window]
step = "1d"
timezone = "UTC"
lateness = "0s"
start = {iso(midnight(DAYS))}
[effect]
kind = "command"
argv = {argv}
{more}
""",
            encoding="utf-8",
        )
        return path

    def add(self, job_id: str, path: Path) -> None:
        shelf.add(self.places, job_id, path.read_text(encoding="utf-8"), str(path))

    def add_sql(self, job_id: str = "sales", **options: str) -> None:
        self.make_database()
        self.add(job_id, self.sql_file(**options))

    def job_text(self, job_id: str) -> str:
        return Path(self.places.job_file(job_id)).read_text(encoding="utf-8")

    def break_job(self, job_id: str) -> None:
        """Leave an empty file where the job's file stands, as a write that was cut off would."""
        Path(self.places.job_file(job_id)).write_text("", encoding="utf-8")

    def hold(self, job_id: str = "sales"):
        """Hold the job's lock as a run by hand would."""
        return acquire(self.places.lock_file(job_id), own_holder("run-of-the-test", "manual", datetime.now(UTC)))


@pytest.fixture
def desk(tmp_path_factory: pytest.TempPathFactory, birkez_home: Places) -> Iterator[Desk]:
    return Desk(tmp_path_factory.mktemp("desk"), birkez_home)


@pytest.fixture
def birkez(run_birkez) -> Callable[..., Any]:
    return run_birkez


@pytest.fixture
def ask_json(run_birkez) -> Callable[..., Any]:
    """Run a command that answers in JSON, and return what it said."""

    def ask(*words: str, status: int = 0) -> Any:
        ended = run_birkez(*words, "--json")
        assert ended.returncode == status, ended
        return json.loads(ended.stdout)

    return ask
