from __future__ import annotations

import json
import os
import sys

import pytest

from tests.cli.conftest import DAYS, TURKISH, iso, key, midnight, on_a_terminal
from trayapp.ledger.sqlite import open_sqlite_ledger

# Fails on the first day until a file says that the other side was mended.
COMMAND = "import os, sys; open('ran', 'a').write(os.environ['BIRKEZ_KEY'] + '\\n'); sys.exit(not os.path.exists('ok'))"


@pytest.fixture
def mail_key(birkez, desk) -> str:
    """A command job whose first day is uncertain; returns that day's key."""
    desk.add("mail", desk.command_file(json.dumps([sys.executable, "-c", COMMAND])))
    assert birkez("run", "mail").returncode == 5
    return key("mail", midnight(DAYS))


def ran(desk) -> list[str]:
    return (desk.folder / "ran").read_text(encoding="utf-8").split()


def test_resolved_as_done_is_not_run_again(birkez, desk, mail_key):
    (desk.folder / "ok").touch()
    told = birkez("resolve", "mail", mail_key, "--done", "--reason", "50 of 50 arrived")
    assert told.returncode == 0, told.stderr
    assert birkez("run", "mail").returncode == 0
    assert ran(desk) == [key("mail", midnight(days)) for days in (3, 2, 1)]
    assert "50 of 50 arrived" in birkez("log", "mail").stdout


def test_resolved_as_not_done_runs_again_with_the_same_key(birkez, desk, mail_key):
    (desk.folder / "ok").touch()
    told = birkez("resolve", "mail", mail_key, "--again", "--reason", "none arrived", env=TURKISH)
    assert told.returncode == 0, told.stderr
    birkez("run", "mail")
    assert ran(desk) == [mail_key, mail_key, *(key("mail", midnight(days)) for days in (2, 1))]


@pytest.mark.parametrize(
    "words",
    [
        ["resolve", "mail", "mail:x", "--done"],
        ["resolve", "mail", "mail:x", "--reason", "r"],
        ["resolve", "mail", "mail:x", "--done", "--again", "--reason", "r"],
        ["resolve", "mail", "mail:x", "--done", "--reason", "  "],
    ],
)
def test_decision_needs_one_answer_and_a_reason(birkez, words):
    assert birkez(*words).returncode == 2


def test_nothing_to_decide_is_told(birkez, desk):
    desk.add_sql()
    birkez("run", "sales")
    for asked in (key("sales", midnight(1)), iso(midnight(1))):
        told = birkez("resolve", "sales", asked, "--done", "--reason", "r")
        assert told.returncode == 2
        assert "waits for a decision" in told.stderr
    settled = birkez("skip", "sales", iso(midnight(1)), "--reason", "r")
    assert (settled.returncode, "settled already" in settled.stderr) == (2, True)
    unknown = birkez("reopen", "sales", "sales:x", "--reason", "r", "--yes")
    assert (unknown.returncode, "no finished period" in unknown.stderr) == (2, True)
    for words in (["resolve", "sales", "x", "--done"], ["skip", "sales", "x"], ["reopen", "sales", "x", "--yes"]):
        told = birkez(*words, "--reason", "r")
        assert (told.returncode, "“x” names no period" in told.stderr) == (2, True)


def test_period_is_named_by_its_beginning_or_its_key(birkez, desk, mail_key):
    told = birkez("resolve", "mail", mail_key.removeprefix("mail:"), "--again", "--reason", "none arrived")
    assert told.returncode == 0, told.stderr
    told = birkez("skip", "mail", mail_key, "--reason", "no mail that day")
    assert told.returncode == 0, told.stderr
    told = birkez("reopen", "mail", mail_key.removeprefix("mail:"), "--reason", "after all", "--yes")
    assert told.returncode == 0, told.stderr
    birkez("run", "mail")
    assert ran(desk)[-1] == mail_key + "#2"
    told = birkez("resolve", "mail", mail_key.removeprefix("mail:"), "--done", "--reason", "it went")
    assert (told.returncode, mail_key + "#2" in told.stdout) == (0, True), told.stderr


def test_decision_about_a_running_job_is_refused(birkez, desk, mail_key):
    with desk.hold("mail"):
        told = birkez("resolve", "mail", mail_key, "--done", "--reason", "r")
    assert told.returncode == 4
    assert str(os.getpid()) in told.stderr


