"""Performing one window by the kind of its effect: what the ledger records, and in which order.

`sql` and `python`: the row, the effect and the watermark in one transaction; after a
failure the attempt is recorded in a transaction of its own.
`command`: `started` is durable before the command may begin, its end is recorded after
it; what lies between can only be told by a person, or by the job being repeatable.
"""

from __future__ import annotations

import time

from trayapp import clock, exit_code
from trayapp.effect.interruption import Interrupted
from trayapp.errors import BirkezError, EffectError, SetupError, StateError
from trayapp.job.model import CommandEffect, PythonEffect, SqlEffect
from trayapp.ledger.ledger import DONE, FAILED, STARTED, UNCERTAIN, Counts, Taking
from trayapp.ledger.sqlite_file import clear_temp
from trayapp.process_identity import own_identity
from trayapp.value import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from trayapp.effect.command import CommandEnd, HeldCommand
    from trayapp.effect.interruption import Interruption
    from trayapp.effect.unit import Unit
    from trayapp.job.model import Effect, Job
    from trayapp.ledger.sqlite import SqliteLedger
    from trayapp.ledger.sqlite_transaction import SqliteTransaction

COVERED = "covered"


class Performed(NamedTuple):
    """What came of one window: state `done`, `covered`, `failed` or `uncertain`, and why."""

    state: str
    counts: Counts = Counts()
    duration_ms: int = 0
    error: BirkezError | None = None
    attempt: int = 0


class Workplace(NamedTuple):
    """What performing needs: the job, its open ledger, who started the run, and where output goes.

    *remember* keeps in mind how far the ledger has come, before a command begins.
    """

    job: Job
    ledger: SqliteLedger
    trigger: str
    interruption: Interruption
    output_path: str
    remember: Callable[[], object] = int


def performer(place: Workplace, leave: Callable[[Unit, EffectError], None]) -> Callable[[Unit], Performed]:
    """Make the function that performs one window after another for this run.

    *leave* is called, from another thread, when Python code hangs past its time limit.
    What belongs to the whole run (reading the script, importing the code) happens with
    the first window, so its failure is that window's.
    """
    effect = place.job.effect
    if isinstance(effect, SqlEffect):
        return _sql_performer(place, effect)
    if isinstance(effect, PythonEffect):
        return _python_performer(place, effect, leave)
    assert isinstance(effect, CommandEffect)  # a download has items and no window
    return _command_performer(place, effect)


def timed_out(effect: Effect) -> EffectError:
    """Tell that the effect did not end within its time limit."""
    return EffectError("effect-timed-out", seconds=effect.timeout_s)


def record_failure(place: Workplace, unit: Unit, error: EffectError) -> int:
    """Record an attempt that took no effect, in a transaction of its own; returns how many there were."""
    taking = _taking(place, unit, FAILED)
    with place.ledger.transaction() as transaction:
        transaction.begin_job(unit.job, place.job.window.start)
        attempt = transaction.fail(unit.job, unit.window, unit.key, taking, error.code)
        transaction.commit()
    return attempt


def _sql_performer(place: Workplace, effect: SqlEffect) -> Callable[[Unit], Performed]:
    from trayapp.effect.sql import Statement, copy_sources, perform_sql, read_script  # noqa: PLC0415
    from trayapp.effect.sqlite_guard import Guard  # noqa: PLC0415

    connection = place.ledger.connection
    guard = Guard(connection)
    script: tuple[Statement, ...] = ()

    def perform(unit: Unit) -> Performed:
        nonlocal script
        script = script or read_script(effect.script)
        clear_temp(connection)
        if effect.sources:
            copy_sources(connection, effect, unit, place.interruption)
        return _in_transaction(
            place, unit, lambda _: perform_sql(connection, effect, script, unit, place.interruption, guard)
        )

    return _recording_failures(place, perform)


def _python_performer(
    place: Workplace, effect: PythonEffect, leave: Callable[[Unit, EffectError], None]
) -> Callable[[Unit], Performed]:
    from trayapp.effect.interruption import CallLimit  # noqa: PLC0415
    from trayapp.effect.printed import Printed  # noqa: PLC0415
    from trayapp.effect.python import (  # noqa: PLC0415
        Calling,
        Functions,
        load_functions,
        perform_python,
        prepare_python,
    )

    functions: Functions | None = None
    printed = Printed(place.output_path)

    def perform(unit: Unit) -> Performed:
        nonlocal functions
        limit = CallLimit(
            place.interruption,
            place.ledger.connection,
            effect.timeout_s,
            lambda: leave(unit, timed_out(effect)),
        )
        if functions is None:
            with limit, printed:  # a file may hang as it is loaded
                functions = load_functions(effect)
            if place.interruption.asked():
                raise Interrupted
        calling = Calling(effect, functions, limit, place.interruption, printed)
        data = prepare_python(calling, unit)
        clear_temp(place.ledger.connection)
        return _in_transaction(place, unit, lambda transaction: perform_python(calling, unit, data, transaction))

    return _recording_failures(place, perform)


