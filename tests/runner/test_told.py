"""A start that leaves no trace is worse than one that fails: what stops the records is told."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.runner.office import Office

NOON = "2026-09-04T12:05:00Z"


@pytest.fixture
def shop(office: Office) -> Office:
    office.open_shop()
    return office


def test_log_that_cannot_be_written_is_told_and_stops_nothing(shop: Office) -> None:
    shop.sql_job("is")
    Path(shop.places.log_file("is")).mkdir()
    done = shop.birkez("run", "is", faketime=NOON)
    assert done.returncode == 0
    assert "is.log" in done.stderr
    scheduled = shop.birkez("run", "is", "--trigger", "schedule", faketime=NOON)
    assert scheduled.returncode == 0
    assert "is.log" in scheduled.stderr
    assert "doctor" not in shop.birkez("doctor").stderr
    assert "is.log" in shop.birkez("doctor").stdout
    assert len(shop.ask("SELECT 1 FROM ozet")) == 2


def test_run_that_was_cut_off_gets_its_line_from_the_next(shop: Office) -> None:
    shop.python_job("is", "import os, signal\ndef process(window, tx): os.kill(os.getpid(), signal.SIGKILL)")
    shop.birkez("run", "is", "--trigger", "schedule", faketime=NOON)
    cut_off = shop.history("is")[0].run
    shop.python_job("is", "def process(window, tx): pass")
    shop.birkez("run", "is", "--trigger", "schedule", faketime=NOON)
    told = [line for line in shop.log("is") if line.fields.get("kesilen") == cut_off]
    assert [(line.token, line.fields["sebep"]) for line in told] == [("HATA", "yarida kesildi")]


def test_failure_by_hand_does_not_silence_the_schedulers_first(shop: Office) -> None:
    shop.sql_job("is", "INSERT INTO yok VALUES (1);")
    assert shop.birkez("run", "is", faketime=NOON).returncode == 1
    first = shop.birkez("run", "is", "--trigger", "schedule", faketime=NOON)
    second = shop.birkez("run", "is", "--trigger", "schedule", faketime=NOON)
    assert (first.returncode, second.returncode) == (1, 1)
    assert first.stderr.count("\n") == 1
    assert second.stderr == ""


def test_failure_of_another_window_is_a_first_failure_again(shop: Office) -> None:
    shop.sql_job("is", "INSERT INTO yok VALUES (1);")
    shop.birkez("run", "is", "--trigger", "schedule", faketime=NOON)
    shop.sql_job("is", "INSERT INTO yok SELECT 1 WHERE :start > '2026-09-04T10:30';")
    shop.change("CREATE TABLE yok (x CHECK (x <> 1))")
    again = shop.birkez("run", "is", "--trigger", "schedule", faketime=NOON)
    assert again.returncode == 1
    assert again.stderr.count("\n") == 1, "the first window went through; this is another one's first failure"
