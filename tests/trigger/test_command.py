"""The words that a scheduler keeps, and that they start the job from nothing but those words."""

from __future__ import annotations

import os
import shutil
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

from trayapp.errors import TriggerError
from trayapp.places import Places, find_places, user_places
from trayapp.trigger import command
from trayapp.trigger.backend import ALL_JOBS
from trayapp.trigger.command import doubts, runner_command, started_job

CHECKOUT = Path(command.__file__).resolve().parents[2]
NASTY = 'Ayşe\'nin & "%d" \\n $HOME `x` #1 klasörü'


def places_in(home: Path | str) -> Places:
    return Places(os.path.join(home, "config"), os.path.join(home, "state"))


# --------------------------------------------------------------------- the words


def test_words_are_absolute_isolated_and_name_job_and_home(birkez_home):
    argv = runner_command(birkez_home, "sales")
    at = argv.index("run")
    assert argv[at:] == ("run", "sales", "--trigger", "schedule", "--home", os.path.dirname(birkez_home.config))
    assert argv[1:3] == ("-I", "-S")
    assert all(os.path.isabs(word) and os.path.isfile(word) for word in (argv[0], argv[3]))
    assert argv[3].startswith(str(CHECKOUT))


def test_all_jobs_are_started_as_the_computer_comes_up(birkez_home):
    argv = runner_command(birkez_home, ALL_JOBS)
    assert argv[argv.index("run") :][:4] == ("run", "--all", "--trigger", "boot")


@pytest.mark.parametrize("job", ["run", "sales", "trigger-1", ALL_JOBS])
def test_started_job_is_read_back_from_its_words(birkez_home, job):
    assert started_job(runner_command(birkez_home, job)) == job


@pytest.mark.parametrize(
    "words",
    [
        (),
        ("run",),
        ("/usr/bin/backup", "run", "sales"),
        ("birkez", "run", "sales", "--trigger", "manual"),
        ("birkez", "run", "--trigger", "schedule"),
        ("birkez", "status"),
    ],
)
def test_other_commands_are_not_ours(words):
    assert started_job(words) is None


@pytest.mark.linux
def test_places_of_the_person_are_named_too(monkeypatch):
    # A crontab may set HOME, XDG_CONFIG_HOME and BIRKEZ_HOME above our line.
    monkeypatch.delenv("BIRKEZ_HOME")
    monkeypatch.setenv("XDG_CONFIG_HOME", "/srv/ayar dosyaları")
    argv = runner_command(find_places(), "sales")
    assert argv[-3:] == ("--xdg", "/srv/ayar dosyaları", os.path.expanduser("~/.local/state"))


@pytest.mark.linux
def test_places_of_no_home_are_refused():
    with pytest.raises(TriggerError) as refused:
        runner_command(Places("/a/config", "/b/state"), "sales")
    assert refused.value.code == "trigger-home-unsayable"


@pytest.mark.skipif(sys.platform not in ("win32", "darwin"), reason="elsewhere variables say where the places are")
def test_places_that_no_variable_moves_need_no_words(monkeypatch):
    monkeypatch.delenv("BIRKEZ_HOME")
    assert runner_command(user_places(), "sales")[-3:] == ("sales", "--trigger", "schedule")


# ------------------------------------------------------------------- the program


@pytest.fixture
def program(tmp_path, monkeypatch):
    """Pretend that Birkez runs from *path*; makes the file, and takes no folder for a temporary one."""

    def pretend(path: str, *, frozen: bool = True, content: bytes = b"\x7fELF") -> str:
        file = tmp_path / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(content)
        monkeypatch.setattr(sys, "executable", str(file))
        monkeypatch.setattr(sys, "frozen", frozen, raising=False)
        return str(file)

    for variable in ("APPIMAGE", "APPDIR"):
        monkeypatch.delenv(variable, raising=False)
    monkeypatch.setattr(command, "_fleeting_folders", lambda: iter([str(tmp_path / "temporary")]))
    return pretend


@pytest.mark.posix
def test_frozen_tray_is_not_started_a_second_time(program, birkez_home):
    runner = program("opt/birkez/birkez")
    program("opt/birkez/birkez-tray")
    assert runner_command(birkez_home, "sales")[:3] == (runner, "run", "sales")


def test_frozen_program_without_its_runner_is_refused(program, birkez_home):
    program("opt/birkez/birkez-tray")
    with pytest.raises(TriggerError) as refused:
        runner_command(birkez_home, "sales")
    assert refused.value.code == "trigger-program-missing"


