from __future__ import annotations

import gc
import os
import signal
import sqlite3
import subprocess
import sys
import textwrap
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from tests.conftest import powerless_prefix
from trayapp.effect.interruption import CallLimit, Interruption
from trayapp.effect.printed import Printed
from trayapp.effect.python import Calling, load_functions, perform_python, prepare_python
from trayapp.effect.unit import Unit
from trayapp.errors import EffectError
from trayapp.job.model import PythonEffect
from trayapp.ledger.ledger import DONE, Counts, Taking
from trayapp.ledger.sqlite import SqliteLedger, open_sqlite_ledger
from trayapp.window.grid import Window

JOB = "siparis-al"
TEN = datetime(2026, 9, 4, 10, tzinfo=UTC)
HOUR = timedelta(hours=1)


class Job:
    """A function in a file, called as the runner calls it."""

    def __init__(self, folder: Path, ledger: SqliteLedger) -> None:
        self.folder = folder
        self.file = folder / "siparis_al.py"
        self.output = folder / "output" / "run-1.txt"
        self.ledger = ledger
        self.interruption = Interruption()
        self.hour = 0

    def perform(self, code: str, timeout_s: float = 10.0) -> Counts:
        self.file.write_text(textwrap.dedent(code), encoding="utf-8")
        effect = PythonEffect(self.ledger.path, str(self.file), "process", timeout_s)
        window = Window(TEN + self.hour * HOUR, TEN + (self.hour + 1) * HOUR)
        unit = Unit(JOB, "run-1", window, f"{JOB}:{window.start.isoformat()}")
        limit = CallLimit(self.interruption, self.ledger.connection, timeout_s, lambda: None)
        printed = Printed(str(self.output))
        calling = Calling(effect, load_functions(effect), limit, self.interruption, printed)
        data = prepare_python(calling, unit)
        with self.ledger.transaction() as transaction:
            transaction.begin_job(JOB, TEN)
            assert transaction.take(JOB, window, unit.key, Taking("run-1", "manual", TEN, DONE))
            counts = perform_python(calling, unit, data, transaction)
            transaction.commit()
        self.hour += 1
        return counts

    def refusal(self, code: str, **options: float) -> EffectError:
        before = self.rows()
        with pytest.raises(EffectError) as caught:
            self.perform(code, **options)
        assert not self.ledger.connection.in_transaction
        assert self.rows() == before
        return caught.value

    def rows(self) -> list[tuple[object, ...]]:
        connection = sqlite3.connect(self.ledger.path)
        try:
            return connection.execute("SELECT * FROM siparis ORDER BY rowid").fetchall()
        finally:
            connection.close()


@pytest.fixture
def job(tmp_path: Path) -> Iterator[Job]:
    gc.collect()  # a file that an earlier test forgot must not be closed while the function runs
    path = tmp_path / "dükkân.db"
    connection = sqlite3.connect(path)
    connection.executescript("PRAGMA journal_mode=WAL; CREATE TABLE siparis (no TEXT, tutar INTEGER)")
    connection.close()
    ledger = open_sqlite_ledger(str(path), wait_s=1)
    import_path = list(sys.path)
    made = Job(tmp_path, ledger)
    # As a run does: who wakes the function may come a moment too late, and finds pytest's own handler otherwise.
    handler = signal.signal(signal.SIGINT, made.interruption.on_signal)
    yield made
    signal.signal(signal.SIGINT, handler)
    sys.path[:] = import_path
    ledger.close()


def test_normal_return_commits_and_counts_new_and_repeated_records(job: Job) -> None:
    code = """
        def process(window, tx):
            for no in tx.first_times(["sip-1", "sip-2", "sip-1"]):
                tx.execute("INSERT INTO siparis VALUES (?, ?)", (no, window.start.hour))
    """
    assert job.perform(code) == Counts(2, 1)
    assert job.perform(code) == Counts(0, 3)
    assert job.rows() == [("sip-1", 10), ("sip-2", 10)]


def test_first_times_keeps_the_order_given(job: Job) -> None:
    job.perform("""
        def process(window, tx):
            assert tx.first_times(["c", "a", "b", "a"]) == ["c", "a", "b"]
            assert not tx.first_time("a")
            assert tx.first_time("d")
    """)


