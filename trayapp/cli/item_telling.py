"""A job's items in words and for programs: what a run came to, how the list stands, how far the workers are."""

from __future__ import annotations

import os

from trayapp.cli.answers import paused_line
from trayapp.cli.terminal import paint, say_many
from trayapp.errors import BirkezError, EffectError
from trayapp.wording.instants import show_duration
from trayapp.wording.mark import N_, NN_
from trayapp.wording.numbers import show_number
from trayapp.wording.speech import _, say, sentence

TYPE_CHECKING = False
if TYPE_CHECKING:
    from trayapp.fan_out.failures import Failure
    from trayapp.fan_out.looking import Look
    from trayapp.fan_out.place import Standing
    from trayapp.fan_out.progress import Progress
    from trayapp.job.model import Items
    from trayapp.runner.items_run import ItemCounts
    from trayapp.runner.record import Answer

_SHOWN = 10  # items that are listed where a person did not ask for all


def item_rows(items: Items) -> list[tuple[str, str]]:
    """Say how a list is set up, as rows of a table."""
    return [
        (_("list"), items.source),
        (_("targets"), os.path.join(items.folder, items.name)),
        (_("workers"), str(items.workers)),
        (_("attempts"), str(items.attempts)),
    ]


def item_answer_lines(answer: Answer, counts: ItemCounts) -> list[str]:
    """Say what came of a run of a job with items; the first line stands by itself."""
    done = counts.made + counts.before
    if answer.outcome == "skipped":
        if not counts.total:
            return [_("The list is empty, so there was nothing to do.")]
        forms = NN_(
            "Nothing is left to do: the one file is there.",
            "Nothing is left to do: all {count:number} files are there.",
        )
        return (
            [say_many(forms, done)]
            if not counts.waiting
            else [_("Nothing could be done now."), _list_line(counts, done)]
        )
    forms = NN_("{count:number} file was made.", "{count:number} files were made.")
    lines = [say_many(forms, counts.made) if counts.made else _("No new file was made.")]
    if answer.outcome == "stopped":
        lines.append(_("The run was stopped. Nothing half stands at a target; the next run goes on from there."))
    if answer.error is not None:
        lines.append(sentence(answer.error))
    return [*lines, _list_line(counts, done)]


def standing_line(standing: Standing) -> str:
    """Say how the list stands."""
    text = N_("Of {total:number} in the list: {done:number} done, {failed:number} failed, {waiting:number} waiting.")
    line = say(text, total=standing.total, done=standing.done, failed=standing.failed, waiting=standing.waiting)
    if standing.refused:
        forms = NN_("{count:number} line more cannot be used.", "{count:number} lines more cannot be used.")
        line += " " + say_many(forms, standing.refused)
    return line


def _list_line(counts: ItemCounts, done: int) -> str:
    from trayapp.fan_out.place import Standing as Counted  # noqa: PLC0415  # only where a run is told

    return standing_line(Counted(counts.total, done, counts.failed, counts.waiting, counts.refused))


def progress_line(progress: Progress) -> str:
    """Say how far the workers are, how quick, and how long it will take."""
    facts = {"done": progress.done, "total": progress.total, "workers": progress.workers}
    if progress.left_s is None or not progress.rate:
        return say("{done:number} of {total:number}; workers: {workers}.", **facts)
    rate = show_number(round(progress.rate, 1 if progress.rate < 10 else 0))  # noqa: PLR2004  # one digit behind the point
    text = N_("{done:number} of {total:number}, {rate} a second, about {left} left; workers: {workers}.")
    return say(text, rate=rate, left=show_duration(max(1, round(progress.left_s))), **facts)


def item_lines(look: Look, *, all_failed: bool) -> list[str]:
    """Say how the list stands, and which items failed or wait for another try, each with its reason."""
    lines = [standing_line(look.standing)]
    if look.progress is not None:
        lines.append(progress_line(look.progress))
    told = [(_("failed"), failure.item, _reason_of(failure)) for failure in look.failed]
    told += [(_("left out"), str(error.facts["item"]), sentence(error)) for error in look.refused]
    if not all_failed:
        told += [(_("tried again"), failure.item, _reason_of(failure)) for failure in look.retried]
    shown = told if all_failed else told[:_SHOWN]
    lines += [f"  {state}  {item}: {reason}" for state, item, reason in shown]
    if len(shown) < len(told):
        lines.append("  " + say("and {count:number} more", count=len(told) - len(shown)))
    return lines


def item_status_lines(job_id: str, look: Look) -> list[str]:
    """Say what a person has to know of a job with items: pause, count, progress, and where the failures are told."""
    lines = [paint(paused_line(job_id, look.paused.until), "warn")] if look.paused is not None else []
    lines.append(standing_line(look.standing))
    if look.progress is not None:
        lines.append(paint(progress_line(look.progress), "ok"))
    if look.failed or look.refused:
        lines.append(paint(say("What failed, and why: birkez items {job} --failed", job=job_id), "bad"))
    return lines


def items_json(look: Look) -> dict[str, object]:
    """Say the same to a program."""
    return {
        **look.standing._asdict(),
        "failures": [_failure_json(failure, is_final=True) for failure in look.failed]
        + [_failure_json(failure, is_final=False) for failure in look.retried],
        "refusals": [
            {"line": error.facts["line"], "item": error.facts["item"], "code": error.code, "message": sentence(error)}
            for error in look.refused
        ],
        "progress": progress_json(look.progress),
    }


def first_items_json(items: Items) -> dict[str, object] | None:
    """Say to a program what a list holds: how many items, the first of them with their targets, its columns.

    None where it cannot be read, which is told as a concern.
    """
    from trayapp.fan_out.items import read_items  # noqa: PLC0415  # only `job validate --json`
    from trayapp.fan_out.names import folds_case  # noqa: PLC0415  # as above

    try:
        found = read_items(items, folds_case=folds_case(items.folder))
    except BirkezError:
        return None
    first = [{"item": item, "target": name} for item, name in zip(found.ids[:_SHOWN], found.names, strict=False)]
    return {"total": len(found), "refused": len(found.refused), "first": first, "columns": found.columns}


def progress_json(progress: Progress | None) -> dict[str, object] | None:
    """Say to a program how far the workers are."""
    return None if progress is None else progress._asdict()


def _failure_json(failure: Failure, *, is_final: bool) -> dict[str, object]:
    return {
        "item": failure.item,
        "target": failure.name,
        "attempts": failure.attempt,
        "final": is_final,
        "code": failure.code,
        "message": _reason_of(failure),
    }


def _reason_of(failure: Failure) -> str:
    return sentence(_error_of(failure))


def _error_of(failure: Failure) -> BirkezError:
    error = EffectError("item-failed", item=failure.item)
    error.code, error.facts = failure.code, failure.facts
    return error
