"""SIGTERM, Ctrl-C and a hang-up, at each place where a run can be: taken back or recorded, and told."""

from __future__ import annotations

import os
import signal
import sqlite3
import time
from contextlib import closing
from pathlib import Path

import pytest

from tests.runner.hanging import HANGS, HEAD, process
from tests.runner.office import Office, wait_until
from trayapp.effect import sql
from trayapp.lock.holder import read_state
from trayapp.runner.record import Record

AT_12 = "2026-09-04T12:00:00Z"
ENDLESS = "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT max(x) FROM n"
SIGNALS = [signal.SIGTERM, signal.SIGINT, getattr(signal, "SIGHUP", 1)]  # Windows, which skips them all, has none
# The second window hangs; a file tells that it has begun.
AT_11_ONLY = "    if window.start.hour == 10:\n        return\n    open('basladi', 'w').close()\n"

pytestmark = [pytest.mark.linux, pytest.mark.timeout(40)]  # faketime


@pytest.fixture
def shop(office: Office):
    office.open_shop("2026-09-04T10", "2026-09-04T11")
    return office


def stop(office: Office, job: str, number: int, begun):
    """Start the job, send it a signal once *begun* is true, and look at what came of it."""
    runner = office.start(job, at=AT_12)
    wait_until(begun)
    sent_at = time.monotonic()
    runner.send_signal(number)
    ran = office.finish(runner, job)
    assert time.monotonic() - sent_at < 10
    assert read_state(office.places.lock_file(job)).state == "idle"
    return ran


def assert_stopped(ran, number: int, windows: int = 0) -> None:
    assert ran.status == 128 + number
    assert ran.said == [("ISLENDI", "")] * windows + [("HATA", "durduruldu")]
    assert ran.lines[-1].fields["sinyal"] == str(int(number))
    assert ran.row is not None
    assert (ran.row.outcome, ran.row.reason) == ("stopped", "durduruldu")


def assert_goes_on(office: Office, taken: int) -> None:
    """Nothing of the stopped window stands, no attempt is counted, and the next start does it."""
    assert [state for _, state, _ in office.states("satis") if state != "done"] == []
    office.sql_job("satis")
    assert len(office.run("satis", at=AT_12).windows) == taken


@pytest.mark.parametrize("number", SIGNALS)
def test_script_is_taken_back(shop: Office, number: int) -> None:
    # The first window ends, the second runs without end.
    script = f"INSERT INTO ozet SELECT :start, 1, 1 WHERE substr(:start, 12, 2) = '10' OR ({ENDLESS}) > 0;"
    shop.sql_job("satis", script)
    ran = stop(shop, "satis", number, lambda: len(shop.log("satis")) == 1)
    assert_stopped(ran, number, windows=1)
    assert len(shop.ask("SELECT * FROM ozet")) == 1
    assert ran.row is not None
    assert ran.row.waiting == 1
    assert_goes_on(shop, 1)


@pytest.mark.parametrize(
    ("hang", "number"),
    [*(("sleeps", number) for number in SIGNALS), ("loops", signal.SIGTERM), ("works in the database", signal.SIGTERM)],
)
def test_function_is_taken_back(shop: Office, number: int, hang: str) -> None:
    shop.python_job("satis", process(AT_11_ONLY + HANGS[hang]))
    ran = stop(shop, "satis", number, (shop.folder / "basladi").exists)
    assert_stopped(ran, number, windows=1)
    assert_goes_on(shop, 1)


@pytest.mark.parametrize("hang", ["swallows all and writes", "searches in C"])
def test_function_that_will_not_end_is_left_and_counts_as_stopped(shop: Office, hang: str) -> None:
    shop.python_job("satis", process(AT_11_ONLY + HANGS[hang]))
    ran = stop(shop, "satis", signal.SIGTERM, (shop.folder / "basladi").exists)
    assert_stopped(ran, signal.SIGTERM, windows=1)
    assert shop.ask("SELECT * FROM ozet") == []
    assert_goes_on(shop, 1)


def test_function_that_swallows_the_wish_and_returns_commits_nothing(shop: Office) -> None:
    code = process(
        "    tx.execute(\"INSERT INTO ozet VALUES ('yarim', 1, 1)\")\n    open('basladi', 'w').close()\n"
        "    try:\n        select.select([], [], [], 60)\n    except BaseException:\n        pass\n"
    )
    shop.python_job("satis", code)
    assert_stopped(stop(shop, "satis", signal.SIGTERM, (shop.folder / "basladi").exists), signal.SIGTERM)
    assert shop.ask("SELECT * FROM ozet") == []
    assert_goes_on(shop, 2)


@pytest.mark.parametrize("place", ["prepare", "load"])
def test_code_outside_the_transaction_is_stopped_too(shop: Office, place: str) -> None:
    hang = "open('basladi', 'w').close(); select.select([], [], [], 60)"
    if place == "prepare":
        code = f"{HEAD}def prepare(window):\n    {hang}\n\ndef process(window, tx, data):\n    pass\n"
    else:
        code = f"{HEAD}{hang}\ndef process(window, tx):\n    pass\n"
    shop.python_job("satis", code)
    assert_stopped(stop(shop, "satis", signal.SIGTERM, (shop.folder / "basladi").exists), signal.SIGTERM)
    assert_goes_on(shop, 2)


