"""`birkez work` and `birkez items`: one more worker for a job's list, and how the list stands."""

from __future__ import annotations

import random

from trayapp import exit_code
from trayapp.cli.answers import answer_json, answer_lines
from trayapp.cli.arguments import add_command, add_job, add_json, known_job
from trayapp.cli.item_telling import item_lines, items_json
from trayapp.cli.terminal import paint, say_many, show, show_json, warn
from trayapp.errors import UsageError
from trayapp.job.cache import load_job
from trayapp.places import find_places
from trayapp.wording.mark import NN_
from trayapp.wording.speech import _, say, sentence

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse

    from trayapp.cli.arguments import Subparsers
    from trayapp.job.model import Job
    from trayapp.places import Places

_PAINTS = {"done": "ok", "skipped": "idle", "failed": "bad", "stopped": "warn"}


def add_parsers(commands: Subparsers) -> None:
    """Offer `work` and `items`."""
    import argparse  # noqa: PLC0415  # loaded by whoever calls this

    work = add_command(commands, "work", _("Add one more worker to a job that works through a list."), _handle_work)
    add_job(work)
    add_json(work)
    work.add_argument("--part-of", help=argparse.SUPPRESS)  # by these a run starts its own workers
    work.add_argument("--number", type=int, default=0, help=argparse.SUPPRESS)
    work.add_argument("--begin", type=float, help=argparse.SUPPRESS)
    items = add_command(commands, "items", _("Show what of a job's list is done, waits and failed."), _handle_items)
    add_job(items)
    items.add_argument("--failed", action="store_true", help=_("all that failed, each with its reason"))
    items.add_argument("--retry", action="store_true", help=_("let the next run try what failed again"))
    add_json(items)


def _handle_work(words: argparse.Namespace) -> int:
    places = find_places()
    job = _job_with_items(places, words.job)
    begin = random.random() if words.begin is None else min(max(words.begin, 0.0), 1.0)  # noqa: S311  # a place, no secret
    if words.part_of:
        from trayapp.fan_out.worker_process import serve  # noqa: PLC0415  # `items` need not load it

        return serve(places, job, words.part_of, words.number, begin)
    from trayapp.cli.progress_bar import ProgressBar  # noqa: PLC0415  # as above
    from trayapp.runner.decision import Wish  # noqa: PLC0415  # as above
    from trayapp.runner.items_run import work_beside  # noqa: PLC0415  # as above

    with ProgressBar(places, job.id, is_wanted=not words.json):
        answer = work_beside(places, Wish(job.id), begin)
    if words.json:
        show_json(answer_json(answer, job.id))
        return answer.exit_status
    first, *others = answer_lines(answer, job.id)
    show(paint(first, _PAINTS[answer.outcome]), *others)
    if answer.untold is not None:
        warn(sentence(answer.untold))
    return answer.exit_status


def _handle_items(words: argparse.Namespace) -> int:
    from trayapp.fan_out.looking import retry_failed  # noqa: PLC0415  # a worker need not load it

    places = find_places()
    job = _job_with_items(places, words.job)
    if words.retry:
        count = retry_failed(places, job.id)
        if not words.json:
            forms = NN_(
                "{count:number} item will be tried again by the next run.",
                "{count:number} items will be tried again by the next run.",
            )
            show(say_many(forms, count) if count else _("Nothing had failed, so there is nothing to try again."))
            if count:
                show(say("Now: birkez run {job}", job=job.id))
            return exit_code.DONE
    return show_items(places, job, as_json=words.json, all_failed=words.failed)


def show_items(places: Places, job: Job, *, as_json: bool, all_failed: bool = False) -> int:
    """Tell how the list stands; returns the exit status."""
    from trayapp.fan_out.looking import look_at_items  # noqa: PLC0415  # as above

    look = look_at_items(places, job)
    if as_json:
        show_json({"job": job.id, **items_json(look)})
    else:
        show(*item_lines(look, all_failed=all_failed))
    return exit_code.DONE


def _job_with_items(places: Places, job_id: str) -> Job:
    job = load_job(places, known_job(places, job_id))
    if job.items is None:
        raise UsageError("job-without-items", job=job_id)
    return job
