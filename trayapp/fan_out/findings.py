"""What would stop a job with items, or has failed in it: for the check-up and for whoever adds the job."""

from __future__ import annotations

import errno
import os

from trayapp.errors import BirkezError, SetupError
from trayapp.fan_out.looking import look_at_items
from trayapp.network_folder import network_kind
from trayapp.value import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Literal

    from trayapp.job.model import Job
    from trayapp.places import Places

    Weight = Literal["ok", "warning", "problem"]


class Found(NamedTuple):
    """One thing that was looked at; `remedy` are words behind `birkez` that mend it."""

    error: BirkezError
    weight: Weight
    job: str = ""
    remedy: tuple[str, ...] = ()


def item_findings(places: Places, job: Job) -> Iterator[Found]:
    """Look at list and targets of a job with items; nothing is made there."""
    try:
        _refuse_targets(job)
        look = look_at_items(places, job)
    except BirkezError as error:
        yield Found(error, "problem", job.id)
        return
    lost = look.standing.failed + look.standing.refused
    if lost:
        yield Found(BirkezError("doctor-items-failed", job=job.id, count=lost), "problem", job.id)
    else:
        yield Found(BirkezError("doctor-job", job=job.id), "ok", job.id)


def item_concerns(places: Places, job: Job) -> list[BirkezError]:
    """What would stop the job if it ran now, or which lines of its list cannot be used."""
    try:
        _refuse_targets(job)
        return list(look_at_items(places, job).refused)
    except BirkezError as error:
        return [error]


def _refuse_targets(job: Job) -> None:
    assert job.items is not None  # a caller's bug
    folder = job.items.folder
    kind = network_kind(folder)
    if kind is not None:
        raise SetupError("targets-on-network", path=folder, kind=kind)
    while not os.path.lexists(folder) and os.path.dirname(folder) != folder:
        folder = os.path.dirname(folder)  # where it would be made
    if not os.access(folder, os.W_OK):
        raise SetupError("targets-unwritable", path=folder, reason=os.strerror(errno.EACCES))
