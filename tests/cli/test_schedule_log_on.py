"""`birkez schedule install --while`, in this process, on a `schtasks` of its own."""

from __future__ import annotations

import pytest

from tests.trigger.test_schtasks import FAKE, USER, Store, log_on
from trayapp import exit_code
from trayapp.cli.main import main
from trayapp.trigger.here import backend_named
from trayapp.trigger.schtasks import Schtasks

pytestmark = pytest.mark.posix


@pytest.fixture
def store(tmp_path_factory, monkeypatch) -> Store:
    return Store(tmp_path_factory.mktemp("tasks"), monkeypatch)


@pytest.fixture
def say(birkez_home, store, monkeypatch, capfd, desk):
    """A function that gives a command, with the status that it shall end with, and returns all that was said."""
    for module in ("schedule_commands", "registering"):
        monkeypatch.setattr(f"trayapp.cli.{module}.backend_here", lambda places: Schtasks(places, FAKE, USER))
    desk.make_database()

    def give(*words: object, status: int = exit_code.DONE) -> str:
        capfd.readouterr()
        assert main([str(word) for word in words]) == status
        return "".join(capfd.readouterr())

    return give


def test_new_job_says_that_it_needs_a_log_on_and_how_it_does_without(say, store, desk):
    assert "birkez schedule install satis --while always" in say("job", "add", desk.sql_file(), "--id", "satis")
    assert log_on(store) == "InteractiveToken"
    assert "no network drives" in say("schedule", "install", "satis", "--while", "always")
    assert log_on(store) == "S4U"
    assert "while nobody is logged on, too" in say("schedule", "show", "satis")
    say("schedule", "install", "--all")  # an ordinary one takes it from nobody
    assert log_on(store) == "S4U"
    say("schedule", "check", "satis")
    assert "While you are not logged on" in say("schedule", "install", "satis", "--while", "logged-on")
    assert log_on(store) == "InteractiveToken"
    assert "while nobody" not in say("schedule", "show", "satis")


def test_undo_takes_the_choice_back(say, store, desk):
    say("job", "add", desk.sql_file(), "--id", "satis")
    say("schedule", "install", "satis", "--while", "always")
    say("schedule", "undo")
    assert log_on(store) == "InteractiveToken"


def test_who_is_no_administrator_is_told_the_way_and_keeps_the_entry(say, store, desk):
    say("job", "add", desk.sql_file(), "--id", "satis")
    store.behaves("no-administrator")
    said = say("schedule", "install", "satis", "--while", "always", status=exit_code.ENVIRONMENT)
    assert "Run as administrator" in said
    assert "Access is denied" in said
    assert log_on(store) == "InteractiveToken"
    say("schedule", "check", "satis")


def test_job_that_only_an_administrator_can_mend_holds_up_no_other(say, store, desk):
    for name in ("satis", "stok"):
        say("job", "add", desk.sql_file(), "--id", name)
    say("schedule", "install", "satis", "--while", "always")
    for name in ("satis", "stok"):
        store.change(name, f"run {name} --trigger", "run other --trigger")
    store.behaves("no-administrator")
    said = say("schedule", "check", "--repair", status=exit_code.ENVIRONMENT)
    assert "stok: registered" in said
    assert said.count("Run as administrator") == 1
    assert "satis: entry changed outside" in said
    assert "Run as administrator" in say("schedule", "install", "--all", status=exit_code.ENVIRONMENT)
    store.behaves()
    say("schedule", "check", "--repair")
    assert log_on(store) == "S4U"


@pytest.mark.parametrize(
    ("scheduler", "words", "said"),
    [("Crontab", "--while logged-on", "Leave --while out"), ("Launchd", "--while always", "stay logged on")],
)
def test_scheduler_without_such_a_choice_says_so_and_nothing_is_written(say, monkeypatch, desk, scheduler, words, said):
    say("job", "add", desk.sql_file(), "--id", "satis", "--no-schedule")
    name = scheduler.lower()
    monkeypatch.setattr("trayapp.cli.schedule_commands.backend_here", lambda places: backend_named(name, places))
    monkeypatch.setattr(f"trayapp.trigger.{name}.{scheduler}.install", None)
    assert said in say("schedule", "install", "satis", *words.split(), status=exit_code.USAGE)
