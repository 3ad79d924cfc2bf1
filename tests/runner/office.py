"""A small office with one Birkez home: its database, its job files, and each start of the runner.

Runs are real processes under a clock that is set (`run`, `start`), or the same pipeline
inside the test's process with only the clock replaced (`run_here`), where a process would
prove nothing more. After each of them the office looks whether the start has left its line
in the log and its row in history: no fire is silent.
"""

from __future__ import annotations

import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

from tests.conftest import CHECKOUT, Birkez
from trayapp import clock
from trayapp.history.query import RunFilter, open_for_reading
from trayapp.history.records import RunRecord
from trayapp.job.cache import load_job
from trayapp.ledger.ledger import Standing
from trayapp.log.job_log import LogLine, parse_line
from trayapp.places import Places
from trayapp.runner.decision import Wish
from trayapp.runner.opening import open_ledger
from trayapp.runner.pipeline import run as run_pipeline
from trayapp.runner.record import Answer

BARE = (sys.executable, "-I", "-S", str(CHECKOUT / "trayapp" / "__main__.py"))  # as a scheduler's entry starts it
_PATIENCE_S = 60.0  # for a machine that is busy with other things

# A script that adds: done twice, it doubles what the totals say.
SUMMARY_SQL = """
INSERT INTO ozet SELECT :start, count(*), coalesce(sum(tutar), 0) FROM siparis WHERE an >= :start AND an < :end;
UPDATE toplam SET tutar = tutar + (SELECT coalesce(sum(tutar), 0) FROM siparis WHERE an >= :start AND an < :end);
"""
SUMMARY_PY = """
def process(window, tx):
    start, end = (at.isoformat()[:19] for at in window)
    orders = tx.execute("SELECT no, tutar FROM siparis WHERE an >= ? AND an < ?", (start, end)).fetchall()
    new = set(tx.first_times(no for no, _ in orders))
    total = sum(amount for no, amount in orders if no in new)
    tx.execute("INSERT INTO ozet VALUES (?, ?, ?)", (start, len(new), total))
    tx.execute("UPDATE toplam SET tutar = tutar + ?", (total,))
"""
# Fails for the window that begins at 12:00, by a sum that SQLite cannot hold.
FAILING_SQL = """
INSERT INTO ozet SELECT :start, 1, CASE WHEN substr(:start, 12, 5) = '12:00' THEN abs(-9223372036854775808) ELSE 12 END;
UPDATE toplam SET tutar = tutar + 12;
"""
_TABLES = """
CREATE TABLE siparis (no TEXT PRIMARY KEY, an TEXT, tutar INTEGER);
CREATE TABLE ozet (saat TEXT, adet INTEGER, tutar INTEGER);
CREATE TABLE toplam (tutar INTEGER);
INSERT INTO toplam VALUES (0);
"""


class Ran(NamedTuple):
    """What one start left: exit status, what was printed, its lines of the log, its row in history."""

    status: int
    printed: str
    lines: list[LogLine]
    row: RunRecord | None

    @property
    def said(self) -> list[tuple[str, str]]:
        """Token and reason of each line: (`ISLENDI`, ``), (`ATLANDI`, `kilit`)."""
        return [(line.token, line.fields.get("sebep", "")) for line in self.lines]

    @property
    def windows(self) -> list[str]:
        """Begin of each window that took effect, in the log's order."""
        return [line.fields["pencere"].split("/")[0] for line in self.lines if line.token == "ISLENDI"]


