from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.conftest import Birkez
from tests.trigger.contract import *  # noqa: F403  # the tests that all backends share
from tests.trigger.contract import entry_of, job, names
from trayapp.errors import TriggerError
from trayapp.job.schedule import Daily, Every, Monthly
from trayapp.places import Places
from trayapp.trigger import task_program
from trayapp.trigger.backend import ALL_JOBS
from trayapp.trigger.command import started_job
from trayapp.trigger.schtasks import Schtasks
from trayapp.trigger.task_check import name_faults
from trayapp.trigger.task_reading import differences, starts_without_log_on, tasks_in
from trayapp.trigger.task_user import TaskUser
from trayapp.wording.speech import sentence

# Under Wine some hundred starts of the fake would take minutes; test_schtasks_win32 has the real program.
pytestmark = pytest.mark.posix

FAKE = (sys.executable, str(Path(__file__).parent / "fake_schtasks.py"))
USER = TaskUser("PC\\Ayşe Yılmaz", "S-1-5-21-1004336348-1177238915-682003330-1001", "cp857")
LANGUAGES = ["en", "tr", "fr"]
PRINTED = ["", "utf-16", "utf-16-without-mark", "utf-8"]


class Store:
    """What the fake keeps, and how it behaves."""

    def __init__(self, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.folder = folder
        self._monkeypatch = monkeypatch
        monkeypatch.setenv("FAKE_TASKS", str(folder))

    def behaves(self, *ways: str) -> None:
        self._monkeypatch.setenv("FAKE_TASKS_WAYS", " ".join(ways))

    def calls(self) -> list[list[str]]:
        path = self.folder / "calls"
        return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()] if path.exists() else []

    def files(self) -> dict[str, str]:
        return {path.name: path.read_text(encoding="utf-8") for path in self.folder.glob("*.task")}

    def change(self, job_id: str, old: str, new: str) -> None:
        (path,) = (path for path in self.folder.glob("*.task") if path.stem.endswith(f"-{job_id}"))
        text = path.read_text(encoding="utf-8")
        before, found, behind = text.rpartition(old)  # the last: behind the copy of the command
        assert found
        path.write_text(before + new + behind, encoding="utf-8")


