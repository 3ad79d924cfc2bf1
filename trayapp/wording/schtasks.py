"""Sentences about Windows' Task Scheduler."""

from __future__ import annotations

from trayapp.wording.mark import N_

SENTENCES = {
    "task-command-expands": N_(
        "A task of Windows cannot start “{word}”: Windows would put the value of the variable {name} in place of"
        " %{name}%. Rename the folder, or put Birkez and its files into another."
    ),
    "task-program-long": N_(
        "A task of Windows cannot start {path}: its name is longer than {allowed} letters."
        " Put Birkez into a folder with a shorter name."
    ),
}
