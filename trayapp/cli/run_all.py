"""`birkez run --all`: the enabled jobs one after the other, each in a process of its own.

A process each, so that a job that hangs, crashes or leaves hard takes no other with it, and
two jobs may bring Python modules of one name.
"""

from __future__ import annotations

import json
import signal

from trayapp import exit_code
from trayapp.cli.child import exit_status_of, start_birkez
from trayapp.cli.terminal import paint, show, show_json, warn
from trayapp.errors import JobFileError
from trayapp.job.shelf import read_all
from trayapp.wording.speech import _, say, sentence

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse
    import subprocess
    from collections.abc import Iterator

    from trayapp.places import Places


def run_all(places: Places, words: argparse.Namespace) -> int:
    """Run every enabled job; the worst exit status counts. A job whose file is broken is started too: it says so."""
    worst, told = exit_code.DONE, []
    for job_id in _enabled_jobs(places):
        status, answer = _run_one(job_id, words)
        worst = max(worst, status)
        told.append(answer)
        if not words.json and not _is_quiet(words):
            show(paint(job_id, "strong"), *(f"  {line}" for line in _message_of(answer).splitlines()))
        if status > exit_code.STOPPED_BY_SIGNAL:
            break  # who stops one job of many means all of them
    if words.json:
        show_json({"exit_status": worst, "jobs": told})
    elif not told and not _is_quiet(words):
        show(_("There is no enabled job."))
    return worst


def _is_quiet(words: argparse.Namespace) -> bool:
    """Tell whether a scheduler started us: then only a job's own first failure is heard."""
    return words.trigger != "manual" and not words.json and not words.dry_run


def _enabled_jobs(places: Places) -> Iterator[str]:
    for job in read_all(places):
        if isinstance(job, JobFileError):
            if job.code == "job-file-name":
                warn(sentence(job))  # it has no id by which it could be started
            else:
                yield str(job.facts["job"])
        elif job.enabled:
            yield job.id


def _run_one(job_id: str, words: argparse.Namespace) -> tuple[int, dict[str, object]]:
    """Run one job in a process and return its exit status and its answer; of a scheduler's start an empty one."""
    options = ["--trigger", words.trigger]
    options += ["--max-windows", str(words.max_windows)] if words.max_windows else []
    options += ["--dry-run"] if words.dry_run else []
    options += [] if _is_quiet(words) else ["--json"]
    process = start_birkez("run", job_id, *options, keeps_output=not _is_quiet(words))
    output, stopped = _wait_for(process)
    status = stopped or exit_status_of(process.returncode)
    try:
        return status, json.loads(output or "{}")
    except ValueError:
        return status, {"job": job_id, "exit_status": status}


def _wait_for(process: subprocess.Popen[str]) -> tuple[str | None, int]:
    """Wait for *process*, passing on the wish to end; returns its output, and the status of a stop or 0."""
    asked: list[int] = []

    def pass_on(number: int, _frame: object) -> None:
        asked.append(number)
        if number != signal.SIGINT:  # Ctrl-C reaches the whole group by itself
            process.terminate()

    numbers = (signal.SIGINT, signal.SIGTERM)
    before = [signal.signal(number, pass_on) for number in numbers]
    try:
        output, _nothing = process.communicate()
    finally:
        for number, handler in zip(numbers, before, strict=True):
            signal.signal(number, handler)
    return output, exit_code.STOPPED_BY_SIGNAL + asked[0] if asked else 0


def _message_of(answer: dict[str, object]) -> str:
    error = answer.get("error")
    message = answer.get("message") or (error.get("message") if isinstance(error, dict) else None)
    return str(message or say("ended with status {status}", status=answer.get("exit_status")))