def test_rows_are_counted_where_no_record_keys_are_used(job: Job) -> None:
    counts = job.perform("""
        def process(window, tx):
            tx.execute_many("INSERT INTO siparis VALUES (?, ?)", [("a", 1), ("b", 2)])
            assert tx.execute("SELECT count(*) FROM siparis").fetchone() == (2,)
    """)
    assert counts == Counts(new=2)


@pytest.mark.parametrize("value", ["7", "''", "'a\\0b'", "None", "b'a'"])
def test_record_key_that_could_be_taken_for_another_is_refused(job: Job, value: str) -> None:
    error = job.refusal(f"def process(window, tx): tx.first_times(['ok', {value}])")
    assert error.code == "record-key-invalid"


def test_file_key_names_the_content(job: Job) -> None:
    (job.folder / "gelen.csv").write_bytes(b"a;b")
    code = """
        import os
        def process(window, tx):
            path = os.path.join(os.path.dirname(__file__), "gelen.csv")
            if tx.first_time(tx.file_key(path)):
                tx.execute("INSERT INTO siparis VALUES (?, 1)", (tx.file_key(path),))
    """
    for content in (b"a;b", b"a;b", b"a;c"):
        (job.folder / "gelen.csv").write_bytes(content)
        job.perform(code)
    keys = [no for no, _ in job.rows()]
    assert len(keys) == 2
    assert all(str(name).startswith("gelen.csv:sha256-") for name in keys)


def test_prepare_runs_before_the_transaction_and_hands_its_data_on(job: Job) -> None:
    job.perform("""
        def prepare(window):
            import sqlite3, os, glob
            path = glob.glob(os.path.join(os.path.dirname(__file__), "*.db"))[0]
            other = sqlite3.connect(path, timeout=0.1)
            other.execute("INSERT INTO siparis VALUES ('hazir', 0)")  # nobody holds the database
            other.commit()
            other.close()
            return [("a", 1)]
        def process(window, tx, data):
            tx.execute_many("INSERT INTO siparis VALUES (?, ?)", data)
    """)
    assert job.rows() == [("hazir", 0), ("a", 1)]


INSERT = "tx.execute(\"INSERT INTO siparis VALUES ('x', 1)\")"


@pytest.mark.parametrize(
    ("end", "code"),
    [
        ("raise ValueError('bozuk satır')", "python-failed"),
        ("import sys; sys.exit(0)", "python-exited"),
        ("import os; os._exit(0)", "python-exited"),
        ("tx.execute('COMMIT')", "sql-refused-transaction"),
        ("tx.execute('ROLLBACK')", "sql-refused-transaction"),
        ("tx.execute('DELETE FROM birkez_window')", "sql-refused-ledger-table"),
        ("tx.execute(\"ATTACH 'x' AS x\")", "sql-refused-attach"),
        ("tx.execute('INSERT INTO yok VALUES (1)')", "python-failed"),
    ],
)
def test_nothing_takes_effect_without_a_normal_return(job: Job, end: str, code: str) -> None:
    error = job.refusal(f"def process(window, tx):\n    {INSERT}\n    {end}\n")
    assert error.code == code


@pytest.mark.parametrize(
    "after", ["pass", INSERT, "tx.first_time('sip-1')", "tx.execute_many('INSERT INTO siparis VALUES (?, 1)', ['y'])"]
)
def test_nothing_takes_effect_after_the_transaction_ended_by_itself(job: Job, after: str) -> None:
    error = job.refusal(f"""
        def process(window, tx):
            {INSERT}
            tx.execute("CREATE TABLE tek (no UNIQUE)")
            tx.execute("INSERT INTO tek VALUES (1)")
            try:
                tx.execute("INSERT OR ROLLBACK INTO tek VALUES (1)")
            except Exception:
                pass
            {after}
    """)
    assert error.code == "python-ended-transaction"


def test_failure_names_the_line_in_the_users_file(job: Job) -> None:
    error = job.refusal("def process(window, tx):\n    import json\n    json.loads('{')\n")
    assert (error.code, error.facts["line"]) == ("python-failed", 3)
    assert "JSONDecodeError" in str(error.facts["reason"])


