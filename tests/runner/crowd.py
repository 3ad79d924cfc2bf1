"""Eight starts of one job at the same moment, round after round, watched by two witnesses.

A marker that its maker alone can make (O_EXCL) sees two at work at once; a counter that is
read, slept on and written back loses a number when two were. Neither knows of the other.
"""

from __future__ import annotations

import subprocess
from collections import Counter
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path

from tests.runner.office import BARE, SUMMARY_SQL, Office
from trayapp import clock
from trayapp.log.job_log import LogLine, parse_line

EIGHT = 8
WITNESSED = """
if ( set -C; : > icerde ) 2>/dev/null; then
    n=$(cat sayac); sleep 0.01; echo $((n + 1)) > sayac; rm icerde
else
    echo "$BIRKEZ_KEY" >> ihlal
fi
echo "$BIRKEZ_KEY" >> gonderilen
"""


def begin_on_one_job(office: Office, rounds: int, kind: str = "command") -> str:
    """Write a job that has a closed window for each start to come, one a run; returns its id."""
    (office.folder / "sayac").write_text("0\n")
    window = _window(rounds * EIGHT, max_per_run=1)
    if kind == "command":
        return office.command_job("is", WITNESSED, window=window)
    office.open_shop()
    return office.sql_job("is", SUMMARY_SQL, window=window)


def storm(office: Office, rounds: int, between: Callable[[], None] = lambda: None) -> None:
    """Start eight at once, *rounds* times; each must end well. *between* is called while they run."""
    for _ in range(rounds):
        started = [_start(office, office.birkez.environment()) for _ in range(EIGHT)]
        between()
        for process in started:
            out, err = process.communicate(timeout=60)
            assert (process.returncode, out + err) == (0, ""), out + err


def assert_one_at_a_time(office: Office, rounds: int) -> int:
    """Hear both witnesses, the log, history and the ledger; returns how many windows were done."""
    assert not (office.folder / "ihlal").exists(), "the marker saw two at once"
    done = [line.fields["anahtar"] for line in office.log("is") if line.token == "ISLENDI"]
    counted = int((office.folder / "sayac").read_text())
    sent = (office.folder / "gonderilen").read_text().splitlines()
    assert counted == len(done), "the counter lost a number"
    assert sent == done
    assert len(set(done)) == len(done) >= rounds
    reasons = Counter(line.fields["sebep"] for line in office.log("is") if line.token == "ATLANDI")
    assert reasons["kilit"] == rounds * EIGHT - len(done)
    office.assert_each_fire_is_told("is", rounds * EIGHT)
    return len(done)


class Homes:
    """Eight Birkez homes with the same job on one database, as eight accounts would have it."""

    def __init__(self, office: Office, rounds: int, kind: str) -> None:
        self._office = office
        self._homes = [office.folder / f"hesap-{number}" for number in range(EIGHT)]
        self._kind = kind
        self.windows = rounds * 10
        office.open_shop()
        _fill(office, self.windows)
        effect = f'[ledger]\ndatabase = "{office.database}"'
        window = _window(self.windows, max_per_run=3)
        if kind == "command":
            office.command_job("is", 'echo "$BIRKEZ_KEY" >> gonderilen', effect=effect, window=window)
        else:
            office.sql_job("is", SUMMARY_SQL, window=window)
        text = Path(office.places.job_file("is")).read_text(encoding="utf-8")
        for home in self._homes:
            (home / "config" / "jobs").mkdir(parents=True)
            (home / "config" / "jobs" / "is.toml").write_text(text, encoding="utf-8")

    def storm(self, most: int) -> int:
        """Start one in each home at once until nothing waits; returns how many rounds that took."""
        for number in range(1, most + 1):
            started = [_start(self._office, {"BIRKEZ_HOME": str(home)}) for home in self._homes]
            for process in started:
                out, err = process.communicate(timeout=60)
                assert (process.returncode, out + err) == (0, ""), out + err
            settled = self._office.ask("SELECT count(*) FROM birkez_window WHERE state = 'done'")
            if settled == [(self.windows,)]:
                return number
        raise AssertionError(settled)

    def assert_each_once(self, rounds: int) -> Counter[str]:
        """Compare effects, ledger and the eight logs; returns the reasons of the skips."""
        rows = self._office.ask("SELECT state, count(*), count(DISTINCT key) FROM birkez_window GROUP BY state")
        assert rows == [("done", self.windows, self.windows)]
        lines = [line for home in self._homes for line in _lines(home)]
        done = [line.fields["anahtar"] for line in lines if line.token == "ISLENDI"]
        assert len(done) == len(set(done)) == self.windows
        if self._kind == "command":
            sent = (self._office.folder / "gonderilen").read_text().splitlines()
            assert sorted(sent) == sorted(done)
        else:
            assert self._office.ask("SELECT count(*), count(DISTINCT saat), sum(adet) FROM ozet") == [
                (self.windows,) * 3
            ]
            assert self._office.totals()
        assert len({line.fields["kosum"] for line in lines}) == rounds * EIGHT, "a start without a line"
        return Counter(line.fields["sebep"] for line in lines if line.token == "ATLANDI")


def _window(count: int, max_per_run: int) -> str:
    start = clock.format_instant(_first_monday(count))
    return f'step = "1w"\ntimezone = "UTC"\nstart = {start}\nmax_per_run = {max_per_run}'


def _first_monday(count: int) -> datetime:
    # By the real clock, since libfaketime would slow the starts down; in weeks, so that none
    # closes while a test runs.
    today = datetime.now(UTC).replace(hour=0, minute=0, second=0, microsecond=0)
    return today - timedelta(days=today.weekday(), weeks=count)


def _fill(office: Office, count: int) -> None:
    for number in range(count):
        office.sell((_first_monday(count) + timedelta(weeks=number, days=3)).isoformat()[:19], 1)


def _start(office: Office, home: dict[str, str]) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [*BARE, "run", "is", "--trigger", "schedule"],
        env={"PATH": "/usr/bin:/bin", "LC_ALL": "C", "BIRKEZ_HOME": home["BIRKEZ_HOME"]},
        cwd=office.folder,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        encoding="utf-8",
    )


def _lines(home: Path) -> list[LogLine]:
    text = (home / "state" / "logs" / "is.log").read_text(encoding="utf-8")
    lines = [parse_line(line) for line in text.splitlines()]
    assert None not in lines
    return [line for line in lines if line is not None]
