"""`birkez schedule install --while`: whether jobs start while nobody is logged on, where that is to be chosen."""

from __future__ import annotations

from trayapp.cli.terminal import show
from trayapp.errors import UsageError
from trayapp.trigger import registration
from trayapp.trigger.findings import scheduler_words
from trayapp.wording.mark import N_
from trayapp.wording.speech import _, say

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse
    from collections.abc import Collection

    from trayapp.job.model import Job
    from trayapp.places import Places
    from trayapp.trigger.backend import Backend

_ALWAYS, _LOGGED_ON = "always", "logged-on"
_CANNOT = {("crontab", _LOGGED_ON): "log-on-crontab", ("launchd", _ALWAYS): "log-on-launchd"}


def add_while(parser: argparse.ArgumentParser) -> None:
    """Add `--while`."""
    text = N_(
        "always: also while nobody is logged on; on Windows that takes an administrator, and there are no network"
        " drives, no saved passwords and no windows then. logged-on: only while you are"
    )
    parser.add_argument("--while", dest="when", choices=(_ALWAYS, _LOGGED_ON), help=_(text))


def check_while(backend: Backend, when: str | None) -> None:
    """Refuse what *backend* never does, before anything is written.

    Raises: UsageError `log-on-crontab`, `log-on-launchd`.
    """
    code = _CANNOT.get((backend.name, when or ""))
    if code is not None:
        raise UsageError(code)


def choose_while(places: Places, backend: Backend, job_ids: Collection[str], when: str | None) -> None:
    """Do what `--while` says for jobs whose entries stand. Raises: TriggerError `task-log-on-refused`."""
    if when is not None and backend.name == "schtasks":
        registration.choose_log_on(places, backend, job_ids, without=when == _ALWAYS)


def tell_while(backend: Backend, when: str | None) -> None:
    """Say what the choice means."""
    if when == _LOGGED_ON:
        show(_("While you are not logged on nothing starts them; what is missed is done at the next start."))
    elif when == _ALWAYS and backend.name == "schtasks":
        text = N_(
            "They start while nobody is logged on, too. Then they see no network drives and no saved passwords, and"
            " show no windows; give a share by its full name, and let it admit this computer."
        )
        show(_(text))
    elif when == _ALWAYS:
        name = scheduler_words(backend.name)
        show(say("{scheduler} starts jobs while nobody is logged on, too; nothing had to be changed.", scheduler=name))


def tell_log_on(backend: Backend, job: Job) -> None:
    """Say of a new entry that it needs its user's log-on, and how it does without."""
    if backend.name == "schtasks":
        text = N_(
            "It starts while you are logged on, a locked screen included. To let it start while nobody is, too:"
            " birkez schedule install {job} --while always"
        )
        show(say(text, job=job.id))
