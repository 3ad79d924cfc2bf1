"""A log line in words: its token stays as it is, the rest becomes a sentence."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trayapp import clock
from trayapp.gui.state.words import many, period_words
from trayapp.wording.mark import N_, NN_
from trayapp.wording.speech import _

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime

    from trayapp.log.job_log import LogLine

_SKIPPED = {
    "kilit": N_("already running, not started a second time"),
    "anahtar mevcut": N_("done already, not repeated"),
    "kapanmis pencere yok": N_("no period has closed since"),
    "duraklatildi": N_("paused"),
    "telafi politikasi": N_("missed period passed over"),
    "belirsiz": N_("your decision is awaited"),
    "devre disi": N_("switched off"),
    "calisma siniri": N_("the rest waits for the next run"),
    "defter benimsendi": N_("the database is known from now on"),
    "karar": N_("your decision was recorded"),
    "elle gecildi": N_("left out by hand"),
    "yeniden acildi": N_("opened again by hand"),
    "su seviyesi": N_("moved by hand to where it counts as done"),
    "saat ileriydi": N_("opened again: the clock had been ahead"),
    "defter kabul edildi": N_("the database was accepted as it stands"),
    "defter unutuldu": N_("the earlier record was forgotten"),
}
_FAILED = {
    "durduruldu": N_("the run was stopped"),
    "yarida kesildi": N_("an earlier run was cut off"),
    "bug": N_("a mistake of Birkez stopped the run"),
}


def line_words(line: LogLine, now: datetime) -> str:
    """Say what the line tells beside its time, its token and its job."""
    fields = line.fields
    reason, period = fields.get("sebep", ""), _period(fields, now)
    if line.token == "ISLENDI":  # noqa: S105  # a log word, as those below
        return _joined(period, _records(fields))
    if line.token == "ATLANDI":  # noqa: S105
        return _joined(period, _(_SKIPPED.get(reason, "")) or reason, fields.get("neden", ""))
    if line.token == "BELIRSIZ":  # noqa: S105
        return _joined(period, _("began; whether it finished is not known"))
    said = fields.get("ileti") or _(_FAILED.get(reason, "")) or reason
    return _joined(period, said)


def _period(fields: Mapping[str, str], now: datetime) -> str:
    start, slash, end = fields.get("pencere", "").partition("/")
    if not slash:
        return ""
    try:
        first, last = clock.parse_instant(start), clock.parse_instant(end)
    except ValueError:
        return ""
    return period_words(first, last, now)


def _records(fields: Mapping[str, str]) -> str:
    try:
        new, repeated = int(fields.get("kayit", "0")), int(fields.get("tekrar", "0"))
    except ValueError:
        return ""
    parts = []
    if new:
        parts.append(many(NN_("{count:number} record", "{count:number} records"), new))
    if repeated:
        parts.append(many(NN_("{count:number} known left out", "{count:number} known left out"), repeated))
    return ", ".join(parts)


def _joined(*parts: str) -> str:
    return " · ".join(part for part in parts if part)
