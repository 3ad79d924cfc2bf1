"""`birkez job try`: does the job work, and what would it write? Nothing of it stays in database, log or history."""

from __future__ import annotations

import os
import sys

from trayapp import exit_code
from trayapp.cli.answers import error_json, instant
from trayapp.cli.arguments import add_command, add_json, job_file_of, moment
from trayapp.cli.terminal import ask, can_ask, columns, paint, say_many, show, show_json
from trayapp.errors import BirkezError, EffectError, UsageError
from trayapp.job.file import parse_job, read_text
from trayapp.job.model import CommandEffect, DownloadEffect, PythonEffect, SqlEffect
from trayapp.places import find_places
from trayapp.wording.instants import show_window
from trayapp.wording.mark import N_, NN_
from trayapp.wording.numbers import show_number
from trayapp.wording.speech import _, say, sentence

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse

    from trayapp.cli.arguments import Subparsers
    from trayapp.effect.interruption import Interruption
    from trayapp.effect.row_watch import TableChange
    from trayapp.job.model import Job
    from trayapp.places import Places
    from trayapp.runner.trial import Trial
    from trayapp.runner.trial_item import ItemTrial

_leave = os._exit  # as it was before a job's own code could be asked to change it
_ASKED = {
    "python": N_("The function is really called. What it does in the database is taken back, all else it does stays."),
    "command": N_("The program is really started, once, with what the scheduler would give it. What it does stays."),
    "download": N_("The first entry of the list is really asked for; the file is thrown away."),
}


def add_parser(commands: Subparsers) -> None:
    """Offer `job try`."""
    import argparse  # noqa: PLC0415  # loaded by whoever calls this

    parser = add_command(
        commands, "try", _("Try a job for one period: what it would write is shown and taken back."), _handle
    )
    parser.add_argument("file", metavar=_("FILE"), help=_("job file, or the short name of a job"))
    parser.add_argument(
        "--window", type=moment, metavar=_("START"), help=_("the period that begins then; else the one that is next")
    )
    parser.add_argument("--yes", action="store_true", help=_("do not ask"))
    parser.add_argument("--place", metavar="PATH", help=argparse.SUPPRESS)  # where an editor's file will lie
    parser.add_argument("--as", dest="as_id", metavar="ID", help=argparse.SUPPRESS)  # and its short name
    add_json(parser)


def _handle(words: argparse.Namespace) -> int:
    try:
        return _try(words)
    except BirkezError as error:
        if not words.json:
            raise
        show_json({"outcome": "not-tried", "error": error_json(error), "message": sentence(error)})
        return error.exit_status


def _try(words: argparse.Namespace) -> int:
    from trayapp.cli.job_adding import grid_line_now  # noqa: PLC0415  # as the others of `job`
    from trayapp.effect.interruption import Interrupted, Interruption  # noqa: PLC0415  # only a trial

    places = find_places()
    path, job_id = job_file_of(places, words.file)
    job_id = words.as_id or job_id
    job = parse_job(read_text(path, job_id), words.place or path, job_id, start_for=grid_line_now)
    _ask_first(job, words)
    interruption = Interruption()
    interruption.install()
    try:
        if job.items is not None:
            return _try_item(job, interruption, words)
        trial = _trial_of(places, job, interruption, words)
    except Interrupted:
        return 128 + interruption.signal_number if sys.platform != "win32" else exit_code.EFFECT_FAILED
    if words.json:
        show_json(trial_json(job, trial))
    else:
        show(*_trial_lines(job, trial))
    return trial.error.exit_status if trial.error is not None else exit_code.DONE


def _ask_first(job: Job, words: argparse.Namespace) -> None:
    """Have a person's word for what cannot be taken back.

    Raises: UsageError `trial-unconfirmed`.
    """
    kind = _kind_of(job)
    if kind not in _ASKED or words.yes:
        return
    if can_ask() and not words.json:
        show(_(_ASKED[kind]))
        if ask(_("Try it?")):
            return
    raise UsageError("trial-unconfirmed", what=_(_ASKED[kind]))


def _kind_of(job: Job) -> str:
    kinds = {SqlEffect: "sql", PythonEffect: "python", CommandEffect: "command", DownloadEffect: "download"}
    return kinds[type(job.effect)]


def _trial_of(places: Places, job: Job, interruption: Interruption, words: argparse.Namespace) -> Trial:
    from trayapp.runner.trial import try_command, try_in_database  # noqa: PLC0415  # only a trial

    if not isinstance(job.effect, CommandEffect):
        return try_in_database(job, words.window, interruption, lambda error: _leave_hung(job, error, words))
    from trayapp.runner.preview import standing_of  # noqa: PLC0415  # as above
    from trayapp.runner.trial import lock_of  # noqa: PLC0415  # as above

    with lock_of(places, job):
        return try_command(job, standing_of(places, job, words.window), words.window, interruption.asked)