def test_swallowed_refusal_still_leaves_the_transaction_ours(job: Job) -> None:
    job.perform(f"def process(window, tx):\n    {INSERT}\n    try: tx.execute('COMMIT')\n    except Exception: pass\n")
    assert job.rows() == [("x", 1)]


@pytest.mark.parametrize("text", ["COMMIT", "ROLLBACK", "BEGIN IMMEDIATE"])
@pytest.mark.parametrize(
    "by", ["tx.execute", "tx.execute('SELECT 1').execute", "tx.execute('SELECT 1').connection.execute"]
)
def test_what_we_prepared_for_the_window_before_does_not_serve_the_user(job: Job, by: str, text: str) -> None:
    job.perform(f"def process(window, tx):\n    {INSERT}\n")
    error = job.refusal(f"def process(window, tx):\n    {INSERT}\n    {by}('{text}')\n")
    assert error.code in ("sql-refused-transaction", "python-failed")
    assert "not authorized" in str(error.facts.get("reason", "not authorized"))


@pytest.mark.parametrize(
    ("head", "code"),
    [
        ("async def process(window, tx):\n    pass", "python-is-coroutine"),
        ("def process(window, tx):\n    yield", "python-is-generator"),
    ],
)
def test_function_that_only_promises_work_is_refused(job: Job, head: str, code: str) -> None:
    assert job.refusal(head).code == code


@pytest.mark.parametrize(
    ("content", "code"),
    [
        ("x = 1", "python-no-function"),
        ("process = 3", "python-no-function"),
        ("def process(:", "python-broken"),
        ("import yok_boyle_bir_paket", "python-broken"),
        ("raise SystemExit", "python-broken"),
    ],
)
def test_file_without_a_usable_function_is_told_by_its_fault(job: Job, content: str, code: str) -> None:
    assert job.refusal(content).code == code


def test_missing_file_is_told(tmp_path: Path) -> None:
    with pytest.raises(EffectError, match="python-missing"):
        load_functions(PythonEffect("x.db", str(tmp_path / "yok.py"), "process"))


def test_neighbouring_module_can_be_imported(job: Job) -> None:
    (job.folder / "fiyatlar_yan.py").write_text("KDV = 20", encoding="utf-8")
    job.perform("import fiyatlar_yan\ndef process(window, tx): assert fiyatlar_yan.KDV == 20")


def test_second_connection_to_the_same_file_gets_a_sentence_of_its_own(job: Job) -> None:
    error = job.refusal(f"""
        import sqlite3
        def process(window, tx):
            {INSERT}
            other = sqlite3.connect({job.ledger.path!r}, timeout=0.1)
            try:
                other.execute("INSERT INTO siparis VALUES ('y', 1)")
            finally:
                other.close()
    """)
    assert error.code == "python-second-connection"


@pytest.mark.parametrize(
    "body",
    [
        "import time; time.sleep(60)",
        "while True: pass",
        "tx.execute('WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x+1 FROM n) SELECT max(x) FROM n').fetchall()",
    ],
)
def test_function_over_its_time_limit_is_interrupted(job: Job, body: str) -> None:
    assert job.refusal(f"def process(window, tx):\n    {INSERT}\n    {body}", timeout_s=0.3).code == "effect-timed-out"


def test_function_that_swallows_the_interruption_commits_nothing(job: Job) -> None:
    code = f"""
        import time
        def process(window, tx):
            {INSERT}
            try:
                time.sleep(60)
            except BaseException:
                pass
    """
    assert job.refusal(code, timeout_s=0.3).code == "effect-timed-out"


def test_prepare_has_a_time_limit_too(job: Job) -> None:
    code = "import time\ndef prepare(window): time.sleep(60)\ndef process(window, tx, data): pass"
    assert job.refusal(code, timeout_s=0.3).code == "effect-timed-out"


@pytest.mark.posix
def test_fork_that_comes_back_commits_nothing_twice(job: Job) -> None:
    job.perform(f"""
        import os
        def process(window, tx):
            {INSERT}
            pid = os.fork()
            if pid:
                assert os.waitpid(pid, 0)[1] == 0
    """)
    assert job.rows() == [("x", 1)]


