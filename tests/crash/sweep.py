"""Kill the real runner, or fail the disk under it, at its Nth system call.

`strace` does it from outside, so the product has no hook: it traces the runner's own
thread, sends SIGKILL when the Nth call on a file or descriptor begins, or lets the Nth
write or flush fail. Counting begins with the process, so a sweep starts at the first call
that touches the test's folder; what lies before is the interpreter's own start.
"""

from __future__ import annotations

import os
import re
import shutil
import sqlite3
import subprocess
import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Literal, NamedTuple

CHECKOUT = Path(__file__).resolve().parents[2]
# -B: in a new checkout the first calls would be the interpreter's, which keeps what it compiled.
RUNNER = (sys.executable, "-I", "-S", "-B", str(CHECKOUT / "trayapp" / "__main__.py"))
RUN = ("run", "is", "--trigger", "schedule")
TRY = ("job", "try", "is", "--yes")
Kind = Literal["sql", "python", "command"]
KINDS: tuple[Kind, ...] = ("sql", "python", "command")

TRACED = "%file,%desc,kill,%process"
WRITES = "write,pwrite64,pwritev,writev,ftruncate,fallocate"
FLUSHES = "fsync,fdatasync,sync_file_range"
_NEVER_TRACED = "arch_prctl,set_tid_address,exit_group,exit"

_EFFECTS = {
    "sql": 'kind = "sql"\ndatabase = "{home}/satis.db"\nscript = "{home}/ozet.sql"\n',
    "python": 'kind = "python"\ndatabase = "{home}/satis.db"\ncallable = "{home}/ozet.py:process"\n',
    "command": 'kind = "command"\nargv = ["/bin/sh", "-c", "echo $BIRKEZ_KEY >> \\"$0\\"", "{home}/gonderilen.txt"]\n',
}
_JOB = """title = "Haftalık özet"
[schedule]
daily = ["03:00"]
[window]
step = "1w"
timezone = "UTC"
start = {start}T00:00:00Z
[effect]
"""
_SQL = """INSERT INTO ozet SELECT :start, count(*), sum(tutar) FROM siparis WHERE an >= :start AND an < :end;
INSERT INTO olay VALUES (:key);
"""
_PYTHON = """def process(window, tx):
    start, end = window.start.isoformat()[:19], window.end.isoformat()[:19]
    tx.first_times([f"sip-{n}" for n in range(5)])
    tx.execute("INSERT INTO ozet SELECT ?1, count(*), sum(tutar) FROM siparis WHERE an >= ?1 AND an < ?2", (start, end))
    tx.execute("INSERT INTO olay VALUES (?)", (tx.key,))
"""
# One week that has closed; the next closes on Monday, however long a sweep takes.
_MONDAY = datetime.now(UTC).date() - timedelta(days=datetime.now(UTC).weekday())
WEEK = (_MONDAY - timedelta(days=7)).isoformat()
KEY = f"is:{WEEK}T00:00:00+00:00"


class Seen(NamedTuple):
    """What stands after a run: times the window took effect, its row's state, where the watermark is."""

    effects: int
    state: str | None
    is_past: bool