def _in_transaction(place: Workplace, unit: Unit, work: Callable[[SqliteTransaction], Counts]) -> Performed:
    began_s = time.monotonic()
    with place.ledger.transaction() as transaction:
        transaction.begin_job(unit.job, place.job.window.start)
        if not transaction.take(unit.job, unit.window, unit.key, _taking(place, unit, DONE)):
            return Performed(COVERED)
        counts = work(transaction)
        if place.interruption.asked():
            raise Interrupted
        duration_ms = _ms_since(began_s)
        transaction.count(counts, duration_ms)
        transaction.advance(unit.job)
        transaction.commit()
    return Performed(DONE, counts, duration_ms)


def _recording_failures(place: Workplace, perform: Callable[[Unit], Performed]) -> Callable[[Unit], Performed]:
    def perform_and_record(unit: Unit) -> Performed:
        try:
            return perform(unit)
        except (EffectError, Interrupted) as reason:
            if place.interruption.signal_number:
                raise Interrupted from reason
            error = reason if isinstance(reason, EffectError) else timed_out(place.job.effect)
            return Performed(FAILED, error=error, attempt=record_failure(place, unit, error))
        except BirkezError:
            if place.interruption.signal_number:
                raise Interrupted from None
            raise

    return perform_and_record


def _command_performer(place: Workplace, effect: CommandEffect) -> Callable[[Unit], Performed]:
    from trayapp.effect.command import hold  # noqa: PLC0415

    def perform(unit: Unit) -> Performed:
        held = hold(effect, unit, place.output_path)
        try:
            taken = _take_started(place, unit, held)
        except BaseException:
            held.abandon()
            raise
        if not taken:
            held.abandon()
            return Performed(COVERED)
        began_s = time.monotonic()
        try:
            held.open_gate()
        except EffectError as error:
            return _close_attempt(place, unit, FAILED, error)  # nothing began
        end = held.wait(place.interruption.asked)
        try:
            return _record_end(place, effect, unit, end, _ms_since(began_s))
        except (SetupError, StateError) as error:
            # The command has run, and the ledger cannot take it: its row stays "started".
            unrecorded = EffectError("command-unrecorded", key=unit.key, path=place.ledger.path, reason=error.code)
            unrecorded.exit_status = exit_code.UNCERTAIN
            return Performed(UNCERTAIN, error=unrecorded)

    return perform


def _take_started(place: Workplace, unit: Unit, held: HeldCommand) -> bool:
    taking = _taking(place, unit, STARTED)._replace(process=held.identity, runner=own_identity())
    with place.ledger.transaction() as transaction:
        transaction.begin_job(unit.job, place.job.window.start)
        taken = transaction.take(unit.job, unit.window, unit.key, taking)
        transaction.commit()
    place.remember()  # a run that is killed from here on has begun what an older ledger knows nothing of
    return taken


def _record_end(place: Workplace, effect: CommandEffect, unit: Unit, end: CommandEnd, duration_ms: int) -> Performed:
    if end.kind == "exited" and end.code == 0:
        with place.ledger.transaction() as transaction:
            transaction.settle(unit.job, unit.key, unit.run, clock.now(), duration_ms)
            transaction.advance(unit.job)
            transaction.commit()
        return Performed(DONE, duration_ms=duration_ms)
    nothing_done = end.kind == "exited" and end.code in effect.nothing_done
    error = EffectError("command-nothing-done", status=end.code) if nothing_done else _error_of(effect, end)
    return _close_attempt(place, unit, FAILED if nothing_done or effect.repeatable else UNCERTAIN, error)


def _close_attempt(place: Workplace, unit: Unit, state: str, error: EffectError) -> Performed:
    with place.ledger.transaction() as transaction:
        transaction.change(unit.job, unit.key, (STARTED,), state, error.code, clock.now())
        row = transaction.row(unit.job, unit.key)
        transaction.commit()
    if state == UNCERTAIN:
        error.exit_status = exit_code.UNCERTAIN
    return Performed(state, error=error, attempt=row.attempt if row else 0)


def _error_of(effect: CommandEffect, end: CommandEnd) -> EffectError:
    if end.kind == "timed-out":
        return EffectError("command-timed-out", seconds=effect.timeout_s)
    if end.kind == "stopped":
        return EffectError("command-stopped")
    if end.kind == "signalled":
        return EffectError("command-signalled", signal=end.code)
    return EffectError("command-failed", status=end.code)


def _taking(place: Workplace, unit: Unit, state: str) -> Taking:
    return Taking(unit.run, place.trigger, clock.now(), state)


def _ms_since(began_s: float) -> int:
    return int((time.monotonic() - began_s) * 1000)
