"""A hang on Windows, where no process can become another: a second one records it."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from tests.conftest import Birkez
from tests.runner.office import wait_until
from trayapp.places import Places

CODE = """
import time
def process(window, tx):
    tx.execute("INSERT INTO satis VALUES (1)")
    while True:
        try: time.sleep(0.05)
        except BaseException: pass
"""
JOB = """
[window]
step = "12h"
start = {start:%Y-%m-%dT%H:%M:%SZ}
max_per_run = 1
[effect]
kind = "python"
database = {database!r}
callable = "asili.py:process"
timeout = "1s"
"""


@pytest.mark.win32
def test_hang_is_recorded_after_the_process_has_gone(birkez_home: Places, run_birkez: Birkez, tmp_path: Path) -> None:
    database, jobs = tmp_path / "satis.db", Path(birkez_home.jobs_dir)
    with closing(sqlite3.connect(database, isolation_level=None)) as connection:
        connection.execute("CREATE TABLE satis (no INTEGER)")
    (jobs / "asili.py").write_text(CODE, encoding="utf-8")
    start = datetime.now(UTC) - timedelta(days=2)
    (jobs / "asili.toml").write_text(
        JOB.format(start=start.replace(microsecond=0), database=str(database)), encoding="utf-8"
    )
    assert run_birkez("run", "asili").returncode == 1
    log = Path(birkez_home.log_file("asili"))
    wait_until(log.exists)
    assert "sebep=effect-timed-out deneme=1" in log.read_text(encoding="utf-8")
    with closing(sqlite3.connect(database)) as connection:
        assert connection.execute("SELECT count(*) FROM satis").fetchall() == [(0,)]
        assert connection.execute("SELECT state, attempt FROM birkez_window").fetchall() == [("failed", 1)]
