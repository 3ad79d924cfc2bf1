"""Why a run ended as it did, in words: the one source for tables, log lines, answers and spreadsheets.

A reason is what stands behind `sebep` in a log line and in history: a word of the log, or
the code of an error. Words for a log word are its own; an error's are those of its code,
or of the family that its code begins with, since a row has no room for its sentence.
No reason is ever shown as it is written: one that this version does not know is said to be so.
"""

from __future__ import annotations

from trayapp.wording.language import _
from trayapp.wording.mark import N_
from trayapp.wording.speech import say

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

BUG = "bug"
CUT_OFF = "yarida kesildi"
DECIDED = "karar"
UNDECIDED = "belirsiz"

_SKIPPED = {
    "kilit": N_("already running"),
    "anahtar mevcut": N_("done already"),
    "kapanmis pencere yok": N_("no period has closed since"),
    "duraklatildi": N_("paused"),
    "devre disi": N_("switched off"),
    "telafi politikasi": N_("missed periods were passed over"),
    "bekleyen dosya yok": N_("all files of the list are there"),
    UNDECIDED: N_("your decision is awaited"),
    "calisma siniri": N_("the rest waits for the next run"),
    "defter benimsendi": N_("the database is known from now on"),
}
_BY_HAND = {
    DECIDED: N_("your decision was recorded"),
    "elle gecildi": N_("left out by hand"),
    "yeniden acildi": N_("opened again by hand"),
    "su seviyesi": N_("moved by hand to where it counts as done"),
    "saat ileriydi": N_("opened again: the clock had been ahead"),
    "defter kabul edildi": N_("the database was accepted as it stands"),
    "defter unutuldu": N_("the earlier record was forgotten"),
}
_ENDED = {
    "durduruldu": N_("the run was stopped"),
    CUT_OFF: N_("cut off before its end"),
    BUG: N_("a mistake of Birkez stopped the run"),
}
_NO_FOLDER = N_("Birkez cannot write its own files")
_BAD_PROGRAM = N_("the program could not be started")
_NO_SERVER = N_("the server of the database cannot be used")
_BAD_FILE = N_("the job file has a mistake")
_BAD_ITEM = N_("a line of the list cannot be used")
_ERRORS = {
    "command-failed": N_("the program reported a failure"),
    "command-nothing-done": N_("the program had done nothing"),
    "command-signalled": N_("the program was ended from outside"),
    "command-timed-out": N_("the program took too long"),
    "command-stopped": N_("the program was stopped with the run"),
    "command-died": N_("the program was cut off with its run"),
    "command-still-running": N_("the program of an earlier run is still at work"),
    "command-unrecorded": N_("the end of the program could not be recorded"),
    "command-output-unwritable": N_("what the program prints cannot be kept"),
    "database-busy": N_("the database was busy"),
    "database-disk-full": N_("the disk is full"),
    "database-missing": N_("the database is missing"),
    "database-corrupt": N_("the database is damaged"),
    "effect-timed-out": N_("it took too long"),
    "items-failed": N_("some files could not be made"),
    "job-running": N_("already running"),
    "job-being-removed": N_("the job is being removed"),
    "lock-disk-full": N_("the disk is full"),
    "no-such-job": N_("there is no such job any more"),
    "record-key-invalid": N_("a record has an unusable key"),
    "psycopg-missing": _NO_SERVER,
    "python-missing": N_("the Python file is missing"),
    "script-missing": N_("the SQL script is missing"),
    "sqlite-too-old": N_("the SQLite of this computer is too old"),
}
_FAMILIES = {
    "clock-": N_("the computer's clock cannot be right"),
    "command-": _BAD_PROGRAM,
    "database-": N_("the database cannot be used"),
    "download-": N_("a download failed"),
    "doctor-": _NO_FOLDER,
    "failures-": _NO_FOLDER,
    "history-": _NO_FOLDER,
    "hosts-": _NO_FOLDER,
    "item-": _BAD_ITEM,
    "items-": N_("the list cannot be read"),
    "job-": _BAD_FILE,
    "ledger-": N_("the record in the database does not fit"),
    "lock-": N_("the job's lock cannot be used"),
    "log-": _NO_FOLDER,
    "python-": N_("the Python function failed"),
    "script-": N_("the SQL script cannot be used"),
    "server-": _NO_SERVER,
    "settings-": N_("the settings have a mistake"),
    "source-": N_("a second database could not be read"),
    "sql-": N_("the SQL script failed"),
    "state-": _NO_FOLDER,
    "targets-": N_("the folder of the files cannot be used"),
    "time-zone-": N_("the time zone is not known here"),
    "watermark-": N_("what was asked for cannot be done"),
    "window-": N_("what was asked for cannot be done"),
    "word-": N_("what was asked for cannot be done"),
    "workers-": N_("the workers could not go on"),
}
_OUTCOMES = {
    "done": N_("Done"),
    "failed": N_("Failed"),
    "running": N_("Under way"),
    "stopped": N_("Stopped: what was not finished was taken back"),
    "uncertain": N_("Uncertain: whether it finished is not known"),
}
_BRIEF = {
    "running": N_("not finished"),
    "done": N_("done"),
    "skipped": N_("skipped"),
    "failed": N_("failed"),
    "uncertain": N_("uncertain"),
    "stopped": N_("stopped"),
}
_UNKNOWN_END = N_("Ended")
_UNKNOWN = N_("for a reason that this version of Birkez does not know")

