"""Which ledger a job's last run saw, kept in the state folder.

A database restored from an older day knows less than we remember: its windows would be
done again. The state folder therefore keeps the ledger's identity and commit counter
from the last run, and a run stops when the ledger shows another identity or a lower
counter. What is lost here is only a warning: a file that is missing or damaged counts
as nothing remembered, and a counter that lags behind hides nothing.
"""

from __future__ import annotations

import os

from trayapp.errors import SetupError, StateError
from trayapp.ledger.ledger import Mark

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from trayapp.places import Places


def remembered_mark(places: Places, job_id: str) -> Mark | None:
    """What the job's last run saw; None when nothing is remembered, or what is there is damaged.

    Raises: SetupError `state-folder-unusable` when something is there that may not be read:
    taken for nothing, it would let an exchanged ledger pass.
    """
    path = places.seen_file(job_id)
    try:
        with open(path, encoding="utf-8") as file:
            identity, commits = file.readline().split()
        return Mark(identity, int(commits))
    except (FileNotFoundError, ValueError):
        return None
    except OSError as error:
        raise SetupError("state-folder-unusable", path=path, reason=os.strerror(error.errno or 0)) from error


def check_mark(places: Places, job_id: str, path: str, read_mark: Callable[[], Mark | None]) -> bool:
    """Compare the ledger in *path* with what is remembered; returns whether it is known.

    Raises: StateError `ledger-other` (another database, or one without a ledger) or
    `ledger-older` (a restored backup), with what to do about it.
    """
    # In this order: a run that commits and remembers in between must not look like a restored backup.
    remembered = remembered_mark(places, job_id)
    mark = read_mark()
    if remembered is None:
        return False
    if mark is None or mark.identity != remembered.identity:
        raise StateError("ledger-other", job=job_id, path=path)
    if mark.commits < remembered.commits:
        missing = remembered.commits - mark.commits
        raise StateError("ledger-older", job=job_id, path=path, missing=missing)
    return True


def remember_mark(places: Places, job_id: str, mark: Mark | None) -> None:
    """Keep *mark* as seen, unless it is what is kept already. A failure to write is harmless."""
    if mark is None or mark == remembered_mark(places, job_id):
        return
    path = places.seen_file(job_id)
    temporary = f"{path}.{os.getpid()}"
    try:
        with open(temporary, "w", encoding="utf-8") as file:
            file.write(f"{mark.identity} {mark.commits}\n")
        os.replace(temporary, path)
    except OSError:
        return  # the old mark stays: a lower counter, which hides nothing
