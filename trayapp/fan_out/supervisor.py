"""A run of a job with items: starts the workers, replaces those that die, and counts in the end.

It makes no item itself. When the last worker has ended it looks once more: what a dead one
left, or a worker added by hand has not finished, is waited for or worked on, so that the
count at the end is the list's.
"""

from __future__ import annotations

import subprocess
import sys
import time

from trayapp import errors
from trayapp.effect.item.python import HUNG_STATUS
from trayapp.errors import BirkezError, EffectError, SetupError
from trayapp.fan_out.place import Place
from trayapp.fan_out.progress import Line, read_told
from trayapp.own_command import own_argv, own_environment
from trayapp.value import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from trayapp.fan_out.place import Standing
    from trayapp.job.model import Job
    from trayapp.places import Places

_TICK_S = 0.05
_STOP_GRACE_S = 15.0  # for the items at hand; a command has ten of them to end by itself
_KILL_AFTER_S = 3.0
_YOUNG_S = 2.0
_DEATHS_IN_YOUTH, _DEATHS = 12, 500  # then the next one would die as well
_LONGEST_WAIT_S = 300.0
_ROUNDS_IN_VAIN = 3  # of a worker that ended by itself and left all as it was
_HELD_PAUSE_S = 0.5


class Outcome(NamedTuple):
    """What came of a run. `before` items were done when it began, `made` since, by all workers.

    `error` is what stopped it or kept items waiting; `is_stopped` that it was told to end.
    """

    standing: Standing
    before: int
    made: int
    error: BirkezError | None = None
    is_stopped: bool = False


class Supervisor:
    """The workers of one run."""

    def __init__(self, places: Places, job: Job, run: str, stop: Callable[[], bool]) -> None:
        self._job = job
        self._stop = stop
        self._living: dict[subprocess.Popen[bytes], tuple[int, float]] = {}  # number, begin
        self._started = 0
        self._died_young = self._deaths = 0
        self._error: BirkezError | None = None
        self._unreachable: set[str] = set()
        self._place = Place(places, job, run)

    def run(self) -> Outcome:
        """Have the list worked through.

        Raises: SetupError, StateError when no worker can begin.
        """
        place = self._place
        try:
            place.join()
            begun = place.standing()
            if not begun.waiting:
                return Outcome(begun, begun.done, 0)
            line = Line(place.folder, begun.total, begun.done, begun.failed, is_worker=False)
            try:
                self._work_through(begun.waiting)
            finally:
                self._end_workers()
                line.close()
            ended = place.standing()
            made = max(0, ended.done - begun.done)
            return Outcome(ended, begun.done, made, self._error or self._left(ended), self._stop())
        finally:
            place.close()

    def _work_through(self, waiting: int) -> None:
        assert self._job.items is not None
        count = min(self._job.items.workers, waiting)
        before: list[int] = []
        rounds_in_vain = 0
        while rounds_in_vain < _ROUNDS_IN_VAIN:
            for number in range(count):
                self._start(number / count)
            while self._living and not self._is_over():
                self._look_at_workers()
                time.sleep(_TICK_S)
            left = self._work_left()
            if not left:
                return
            count = 1
            # The list was read when the run began: what has gone from it since, no worker finds.
            rounds_in_vain = rounds_in_vain + 1 if left == before else 0
            before = left

    def _is_over(self) -> bool:
        return self._error is not None or self._stop()

    def _work_left(self) -> list[int]:
        """Items that are left when the last worker has ended; waits while others are at work on them."""
        while not self._is_over():
            held = self._place.targets.sweep()
            open_ = self._place.open_indices()
            due = [index for index in open_ if self._place.is_due_within(index, _LONGEST_WAIT_S)]
            if not due or self._unreachable:
                return []
            if not held:
                return open_
            time.sleep(_HELD_PAUSE_S)
        return []

    def _start(self, begin: float) -> None:
        self._started += 1
        number = self._started
        words = ("work", self._job.id, "--part-of", self._place.run, "--number", str(number), "--begin", f"{begin:.6f}")
        no_window = 0
        if sys.platform == "win32" and sys.stdout is None:
            no_window = subprocess.CREATE_NO_WINDOW  # under pythonw; else a console would flash up
        try:
            worker = subprocess.Popen(
                own_argv(*words),
                env=own_environment(),
                stdin=subprocess.PIPE,
                stdout=subprocess.DEVNULL,  # what an item leaves running could hold a pipe open
                stderr=None if sys.stderr is not None else subprocess.DEVNULL,
                creationflags=no_window,
            )
        except OSError as error:
            self._error = SetupError("workers-not-started", job=self._job.id, reason=error.strerror or str(error))
            return
        self._living[worker] = number, time.monotonic()

    def _look_at_workers(self) -> None:
        for worker, (number, started_at) in tuple(self._living.items()):
            status = worker.poll()
            if status is None:
                continue
            del self._living[worker]
            if self._hear(worker, number) or self._is_over():
                continue
            self._deaths += 1
            self._died_young += status != HUNG_STATUS and time.monotonic() - started_at < _YOUNG_S
            if self._died_young >= _DEATHS_IN_YOUTH or self._deaths >= _DEATHS:
                self._error = EffectError("workers-die", job=self._job.id, status=status)
                return
            self._start(0.0)

    def _hear(self, worker: subprocess.Popen[bytes], number: int) -> bool:
        """Read what a worker that has ended told; false when it told nothing, since it was killed."""
        if worker.stdin is not None:
            worker.stdin.close()
        told = read_told(self._place.folder, self._place.run, number)
        if told is None:
            return False
        if "error" in told:
            kind = getattr(errors, told["error"], SetupError)
            self._error = self._error or kind(told["code"], **told["facts"])
        self._unreachable.update(told.get("unreachable", ()))
        return True

    def _end_workers(self) -> None:
        """Let the living finish or release what they have at hand, then make them end."""
        for worker in self._living:
            assert worker.stdin is not None
            worker.stdin.close()
        began = time.monotonic()
        while self._living and time.monotonic() - began < _STOP_GRACE_S:
            self._reap()
            time.sleep(_TICK_S)
        for worker in self._living:
            worker.kill()
        while self._living and time.monotonic() - began < _STOP_GRACE_S + _KILL_AFTER_S:
            self._reap()
            time.sleep(_TICK_S)

    def _reap(self) -> None:
        for worker, (number, _) in tuple(self._living.items()):
            if worker.poll() is not None:
                del self._living[worker]
                self._hear(worker, number)

    def _left(self, standing: Standing) -> BirkezError | None:
        if not self._unreachable:
            return None
        hosts = ", ".join(sorted(self._unreachable))
        return EffectError("hosts-unreachable", job=self._job.id, hosts=hosts, count=standing.waiting)