def test_skipped_window_lets_the_others_go_on(birkez, desk):
    desk.add_sql(script=f"INSERT INTO took VALUES (:start, iif(:start >= '{midnight(2):%Y-%m-%d}', 1, abs('x', 2)));")
    assert birkez("run", "sales").returncode == 1
    told = birkez("skip", "sales", iso(midnight(DAYS)), "--reason", "no data that day", env=TURKISH)
    assert told.returncode == 0, told.stderr
    (desk.folder / "sum.sql").write_text("INSERT INTO took VALUES (:start, 1);", encoding="utf-8")
    assert birkez("run", "sales").returncode == 0
    assert desk.took() == [f"{midnight(days):%Y-%m-%dT00:00:00}" for days in (2, 1)]


def test_reopening_is_refused_where_nobody_can_be_asked(birkez, desk):
    desk.add_sql()
    birkez("run", "sales")
    told = birkez("reopen", "sales", key("sales", midnight(1)), "--reason", "late record")
    assert told.returncode == 2
    assert "--yes" in told.stderr
    assert "0 record keys" in told.stderr
    birkez("run", "sales")
    assert len(desk.took()) == DAYS


def test_reopened_window_is_done_once_more_under_a_new_key(birkez, desk):
    desk.add_sql()
    birkez("run", "sales")
    told = birkez("reopen", "sales", key("sales", midnight(1)), "--reason", "late record", "--yes", env=TURKISH)
    assert told.returncode == 0, told.stderr
    birkez("run", "sales")
    assert len(desk.took()) == DAYS + 1
    assert key("sales", midnight(1)) + "#2" in birkez("log", "sales").stdout


@pytest.mark.posix
@pytest.mark.parametrize(("answer", "status"), [("y", 0), ("n", 2), ("", 2)])
def test_reopening_asks_on_a_terminal(birkez, desk, answer, status):
    desk.add_sql()
    birkez("run", "sales")
    said, returncode = on_a_terminal(birkez, answer, "reopen", "sales", key("sales", midnight(1)), "--reason", "late")
    assert returncode == status, said
    assert "done once more as a whole" in said


def test_watermark_moves_back_and_repeats_nothing(birkez, desk):
    desk.add_sql()
    birkez("run", "sales")
    told = birkez("watermark", "sales", "--set", iso(midnight(2)), "--reason", "look again")
    assert told.returncode == 0, told.stderr
    assert "2 periods" in told.stdout
    birkez("run", "sales")
    assert len(desk.took()) == DAYS


def test_watermark_set_back_leaves_nothing_to_do_since_the_last_settled_period(birkez, ask_json, desk):
    desk.add_sql()
    birkez("run", "sales")
    birkez("watermark", "sales", "--set", iso(midnight(2)), "--reason", "look again")
    for words in (["run", "sales", "--dry-run"], ["run", "sales"]):
        assert "Nothing has closed since 00:00;" in birkez(*words).stdout


def test_watermark_that_jumps_over_what_is_settled_says_why(birkez, desk):
    desk.add_sql()
    birkez("run", "sales")
    birkez("watermark", "sales", "--set", iso(midnight(DAYS)), "--reason", "look again")
    told = birkez("watermark", "sales", "--set", iso(midnight(2)), "--reason", "no")
    assert "is settled already, so it counts too" in told.stdout
    plain = birkez("watermark", "sales", "--set", iso(midnight(1)), "--reason", "back")
    assert "counts too" not in plain.stdout


def test_watermark_moves_forward_and_leaves_out(birkez, desk):
    desk.add_sql()
    assert birkez("watermark", "sales", "--set", iso(midnight(1)), "--reason", "old", env=TURKISH).returncode == 0
    birkez("run", "sales")
    assert len(desk.took()) == 1


def test_watermark_of_the_future_is_refused(birkez, desk):
    desk.add_sql()
    assert birkez("watermark", "sales", "--set", "2099-01-01T00:00:00Z", "--reason", "r").returncode == 2


def test_restored_ledger_stops_the_job_until_a_person_accepts_it(birkez, desk):
    desk.add_sql()
    birkez("run", "sales", "--max-windows", "1")
    older = desk.database.read_bytes()
    birkez("run", "sales")
    for name in ("sales.db-wal", "sales.db-shm"):
        (desk.folder / name).unlink(missing_ok=True)
    desk.database.write_bytes(older)
    stopped = birkez("run", "sales")
    assert stopped.returncode == 4
    assert "birkez ledger accept sales" in stopped.stdout
    assert birkez("ledger", "accept", "sales", "--reason", "restored", env=TURKISH).returncode == 0
    assert birkez("run", "sales").returncode == 0
    assert len(desk.took()) == DAYS
    ledger = open_sqlite_ledger(str(desk.database))
    assert ledger.standing("sales", midnight(DAYS)).watermark == midnight()
    ledger.close()
