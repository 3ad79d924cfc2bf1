"""The files that SQLite keeps beside a database while it is open: `-wal`, `-shm`, `-journal`.

They are made with the database's own rights. Made while the database was write-protected,
they stay so when it is not any more, and each later write would be refused.
"""

from __future__ import annotations

import os
import stat

_SUFFIXES = ("-wal", "-shm", "-journal")


def mend_companions(path: str) -> str:
    """Give those beside the writable database at *path* its rights again; returns one that stays unwritable, or ""."""
    for suffix in _SUFFIXES:
        companion = path + suffix
        if os.access(companion, os.W_OK) or not os.path.lexists(companion):
            continue
        try:
            os.chmod(companion, stat.S_IMODE(os.stat(path).st_mode))
        except OSError:
            return companion  # another user's
        if not os.access(companion, os.W_OK):
            return companion
    return ""
