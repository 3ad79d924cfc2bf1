"""A Birkez home with one shop and its jobs, as a crontab would find it."""

from __future__ import annotations

import sqlite3
import sys
import time
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path

from tests.benchmark.measure import RUNNER, environment, wall_s
from trayapp.clock import EPOCH, format_instant, now

_STEP = timedelta(hours=12)
_RACY_S = 2.5  # a job file younger than this is parsed anew at each start

_JOB = """title = "{job}"
[schedule]
daily = ["03:00"]
[window]
{window}
[effect]
"""
_SUM = """INSERT INTO ozet
SELECT :start, count(*), coalesce(sum(tutar), 0) FROM siparis WHERE an >= :start AND an < :end;
"""


class Home:
    """A folder with configuration, state, and the shop's database in WAL mode."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.database = folder / "satis.db"
        self.env = environment(BIRKEZ_HOME=str(folder))
        (folder / "config" / "jobs").mkdir(parents=True)
        (folder / "ozet.sql").write_text(_SUM, encoding="utf-8")
        with closing(sqlite3.connect(self.database)) as connection:
            connection.execute("PRAGMA journal_mode=WAL")
            connection.executescript(
                "CREATE TABLE siparis (an TEXT, tutar INTEGER); CREATE INDEX siparis_an ON siparis (an);"
                "CREATE TABLE ozet (saat TEXT, adet INTEGER, tutar INTEGER);"
            )

    def sell(self, first: datetime, hours: int, an_hour: int) -> None:
        """Add orders, *an_hour* in each of *hours* from *first* on."""
        apart_s = 3600 / an_hour
        stamps = (
            f"{first + timedelta(seconds=number * apart_s):%Y-%m-%dT%H:%M:%SZ}" for number in range(hours * an_hour)
        )
        with closing(sqlite3.connect(self.database)) as connection, connection:
            connection.executemany(
                "INSERT INTO siparis VALUES (?, ?)", ((stamp, number % 997) for number, stamp in enumerate(stamps))
            )

    def write_job(self, job: str, window: str) -> None:
        """Write a job that sums the orders of each window."""
        effect = f'kind = "sql"\ndatabase = "{self.database}"\nscript = "{self.folder}/ozet.sql"\n'
        path = self.folder / "config" / "jobs" / f"{job}.toml"
        path.write_text(_JOB.format(job=job, window=window) + effect, encoding="utf-8")

    def make_idle_job(self, job: str) -> None:
        """Make a job with work behind it and nothing to do in the next hours, its file kept parsed.

        Six hours pass before its next window can be taken, so no measured start finds work.
        """
        since = (now() - EPOCH) % _STEP
        lateness = (since + _STEP / 2) % _STEP
        start = now() - since - 4 * _STEP
        self.write_job(
            job, f'step = "12h"\nstart = {format_instant(start)}\nlateness = "{int(lateness.total_seconds())}s"'
        )
        time.sleep(_RACY_S)
        for _ in range(2):
            self.run(job)
        assert (self.folder / "state" / "cache" / job).exists(), "the parsed job is not kept"

    def make_hourly_job(self, job: str, hours: int) -> datetime:
        """Make a job with exactly *hours* closed windows to take in one run; returns where they begin."""
        start = now().replace(minute=0, second=0, microsecond=0) - timedelta(hours=hours)
        self.write_job(job, f'step = "1h"\nstart = {format_instant(start)}\nlateness = "0s"\nmax_per_run = {hours}')
        return start.astimezone(UTC)

    def argv(self, job: str, interpreter: str = sys.executable) -> list[str]:
        """Words by which a scheduler's entry starts the runner."""
        return [interpreter, "-I", "-S", str(RUNNER), "run", job, "--trigger", "schedule"]

    def run(self, job: str, interpreter: str = sys.executable) -> float:
        """Run the job as its schedule would; returns the seconds of the whole process."""
        return wall_s(self.argv(job, interpreter), self.env)

    def ask(self, sql: str) -> list[tuple[object, ...]]:
        """Read the shop's database."""
        with closing(sqlite3.connect(self.database)) as connection:
            return connection.execute(sql).fetchall()

    def last_line(self, job: str) -> str:
        """Newest line of the job's log: what the last start did."""
        return (self.folder / "state" / "logs" / f"{job}.log").read_text(encoding="utf-8").splitlines()[-1]
