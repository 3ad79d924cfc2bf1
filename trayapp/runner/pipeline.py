"""One run of one job: the product on one page.

Lock, then ledger, then window by window: the right to a window, its effect and the
watermark, all through the same door, whoever started the run. Each way out leaves a
line in the log, a row in history and an exit status.
"""

from __future__ import annotations

import os

from trayapp import clock, exit_code
from trayapp.errors import BirkezError, NoSuchJobError, UsageError
from trayapp.job.model import is_job_id
from trayapp.ledger.ledger import FAILED, STARTED, UNSETTLED
from trayapp.lock.holder import own_holder, read_state
from trayapp.lock.job_lock import try_acquire
from trayapp.log import job_log
from trayapp.process_identity import is_alive, living_part
from trayapp.runner.decision import check_clock, decide, orphan_state, settled_until
from trayapp.runner.record import Record, window_fields
from trayapp.runner.run import Run, Stopper
from trayapp.window.grid import Window

TYPE_CHECKING = False
if TYPE_CHECKING:
    from datetime import datetime

    from trayapp.job.model import Job
    from trayapp.ledger.ledger import Standing, WindowRow
    from trayapp.ledger.sqlite import SqliteLedger
    from trayapp.places import Places
    from trayapp.runner.decision import Decision, Wish
    from trayapp.runner.record import Answer

_CUT_OFF = ("command-died", "command-signalled")  # what the command had started may be at work all the same


def run(places: Places, wish: Wish) -> Answer:
    """Do what the job's closed windows ask for, each exactly once; never raises what a person can mend.

    Raises: NoSuchJobError for a job that does not exist (one line in the common log). A bug
    of ours is raised as it is, after its line and row.
    """
    if not is_job_id(wish.job) or _is_missing(places.job_file(wish.job)):
        _log_orphan(places, wish)
        raise NoSuchJobError("no-such-job", job=wish.job)
    places.make_folders()
    now = clock.now()
    this = Run(places, wish, Record(places, wish, now), Stopper())
    try:
        lock = try_acquire(places.lock_file(wish.job), own_holder(this.record.run, wish.trigger, now))
        if lock is None:
            return _lost_the_lock(this)
        with lock:
            return _run_locked(this)
    except UsageError as error:
        return this.record.misasked(error)
    except BirkezError as error:
        if this.stopper.signal_number():
            return this.record.stopped(this.stopper.signal_number())
        return this.record.broke(error)
    except Exception as bug:
        this.record.bug(bug)
        raise
    finally:
        this.record.close()


def _run_locked(this: Run) -> Answer:
    from trayapp.job.cache import load_job  # noqa: PLC0415  # here and below: what who loses the lock need not load
    from trayapp.job.pause import read_pause  # noqa: PLC0415
    from trayapp.runner.opening import open_ledger  # noqa: PLC0415

    places, record, trigger = this.places, this.record, this.wish.trigger
    job = load_job(places, this.wish.job)
    paused = read_pause(places, job.id, clock.now())
    if paused is not None:
        record.skip("duraklatildi", ("kadar", paused.until and clock.format_instant(paused.until)))
        return record.finish("skipped", exit_code.DONE, "duraklatildi", next_at=paused.until)
    if not job.enabled and trigger != "manual":
        record.skip("devre disi")
        return record.finish("skipped", exit_code.DONE, "devre disi")
    if trigger == "boot":
        from trayapp.clock_sync import wait_for_clock  # noqa: PLC0415  # only the start at boot waits

        wait_for_clock(places)
    if job.items is not None:
        from trayapp.runner.items_run import run_items  # noqa: PLC0415  # a job with windows never loads it

        return run_items(this, job)
    ledger, is_known = open_ledger(places, job, stop=this.stopper.asked)
    try:
        return _run_on_ledger(this, job, ledger, is_known=is_known)
    finally:
        ledger.close()


