"""What a start loads. Counted, not timed: a module more is a module more on every machine."""

from __future__ import annotations

import re
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.architecture.source import CHECKOUT, PACKAGE, Module, modules
from tests.conftest import Birkez
from trayapp.places import Places

# Of the standard library, beside what a bare interpreter brings. Each costs every start.
STANDARD = {
    "__future__",
    "_bisect",
    "_collections",
    "_collections_abc",
    "_datetime",
    "_functools",
    "_operator",
    "_sqlite3",
    "_stat",
    "_winapi",
    "bisect",
    "collections",
    "collections.abc",
    "datetime",
    "errno",
    "fcntl",
    "functools",
    "genericpath",
    "itertools",
    "keyword",
    "marshal",
    "math",
    "msvcrt",
    "ntpath",
    "operator",
    "os",
    "os.path",
    "posixpath",
    "reprlib",
    "sqlite3",
    "sqlite3.dbapi2",
    "stat",
    "time",
    "types",
}
if sys.platform == "win32":  # calls of the system that have no module: events, handles
    STANDARD |= {"_ctypes", "_struct", "ctypes", "ctypes._endian", "ctypes.wintypes", "struct"}

# Of our own: what a run with nothing to do is made of, and no more.
OWN = {
    "trayapp",
    "trayapp.cli",
    "trayapp.cli.scheduled",
    "trayapp.clock",
    "trayapp.companion_files",
    "trayapp.errors",
    "trayapp.exit_code",
    "trayapp.history",
    "trayapp.history.records",
    "trayapp.history.schema",
    "trayapp.history.store",
    "trayapp.job",
    "trayapp.job.cache",
    "trayapp.job.model",
    "trayapp.job.schedule",
    "trayapp.ledger",
    "trayapp.ledger.ledger",
    "trayapp.ledger.seen",
    "trayapp.ledger.sqlite",
    "trayapp.ledger.sqlite_file",
    "trayapp.ledger.sqlite_rows",
    "trayapp.ledger.sqlite_schema",
    "trayapp.ledger.sqlite_transaction",
    "trayapp.lock",
    "trayapp.lock.holder",
    "trayapp.lock.job_lock",
    "trayapp.lock.on_posix",
    "trayapp.lock.on_win32",
    "trayapp.lock.short_lock",
    "trayapp.log",
    "trayapp.log.job_log",
    "trayapp.network_folder",
    "trayapp.places",
    "trayapp.process_identity",
    "trayapp.runner",
    "trayapp.runner.decision",
    "trayapp.runner.ledger_copy",
    "trayapp.runner.opening",
    "trayapp.job.pause",
    "trayapp.runner.pipeline",
    "trayapp.runner.record",
    "trayapp.runner.run",
    "trayapp.value",
    "trayapp.window",
    "trayapp.window.catch_up",
    "trayapp.window.grid",
}

# Begins now and is late by an hour, so no run of this test can fall on the end of a window.
JOB = """
title = "Nothing to do"

[schedule]
daily = ["03:00"]

[window]
step = "12h"
lateness = "1h"
start = {start}

[effect]
kind = "sql"
database = "shop.db"
script = "sum.sql"
"""


@pytest.fixture
def idle_job(birkez_home: Places, run_birkez: Birkez, tmp_path: Path) -> str:
    """Id of a job that has run before and has nothing to do now."""
    import sqlite3

    from trayapp import clock

    sqlite3.connect(tmp_path / "shop.db").close()
    jobs = Path(birkez_home.jobs_dir)
    text = JOB.replace('"shop.db"', repr(str(tmp_path / "shop.db")))
    (jobs / "idle.toml").write_text(text.format(start=clock.format_instant(clock.now())), encoding="utf-8")
    (jobs / "sum.sql").write_text("SELECT :start;\n", encoding="utf-8")
    (tmp_path / "shop.db").touch()
    deadline = time.monotonic() + 15
    # The runs before make ledger, history and, once the job file is seconds old, its cache.
    while not Path(birkez_home.cache_file("idle")).exists():
        done = run_birkez("run", "idle", "--trigger", "schedule")
        assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
        assert time.monotonic() < deadline, "the parsed job is never kept"
    return "idle"


@pytest.mark.skipif(not (PACKAGE / "runner" / "pipeline.py").exists(), reason="the runner is not written yet")
def test_a_run_with_nothing_to_do_loads_what_it_needs_and_no_more(idle_job: str):
    bare = _loaded("-c", "pass")
    loaded = _loaded(str(PACKAGE / "__main__.py"), "run", idle_job, "--trigger", "schedule")
    more = {name for name in loaded - bare - OWN - STANDARD if not name.startswith("encodings")}
    assert not more, f"loaded beyond the allow-list: {sorted(more)}"


def test_the_allow_list_names_no_module_that_is_gone():
    assert not OWN - {module.name for module in modules()}


def test_the_command_line_never_loads_qt_or_a_database_driver():
    # In a process of its own: this one's plugins may have loaded anything.
    below = [module for module in modules() if not module.name.startswith("trayapp.gui") and _fits_this_system(module)]
    code = (
        "import importlib, sys\n"
        f"for name in {[module.name for module in below]!r}: importlib.import_module(name)\n"
        "print(*sorted({name.partition('.')[0] for name in sys.modules} & {'PySide6', 'shiboken6', 'psycopg'}))\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=CHECKOUT, capture_output=True, encoding="utf-8", check=False
    )
    assert (done.returncode, done.stdout.strip(), done.stderr) == (0, "", "")


def _fits_this_system(module: Module) -> bool:
    """Tell whether *module* can be imported here, by the assertion that it opens with for mypy."""
    if module.name.endswith(("gate_stub", "__main__")):
        return False  # started by its path: it begins to work when it is imported
    claim = re.search(r'^assert sys\.platform (==|!=) "(\w+)"', module.text, flags=re.MULTILINE)
    return claim is None or (claim[1] == "==") == (claim[2] == sys.platform)


def _loaded(*words: str) -> set[str]:
    """Modules that a bare interpreter loads for *words*, by its own account."""
    done = subprocess.run(
        [sys.executable, "-I", "-S", "-X", "importtime", *words],
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    assert done.returncode == 0, done.stderr
    rows = [line.split("|") for line in done.stderr.splitlines() if line.startswith("import time:")]
    return {row[2].strip() for row in rows[1:]}
