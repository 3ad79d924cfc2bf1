"""Sentences about schedulers of the operating system, whichever it is."""

from __future__ import annotations

from trayapp.wording.mark import N_

SENTENCES = {
    "schedule-not-sayable": N_(
        "{scheduler} cannot say “{schedule}” exactly: {reason} The nearest that it can say is “{nearest}”."
    ),
}
