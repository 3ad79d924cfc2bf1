"""A bug of ours: told in one sentence, with the details in a file instead of on the screen."""

from __future__ import annotations

import os
import sys
import traceback

from trayapp import clock, exit_code
from trayapp.errors import SetupError, UsageError
from trayapp.places import find_places

TYPE_CHECKING = False
if TYPE_CHECKING:
    from trayapp.errors import BirkezError

_FACTS_WITHOUT_SECRETS = ("LANG", "LANGUAGE", "LC_ALL", "LC_MESSAGES", "TZ")


def report_bug() -> int:
    """Write the exception that is being handled into a file of the state folder; returns the exit status.

    Prints one sentence with the file's path. Where no file can be made, the sentence names
    the exception instead. Letters that no database and no file takes are the mistake of
    whoever wrote them: that is told instead.
    """
    error = sys.exception() if hasattr(sys, "exception") else sys.exc_info()[1]
    mistake = _mistake_in_letters(error)
    if mistake is not None:
        return _tell(mistake)
    path = _write(traceback.format_exc())
    told = _told(path, error)
    if sys.stderr is not None:
        print("birkez:", told, file=sys.stderr, flush=True)
    return exit_code.BUG


def _mistake_in_letters(error: BaseException | None) -> BirkezError | None:
    """What was written in bytes that are not UTF-8, if *error* comes from that: a word, or our folder's name."""
    if not isinstance(error, UnicodeEncodeError):
        return None
    letters = {letter for letter in error.object if "\ud800" <= letter <= "\udfff"}
    for word in sys.argv[1:]:
        if letters.intersection(word):
            return UsageError("word-not-utf8", word=word)
    state = find_places().state
    return SetupError("state-folder-not-utf8", path=state) if letters.intersection(state) else None


def _tell(mistake: BirkezError) -> int:
    from trayapp.wording.speech import make_printable, sentence  # noqa: PLC0415  # as below

    if sys.stderr is not None:
        make_printable(sys.stderr)
        print("birkez:", sentence(mistake), file=sys.stderr, flush=True)
    return mistake.exit_status


def _told(path: str | None, error: BaseException | None) -> str:
    try:
        from trayapp.wording.speech import make_printable, say  # noqa: PLC0415  # only a bug pays for it

        if sys.stderr is not None:
            make_printable(sys.stderr)
        if path is None:
            return say("Birkez made a mistake of its own: {kind}. Details could not be kept.", kind=_kind(error))
        return say(
            "Birkez made a mistake of its own ({kind}). The details are in {path}; send that file to its makers.",
            kind=_kind(error),
            path=path,
        )
    except Exception:  # noqa: BLE001  # the bug may lie in speaking itself
        return f"bug: {_kind(error)} {path or ''}".rstrip()


def _kind(error: BaseException | None) -> str:
    return type(error).__name__


def _write(text: str) -> str | None:
    for folder in (_state_folder, _temporary_folder):
        try:
            return _write_into(folder(), text)
        except Exception:  # noqa: BLE001, S112  # a full disk must not turn one bug into two
            continue
    return None


def _write_into(folder: str, text: str) -> str:
    now = clock.now()
    path = os.path.join(folder, f"bug-{now:%Y%m%d-%H%M%S}-{os.getpid()}.txt")
    # Never a file that is there: others may write into the folder for temporary files.
    with open(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="utf-8") as file:
        file.write(_header(clock.format_log_time(now)))
        file.write(text.encode("utf-8", "backslashreplace").decode("utf-8"))
    return path


def _state_folder() -> str:
    state = find_places().state
    os.makedirs(state, mode=0o700, exist_ok=True)
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
