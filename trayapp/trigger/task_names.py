r"""What our tasks are called: `\Birkez\<user>-<home>-<job>`, of which `<home>` says whose it is; and for people."""

from __future__ import annotations

import hashlib
import os
import re

from trayapp.job.model import propose_id
from trayapp.trigger.backend import ALL_JOBS
from trayapp.value import NamedTuple
from trayapp.wording.mark import N_
from trayapp.wording.speech import say

TYPE_CHECKING = False
if TYPE_CHECKING:
    from trayapp.job.model import Job
    from trayapp.places import Places
    from trayapp.trigger.task_user import TaskUser

FOLDER = "\\Birkez\\"
_ALL = "_all"  # no job's id: those have no underscore
_DIGITS = 10  # of the digest
# Translators: seen in Windows' Task Scheduler, where somebody may wonder what this task is
_ABOUT_JOB = N_("{title}: job {job} of Birkez. It is set up and removed by Birkez (birkez schedule), not here.")
_ABOUT_ALL = N_(
    "All jobs of Birkez once after log-on, one after the other, for what was missed."
    " It is set up and removed by Birkez (birkez schedule), not here."
)


class TaskNames(NamedTuple):
    """Names of the tasks of one account and one home."""

    user: str
    digest: str

    def path_of(self, job_id: str) -> str:
        """Path of the task that starts *job_id*."""
        return f"{FOLDER}{self.user}-{self.digest}-{job_id or _ALL}"

    def job_of(self, path: str) -> str | None:
        """Job whose task is at *path*, None where the task is foreign; an account's own name may change."""
        found = re.fullmatch(rf"\\birkez\\.*-{self.digest}-([a-z0-9-]+|{_ALL})", path.lower())
        return None if found is None else ALL_JOBS if found[1] == _ALL else found[1]


def task_names(places: Places, user: TaskUser) -> TaskNames:
    """Names for the tasks of *user* that start jobs of *places*."""
    folders = (os.path.normcase(os.path.abspath(folder)) for folder in places)
    digest = hashlib.sha256("\0".join((user.sid, *folders)).encode("utf-8", "surrogatepass")).hexdigest()
    return TaskNames(propose_id(user.name.rpartition("\\")[2] or "user", ()), digest[:_DIGITS])


def about(job: Job | None) -> str:
    """What the task of *job* says of itself, None for that of all jobs."""
    return say(_ABOUT_ALL) if job is None else say(_ABOUT_JOB, title=job.title, job=job.id)