def _run_on_ledger(this: Run, job: Job, ledger: SqliteLedger, *, is_known: bool) -> Answer:
    from trayapp.ledger.seen import remember_mark  # noqa: PLC0415  # as above
    from trayapp.runner.opening import is_clock_accepted  # noqa: PLC0415

    record, now = this.record, clock.now()
    standing = ledger.standing(job.id, job.window.start, this.wish.window)
    if not is_known and not standing.is_new and remember_mark(this.places, job.id, ledger.mark()) is None:
        record.skip("defter benimsendi", ("defter", ledger.path))
    if not is_clock_accepted(this.places, now):
        check_clock(standing, now, job.id)
    running = running_window(standing)
    if running is not None:
        record.skip("kilit", ("anahtar", running.key), ("pid", running.process and running.process.pid))
        return record.finish("skipped", exit_code.DONE, "kilit", key=running.key)
    decision = decide(job, standing, this.wish, now)
    _give_up(ledger, job, record, [row for row in standing.rows if row.state == STARTED])
    unremembered = None
    try:
        answer = _do(this, job, ledger, decision, settled_until(standing))
    finally:
        mark = ledger.mark()
        record.copy_ledger(ledger, mark)
        unremembered = remember_mark(this.places, job.id, mark)
        if unremembered is not None and (decision.take or decision.passed):
            record.failed(unremembered)  # nothing to do, it would be said at each start
    return answer if unremembered is None else answer._replace(untold=answer.untold or unremembered)


def _do(this: Run, job: Job, ledger: SqliteLedger, decision: Decision, watermark: datetime) -> Answer:
    if decision.take or decision.passed:
        from trayapp.runner.work import work  # noqa: PLC0415  # a run with nothing to do never loads effects

        return work(this, job, ledger, decision)
    return _nothing_to_do(this.record, decision, watermark)


def _nothing_to_do(record: Record, decision: Decision, watermark: datetime) -> Answer:
    covered, blocked_by = decision.covered, decision.blocked_by
    if covered is not None:
        fields = window_fields(Window(covered.start, covered.end), covered.key)
        record.skip("anahtar mevcut", *fields)
        return record.finish("skipped", exit_code.DONE, "anahtar mevcut", key=covered.key)
    if blocked_by is not None:
        return record.blocked(blocked_by, decision.waiting)
    reason = "kapanmis pencere yok"
    waiting = decision.waiting  # closed, and its own fire is still to come
    record.skip(reason, ("bekleyen", waiting or None))
    return record.finish("skipped", exit_code.DONE, reason, waiting, next_at=decision.next_at, watermark=watermark)


def _lost_the_lock(this: Run) -> Answer:
    holder = read_state(this.places.lock_file(this.wish.job)).holder
    this.record.skip("kilit", ("pid", holder and holder.pid))
    return this.record.finish("skipped", exit_code.DONE, "kilit", holder=holder)


def running_window(standing: Standing) -> WindowRow | None:
    """Find a window whose command lives, or the runner that will record its end.

    The row's `process` is then one that lives: of a command whose shell was killed, what
    that had started.
    """
    for row in standing.rows:
        if row.process is None or row.state not in UNSETTLED or (row.state != STARTED and row.reason not in _CUT_OFF):
            continue
        living = living_part(row.process)
        if living is not None:
            return row._replace(process=living)
        if row.state == STARTED and row.runner is not None and is_alive(row.runner):
            return row
    return None


def _give_up(ledger: SqliteLedger, job: Job, record: Record, started: list[WindowRow]) -> None:
    """Mark windows whose command and runner both died: uncertain, or failed where it may be repeated."""
    if not started:
        return
    state = orphan_state(job)
    token = job_log.HATA if state == FAILED else job_log.BELIRSIZ
    with ledger.transaction() as transaction:
        for row in started:
            transaction.change(job.id, row.key, (STARTED,), state, "command-died", clock.now())
        transaction.commit()
    for row in started:
        record.line(token, *window_fields(Window(row.start, row.end), row.key), ("sebep", "command-died"))


def _is_missing(path: str) -> bool:
    try:
        os.lstat(path)
    except (FileNotFoundError, NotADirectoryError):
        return True
    except OSError:
        return False  # a folder that cannot be looked into: reading the job says so
    return False


def _log_orphan(places: Places, wish: Wish) -> None:
    if os.path.isdir(os.path.dirname(places.common_log)):
        fields = (("is", wish.job), ("sebep", "no-such-job"))
        job_log.JobLog(places.common_log).write(job_log.format_line(clock.now(), job_log.HATA, fields))
