"""Sentences about schedulers of the operating system, whichever it is."""

from __future__ import annotations

from trayapp.wording.mark import N_

SENTENCES = {
    "scheduler-unknown": N_(
        "BIRKEZ_SCHEDULER names a scheduler that Birkez does not know: {value}. It may be one of {allowed};"
        " leave it out for the one of this computer."
    ),
    "schedule-not-sayable": N_(
        "{scheduler} cannot say {schedule}: {reason} Nothing was registered."
        " What it can say and lies nearest: {nearest}. Write that below [schedule] in the job file, if it will do."
    ),
}
