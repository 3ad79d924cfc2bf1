"""What a run answered, and what one would do, in words for the place where the button is."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from trayapp import clock
from trayapp.gui.state.item_words import (
    NOTHING_WAITS,
    cannot_words,
    item_preview_line,
    made_words,
    rest_words,
)
from trayapp.gui.state.words import STARTERS, many
from trayapp.value import NamedTuple
from trayapp.wording.instants import show_near, show_window
from trayapp.wording.mark import N_, NN_
from trayapp.wording.reasons import answer_title
from trayapp.wording.speech import _, say

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime

    from trayapp.gui.look.theme import Tone
    from trayapp.gui.run_now import Answer


class Words(NamedTuple):
    """A fact, what follows from it, and the tone and icon to say it in."""

    tone: Tone
    icon: str
    title: str
    text: str = ""

    @property
    def line(self) -> str:
        """Both in one."""
        return f"{self.title}. {self.text}" if self.text else self.title


_NOTHING = {
    "skip-running": N_("If pressed, nothing is started: the job is running already."),
    "skip-paused": N_("If pressed, nothing is done: the job is paused."),
    "wait-for-decision": N_("If pressed, nothing is done before you decide about one period."),
}


def answer_words(answer: Answer, now: datetime) -> Words:
    """Say what came of a run that was started here."""
    facts = answer.facts
    outcome = facts.get("outcome")
    if facts.get("items"):
        found = _of_list(facts)
        if found is not None:
            return found
    if outcome == "done":
        forms = NN_("{count:number} period was processed", "{count:number} periods were processed")
        return Words("ok", "check", many(forms, int(facts["windows"])), _what_follows(facts, now))
    if outcome == "skipped" and not facts.get("error"):
        return _skipped(answer, now)
    message = _message(facts) or answer.complaint
    if outcome == "uncertain":
        text = message or _("The job does not go on before that; nothing is sent or done a second time until then.")
        return Words("warn", "state-uncertain", _("A period waits for your decision"), text)
    if outcome == "stopped":
        text = _("What it had not finished was taken back; the next run goes on from there.")
        return Words("warn", "state-skipped", _("The run was stopped"), text)
    if not facts and not message:
        message = _("Birkez could not be started, or ended without an answer.")
    return Words("bad", "state-failed", _("The run failed"), message)


def _of_list(facts: Mapping[str, Any]) -> Words | None:
    """What a run of a job with items came to; None where nothing about the list is to be said."""
    items = facts["items"]
    if facts["outcome"] == "done":
        return Words("ok", "check", made_words(items), rest_words(items))
    lost = int(items["failed"]) + int(items["refused"])
    if facts["outcome"] == "failed" and lost and facts.get("reason") == "items-failed":
        text = _("Which, and why, stands below. The others are not kept waiting.")
        return Words("bad", "state-failed", cannot_words(lost), f"{made_words(items)}. {text}")
    return None


def preview_words(answer: Answer, now: datetime) -> Words:
    """Say what a run would do now: the line under the button."""
    facts = answer.facts
    would = facts.get("would")
    if would is None and "total" in facts:
        return Words("run" if facts["waiting"] else "idle", "info", item_preview_line(facts))
    if would == "work":
        return Words("run", "info", _work_line(facts, now))
    if would in _NOTHING:
        return Words("idle", "info", _(_NOTHING[would]))
    if would is None:
        return Words("bad", "state-failed", _message(facts) or answer.complaint or _("What it would do is not known."))
    next_at = _instant(facts.get("next_at"))
    if next_at is None:
        return Words("idle", "info", _("If pressed, nothing is done: no period waits."))
    text = N_("If pressed, nothing is done: the next period can be taken at {at}.")
    return Words("idle", "info", say(text, at=show_near(next_at, now, "locative")))


def _skipped(answer: Answer, now: datetime) -> Words:
    facts, reason = answer.facts, str(answer.facts.get("reason"))
    until = _instant(facts.get("next_at"))
    if reason == "kilit":
        return Words("run", "state-running", answer_title(reason), _holder(facts.get("holder"), now))
    if reason == "duraklatildi":
        text = say("It is paused until {until}.", until=show_near(until, now, "dative")) if until else ""
        return Words("idle", "state-paused", answer_title(reason), text)
    if reason == "devre disi":
        return Words("idle", "state-paused", answer_title(reason))
    if reason == "anahtar mevcut":
        text = _what_follows(facts, now)
    elif reason == NOTHING_WAITS:
        text = _("All files of the list are there. Pressing again changes nothing.")
    elif reason == "telafi politikasi":
        text = _("That is what the job's setting for missed periods says.")
    else:
        text = _up_to(facts, now) + _("Pressing again changes nothing.")
    return Words("idle", "state-skipped", answer_title(reason), text)


def _up_to(facts: Mapping[str, Any], now: datetime) -> str:
    done, following = _instant(facts.get("done_up_to")), _instant(facts.get("next_at"))
    if done is None or following is None:
        return ""
    # Translators: {done} and {next} come with their Turkish endings: 12:00'ye, 13:05'te
    text = N_("Everything up to {done} is done. The next period can be taken at {next}. ")
    return say(text, done=show_near(done, now, "dative"), next=show_near(following, now, "locative"))


def _what_follows(facts: Mapping[str, Any], now: datetime) -> str:
    waiting, following = int(facts.get("waiting") or 0), _instant(facts.get("next_at"))
    if waiting:
        forms = NN_(
            "{count:number} more waits; press again, or the next run takes it.",
            "{count:number} more wait; press again, or the next run goes on with them.",
        )
        return many(forms, waiting)
    if following is not None:
        return say("The next one can be taken at {at}.", at=show_near(following, now, "locative"))
    return ""


def _holder(holder: Mapping[str, Any] | None, now: datetime) -> str:
    since = _instant(holder.get("since")) if holder else None
    if holder is None or since is None:
        return ""
    by = _(STARTERS.get(str(holder.get("trigger")), ""))
    text = N_("Running since {since} ({by}, pid {pid}).")
    return say(text, since=show_near(since, now, "ablative"), by=by, pid=holder.get("pid"))


def _work_line(facts: Mapping[str, Any], now: datetime) -> str:
    windows = facts.get("windows") or []
    if not windows:
        return _("If pressed, missed periods are passed over.")
    start, end = clock.parse_instant(windows[0]["start"]), clock.parse_instant(windows[-1]["end"])
    forms = NN_(
        "If pressed, {count:number} period is processed ({span}).",
        "If pressed, {count:number} periods are processed, one after the other ({span}).",
    )
    line = many(forms, len(windows), span=show_window(start, end, now=now))
    waiting = int(facts.get("waiting") or 0)
    if waiting:
        line += " " + many(NN_("{count:number} more waits then.", "{count:number} more wait then."), waiting)
    return line


def _message(facts: Mapping[str, Any]) -> str:
    error = facts.get("error")
    return str(error.get("message") or "") if isinstance(error, dict) else ""


def _instant(text: str | None) -> datetime | None:
    return clock.parse_instant(text) if text else None
