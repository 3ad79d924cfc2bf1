"""A trial of a job: its work is done for one period or entry, looked at, and taken back.

`sql` and `python` on a database run in a transaction that is never committed, so neither
rows nor ledger nor record keys stay, whenever and however the process ends. A command and
what Python code does beside the database really happen; the caller has a person's word for
that. The key is not the period's own, so that no service takes the trial for the run.
Nothing is written into log or history.
"""

from __future__ import annotations

import os
import shutil
import tempfile
import time
from datetime import timedelta

from trayapp import clock
from trayapp.effect.interruption import Interrupted
from trayapp.effect.unit import Unit
from trayapp.errors import EffectError, UsageError
from trayapp.job.model import CommandEffect, PythonEffect, SqlEffect
from trayapp.ledger.ledger import AGAIN, DONE, SETTLED, Counts, Standing, Taking, edition_of, window_key
from trayapp.ledger.sqlite import open_sqlite_ledger
from trayapp.runner.decision import Wish, decide
from trayapp.value import NamedTuple
from trayapp.window.grid import Window, grid_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from contextlib import AbstractContextManager
    from datetime import datetime

    from trayapp.effect.interruption import Interruption
    from trayapp.effect.row_watch import TableChange
    from trayapp.errors import BirkezError
    from trayapp.job.model import Job
    from trayapp.ledger.ledger import WindowRow
    from trayapp.ledger.sqlite import SqliteLedger
    from trayapp.ledger.sqlite_transaction import SqliteTransaction
    from trayapp.places import Places

RUN = "trial"
MOST_S = 30.0  # in a database, where the trial keeps other writers waiting
_PATIENCE_S = 5.0
_MOST_OUTPUT = 8_000  # letters of what was printed
_MOMENT = timedelta(microseconds=1)


class Trial(NamedTuple):
    """What came of it. *is_done_already*: the run has done that period, and would not do it again.

    `counts` are record keys and rows, as a run counts them; `output` is what was printed,
    its end where it is long. `error` is what a run would fail with.
    """

    window: Window
    key: str
    is_done_already: bool = False
    tables: tuple[TableChange, ...] = ()
    counts: Counts = Counts()
    output: str = ""
    duration_ms: int = 0
    error: BirkezError | None = None


def try_in_database(
    job: Job, asked: datetime | None, interruption: Interruption, leave: Callable[[EffectError], None]
) -> Trial:
    """Do the work of an `sql` or `python` job for one period, and take all back.

    *leave* is called from another thread when Python code hangs: it tells that and ends the
    process. Raises: SetupError, StateError when the database cannot be used, UsageError for
    a period that cannot be taken, Interrupted.
    """
    effect = job.effect
    assert isinstance(effect, SqlEffect | PythonEffect)  # others have no database
    ledger = open_sqlite_ledger(effect.database, wait_s=_PATIENCE_S, stop=interruption.asked)
    folder = tempfile.mkdtemp(prefix="birkez-")
    try:
        standing = ledger.standing(job.id, job.window.start, asked)
        window, row = choose_window(job, standing, asked)
        unit = Unit(job.id, RUN, window, _trial_key(job, window))
        trial = Trial(window, unit.key, row is not None and row.state in SETTLED)
        output_path = os.path.join(folder, "output")
        began_s = time.monotonic()
        try:
            if isinstance(effect, SqlEffect):
                tables, counts = _try_sql(ledger, effect, unit, interruption)
            else:
                tables, counts = _try_python(ledger, job, unit, row, _Python(interruption, leave, output_path))
        except EffectError as error:
            if interruption.signal_number:
                raise Interrupted from error
            trial = trial._replace(error=_told(error, effect.timeout_s))
        else:
            trial = trial._replace(tables=tuple(tables), counts=counts)
        duration_ms = int((time.monotonic() - began_s) * 1000)
        return trial._replace(output=read_output(output_path), duration_ms=duration_ms)
    finally:
        ledger.close()
        shutil.rmtree(folder, ignore_errors=True)


