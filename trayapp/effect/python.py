"""The `python` effect: a function `process(window, tx)` of the user's, inside our transaction.

Only a normal return commits. An exception, `sys.exit`, a coroutine or generator instead
of work done, a time-out, a killed process: nothing took effect.
"""

from __future__ import annotations

import contextlib
import os
import sqlite3
import stat
import sys

from trayapp.effect.interruption import Interrupted
from trayapp.effect.leaving import Leaving
from trayapp.effect.own_files import OwnFiles
from trayapp.effect.python_transaction import Transaction
from trayapp.effect.watch import Watch
from trayapp.errors import BirkezError, EffectError
from trayapp.ledger.sqlite_file import environment_error, is_busy
from trayapp.value import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from types import ModuleType
    from typing import Any

    from trayapp.effect.interruption import CallLimit, Interruption
    from trayapp.effect.printed import Printed
    from trayapp.effect.unit import Unit
    from trayapp.job.model import PythonEffect
    from trayapp.ledger.ledger import Counts
    from trayapp.ledger.sqlite_transaction import SqliteTransaction


_MAX_MIB = 64  # of the user's file; a program has some thousand lines
_SPAWNED = os.path.join(os.path.dirname(os.path.abspath(__file__)), "spawned")


class Functions(NamedTuple):
    """The user's functions: `process(window, tx)`, and `prepare(window)` where there is one.

    With `prepare`, `process` is called as `process(window, tx, data)`. `own_files` are
    those that were open before the user's file was loaded.
    """

    process: Callable[..., Any]
    prepare: Callable[..., Any] | None
    own_files: OwnFiles


def load_functions(effect: PythonEffect) -> Functions:
    """Import the user's file by its path, its folder being importable to it.

    Raises: EffectError `python-missing`, `python-not-regular`, `python-large`, `python-broken`
    (it cannot be imported) or `python-no-function`; those of `OwnFiles.check`.
    """
    _check_file(effect.file)
    own_files = OwnFiles()
    leaving = Leaving(effect.file)
    try:
        with leaving.refused_for_now():
            module = _import_file(effect.file)
    except SyntaxError as error:
        raise EffectError(
            "python-broken", path=effect.file, line=error.lineno, reason=f"SyntaxError: {error.msg}"
        ) from error
    except BaseException as error:  # foreign code: it may raise anything, SystemExit included
        if isinstance(error, (KeyboardInterrupt, Interrupted)):
            raise
        own_files.check(effect.file)
        if isinstance(error, EffectError):
            raise
        raise EffectError(
            "python-broken", path=effect.file, line=_line_of(error, effect.file), reason=_reason(error)
        ) from error
    own_files.check(effect.file)
    if leaving.refusal:
        raise leaving.refusal
    process = getattr(module, effect.function, None)
    if not callable(process):
        raise EffectError("python-no-function", path=effect.file, function=effect.function)
    prepare = getattr(module, "prepare", None)
    return Functions(process, prepare if callable(prepare) else None, own_files)


class Calling(NamedTuple):
    """How the user's functions are called: within which limits, and where their output goes."""

    effect: PythonEffect
    functions: Functions
    limit: CallLimit
    interruption: Interruption
    printed: Printed


def perform_python(calling: Calling, unit: Unit, data: object, transaction: SqliteTransaction) -> Counts:
    """Call `process` inside the open transaction; returns how many record keys were new and repeated.

    Raises: EffectError, with the line in the user's file, when it did not return normally.
    """
    effect, functions, limit, interruption, printed = calling
    watch = Watch(transaction.connection, effect.file, is_for_use=True)
    tx = Transaction(transaction, unit, effect.file, watch)
    arguments = (unit.window, tx) if functions.prepare is None else (unit.window, tx, data)
    functions.own_files.begin(effect.database + "-journal")
    with tx.guarded(), limit, printed:
        _call(calling, functions.process, arguments, watch)
    if interruption.timed_out:
        raise EffectError("effect-timed-out", seconds=effect.timeout_s)
    if interruption.signal_number:
        raise Interrupted  # the code swallowed the wish to end; it commits nothing all the same
    if not tx.is_open():
        raise EffectError("python-ended-transaction", path=effect.file)
    return tx.counts()


def prepare_python(calling: Calling, unit: Unit) -> object:
    """Call `prepare` before the transaction, for slow reading; None where there is none.

    It has the same time limit as `process`, each for itself.
    """
    if calling.functions.prepare is None:
        return None
    calling.functions.own_files.begin()
    watch = Watch(calling.limit.connection, calling.effect.file, is_for_use=False)
    with calling.limit, calling.printed:
        return _call(calling, calling.functions.prepare, (unit.window,), watch, returns=True)


