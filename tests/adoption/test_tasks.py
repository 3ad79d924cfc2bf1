"""Tasks of Windows made jobs and given back, on a program that answers as Windows' own does."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

from tests.conftest import CHECKOUT
from tests.job.clock_reading import DAY, machine_in, stretches
from tests.trigger.task_scheduler import task_fires
from tests.trigger.test_schtasks import FAKE, USER, Store
from trayapp.adoption import tasks
from trayapp.adoption.exchange import Wish, adopt, plan, release, settle, undo
from trayapp.adoption.listing import list_entries, read_own
from trayapp.adoption.settling import settle_started
from trayapp.errors import TriggerError
from trayapp.job import shelf
from trayapp.job.schedule import Daily, Every, Monthly, Weekly, fires_between
from trayapp.places import find_places
from trayapp.trigger.adopted import read_adopted
from trayapp.trigger.findings import findings
from trayapp.trigger.schtasks import Schtasks
from trayapp.trigger.task_foreign import ForeignTask, canonical
from trayapp.trigger.task_user import TaskUser
from trayapp.trigger.task_xml import NAMESPACE, task_bytes
from trayapp.wording.speech import sentence

pytestmark = pytest.mark.posix

CORPORA = sorted((Path(__file__).parents[1] / "trigger/data/tasks").glob("*.xml"))
USER_01 = TaskUser("DESKTOP\\User01", "S-1-5-21-1-2-3-1001")
REFUSALS = {
    "01": "adopt-other-account",
    "03": "adopt-event",
    "05": "adopt-fixed-clock",
    "07": "adopt-boot",
    "09": "adopt-on-demand",
    "11": "",
    "13": "adopt-once",
    "15": "adopt-event",
    "17": "adopt-needs-admin",
    "19": "adopt-event",
    "21": "adopt-log-on",
    "23": "adopt-task-times",
    "25": "adopt-boot",
}
DAILY = "<CalendarTrigger><StartBoundary>2024-01-01T{at}:00</StartBoundary>{more}<ScheduleByDay /></CalendarTrigger>"
NIGHTLY = DAILY.format(at="02:30", more="")
PATH = "\\Office\\Yedek"


def document(
    triggers: str = NIGHTLY,
    *,
    command: str = "C:\\x\\backup.bat",
    more: str = "",
    principal: str = f"<UserId>{USER.sid}</UserId>",
    settings: str = "",
    actions: str = "",
) -> str:
    exec_ = actions or f"<Exec><Command>{command}</Command>{more}</Exec>"
    return (
        f'<Task version="1.2" xmlns="{NAMESPACE}"><RegistrationInfo><URI>{PATH}</URI></RegistrationInfo>'
        f"<Triggers>{triggers}</Triggers><Settings>{settings}</Settings>"
        f"<Principals><Principal>{principal}</Principal></Principals><Actions>{exec_}</Actions></Task>"
    )


def entry_of(text: str, user: TaskUser = USER, *, is_exact: bool = True):
    task = ET.fromstring(text)
    (entry,) = tasks.read_tasks(user, [ForeignTask(PATH, task, canonical(task), is_exact)])
    return entry


def code_of(text: str) -> str:
    refusal = entry_of(text).refusal
    return refusal.code if refusal is not None else ""


def test_each_task_of_the_corpora_is_judged():
    found = {}
    for path in CORPORA:
        text = re.sub(r"^\s*<\?xml[^>]*\?>", "", path.read_text(encoding="utf-8"))
        entry = entry_of(text, USER_01)
        found[path.name[:2]] = entry.refusal.code if entry.refusal else ""
        assert entry.refusal is None or sentence(entry.refusal)
    assert found == REFUSALS


@pytest.mark.parametrize(
    ("triggers", "schedule"),
    [
        (NIGHTLY, Daily((150,))),
        (NIGHTLY + DAILY.format(at="14:00", more=""), Daily((150, 840))),
        (
            DAILY.format(
                at="08:05", more="<Repetition><Interval>PT1H</Interval><Duration>PT12H</Duration></Repetition>"
            ),
            Daily(tuple(range(485, 1206, 60))),
        ),
        (
            (
                "<TimeTrigger><StartBoundary>2024-01-01T00:05:00</StartBoundary>"
                "<Repetition><Interval>PT15M</Interval></Repetition></TimeTrigger>"
            ),
            Every(15, 5),
        ),
        (
            DAILY.format(at="00:00", more="<Repetition><Interval>PT1H</Interval><Duration>P1D</Duration></Repetition>"),
            Every(60),
        ),
        (
            (
                "<CalendarTrigger><StartBoundary>2024-01-01T09:00:00</StartBoundary><ScheduleByWeek>"
                "<DaysOfWeek><Monday /><Friday /></DaysOfWeek></ScheduleByWeek></CalendarTrigger>"
            ),
            Weekly((0, 4), (540,)),
        ),
        (
            (
                "<CalendarTrigger><StartBoundary>2024-01-01T09:00:00</StartBoundary><ScheduleByMonth>"
                "<DaysOfMonth><Day>15</Day><Day>1</Day><Day>Last</Day></DaysOfMonth></ScheduleByMonth></CalendarTrigger>"
            ),
            Monthly((1, 15, -1), (540,)),
        ),
        (NIGHTLY + "<BootTrigger><Enabled>false</Enabled></BootTrigger>", Daily((150,))),
    ],
)
def test_triggers_are_a_schedule_where_one_says_just_the_same(triggers, schedule):
    assert entry_of(document(triggers)).schedule == schedule


@pytest.mark.parametrize("zone", ["Europe/Istanbul", "Europe/Berlin"])
def test_job_starts_when_the_task_did_over_two_years(birkez_home, zone):
    start, end = datetime(2027, 1, 1, tzinfo=UTC), datetime(2029, 1, 1, tzinfo=UTC)
    hours = "<Repetition><Interval>PT1H</Interval><Duration>PT12H</Duration></Repetition>"
    days = "<DaysInterval>1</DaysInterval>"
    for at, more in (("02:30", ""), ("08:05", hours)):
        triggers = DAILY.format(at=at, more=more).replace("<ScheduleByDay />", f"<ScheduleByDay>{days}</ScheduleByDay>")
        with machine_in(zone):
            over = stretches(zone, start - 5 * DAY, end + 5 * DAY)
            head = '<?xml version="1.0" encoding="UTF-16"?>'
            told = b"\xff\xfe" + (head + document(triggers)).encode("utf-16-le")
            expected = task_fires(told, over, start, end)
            assert list(fires_between(entry_of(document(triggers)).schedule, start, end)) == expected


@pytest.mark.parametrize(
    ("text", "code"),
    [
        (document("<LogonTrigger />"), "adopt-log-on"),
        (document("<EventTrigger />"), "adopt-event"),
        (document(NIGHTLY.replace("2024", "2124")), "adopt-bounded"),
        (document(DAILY.format(at="02:30", more="<EndBoundary>2124-01-01T00:00:00</EndBoundary>")), "adopt-bounded"),
        (document(NIGHTLY.replace(":00</Start", ":00+03:00</Start")), "adopt-fixed-clock"),
        (document(DAILY.format(at="02:30", more="<RandomDelay>PT5M</RandomDelay>")), "adopt-task-times"),
        (
            document(
                NIGHTLY.replace("<ScheduleByDay />", "<ScheduleByDay><DaysInterval>2</DaysInterval></ScheduleByDay>")
            ),
            "adopt-task-times",
        ),
        (
            document(
                DAILY.format(
                    at="00:30", more="<Repetition><Interval>PT1H</Interval><Duration>PT6H</Duration></Repetition>"
                )
            ),
            "adopt-task-times",  # a change of the clock may come in between
        ),
        (
            document(
                DAILY.format(
                    at="08:00",
                    more="<Repetition><Interval>PT1H</Interval><Duration>PT6H</Duration>"
                    "<StopAtDurationEnd>true</StopAtDurationEnd></Repetition>",
                )
            ),
            "adopt-task-times",  # what has begun by then would be stopped
        ),
        (document(principal="<UserId>S-1-5-18</UserId>"), "adopt-other-account"),
        (document(principal="<GroupId>Users</GroupId>"), "adopt-other-account"),
        (document(principal="<RunLevel>HighestAvailable</RunLevel>"), "adopt-needs-admin"),
        (document(settings="<Enabled>false</Enabled>"), "adopt-disabled"),
        (document(settings="<RunOnlyIfIdle>true</RunOnlyIfIdle>"), "adopt-conditions"),
        (document(actions="<ComHandler />"), "adopt-several-actions"),
        (document(actions="<Exec><Command>a</Command></Exec>" * 2), "adopt-several-actions"),
        (document(command="%NO_SUCH%\\x.exe"), "adopt-no-variable"),
        (document(command="x", more="<Arguments>$(Arg0)</Arguments>"), "adopt-task-command"),
        (document(command="shutdown.exe", more="<Arguments>/s /t 60</Arguments>"), "adopt-restart"),
        (document(command="x", more='<Arguments>"a" &amp; b</Arguments>'), "adopt-task-command"),
    ],
)
def test_task_that_stays_where_it_is(text, code):
    assert code_of(text) == code


@pytest.mark.parametrize(
    ("command", "arguments", "argv", "shell"),
    [
        ('"C:\\a b\\x.exe"', "", ("C:\\a b\\x.exe",), ""),
        ("C:\\x.exe", '-f "C:\\a b\\y" z', ("C:\\x.exe", "-f", "C:\\a b\\y", "z"), ""),
        ("C:\\x.exe", '-f="C:\\a b"', (), '"C:\\x.exe" -f="C:\\a b"'),  # not as list2cmdline writes it
        ("cmd.exe", "/c set A=1 &amp;&amp; x.exe &gt;&gt; l 2&gt;&amp;1", (), "set A=1 && x.exe >> l 2>&1"),
        ("C:\\Windows\\System32\\cmd.exe", '/c ""C:\\a b\\x.bat" 1"', (), '"C:\\a b\\x.bat" 1'),
        ("cmd", '/C "C:\\a b\\x.bat"', (), '"C:\\a b\\x.bat"'),
    ],
)
def test_command_reaches_the_program_as_it_does_now(command, arguments, argv, shell):
    effect = entry_of(document(command=command, more=f"<Arguments>{arguments}</Arguments>")).effect
    assert (effect.argv, effect.shell) == (argv, shell)


def test_variables_folder_and_limit_are_the_tasks(monkeypatch):
    monkeypatch.setenv("PROGRAMFILES", "C:\\Program Files")
    more = "<WorkingDirectory>%ProgramFiles%\\x</WorkingDirectory>"
    text = document(
        command="%ProgramFiles%\\x.exe", more=more, settings="<ExecutionTimeLimit>PT10M</ExecutionTimeLimit>"
    )
    effect = entry_of(text).effect
    assert effect.argv == ("C:\\Program Files\\x.exe",)
    assert (effect.cwd, effect.timeout_s) == ("C:\\Program Files\\x", 600.0)
    assert entry_of(document()).effect.timeout_s == 72 * 3600
    shorter = DAILY.format(at="02:30", more="<ExecutionTimeLimit>PT5M</ExecutionTimeLimit>")
    limit = "<ExecutionTimeLimit>PT10M</ExecutionTimeLimit>"
    assert entry_of(document(shorter, settings=limit)).effect.timeout_s == 300
    assert entry_of(document(settings="<ExecutionTimeLimit>PT0S</ExecutionTimeLimit>")).effect.timeout_s == 72 * 3600


def test_what_will_be_otherwise_is_told():
    settings = "<RunOnlyIfNetworkAvailable>true</RunOnlyIfNetworkAvailable><WakeToRun>true</WakeToRun>"
    text = document(principal="<LogonType>Password</LogonType>", settings=settings)
    assert [caution.code for caution in entry_of(text, is_exact=False).cautions] == [
        "adopt-logged-on-only",
        "adopt-network",
        "adopt-wakes",
        "adopt-letters",
    ]
    assert entry_of(document()).cautions == ()


def test_repetition_that_a_clock_change_by_half_an_hour_would_move_stays():
    every_hour = (
        "<TimeTrigger><StartBoundary>2024-01-01T00:05:00</StartBoundary>"
        "<Repetition><Interval>PT1H</Interval></Repetition></TimeTrigger>"
    )
    with machine_in("Australia/Lord_Howe"):
        assert code_of(document(every_hour)) == "adopt-task-times"
    with machine_in("Europe/Berlin"):
        assert code_of(document(every_hour)) == ""


def test_task_is_known_again_whatever_this_process_has_written_before(monkeypatch):
    task = ET.fromstring(document())
    monkeypatch.setattr(ET, "_namespace_map", {})  # as it is at the beginning
    before = canonical(task)
    task_bytes(ET.fromstring(document()))
    assert canonical(task) == before


# ---------------------------------------------------------------------- exchange


@pytest.fixture
def store(tmp_path_factory, monkeypatch) -> Store:
    return Store(tmp_path_factory.mktemp("tasks"), monkeypatch)


@pytest.fixture
def foreign(store) -> Path:
    """File of a task with a stored password, as the fake keeps it."""
    path = store.folder / "+office+yedek.task"
    path.write_text(document(principal="<LogonType>Password</LogonType>"), encoding="utf-8")
    return path


@pytest.fixture
def backend(birkez_home, foreign, monkeypatch) -> Schtasks:
    backend = Schtasks(birkez_home, FAKE, USER)
    monkeypatch.setattr("trayapp.adoption.settling.backend_here", lambda _places: backend)
    return backend


def is_on(foreign: Path) -> bool:
    return "<Enabled>false</Enabled>" not in foreign.read_text(encoding="utf-8")


def adopt_it(places, backend) -> str:
    (entry,) = read_own(backend)
    job, text = plan(places, entry, Wish(repeatable=False))
    adopt(places, backend, entry, job, text)
    return job.id


def test_task_with_a_password_is_disabled_and_enabled_again_and_never_deleted(birkez_home, backend, store, foreign):
    before = foreign.read_text(encoding="utf-8")
    job_id = adopt_it(birkez_home, backend)
    assert not is_on(foreign)
    assert {entry.job for entry in backend.entries()} == {job_id, ""}
    assert [entry.refusal.code for entry in read_own(backend)] == ["adopt-disabled"]
    assert release(birkez_home, backend, job_id).is_at_its_place
    assert is_on(foreign)
    after = foreign.read_text(encoding="utf-8").replace("<Enabled>true</Enabled>", "")
    assert canonical(ET.fromstring(after)) == canonical(ET.fromstring(before)), "all else is as it was"
    assert [path.name for path in store.folder.glob("*.task")] == [foreign.name]
    assert not [call for call in store.calls() if "/Delete" in call and PATH in call]
    assert shelf.job_ids(birkez_home) == []


def test_undo_takes_it_back(birkez_home, backend, foreign):
    adopt_it(birkez_home, backend)
    undo(birkez_home, backend)
    assert is_on(foreign)
    assert backend.entries() == []


@pytest.mark.parametrize("way", ["denies", "switches-nothing"])
def test_task_that_cannot_be_switched_off_leaves_all_as_it_was(birkez_home, backend, store, foreign, way):
    store.behaves(way)
    with pytest.raises(TriggerError) as refused:
        adopt_it(birkez_home, backend)
    assert sentence(refused.value)
    store.behaves()
    assert is_on(foreign)
    assert (backend.entries(), shelf.job_ids(birkez_home), read_adopted(birkez_home)) == ([], [], [])


def test_task_that_changed_since_the_list_is_left_alone(birkez_home, backend, foreign):
    (entry,) = read_own(backend)
    job, text = plan(birkez_home, entry, Wish(repeatable=True))
    foreign.write_text(foreign.read_text(encoding="utf-8").replace("02:30", "03:30"), encoding="utf-8")
    with pytest.raises(TriggerError, match="adopt-changed"):
        adopt(birkez_home, backend, entry, job, text)
    assert is_on(foreign)
    assert backend.entries() == []


def test_task_that_somebody_deleted_is_made_anew(birkez_home, backend, foreign, store):
    job_id = adopt_it(birkez_home, backend)
    foreign.unlink()
    assert not release(birkez_home, backend, job_id).is_at_its_place
    assert is_on(foreign)


def test_adopted_task_is_not_listed_as_one_to_switch_on(birkez_home, backend):
    adopt_it(birkez_home, backend)
    listing = list_entries(birkez_home, backend)
    assert (listing.entries, [record.name for record in listing.adopted]) == ((), [PATH])


def test_adopted_task_that_is_switched_on_again_is_told(birkez_home, backend, foreign, monkeypatch):
    monkeypatch.setattr("trayapp.trigger.findings.backend_here", lambda _places: backend)
    job_id = adopt_it(birkez_home, backend)
    assert [found.error.code for found in findings(birkez_home)] == ["trigger-well"]
    foreign.write_text(foreign.read_text(encoding="utf-8").replace(">false<", ">true<"), encoding="utf-8")
    found = findings(birkez_home)[-1]
    assert (found.error.code, found.weight, found.job) == ("trigger-twice", "problem", job_id)
    assert PATH in sentence(found.error)


def test_task_that_windows_does_not_find_by_its_name_is_left_alone(birkez_home, backend, foreign):
    (entry,) = read_own(backend)
    job, text = plan(birkez_home, entry, Wish(repeatable=True))
    foreign.rename(foreign.with_name("+office+yedek-ş.task"))  # whose console prints another letter
    with pytest.raises(TriggerError, match="adopt-unfound"):
        adopt(birkez_home, backend, entry, job, text)
    assert is_on(foreign.with_name("+office+yedek-ş.task"))


def test_letters_that_the_console_loses_come_from_the_file_where_windows_keeps_the_task(
    birkez_home, store, tmp_path, monkeypatch
):
    whole = document(command="C:\\Yığın\\şube.bat")
    (store.folder / "+office+yedek.task").write_text(whole, encoding="utf-8")
    store.behaves("en")
    monkeypatch.setenv("SYSTEMROOT", str(tmp_path))
    backend = Schtasks(birkez_home, FAKE, USER._replace(code_page="cp437"))
    (lossy,) = read_own(backend)
    assert "adopt-letters" in [caution.code for caution in lossy.cautions]
    kept = tmp_path / "System32" / "Tasks" / "Office" / "Yedek"
    kept.parent.mkdir(parents=True)
    kept.write_bytes(("\ufeff" + whole).encode("utf-16-le"))
    (entry,) = read_own(backend)
    assert (entry.effect.argv, entry.cautions) == (("C:\\Yığın\\şube.bat",), ())
    # A file that says something else than Task Scheduler does is not believed.
    kept.write_bytes(("\ufeff" + document(command="C:\\other.bat")).encode("utf-16-le"))
    assert read_own(backend)[0].effect.argv == lossy.effect.argv


CRASH = """
import os, subprocess, sys
from tests.adoption.test_tasks import adopt_it, crashing
from tests.trigger.test_schtasks import FAKE, USER
from trayapp.adoption.exchange import release
from trayapp.places import find_places
from trayapp.trigger.findings import findings
from trayapp.trigger.schtasks import Schtasks

