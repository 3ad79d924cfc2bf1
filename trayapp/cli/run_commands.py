"""`birkez run`, `pause` and `resume`.

Started by hand, a run answers in words; under a scheduler it is silent, see `scheduled`.
"""

from __future__ import annotations

import os
import sys

from trayapp import clock, exit_code
from trayapp.cli.answers import answer_json, answer_lines, error_json, paused_line
from trayapp.cli.arguments import add_command, add_job, add_json, count, known_job, moment, no_such_job
from trayapp.cli.terminal import leave_quietly, paint, show, show_json, warn
from trayapp.errors import BirkezError, NoSuchJobError, SetupError, UsageError
from trayapp.places import find_places
from trayapp.wording.speech import _, say, sentence

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse
    from contextlib import AbstractContextManager
    from datetime import datetime

    from trayapp.cli.arguments import Subparsers
    from trayapp.places import Places
    from trayapp.runner.decision import Wish
    from trayapp.runner.record import Answer

_PAINTS = {"done": "ok", "skipped": "idle", "failed": "bad", "uncertain": "warn", "stopped": "warn"}


def add_parsers(commands: Subparsers) -> None:
    """Offer `run`, `pause` and `resume`."""
    run = add_command(commands, "run", _("Run a job now: its closed periods, each exactly once."), _handle_run)
    add_job(run, optional=True)
    run.add_argument("--all", action="store_true", help=_("all enabled jobs, one after the other"))
    run.add_argument(
        "--window", type=moment, metavar=_("START"), help=_("only the period that begins then: 2026-09-04T10:00:00Z")
    )
    run.add_argument(
        "--trigger",
        choices=("manual", "schedule", "boot"),
        default="manual",
        help=_("who starts it; manual by default"),
    )
    run.add_argument(
        "--max-windows", type=count, metavar=_("N"), help=_("at most so many periods; never more than the job allows")
    )
    run.add_argument("--home", metavar=_("FOLDER"), help=_("where Birkez's files lie, instead of BIRKEZ_HOME"))
    run.add_argument("--dry-run", action="store_true", help=_("do nothing, only tell what would be done"))
    add_json(run)
    pause = add_command(commands, "pause", _("Pause a job: each start says so and does nothing."), _handle_pause)
    _add_job_or_all(pause)
    pause.add_argument("--until", type=moment, metavar=_("TIME"), help=_("go on by itself then: 2026-09-04T10:00:00Z"))
    resume = add_command(commands, "resume", _("Let a paused job go on."), _handle_resume)
    _add_job_or_all(resume)


def _add_job_or_all(parser: argparse.ArgumentParser) -> None:
    add_job(parser, optional=True)
    parser.add_argument("--all", action="store_true", help=_("all jobs"))


def _check_job_or_all(words: argparse.Namespace) -> None:
    if bool(words.job) == words.all:
        raise UsageError("job-or-all")


def _handle_run(words: argparse.Namespace) -> int:
    from trayapp.runner.decision import Wish  # noqa: PLC0415  # pause need not load the runner

    _check_job_or_all(words)
    if words.all and words.window is not None:
        raise UsageError("window-of-all")
    if words.home:
        os.environ["BIRKEZ_HOME"] = words.home  # for the processes that we start, too
    places = find_places()
    if words.all:
        from trayapp.cli.run_all import run_all  # noqa: PLC0415  # one job needs none of it

        return run_all(places, words)
    wish = Wish(words.job, words.trigger, words.window, words.max_windows)
    try:
        if words.dry_run:
            return _preview(places, wish, as_json=words.json)
        return _run(places, wish, as_json=words.json)
    except NoSuchJobError:
        raise no_such_job(places, words.job) from None
    except BirkezError as error:
        if not words.json:
            raise
        show_json({"job": words.job, "exit_status": error.exit_status, "error": error_json(error)})
        return error.exit_status


