"""Sentences about backups."""

from __future__ import annotations

from trayapp.wording.mark import N_

SENTENCES = {
    "backup-exists": N_(
        "{path} exists already, so the backup was not written over it. Choose another name, or move that file away."
    ),
    "backup-missing": N_("There is no backup at {path}. Check the name and whether the drive is connected."),
    "backup-newer": N_(
        "The backup {path} was made by a newer Birkez (format {found}, this one knows {known})."
        " Update Birkez, then restore it."
    ),
    "backup-unreadable": N_(
        "The file {path} is not a whole backup of Birkez: {reason}. Nothing was changed; take another backup file."
    ),
    "backup-unwritable": N_(
        "The backup {path} could not be written: {reason}. Nothing was left behind;"
        " choose a folder with room where you may write."
    ),
    "backup-state-full": N_(
        "The databases could not be copied in the state folder {path}: {reason}. Nothing was left behind;"
        " free some room there, or mend its rights. The place of the backup itself is not the cause."
    ),
    "restore-unconfirmed": N_(
        "Restoring {path} replaces jobs, settings and history, and nobody can be asked here."
        " Add --yes when that is meant."
    ),
    "restore-failed": N_(
        "{path} could not be brought back: {reason}. What came before it is restored;"
        " free some room or mend the rights, then restore again."
    ),
}
