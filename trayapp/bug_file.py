"""What a mistake of ours leaves for its makers: a file with the traceback and what surrounds it, without secrets."""

from __future__ import annotations

import os
import sys

from trayapp import clock
from trayapp.places import find_places, make_folder

_FACTS_WITHOUT_SECRETS = ("LANG", "LANGUAGE", "LC_ALL", "LC_MESSAGES", "TZ")
_MOST_A_SECOND = 99


def keep_bug(text: str) -> str | None:
    """Write *text*, a traceback, into a file of its own, and return its path; None where no file can be made.

    In the state folder, or where that cannot be used in the one for temporary files. Never raises.
    """
    for folder in (_state_folder, _temporary_folder):
        try:
            return _write_into(folder(), text)
        except Exception:  # noqa: BLE001, S112  # a full disk must not turn one bug into two
            continue
    return None


def _write_into(folder: str, text: str) -> str:
    now = clock.now()
    path, descriptor = _new_file(os.path.join(folder, f"bug-{now:%Y%m%d-%H%M%S}-{os.getpid()}"))
    with open(descriptor, "w", encoding="utf-8") as file:
        file.write(_header(clock.format_log_time(now)))
        file.write(text.encode("utf-8", "backslashreplace").decode("utf-8"))
    return path


def _new_file(stem: str) -> tuple[str, int]:
    """Make a file, never one that is there: others may write into the folder for temporary files.

    Several mistakes of one second get a number each.
    """
    for number in range(1, _MOST_A_SECOND + 1):
        path = f"{stem}.txt" if number == 1 else f"{stem}-{number}.txt"
        try:
            return path, os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        except FileExistsError:
            continue
    raise FileExistsError(stem)


def _state_folder() -> str:
    state = find_places().state
    make_folder(state)
    return state


def _temporary_folder() -> str:
    import tempfile  # noqa: PLC0415  # only where the state folder cannot be used

    return tempfile.gettempdir()


def _header(at: str) -> str:
    facts = [
        ("at", at),
        ("words", sys.argv[1:]),
        ("python", sys.version),
        ("platform", sys.platform),
        ("executable", sys.executable),
        *((name, os.environ.get(name)) for name in _FACTS_WITHOUT_SECRETS),
    ]
    return "".join(f"{name}: {value!a}\n" for name, value in facts) + "\n"