crashing(int(sys.argv[1]), after=sys.argv[2] == "after")
backend = Schtasks(find_places(), FAKE, USER)
if sys.argv[3] == "adopt":
    adopt_it(find_places(), backend)
else:
    release(find_places(), backend, "yedek")
"""


def crashing(at: int, *, after: bool) -> None:
    """End this process before or behind its *at*-th change of a file, or start of `schtasks` that changes a task."""
    count = 0

    def counted(real, counts):
        def call(*words, **options):
            nonlocal count
            count += counts(words)
            is_it = counts(words) and count == at
            if is_it and not after:
                os._exit(9)
            try:
                return real(*words, **options)
            finally:
                if is_it:
                    os._exit(9)

        return call

    for name in ("replace", "link", "unlink"):
        setattr(os, name, counted(getattr(os, name), lambda _words: True))
    from trayapp.trigger.task_program import TaskProgram

    TaskProgram._run = counted(TaskProgram._run, lambda words: words[1] != "/Query")


def who_is_at_work(backend: Schtasks, foreign: Path) -> str:
    """Fire both tasks, as Windows would: one of them does the work, or the next fire does it by one of them."""
    places = find_places()
    on_shelf = shelf.job_ids(places) == ["yedek"]
    ours = any(entry.job == "yedek" and entry.is_enabled for entry in backend.entries())
    works = [is_on(foreign), ours and on_shelf]
    if ours and not on_shelf and not any(works):
        assert settle_started(places, "yedek"), "nobody else has done it, so this start does"
        works[1] = shelf.job_ids(places) == ["yedek"]
    elif ours and not on_shelf:
        assert not settle_started(places, "yedek"), "the other one has done this fire's work"
        works = [is_on(foreign), shelf.job_ids(places) == ["yedek"]]
    assert sum(works) == 1, works
    return "task" if works[0] else "job"


@pytest.mark.timeout(180)
@pytest.mark.parametrize("direction", ["adopt", "release"])
def test_crash_at_any_step_leaves_one_of_the_two_at_work(birkez_home, backend, foreign, direction):
    number, status, seen = 1, 9, set()
    while status == 9:
        when = "before" if number % 2 else "after"
        if direction == "release" and not shelf.job_ids(birkez_home):
            adopt_it(birkez_home, backend)
        argv = [sys.executable, "-c", CRASH, str((number + 1) // 2), when, direction]
        status = subprocess.run(argv, env={**os.environ, "PYTHONPATH": str(CHECKOUT)}, check=False).returncode
        assert status in (0, 9)
        seen.add(who_is_at_work(backend, foreign))
        settle(birkez_home, backend)
        seen.add(who_is_at_work(backend, foreign))
        assert not any(record.waiting for record in read_adopted(birkez_home))
        if direction == "adopt" and shelf.job_ids(birkez_home):
            release(birkez_home, backend, "yedek")
        number += 1
    assert seen == {"task", "job"}
    assert number > 16
