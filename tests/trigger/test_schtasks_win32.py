r"""Windows' own `schtasks`, started by a genuine Windows CPython.

Under Wine it makes and deletes tasks for real, and that is all: what it cannot show
(documents read back, a start, permissions) is on the release checklist in the README.
"""

from __future__ import annotations

import ctypes
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.trigger.contract import entry_of, job, names
from trayapp.errors import TriggerError
from trayapp.job.schedule import Daily, Every, Monthly, Weekly
from trayapp.places import Places
from trayapp.trigger.backend import ALL_JOBS
from trayapp.trigger.schtasks import Schtasks
from trayapp.trigger.task_user import current_user
from trayapp.wording.speech import sentence

pytestmark = pytest.mark.win32

IS_WINE = sys.platform == "win32" and hasattr(ctypes.WinDLL("ntdll"), "wine_get_version")
SCHEDULES = [
    Every(15, 5),
    Every(15, 0, (0, 1, 2, 3, 4), (8, 18)),
    Daily((150, 840)),
    Weekly((0,), (540,)),
    Monthly((1, -1), (360,)),
]


@pytest.fixture
def tasks(birkez_home: Places, tmp_path_factory: pytest.TempPathFactory, monkeypatch) -> Iterator[Schtasks]:
    """Tasks of this test's home; under Wine through the program that answers for its missing /Query."""
    monkeypatch.setenv("WINE_TASK_COPIES", str(tmp_path_factory.mktemp("copies")))
    bridge = (sys.executable, str(Path(__file__).parent / "wine_schtasks.py"))
    opened = Schtasks(birkez_home, bridge if IS_WINE else ())
    yield opened
    opened.remove([entry.job for entry in opened.entries()])


@pytest.fixture
def stored() -> Path:
    """Folder in which Windows keeps our tasks."""
    return Path(os.environ["SYSTEMROOT"]) / "System32" / "tasks" / "Birkez"


def file_of(tasks: Schtasks, stored: Path, job_id: str) -> Path:
    return stored / tasks._names.path_of(job_id).rpartition("\\")[2]


def test_windows_tells_whose_process_this_is():
    user = current_user()
    assert re.fullmatch(r"S-1-5(-\d+)+", user.sid)
    assert user.name.rpartition("\\")[2] == os.environ["USERNAME"]
    assert "".encode(user.code_page) == b""
    if not IS_WINE:
        said = subprocess.run(["whoami", "/user", "/fo", "csv", "/nh"], capture_output=True, check=True).stdout
        assert user.sid.encode() in said


@pytest.mark.timeout(120)
def test_tasks_come_and_go(tasks: Schtasks, stored: Path):
    jobs = [job(f"is-{number}", schedule, f"Günlük ığüşöçİ {number}") for number, schedule in enumerate(SCHEDULES)]
    changes = tasks.install(jobs)
    assert names(tasks) == {one.id for one in jobs} | {ALL_JOBS}
    for one in jobs:
        assert entry_of(tasks, one.id).times == tasks.entry_for(one).times
        assert file_of(tasks, stored, one.id).exists()
    assert tasks.install(jobs) == []
    tasks.undo(changes[0])
    assert not file_of(tasks, stored, "is-0").exists()
    tasks.remove([one.id for one in jobs])
    assert tasks.entries() == []
    assert not any(file_of(tasks, stored, job_id).exists() for job_id in [ALL_JOBS, *(one.id for one in jobs)])


@pytest.mark.skipif(not IS_WINE, reason="looks into Wine's store")
def test_what_wine_keeps_is_what_was_sent(tasks: Schtasks, stored: Path):
    tasks.install([job(title="Günlük ığüşöçİ")])
    kept = file_of(tasks, stored, "satis").read_text(encoding="utf-8-sig")
    assert "Günlük ığüşöçİ" in kept  # so the file was UTF-16 with its mark
    for part in (
        "<ExecutionTimeLimit>PT0S</ExecutionTimeLimit>",
        "<DisallowStartIfOnBatteries>false</DisallowStartIfOnBatteries>",
        "<StartWhenAvailable>true</StartWhenAvailable>",
    ):
        assert part in kept


@pytest.mark.skipif(not IS_WINE, reason="Windows' own answers")
def test_a_scheduler_that_shows_no_documents_is_not_believed(birkez_home: Places, stored: Path):
    # Wine's /Query says 0 and prints nothing: the task stands, and yet nobody can know what it is.
    tasks = Schtasks(birkez_home)
    with pytest.raises(TriggerError, match="task-not-kept") as told:
        tasks.install([job()])
    assert "took the task" in sentence(told.value)
    assert not file_of(tasks, stored, "satis").exists()


def test_nothing_is_printed_beside_our_own_words(tasks: Schtasks, capfd: pytest.CaptureFixture[str]):
    tasks.install([job()])
    tasks.remove(["satis"])
    assert capfd.readouterr() == ("", "")