def _leave_hung(job: Job, error: EffectError, words: argparse.Namespace) -> None:
    """Tell that the code hangs, from another thread, and end the process: all is taken back with it."""
    if words.json:
        show_json({"job": job.id, "kind": _kind_of(job), "outcome": "failed", **_ending(error)})
    elif sys.stderr is not None:
        print("birkez:", sentence(error), file=sys.stderr, flush=True)
    _leave(error.exit_status)


def _try_item(job: Job, interruption: Interruption, words: argparse.Namespace) -> int:
    from trayapp.runner.trial_item import try_item  # noqa: PLC0415  # only a trial

    trial = try_item(job, interruption.asked, lambda error: _leave_hung(job, error, words))
    if words.json:
        show_json(_item_json(job, trial))
    else:
        show(*_item_lines(trial))
    return trial.error.exit_status if trial.error is not None else exit_code.DONE


# ------------------------------------------------------------------------ words


def _trial_lines(job: Job, trial: Trial) -> list[str]:
    lines = [say("Tried for the period {period}.", period=show_window(*trial.window))]
    if trial.is_done_already:
        lines.append(_("A run has done that period already and would not do it again; the trial did it anew."))
    if trial.error is not None:
        lines.append(paint(sentence(trial.error), "bad"))
    else:
        lines.append(paint(_(_good_end(job)), "ok"))
        for change in trial.tables:
            lines += _table_lines(change)
        if trial.counts.repeated or (trial.counts.new and isinstance(job.effect, PythonEffect)):
            text = N_("Records: {new:number} new, {repeated:number} known ones left out.")
            lines.append(say(text, new=trial.counts.new, repeated=trial.counts.repeated))
    return [*lines, *_output_lines(trial.output)]


def _good_end(job: Job) -> str:
    if isinstance(job.effect, CommandEffect):
        return N_("The program ended with status 0: it works with what the scheduler gives it.")
    return N_("It works. All of this was taken back, nothing was written:")


def _table_lines(change: TableChange) -> list[str]:
    if change.is_dropped:
        return [say("  {table}: the table is dropped", table=change.table)]
    parts = [
        say_many(forms, count)
        for forms, count in (
            (NN_("{count:number} row written", "{count:number} rows written"), change.written),
            (NN_("{count:number} row changed", "{count:number} rows changed"), change.changed),
            (NN_("{count:number} row removed", "{count:number} rows removed"), change.removed),
        )
        if count
    ]
    head = say("  {table}: {what}", table=change.table, what=", ".join(parts))
    if change.is_new:
        head = say("  {table}: a new table, {what}", table=change.table, what=", ".join(parts) or "0")
    rows = columns([change.columns, *change.rows]) if change.rows else []
    return [head, *("    " + row for row in rows)]


def _output_lines(output: str) -> list[str]:
    return [_("It printed:"), *("  " + line for line in output.splitlines())] if output.strip() else []


def _item_lines(trial: ItemTrial) -> list[str]:
    lines = [say("Tried for the entry {item}.", item=trial.item)]
    if trial.error is not None:
        lines.append(paint(say("It was not made: {reason}", reason=sentence(trial.error)), "bad"))
    else:
        text = N_("It works: {target} would have {size} bytes. The file was thrown away.")
        lines.append(paint(say(text, target=trial.target, size=show_number(trial.size)), "ok"))
        lines += ["  " + line for line in trial.head.splitlines()]
    return [*lines, *_output_lines(trial.output)]


# --------------------------------------------------------------------- programs


def trial_json(job: Job, trial: Trial) -> dict[str, object]:
    """Say to a program what came of a trial."""
    return {
        "job": job.id,
        "kind": _kind_of(job),
        "outcome": "failed" if trial.error is not None else "works",
        "start": instant(trial.window.start),
        "end": instant(trial.window.end),
        "key": trial.key,
        "done_already": trial.is_done_already,
        "tables": [{**change._asdict(), "rows": [list(row) for row in change.rows]} for change in trial.tables],
        "new_count": trial.counts.new,
        "repeated_count": trial.counts.repeated,
        "output": trial.output,
        "duration_ms": trial.duration_ms,
        "error": error_json(trial.error),
        "message": "\n".join(_trial_lines(job, trial)),
    }


def _item_json(job: Job, trial: ItemTrial) -> dict[str, object]:
    return {
        "job": job.id,
        "kind": _kind_of(job),
        "outcome": "failed" if trial.error is not None else "works",
        **{name: value for name, value in trial._asdict().items() if name != "error"},
        "error": error_json(trial.error),
        "message": "\n".join(_item_lines(trial)),
    }


def _ending(error: EffectError) -> dict[str, object]:
    return {"error": error_json(error), "message": sentence(error)}
