"""What came of a run, in words: what happened, then what to do; and the same for programs."""

from __future__ import annotations

from datetime import datetime

from trayapp import clock
from trayapp.cli.terminal import say_many
from trayapp.wording.instants import show_near
from trayapp.wording.mark import N_, NN_
from trayapp.wording.reasons import reason_words
from trayapp.wording.speech import _, say, sentence

TYPE_CHECKING = False
if TYPE_CHECKING:
    from trayapp.errors import BirkezError
    from trayapp.ledger.ledger import WindowRow
    from trayapp.lock.holder import Holder
    from trayapp.runner.record import Answer
    from trayapp.wording.numbers import Case

TRIGGERS = {"manual": N_("by hand"), "schedule": N_("by schedule"), "boot": N_("at the computer's start")}


def answer_lines(answer: Answer, job_id: str) -> list[str]:
    """Say what came of a run of *job_id*, as lines of a terminal; the first one stands by itself."""
    if answer.items is not None:
        from trayapp.cli.item_telling import item_answer_lines  # noqa: PLC0415  # a job with periods has none

        return item_answer_lines(answer, answer.items)
    if answer.outcome == "done":
        return _done_lines(answer)
    if answer.outcome == "uncertain":
        return _uncertain_lines(answer, job_id)
    if answer.outcome == "failed":
        return _failed_lines(answer)
    if answer.outcome == "stopped":
        return [_("The run was stopped. What it had not finished was taken back; the next run goes on from there.")]
    return _skipped_lines(answer, job_id)


def answer_json(answer: Answer, job_id: str) -> dict[str, object]:
    """Say the same to a program: English keys that stay, instants in UTC."""
    return {
        "job": job_id,
        "run": answer.run,
        "outcome": answer.outcome,
        "reason": answer.reason,
        "exit_status": answer.exit_status,
        "windows": answer.windows,
        "new_count": answer.new_count,
        "repeated_count": answer.repeated_count,
        "waiting": answer.waiting,
        "items": answer.items._asdict() if answer.items is not None else None,
        "done_up_to": instant(answer.watermark),
        "next_at": instant(answer.next_at),
        "key": answer.key,
        "holder": holder_json(answer.holder),
        "error": error_json(answer.error),
        "message": "\n".join(answer_lines(answer, job_id)),
    }


def running_line(holder: Holder | None) -> str:
    """Say that the job is running, since when and by whom, as far as that is known."""
    if holder is None:
        return _("The job is already running (pid unknown).")
    return say(
        # Translators: {since} comes with its Turkish ending: 12:05'ten
        "The job has been running since {since} (pid {pid}, started {trigger}).",
        since=near(holder.since, "ablative"),
        pid=holder.pid,
        trigger=_(TRIGGERS.get(holder.trigger, holder.trigger)),
    )


def left_running_line(key: str) -> str:
    """Say that a command lives on whose run has ended."""
    text = N_("The command that an earlier run started for the period with the key {key} is still at work.")
    return say(text, key=key)


def still_at_work_line(row: WindowRow) -> str:
    """Say since when a command is at work whose run has ended, and as which process."""
    process = row.process or row.runner
    return say(
        # Translators: {since} comes with its Turkish ending: 12:05'ten
        "Its run has ended, but the command that it started is still at work since {since} (pid {pid}, key {key}).",
        since=near(row.at, "ablative"),
        pid=process and process.pid,
        key=row.key,
    )


def decision_lines(job_id: str, key: str) -> list[str]:
    """Say that a period is uncertain, and which two commands decide it."""
    return [
        say(
            "The period with the key {key} is uncertain: its work began, and nobody knows whether it was finished. "
            "Look whether it was, then decide:",
            key=key,
        ),
        *choice_lines(job_id, key),
    ]


def choice_lines(job_id: str, key: str) -> list[str]:
    """Write the two commands that decide an uncertain period, each with what it says."""
    return [
        "  " + say("It was done:     birkez resolve {job} {key} --done --reason TEXT", job=job_id, key=key),
        "  " + say("It was not done: birkez resolve {job} {key} --again --reason TEXT", job=job_id, key=key),
    ]


def paused_line(job_id: str, until: datetime | None) -> str:
    """Say that the job is paused, and how it goes on."""
    if until is None:
        return say("The job is paused. To let it go on: birkez resume {job}", job=job_id)
    # Translators: {until} comes with its Turkish ending, to which "kadar" fits: 12:05'e
    text = N_("The job is paused until {until}. To let it go on before: birkez resume {job}")
    return say(text, job=job_id, until=near(until, "dative"))


