"""A log line in words: its token stays as it is, the rest becomes a sentence."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trayapp import clock
from trayapp.gui.state.words import many, period_words
from trayapp.wording.mark import NN_
from trayapp.wording.reasons import reason_words, trouble_words
from trayapp.wording.speech import _

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime

    from trayapp.log.job_log import LogLine


def line_words(line: LogLine, now: datetime) -> str:
    """Say what the line tells beside its time, its token and its job."""
    fields = line.fields
    reason, period = fields.get("sebep", ""), _period(fields, now)
    if line.token == "ISLENDI":  # noqa: S105  # a log word, as those below
        return _joined(period, _records(fields))
    if line.token == "ATLANDI":  # noqa: S105
        return _joined(period, reason_words(reason), fields.get("neden", ""))
    if line.token == "BELIRSIZ":  # noqa: S105
        return _joined(period, _("began; whether it finished is not known"))
    if "kesilen" in fields:
        return _("an earlier run was cut off")
    return _joined(period, trouble_words(reason, fields.get("ileti", "")))


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
