"""Sentences about Birkez's own folders and settings."""

from __future__ import annotations

from trayapp.wording.mark import N_

SENTENCES = {
    "state-folder-unusable": N_(
        "The folder {path} cannot be made or used: {reason}. Birkez keeps its locks, logs and its ledger there. "
        "Check who owns the folder and whether the disk is full or write-protected."
    ),
    "state-folder-not-utf8": N_(
        "The folder {path} holds letters in its name that are not UTF-8, and Birkez cannot write such a name down. "
        "Rename the folder, or set BIRKEZ_HOME to another."
    ),
    "word-not-utf8": N_("The word {word} of the command holds bytes that are not UTF-8. Write it in UTF-8."),
    "settings-unreadable": N_(
        "The settings in {path} cannot be read: {reason}. Check who owns the file and whether you may read it."
    ),
    "settings-unwritable": N_(
        "The settings in {path} cannot be saved: {reason}. They stay as they were. "
        "Check whether you may write to the folder and whether the disk is full."
    ),
    "settings-empty": N_(
        "The settings file {path} is empty; saving it may have been cut off. "
        "Delete the file to start from the usual settings, or put it back from a backup."
    ),
    "settings-malformed": N_(
        "The settings in {path} cannot be understood from line {line} on: {reason}. "
        "Correct the line, or delete the file to start from the usual settings."
    ),
    "settings-unknown-key": N_(
        'The settings in {path} have no "{key}". Known are: {allowed}. Correct or delete that line.'
    ),
    "settings-bad-value": N_('In the settings {path}, "{key}" cannot be {value!r}. Allowed: {allowed}.'),
}
