"""Runs, windows and processes for the tests of history."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from pathlib import Path

from trayapp.history.records import put_line, put_run
from trayapp.history.store import History, RunRecord, WindowRecord

CHECKOUT = Path(__file__).resolve().parents[2]
NOON = datetime(2026, 9, 4, 12, tzinfo=UTC)
SKIP_LINE = "2026-09-04T12:07:00.456Z ATLANDI is=satis-ozet sebep=kilit"


def made_run(number: int = 1, minutes: float | None = None, **changes: object) -> RunRecord:
    """A run that began *minutes* (or *number* minutes) after noon and took five seconds."""
    started_at = NOON + timedelta(minutes=number if minutes is None else minutes)
    record = RunRecord(
        run=f"kosum-{number}",
        job="satis-ozet",
        trigger="schedule",
        pid=4242,
        started_at=started_at,
        ended_at=started_at + timedelta(seconds=5),
        outcome="done",
        reason="",
        windows=1,
        new_count=12,
        repeated_count=0,
        waiting=0,
        exit_status=0,
    )
    return record._replace(**changes)


def made_window(seq: int, hour: int | None = None, **changes: object) -> WindowRecord:
    start = NOON + timedelta(hours=seq if hour is None else hour)
    record = WindowRecord(
        seq=seq,
        key=f"satis-ozet:{start.isoformat()}",
        start=start,
        end=start + timedelta(hours=1),
        state="done",
        attempt=1,
        run="kosum-1",
        trigger="schedule",
        at=start + timedelta(minutes=65),
        reason="",
        new_count=3,
        repeated_count=0,
        duration_ms=17,
    )
    return record._replace(**changes)


def fill(history: History, records: Iterable[RunRecord], text: str = SKIP_LINE) -> None:
    """Write many runs with a line each in one transaction, for tests that are not about writing."""

    def write(connection):
        for record in records:
            put_line(connection, put_run(connection, record), record.started_at, "ISLENDI", text)

    history.transact(write)


def start_python(code: str, *arguments: object, prefix=()) -> subprocess.Popen[str]:
    """Start Python code as a process of its own; `sys.argv[1:]` are the arguments."""
    return subprocess.Popen(
        [*prefix, sys.executable, "-c", code, *map(str, arguments)],
        env={**os.environ, "PYTHONPATH": str(CHECKOUT)},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        encoding="utf-8",
    )
