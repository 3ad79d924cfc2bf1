"""A bug of ours: told in one sentence, with the details in a file instead of on the screen."""

from __future__ import annotations

import sys
import traceback

from trayapp import exit_code
from trayapp.bug_file import keep_bug
from trayapp.errors import SetupError, UsageError
from trayapp.places import find_places

TYPE_CHECKING = False
if TYPE_CHECKING:
    from trayapp.errors import BirkezError


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
    path = keep_bug(traceback.format_exc())
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
