"""Debian's own crontab and cron: every adoptable line there and back, and an adopted line at work."""

from __future__ import annotations

import pytest

from tests.trigger.own_cron import inside

pytestmark = [pytest.mark.linux, pytest.mark.root]

EVERY_LINE = """
import json, subprocess, sys
from collections import Counter
from tests.adoption.conftest import CORPORA, adopt_entry, entries_of
from tests.trigger.own_cron import kept, TABLE
from trayapp.adoption.exchange import release
from trayapp.adoption.listing import read_own
from trayapp.places import find_places
from trayapp.trigger.crontab import Crontab

backend, places, fates, wrong = Crontab(find_places()), find_places(), Counter(), []
for name, path in CORPORA.items():
    table = path.read_bytes()
    lines = [entry for entry in entries_of(table) if entry.refusal is None]
    if not lines:
        continue
    if subprocess.run(["crontab", "-"], input=table, capture_output=True).returncode:
        fates["of a table that crontab refuses"] += len(lines)
        continue
    before, found = kept(), [entry for entry in read_own(backend) if entry.refusal is None]
    for entry in found if sys.argv[1] == "all" else [found[0], found[-1]]:
        job_id = adopt_entry(places, entry)
        if entry.name in [left.name for left in read_own(backend)] or not backend.is_taken(job_id, ""):
            wrong.append((name, entry.number, "not taken over"))
        release(places, backend, job_id)
        if kept() != before:
            wrong.append((name, entry.number, "not as it was"))
        fates["there and back"] += 1
print(json.dumps([fates, wrong]))
"""


# Tables that Debian's crontab refuses: an invalid line elsewhere in it (13, 29), no end of the last line (39, 49).
REFUSED = {"of a table that crontab refuses": 9}


@pytest.mark.timeout(90)
def test_lines_go_through_debians_crontab_and_back(tmp_path, birkez_home):  # every line in tests/full
    fates, wrong = inside(tmp_path, EVERY_LINE, "some", timeout=80)
    assert wrong == []
    assert fates == {"there and back": 34, **REFUSED}


# At 60 times the speed a minute is a second; the runner, whose environment cron makes anew, sees the real time. So
# the job begins a real minute earlier, and only its first start finds a closed period, or one more in a new minute.
ONE_LINE = r"""
import json, sys, time
from pathlib import Path
from datetime import timedelta
from tests.trigger.own_cron import kept, start_daemon, stop_daemon
from tests.trigger.test_command import places_in
from trayapp.adoption.exchange import Wish, adopt, plan, release
from trayapp.adoption.listing import read_own
from trayapp.clock import format_instant
from trayapp.errors import StateError
from trayapp.job.file import parse_job
from trayapp.trigger.crontab import Crontab
import subprocess

folder = Path(sys.argv[1])
places = places_in(folder / "Ayşe'nin %50 klasörü")
places.make_folders()
out = folder / "out put"
env = f"{folder}/env.$$"
line = f"* * * * * (env | sort; pwd) > {env}; mv {env} {folder}/env; echo \"$GREETING\" '10\\%' {{key}} >> '{out}'\n"
table = f"MAILTO=''\nGREETING=merhaba\nPATH=/opt/own:/usr/bin:/bin\n{line}GREETING=later\nLEAK=1\n".encode()
subprocess.run(["crontab", "-"], input=table, check=True)
backend, log = Crontab(places), Path(places.log_file("greet"))
daemon = start_daemon(60)


def said():
    return out.read_text(encoding="utf-8").splitlines() if out.exists() else []


def wait_for(done):
    deadline = time.monotonic() + 40
    while not done() and time.monotonic() < deadline:
        time.sleep(0.05)


def lines():
    return log.read_text(encoding="utf-8").splitlines() if log.exists() else []


def released():
    try:
        return release(places, backend, "greet").is_at_its_place
    except StateError:  # it is running: once a second
        return False


try:
    wait_for(lambda: len(said()) >= 1)
    (entry,) = read_own(backend)
    cron_env = (folder / "env").read_text(encoding="utf-8")
    job, text = plan(places, entry, Wish(repeatable=True, job_id="greet"))
    text = text.replace(format_instant(job.window.start), format_instant(job.window.start - timedelta(minutes=1)))
    adopt(places, backend, entry, parse_job(text, job.file, job.id), text)
    wait_for(lambda: sum("kapanmis" in line for line in lines()) > 2)
    job_lines = lines()
    job_env = (folder / "env").read_text(encoding="utf-8")
    wait_for(released)
    time.sleep(1.5)
    again = len(said())
    wait_for(lambda: len(said()) >= again + 2)
    print(json.dumps({
        "texts": sorted(set(said())), "job_lines": job_lines, "later": len(said()) - again,
        "same_table": kept() == table, "cron_env": cron_env.splitlines(), "job_env": job_env.splitlines(),
    }))
finally:
    stop_daemon(daemon)
"""


@pytest.mark.timeout(180)
def test_adopted_line_is_done_once_a_period_by_the_real_daemon_and_by_itself_again_when_released(tmp_path):
    found = inside(tmp_path, ONE_LINE, str(tmp_path), timeout=170)
    assert found["texts"] == ["merhaba 10% {key}"], "cron and job say the same"
    done = [line for line in found["job_lines"] if " ISLENDI " in line and "tetik=zamanli" in line]
    assert 1 <= len(done) <= 2, "once for each real minute, though cron starts it each second"
    assert any("kapanmis pencere yok" in line for line in found["job_lines"])
    assert found["later"] >= 2
    assert found["same_table"]
    cron, job = (
        {line for line in env if not line.startswith(("BIRKEZ_", "LC_CTYPE=", "_=", "SHLVL=", "FAKETIME", "LD_"))}
        for env in (found["cron_env"], found["job_env"])
    )
    assert job - cron == {"LEAK="}, "a variable from further down is empty"
    assert cron - job == set()
