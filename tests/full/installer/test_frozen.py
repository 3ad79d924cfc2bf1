"""What of Birkez starts itself again works from the frozen program, too, where there is no interpreter to start."""

from __future__ import annotations

import json
import os
import pwd
import shlex
import shutil
import sqlite3
import subprocess
import time
import zipfile
from collections.abc import Iterator
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

pytestmark = [pytest.mark.linux, pytest.mark.timeout(300)]
_YESTERDAY = datetime.now(UTC) - timedelta(days=1)
_WINDOW = f"""
[window]
step = "1d"
timezone = "UTC"
lateness = "0s"
start = {_YESTERDAY:%Y-%m-%d}T00:00:00Z
"""  # one closed period


class Frozen:
    """The program and a home of its own."""

    def __init__(self, folder: Path, desk: Path) -> None:
        self.program = folder / "birkez" / "birkez"
        self.inside = folder / "birkez" / "_internal"
        self.desk = desk
        self.environment = {
            **{name: value for name, value in os.environ.items() if name not in ("PYTHONPATH", "LD_LIBRARY_PATH")},
            "BIRKEZ_HOME": str(desk / "home"),
        }

    def __call__(self, *words: str | os.PathLike[str], status: int = 0, **more: str) -> str:
        done = subprocess.run(
            [self.program, *words],
            env=self.environment | more,
            cwd=self.desk,
            capture_output=True,
            encoding="utf-8",
            timeout=120,
            check=False,
        )
        assert done.returncode == status, done.stdout + done.stderr
        return done.stdout

    def add(self, job_id: str, text: str) -> None:
        path = self.desk / f"{job_id}.toml"
        path.write_text(f'title = "{job_id}"\n{text}', encoding="utf-8")
        self("job", "add", path, "--id", job_id, "--no-schedule")

    def add_python(self, job_id: str, code: str, more: str = "") -> None:
        with closing(sqlite3.connect(self.desk / "sales.db")) as connection:
            connection.execute("CREATE TABLE IF NOT EXISTS took (what)")
        (self.desk / f"{job_id}.py").write_text(code, encoding="utf-8")
        effect = f'[effect]\nkind = "python"\ndatabase = "sales.db"\ncallable = "{job_id}.py:process"\n{more}'
        self.add(job_id, _WINDOW + effect)

    def took(self) -> list[object]:
        with closing(sqlite3.connect(self.desk / "sales.db")) as connection:
            return [row[0] for row in connection.execute("SELECT what FROM took")]

    def log(self, job_id: str) -> str:
        return (self.desk / "home" / "state" / "logs" / f"{job_id}.log").read_text(encoding="utf-8")


@pytest.fixture
def birkez(frozen_folder: Path, tmp_path: Path) -> Frozen:
    return Frozen(frozen_folder, tmp_path)


def test_it_knows_its_version_and_examines_itself(birkez: Frozen):
    assert birkez("--version").startswith("birkez ")
    found = json.loads(birkez("doctor", "--json"))
    assert not [one for one in found if one["weight"] == "problem"]
    assert "ISLENDI" in birkez("demo", "--fast")


def test_its_folder_holds_nothing_of_unused_qt_modules_and_of_gtk(birkez: Frozen):
    names = {path.name.lower() for path in birkez.inside.rglob("*")}
    for part in ("libgtk", "libgdk-", "qt6qml", "qt6quick", "qt6pdf", "qt6webengine", "qt6sql", "qt6multimedia"):
        assert not [name for name in names if part in name], part
    assert any("libqxcb" in name for name in names)