def try_command(job: Job, standing: Standing, asked: datetime | None, stop: Callable[[], bool]) -> Trial:
    """Really start a job's command for one period, with nothing but what the scheduler would give it.

    This process's own environment becomes as bare: it is to be one of the trial's own.
    Raises: SetupError when no process can be made; UsageError for a period that cannot be taken.
    """
    from trayapp.effect.command import hold  # noqa: PLC0415  # only here

    effect = job.effect
    assert isinstance(effect, CommandEffect)
    window, row = choose_window(job, standing, asked)
    unit = Unit(job.id, RUN, window, _trial_key(job, window))
    trial = Trial(window, unit.key, row is not None and row.state in SETTLED)
    folder = tempfile.mkdtemp(prefix="birkez-")
    output_path = os.path.join(folder, "output")
    try:
        be_bare()
        held = hold(effect, unit, output_path)
        began_s = time.monotonic()
        try:
            held.open_gate()
        except EffectError as error:
            return trial._replace(error=error)
        end = held.wait(stop)
        if end.kind == "stopped":
            raise Interrupted
        duration_ms = int((time.monotonic() - began_s) * 1000)
        trial = trial._replace(output=read_output(output_path), duration_ms=duration_ms)
        if end.kind == "exited" and end.code == 0:
            return trial
        return trial._replace(error=_command_error(effect, end.kind, end.code))
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def lock_of(places: Places, job: Job) -> AbstractContextManager[object]:
    """Lock of a job on the shelf: of its command, not even a trial runs beside a run. Of any other job, nothing.

    Raises: StateError `job-running`.
    """
    from contextlib import nullcontext  # noqa: PLC0415  # few trials

    from trayapp.job.shelf import job_ids  # noqa: PLC0415  # as above
    from trayapp.lock.holder import own_holder  # noqa: PLC0415  # as above
    from trayapp.lock.job_lock import acquire  # noqa: PLC0415  # as above

    if job.id not in job_ids(places):
        return nullcontext()
    return acquire(places.lock_file(job.id), own_holder(RUN, "manual", clock.now()))


def choose_window(job: Job, standing: Standing, asked: datetime | None) -> tuple[Window, WindowRow | None]:
    """Period to try: *asked*, else the one that a run takes first, else the newest that has closed; with its row.

    Raises: UsageError when *asked* cannot be taken.
    """
    decision = decide(job, standing, Wish(job.id, window=asked), clock.now())
    covered = decision.covered or decision.blocked_by
    if decision.take:
        window = decision.take[0].window
    elif asked is not None and covered is not None:
        window = Window(covered.start, covered.end)
    else:
        window = _newest_closed(job)
    found = next((row for row in standing.rows if row.start < window.end and window.start < row.end), None)
    return window, found


def be_bare() -> None:
    """Make this process's environment the one that the scheduler would have given it."""
    from trayapp.effect.child.environment import scheduler_environment  # noqa: PLC0415  # few trials

    bare = scheduler_environment(os.environ)
    os.environ.clear()
    os.environ.update(bare)


def read_output(path: str) -> str:
    """Read what was printed, its end where it is long; without the line that names the key."""
    try:
        with open(path, encoding="utf-8", errors="backslashreplace") as file:
            text = file.read()
    except FileNotFoundError:
        return ""
    if text.startswith("--- "):
        text = text.partition("\n")[2]
    return text if len(text) <= _MOST_OUTPUT else "[…]\n" + text[-_MOST_OUTPUT:]


class _Python(NamedTuple):
    interruption: Interruption
    leave: Callable[[EffectError], None]
    output_path: str