def test_what_is_printed_is_kept_in_utf8(job: Job) -> None:
    job.perform("import sys\ndef process(window, tx):\n    print('ğüşİ', file=sys.stderr)\n    print('\\ud800')")
    assert job.output.read_text(encoding="utf-8") == "ğüşİ\n\\ud800\n"


def test_silent_function_leaves_no_output_file(job: Job) -> None:
    job.perform("def process(window, tx): pass")
    assert not job.output.exists()


def test_endless_output_is_cut(job: Job) -> None:
    job.perform("def process(window, tx):\n    for _ in range(3000): print('x' * 1000)")
    assert 2_000_000 < job.output.stat().st_size < 2_200_000
    assert job.output.read_text(encoding="utf-8").endswith("[…]\n")


# ------------------------------------------------------------- our open files


CLOSERS = (
    "os.closerange(3, 200)",
    "os.closerange(0, 200)",
    "os.closerange(3, 200); sys.files = [open(__file__ + f'.{n}', 'w+') for n in range(40)]",
    "os.closerange(3, 200); raise ValueError",
    "os.closerange(3, 200); os._exit = sys.exit; sys.exit(0)",
)


@pytest.mark.linux
@pytest.mark.parametrize(
    ("where", "closer", "mode"),
    [
        *(("process", closer, mode) for closer in CLOSERS for mode in ("WAL", "DELETE")),
        ("prepare", CLOSERS[0], "WAL"),
        ("load", CLOSERS[2], "WAL"),
    ],
)
def test_code_that_closes_our_files_fails_and_harms_nothing(tmp_path: Path, mode: str, closer: str, where: str) -> None:
    """In a process of its own: closing everything would close pytest's files too."""
    lines = {"process": "", "prepare": "", "load": ""}
    lines[where] = closer
    (tmp_path / "job.py").write_text(
        f"import os, sys\n{lines['load']}\ndef prepare(window):\n    {lines['prepare'] or 'pass'}\n"
        f"def process(window, tx, data):\n    for n in range(9): {INSERT}\n    {lines['process']}\n",
        encoding="utf-8",
    )
    ended = run_python(CLOSING, tmp_path / "job.py", tmp_path / "d.db", mode)
    assert (ended.returncode, ended.stdout) == (7, "")
    assert (tmp_path / "told").read_text() == "python-closed-files () [('kept', 1), ('next', 2)]"
    opened_since = list(tmp_path.glob("siparis_al.py.*"))
    assert len(opened_since) == (40 if "open(" in closer else 0)
    assert all(path.read_bytes() == b"" for path in opened_since)


CLOSING = """
import os, sqlite3, sys, time
from tests.effect.test_python import Job, open_sqlite_ledger
from trayapp.errors import EffectError
from pathlib import Path
file, database, mode = sys.argv[1:]
other = sqlite3.connect(database, isolation_level=None)
other.execute(f"PRAGMA journal_mode={mode}")
other.execute("CREATE TABLE siparis (no TEXT, tutar INTEGER)")
other.execute("INSERT INTO siparis VALUES ('kept', 1)")
other.close()
job = Job(Path(file).parent, open_sqlite_ledger(database, wait_s=1))
began = time.monotonic()
try:
    job.perform(Path(file).read_text())
    code = "?"
except EffectError as error:
    code = error.code
assert time.monotonic() - began < 2
same = open_sqlite_ledger(database, wait_s=1)
uncommitted = tuple(same.connection.execute("SELECT no FROM siparis WHERE no = 'x'"))
with job.ledger.transaction() as transaction:  # the failure can still be recorded
    job.ledger.connection.execute("INSERT INTO siparis VALUES ('next', 2)")
    transaction.commit()
rows = same.connection.execute("SELECT * FROM siparis").fetchall()
assert same.connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
Path(file).with_name("told").write_text(f"{code} {uncommitted} {rows}")
sys.exit(7)
"""


def run_python(code: str, *words: object, before: Sequence[str] = ()) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [*before, sys.executable, "-c", code, *map(str, words)],
        cwd=Path(__file__).parents[2],
        capture_output=True,
        text=True,
        timeout=20,
        check=False,
    )


