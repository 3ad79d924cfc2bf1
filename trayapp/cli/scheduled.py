"""`birkez run JOB --trigger schedule|boot`: silent but for the first failure of a streak.

cron mails what a job prints, so a job that fails every quarter of an hour must not fill a
mailbox, and one that begins to fail must be heard once.
"""

from __future__ import annotations

import sys

from trayapp import exit_code
from trayapp.errors import BirkezError
from trayapp.places import find_places
from trayapp.runner.decision import Wish
from trayapp.runner.pipeline import run

TYPE_CHECKING = False
if TYPE_CHECKING:
    from trayapp.runner.record import Answer


def run_scheduled(job_id: str, trigger: str) -> int:
    """Run a job as the scheduler started it; returns the exit status."""
    try:
        answer = run(find_places(), Wish(job_id, trigger))
    except BirkezError as error:
        _say(error)
        return error.exit_status
    except Exception:  # a bug of ours: told as one, with its own exit status
        from trayapp.cli.bug import report_bug  # noqa: PLC0415

        return report_bug()
    if answer.exit_status != exit_code.DONE and answer.is_first_failure:
        _say_answer(answer)
    return answer.exit_status


def _say_answer(answer: Answer) -> None:
    from trayapp.cli.answers import answer_lines  # noqa: PLC0415

    _print("; ".join(answer_lines(answer)))


def _say(error: BirkezError) -> None:
    from trayapp.wording.speech import sentence  # noqa: PLC0415

    _print(sentence(error))


def _print(text: str) -> None:
    if sys.stderr is not None:  # pythonw has none
        print("birkez:", text, file=sys.stderr)