def _try_sql(
    ledger: SqliteLedger, effect: SqlEffect, unit: Unit, interruption: Interruption
) -> tuple[list[TableChange], Counts]:
    from trayapp.effect.row_watch import RowWatch  # noqa: PLC0415
    from trayapp.effect.sql import copy_sources, perform_sql, read_script  # noqa: PLC0415
    from trayapp.effect.sqlite_guard import Guard  # noqa: PLC0415

    script = read_script(effect.script)
    effect = effect._replace(timeout_s=min(effect.timeout_s, MOST_S))
    guard = Guard(ledger.connection)
    if effect.sources:
        copy_sources(ledger.connection, effect, unit, interruption)
    with ledger.transaction():  # left without a commit
        watch = RowWatch(ledger.connection)
        counts = perform_sql(ledger.connection, effect, script, unit, interruption, guard)
        return watch.changes(), counts


def _try_python(
    ledger: SqliteLedger, job: Job, unit: Unit, row: WindowRow | None, how: _Python
) -> tuple[list[TableChange], Counts]:
    from trayapp.effect.interruption import CallLimit  # noqa: PLC0415
    from trayapp.effect.printed import Printed  # noqa: PLC0415
    from trayapp.effect.python import Calling, load_functions, perform_python, prepare_python  # noqa: PLC0415
    from trayapp.effect.row_watch import RowWatch  # noqa: PLC0415

    effect = job.effect
    assert isinstance(effect, PythonEffect)
    effect = effect._replace(timeout_s=min(effect.timeout_s, MOST_S))
    timed_out = EffectError("effect-timed-out", seconds=effect.timeout_s)
    limit = CallLimit(how.interruption, ledger.connection, effect.timeout_s, lambda: how.leave(timed_out))
    printed = Printed(how.output_path)
    with limit, printed:
        functions = load_functions(effect)
    if how.interruption.asked():
        raise Interrupted
    calling = Calling(effect, functions, limit, how.interruption, printed)
    data = prepare_python(calling, unit)
    with ledger.transaction() as transaction:  # left without a commit
        _take(transaction, job, unit, row)
        watch = RowWatch(ledger.connection)
        counts = perform_python(calling, unit, data, transaction)
        return watch.changes(), counts


def _take(transaction: SqliteTransaction, job: Job, unit: Unit, row: WindowRow | None) -> None:
    """Take the period inside the transaction, so that its record keys are claimed as a run claims them.

    One that is done already is reopened there, which releases its keys.
    Raises: UsageError `trial-period-covered`.
    """
    transaction.begin_job(job.id, job.window.start)
    taking = Taking(RUN, "manual", clock.now(), DONE)
    key = row.key if row is not None else window_key(job.id, unit.window.start)
    if row is not None and row.state in SETTLED:
        transaction.reopen(job.id, row.key, [unit.window], taking._replace(state=AGAIN), RUN)
        key = window_key(job.id, unit.window.start, edition_of(row.key) + 1)
    if not transaction.take(job.id, unit.window, key, taking):
        raise UsageError("trial-period-covered", job=job.id, window=unit.window.start)


def _newest_closed(job: Job) -> Window:
    grid = grid_of(job.window.step, job.window.timezone)
    end = grid.line_at_or_before(clock.now() - timedelta(seconds=job.window.lateness_s))
    return Window(grid.line_at_or_before(end - _MOMENT), end)


def _trial_key(job: Job, window: Window) -> str:
    return f"{RUN}:{window_key(job.id, window.start)}"


def _told(error: EffectError, limit_s: float) -> EffectError:
    """Tell a time-out of the trial's own as that: a run may take longer."""
    if error.code == "effect-timed-out" and limit_s > MOST_S:
        return EffectError("trial-too-long", seconds=MOST_S, limit=limit_s)
    return error


def _command_error(effect: CommandEffect, kind: str, code: int) -> EffectError:
    if kind == "timed-out":
        return EffectError("command-timed-out", seconds=effect.timeout_s)
    if kind == "signalled":
        return EffectError("command-signalled", signal=code)
    if code in effect.nothing_done:
        return EffectError("command-nothing-done", status=code)
    return EffectError("command-failed", status=code)
