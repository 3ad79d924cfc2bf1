"""The run's connection is the function's alone: no other thread or process uses it, and nothing is kept for later."""

from __future__ import annotations

import builtins
import gc
import sqlite3
from pathlib import Path

import pytest

from tests.effect.test_python import Job, job, run_python  # noqa: F401  # a fixture

ROW = "\"INSERT INTO siparis VALUES ('x', 1)\""
# What a thread can get hold of, and do with it.
USES = (
    f"tx.execute({ROW})",
    "tx.execute_many('INSERT INTO siparis VALUES (?, 1)', [['x']])",
    "tx.first_time('x')",
    f"cursor.execute({ROW})",
    "cursor.fetchall()",
    "cursor.fetchone()",
    "list(cursor)",
    "cursor.connection.execute('SELECT 1')",
    f"connection.execute({ROW})",
    f"connection.cursor().execute({ROW})",
    f"other.execute({ROW})",
)
GET = "cursor = tx.execute('SELECT 1'); connection = cursor.connection; other = connection.cursor()"


@pytest.fixture(autouse=True)
def _no_remains():
    """A cursor that an earlier test's error holds keeps a database open, to close it in the midst of the next."""
    gc.collect()


@pytest.mark.parametrize("use", USES)
def test_use_in_a_thread_fails_the_period_though_its_error_is_swallowed(job: Job, use: str) -> None:  # noqa: F811
    error = job.refusal(f"""
        import threading
        def process(window, tx):
            tx.execute({ROW})
            {GET}
            def use():
                try: {use}
                except BaseException: pass
            thread = threading.Thread(target=use)
            thread.start(); thread.join()
    """)
    assert error.code == "python-other-thread"


def test_pool_that_outlives_the_function_leaves_nothing(job: Job) -> None:  # noqa: F811
    code = f"""
        from concurrent.futures import ThreadPoolExecutor
        def process(window, tx):
            pool = ThreadPoolExecutor(4)
            for _ in range(3000): pool.submit(tx.execute, {ROW})
            raise ValueError
    """
    for _ in range(3):
        assert job.refusal(code).code in ("python-other-thread", "python-used-late", "python-failed")


def test_threads_of_its_own_that_only_read_and_compute_are_welcome(job: Job) -> None:  # noqa: F811
    job.perform("""
        from concurrent.futures import ThreadPoolExecutor
        def process(window, tx):
            with ThreadPoolExecutor(4) as pool:
                for no in pool.map(str, range(3)):
                    tx.execute("INSERT INTO siparis VALUES (?, 1)", (no,))
    """)
    assert job.rows() == [("0", 1), ("1", 1), ("2", 1)]


KEEPING = """
    import builtins
    def prepare(window):
        if hasattr(builtins, "kept"):
            {prepare}
    def process(window, tx, data):
        if hasattr(builtins, "kept"):
            {process}
        cursor = tx.execute('SELECT 1')
        builtins.kept = tx, cursor, cursor.connection, cursor.connection.cursor()
"""


@pytest.mark.parametrize(("use", "where"), [(use, where) for use in USES for where in ("prepare", "process")])
def test_what_is_kept_from_the_period_before_is_refused(job: Job, use: str, where: str) -> None:  # noqa: F811
    if where == "process" and use.startswith("connection."):
        return  # the same connection, in its transaction
    bodies = {"prepare": "pass", "process": "pass"}
    bodies[where] = f"tx_now, (tx, cursor, connection, other) = 0, builtins.kept\n            {use}"
    code = KEEPING.format(**bodies)
    try:
        job.perform(KEEPING.format(prepare="pass", process="pass"))
        assert job.refusal(code).code == "python-used-late"
    finally:
        del builtins.kept  # type: ignore[attr-defined]


