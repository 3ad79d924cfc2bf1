"""Sentences about the file for whoever helps."""

from __future__ import annotations

from trayapp.wording.mark import N_

SENTENCES = {
    "support-exists": N_(
        "{path} exists already and was not written over. Choose another name, or delete that file first."
    ),
    "support-unwritable": N_(
        "{path} could not be written: {reason}. Nothing was left behind; choose a folder with room where you may write."
    ),
    "support-part": N_("A part could not be read: {reason}. The others are in the file."),
}
