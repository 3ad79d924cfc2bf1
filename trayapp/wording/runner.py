"""Sentences for the errors of a run and of decisions by hand."""

from __future__ import annotations

from trayapp.wording.mark import N_

_CLOCK = {
    "clock-behind": N_(
        "The job '{job}' is done up to {watermark}, and this computer's clock shows {now}, so nothing was done: "
        "periods of the future would be recorded empty. If the clock is wrong, set it. If it was ahead and is right "
        "now: birkez watermark {job} --set TIME --reason TEXT, with the last moment that was right; periods recorded "
        "ahead of time are then taken again. To wait until the clock gets there: birkez doctor --accept-clock"
    ),
    "clock-impossible": N_(
        "This computer's clock shows a time centuries ahead, which cannot be right, so nothing was done. "
        "Set date and time, and let a time service keep them."
    ),
    "clock-jumped": N_(
        "This computer's clock shows {now}, and the last thing recorded for the job '{job}' was at {last}: more than "
        "400 days before. Nothing was done. Set the clock. If it is right: birkez doctor --accept-clock"
    ),
}

_WINDOWS = {
    "window-before-start": N_(
        "The job begins with {start}, so there is no period of {window}. To go further back: birkez watermark --set"
    ),
    "window-off-grid": N_(
        "No period of the job begins at {window}. Near it begin {before} and {after}: give one of these."
    ),
    "window-not-closed": N_("The period that begins at {window} is not over yet. It can be taken at {at}."),
    "window-not-uncertain": N_(
        "The job '{job}' has no period with the key {key} that waits for a decision, so nothing was changed. "
        "birkez status {job} shows the keys that wait."
    ),
    "window-settled": N_(
        "This period of the job '{job}' is settled already (key {key}), so nothing was changed. "
        "To have it done once more: birkez reopen {job} {key} --reason TEXT"
    ),
    "window-not-settled": N_(
        "The job '{job}' has no finished period with the key {key}, so there is nothing to reopen. "
        "birkez log {job} shows the keys."
    ),
    "watermark-in-future": N_(
        "The job cannot be done up to {at}, since it is only {now}. Nothing was changed. Give a moment of the past."
    ),
}

# Exit statuses of a command, and what its end means for the period.
_COMMANDS = {
    "command-failed": N_(
        "The command ended with status {status}, which does not say how much of its work it did. "
        "What it printed stands in the run's output."
    ),
    "command-nothing-done": N_(
        "The command ended with status {status}, by which it says that it has done nothing (nothing_done in the job "
        "file). The next run tries the same period again."
    ),
    "command-signalled": N_(
        "The command was ended by signal {signal} before it had finished. What it printed stands in the run's output."
    ),
    "command-timed-out": N_(
        "The command did not finish within {seconds:duration} and was ended with all that it had started. "
        "If it needs longer, raise timeout under [effect] in the job file."
    ),
    "command-stopped": N_("The command was told to stop, since the run was stopped, and had not finished."),
}

_RECORDS = {
    "command-still-running": N_(
        "The command of the period {key} is still at work (pid {pid}), though its run was ended. "
        "Wait until it ends, or end it; then decide."
    ),
    "command-unrecorded": N_(
        "The command has run, but its end could not be recorded in {path} ({reason}). Look whether its work was done; "
        "once the disk or the rights are mended, the next run asks for the decision about {key}."
    ),
    "log-unwritable": N_(
        "The line of this run could not be written to {path}: {reason}. "
        "Free some room, or mend the rights of that file and its folder; 'birkez history' may know the run."
    ),
}

SENTENCES = {**_CLOCK, **_WINDOWS, **_COMMANDS, **_RECORDS}
