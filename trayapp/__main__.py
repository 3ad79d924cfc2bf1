"""`birkez` and `python -m trayapp`.

`birkez run JOB --trigger schedule` is started thousands of times by the system's
scheduler, so its words are read here without argparse; everything else is `cli`'s. The
interpreter may be started bare (`-I -S`): a third of its start is looking for packages
that a run with nothing to do never uses.

Ctrl-C never ends in a traceback, and never goes unheard. While modules are loaded nothing
has begun, and Python would show where it was, or lose the wish inside its import system.
"""

from __future__ import annotations

import _signal  # type: ignore[import-not-found]  # part of the interpreter, while `signal` costs 2 ms

if __name__ == "__main__" and _signal.getsignal(_signal.SIGINT) == _signal.default_int_handler:
    _signal.signal(_signal.SIGINT, _signal.SIG_DFL)  # even `os` is not loaded yet

import os
import sys

if __name__ == "__main__" and not __package__:
    sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from importlib.machinery import ModuleSpec
    from types import ModuleType

_STOPPED_BY_CTRL_C = 130  # as exit_code has it, which is not loaded yet


def main() -> int:
    """Run the command line; returns the exit status."""
    was_ours = any(_exchange_handler(known, _leave) for known in (_signal.SIG_DFL, _signal.default_int_handler))
    sys.unraisablehook = _heed_unraisable
    try:
        run = _load()
        if was_ours:
            _exchange_handler(_leave, _signal.default_int_handler)
        return run()
    except KeyboardInterrupt:
        return _STOPPED_BY_CTRL_C
    finally:
        # What was asked for is done or not; how it went must not be lost while the interpreter is taken down.
        _exchange_handler(_signal.default_int_handler, _signal.SIG_IGN)


def _load() -> Callable[[], int]:
    """Load what the words ask for; returns the function that does it."""
    if "site" not in sys.modules and not getattr(sys, "frozen", False):
        sys.meta_path.append(_InstalledPackages)
    words = sys.argv[1:]
    if words[:1] in (["run"], ["tray"]):
        words = _take_home(words)
        if words[4:] == ["--last-day"]:
            if _comes_a_leap_day():
                return lambda: 0
            words = words[:4]
    if words[:1] == ["run"] and words[2:] in (["--trigger", "schedule"], ["--trigger", "boot"]) and words[1] != "--all":
        from trayapp.cli.scheduled import run_scheduled  # noqa: PLC0415  # the fast way

        return lambda: run_scheduled(words[1], words[3])
    if words[:1] == ["record-hang"]:
        from trayapp.cli.after_hang import tell_hang  # noqa: PLC0415  # hardly ever

        return lambda: tell_hang(words[1])
    if "site" not in sys.modules and not getattr(sys, "frozen", False):
        import site  # noqa: PLC0415  # the command line uses installed packages

        site.main()
    from trayapp.cli.main import main as cli_main  # noqa: PLC0415

    return lambda: cli_main(words)


def _take_home(words: list[str]) -> list[str]:
    """Heed where Birkez's files lie, as the last words of a scheduler's entry say; returns the other words.

    They become the variables that they stand for, so that whatever is started from here finds the same home.
    """
    if words[-2:-1] == ["--home"]:
        os.environ["BIRKEZ_HOME"] = words[-1]
        return words[:-2]
    if words[-3:-2] == ["--xdg"]:
        os.environ.pop("BIRKEZ_HOME", None)
        os.environ["XDG_CONFIG_HOME"], os.environ["XDG_STATE_HOME"] = words[-2:]
        return words[:-3]
    return words


def _comes_a_leap_day() -> bool:
    """Tell whether today is a 28 February that is not the month's last day: cron, without leap years, starts then."""
    import time  # noqa: PLC0415  # few jobs ask

    today = time.localtime()
    return (today.tm_mon, today.tm_mday) == (2, 28) and time.localtime(time.mktime(today) + 86_400).tm_mon == 2  # noqa: PLR2004  # February


class _InstalledPackages:
    """Last of the finders: an interpreter started bare looks for packages when one is asked for, not before."""

    @staticmethod
    def find_spec(name: str, path: Sequence[str] | None = None, target: ModuleType | None = None) -> ModuleSpec | None:
        """Find a module that the others did not find, in the packages of the interpreter or its environment."""
        if path is not None or "site" in sys.modules:
            return None
        import site  # noqa: PLC0415  # a third of an interpreter's start
        from importlib.machinery import PathFinder  # noqa: PLC0415  # `site` has loaded it

        site.main()
        return PathFinder.find_spec(name, None, target)


def _exchange_handler(old: object, new: object) -> bool:
    """Set how Ctrl-C is handled where it is handled as *old*: not where it is ignored (`nohup`, `&`)."""
    try:
        if _signal.getsignal(_signal.SIGINT) != old:
            return False
        _signal.signal(_signal.SIGINT, new)
    except ValueError:  # not the first thread: somebody else's program, and its Ctrl-C
        return False
    return True


def _leave(_number: int, _frame: object) -> None:
    os._exit(_STOPPED_BY_CTRL_C)


def _heed_unraisable(lost: sys.UnraisableHookArgs) -> None:
    """A Ctrl-C that Python had to drop, as inside a destructor, is heard all the same."""
    if issubclass(lost.exc_type, KeyboardInterrupt):
        os._exit(_STOPPED_BY_CTRL_C)
    sys.__unraisablehook__(lost)


if __name__ == "__main__":
    sys.exit(main())
