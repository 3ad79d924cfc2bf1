"""Leaving a run whose Python code hangs, and recording that attempt in its place.

The database's connection belongs to the thread that hangs: nobody else can take back what
stands open there. With the process it goes, and the lock with it. So this process becomes a
fresh Birkez, which records the failure and ends with the run's own status; on Windows, where
no process can become another, a second one waits for this one's end and does the same.
"""

from __future__ import annotations

import os
import sys

from trayapp import clock, exit_code
from trayapp.effect.interruption import Interruption
from trayapp.effect.unit import Unit
from trayapp.errors import BirkezError, EffectError
from trayapp.own_command import own_argv, own_environment
from trayapp.places import Places
from trayapp.runner.decision import Wish
from trayapp.runner.opening import open_ledger
from trayapp.runner.perform import Workplace, record_failure
from trayapp.runner.record import Record
from trayapp.window.grid import Window

TYPE_CHECKING = False
if TYPE_CHECKING:
    from trayapp.job.model import Job
    from trayapp.runner.record import Answer
    from trayapp.runner.run import Run

WORD = "record-hang"  # for Birkez itself; no person writes it
_SWITCH_S = 0.0001  # else code that loops keeps this thread waiting, 5 ms at each of its calls to the system
_leave = os._exit  # these two as they were before a job's own code could be asked to change them
_execve = os.execve


def leave_hard(this: Run, unit: Unit, error: EffectError) -> None:
    """End the process while the user's code hangs in *unit*; called from another thread.

    After a signal there is nothing to record in the ledger, and the run's end is written here.
    """
    record, status = this.record, exit_code.EFFECT_FAILED
    sys.setswitchinterval(_SWITCH_S)
    record.change_thread()
    try:
        if this.stopper.signal_number():
            status = record.stopped(this.stopper.signal_number()).exit_status
        else:
            record.begin_work()  # what is done so far stands in history before others go on
            _hand_over(own_argv(WORD, _as_text(this, unit, error)))
            record.failed(error, unit.window, unit.key)
            record.finish("failed", status, error.code, error=error, key=unit.key)
        record.close()
    finally:
        _leave(status)


def record_hang(text: str) -> tuple[Answer, Wish]:
    """Record the attempt that *text* tells of, as the run would have; also returns what the run was started for."""
    from json import loads  # noqa: PLC0415  # these are for one start in thousands

    from trayapp.job.cache import load_job  # noqa: PLC0415

    facts = loads(text)
    if sys.platform == "win32":
        _wait_for_the_other()
    places, wish = Places(*facts["places"]), Wish(facts["job"], facts["trigger"])
    record = Record(places, wish, clock.parse_instant(facts["started_at"]), tuple(facts["record"]))
    unit = Unit(wish.job, record.run, Window(*map(clock.parse_instant, facts["window"])), facts["key"])
    error = EffectError("effect-timed-out", seconds=facts["seconds"])
    try:
        attempt = _record_attempt(places, load_job(places, wish.job), unit, wish.trigger, error)
    except BirkezError:
        attempt = 0  # the database is busy or its disk full; the next run tries the window all the same
    record.failed(error, unit.window, unit.key, attempt)
    answer = record.finish("failed", error.exit_status, error.code, error=error, key=unit.key)
    record.close()
    return answer, wish


def _record_attempt(places: Places, job: Job, unit: Unit, trigger: str, error: EffectError) -> int:
    ledger, _ = open_ledger(places, job, checked=False)
    try:
        return record_failure(Workplace(job, ledger, trigger, Interruption(), ""), unit, error)
    finally:
        ledger.close()


def _as_text(this: Run, unit: Unit, error: EffectError) -> str:
    from json import dumps  # noqa: PLC0415  # as above

    facts = {
        "places": this.places,
        "job": unit.job,
        "trigger": this.wish.trigger,
        "started_at": this.record.started_at.isoformat(),
        "record": this.record.carried(),
        "window": [bound.isoformat() for bound in unit.window],
        "key": unit.key,
        "seconds": error.facts["seconds"],
    }
    return dumps(facts)


if sys.platform == "win32":

    def _hand_over(argv: list[str]) -> None:
        """Start the process that records, and leave; returns when the system refuses it."""
        import subprocess  # noqa: PLC0415  # as above

        from trayapp.effect.child.gate_stub import start_windowless  # noqa: PLC0415

        nowhere = subprocess.DEVNULL
        try:
            # Its standard input closes with this process.
            start_windowless(
                argv,
                stdin=subprocess.PIPE,
                stdout=nowhere,
                stderr=nowhere,
                environment=own_environment(),
                folder=None,
            )
        except OSError:
            return
        _leave(exit_code.EFFECT_FAILED)

    def _wait_for_the_other() -> None:
        os.read(0, 1)

else:

    def _hand_over(argv: list[str]) -> None:
        """Become the process that records; returns when the system refuses it."""
        import faulthandler  # noqa: PLC0415  # as above
        import signal  # noqa: PLC0415

        faulthandler.cancel_dump_traceback_later()
        signal.setitimer(signal.ITIMER_REAL, 0)  # it would ring in the new program, too (execve(2))
        try:
            _execve(argv[0], argv, own_environment())
        except OSError:
            return