class Shop:
    """A shop's folder with one job of *kind* whose window, a week, has closed; *words* are what `birkez` is told."""

    def __init__(self, folder: Path, kind: Kind) -> None:
        self.kind = kind
        self.words = RUN
        self._template = folder / "template"
        self.home = folder / "home"
        self._make(self._template)

    def reset(self) -> None:
        """Bring the folder back to the moment before the first run."""
        shutil.rmtree(self.home, ignore_errors=True)
        shutil.copytree(self._template, self.home)

    def run(self, *injection: str, trace: Path | None = None) -> subprocess.CompletedProcess[str]:
        """Run the job as the scheduler would, under strace when there is something to inject or to trace."""
        tracing: tuple[str, ...] = ()
        if injection or trace:
            output = str(trace) if trace else os.devnull
            tracing = ("strace", "-o", output, "-e", f"trace={TRACED}", *injection)
        return subprocess.run(
            [*tracing, *RUNNER, *self.words],
            env={"BIRKEZ_HOME": str(self.home), "PATH": "/usr/bin:/bin", "HOME": str(self.home), "LC_ALL": "C"},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            encoding="utf-8",
            timeout=120,
            check=False,
        )

    def calls(self) -> list[tuple[int, str]]:
        """Numbers, per system call's name, of the calls from the first that touches the folder to the end."""
        self.reset()
        trace = self.home.parent / "trace"
        assert self.run(trace=trace).returncode == 0
        own = "/".join(self.home.parts[-2:])  # strace writes other letters than ASCII as numbers
        names = [
            (match[1], own in line)
            for line in trace.read_text(errors="replace").splitlines()
            if (match := re.match(r"(\w+)\(", line))
        ]
        first = next(index for index, (_, touches) in enumerate(names) if touches)
        counted: dict[str, int] = {}
        numbered = []
        for index, (name, _) in enumerate(names):
            counted[name] = counted.get(name, 0) + 1
            if index >= first and name not in _NEVER_TRACED:
                numbered.append((counted[name], name))
        return numbered

    def see(self) -> Seen:
        """Read effect and ledger side by side, each from its own witness."""
        database = self.home / ("state/ledger.db" if self.kind == "command" else "satis.db")
        if not database.exists():
            return Seen(self._effects(None), None, is_past=False)
        connection = sqlite3.connect(database)
        try:
            assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)
            state, is_past = _ledger_says(connection)
            return Seen(self._effects(connection), state, is_past)
        finally:
            connection.close()

    def bugs(self) -> str:
        """What Birkez reported as bugs of its own."""
        return "\n".join(path.read_text(errors="replace") for path in (self.home / "state").glob("bug-*.txt"))

    def totals(self) -> list[tuple[object, ...]]:
        """The summary that the effect wrote."""
        connection = sqlite3.connect(self.home / "satis.db")
        try:
            return connection.execute("SELECT * FROM ozet").fetchall()
        finally:
            connection.close()

    def _effects(self, connection: sqlite3.Connection | None) -> int:
        if self.kind != "command":
            assert connection is not None
            keys = [key for (key,) in connection.execute("SELECT key FROM olay")]
            rows = connection.execute("SELECT count(*) FROM ozet").fetchone()[0]
            assert rows == len(keys), "the two witnesses disagree"
        else:
            sent = self.home / "gonderilen.txt"
            keys = sent.read_text().splitlines() if sent.exists() else []
        assert all(key == KEY for key in keys)
        return len(keys)

    def _make(self, home: Path) -> None:
        jobs = home / "config" / "jobs"
        jobs.mkdir(parents=True)
        (jobs / "is.toml").write_text((_JOB + _EFFECTS[self.kind]).format(home=self.home, start=WEEK), encoding="utf-8")
        (home / "ozet.sql").write_text(_SQL, encoding="utf-8")
        (home / "ozet.py").write_text(_PYTHON, encoding="utf-8")
        connection = sqlite3.connect(home / "satis.db")
        connection.execute("PRAGMA journal_mode=WAL")
        connection.executescript(
            "CREATE TABLE siparis (an TEXT, tutar INTEGER); CREATE TABLE olay (key TEXT);"
            "CREATE TABLE ozet (saat TEXT, adet INTEGER, tutar INTEGER);"
            f"INSERT INTO siparis VALUES ('{WEEK}T00:00:00Z', 5), ('{WEEK}T23:59:59Z', 7), ('{_MONDAY}T00:00:00Z', 100)"
        )
        connection.close()


def _ledger_says(connection: sqlite3.Connection) -> tuple[str | None, bool]:
    known = connection.execute("SELECT 1 FROM sqlite_schema WHERE name = 'birkez_window'").fetchone()
    if known is None:
        return None, False
    row = connection.execute("SELECT state, end_s FROM birkez_window WHERE key = ?", (KEY,)).fetchone()
    if row is None:
        return None, False
    watermark = connection.execute("SELECT watermark_s FROM birkez_job WHERE job = 'is'").fetchone()[0]
    return row[0], watermark >= row[1]


