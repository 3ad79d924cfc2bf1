"""Why a run did nothing, or ended early, in a few words: for tables and spreadsheets."""

from __future__ import annotations

from trayapp.wording.language import _
from trayapp.wording.mark import N_

_WORDS = {
    "kilit": N_("was running"),
    "anahtar mevcut": N_("done before"),
    "kapanmis pencere yok": N_("nothing closed"),
    "duraklatildi": N_("paused"),
    "telafi politikasi": N_("passed over"),
    "belirsiz": N_("waits for a decision"),
    "durduruldu": N_("stopped"),
    "yarida kesildi": N_("cut off"),
    "karar": N_("decided by hand"),
    "devre disi": N_("disabled"),
}


def reason_words(reason: str) -> str:
    """Words for the `sebep` of a log line; the code of an error stays as it is."""
    return _(_WORDS[reason]) if reason in _WORDS else reason