@pytest.fixture(autouse=True)
def store(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Store:
    return Store(tmp_path_factory.mktemp("tasks"), monkeypatch)


@pytest.fixture
def open_backend() -> Callable[[Places], Schtasks]:
    return lambda places: Schtasks(places, FAKE, USER)


@pytest.fixture
def tasks(birkez_home: Places) -> Schtasks:
    return Schtasks(birkez_home, FAKE, USER)


# ------------------------------------------------------------------- languages


# P17: columns and status words follow the display language, so none is read
@pytest.mark.parametrize("printed", PRINTED)
@pytest.mark.parametrize("language", LANGUAGES)
def test_answers_are_the_same_in_every_language(tasks: Schtasks, store: Store, language: str, printed: str):
    store.behaves(language, printed)
    assert tasks.entries() == []
    wanted = job(title="Günlük rapor: şube ığİ")
    assert len(tasks.install([wanted])) == 2
    assert entry_of(tasks, "satis")._replace(text="") == tasks.entry_for(wanted)._replace(text="")
    assert tasks.install([wanted]) == []
    tasks.remove(["satis"])
    assert tasks.entries() == []


@pytest.mark.parametrize("way", ["lists-no-folder", "drops-defaults"])
def test_other_ways_of_listing_and_keeping_change_nothing(tasks: Schtasks, store: Store, way: str):
    store.behaves("tr", way)
    tasks.install([job()])
    assert entry_of(tasks, "satis").times == tasks.entry_for(job()).times
    assert tasks.install([job()]) == []
    tasks.remove(["satis"])
    assert tasks.entries() == []


def test_letters_that_the_code_page_lacks_are_known_again(store: Store, tmp_path: Path):
    # An English Windows and a Turkish account: code page 437 has neither ş nor ğ nor ı.
    home = tmp_path / "Ayşe Yığın 漢"
    tasks = Schtasks(Places(str(home / "config"), str(home / "state")), FAKE, USER._replace(code_page="cp437"))
    store.behaves("en")
    wanted = job(title="Şube özeti ğı 📦")
    changes = tasks.install([wanted])
    assert entry_of(tasks, "satis").command == tasks.entry_for(wanted).command
    assert str(home) in entry_of(tasks, "satis").command
    assert tasks.install([wanted]) == []
    assert "Şube özeti ğı 📦".encode("utf-16-le") in (changes[0].after or b"")
    tasks.undo(tasks.remove(["satis"])[0])
    assert "Şube özeti ğı 📦" in "".join(store.files().values())


@pytest.mark.parametrize("other", ["elsewhere", "sakis"])
def test_an_edited_command_is_not_taken_for_lost_letters(tasks: Schtasks, store: Store, other: str):
    store.behaves("tr")
    tasks.install([job()])
    store.change("satis", "run satis --trigger", f"run {other} --trigger")
    assert started_job(entry_of(tasks, "satis").command) == other


# ------------------------------------------------------------------------ lies


# P15: registered by a file, never by /TR, and read back
def test_a_long_command_goes_by_a_file_and_comes_back_whole(store: Store, tmp_path: Path):
    home = tmp_path / ("uzun " * 20) / ("a" * 150)
    tasks = Schtasks(Places(str(home / "config"), str(home / "state")), FAKE, USER)
    tasks.install([job()])
    assert len(" ".join(entry_of(tasks, "satis").command)) > 300
    assert entry_of(tasks, "satis").command == tasks.entry_for(job()).command
    words = {word.lower() for call in store.calls() for word in call}
    assert "/xml" in words
    assert not words & {"/tr", "/sc", "/sd", "/st", "/ru", "/rp", "/fo", "/v"}


# P15
def test_a_command_that_was_cut_is_noticed_and_taken_back(store: Store, tmp_path: Path):
    home = tmp_path / ("a" * 200) / ("b" * 100)
    tasks = Schtasks(Places(str(home / "config"), str(home / "state")), FAKE, USER)
    store.behaves("truncates")
    with pytest.raises(TriggerError, match="task-not-kept") as told:
        tasks.install([job()])
    assert "Command" in str(told.value.facts["difference"])
    assert store.files() == {}


def test_a_success_that_stored_nothing_is_no_success(tasks: Schtasks, store: Store):
    store.behaves("stores-nothing", "tr")
    with pytest.raises(TriggerError, match="task-not-kept"):
        tasks.install([job()])
    assert tasks.entries() == []


@pytest.mark.parametrize(("language", "words"), [("tr", "HATA: Erişim engellendi."), ("fr", "ERREUR : Accès refusé.")])
def test_a_refusal_is_told_with_windows_own_words_and_what_to_do(
    birkez_home: Places, store: Store, language: str, words: str
):
    store.behaves("denies", language)
    tasks = Schtasks(birkez_home, FAKE, USER._replace(code_page={"tr": "cp857", "fr": "cp850"}[language]))
    with pytest.raises(TriggerError, match="task-refused") as told:
        tasks.install([job()])
    assert words in sentence(told.value)
    assert "administrator" in sentence(told.value)


def test_a_refusal_half_way_puts_back_what_was_written(tasks: Schtasks, store: Store):
    tasks.install([job()])
    before = store.files()
    store.behaves("denies-yedek")
    with pytest.raises(TriggerError, match="task-refused"):
        tasks.install([job(schedule=Daily((840,))), job("arsiv"), job("yedek")])
    assert {entry.job: entry.times for entry in tasks.entries()} == {
        entry.job: entry.times for entry in (tasks.entry_for(job()), entry_of(tasks, ALL_JOBS))
    }
    assert store.files().keys() == before.keys()


def test_a_deletion_that_deleted_nothing_is_told(tasks: Schtasks, store: Store):
    tasks.install([job()])
    store.behaves("keeps-all")
    with pytest.raises(TriggerError, match="task-not-removed"):
        tasks.remove(["satis"])
    store.behaves("denies", "tr")
    with pytest.raises(TriggerError, match="task-not-removed") as told:
        tasks.remove(["satis"])
    assert "Erişim engellendi" in sentence(told.value)
    assert names(tasks) == {"satis", ALL_JOBS}


def test_a_task_that_went_meanwhile_is_removed(tasks: Schtasks, store: Store, monkeypatch: pytest.MonkeyPatch):
    tasks.install([job()])
    standing = tasks._standing()
    for path in store.folder.glob("*.task"):
        path.unlink()
    answers = iter([standing])
    listed = Schtasks._standing
    monkeypatch.setattr(Schtasks, "_standing", lambda self: next(answers, None) or listed(self))
    assert [change.after for change in tasks.remove(["satis"])] == [None, None]


def test_tasks_that_cannot_be_read_are_left_alone(tasks: Schtasks, store: Store):
    tasks.install([job()])
    before = store.files()
    store.behaves("corrupt", "lists-no-folder", "tr")
    for attempt in (lambda: tasks.install([job("yedek")]), lambda: tasks.remove(["satis"]), tasks.entries):
        with pytest.raises(TriggerError, match="tasks-unreadable"):
            attempt()
    assert store.files() == before
    assert [error.code for error in tasks.obstacles()] == ["tasks-unreadable"]
    assert "Sistem belirtilen dosyayı bulamıyor" in sentence(tasks.obstacles()[0])


def test_a_program_that_hangs_is_ended(tasks: Schtasks, store: Store, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(task_program, "_ANSWER_WITHIN_S", 0.5)
    store.behaves("hangs")
    began = time.monotonic()
    with pytest.raises(TriggerError, match="schtasks-unanswered"):
        tasks.entries()
    assert time.monotonic() - began < 30  # it would sleep a minute


def test_a_missing_program_is_told(birkez_home: Places, tmp_path: Path):
    tasks = Schtasks(birkez_home, (str(tmp_path / "schtasks.exe"),), USER)
    (error,) = tasks.obstacles()
    assert error.code == "schtasks-missing"
    assert str(tmp_path) in sentence(error)


def test_elsewhere_entries_are_shown_and_none_can_be_installed(birkez_home: Places):
    tasks = Schtasks(birkez_home)
    assert tasks.entry_for(job()).times
    assert [error.code for error in tasks.obstacles()] == ["schtasks-missing"]


def test_nothing_is_left_of_the_file_that_was_handed_over(
    tasks: Schtasks, store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "temp"))
    (tmp_path / "temp").mkdir()
    tasks.install([job()])
    store.behaves("denies")
    with pytest.raises(TriggerError):
        tasks.install([job("yedek")])
    assert list((tmp_path / "temp").iterdir()) == []
    assert any(str(tmp_path / "temp") in word for call in store.calls() for word in call)


def test_a_file_that_cannot_be_handed_over_is_told(tasks: Schtasks, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "missing"))
    with pytest.raises(TriggerError, match="task-file-unwritable"):
        tasks.install([job()])