class Office:
    """One `BIRKEZ_HOME` with a shop's database beside it; `fires` counts the starts so far."""

    def __init__(self, folder: Path, places: Places, birkez: Birkez) -> None:
        self.folder = folder
        self.places = places
        self.birkez = birkez
        self.database = folder / "satis.db"
        self._set_clock: Callable[[datetime], None] | None = None
        self._started: list[subprocess.Popen[str]] = []

    # ------------------------------------------------------------- what there is

    def open_shop(self, *hours: str, journal: str = "wal") -> None:
        """Make the shop's database with one order at the begin and end of each of *hours*: `2026-09-04T10`."""
        with closing(sqlite3.connect(self.database, isolation_level=None)) as connection:
            connection.execute(f"PRAGMA journal_mode={journal}")
            connection.executescript(_TABLES)
        for hour in hours:
            self.sell(f"{hour}:00:00", 5)
            self.sell(f"{hour}:59:59", 7)

    def sell(self, at: str, amount: int) -> None:
        """Add an order; its number is its own."""
        self.change("INSERT INTO siparis SELECT 'sip-' || (1001 + count(*)), ?, ? FROM siparis", at, amount)

    def change(self, sql: str, *parameters: object) -> None:
        """Change the shop's database as another program would."""
        with closing(sqlite3.connect(self.database, isolation_level=None)) as connection:
            connection.execute(sql, parameters)

    def ask(self, sql: str, *parameters: object) -> list[tuple[object, ...]]:
        """Read the shop's database as another program would."""
        with closing(sqlite3.connect(self.database)) as connection:
            return connection.execute(sql, parameters).fetchall()

    def totals(self) -> list[tuple[object, ...]]:
        """Hours and sums of the summary, in the order of their hours; doubles would show."""
        rows = self.ask("SELECT substr(saat, 12, 5), tutar FROM ozet ORDER BY saat, rowid")
        assert self.ask("SELECT tutar FROM toplam") == [(sum(amount for _, amount in rows),)], "two witnesses disagree"
        return rows

    def job(
        self,
        job_id: str,
        effect: str,
        *,
        window: str = "",
        schedule: str = 'every = "1h"',
        more: str = "",
        title: str = "",
    ) -> str:
        """Write the file of an hourly job that begins on 2026-09-04 at 10:00Z, unless *window* says otherwise."""
        defaults = {"step": '"1h"', "start": "2026-09-04T10:00:00Z", "lateness": '"0s"'}
        lines = [line for line in window.splitlines() if line.strip()]
        given = {line.partition("=")[0].strip() for line in lines}
        lines += [f"{key} = {value}" for key, value in defaults.items() if key not in given]
        text = f'title = "{title or job_id}"\n{more}\n[schedule]\n{schedule}\n[window]\n' + "\n".join(lines)
        Path(self.places.job_file(job_id)).write_text(f"{text}\n[effect]\n{effect}\n", encoding="utf-8")
        return job_id

    def sql_job(self, job_id: str, script: str = SUMMARY_SQL, *, effect: str = "", **more: str) -> str:
        """Write a job whose script works in the shop's database."""
        (self.folder / f"{job_id}.sql").write_text(script, encoding="utf-8")
        kind = f"kind = 'sql'\ndatabase = '{self.database}'\nscript = '{self.folder}/{job_id}.sql'\n"
        return self.job(job_id, kind + effect, **more)

    def python_job(self, job_id: str, code: str = SUMMARY_PY, *, effect: str = "", **more: str) -> str:
        """Write a job whose function `process` works in the shop's database."""
        (self.folder / f"{job_id}.py").write_text(code, encoding="utf-8")
        kind = f"kind = 'python'\ndatabase = '{self.database}'\ncallable = '{self.folder}/{job_id}.py:process'\n"
        return self.job(job_id, kind + effect, **more)

    def command_job(self, job_id: str, shell: str, *, effect: str = "", **more: str) -> str:
        """Write a job whose command runs in the office's folder."""
        kind = f"kind = 'command'\nshell = '''{shell}'''\ncwd = '{self.folder}'\n"
        return self.job(job_id, kind + effect, **more)

    # -------------------------------------------------------------------- starts

    def start(
        self,
        job_id: str,
        *words: str,
        at: str | None,
        trigger: str = "schedule",
        prefix: Sequence[str] = (),
    ) -> subprocess.Popen[str]:
        """Start the runner beside the test; its clock begins *at*. *prefix* are words before it.

        `finish` waits for it.
        """
        process = subprocess.Popen(
            [*prefix, *BARE, "run", job_id, "--trigger", trigger, *words],
            env=self.birkez.environment(faketime=at),
            cwd=self.folder,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            encoding="utf-8",
        )
        self._started.append(process)
        return process

    def finish(self, process: subprocess.Popen[str], job_id: str, *, recorded: bool = True) -> Ran:
        """Wait for a started runner, and look for what it left."""
        out, err = process.communicate(timeout=_PATIENCE_S)
        assert "Traceback" not in out + err, out + err
        return self._seen(job_id, process.pid, process.returncode, out + err, recorded=recorded)

    def run(
        self,
        job_id: str,
        *words: str,
        at: str | None,
        trigger: str = "schedule",
        prefix: Sequence[str] = (),
        recorded: bool = True,
    ) -> Ran:
        """Run the job by the real command, its clock beginning *at*; *prefix* are words before it."""
        process = self.start(job_id, *words, at=at, trigger=trigger, prefix=prefix)
        return self.finish(process, job_id, recorded=recorded)

    def run_here(self, job_id: str, at: str, trigger: str = "schedule", **wish: object) -> tuple[Answer, Ran]:
        """Run the job in this process, whose clock stands *at*."""
        self.set_clock(at)
        names = ("SIGTERM", "SIGINT", "SIGHUP", "SIGBREAK")  # a run takes them over
        numbers = [getattr(signal, name) for name in names if hasattr(signal, name)]
        handlers = {number: signal.getsignal(number) for number in numbers}
        try:
            answer = run_pipeline(self.places, Wish(job_id, trigger, **wish))  # type: ignore[arg-type]
        finally:
            for number, handler in handlers.items():
                signal.signal(number, handler)
        lines = [line for line in self.log(job_id) if line.fields.get("kosum") == answer.run]
        row = next((row for row in self.history(job_id) if row.run == answer.run), None)
        _check_recorded(answer.exit_status, lines, row)
        return answer, Ran(answer.exit_status, "", lines, row)

    def set_clock(self, at: str) -> None:
        """Let this process's clock stand still *at*."""
        assert self._set_clock is not None
        self._set_clock(datetime.fromisoformat(at))

    def close(self) -> None:
        """End what a failed test has left running, and remove what libfaketime leaves."""
        for process in self._started:
            process.kill()
            process.communicate()
            # libfaketime tidies up at an ordinary exit alone; killed runners and `os._exit` leave theirs.
            for name in ("faketime_shm_", "sem.faketime_sem_"):
                Path(f"/dev/shm/{name}{process.pid}").unlink(missing_ok=True)

    # ------------------------------------------------------------------ what is seen

    def log(self, job_id: str) -> list[LogLine]:
        """Lines of the job's log, rotated ones too, the oldest first; each must be whole."""
        newest = Path(self.places.log_file(job_id))
        rotated = sorted(newest.parent.glob(newest.name + ".[0-9]"), reverse=True)
        text = "".join(path.read_text(encoding="utf-8") for path in (*rotated, newest) if path.exists())
        assert text.endswith("\n") or not text
        lines = [parse_line(line) for line in text.split("\n")[:-1]]
        assert None not in lines, text
        return [line for line in lines if line is not None]

    def history(self, job_id: str) -> list[RunRecord]:
        """Runs of the job in history, the oldest first."""
        with closing(open_for_reading(self.places.history_db)) as reader:
            return list(reversed(reader.runs(RunFilter(jobs=(job_id,)), count=10_000, budget_s=60).runs))

    def standing(self, job_id: str) -> Standing:
        """Where the job stands in its ledger."""
        job = load_job(self.places, job_id)
        with closing(open_ledger(self.places, job, checked=False)[0]) as ledger:
            return ledger.standing(job_id, job.window.start)

    def watermark(self, job_id: str) -> str:
        """Instant up to which the job is done."""
        return clock.format_instant(self.standing(job_id).watermark)

    def states(self, job_id: str) -> list[tuple[str, str, int]]:
        """Hour, state and attempts of the rows that a decision would see."""
        return [(f"{row.start:%H:%M}", row.state, row.attempt) for row in self.standing(job_id).rows]

    def assert_each_fire_is_told(self, job_id: str, fires: int) -> None:
        """Compare the number of starts with the runs that the log and history know of."""
        rows = [row.run for row in self.history(job_id)]
        lines = {line.fields["kosum"] for line in self.log(job_id)}
        assert len(rows) == len(set(rows)) == fires
        assert lines == set(rows)

    def _seen(self, job_id: str, pid: int, status: int, printed: str, *, recorded: bool) -> Ran:
        if not recorded:
            return Ran(status, printed, [], None)
        row = next((row for row in reversed(self.history(job_id)) if row.pid == pid), None)
        lines = [line for line in self.log(job_id) if row and line.fields["kosum"] == row.run]
        _check_recorded(status, lines, row)
        return Ran(status, printed, lines, row)


def _check_recorded(status: int, lines: Sequence[LogLine], row: RunRecord | None) -> None:
    assert lines, "a start without a line in the log"
    assert row is not None, "a start without a row in history"
    assert row.exit_status == status
    assert row.ended_at is not None
    assert row.windows == sum(line.token == "ISLENDI" for line in lines)


def wait_until(condition: Callable[[], object], patience_s: float = _PATIENCE_S) -> None:
    """Wait for *condition*; no test guesses how long something takes."""
    deadline = time.monotonic() + patience_s
    while not condition():
        assert time.monotonic() < deadline, "it did not happen"
        time.sleep(0.005)


def hasty_clock(factor: int) -> tuple[str, ...]:
    """Words before a start whose clock begins on 2026-09-04 at 11:00Z and runs *factor* times too fast."""
    return ("env", "-u", "FAKETIME_FMT", "TZ=UTC", f"FAKETIME=@2026-09-04 11:00:00 x{factor}")


def utc(text: str) -> datetime:
    """Instant of an ISO text with `Z`."""
    return datetime.fromisoformat(text).astimezone(UTC)
