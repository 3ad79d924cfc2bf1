"""Sentences about starting the tray at log-on."""

from __future__ import annotations

from trayapp.wording.mark import N_

SENTENCES = {
    "log-on-unreadable": N_(
        "Whether Birkez starts when you log on cannot be read in {path}: {reason}. Check who owns it."
    ),
    "log-on-unwritable": N_(
        "Starting Birkez when you log on cannot be set in {path}: {reason}. Nothing was changed. "
        "Check who owns it and whether the disk is full."
    ),
    "log-on-too-long": N_(
        "Birkez cannot be started when you log on: Windows passes over a command of more than {limit} characters, and "
        "this one is longer: {command}. Put Birkez into a folder with a shorter path."
    ),
}