@pytest.mark.linux
def test_code_that_closes_its_own_files_and_redirects_is_left_alone(job: Job) -> None:
    for _ in range(2):
        job.perform(f"""
            import os, sqlite3, resource
            kept = [open(__file__), sqlite3.connect({job.ledger.path!r})]
            def prepare(window):
                for file in kept: file.close()
                kept[:] = [open(__file__)]
            def process(window, tx, data):
                for file in kept: file.close()
                soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
                resource.setrlimit(resource.RLIMIT_NOFILE, (soft - 1, hard))
                {INSERT}
                resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
        """)
    assert job.rows() == [("x", 1), ("x", 1)]


@pytest.mark.linux
def test_lowered_limit_of_open_files_is_raised_again(job: Job) -> None:
    job.perform(f"""
        import resource
        def process(window, tx):
            resource.setrlimit(resource.RLIMIT_NOFILE, (3, resource.getrlimit(resource.RLIMIT_NOFILE)[1]))
            {INSERT}
    """)
    assert job.rows() == [("x", 1)]


@pytest.mark.posix
def test_python_file_that_is_a_pipe_or_a_device_is_refused_at_once(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe.py"
    os.mkfifo(pipe)
    for path in (str(pipe), "/dev/zero", str(tmp_path)):
        with pytest.raises(EffectError, match="python-not-regular"):
            load_functions(PythonEffect("x.db", path, "process"))


def test_python_file_of_a_size_that_nobody_writes_is_refused(tmp_path: Path) -> None:
    with (tmp_path / "big.py").open("wb") as file:
        file.truncate((64 << 20) + 1)
    with pytest.raises(EffectError, match="python-large"):
        load_functions(PythonEffect("x.db", str(tmp_path / "big.py"), "process"))


@pytest.mark.linux
@pytest.mark.parametrize("limit", [3, 0])
def test_code_that_forbids_to_open_files_for_good_is_told_in_a_sentence(tmp_path: Path, limit: int) -> None:
    code = f"""
import resource
from trayapp.effect.own_files import OwnFiles
files = OwnFiles()
resource.setrlimit(resource.RLIMIT_NOFILE, ({limit}, {limit}))
files.check("/jobs/a.py")
"""
    ended = run_python(code, before=powerless_prefix())  # root may raise what was lowered for good
    assert ended.returncode == 1
    assert ended.stderr.startswith("birkez: ")
    assert "/jobs/a.py" in ended.stderr
    assert "Traceback" not in ended.stderr


@pytest.mark.parametrize(
    ("body", "new"),
    [
        ("tx.execute('CREATE VIRTUAL TABLE bul USING fts5 (x)'); tx.execute(\"INSERT INTO bul VALUES ('a b')\")", 1),
        ("tx.execute_many('INSERT INTO siparis VALUES (?, 1)', ([n] for n in range(5)))", 5),
        ("tx.execute(\"INSERT INTO siparis VALUES ('a', 1)\"); tx.execute(' DELETE FROM siparis')", 1),
        ("tx.execute(' WITH n(x) AS (VALUES (1), (2)) INSERT INTO siparis SELECT x, x FROM n')", 2),
        ("print(tx.execute(\"INSERT INTO siparis VALUES ('a', 1), ('b', 2) RETURNING no\").fetchone())", 2),
        ("tx.execute_many('INSERT INTO siparis VALUES (?, 1)', ([tx.execute(COUNTED) and n] for n in range(3)))", 6),
    ],
)
def test_rows_of_the_statements_themselves_are_counted(job: Job, body: str, new: int) -> None:
    head = "COUNTED = \"INSERT INTO siparis VALUES ('c', 1)\"\n"
    assert job.perform(f"{head}def process(window, tx):\n    {body}\n") == Counts(new=new)


def test_rows_of_triggers_are_not_counted(job: Job) -> None:
    assert job.perform("""
        def process(window, tx):
            tx.execute("CREATE TABLE log (no)")
            tx.execute("CREATE TRIGGER t AFTER INSERT ON siparis BEGIN INSERT INTO log VALUES (new.no); END")
            tx.execute_many("INSERT INTO siparis VALUES (?, 1)", [["a"], ["b"]])
    """) == Counts(new=2)
