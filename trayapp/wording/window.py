"""Sentences for the errors of `trayapp.window`."""

from __future__ import annotations

from trayapp.wording.mark import N_

SENTENCES = {
    "time-zone-unknown": N_(
        "There is no time zone named '{timezone}' on this computer ({reason}), so nothing was done: "
        "no other zone is used in its place. Write a name such as Europe/Istanbul as timezone under [window]."
    ),
    "time-zone-data-missing": N_(
        "The time zone '{timezone}' cannot be read because this computer has no time zone data ({reason}). "
        "Nothing was done. Install Birkez again, or add the Python package 'tzdata' to it."
    ),
}
