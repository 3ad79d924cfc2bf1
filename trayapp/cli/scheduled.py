"""`birkez run JOB --trigger schedule|boot`: silent but for the first failure of a streak.

cron mails what a job prints, so a job that fails every quarter of an hour must not fill a
mailbox, and one that begins to fail must be heard once. An entry whose job is gone is heard
once, too: after that its lines in the common log tell of it, and `birkez doctor`.
"""

from __future__ import annotations

import os
import sys

from trayapp import exit_code
from trayapp.errors import BirkezError, NoSuchJobError
from trayapp.places import find_places
from trayapp.runner.decision import Wish
from trayapp.runner.pipeline import run

TYPE_CHECKING = False
if TYPE_CHECKING:
    from trayapp.runner.record import Answer

_SIGINT = 2
_COMMON_LINES = 2000  # a few days of an orphan that is started every minute


def run_scheduled(job_id: str, trigger: str) -> int:
    """Run a job as the scheduler started it; returns the exit status."""
    try:
        answer = _run_or_settle(Wish(job_id, trigger))
    except BirkezError as error:
        if not (isinstance(error, NoSuchJobError) and _was_heard(job_id)):
            _say(error)
        return error.exit_status
    except KeyboardInterrupt:  # before the effect began: nothing was done
        return exit_code.STOPPED_BY_SIGNAL + _SIGINT
    except Exception:  # noqa: BLE001  # a bug of ours: told as one, with its own exit status
        from trayapp.cli.bug import report_bug  # noqa: PLC0415

        return report_bug()
    if answer.outcome == "skipped":
        # No code of the user's has run, nothing is left to write: tearing the interpreter
        # down and checkpointing history would cost as much as the run itself.
        os._exit(answer.exit_status)
    return answer.exit_status


def _run_or_settle(wish: Wish) -> Answer:
    """Run a job; one whose adoption a crash has cut off gets its file first, since here it was started."""
    try:
        return run_quietly(wish)
    except NoSuchJobError:
        from trayapp.adoption.settling import settle_started  # noqa: PLC0415  # only where there is no job file

        if not settle_started(find_places(), wish.job):
            raise
    return run_quietly(wish)


def _was_heard(job_id: str) -> bool:
    """Tell whether an entry without its job was started before: then the common log has a line beside this one's."""
    from trayapp.log.job_log import parse_line, read_tail  # noqa: PLC0415  # only an orphan pays for it

    try:
        lines = [parse_line(line) for line in read_tail(find_places().common_log, _COMMON_LINES)]
    except OSError:
        return False
    orphans = [line for line in lines if line is not None and line.fields.get("sebep") == "no-such-job"]
    return sum(line.fields.get("is") == job_id for line in orphans) > 1


def run_quietly(wish: Wish) -> Answer:
    """Run a job and say nothing, unless this is the first of its failures.

    Raises: NoSuchJobError, as the runner does.
    """
    answer = run(find_places(), wish)
    # There is no line: without a word, the start would leave no trace.
    unlogged = answer.untold if answer.untold is not None and answer.untold.code == "log-unwritable" else None
    if answer.exit_status != exit_code.DONE and (answer.is_first_failure or unlogged):
        _say_answer(answer, wish.job)
    if unlogged is not None:
        _say(unlogged)
    return answer


def _say_answer(answer: Answer, job_id: str) -> None:
    from trayapp.cli.answers import answer_lines  # noqa: PLC0415

    _print(job_id + ": " + " ".join(map(str.strip, answer_lines(answer, job_id))))


def _say(error: BirkezError) -> None:
    from trayapp.wording.speech import sentence  # noqa: PLC0415

    _print(sentence(error))


def _print(text: str) -> None:
    from trayapp.wording.speech import make_printable  # noqa: PLC0415

    if sys.stderr is not None:  # pythonw has none
        make_printable(sys.stderr)
        print("birkez:", text, file=sys.stderr)
