"""How a job comes to run twice: each cause on the design's first page, but two servers, and what stops it."""

from __future__ import annotations

import shlex
import subprocess
from collections import Counter
from datetime import UTC, datetime
from zoneinfo import ZoneInfo

import pytest

from tests.runner.office import BARE, SUMMARY_PY, Office, hasty_clock, utc, wait_until
from trayapp import clock

BERLIN = ("env", "TZ=Europe/Berlin")
HOURS = [f"2026-09-04T{hour:02}" for hour in range(10, 16)]

pytestmark = [pytest.mark.linux, pytest.mark.timeout(60)]  # faketime; many processes


def test_overlap(office: Office) -> None:
    # The hourly job takes 70 minutes: at 12:00 the run of 11:00 is still at work.
    office.open_shop(*HOURS)
    office.python_job("saatlik", _waiting_for("devam"))
    long_run = office.start("saatlik", at="2026-09-04T11:00:00Z")
    wait_until((office.folder / "bekliyor").exists)

    overlapping = office.run("saatlik", at="2026-09-04T12:00:00Z")
    assert overlapping.said == [("ATLANDI", "kilit")]
    assert overlapping.lines[0].fields["pid"] == str(long_run.pid)
    assert office.totals() == []

    (office.folder / "devam").touch()
    assert office.finish(long_run, "saatlik").windows == ["2026-09-04T10:00:00Z"]
    assert office.run("saatlik", at="2026-09-04T13:00:00Z").windows == ["2026-09-04T11:00:00Z", "2026-09-04T12:00:00Z"]
    assert office.totals() == [("10:00", 12), ("11:00", 12), ("12:00", 12)]
    office.assert_each_fire_is_told("saatlik", 3)


def test_lock_does_not_grow_old(office: Office) -> None:
    # P41: a run that has been at work for days by the clock keeps its lock, against the scheduler and a person.
    office.open_shop(*HOURS)
    office.python_job("saatlik", _waiting_for("devam"), window="max_per_run = 1")
    long_run = office.start("saatlik", at="2026-09-04T11:00:00Z", prefix=hasty_clock(100_000))
    wait_until(lambda: _clock_of(office) > utc("2026-09-06T11:00:00Z"))
    for at, trigger in (
        ("2026-09-04T11:05:00Z", "manual"),
        ("2026-09-04T19:00:00Z", "manual"),
        ("2026-09-09T12:00:00Z", "schedule"),
        ("2027-09-01T12:00:00Z", "schedule"),
    ):
        assert office.run("saatlik", trigger=trigger, at=at).said == [("ATLANDI", "kilit")]
    (office.folder / "devam").touch()
    ran = office.finish(long_run, "saatlik")
    assert ran.windows == ["2026-09-04T10:00:00Z"]
    assert ran.lines[0].at > utc("2026-09-06T11:00:00Z")
    assert office.watermark("saatlik") == "2026-09-04T11:00:00Z", "as if nobody had pressed anything"
    assert office.totals() == [("10:00", 12)]


def test_catch_up(office: Office) -> None:
    # The machine was off from 10:30 on; at 15:05 the scheduler fires all that it missed, and the start at boot.
    office.open_shop(*HOURS)
    office.sql_job("saatlik")
    triggers = ["boot", *["schedule"] * 5]
    started = [office.start("saatlik", trigger=trigger, at="2026-09-04T15:05:00Z") for trigger in triggers]
    for process in started:
        assert office.finish(process, "saatlik").status == 0
    assert office.totals() == [(f"{hour}:00", 12) for hour in range(10, 15)]
    done = [line.fields["anahtar"] for line in office.log("saatlik") if line.token == "ISLENDI"]
    assert done == [f"saatlik:2026-09-04T{hour}:00:00+00:00" for hour in range(10, 15)]
    office.assert_each_fire_is_told("saatlik", 6)


def test_by_hand(office: Office) -> None:
    # "I think something went wrong": started again while it works, after it, and for one window.
    office.open_shop(*HOURS)
    office.python_job("saatlik", _waiting_for("devam"))
    first = office.start("saatlik", at="2026-09-04T12:00:00Z")
    wait_until((office.folder / "bekliyor").exists)
    for words in ((), ("--window", "2026-09-04T10:00:00Z"), ("--max-windows", "1")):
        again = office.run("saatlik", *words, trigger="manual", at="2026-09-04T12:00:30Z")
        assert again.said == [("ATLANDI", "kilit")]
    (office.folder / "devam").touch()
    office.finish(first, "saatlik")

    again = office.run("saatlik", trigger="manual", at="2026-09-04T12:01:00Z")
    assert again.said == [("ATLANDI", "kapanmis pencere yok")]
    for hour in ("10", "11"):
        asked = office.run(
            "saatlik", "--window", f"2026-09-04T{hour}:00:00Z", trigger="manual", at="2026-09-04T12:02:00Z"
        )
        assert asked.said == [("ATLANDI", "anahtar mevcut")]
    assert office.totals() == [("10:00", 12), ("11:00", 12)]
    office.assert_each_fire_is_told("saatlik", 7)


