"""Sentences about the command that a scheduler shall start."""

from __future__ import annotations

from trayapp.wording.mark import N_

SENTENCES = {
    "trigger-home-unsayable": N_(
        "A scheduler cannot be told where this Birkez keeps its files: {config} and {state} are not of one home."
        " Put both into one folder and name it in BIRKEZ_HOME."
    ),
    "trigger-interpreter-unknown": N_(
        "Birkez does not know which Python runs it ({path} is no program), so no scheduler can start it again."
        " Start Birkez with the full path of a Python, or from a virtual environment."
    ),
    "trigger-program-missing": N_(
        "A scheduler would have to start {path}, and there is no such file. Install Birkez anew."
    ),
    "trigger-program-vanishes": N_(
        "A scheduler would have to start {path}, and that will be gone one day: {folder} is emptied from time to time."
        " Put Birkez into a folder that stays, and set its jobs' schedules up again from there."
    ),
}
