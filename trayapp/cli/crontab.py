"""What starts a job on this computer, as long as it has no trigger: crontab lines to copy."""

from __future__ import annotations

import subprocess
import sys

from trayapp.errors import TriggerError
from trayapp.places import find_places
from trayapp.wording.speech import _, say, sentence

TYPE_CHECKING = False
if TYPE_CHECKING:
    from trayapp.job.model import Job


def starter_lines(job: Job) -> list[str]:
    """Say that nothing starts the job by itself yet, and what would; nothing for a job without a schedule."""
    if job.schedule is None:
        return []
    from trayapp.trigger.command import runner_command  # noqa: PLC0415  # few commands show it
    from trayapp.trigger.crontab import Crontab  # noqa: PLC0415  # as above

    places = find_places()
    try:
        if sys.platform == "win32":
            command = subprocess.list2cmdline(runner_command(places, job.id))
            return [
                say("Nothing starts this job by itself yet. Let a task of Windows start: {command}", command=command)
            ]
        heading = _("Nothing starts this job by itself yet. Into the crontab (crontab -e):")
        return [heading, *(f"  {line}" for line in Crontab(places).entry_for(job).text.splitlines())]
    except TriggerError as error:
        return [sentence(error)]