# P94: no console flashes up, and no stream is left to chance
def test_the_program_is_started_unseen(tasks: Schtasks, monkeypatch: pytest.MonkeyPatch):
    asked: list[dict[str, object]] = []
    start = subprocess.Popen

    def recorded(argv, **options):
        asked.append(options)
        return start(argv, **options)

    monkeypatch.setattr(subprocess, "Popen", recorded)
    tasks.install([job()])
    assert asked
    for options in asked:
        assert options["creationflags"] == getattr(subprocess, "CREATE_NO_WINDOW", 0)
        assert options["stdin"] == subprocess.DEVNULL
        assert options["stdout"] == options["stderr"] == subprocess.PIPE


# ---------------------------------------------------------------- names, homes


# P27
def test_titles_that_differ_by_forbidden_letters_do_not_collide(tasks: Schtasks, store: Store):
    titles = ["Rapor: 2026/03 *son*", "Rapor_ 2026_03 _son_", "x" * 200, "ends with a dot.", "ends with a space "]
    jobs = [job(f"rapor-{number}", title=title) for number, title in enumerate(titles)]
    tasks.install(jobs)
    assert names(tasks) == {f"rapor-{number}" for number in range(5)} | {ALL_JOBS}
    stored = "".join(store.files().values())
    assert all(title in stored for title in titles)


@pytest.mark.parametrize("name", ["PC\\Ayşe Yılmaz", "漢字", "a.b: c?", "", "AzureAD\\" + "Ö" * 200])
def test_a_task_has_a_name_that_windows_takes(birkez_home: Places, name: str):
    tasks = Schtasks(birkez_home, FAKE, USER._replace(name=name))
    for job_id in ("a", "a" * 63, ALL_JOBS):
        path = tasks._names.path_of(job_id)
        assert name_faults(path) == []
        assert path.isascii()
        assert path.startswith("\\Birkez\\")
        assert tasks._names.job_of(path) == job_id
        assert tasks._names.job_of(path.upper()) == job_id


def test_tasks_of_another_account_are_foreign(tasks: Schtasks, birkez_home: Places, store: Store):
    other = Schtasks(birkez_home, FAKE, USER._replace(sid="S-1-5-21-1-2-3-1002"))
    other.install([job(schedule=Every(15))])
    before = store.files()
    assert tasks.entries() == []
    tasks.install([job()])
    tasks.remove(["satis"])
    assert store.files() == before


def test_an_account_that_was_renamed_keeps_its_tasks(tasks: Schtasks, birkez_home: Places):
    tasks.install([job()])
    renamed = Schtasks(birkez_home, FAKE, USER._replace(name="PC\\ayse2"))
    assert names(renamed) == {"satis", ALL_JOBS}