@pytest.mark.posix
def test_forked_child_cannot_write_past_the_locks(job: Job) -> None:  # noqa: F811
    job.perform(f"""
        import os
        def process(window, tx):
            {GET}
            pid = os.fork()
            if not pid:
                status = 7
                for use in (tx.execute, cursor.execute, connection.execute, other.execute):
                    try: use({ROW}); status = 1
                    except Exception: pass
                os._exit(status)
            assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 7
            tx.execute("INSERT INTO siparis VALUES ('parent', 1)")
    """)
    assert job.rows() == [("parent", 1)]


def test_closing_the_connection_is_refused_and_told(job: Job) -> None:  # noqa: F811
    code = f"def process(window, tx):\n    try: tx.execute({ROW}).connection.close()\n    except Exception: pass\n"
    assert job.refusal(code).code == "python-closed-connection"
    job.perform(f"def process(window, tx):\n    tx.execute({ROW})\n")


# ------------------------------------------------------------- becoming another program


EXECS = ("os.execv('/bin/echo', ['echo'])", "os.execlp('echo', 'echo')", "os.execvpe('echo', ['echo'], {})")


@pytest.mark.posix
@pytest.mark.parametrize("swallowed", [False, True])
@pytest.mark.parametrize("call", [*EXECS, "posix.execv('/bin/echo', ['echo'])"])
@pytest.mark.parametrize("where", ["process", "prepare", "load"])
def test_becoming_another_program_fails_the_period(tmp_path: Path, call: str, where: str, *, swallowed: bool) -> None:
    """In a process of its own, which such a call would end."""
    lines = dict.fromkeys(("process", "prepare", "load"), "pass")
    lines[where] = f"{call}\n    except Exception: pass" if swallowed else call
    body = {name: f"try: {line}" if swallowed and name == where else line for name, line in lines.items()}
    load = f"def load():\n    {body['load']}\nload()\n"
    (tmp_path / "job.py").write_text(
        f"import os, posix\n{load}def prepare(window):\n    {body['prepare']}\n"
        f"def process(window, tx, data):\n    {body['process']}\n",
        encoding="utf-8",
    )
    with sqlite3.connect(tmp_path / "d.db") as database:
        database.execute("CREATE TABLE siparis (no TEXT, tutar INTEGER)")
    ended = run_python(BECOMING, tmp_path)
    assert (ended.returncode, ended.stdout, ended.stderr) == (7, "python-exec\n", "")


BECOMING = """
import sys
from pathlib import Path
from tests.effect.test_python import Job, open_sqlite_ledger
from trayapp.errors import EffectError
folder = Path(sys.argv[1])
try:
    Job(folder, open_sqlite_ledger(str(folder / "d.db"), wait_s=1)).perform((folder / "job.py").read_text())
except EffectError as error:
    print(error.code)
    sys.exit(7)
"""


@pytest.mark.posix
def test_forked_child_may_become_another_program(job: Job) -> None:  # noqa: F811
    job.perform("""
        import os, subprocess
        def process(window, tx):
            pid = os.fork()
            if not pid: os.execv('/bin/sh', ['sh', '-c', 'exit 5'])
            assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 5
            assert subprocess.run(['/bin/sh', '-c', 'exit 6']).returncode == 6
    """)


# ------------------------------------------------------------- a transaction that ended by itself


@pytest.mark.parametrize("mode", ["WAL", "DELETE"])
def test_rollback_by_sqlite_is_told_as_that(tmp_path: Path, mode: str) -> None:
    with sqlite3.connect(tmp_path / "d.db", isolation_level=None) as database:
        database.execute(f"PRAGMA journal_mode={mode}")
        database.execute("CREATE TABLE siparis (no TEXT PRIMARY KEY, tutar INTEGER)")
    (tmp_path / "job.py").write_text(
        f"def process(window, tx):\n    tx.execute({ROW})\n"
        f"    try: tx.execute({ROW.replace('INSERT', 'INSERT OR ROLLBACK')})\n    except Exception: pass\n",
        encoding="utf-8",
    )
    ended = run_python(BECOMING, tmp_path)
    assert (ended.stdout, ended.stderr) == ("python-ended-transaction\n", "")
