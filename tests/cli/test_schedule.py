"""`birkez schedule` and what other commands do with the scheduler, on a crontab that is a real program."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from datetime import UTC, datetime
from pathlib import Path

import pytest

from tests.cli.conftest import TURKISH, on_a_terminal
from tests.trigger.crontab_fake import FakeCrontab
from trayapp.log.job_log import parse_line

pytestmark = pytest.mark.posix
NOW = datetime(2026, 9, 4, 10, 7, tzinfo=UTC)
FOREIGN = b'MAILTO=""\r\n# \xfd\xfe\n5 4 * * * /usr/bin/true'


@pytest.fixture(autouse=True)
def crontab(tmp_path_factory, monkeypatch) -> FakeCrontab:
    fake = FakeCrontab(tmp_path_factory.mktemp("crontab"))
    monkeypatch.setenv("PATH", fake.path)
    monkeypatch.setenv("BIRKEZ_SCHEDULER", "crontab")
    return fake


@pytest.fixture
def daily(desk):
    """A function that writes a job file with a schedule of its own."""

    def write(schedule: str = 'daily = ["02:30"]', **options: str) -> Path:
        desk.make_database()
        path = desk.sql_file(**options)
        path.write_text(path.read_text(encoding="utf-8").replace('every = "1h"', schedule), encoding="utf-8")
        return path

    return write


@pytest.fixture
def sales(birkez, daily):
    """The job `sales`, added and registered."""
    added = birkez("job", "add", daily(), "--id", "sales")
    assert added.returncode == 0, added.stderr
    return added


def our_lines(crontab: FakeCrontab) -> list[str]:
    table = crontab.table or b""
    return [line for line in table.decode("utf-8", "replace").splitlines() if "--trigger" in line]


def states(ask_json, status: int = 0) -> dict[str, str]:
    return {job["job"]: job["state"] for job in ask_json("schedule", "list", status=status)["jobs"]}


def is_registered(state: str) -> bool:
    return state in ("installed", "stopped")  # no daemon need run where the tests do


# ---------------------------------------------------------------- the life of a job


def test_added_job_is_registered_and_says_when_it_starts(sales, crontab):
    assert "crontab starts sales: every day at 02:30; next at" in sales.stdout
    lines = our_lines(crontab)
    assert [line.split(" ", 5)[:5] for line in lines[:1]] == [["30", "2", "*", "*", "*"]]
    assert lines[1].startswith("@reboot ")


def test_line_in_the_crontab_starts_the_job(sales, crontab, desk):
    command = our_lines(crontab)[0].split(" ", 5)[5]
    home = {"HOME": str(desk.folder), "PATH": "/usr/bin:/bin", "SHELL": "/bin/sh"}
    ended = subprocess.run(["/bin/sh", "-c", command], env=home, cwd="/", capture_output=True, check=False)
    assert (ended.returncode, ended.stdout, ended.stderr) == (0, b"", b"")
    assert len(desk.took()) == 3


def test_no_schedule_leaves_the_crontab_alone_and_shows_the_line(birkez, daily, crontab):
    added = birkez("job", "add", daily(), "--id", "sales", "--no-schedule")
    assert crontab.table is None
    assert "30 2 * * *" in added.stdout


def test_job_without_schedule_or_disabled_is_not_registered(birkez, daily, crontab):
    path = daily()
    path.write_text(path.read_text(encoding="utf-8").replace("[schedule]", "enabled = false\n[schedule]"), "utf-8")
    assert birkez("job", "add", path, "--id", "off").returncode == 0
    assert crontab.table is None


def test_life_of_a_job_leaves_every_foreign_byte(birkez, daily, crontab):  # P01, P13
    crontab.table = FOREIGN
    birkez("job", "add", daily(), "--id", "sales")
    assert our_lines(crontab)
    assert "taken out" in birkez("job", "disable", "sales").stdout
    assert crontab.table == FOREIGN
    assert "crontab starts sales" in birkez("job", "enable", "sales").stdout
    assert our_lines(crontab)
    assert "taken out" in birkez("job", "remove", "sales").stdout
    assert crontab.table == FOREIGN


def test_refused_crontab_loses_no_job_and_says_what_to_do(birkez, daily, crontab, ask_json):  # P03
    crontab.table = FOREIGN
    crontab.let("list-fails", "crontab: PAM: Authentication failure")
    added = birkez("job", "add", daily(), "--id", "sales")
    assert added.returncode == 0
    assert "PAM: Authentication failure" in added.stderr
    assert "birkez schedule install sales" in added.stderr
    assert crontab.writes() == 0
    crontab.mend()
    assert states(ask_json) == {"sales": "missing"}
    assert birkez("schedule", "install", "sales").returncode == 0
    assert our_lines(crontab)


@pytest.mark.parametrize("command", ["disable", "remove"])
def test_refused_crontab_keeps_no_job_enabled(sales, birkez, crontab, command):
    crontab.table = FOREIGN + b"\n" + crontab.table
    crontab.let("write-fails", "no")
    ended = birkez("job", command, "sales")
    assert ended.returncode == 0
    assert "birkez schedule remove sales" in ended.stderr
    crontab.mend()
    assert "sales" in birkez("schedule", "remove", "sales").stdout
    assert not our_lines(crontab)


def test_missing_crontab_program_is_told(birkez, daily, monkeypatch, tmp_path):
    added = birkez("job", "add", daily(), "--id", "sales", env={"PATH": str(tmp_path)})
    assert added.returncode == 0
    assert "birkez schedule install sales" in added.stderr


def test_schedule_that_cron_cannot_say_is_refused_with_the_nearest(birkez, daily, crontab):  # P11
    added = birkez("job", "add", daily('cron = "30 6 * * 5#2"'), "--id", "sales")
    assert added.returncode == 0
    assert 'cron = "30 6 * * 5#2"' in added.stderr
    assert 'cron = "30 6 * * 5"' in added.stderr
    assert crontab.table is None
    assert birkez("schedule", "install", "sales").returncode == 4


def test_demo_leaves_the_scheduler_alone(birkez, crontab):
    assert birkez("demo", "--fast").returncode == 0
    assert not (crontab.folder / "calls").exists()


# ------------------------------------------------------------------------ import


def exported(birkez, daily, desk) -> Path:
    birkez("job", "add", daily(), "--id", "sales", "--no-schedule")
    birkez("job", "export", desk.folder / "all.zip")
    birkez("job", "remove", "sales", "--forget")
    return desk.folder / "all.zip"


def test_imported_jobs_are_not_registered_unasked(birkez, daily, desk, crontab):
    path = exported(birkez, daily, desk)
    ended = birkez("job", "import", path, "--from-start")
    assert "birkez schedule install sales" in ended.stdout
    assert crontab.table is None


@pytest.mark.parametrize(("option", "lines"), [("--schedule", 2), ("--no-schedule", 0)])
def test_import_takes_the_answer_as_an_option(birkez, daily, desk, crontab, option, lines):
    assert birkez("job", "import", exported(birkez, daily, desk), "--from-start", option).returncode == 0
    assert len(our_lines(crontab)) == lines


@pytest.mark.parametrize(("answer", "lines"), [("y", 2), ("n", 0)])
def test_import_asks_a_person(birkez, daily, desk, crontab, answer, lines):
    said, status = on_a_terminal(birkez, answer, "job", "import", "--from-start", str(exported(birkez, daily, desk)))
    assert (status, len(our_lines(crontab))) == (0, lines)
    assert "start 1 job by its schedule?" in said


# ---------------------------------------------------------------- schedule list, check


def test_list_says_how_it_stands_with_each_job(sales, birkez, daily, crontab, ask_json):
    birkez("job", "add", daily(title="Off", name="off.toml"), "--id", "off")
    birkez("job", "disable", "off")
    found = states(ask_json)
    assert is_registered(found["sales"])
    assert found["off"] == "not-wanted"
    listed = birkez("schedule", "list").stdout
    assert "every day at 02:30" in listed


def test_edited_entry_is_told_and_repaired(sales, birkez, crontab, ask_json):
    before = crontab.table
    crontab.table = before.replace(b"30 2 * * *", b"45 2 * * *")
    assert states(ask_json) == {"sales": "edited"}
    checked = birkez("schedule", "check")
    assert checked.returncode == 4
    assert "changed outside" in checked.stdout + checked.stderr
    assert "birkez schedule check sales --repair" in checked.stdout
    birkez("schedule", "check", "--repair")
    assert crontab.table == before


def test_moved_program_is_told_and_repaired(sales, birkez, crontab, ask_json):
    before = crontab.table
    lines = before.replace(b"/bin/python", b"/gone/python")
    assert lines != before
    crontab.table = lines
    assert states(ask_json) == {"sales": "moved"}
    assert "/gone/python" in birkez("schedule", "check").stderr
    birkez("schedule", "check", "sales", "--repair")
    assert is_registered(states(ask_json)["sales"])


def test_switched_off_entry_is_told(sales, crontab, ask_json):
    crontab.table = crontab.table.replace(b"30 2", b"# 30 2")
    assert states(ask_json) == {"sales": "disabled"}


def test_unreadable_jobs_change_no_entry(sales, birkez, desk, crontab):
    before = crontab.table
    desk.break_job("sales")
    for words in (
        ["schedule", "install", "--all"],
        ["schedule", "check", "--repair"],
        ["schedule", "install", "sales"],
    ):
        assert birkez(*words).returncode != 0
    assert crontab.table == before
    shutil.rmtree(desk.places.jobs_dir)
    ended = birkez("schedule", "check", "--repair")
    assert ended.returncode == 4
    assert desk.places.jobs_dir in ended.stderr
    assert crontab.table == before


def test_home_that_is_gone_takes_no_entry_with_it_but_by_name(sales, birkez, desk, crontab):
    before = crontab.table
    shutil.rmtree(os.path.dirname(desk.places.config))  # a stick that is pulled out
    assert birkez("schedule", "check", "--repair").returncode == 4
    assert birkez("schedule", "list").returncode == 0
    assert crontab.table == before
    os.makedirs(desk.places.jobs_dir)  # or an empty folder where the drive should be
    assert birkez("schedule", "check", "--repair").returncode == 4
    assert crontab.table == before
    assert birkez("schedule", "remove", "--all").returncode == 0
    assert crontab.table is None


def test_remove_all_takes_every_entry_and_no_foreign_byte(birkez, daily, crontab):
    crontab.table = FOREIGN
    for number in range(3):
        birkez("job", "add", daily(title=f"Job {number}", name=f"{number}.toml"), "--id", f"job-{number}")
    assert len(our_lines(crontab)) == 4
    assert birkez("schedule", "remove", "--all").returncode == 0
    assert crontab.table == FOREIGN


def test_install_all_registers_what_wants_it(birkez, daily, crontab):
    for number in range(2):
        path = daily(title=f"Job {number}", name=f"{number}.toml")
        birkez("job", "add", path, "--id", f"job-{number}", "--no-schedule")
    ended = birkez("schedule", "install", "--all", "--json")
    assert json.loads(ended.stdout)["installed"] == ["job-0", "job-1"]
    assert len(our_lines(crontab)) == 3


@pytest.mark.parametrize("words", [["install"], ["remove"], ["install", "sales", "--all"]])
def test_jobs_or_all_must_be_said(birkez, words):
    assert birkez("schedule", *words).returncode == 2


@pytest.mark.parametrize("words", [["install", "nobody"], ["show", "nobody"], ["check", "nobody"]])
def test_unknown_job_is_told(birkez, words):
    assert birkez("schedule", *words).returncode == 3


@pytest.mark.parametrize("command", ["list", "check", "undo"])
def test_without_a_scheduler_it_says_so(birkez, command):
    ended = birkez("schedule", command, env={"BIRKEZ_SCHEDULER": "none"})
    assert ended.returncode == 2
    assert "BIRKEZ_SCHEDULER" in ended.stderr


# -------------------------------------------------------------------- schedule show


def test_show_tells_the_next_starts_in_local_and_universal_time(sales, birkez):
    ended = birkez("schedule", "show", "sales", "-n", "2", faketime=NOW, env={"TZ": "Europe/Istanbul"})
    assert "05.09.2026 02:30  04.09.2026 23:30" in ended.stdout
    assert "06.09.2026 02:30  05.09.2026 23:30" in ended.stdout
    assert "07.09.2026" not in ended.stdout


def test_show_has_the_entry_as_the_scheduler_keeps_it(sales, birkez, crontab):
    shown = birkez("schedule", "show", "sales").stdout.splitlines()
    assert our_lines(crontab)[0] in shown


@pytest.mark.parametrize(
    ("scheduler", "part"),
    [("crontab", "30 2 * * *"), ("schtasks", "<ScheduleByDay>"), ("launchd", "<key>StartCalendarInterval</key>")],
)
def test_show_renders_the_entry_of_every_scheduler(sales, birkez, scheduler, part):
    ended = birkez("schedule", "show", "sales", "--for", scheduler)
    assert ended.returncode == 0, ended.stderr
    assert part in ended.stdout


def test_show_says_why_a_scheduler_cannot(birkez, daily):
    birkez("job", "add", daily('cron = "30 6 * * 5#2"'), "--id", "sales", "--no-schedule")
    ended = birkez("schedule", "show", "sales", "--for", "launchd", "--json")
    assert ended.returncode == 4
    told = json.loads(ended.stdout)
    assert told["entry"] is None
    assert told["error"]["code"] == "schedule-not-sayable"
    assert len(told["next_starts"]) == 5


# ----------------------------------------------------------------------------- undo


def test_undo_puts_the_last_change_back_byte_for_byte(birkez, daily, crontab):
    crontab.table = FOREIGN
    birkez("job", "add", daily(), "--id", "sales")
    registered = crontab.table
    birkez("schedule", "remove", "sales")
    assert crontab.table == FOREIGN
    undone = birkez("schedule", "undo")
    assert (undone.returncode, crontab.table) == (0, registered)
    assert "sales" in undone.stdout
    again = birkez("schedule", "undo")
    assert (again.returncode, crontab.table) == (4, registered)


def test_undo_of_a_registration_says_what_differs_then(sales, birkez, crontab):
    assert "birkez schedule check" in birkez("schedule", "undo").stdout
    assert crontab.table is None


def test_eight_jobs_added_at_once_lose_no_entry(birkez, daily, crontab):
    crontab.table = FOREIGN
    crontab.let("slowly")
    paths = [daily(title=f"Job {number}", name=f"{number}.toml") for number in range(8)]
    started = [birkez.start("job", "add", path, "--id", f"job-{n}") for n, path in enumerate(paths)]
    for process in started:
        _said, errors = process.communicate(timeout=60)
        assert process.returncode == 0, errors
    assert len(our_lines(crontab)) == 9
    assert crontab.table.startswith(FOREIGN)


# ---------------------------------------------------------------- status and doctor


def test_status_tells_the_next_start_or_what_is_wrong(sales, birkez, crontab, ask_json):
    trigger = ask_json("status", "sales")["jobs"][0]["trigger"]
    assert trigger["scheduler"] == "crontab"
    assert is_registered(trigger["state"])
    crontab.table = None
    told = birkez("status", "sales").stdout
    assert "crontab has no entry for it" in told
    assert "birkez schedule check sales --repair" in told


def test_doctor_finds_what_is_wrong_with_its_remedy(sales, birkez, crontab, ask_json):
    crontab.table = crontab.table.replace(b"run sales", b"run gone")
    found = {finding["code"]: finding for finding in ask_json("doctor", status=4)}
    assert found["trigger-missing"]["remedy"] == ["schedule", "check", "sales", "--repair"]
    assert found["trigger-orphan"]["remedy"] == ["schedule", "remove", "gone"]
    for finding in found.values():
        assert "{" not in finding["sentence"]


def test_doctor_needs_no_scheduler_without_jobs_for_it(birkez, monkeypatch, tmp_path, ask_json):
    monkeypatch.setenv("PATH", str(tmp_path))
    assert not [finding for finding in ask_json("doctor") if finding["code"].startswith(("trigger", "crontab"))]


# ------------------------------------------------------------------ a job that is gone


def test_entry_of_a_job_that_is_gone_is_heard_once(birkez, desk):  # P13
    desk.add_sql()
    os.unlink(desk.places.job_file("sales"))
    before = sorted(str(path) for path in Path(desk.places.state).rglob("*"))
    first, second, third = (birkez("run", "sales", "--trigger", "schedule") for _ in range(3))
    assert [ended.returncode for ended in (first, second, third)] == [3, 3, 3]
    assert "sales" in first.stderr
    assert (second.stderr, third.stderr) == ("", "")
    lines = Path(desk.places.common_log).read_text(encoding="utf-8").splitlines()
    assert [parse_line(line).fields["is"] for line in lines] == ["sales"] * 3
    new = {str(path) for path in Path(desk.places.state).rglob("*")} - set(before)
    assert {os.path.basename(path) for path in new} == {"_common.log", "_common.log.lock"}


def test_each_job_that_is_gone_is_heard(birkez, desk):
    birkez("run", "one", "--trigger", "schedule")
    assert "two" in birkez("run", "two", "--trigger", "schedule").stderr


def test_list_offers_to_take_the_entry_of_a_job_that_is_gone(sales, birkez, desk, crontab):
    os.unlink(desk.places.job_file("sales"))
    assert "birkez schedule remove sales" in birkez("schedule", "list").stdout
    assert birkez("schedule", "remove", "sales").returncode == 0
    assert not our_lines(crontab)


# ------------------------------------------------------------------------- in Turkish


def test_turkish_is_spoken(birkez, daily, crontab):
    added = birkez(
        "job", "add", daily('weekly = { days = ["mon","tue","wed","thu","fri"], at = ["08:30"] }'), env=TURKISH
    )
    assert "hafta içi 08.30'da" in added.stdout
    shown = birkez("schedule", "list", env=TURKISH).stdout
    assert "hafta içi 08.30'da" in shown
