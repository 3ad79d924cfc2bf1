"""Which ledger a job's last run saw, kept beside the job file.

A database restored from an older day knows less than we remember: its windows would be
done again. So the ledger's identity and commit counter of the last run are kept, and a run
stops when the ledger shows another identity or a lower counter. They do not lie in the state
folder, since the ledger of commands does: deleted or replaced by an older copy, both would go.
What is lost here is only a warning: a file that is missing or damaged counts as nothing
remembered, and a counter that lags behind stops nothing.
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


def has_run(places: Places, job_id: str) -> bool:
    """Tell whether the job has run here before: something is remembered, were it damaged."""
    return os.path.lexists(places.seen_file(job_id))


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


def remember_mark(places: Places, job_id: str, mark: Mark | None) -> SetupError | None:
    """Keep *mark* as seen, unless it is what is kept already; returns why it could not be written.

    Returned and not raised: the run goes on, and without a warning if the ledger is exchanged.
    """
    if mark is None or mark == remembered_mark(places, job_id):
        return None
    path = places.seen_file(job_id)
    temporary = f"{path}.{os.getpid()}"
    try:
        with open(os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w", encoding="utf-8") as file:
            file.write(f"{mark.identity} {mark.commits}\n")
        os.replace(temporary, path)
    except OSError as error:
        _remove(temporary)
        return SetupError("ledger-unremembered", job=job_id, path=path, reason=error.strerror or str(error))
    return None


def forget_mark(places: Places, job_id: str) -> None:
    """Forget which ledger the job saw, so that a new job of this id is not measured by it.

    Raises: SetupError `state-folder-unusable`.
    """
    path = places.seen_file(job_id)
    try:
        os.unlink(path)
    except FileNotFoundError:
        return
    except OSError as error:
        raise SetupError("state-folder-unusable", path=path, reason=error.strerror or str(error)) from error


def _remove(path: str) -> None:
    try:
        os.unlink(path)
    except OSError:
        return  # never made