def kill_at(shop: Shop, number: int, name: str) -> str:
    """Kill the runner as its *number*-th call of *name* begins, then run normally; returns what happened.

    Asserts the promise of DESIGN's table: exactly once where the effect has a database,
    and for a command never twice, with a decision asked for where nobody can know.
    """
    shop.reset()
    killed = shop.run("-e", f"inject={name}:signal=KILL:when={number}")
    after_kill = shop.see()
    again = shop.run()
    seen = shop.see()
    where = f"{name} #{number}: {after_kill} then {seen}, exit {again.returncode}\n{again.stderr}{shop.bugs()}"
    if shop.kind == "command":
        return _judge_command(after_kill, seen, again, where)
    assert after_kill.effects == (after_kill.state == "done") == after_kill.is_past, where
    assert again.returncode == 0, where
    assert seen == Seen(1, "done", is_past=True), where
    assert shop.totals() == [(f"{WEEK}T00:00:00", 2, 12)], where
    return "before" if after_kill.effects == 0 else "after" if killed.returncode else "ended"


def kill_trial_at(shop: Shop, number: int, name: str) -> str:
    """Kill a trial as its *number*-th call of *name* begins: nothing of it stands, and a run does all of the work."""
    shop.reset()
    shop.words = TRY
    killed = shop.run("-e", f"inject={name}:signal=KILL:when={number}")
    after_kill = shop.see()
    shop.words = RUN
    again = shop.run()
    seen = shop.see()
    where = f"{name} #{number}: {after_kill} then {seen}, exit {again.returncode}\n{again.stderr}{shop.bugs()}"
    assert after_kill == Seen(0, None, is_past=False), where
    assert (again.returncode, seen) == (0, Seen(1, "done", is_past=True)), where
    assert shop.totals() == [(f"{WEEK}T00:00:00", 2, 12)], where
    return "killed" if killed.returncode else "ended"


def fail_at(shop: Shop, number: int, name: str, error: str) -> str:
    """Let the *number*-th call of *name* fail with *error*, then run normally; returns what happened."""
    shop.reset()
    failed = shop.run("-e", f"inject={name}:error={error}:when={number}")
    after = shop.see()
    where = f"{name} #{number} {error}: exit {failed.returncode}, {after}\n{failed.stderr}{shop.bugs()}"
    has_not_begun = failed.returncode == 1 and after.state == "failed"  # a command whose gate would not open
    assert failed.returncode in (0, 4, 5) or has_not_begun, where
    assert "Traceback" not in failed.stderr, where
    if failed.returncode == 4:
        assert failed.stderr.strip(), where
    again = shop.run()
    seen = shop.see()
    where += f"then {seen}, exit {again.returncode}\n{again.stderr}"
    if shop.kind == "command":
        return _judge_command(after, seen, again, where)
    assert after.effects == (after.state == "done") == after.is_past, where
    assert after.effects == 1 or failed.returncode == 4, where
    assert (again.returncode, seen) == (0, Seen(1, "done", is_past=True)), where
    return f"exit {failed.returncode}"


def _judge_command(before: Seen, seen: Seen, again: subprocess.CompletedProcess[str], where: str) -> str:
    assert seen.effects <= 1, where
    if seen.state == "uncertain":
        assert again.returncode == 5, where
        assert "resolve" in where or before.state == "uncertain", where  # a failed run that still can asks itself
        return "uncertain, done" if seen.effects else "uncertain, not done"
    if seen.state == "started":  # the command outlives its runner: the next start waits for it
        assert again.returncode == 0, where
        return "still running"
    assert (again.returncode, seen) == (0, Seen(1, "done", is_past=True)), where
    return "before" if before.effects == 0 else "after"