def test_a_foreign_task_is_never_written_by_undo(tasks: Schtasks, store: Store):
    (change, _) = tasks.install([job()])
    before = store.files()
    with pytest.raises(TriggerError, match="task-foreign"):
        tasks.undo(change._replace(name="\\Microsoft\\Windows\\Defrag\\ScheduledDefrag"))
    assert store.files() == before


# ---------------------------------------------------------- what was changed outside


def test_a_task_that_was_disabled_says_so(tasks: Schtasks, store: Store):
    tasks.install([job()])
    store.change("satis", "<Enabled>true</Enabled>\n    <Hidden>", "<Enabled>false</Enabled>\n    <Hidden>")
    assert not entry_of(tasks, "satis").is_enabled
    assert tasks.install([job()])
    assert entry_of(tasks, "satis").is_enabled


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("T02:30:00", "T03:30:00"),
        ("<Enabled>true</Enabled><ScheduleByDay>", "<Enabled>false</Enabled><ScheduleByDay>"),
        ("<DaysInterval>1<", "<DaysInterval>2<"),
        ("<StopIfGoingOnBatteries>false", "<StopIfGoingOnBatteries>true"),
        ("<StartWhenAvailable>true", "<StartWhenAvailable>false"),
        ("<StartWhenAvailable>true</StartWhenAvailable>", ""),
        (">Parallel<", ">IgnoreNew<"),
        (">PT0S<", ">PT72H<"),
        ("</Settings>", "<RestartOnFailure><Interval>PT1M</Interval><Count>3</Count></RestartOnFailure></Settings>"),
        (">LeastPrivilege<", ">HighestAvailable<"),
        (">S-1-5-21-1004336348-1177238915-682003330-1001<", ">S-1-5-18<"),
        ("</CalendarTrigger>", "</CalendarTrigger><BootTrigger />"),
    ],
)
def test_what_was_edited_outside_is_seen_and_mended(tasks: Schtasks, store: Store, old: str, new: str):
    tasks.install([job()])
    for path in store.folder.glob("*.task"):  # without the blanks between elements
        path.write_text(
            "".join(line.strip() for line in path.read_text(encoding="utf-8").splitlines()), encoding="utf-8"
        )
    assert entry_of(tasks, "satis").times == tasks.entry_for(job()).times
    store.change("satis", old, new)
    assert entry_of(tasks, "satis").times != tasks.entry_for(job()).times
    assert len(tasks.install([job()])) == 1
    assert entry_of(tasks, "satis").times == tasks.entry_for(job()).times


def test_a_task_that_starts_while_nobody_is_logged_on_goes_on_doing_so(tasks: Schtasks, store: Store):
    tasks.install([job()])
    store.change("satis", ">InteractiveToken<", ">S4U<")
    assert entry_of(tasks, "satis").times == tasks.entry_for(job()).times
    assert tasks.install([job()]) == []
    assert len(tasks.install([job(schedule=Daily((840,)))])) == 1
    assert ">S4U<" in "".join(store.files().values())
    store.change("satis", ">S4U<", ">Password<")
    assert "LogonType=Password" in entry_of(tasks, "satis").times


def log_on(store: Store, job_id: str = "satis") -> str:
    (text,) = (text for name, text in store.files().items() if name.endswith(f"-{job_id}.task"))
    return text.partition("LogonType>")[2].partition("<")[0]


def test_tasks_start_while_nobody_is_logged_on_and_only_then_again(tasks: Schtasks, store: Store):
    tasks.install([job(), job("stok")])
    changes = tasks.without_log_on(["satis", "absent"], wanted=True)
    assert (len(changes), log_on(store), log_on(store, "stok")) == (1, "S4U", "InteractiveToken")
    assert starts_without_log_on(entry_of(tasks, "satis").text)
    assert tasks.without_log_on(["satis"], wanted=True) == []
    tasks.undo(changes[0])
    assert log_on(store) == "InteractiveToken"
    tasks.without_log_on(["satis"], wanted=True)
    assert len(tasks.without_log_on(["satis"], wanted=False)) == 1
    assert log_on(store) == "InteractiveToken"


@pytest.mark.parametrize("way", ["no-administrator", "forgets-log-on"])
def test_what_windows_does_not_let_start_without_log_on_stays_as_it_was(tasks: Schtasks, store: Store, way: str):
    tasks.install([job(), job("stok")])
    store.behaves(way)
    with pytest.raises(TriggerError, match="task-log-on-refused") as refused:
        tasks.without_log_on(["satis", "stok"], wanted=True)
    assert ("Access is denied" if way == "no-administrator" else "S4U") in sentence(refused.value)
    store.behaves()
    assert (log_on(store), log_on(store, "stok")) == ("InteractiveToken", "InteractiveToken")
    assert tasks.install([job(), job("stok")]) == []


