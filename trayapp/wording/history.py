"""Sentences about the history of runs."""

from __future__ import annotations

from trayapp.wording.mark import N_

SENTENCES = {
    "history-unusable": N_(
        "The history in {path} cannot be used: {reason}. Jobs run all the same, but these runs are missing from the "
        "list. Check who owns the file and its folder, and whether the disk is full or write-protected."
    ),
    "history-newer": N_(
        "The history in {path} was written by a newer Birkez (format {found}, this one knows {known}). Jobs run all "
        "the same, but these runs are missing from the list. Install the newer Birkez again."
    ),
    "history-damaged": N_(
        "The history in {path} is damaged: {reason}. No job depends on it. The next run of any job puts the damaged "
        "file aside under a dated name and begins a new history."
    ),
}