def _run(places: Places, wish: Wish, *, as_json: bool) -> int:
    if wish.trigger != "manual" and not as_json:
        from trayapp.cli.scheduled import run_quietly  # noqa: PLC0415  # a scheduler's start

        return run_quietly(wish).exit_status
    from trayapp.runner.pipeline import run  # noqa: PLC0415  # a preview need not load it

    with _progress_bar(places, wish.job, is_wanted=not as_json):
        answer = run(places, wish)
    try:
        if as_json:
            show_json(answer_json(answer, wish.job))
        else:
            _tell(answer, wish.job)
    except BrokenPipeError:
        leave_quietly()  # the run's own status counts, whoever still listens
    except SetupError as error:
        warn(sentence(error))  # as before
    return answer.exit_status


def _progress_bar(places: Places, job_id: str, *, is_wanted: bool) -> AbstractContextManager[object]:
    """Show how far the workers of a job with items are, where a person watches."""
    from contextlib import nullcontext  # noqa: PLC0415  # only a start by hand

    if not is_wanted or sys.stdout is None or not sys.stdout.isatty():
        return nullcontext()
    from trayapp.cli.progress_bar import ProgressBar  # noqa: PLC0415  # as above

    return ProgressBar(places, job_id, is_wanted=True)


def _tell(answer: Answer, job_id: str) -> None:
    first, *others = answer_lines(answer, job_id)
    show(paint(first, _PAINTS[answer.outcome]), *others)
    if answer.untold is not None:
        warn(sentence(answer.untold))


def _preview(places: Places, wish: Wish, *, as_json: bool) -> int:
    from trayapp.cli.previews import preview_json, preview_lines  # noqa: PLC0415  # only a dry run
    from trayapp.job.cache import load_job  # noqa: PLC0415  # as above
    from trayapp.lock.holder import read_state  # noqa: PLC0415  # as above
    from trayapp.runner.preview import preview  # noqa: PLC0415  # as above

    known_job(places, wish.job)
    job = load_job(places, wish.job)
    if job.items is not None:
        from trayapp.cli.item_commands import show_items  # noqa: PLC0415  # as above

        return show_items(places, job, as_json=as_json)
    found, lock = preview(places, wish), read_state(places.lock_file(wish.job))
    if as_json:
        show_json(preview_json(found, lock))
    else:
        show(*preview_lines(found, lock))
    return exit_code.DONE


def _handle_pause(words: argparse.Namespace) -> int:
    _check_job_or_all(words)
    places = find_places()
    if words.until is not None and words.until <= clock.now():
        raise UsageError("pause-in-past", until=words.until)
    for job_id in _chosen(places, words):
        _pause(places, job_id, words.until)
        show(paused_line(job_id, words.until) if words.job else f"{job_id}: {paused_line(job_id, words.until)}")
        _tell_of_running(places, job_id)
    return exit_code.DONE


def _tell_of_running(places: Places, job_id: str) -> None:
    from trayapp.lock.holder import read_state  # noqa: PLC0415  # a run need not load it here

    lock = read_state(places.lock_file(job_id))
    if lock.state == "held":
        pid = lock.holder.pid if lock.holder else "?"
        show(say("Its run at work (pid {pid}) goes on to its end; the pause holds for what starts after it.", pid=pid))


def _pause(places: Places, job_id: str, until: datetime | None) -> None:
    from trayapp.job.pause import pause  # noqa: PLC0415  # run need not load it here

    try:
        places.make_folders()
        pause(places, job_id, until)
    except OSError as error:
        raise _unwritable(places, job_id, error) from error


def _handle_resume(words: argparse.Namespace) -> int:
    from trayapp.job.pause import resume  # noqa: PLC0415  # as above

    _check_job_or_all(words)
    places = find_places()
    for job_id in _chosen(places, words):
        try:
            was_paused = resume(places, job_id)
        except OSError as error:
            raise _unwritable(places, job_id, error) from error
        if was_paused:
            show(say("The job {job} goes on with its next start; now: birkez run {job}", job=job_id))
        elif words.job:
            show(say("The job {job} was not paused.", job=job_id))
    return exit_code.DONE


def _chosen(places: Places, words: argparse.Namespace) -> list[str]:
    from trayapp.job.shelf import job_ids  # noqa: PLC0415  # as above

    return job_ids(places) if words.all else [known_job(places, words.job)]


def _unwritable(places: Places, job_id: str, error: OSError) -> SetupError:
    reason = error.strerror or str(error)
    return SetupError("pause-unwritable", job=job_id, path=places.pause_file(job_id), reason=reason)