def nothing_line(watermark: datetime | None, next_at: datetime | None) -> str:
    """Say that no closed period waits, and when the next one can be taken."""
    if watermark is None or next_at is None:
        return _("No closed period waits.")
    return say(
        # Translators: {since} and {at} come with their Turkish endings: 12:00'den, 13:05'te
        "Nothing has closed since {since}; the next period can be taken at {at}.",
        since=near(watermark, "ablative"),
        at=near(next_at, "locative"),
    )


def near(at: datetime, case: Case = "") -> str:
    """Write an instant as short as it can be said now, for the middle of a sentence."""
    return show_near(at, clock.now(), case)


def instant(at: datetime | None) -> str | None:
    """Write an instant for a program."""
    return None if at is None else clock.format_instant(at)


def holder_json(holder: Holder | None) -> dict[str, object] | None:
    """Say to a program who holds a lock."""
    if holder is None:
        return None
    return {"pid": holder.pid, "run": holder.run, "trigger": holder.trigger, "since": instant(holder.since)}


def error_json(error: BirkezError | None) -> dict[str, object] | None:
    """Say to a program what went wrong: the code, its facts, and the sentence for people."""
    if error is None:
        return None
    facts = {name: instant(value) if isinstance(value, datetime) else value for name, value in error.facts.items()}
    known = {name: value for name, value in facts.items() if isinstance(value, str | int | float | None)}
    return {"code": error.code, "facts": known, "message": sentence(error)}


def _done_lines(answer: Answer) -> list[str]:
    lines = [_count_line(answer)]
    if answer.waiting:
        forms = NN_(
            "{count:number} more period waits; the next run takes it.",
            "{count:number} more periods wait; the next run goes on with them.",
        )
        lines.append(say_many(forms, answer.waiting))
    elif answer.next_at is not None:
        # Translators: {at} comes with its Turkish ending: 13:05'te
        lines.append(say("The next period can be taken at {at}.", at=near(answer.next_at, "locative")))
    return lines


def _count_line(answer: Answer) -> str:
    forms = NN_("{count:number} period was processed.", "{count:number} periods were processed.")
    if answer.repeated_count:
        forms = NN_(
            "{count:number} period was processed: {new:number} new records, {repeated:number} known ones left out.",
            "{count:number} periods were processed: {new:number} new records, {repeated:number} known ones left out.",
        )
    elif answer.new_count:
        forms = NN_(
            "{count:number} period was processed (new records: {new:number}).",
            "{count:number} periods were processed (new records: {new:number}).",
        )
    return say_many(forms, answer.windows, new=answer.new_count, repeated=answer.repeated_count)


def _skipped_lines(answer: Answer, job_id: str) -> list[str]:
    if answer.error is not None:  # it was asked for what cannot be
        return [sentence(answer.error)]
    if answer.reason == "kilit":
        running = running_line(answer.holder)
        if answer.key and answer.holder is None:
            running = left_running_line(answer.key)
        return [running, _("Nothing was started a second time.")]
    if answer.reason == "duraklatildi":
        return [_("Nothing was done."), paused_line(job_id, answer.next_at)]
    return [_skipped_line(answer, job_id)]


def _skipped_line(answer: Answer, job_id: str) -> str:
    line = nothing_line(answer.watermark, answer.next_at)
    if answer.reason == "anahtar mevcut" and answer.key:
        line = say("This period is settled already (key {key}), so nothing was repeated.", key=answer.key)
    elif answer.reason == "anahtar mevcut":
        line = _("Another run was quicker: the periods are settled already, so nothing was repeated.")
    elif answer.reason == "devre disi":
        line = say("The job is disabled, so nothing was done. To enable it: birkez job enable {job}", job=job_id)
    elif answer.reason == "telafi politikasi":
        line = _("Missed periods were passed over, as the job's catch-up setting says; nothing else waits.")
    elif answer.waiting:
        forms = NN_(
            "{count:number} closed period waits for the scheduler's start that it belongs to.",
            "{count:number} closed periods wait for the scheduler's start that they belong to.",
        )
        line = say_many(forms, answer.waiting)
    return line


def _failed_lines(answer: Answer) -> list[str]:
    if answer.error is None:
        return [say("The run failed: {reason}.", reason=reason_words(answer.reason))]
    lines = [sentence(answer.error)]
    if answer.windows:
        lines.insert(0, _count_line(answer))
    if answer.waiting:
        lines.append(waiting_line(answer.waiting))
    return lines


def _uncertain_lines(answer: Answer, job_id: str) -> list[str]:
    lines = [_count_line(answer)] if answer.windows else []
    if answer.error is not None:
        lines.append(sentence(answer.error))
    lines += decision_lines(job_id, answer.key)
    if answer.waiting > 1:
        lines.append(waiting_line(answer.waiting))
    return lines


def waiting_line(count: int) -> str:
    """Say how many closed periods wait, the one that stops the job included."""
    forms = NN_("{count:number} period waits until then.", "{count:number} periods wait until then.")
    return say_many(forms, count)