def test_program_unpacked_into_a_temporary_folder_is_refused(program, birkez_home):
    # As when it is started from inside a ZIP file.
    program("temporary/Temp1_birkez.zip/birkez")
    program("temporary/Temp1_birkez.zip/birkez-run.exe")
    with pytest.raises(TriggerError) as refused:
        runner_command(birkez_home, "sales")
    assert refused.value.code == "trigger-program-vanishes"


def test_program_that_unpacks_itself_is_no_home_for_a_trigger(monkeypatch, tmp_path):
    monkeypatch.setattr(sys, "_MEIPASS", str(tmp_path / "_MEI12"), raising=False)
    assert str(tmp_path / "_MEI12") in list(command._fleeting_folders())


@pytest.mark.posix
def test_app_image_is_named_by_its_own_file(program, birkez_home, monkeypatch, tmp_path):  # P85
    image = tmp_path / "My Apps" / "z.AppImage"
    image.parent.mkdir()
    image.write_bytes(b"\x7fELF")
    program("temporary/.mount_zABC/usr/bin/birkez-tray")
    monkeypatch.setenv("APPIMAGE", str(image))
    assert runner_command(birkez_home, "sales")[:2] == (str(image), "run")


@pytest.mark.posix
def test_app_image_that_does_not_say_its_file_is_refused(program, birkez_home):
    program("temporary/.mount_zABC/usr/bin/birkez")
    with pytest.raises(TriggerError) as refused:
        runner_command(birkez_home, "sales")
    assert refused.value.code == "trigger-program-vanishes"


@pytest.mark.posix
def test_app_image_of_the_terminal_is_not_ours(program, birkez_home, monkeypatch, tmp_path):
    runner = program("opt/birkez/birkez")
    monkeypatch.setenv("APPIMAGE", str(tmp_path / "terminal.AppImage"))
    monkeypatch.setenv("APPDIR", str(tmp_path / "temporary/.mount_term"))
    assert runner_command(birkez_home, "sales")[0] == runner


@pytest.mark.linux
def test_shim_of_a_version_manager_is_passed_over(program, birkez_home):
    program(".pyenv/shims/python3", frozen=False, content=b"#!/usr/bin/env bash\nexec pyenv exec python3\n")
    interpreter = runner_command(birkez_home, "sales")[0]
    assert Path(interpreter).samefile("/proc/self/exe")
    assert not Path(interpreter).is_relative_to("/proc")


@pytest.mark.posix
def test_environment_keeps_its_own_interpreter(program, birkez_home):
    python = program("office/.venv/bin/python3", frozen=False)
    assert runner_command(birkez_home, "sales")[0] == python


@pytest.mark.win32
def test_interpreter_has_no_console(birkez_home):
    assert os.path.basename(runner_command(birkez_home, "sales")[0]).lower() == "pythonw.exe"


@pytest.mark.parametrize(("name", "windowless"), [("python.exe", "pythonw.exe"), ("python3.11.exe", "pythonw3.11.exe")])
def test_interpreter_without_a_console_stands_beside(tmp_path, name, windowless):
    (tmp_path / windowless).touch()
    assert command._windowless(str(tmp_path / name)) == str(tmp_path / windowless)
    assert command._windowless(str(tmp_path / windowless)) == str(tmp_path / windowless)


def test_missing_interpreter_without_a_console_is_told(tmp_path):
    with pytest.raises(TriggerError):
        command._windowless(str(tmp_path / "python.exe"))


@pytest.mark.posix
def test_checkout_in_a_temporary_folder_is_doubted(program, monkeypatch, tmp_path):
    program("home/birkez/.venv/bin/python", frozen=False)
    assert doubts() == []
    path = program("temporary/birkez/.venv/bin/python", frozen=False)
    assert [(doubt.code, doubt.facts["path"]) for doubt in doubts()] == [("trigger-program-vanishes", path)]


# ------------------------------------------------------------------ and they work


