"""Sentences about schedulers of the operating system, whichever it is."""

from __future__ import annotations

from trayapp.wording.mark import N_

SENTENCES = {
    "scheduler-unknown": N_(
        "BIRKEZ_SCHEDULER names a scheduler that Birkez does not know: {value}. It may be one of {allowed};"
        " leave it out for the one of this computer."
    ),
    "schedule-not-sayable": N_(
        "{scheduler} cannot start the job exactly by {schedule}: {reason}"
        " The nearest that it can say, for [schedule] of the job file: {nearest}"
    ),
}