def test_workers_beside_a_run_make_each_item_once(birkez: Frozen):
    (birkez.desk / "ids.txt").write_text("\n".join(map(str, range(120))), encoding="utf-8")
    argv = json.dumps(["/bin/sh", "-c", 'echo "$BIRKEZ_ITEM" >> made.txt; echo x > "$BIRKEZ_OUTPUT"'])
    items = '[items]\nsource = "ids.txt"\ntarget = "out/{item}.txt"\nworkers = 2\n'
    birkez.add("items", f'{items}[effect]\nkind = "command"\nargv = {argv}\n')
    words = [str(birkez.program), "work", "items"]
    beside = [subprocess.Popen(words, env=birkez.environment, stdout=subprocess.DEVNULL) for _ in range(2)]
    birkez("run", "items")
    for worker in beside:
        assert worker.wait(60) == 0
    made = (birkez.desk / "made.txt").read_text(encoding="utf-8").split()
    assert sorted(map(int, made)) == list(range(120))
    assert len(list((birkez.desk / "out").glob("*.txt"))) == 120


def test_command_is_started_once_and_sees_nothing_of_the_program_s_own_environment(birkez: Frozen):
    argv = json.dumps(["/bin/sh", "-c", 'env > env.txt; echo "$BIRKEZ_KEY" >> keys.txt; /usr/bin/env python3 -c ""'])
    birkez.add("command", f'{_WINDOW}[effect]\nkind = "command"\nargv = {argv}\n')
    birkez("run", "command", LD_LIBRARY_PATH="/opt/own")
    birkez("run", "command")
    assert len((birkez.desk / "keys.txt").read_text(encoding="utf-8").splitlines()) == 1
    seen = dict(line.split("=", 1) for line in (birkez.desk / "env.txt").read_text().splitlines() if "=" in line)
    assert seen["LD_LIBRARY_PATH"] == "/opt/own"
    assert not [name for name in seen if name.startswith(("_MEI", "_PYI")) or name == "LD_LIBRARY_PATH_ORIG"]


def test_command_outlives_a_killed_program_and_is_not_started_beside_itself(birkez: Frozen):
    argv = json.dumps(["/bin/sh", "-c", "echo begun >> begun.txt; while [ ! -e go ]; do sleep 0.05; done"])
    birkez.add("command", f'{_WINDOW}[effect]\nkind = "command"\nargv = {argv}\n')
    runner = subprocess.Popen([birkez.program, "run", "command"], env=birkez.environment)
    try:
        _until((birkez.desk / "begun.txt").exists)
        runner.kill()
        runner.wait()
        birkez("run", "command")
        assert "sebep=kilit" in birkez.log("command")
        assert (birkez.desk / "begun.txt").read_text(encoding="utf-8").count("begun") == 1
    finally:
        (birkez.desk / "go").touch()


@pytest.mark.parametrize("method", ["spawn", "forkserver", "fork"])
def test_code_of_a_job_starts_processes_of_its_own(birkez: Frozen, method: str):
    code = f"""
import multiprocessing
from concurrent.futures import ProcessPoolExecutor

def square(number):
    return number * number

def process(window, tx):
    with ProcessPoolExecutor(2, mp_context=multiprocessing.get_context({method!r})) as pool:
        tx.execute("INSERT INTO took VALUES (?)", [sum(pool.map(square, range(5)))])
"""
    birkez.add_python("many", code, 'timeout = "60s"')
    birkez("run", "many")
    assert birkez.took() == [30]


def test_code_of_a_job_imports_any_part_of_python_s_library(birkez: Frozen):
    left_out = "{'antigravity', 'ensurepip', 'idlelib', 'lib2to3', 'this', 'tkinter', 'turtle', 'turtledemo', 'venv'}"
    code = f"""
import importlib, sys

def process(window, tx):
    for name in sorted(sys.stdlib_module_names - {left_out}):
        if name.startswith("_") or name in ("test", "pip"):
            continue
        try:
            importlib.import_module(name)
        except ImportError as error:
            if "winreg" in str(error) or "msvcrt" in str(error) or name in OTHERS:
                continue
            raise
    tx.execute("INSERT INTO took VALUES ('all')")

OTHERS = ("msilib", "winreg", "winsound", "nt", "msvcrt", "nturl2path", "ossaudiodev", "spwd", "nis", "crypt")
"""
    birkez.add_python("imports", code)
    birkez("run", "imports")
    assert birkez.took() == ["all"]