@pytest.mark.parametrize(("journal", "number"), [("wal", signal.SIGTERM), ("delete", signal.SIGINT)])
def test_wait_for_a_busy_database_is_ended(office: Office, number: int, journal: str) -> None:
    office.open_shop("2026-09-04T10", "2026-09-04T11", journal=journal)
    office.sql_job("satis")
    with closing(sqlite3.connect(office.database, isolation_level=None)) as other:
        other.execute("BEGIN EXCLUSIVE" if journal == "delete" else "BEGIN IMMEDIATE")
        began = time.monotonic()

        def waits() -> bool:  # signals are heard from the first wait on
            holder = read_state(office.places.lock_file("satis")).holder
            return holder is not None and time.monotonic() > began + 1.5

        ran = stop(office, "satis", number, waits)
        other.execute("ROLLBACK")
    assert_stopped(ran, number)
    assert_goes_on(office, 2)


@pytest.mark.parametrize(
    ("number", "effect"), [*((number, "") for number in SIGNALS), (signal.SIGTERM, "repeatable = true")]
)
def test_command_gets_the_signal_and_its_state_is_recorded(office: Office, number: int, effect: str) -> None:
    shell = "trap 'echo biraktim >> gonderilen; exit 1' TERM INT HUP; echo 1 >> gonderilen; touch basladi; "
    office.command_job("posta", shell + "while true; do sleep 0.05; done", effect=effect)
    ran = stop(office, "posta", number, (office.folder / "basladi").exists)
    assert (office.folder / "gonderilen").read_text().split() == ["1", "biraktim"]
    state = "failed" if effect else "uncertain"
    assert office.states("posta") == [("10:00", state, 1)]
    assert ran.said == [("HATA" if effect else "BELIRSIZ", "command-stopped")]
    assert ran.status == 128 + number
    assert ran.row is not None
    assert ran.row.outcome == state


def test_command_that_ends_with_zero_when_told_to_stop_is_uncertain(office: Office) -> None:
    # Many programs end with 0 when they are told to stop, whatever they have left undone.
    office.command_job("posta", "trap 'exit 0' TERM; touch basladi; while true; do sleep 0.05; done")
    ran = stop(office, "posta", signal.SIGTERM, (office.folder / "basladi").exists)
    assert (ran.status, ran.said) == (143, [("BELIRSIZ", "command-stopped")])
    assert "resolve posta" in ran.printed


def test_signal_during_a_command_keeps_later_windows_from_beginning(office: Office) -> None:
    office.command_job("posta", 'echo "$BIRKEZ_KEY" >> gonderilen; sleep 0.3', effect="repeatable = true")
    sent = Path(office.folder, "gonderilen")
    ran = stop(office, "posta", signal.SIGTERM, lambda: sent.exists() and len(sent.read_text().splitlines()) == 2)
    assert ran.status == 143
    assert len(sent.read_text().splitlines()) == 2


def test_signal_at_any_moment_leaves_no_window_half_done(shop: Office) -> None:
    shop.sql_job("satis")
    for pause_s in (0.0, 0.02, 0.05, 0.08, 0.1, 0.15):
        runner = shop.start("satis", at=AT_12)
        time.sleep(pause_s)
        runner.terminate()
        runner.communicate()
        assert runner.returncode in (0, 143, -signal.SIGTERM)
    shop.run("satis", at=AT_12)
    assert shop.totals() == [("10:00", 12), ("11:00", 12)]


def kill_self() -> None:
    os.kill(os.getpid(), signal.SIGTERM)


def test_signal_between_two_windows_keeps_the_next_from_beginning(
    office: Office, monkeypatch: pytest.MonkeyPatch
) -> None:
    office.command_job("posta", 'echo "$BIRKEZ_KEY" >> gonderilen')
    done = Record.done
    monkeypatch.setattr(Record, "done", lambda *facts: (done(*facts), kill_self()))
    answer, ran = office.run_here("posta", AT_12)
    assert answer.exit_status == 143
    assert answer.waiting == 1
    assert_stopped(ran, signal.SIGTERM, windows=1)
    assert len((office.folder / "gonderilen").read_text().splitlines()) == 1


def test_signal_after_the_last_statement_still_takes_the_window_back(
    shop: Office, monkeypatch: pytest.MonkeyPatch
) -> None:
    shop.sql_job("satis")
    perform = sql.perform_sql

    def perform_and_kill(*words):
        counts = perform(*words)
        kill_self()
        return counts

    monkeypatch.setattr(sql, "perform_sql", perform_and_kill)
    _, ran = shop.run_here("satis", AT_12)
    assert_stopped(ran, signal.SIGTERM)
    assert shop.totals() == []


def test_hang_up_that_is_ignored_stays_ignored(shop: Office) -> None:
    """`nohup birkez run`: the terminal goes, the work goes on."""
    shop.python_job("is", "import os, signal\ndef process(window, tx): os.kill(os.getpid(), signal.SIGHUP)")
    previous = signal.signal(signal.SIGHUP, signal.SIG_IGN)  # inherited by the runner
    try:
        ran = shop.run("is", at=AT_12)
    finally:
        signal.signal(signal.SIGHUP, previous)
    assert (ran.status, [token for token, _ in ran.said]) == (0, ["ISLENDI", "ISLENDI"])
