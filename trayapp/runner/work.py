"""A run that has something to do: passes over, then window after window until one stops it."""

from __future__ import annotations

from trayapp import clock, exit_code
from trayapp.effect.interruption import Interrupted
from trayapp.effect.unit import Unit
from trayapp.ledger.ledger import FAILED, PASSED, UNCERTAIN, Taking
from trayapp.ledger.seen import remember_mark
from trayapp.runner.decision import key_of
from trayapp.runner.hang import leave_hard
from trayapp.runner.perform import COVERED, Workplace, performer
from trayapp.runner.record import window_fields

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from trayapp.job.model import Job
    from trayapp.ledger.sqlite import SqliteLedger
    from trayapp.runner.decision import Decision
    from trayapp.runner.perform import Performed
    from trayapp.runner.record import Answer
    from trayapp.runner.run import Run


def work(this: Run, job: Job, ledger: SqliteLedger, decision: Decision) -> Answer:
    """Perform what was decided; the first window that fails or is uncertain ends the run."""
    record, interruption = this.record, this.stopper.interruption()
    record.begin_work()
    if decision.passed:
        _pass_over(this, job, ledger, decision)
    output_path = this.places.output_file(job.id, record.run)
    place = Workplace(
        *(job, ledger, this.wish.trigger, interruption, output_path),
        remember=lambda: remember_mark(this.places, job.id, ledger.mark()),
    )
    perform = performer(place, lambda unit, error: leave_hard(this, unit, error))
    try:
        return _perform_all(this, job, decision, perform)
    except Interrupted:
        waiting = decision.waiting + len(decision.take) - record.windows
        return record.stopped(interruption.signal_number, waiting)


def _perform_all(this: Run, job: Job, decision: Decision, perform: Callable[[Unit], Performed]) -> Answer:
    record = this.record
    for index, offer in enumerate(decision.take):
        if this.stopper.asked():
            raise Interrupted  # between two windows
        unit = Unit(job.id, record.run, offer.window, key_of(offer, job.id))
        performed = perform(unit)
        if performed.state in (FAILED, UNCERTAIN):
            return _end_at(this, unit, performed, decision.waiting + len(decision.take) - index)
        if performed.state == COVERED:
            record.skip("anahtar mevcut", *window_fields(unit.window, unit.key))
            continue
        record.done(unit.window, unit.key, performed.counts, performed.duration_ms)
    if decision.blocked_by is not None:
        return record.blocked(decision.blocked_by, decision.waiting)
    if decision.waiting:
        record.skip("calisma siniri", ("bekleyen", decision.waiting))
    if record.windows:
        return record.finish("done", exit_code.DONE, waiting=decision.waiting, next_at=decision.next_at)
    reason = "anahtar mevcut" if decision.take else "telafi politikasi"
    return record.finish("skipped", exit_code.DONE, reason, decision.waiting, next_at=decision.next_at)


def _end_at(this: Run, unit: Unit, performed: Performed, waiting: int) -> Answer:
    record, error, signal_number = this.record, performed.error, this.stopper.signal_number()
    assert error is not None
    status = exit_code.STOPPED_BY_SIGNAL + signal_number if signal_number else error.exit_status
    if performed.state == UNCERTAIN:
        record.uncertain(error, unit.window, unit.key, performed.attempt)
        return record.finish("uncertain", status, error.code, waiting, error=error, key=unit.key)
    record.failed(error, unit.window, unit.key, performed.attempt)
    return record.finish("failed", status, error.code, waiting, error=error, key=unit.key)


def _pass_over(this: Run, job: Job, ledger: SqliteLedger, decision: Decision) -> None:
    taking = Taking(this.record.run, this.wish.trigger, clock.now(), PASSED)
    with ledger.transaction() as transaction:
        transaction.begin_job(job.id, job.window.start)
        transaction.cover(job.id, decision.passed, taking, "telafi politikasi")
        transaction.advance(job.id)
        transaction.commit()
    for window in decision.passed:
        this.record.skip("telafi politikasi", *window_fields(window, "")[:1])
