"""The `python` effect for items: a function `process(item, output)` of the user's that writes a file.

It runs inside the worker. One that hangs past its time limit is ended together with the
worker, whose claim the kernel frees; what is known by then is recorded before.
"""

from __future__ import annotations

import errno
import os
import threading

from trayapp.effect.interruption import Interrupted
from trayapp.effect.item.unit import ItemFailedError, Maker
from trayapp.effect.leaving import Leaving
from trayapp.effect.printed import Printed
from trayapp.effect.python import failure_of, load_functions, refuse_unfinished
from trayapp.errors import BirkezError, EffectError
from trayapp.value import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from trayapp.effect.item.unit import ItemUnit
    from trayapp.effect.python import Functions
    from trayapp.job.model import PythonEffect

_DISK = (errno.ENOSPC, errno.EDQUOT, errno.EROFS)
HUNG_STATUS = 75  # of a worker that was ended with the code that hung in it
_leave = os._exit  # as it was before a job's own code could be asked to change it


class GivenItem(NamedTuple):
    """What the user's function gets as *item*."""

    id: str
    key: str
    fields: Mapping[str, str]
    input: str


class ItemFunction(Maker):
    """Calls one job's function for item after item.

    *record* is called with an error when the function hangs; the process ends after it.
    """

    # None: what collects forgotten objects may close a file without what is still in memory.
    closing_s = 0.0

    def __init__(self, effect: PythonEffect, output_path: str, record: Callable[[ItemUnit, EffectError], None]) -> None:
        self._effect = effect
        self._printed = Printed(output_path)
        self._record = record
        self._functions: Functions | None = None

    def make(self, unit: ItemUnit, stop: Callable[[], bool]) -> bool:
        """Call the function and wait for its return."""
        functions = self._functions = self._functions or self._load()
        ended = threading.Event()
        watch = threading.Thread(target=self._watch, args=(unit, ended), daemon=True)
        watch.start()
        try:
            with self._printed:
                self._call(functions, unit)
        except BaseException as error:  # foreign code: it may raise anything, SystemExit and KeyboardInterrupt included
            if stop() or isinstance(error, Interrupted):
                raise Interrupted from error
            if isinstance(error, OSError) and error.errno in _DISK:
                raise
            raise ItemFailedError(_failure(error, self._effect)) from error
        finally:
            ended.set()
        return False

    def _load(self) -> Functions:
        """Load the user's file; what is wrong with it is wrong for every item, and stops the worker."""
        with self._printed:
            return load_functions(self._effect)

    def _call(self, functions: Functions, unit: ItemUnit) -> None:
        given = GivenItem(unit.id, unit.key, unit.fields, unit.input)
        own_pid, leaving = os.getpid(), Leaving(self._effect.file)
        try:
            with leaving.refused_for_now():
                result = functions.process(given, unit.output)
            refuse_unfinished(self._effect, result, returns=True)
        finally:
            if os.getpid() != own_pid:
                _leave(0)  # a fork of the user's came back here: the claim is its parent's
        if leaving.refusal is not None:  # whatever became of the error
            raise leaving.refusal

    def _watch(self, unit: ItemUnit, ended: threading.Event) -> None:
        if ended.wait(self._effect.timeout_s):
            return
        try:
            self._record(unit, EffectError("item-timed-out", seconds=self._effect.timeout_s))
        except BirkezError:
            pass  # it is tried again, once more than it should be
        finally:
            _leave(HUNG_STATUS)


def _failure(error: BaseException, effect: PythonEffect) -> EffectError:
    if isinstance(error, EffectError):
        return EffectError("item-function-exec", **error.facts) if error.code == "python-exec" else error
    found = failure_of(error, effect)
    line = found.facts.get("line")
    if isinstance(error, SystemExit):
        return EffectError("item-function-left", path=effect.file, line=line, status=str(error.code))
    return EffectError(
        "item-function-failed", path=effect.file, line=line, reason=found.facts.get("reason", type(error).__name__)
    )