def test_a_task_with_a_second_action_has_no_command_of_ours(tasks: Schtasks, store: Store):
    tasks.install([job()])
    store.change("satis", "</Exec>", "</Exec><Exec><Command>evil.exe</Command></Exec>")
    assert entry_of(tasks, "satis").command == ()
    tasks.install([job()])
    assert started_job(entry_of(tasks, "satis").command) == "satis"


def test_undo_of_what_somebody_deleted_is_refused(tasks: Schtasks, store: Store):
    changes = tasks.install([job()])
    for path in store.folder.glob("*.task"):
        path.unlink()
    with pytest.raises(TriggerError, match="undo-changed-since"):
        tasks.undo(changes[0])


def test_the_same_document_in_another_writing_is_no_difference():
    for path in (Path(__file__).parent / "data" / "tasks").glob("*.xml"):
        text = path.read_text(encoding="utf-8")
        documents = [
            tasks_in(printed, "cp1254")[0].document
            for printed in (
                text.encode("utf-16"),
                b"\xfe\xff" + text.encode("utf-16-be"),
                text.encode("utf-16-be"),
                b"\xef\xbb\xbf" + text.encode(),
                text.replace("\n", "\r\n").encode(),
            )
        ]
        assert [differences(documents[0], other, USER) for other in documents[1:]] == [[], [], [], []]


# ---------------------------------------------------------------- the real runner


JOB = """
title = "Bekleyen"
[schedule]
daily = ["02:30"]
[window]
step = "1m"
start = 2026-01-01T00:00:00Z
catch_up = "latest"
lateness = "0s"
[effect]
kind = "command"
argv = [{python}, "-c", "import pathlib, time; pathlib.Path({mark}).touch(); time.sleep(60)"]
"""


# P23: a run that hangs swallows no later start, and P25: from any folder, with next to no environment
def test_starts_beside_a_run_that_hangs_say_who_holds_the_job(
    tasks: Schtasks, birkez_home: Places, run_birkez: Birkez, tmp_path: Path
):
    mark, folder = tmp_path / "begun", tmp_path / "elsewhere"
    folder.mkdir()
    file = Path(birkez_home.jobs_dir) / "bekleyen.toml"
    file.write_text(JOB.format(python=json.dumps(sys.executable), mark=repr(str(mark))), encoding="utf-8")
    tasks.install([job("bekleyen")])
    command = entry_of(tasks, "bekleyen").command
    hanging = subprocess.Popen(command, cwd=folder, env={"PATH": "/nowhere"})
    try:
        deadline = time.monotonic() + 15
        while not mark.exists():
            assert hanging.poll() is None
            assert time.monotonic() < deadline
            time.sleep(0.05)
        for _ in range(2):
            done = subprocess.run(command, cwd=folder, env={"PATH": "/nowhere"}, capture_output=True, check=False)
            assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
    finally:
        hanging.terminate()
        hanging.wait(15)
    log = Path(birkez_home.log_file("bekleyen")).read_text(encoding="utf-8")
    skipped = [line for line in log.splitlines() if " ATLANDI " in line and "sebep=kilit" in line]
    assert len(skipped) == 2
    assert all(f"pid={hanging.pid}" in line and "tetik=zamanli" in line for line in skipped)
    assert os.listdir(folder) == []


# P25
def test_a_start_whose_job_is_gone_ends_as_such_and_makes_nothing(tasks: Schtasks, birkez_home: Places, tmp_path: Path):
    tasks.install([job()])
    before = set(Path(birkez_home.jobs_dir).iterdir())
    (tmp_path / "elsewhere").mkdir()
    done = subprocess.run(
        entry_of(tasks, "satis").command, cwd=tmp_path / "elsewhere", env={"PATH": "/nowhere"}, check=False
    )
    assert done.returncode == 3
    assert set(Path(birkez_home.jobs_dir).iterdir()) == before
    assert os.listdir(tmp_path / "elsewhere") == []
    assert not Path(birkez_home.ledger_db).exists()


def test_monthly_tasks_come_back_with_their_last_day(tasks: Schtasks):
    wanted = job(schedule=Monthly((1, 31, -1), (360,)))
    tasks.install([wanted])
    assert "Day=Last" in entry_of(tasks, "satis").times[0]
    assert entry_of(tasks, "satis").times == tasks.entry_for(wanted).times
