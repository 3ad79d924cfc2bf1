"""Sentences for the errors of a trial."""

from __future__ import annotations

from trayapp.wording.mark import N_

SENTENCES = {
    "trial-unconfirmed": N_("Nothing was tried. {what} To try it: add --yes"),
    "trial-too-long": N_(
        "It did not end within {seconds} seconds, so the trial was ended and taken back: it keeps others from writing "
        "into the database meanwhile. A run may take {limit:duration}; try a shorter period, or less data."
    ),
    "trial-period-covered": N_(
        "The period that begins at {window} lies in one that the job '{job}' has done with other bounds, so it was not "
        "tried. Choose a later one."
    ),
    "trial-list-empty": N_("The list {source} is empty, so there is no entry to try. Put one into it."),
    "trial-nothing-made": N_(
        "it ended well, but the file for “{item}” was not written. It has to be written to the path that it is given."
    ),
    "trial-unreadable": N_("What was made for the trial, {path}, cannot be read: {reason}. The file was thrown away."),
}
