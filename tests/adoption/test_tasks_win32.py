r"""A task of Windows made a job and given back, by a genuine Windows CPython through Windows' own `schtasks`."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

from tests.trigger.test_schtasks_win32 import IS_WINE
from trayapp.adoption.exchange import Wish, adopt, plan, release
from trayapp.adoption.listing import list_entries, read_own
from trayapp.errors import TriggerError
from trayapp.job import shelf
from trayapp.job.schedule import Daily
from trayapp.places import Places
from trayapp.trigger.schtasks import Schtasks
from trayapp.trigger.task_foreign import canonical, read_task
from trayapp.trigger.task_user import current_user
from trayapp.trigger.task_xml import NAMESPACE, task_bytes

pytestmark = [pytest.mark.win32, pytest.mark.timeout(120)]

PATH = "\\Birkez test\\Gece yedeği"
TASK = """<Task version="1.2" xmlns="{namespace}"><RegistrationInfo><URI>{path}</URI></RegistrationInfo>
<Triggers><CalendarTrigger><StartBoundary>2024-01-01T02:30:00</StartBoundary><ScheduleByDay>
<DaysInterval>1</DaysInterval></ScheduleByDay></CalendarTrigger></Triggers><Settings><Priority>7</Priority></Settings>
<Principals><Principal id="Author"><UserId>{sid}</UserId></Principal></Principals><Actions Context="Author"><Exec>
<Command>%SystemRoot%\\System32\\where.exe</Command><Arguments>/q "C:\\a b":*.txt</Arguments></Exec></Actions></Task>"""


@pytest.fixture
def backend(birkez_home: Places, tmp_path_factory: pytest.TempPathFactory, monkeypatch) -> Iterator[Schtasks]:
    monkeypatch.setenv("WINE_TASK_COPIES", str(tmp_path_factory.mktemp("copies")))
    bridge = (sys.executable, str(Path(__file__).parents[1] / "trigger/wine_schtasks.py"))
    opened = Schtasks(birkez_home, bridge if IS_WINE else ())
    text = TASK.format(namespace=NAMESPACE, path=PATH, sid=current_user().sid)
    assert opened._program.create(PATH, task_bytes(ET.fromstring(text))).status == 0
    yield opened
    opened.remove([entry.job for entry in opened.entries()])
    opened._program.delete(PATH)


def document(backend: Schtasks) -> bytes:
    task = read_task(backend._program, current_user().code_page, PATH)
    assert task is not None
    enabled = task.find(f"{{{NAMESPACE}}}Settings/{{{NAMESPACE}}}Enabled")
    if enabled is not None and enabled.text == "true":  # the same as not said
        task.find(f"{{{NAMESPACE}}}Settings").remove(enabled)  # type: ignore[union-attr]
    return canonical(task)


def test_task_becomes_a_job_and_is_given_back_as_it_was(birkez_home: Places, backend: Schtasks, monkeypatch):
    before = document(backend)
    (entry,) = [one for one in read_own(backend) if one.key == PATH]
    assert entry.refusal is None
    assert entry.schedule == Daily((150,))
    job, text = plan(birkez_home, entry, Wish(repeatable=True))
    adopt(birkez_home, backend, entry, job, text)
    assert {one.job for one in backend.entries()} == {job.id, ""}
    assert document(backend) != before
    assert PATH not in [one.key for one in list_entries(birkez_home, backend).entries]
    assert release(birkez_home, backend, job.id).is_at_its_place
    assert document(backend) == before
    assert backend.entries() == []
    assert shelf.job_ids(birkez_home) == []


@pytest.mark.skipif(not IS_WINE, reason="Windows' own answers")
def test_task_that_cannot_be_switched_off_stays_and_no_task_of_ours_is_left(
    birkez_home: Places, backend: Schtasks, monkeypatch
):
    monkeypatch.setenv("WINE_TASKS_AS_THEY_ARE", "1")  # Wine's own /DISABLE answers 1
    before = document(backend)
    (entry,) = [one for one in read_own(backend) if one.key == PATH]
    job, text = plan(birkez_home, entry, Wish(repeatable=True))
    with pytest.raises(TriggerError, match="task-not-switched"):
        adopt(birkez_home, backend, entry, job, text)
    assert document(backend) == before
    assert (backend.entries(), shelf.job_ids(birkez_home)) == ([], [])