def _call(
    calling: Calling,
    function: Callable[..., Any],
    arguments: tuple[object, ...],
    watch: Watch,
    *,
    returns: bool = False,
) -> object:
    own_pid, leaving = os.getpid(), Leaving(calling.effect.file)
    try:
        with leaving.refused_for_now(), watch:
            result = function(*arguments)
        refuse_unfinished(calling.effect, result, returns=returns)
    except BaseException as error:  # foreign code: SystemExit and its like must not commit
        if os.getpid() != own_pid:
            os._exit(1)
        _check_own_files(calling, is_for_use=watch.is_for_use)
        if calling.interruption.timed_out:
            raise EffectError("effect-timed-out", seconds=calling.effect.timeout_s) from error
        if calling.interruption.signal_number:
            raise Interrupted from error
        raise watch.misuse or leaving.refusal or failure_of(error, calling.effect) from error
    if os.getpid() != own_pid:
        os._exit(0)  # a fork of the user's came back here: the transaction is its parent's
    _check_own_files(calling, is_for_use=watch.is_for_use)
    misuse = watch.misuse or leaving.refusal
    if misuse is not None:  # whatever became of the error
        raise misuse
    return result


def _check_own_files(calling: Calling, *, is_for_use: bool) -> None:
    own_files, effect = calling.functions.own_files, calling.effect
    if is_for_use and not calling.limit.connection.in_transaction:
        own_files.forget(effect.database + "-journal")  # SQLite has taken all back and closed it
    own_files.check(effect.file)


def _check_file(path: str) -> None:
    try:
        found = os.stat(path)
    except (OSError, ValueError) as error:
        raise EffectError("python-missing", path=path) from error
    if not stat.S_ISREG(found.st_mode):  # a pipe would wait for ever and a device never end
        raise EffectError("python-not-regular", path=path)
    if found.st_size > _MAX_MIB << 20:
        raise EffectError("python-large", path=path, limit_mib=_MAX_MIB)


def refuse_unfinished(effect: PythonEffect, result: object, *, returns: bool) -> None:
    """Refuse what is no result but work that has not been done: a coroutine, or a generator where none is returned.

    Raises: EffectError `python-is-coroutine`, `python-is-generator`.
    """
    if hasattr(result, "__await__"):
        getattr(result, "close", int)()
        raise EffectError("python-is-coroutine", path=effect.file, function=effect.function)
    if not returns and hasattr(result, "gi_frame"):
        raise EffectError("python-is-generator", path=effect.file, function=effect.function)


def failure_of(error: BaseException, effect: PythonEffect) -> BirkezError:
    """What to tell of an exception of the user's code, with its line in the user's file."""
    if isinstance(error, BirkezError):
        return error
    where = {"path": effect.file, "line": _line_of(error, effect.file)}
    if isinstance(error, SystemExit):
        return EffectError("python-exited", status=str(error.code), **where)
    if isinstance(error, sqlite3.Error):
        if is_busy(error):
            # Our transaction is the only writer: who finds the file busy has opened it again.
            return EffectError("python-second-connection", database=effect.database, **where)
        known = environment_error(error, effect.database)
        if known is not None:
            return known
    return EffectError("python-failed", reason=_reason(error), **where)


def _import_file(path: str) -> ModuleType:
    import importlib.util  # noqa: PLC0415  # only jobs in Python pay for it

    see_installed_packages()
    folder = os.path.dirname(path)
    if folder not in sys.path:
        sys.path.insert(0, folder)
    # Worker processes of the code's own find it by these two: see `spawned`.
    os.environ["BIRKEZ_JOB_FILE"] = path
    if _SPAWNED not in sys.path:
        sys.path.append(_SPAWNED)
    spec = importlib.util.spec_from_file_location("birkez_job", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["birkez_job"] = module  # pickling and dataclasses look a module up by its name
    spec.loader.exec_module(module)
    return module


def see_installed_packages() -> None:
    """Make installed packages importable: the runner starts without them (`-I -S`), a third sooner."""
    if "site" not in sys.modules and not getattr(sys, "frozen", False):
        import site  # noqa: PLC0415

        site.main()


def _line_of(error: BaseException, path: str) -> int | None:
    line, traceback = None, error.__traceback__
    while traceback is not None:
        if os.path.abspath(traceback.tb_frame.f_code.co_filename) == path:
            line = traceback.tb_lineno
        traceback = traceback.tb_next
    return line


def _reason(error: BaseException) -> str:
    text = type(error).__name__
    with contextlib.suppress(Exception):  # a foreign exception's own __str__ may fail
        text = f"{text}: {error}" if str(error) else text
    return text
