"""Where a person keeps files: there a dialog that asks for one begins."""

from __future__ import annotations

import os

from PySide6.QtCore import QStandardPaths


def documents_folder() -> str:
    """Folder of the person's documents, or their home where there is none; Qt would begin where Birkez was started."""
    found = QStandardPaths.writableLocation(QStandardPaths.StandardLocation.DocumentsLocation)
    return found if os.path.isdir(found) else os.path.expanduser("~")
