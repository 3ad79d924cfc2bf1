"""Debian's cron daemon itself: it fires what was registered, stops when it is removed, and keeps time as we say."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from tests.conftest import CHECKOUT
from tests.trigger.own_cron import inside
from trayapp.job.schedule import Cron, Daily, Every, Weekly

pytestmark = [pytest.mark.linux, pytest.mark.root, pytest.mark.timeout(60)]

# A job of every minute whose windows wait; at 60 times the speed a minute is a second. The runner itself, whose
# environment cron makes anew, sees the real time.
ONE_JOB = """
import json, sys, time
from pathlib import Path
from tests.trigger.own_cron import start_daemon, stop_daemon
from tests.trigger.test_command import count_of, make_job, places_in
from trayapp.job.file import parse_job
from trayapp.trigger.crontab import Crontab

folder = Path(sys.argv[1])
places = places_in(folder / "Ayşe'nin %50 klasörü")
database = make_job(places, folder, schedule="every = '1m'")
text = Path(places.job_file("sales")).read_text(encoding="utf-8")
backend, log = Crontab(places), Path(places.log_file("sales"))
before = [found.code for found in backend.obstacles()]
daemon = start_daemon(60)


def done():
    lines = log.read_text(encoding="utf-8").splitlines() if log.exists() else []
    return [line for line in lines if " ISLENDI " in line and "tetik=zamanli" in line]


def wait_for(count):
    deadline = time.monotonic() + 20
    while len(done()) < count and time.monotonic() < deadline:
        time.sleep(0.05)


try:
    backend.install([parse_job(text, places.job_file("sales"), "sales")])
    wait_for(2)
    running = [found.code for found in backend.obstacles()]
    backend.remove(["sales"])
    time.sleep(1.5)  # what was fired just before may still be starting
    fired = len(done())
    time.sleep(3.5)
    answer = {"before": before, "running": running, "fired": fired, "later": len(done()), "took": count_of(database)}
    print(json.dumps(answer))
finally:
    stop_daemon(daemon)
"""


def test_registered_job_is_done_each_minute_until_it_is_removed(tmp_path):
    found = inside(tmp_path, ONE_JOB, str(tmp_path))
    assert "crontab-no-daemon" not in found["running"]
    assert found["fired"] >= 2
    assert found["later"] == found["fired"] == found["took"]


# Each line leaves its number when it fires, and one that fires behind all others an end.
CHANGE = """
import json, subprocess, sys, time
from collections import Counter
from pathlib import Path
from tests.trigger.own_cron import start_daemon, stop_daemon
from tests.trigger.test_cron_daemon import RATE, SCHEDULES
from trayapp.trigger.crontab_times import crontab_times

folder, at, last = Path(sys.argv[1]), sys.argv[2], sys.argv[3]
fired, deadline = folder / "fired", time.monotonic() + 50
table = [f"{times} echo {number} >> {fired}" for number, s in enumerate(SCHEDULES) for times in crontab_times(s)]
table.append(f"{last} echo end >> {fired}\\n")
subprocess.run(["crontab", "-"], input="\\n".join(table), text=True, check=True)
daemon = start_daemon(RATE, at)
try:
    while "end" not in (fired.read_text() if fired.exists() else "") and time.monotonic() < deadline:
        time.sleep(0.1)
    print(json.dumps(Counter(fired.read_text().split())))
finally:
    stop_daemon(daemon)
"""

RATE = 400  # a minute in 150 ms
WITNESS = Every(1)  # misses minutes where this machine was too busy for cron, which then counts as a clock change
SCHEDULES = (
    WITNESS,
    Every(30, 5),
    Every(60, 20),
    Every(120, 20),
    Every(30, 10, (), (2, 4)),
    Daily((150,)),
    Weekly((6,), (155, 185)),
    Cron("*/30 2 * * *"),
    Cron("0,45 * * * *"),
)
CHANGES = {
    # 2026-03-29 in Berlin: 02:00 to 03:00 is left out
    "spring": ("2026-03-29T00:55", "2026-03-29T01:50", "50 3 * * *"),
    # 2026-10-25: 02:00 to 03:00 comes twice
    "autumn": ("2026-10-24T23:58", "2026-10-25T02:12", "12 3 * * *"),
}


@pytest.mark.timeout(180)
def test_daemon_goes_through_clock_changes_as_the_schedules_say(tmp_path):
    with ThreadPoolExecutor() as pool:
        results = list(pool.map(lambda season: _compare(tmp_path, season), CHANGES))
    for found, expected in results:
        assert found == expected


def _compare(folder: Path, season: str) -> tuple[dict[str, int], dict[str, int]]:
    """Numbers of fires of the real daemon through one change, and those of our schedules."""
    start, end, last = CHANGES[season]
    code = f"""
import json
from datetime import datetime
from tests.trigger.test_cron_daemon import SCHEDULES
from trayapp.job.schedule import fires_between
first, final = (datetime.fromisoformat(at) for at in ("{start}+00:00", "{end}+00:00"))
counts = [len(list(fires_between(schedule, first, final))) for schedule in SCHEDULES]
print(json.dumps([first.astimezone().strftime("%Y-%m-%d %H:%M:%S"), counts]))
"""
    # A process of its own for each: a process has one zone.
    local, counts = json.loads(
        subprocess.run(
            [sys.executable, "-c", code],
            env={**os.environ, "TZ": "Europe/Berlin", "PYTHONPATH": str(CHECKOUT)},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
    )
    if season == "spring":
        counts[4] += 1  # 02:10 and 02:40 were left out: one moment to us, and two starts to cron
    expected = {str(number): count for number, count in enumerate(counts) if count}
    for attempt in range(3):
        place = folder / f"{season}-{attempt}"
        place.mkdir()
        found = inside(place, CHANGE, str(place), local, last, zone="Europe/Berlin")
        assert found.pop("end")
        if found["0"] == expected["0"]:
            break
    return found, expected
