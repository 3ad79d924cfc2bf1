from __future__ import annotations

import os
import subprocess
import sys

import pytest

X = "\udcff"  # a byte that is no UTF-8, as the command line hands it on


@pytest.mark.linux
@pytest.mark.parametrize(
    "words",
    [
        ("job", "add", "FILE", "--id", X),
        ("job", "import", "FILE", "--as", X),
        ("job", "show", X),
        ("run", X),
        ("run", X, "--trigger", "schedule"),
        ("history", X),
        ("history", "--text", X),
        ("history", "--run", X),
        ("skip", "sales", "2026-01-01T00:00:00Z", "--reason", X),
        ("resolve", "sales", X, "--done", "--reason", "r"),
        ("restore", X),
    ],
)
def test_word_that_is_no_text_is_no_mistake_of_ours(run_birkez, desk, words):
    desk.add_sql()
    path = str(desk.sql_file(title="Other"))
    ended = run_birkez(*(path if word == "FILE" else word for word in words))
    assert ended.returncode in (0, 1, 2, 3, 4, 6)
    assert "Traceback" not in ended.stderr


@pytest.mark.linux
def test_home_whose_name_is_no_text_is_told(run_birkez, desk, tmp_path):
    home = os.fsdecode(os.fsencode(tmp_path) + b"/\xff")
    desk.make_database()
    path = str(desk.sql_file())
    assert run_birkez("job", "add", path, env={"BIRKEZ_HOME": home}).returncode == 0
    ended = run_birkez("run", "sales", env={"BIRKEZ_HOME": home})
    assert ended.returncode in (0, 4)
    assert "Traceback" not in ended.stderr


@pytest.mark.parametrize("words", [("history",), ("status",), ("doctor",), ("run", "sales"), ("log", "sales")])
def test_state_that_is_a_file_is_told_in_a_sentence(run_birkez, desk, birkez_home, words):
    desk.add_sql()
    import shutil

    shutil.rmtree(birkez_home.state, ignore_errors=True)
    with open(birkez_home.state, "w", encoding="utf-8"):
        pass
    ended = run_birkez(*words)
    assert ended.returncode == (0 if words == ("status",) else 4)
    assert birkez_home.state in ended.stdout + ended.stderr


def test_details_of_a_bug_are_kept_where_the_state_folder_cannot(run_birkez, birkez_home, tmp_path):
    import shutil

    shutil.rmtree(birkez_home.state, ignore_errors=True)
    with open(birkez_home.state, "w", encoding="utf-8"):
        pass
    broken = "import sys, trayapp.cli.language_command as m; m._handle = lambda words: 1 / 0\n"
    broken += "from trayapp.cli.main import main; sys.exit(main(['language']))"
    told = start(run_birkez, broken, TMPDIR=str(tmp_path), TEMP=str(tmp_path), TMP=str(tmp_path))
    assert told.returncode == 70
    (path,) = tmp_path.glob("bug-*.txt")
    assert str(path) in told.stderr
    assert "ZeroDivisionError" in path.read_text(encoding="utf-8")


INTERRUPTED = """
import os, signal, sys
def interrupt():
    os.kill(os.getpid(), signal.SIGINT)
class Finder:
    def find_spec(name, *_):
        if name == os.environ["AT"]:
            interrupt()
class Dropped:
    def __del__(self):
        interrupt()
sys.meta_path.insert(0, Finder)
if os.environ["AT"] == "drop":
    import trayapp.cli.language_command as command
    command._handle = lambda words: bool(Dropped()) - 1
from trayapp.__main__ import main
sys.exit(main())
"""
SCHEDULED = ("run", "sales", "--trigger", "schedule")


@pytest.mark.posix
@pytest.mark.parametrize(
    ("at", "words"),
    [
        ("trayapp.cli.main", ("status",)),
        ("trayapp.cli.terminal", ("status",)),
        ("trayapp.cli.arguments", ("status",)),
        ("trayapp.cli.status_command", ("status",)),
        ("trayapp.cli.scheduled", SCHEDULED),
        ("trayapp.runner.pipeline", SCHEDULED),
        ("trayapp.job.cache", SCHEDULED),
        ("drop", ("language",)),
    ],
)
def test_ctrl_c_while_modules_are_loaded_ends_at_once_without_a_traceback(run_birkez, desk, at, words):
    desk.add_sql()
    ended = start(run_birkez, INTERRUPTED, *words, AT=at)
    assert (ended.returncode, ended.stdout, ended.stderr) == (130, "", "")
    assert desk.took() == []


@pytest.mark.posix
def test_ctrl_c_that_is_ignored_stays_ignored(run_birkez, desk):
    """As a shell starts what runs in the background."""
    desk.add_sql()
    ignoring = "import signal\nsignal.signal(signal.SIGINT, signal.SIG_IGN)\n" + INTERRUPTED
    assert start(run_birkez, ignoring, "status", AT="trayapp.cli.main").returncode == 0


def start(birkez, code, *words, **environment):
    return subprocess.run(
        [sys.executable, "-c", code, *words],
        env={**birkez.environment(), **environment},
        capture_output=True,
        encoding="utf-8",
        timeout=30,
        check=False,
    )


@pytest.mark.linux
@pytest.mark.parametrize("words", [["run", "sales"], ["status"], ["job", "list"]])
def test_output_that_cannot_be_written_is_told_and_is_no_bug(birkez, desk, words):
    desk.add_sql()
    with open("/dev/full", "w") as full:
        told = subprocess.run(
            [sys.executable, "-m", "trayapp", *words],
            env=birkez.environment(),
            stdout=full,
            stderr=subprocess.PIPE,
            encoding="utf-8",
            check=False,
            timeout=60,
        )
    assert "cannot be written to where the output goes: No space left" in told.stderr
    assert told.returncode == (0 if words[0] == "run" else 4)


def test_pause_of_a_job_at_work_says_that_its_run_goes_on(birkez, desk):
    desk.add_sql()
    assert "goes on" not in birkez("pause", "sales").stdout
    with desk.hold("sales"):
        assert f"pid {os.getpid()}) goes on to its end" in birkez("pause", "sales").stdout
