"""Which changes are worth a notification: one when a job begins to need a person, one when it is well again.

A skip never is. What was told is kept in a file, so that a tray that starts anew does not
tell the same streak again.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from trayapp.gui.context import Place
from trayapp.gui.state.snapshot import NEEDING
from trayapp.gui.state.words import last_words, status_words
from trayapp.value import NamedTuple
from trayapp.whole_file import replace_file
from trayapp.wording.mark import N_
from trayapp.wording.speech import say

if TYPE_CHECKING:
    from collections.abc import Mapping

    from trayapp.gui.state.snapshot import JobState, Kind, Snapshot

Told = dict[str, str]  # job to the kind of trouble that a person was told of


class Notice(NamedTuple):
    """One notification about a job, and the place that it opens."""

    job: str
    title: str
    text: str
    place: Place
    is_trouble: bool


_TITLES: dict[Kind, str] = {
    "broken": N_("{title}: the job file has a mistake"),
    "failed": N_("{title}: failed"),
    "uncertain": N_("{title}: your decision is needed"),
    "trigger": N_("{title}: the scheduler does not start it"),
    "late": N_("{title}: did not start"),
}

_QUIET = N_("{title}: no success for too long")


def notices_of(snapshot: Snapshot, told: Mapping[str, str]) -> tuple[list[Notice], Told]:
    """Notices that *snapshot* is worth after what was *told*, and what is told then."""
    if not snapshot.is_surveyed or snapshot.trouble is not None:
        return [], dict(told)  # half of the truth: a period may have been decided meanwhile
    notices: list[Notice] = []
    known: Told = {}
    for job in snapshot.jobs:
        before = told.get(job.id, "")
        if job.kind in NEEDING:
            known[job.id] = job.kind
            if before != job.kind:
                notices.append(_need(job, snapshot))
        elif job.kind == "well" and before:
            notices.append(_recovery(job, snapshot))
        elif before:
            known[job.id] = before  # it runs or rests: the streak is not over
    return notices, known


def read_told(path: str) -> Told:
    """What was told before; nothing where that cannot be read: better told twice than never."""
    try:
        with open(path, encoding="utf-8") as file:
            told = json.load(file)
    except (OSError, ValueError):
        return {}
    return {str(job): str(kind) for job, kind in told.items()} if isinstance(told, dict) else {}


def keep_told(path: str, told: Told) -> None:
    """Keep what was told. Where that fails, a tray that starts anew tells it once more."""
    try:
        replace_file(path, json.dumps(told).encode())
    except OSError:
        return


def _need(job: JobState, snapshot: Snapshot) -> Notice:
    text = _QUIET if job.kind == "late" and job.late_since is None else _TITLES[job.kind]
    title = say(text, title=job.title)
    action = {"uncertain": "decide"}.get(job.kind, "")
    return Notice(job.id, title, status_words(job, snapshot.at), Place("jobs", job.id, action=action), is_trouble=True)


def _recovery(job: JobState, snapshot: Snapshot) -> Notice:
    title = say("{title}: all is well again", title=job.title)
    return Notice(job.id, title, last_words(job.last, snapshot.at), Place("jobs", job.id), is_trouble=False)
