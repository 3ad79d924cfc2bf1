"""`birkez adopt` and `birkez release` for Windows' tasks, in this process, on a `schtasks` of its own."""

from __future__ import annotations

import json

import pytest

from tests.adoption.test_tasks import PATH, document, is_on
from tests.trigger.test_schtasks import FAKE, USER, Store
from trayapp import exit_code
from trayapp.cli.main import main
from trayapp.trigger.schtasks import Schtasks

pytestmark = pytest.mark.posix


@pytest.fixture
def store(tmp_path_factory, monkeypatch) -> Store:
    return Store(tmp_path_factory.mktemp("tasks"), monkeypatch)


@pytest.fixture
def foreign(store):
    path = store.folder / "+office+yedek.task"
    path.write_text(document(), encoding="utf-8")
    (store.folder / "+acilis.task").write_text(
        document("<LogonTrigger />", command="C:\\x\\hello.exe").replace(PATH, "\\Acilis"), encoding="utf-8"
    )
    return path


@pytest.fixture
def say(birkez_home, foreign, monkeypatch, capfd):
    """A function that gives a command, with the status that it shall end with, and returns all that was said."""
    for module in ("cli.adopt_commands", "cli.schedule_commands", "cli.registering", "trigger.findings"):
        monkeypatch.setattr(f"trayapp.{module}.backend_here", lambda places: Schtasks(places, FAKE, USER))

    def give(*words: str, status: int = exit_code.DONE) -> str:
        capfd.readouterr()
        assert main(words) == status
        return "".join(capfd.readouterr())

    return give


def name_of(say) -> str:
    entries = json.loads(say("adopt", "--list", "--json"))["entries"]
    return next(entry["entry"] for entry in entries if entry["text"] == PATH)


def test_list_names_each_task_what_it_does_when_and_why_it_stays(say):
    said = say("adopt", "--list").splitlines()
    (line,) = (line for line in said if PATH in line)
    assert line.startswith(name_of(say))
    assert "every day at 02:30" in line
    assert "C:\\x\\backup.bat" in line
    at = next(number for number, line in enumerate(said) if line.startswith("\\Acilis: C:\\x\\hello.exe"))
    assert "when somebody logs on" in said[at + 1]


def test_task_adopted_removed_and_released(say, foreign, monkeypatch):
    say("adopt", name_of(say), "--repeatable", "yes", "--id", "yedek")
    assert not is_on(foreign)
    assert "Adopted before" in say("adopt")
    say("schedule", "check", "yedek")
    said = say("job", "remove", "yedek")
    assert "birkez release yedek" in said
    assert PATH in said
    assert not is_on(foreign)
    assert PATH in say("release", "yedek")
    assert is_on(foreign)
    assert name_of(say)


def test_doctor_tells_of_a_task_that_was_switched_on_again(say, foreign):
    say("adopt", name_of(say), "--repeatable", "yes", "--id", "yedek")
    foreign.write_text(foreign.read_text(encoding="utf-8").replace(">false<", ">true<"), encoding="utf-8")
    told = json.loads(say("doctor", "--json", status=exit_code.ENVIRONMENT))
    assert "trigger-twice" in json.dumps(told)
