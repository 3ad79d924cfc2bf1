"""Sentences for the errors of `trayapp.lock`."""

from __future__ import annotations

from trayapp.wording.mark import N_

SENTENCES = {
    "job-running": N_(
        'The job "{job}" is running now (since {since}, process {pid}), so nothing was changed. '
        "Wait until it has finished, then try again."
    ),
    "lock-on-network": N_(
        "The lock file {path} would lie on a network folder ({kind}), and a lock there does not keep a second "
        "run out, so the job was not started. Move Birkez's folder to a disk of this computer (BIRKEZ_HOME)."
    ),
    "lock-folder-missing": N_(
        "The lock file {path} cannot be made because its folder does not exist, so the job was not started. "
        "Put the folder back, or connect the drive that it lies on."
    ),
    "lock-not-permitted": N_(
        "The lock file {path} cannot be opened: {reason}. The job was not started, since it must not run without "
        "its lock. Start it as the user who owns the file, or give this user the right to write to the file "
        "and its folder."
    ),
    "lock-read-only": N_(
        "The lock file {path} lies on a disk that is write-protected, so the job was not started. "
        "A disk can become so after an error: have it checked, then make it writable again."
    ),
    "lock-disk-full": N_(
        "The lock file {path} cannot be written because the disk is full, so the job was not started. "
        "Free some space, then start it again."
    ),
    "lock-not-a-file": N_(
        "{path} should be a lock file but is a folder or something else, so the job was not started. "
        "Move it away or rename it; Birkez makes the file anew."
    ),
    "lock-file-vanishes": N_(
        "The lock file {path} is deleted again and again by another program, so the job was not started. "
        "Keep clean-up programs away from that folder."
    ),
    "lock-refused": N_(
        "The system refused to lock the file {path}: {reason}. The job was not started, since it must not run "
        "without its lock. Check the disk that the file lies on, or move Birkez's folder to another one (BIRKEZ_HOME)."
    ),
}