def test_retry_wrapper_after_a_failure_at_the_exit(office: Office) -> None:
    # The work is done and recorded; then the process itself ends badly, and the wrapper starts it again at once.
    office.open_shop(*HOURS)
    code = "import atexit, os\natexit.register(os._exit, 9)\n" + SUMMARY_PY
    office.python_job("saatlik", code)
    status = _run_in_wrapper(office, "saatlik", at="2026-09-04T11:00:00Z")
    assert status == 0, "the second start had nothing to do"
    assert office.totals() == [("10:00", 12)]
    assert [line.fields.get("sebep", line.token) for line in office.log("saatlik")] == [
        "ISLENDI",
        "kapanmis pencere yok",
    ]


def test_retry_wrapper_after_a_failure_behind_the_work(office: Office) -> None:
    # The function has written all its rows and fails before it returns: they are taken back, and done once more.
    office.open_shop(*HOURS)
    code = SUMMARY_PY + "    import os\n    if not os.path.exists('bir'):\n        open('bir', 'w')\n        1 / 0\n"
    office.python_job("saatlik", code)
    assert _run_in_wrapper(office, "saatlik", at="2026-09-04T11:00:00Z") == 0
    assert office.totals() == [("10:00", 12)]
    lines = office.log("saatlik")
    assert [line.token for line in lines] == ["HATA", "ISLENDI"]
    assert lines[0].fields["anahtar"] == lines[1].fields["anahtar"]
    assert (lines[1].fields["kayit"], lines[1].fields["tekrar"]) == ("2", "0"), "record keys were taken back too"


def test_retry_wrapper_around_a_command(office: Office) -> None:
    # All mails are sent, then the program fails at its exit: nobody knows, so nothing is sent twice.
    office.command_job("posta", 'echo "$BIRKEZ_KEY" >> gonderilen; exit 1')
    assert _run_in_wrapper(office, "posta", at="2026-09-04T12:00:00Z") == 5
    assert (office.folder / "gonderilen").read_text().splitlines() == ["posta:2026-09-04T10:00:00+00:00"]
    assert [line.token for line in office.log("posta")] == ["BELIRSIZ", "ATLANDI"]


def test_clock_change(office: Office) -> None:
    # Berlin, the night of 25 October 2026: 02:00 to 03:00 comes twice, and the scheduler fires at 02:30 twice.
    first, end = clock.to_epoch(utc("2026-10-24T22:00:00Z")), clock.to_epoch(utc("2026-10-25T23:00:00Z"))
    hours = [clock.from_epoch(at) for at in range(first, end, 3600)]
    office.open_shop(*(f"{hour:%Y-%m-%dT%H}" for hour in hours))
    office.sql_job("saatlik", window="start = 2026-10-24T22:00:00Z\nmax_per_run = 100")
    fires = [clock.from_epoch(first + minutes * 60) for minutes in (90, 150, 210, 270, 330, 25 * 60)]
    local = [at.astimezone(ZoneInfo("Europe/Berlin")).strftime("%H:%M") for at in fires]
    assert local == ["01:30", "02:30", "02:30", "03:30", "04:30", "00:00"]
    taken = []
    for at in fires:
        ran = office.run("saatlik", at=clock.format_instant(at), prefix=BERLIN)
        taken.append(len(ran.windows))
    assert taken == [1, 1, 1, 1, 1, 20]
    assert len(office.totals()) == len(hours) == 25
    assert {amount for _, amount in office.totals()} == {12}
    keys = Counter(line.fields["anahtar"] for line in office.log("saatlik"))
    assert len(keys) == 25
    assert set(keys.values()) == {1}


def test_clock_change_in_quarters_of_an_hour(office: Office) -> None:
    office.open_shop()
    office.sql_job("ceyrek", window='step = "15m"\nstart = 2026-10-24T22:00:00Z\nmax_per_run = 1000')
    ran = office.run("ceyrek", at="2026-10-25T23:00:00Z", prefix=BERLIN)
    assert len(set(ran.windows)) == len(ran.windows) == 100
    assert ran.windows == sorted(ran.windows)


def _waiting_for(name: str) -> str:
    """Summary that waits for the file *name*; until then its clock stands in the file `bekliyor`."""
    waiting = f"""    while not os.path.exists('{name}'):
        with open('bekliyor.part', 'w') as clock:
            clock.write(str(time.time()))
        os.replace('bekliyor.part', 'bekliyor')
        select.select([], [], [], 0.01)
"""
    head = "def process(window, tx):\n"
    return SUMMARY_PY.replace(head, f"import os, select, time\n{head}{waiting}")


def _clock_of(office: Office) -> datetime:
    told = office.folder / "bekliyor"
    return datetime.fromtimestamp(float(told.read_text()) if told.exists() else 0, UTC)


def _run_in_wrapper(office: Office, job_id: str, *, at: str) -> int:
    """Start the job as a script that people put around jobs does: once more when it failed."""
    start = shlex.join([*BARE, "run", job_id, "--trigger", "schedule"])
    ended = subprocess.run(
        ["sh", "-c", f"{start} || {start}"],
        env=office.birkez.environment(faketime=at),
        cwd=office.folder,
        capture_output=True,
        check=False,
        timeout=60,
    )
    assert b"Traceback" not in ended.stderr
    office.assert_each_fire_is_told(job_id, 2)
    return ended.returncode