# What the person who pressed the button is answered: the same reasons, as a headline.
_ANSWERS = {
    "kilit": N_("Already running, no second copy was started"),
    "duraklatildi": N_("The job is paused, nothing was done"),
    "devre disi": N_("The job is switched off, nothing was done"),
    "anahtar mevcut": N_("Done already, nothing was repeated"),
    "telafi politikasi": N_("Missed periods were passed over"),
}
_NOTHING_TO_DO = N_("There was nothing to do")


def reason_words(reason: str) -> str:
    """Words for the `sebep` of a log line, as a part of a sentence; nothing for no reason."""
    return _(_text_of(reason)) if reason else ""


def reasons_said(is_sought: Callable[[str], bool]) -> tuple[str, ...]:
    """Reasons whose own words, in the spoken language, are sought: for a search by what is seen."""
    tables = (_SKIPPED, _BY_HAND, _ENDED, _ERRORS)
    return tuple(reason for table in tables for reason, text in table.items() if is_sought(_(text)))


def is_known(reason: str) -> bool:
    """Tell whether *reason* has words of its own or of its family."""
    return _text_of(reason) != _UNKNOWN


def trouble_words(reason: str, message: str) -> str:
    """What went wrong: the sentence that was logged, or words for *reason*.

    What is logged of a mistake of Birkez is for those who mend it.
    """
    return message if message and reason != BUG else reason_words(reason)


def ending_words(outcome: str, reason: str = "", message: str = "") -> str:
    """How a run ended and why, as one line: `Skipped: already running`; *message* is its last line's of trouble."""
    if reason in _BY_HAND:
        return _("A decision was recorded")
    if reason == UNDECIDED or outcome == "skipped":
        words = reason_words(reason)
        return say("Skipped: {reason}", reason=words) if words else _("Skipped")
    if reason == CUT_OFF:
        return _("Cut off: it ended without a word")
    trouble = trouble_words(reason, message) if outcome == "failed" else ""
    return say("Failed: {reason}", reason=trouble) if trouble else _(_OUTCOMES.get(outcome, _UNKNOWN_END))


def brief_words(outcome: str, reason: str = "") -> str:
    """How a run ended and why, for the middle of a line: `skipped: paused`; what went wrong is told elsewhere."""
    words = _(_BRIEF.get(outcome, outcome))
    return f"{words}: {reason_words(reason)}" if reason else words


def answer_title(reason: str) -> str:
    """Say to the person who pressed why nothing was done."""
    return _(_ANSWERS.get(reason, _NOTHING_TO_DO))


def _text_of(reason: str) -> str:
    for table in (_SKIPPED, _BY_HAND, _ENDED, _ERRORS):
        if reason in table:
            return table[reason]
    return next((text for family, text in _FAMILIES.items() if reason.startswith(family)), _UNKNOWN)