def test_run_goes_on_while_another_version_takes_the_program_s_place(birkez: Frozen, tmp_path: Path):
    place = tmp_path / "own"
    shutil.copytree(birkez.program.parent, place / "birkez", symlinks=True)
    own = Frozen(place, birkez.desk)
    code = """
import os, time

def process(window, tx):
    open("begun", "w").close()
    while not os.path.exists("go"):
        time.sleep(0.02)
    import stat, tabnanny, xml.dom.minidom, plistlib, ast, encodings.cp857, encodings.cp1254, stringprep
    tx.execute("INSERT INTO took VALUES (1)")
"""
    own.add_python("long", code)
    runner = subprocess.Popen([own.program, "run", "long"], env=own.environment, cwd=own.desk)
    _until((own.desk / "begun").exists)
    for old in (own.program, own.inside / "base_library.zip"):
        # As dpkg does it: another file under a name of its own, renamed over the old one.
        old.with_suffix(".new").write_bytes(b"another version" * 1000)
        old.with_suffix(".new").rename(old)
    (own.desk / "go").touch()
    assert runner.wait(60) == 0
    assert own.took() == [1]
    assert "ISLENDI" in own.log("long")


def test_hanging_code_is_ended_and_recorded(birkez: Frozen):
    birkez.add_python("hangs", "def process(window, tx):\n    while True:\n        pass\n", 'timeout = "1s"')
    birkez("run", "hangs", status=1)
    assert "HATA" in birkez.log("hangs")
    assert "effect-timed-out" in birkez.log("hangs")


@pytest.fixture
def installed(frozen_folder: Path, tmp_path: Path) -> Iterator[Frozen]:
    """The program where it stays: a temporary folder is refused for a scheduler's entry."""
    place = Path(pwd.getpwuid(os.getuid()).pw_dir) / f".birkez-frozen-{os.getpid()}"
    shutil.copytree(frozen_folder / "birkez", place / "birkez", symlinks=True)
    yield Frozen(place, tmp_path)
    shutil.rmtree(place)


def test_scheduler_starts_it_with_an_empty_environment(installed: Frozen):
    birkez = installed
    birkez.add_python("hourly", 'def process(window, tx):\n    tx.execute("INSERT INTO took VALUES (1)")\n')
    path = birkez.desk / "home" / "config" / "jobs" / "hourly.toml"
    path.write_text('schedule = { every = "1h" }\n' + path.read_text(encoding="utf-8"), encoding="utf-8")
    shown = birkez("schedule", "show", "hourly", "--for", "crontab")
    line = next(line for line in shown.splitlines() if "run hourly" in line)
    command = line.strip().split(" ", 5)[5].replace("\\%", "%")
    assert shlex.split(command)[0] == str(birkez.program)
    done = subprocess.run(
        ["/usr/bin/env", "-i", "HOME=/nonexistent", "PATH=/usr/bin:/bin", "SHELL=/bin/sh", "/bin/sh", "-c", command],
        capture_output=True,
        check=False,
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
    assert birkez.took() == [1]
    assert "tetik=zamanli" in birkez.log("hourly")


def test_it_makes_the_file_for_a_helper(birkez: Frozen):
    birkez("support", birkez.desk / "s.zip")
    facts = json.loads(zipfile.ZipFile(birkez.desk / "s.zip").read("versions.json"))
    assert facts["is_frozen"] is True
    assert facts["birkez"] in birkez("--version")


def test_words_of_multiprocessing_are_no_way_to_run_code(birkez: Frozen):
    birkez("-c", "print('x')", status=2)
    birkez("-c", "import os; from multiprocessing.resource_tracker import main", status=2)


def _until(holds, seconds: float = 30) -> None:
    deadline = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < deadline, "never came"
        time.sleep(0.02)