def make_job(places: Places, folder: Path, job_id: str = "sales", schedule: str = 'daily = ["03:00"]') -> Path:
    """Make a job with closed windows of hours; returns the database that its start changes."""
    places.make_folders()
    database = folder / "shop.db"
    with closing(sqlite3.connect(database)) as connection:
        connection.execute("CREATE TABLE took (start TEXT)")
    (folder / "sum.sql").write_text("INSERT INTO took VALUES (:start);", encoding="utf-8")
    Path(places.job_file(job_id)).write_text(
        f"title = 'Satış'\n[schedule]\n{schedule}\n[window]\nstep = '1h'\nmax_per_run = 1\n"
        f"start = 2026-09-04T10:00:00Z\n[effect]\nkind = 'sql'\n"
        f"database = {str(database)!r}\nscript = {str(folder / 'sum.sql')!r}\n",
        encoding="utf-8",
    )
    return database


def count_of(database: Path) -> int:
    with closing(sqlite3.connect(database)) as connection:
        return connection.execute("SELECT count(*) FROM took").fetchone()[0]


def start_bare(argv: tuple[str, ...], **environment: str) -> subprocess.CompletedProcess[str]:
    """Start *argv* with the little that cron gives."""
    kept = {name: os.environ[name] for name in ("SYSTEMROOT", "WINEPREFIX") if name in os.environ}
    return subprocess.run(
        argv, env={**kept, "PATH": "/usr/bin:/bin", **environment}, cwd="/", capture_output=True, text=True, check=False
    )


@pytest.mark.parametrize("name", ["ofis", "Ayşe'nin %d & Çağrı klasörü", pytest.param(NASTY, marks=pytest.mark.posix)])
def test_job_is_started_by_the_words_alone(tmp_path, name):
    folder = tmp_path / name
    folder.mkdir()
    places = places_in(folder / "birkez")
    database = make_job(places, tmp_path)
    done = start_bare(runner_command(places, "sales"))
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    assert count_of(database) == 1
    done = start_bare(runner_command(places, ALL_JOBS))
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    assert count_of(database) == 2


@pytest.mark.linux
def test_variables_of_a_crontab_do_not_lead_to_another_home(tmp_path, monkeypatch):
    monkeypatch.delenv("BIRKEZ_HOME")
    database = make_job(find_places(), tmp_path)
    wrong = {"HOME": "/nonexistent", "BIRKEZ_HOME": "/nonexistent", "XDG_STATE_HOME": "/nonexistent"}
    wrong |= {"PYTHONHOME": "/nonexistent", "PYTHONPATH": "/nonexistent", "LC_ALL": "POSIX"}
    for job in ("sales", ALL_JOBS):
        done = start_bare(runner_command(find_places(), job), **wrong)
        assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    assert count_of(database) == 2


@pytest.mark.posix
def test_packages_of_the_environment_are_found_where_a_start_needs_one(tmp_path):
    # cronsim is one, and stands nowhere but in the environment; the bare start has not looked there.
    cronsim = Path(sys.modules["cronsim"].__file__ if "cronsim" in sys.modules else __import__("cronsim").__file__)
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", tmp_path / "venv"], check=True)
    (packages,) = (tmp_path / "venv").glob("lib/python*/site-packages")
    shutil.copytree(cronsim.parent, packages / "cronsim")
    places = places_in(tmp_path / "birkez")
    database = make_job(places, tmp_path, schedule="cron = '0 3 * * *'")
    _python, *words = runner_command(places, "sales")
    done = start_bare((str(tmp_path / "venv/bin/python"), *words))
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    assert count_of(database) == 1


def test_home_is_heard_before_other_words_too(run_birkez, tmp_path):
    places = places_in(tmp_path / "other")
    database = make_job(places, tmp_path)
    done = run_birkez("run", "sales", "--home", os.path.dirname(places.config), "--json")
    assert done.returncode == 0, done
    assert count_of(database) == 1


def test_entry_whose_job_is_gone_leaves_one_line_and_no_file(tmp_path):  # P13
    places = places_in(tmp_path / "birkez")
    make_job(places, tmp_path)
    assert start_bare(runner_command(places, "sales")).returncode == 0
    Path(places.job_file("sales")).unlink()
    before = {path: path.stat().st_mtime_ns for path in tmp_path.rglob("*") if path.is_file()}
    done = start_bare(runner_command(places, "sales"))
    assert done.returncode == 3
    after = {path: path.stat().st_mtime_ns for path in tmp_path.rglob("*") if path.is_file()}
    assert set(after) - set(before) <= {Path(places.common_log), Path(places.common_log + ".lock")}
    assert all(after[path] == before[path] for path in before)
    (line,) = Path(places.common_log).read_text(encoding="utf-8").splitlines()
    assert "is=sales sebep=no-such-job" in line
