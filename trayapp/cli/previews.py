"""What a run would do now, in words and for programs: `run --dry-run` and `status`."""

from __future__ import annotations

from trayapp.cli.answers import (
    decision_lines,
    holder_json,
    instant,
    left_running_line,
    near,
    nothing_line,
    paused_line,
    running_line,
)
from trayapp.cli.terminal import say_many
from trayapp.runner.decision import key_of, settled_until
from trayapp.wording.instants import show_window
from trayapp.wording.mark import N_, NN_
from trayapp.wording.speech import _, say

TYPE_CHECKING = False
if TYPE_CHECKING:
    from trayapp.lock.holder import LockState
    from trayapp.runner.preview import Preview
    from trayapp.window.catch_up import Recorded

_SHOWN = 12  # periods that are listed one by one


def preview_lines(preview: Preview, lock: LockState) -> list[str]:
    """Say what a run now would do, as lines of a terminal."""
    job, decision = preview.job, preview.decision
    if lock.state == "held":
        return [running_line(lock.holder), _("A run now would do nothing.")]
    if preview.running is not None:
        return [left_running_line(preview.running.key), _("A run now would do nothing.")]
    if preview.paused is not None:
        return [paused_line(job.id, preview.paused.until), _("A run now would do nothing.")]
    if decision.covered is not None:
        text = N_("That period is settled already (key {key}); a run would not repeat it.")
        return [say(text, key=decision.covered.key)]
    lines: list[str] = []
    if decision.passed:
        forms = NN_(
            "A run now would pass over {count:number} range of missed periods.",
            "A run now would pass over {count:number} ranges of missed periods.",
        )
        lines += [say_many(forms, len(decision.passed)), *_listed(decision.passed)]
    if decision.take:
        forms = NN_(
            "A run now would process {count:number} period:",
            "A run now would process {count:number} periods:",
        )
        lines += [say_many(forms, len(decision.take)), *_listed(offer.window for offer in decision.take)]
    if decision.blocked_by is not None:
        lines += decision_lines(job.id, decision.blocked_by.key)
    elif decision.waiting:
        forms = NN_("{count:number} more period would wait.", "{count:number} more periods would wait.")
        lines.append(say_many(forms, decision.waiting))
    return lines or [nothing_line(settled_until(preview.standing), decision.next_at)]


def preview_json(preview: Preview, lock: LockState) -> dict[str, object]:
    """Say the same to a program."""
    job, decision = preview.job, preview.decision
    return {
        "job": job.id,
        "would": _would(preview, lock),
        "windows": [
            {
                "key": key_of(offer, job.id),
                "start": instant(offer.window.start),
                "end": instant(offer.window.end),
                "state": offer.recorded.state if offer.recorded else None,
            }
            for offer in decision.take
        ],
        "passed_over": [{"start": instant(window.start), "end": instant(window.end)} for window in decision.passed],
        "waiting": decision.waiting,
        "blocked_by": _recorded_json(decision.blocked_by),
        "settled": _recorded_json(decision.covered),
        "done_up_to": instant(preview.standing.watermark),
        "next_at": instant(decision.next_at),
        "paused": preview.paused is not None,
        "paused_until": instant(preview.paused.until) if preview.paused else None,
        "lock": lock_json(lock),
        "message": "\n".join(preview_lines(preview, lock)),
    }


def lock_json(lock: LockState) -> dict[str, object]:
    """Say to a program whether a job is running: `idle`, `held` or `unknown`, and by whom."""
    return {"state": lock.state, "holder": holder_json(lock.holder)}


def done_up_to_line(preview: Preview) -> str:
    """Say up to where the job is done."""
    return say("Done up to: {at}", at=near(preview.standing.watermark))


def _would(preview: Preview, lock: LockState) -> str:
    decision = preview.decision
    if lock.state == "held" or preview.running is not None:
        return "skip-running"
    if preview.paused is not None:
        return "skip-paused"
    if decision.covered is not None:
        return "skip-settled"
    if decision.take or decision.passed:
        return "work"
    return "wait-for-decision" if decision.blocked_by is not None else "nothing"


def _recorded_json(recorded: Recorded | None) -> dict[str, object] | None:
    if recorded is None:
        return None
    start, end, state, key = recorded
    return {"key": key, "start": instant(start), "end": instant(end), "state": state}


def _listed(windows: object) -> list[str]:
    every = list(windows)  # type: ignore[call-overload]
    lines = ["  " + show_window(window.start, window.end) for window in every[:_SHOWN]]
    if len(every) > _SHOWN:
        lines.append("  " + say("and {count:number} more", count=len(every) - _SHOWN))
    return lines
