"""The words of the command line: a parser that speaks both languages, and the kinds of words.

argparse has sentences of its own. They are looked up in our catalogue, so that the help
and its complaints are in the language of everything else.
"""

from __future__ import annotations

import argparse
import difflib
import sys
from datetime import UTC, datetime

from trayapp.clock import parse_instant
from trayapp.errors import NoSuchJobError, SetupError
from trayapp.wording.speech import _, ngettext_, say

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import NoReturn

    from trayapp.places import Places

    Handler = Callable[[argparse.Namespace], int]
    Subparsers = argparse._SubParsersAction["Parser"]  # noqa: SLF001  # argparse has no public name

_EARLIEST, _LATEST = datetime(1970, 1, 1, tzinfo=UTC), datetime(2100, 1, 1, tzinfo=UTC)
_NEAR = 0.6  # of 1: how alike two ids must be for one to be proposed
_LEAST_PART = 3  # letters of an id that name it when they stand anywhere in it
_MOST_NEAR = 3


class Parser(argparse.ArgumentParser):
    """A parser that takes options by their full names only, and adds a hint to its complaints."""

    def __init__(self, **options: object) -> None:
        super().__init__(allow_abbrev=False, **options)  # type: ignore[arg-type]  # handed on as they are

    def error(self, message: str) -> NoReturn:
        """Tell what is wrong with the words, how they are meant, and where to read more."""
        self.print_usage(sys.stderr)
        hint = say("Read more: {command} --help", command=self.prog)
        self.exit(2, f"birkez: {message}\n{hint}\n")


def teach_argparse() -> None:
    """Let argparse look up its own sentences in our catalogue; see `wording.cli`."""
    vars(argparse).update(_=_, ngettext=ngettext_)


def add_command(commands: Subparsers, name: str, summary: str, handler: Handler) -> Parser:
    """Add a command to *commands*; *summary* is one translated sentence."""
    parser = commands.add_parser(name, help=summary, description=summary)
    parser.set_defaults(handler=handler)
    return parser


def add_job(parser: argparse.ArgumentParser, *, optional: bool = False) -> None:
    """Add the word JOB."""
    parser.add_argument("job", nargs="?" if optional else None, metavar=_("JOB"), help=_("short name of the job"))


def add_json(parser: argparse.ArgumentParser) -> None:
    """Add `--json`."""
    parser.add_argument("--json", action="store_true", help=_("write JSON, for programs"))


def add_reason(parser: argparse.ArgumentParser) -> None:
    """Add the required `--reason TEXT`."""
    parser.add_argument(
        "--reason", required=True, type=reason, metavar=_("TEXT"), help=_("why; it is kept in the log and the ledger")
    )


def moment(text: str) -> datetime:
    """Take an instant with its offset, such as `2026-09-04T10:00:00Z`."""
    try:
        at = datetime.fromisoformat(text)
        if at.tzinfo is None:
            raise argparse.ArgumentTypeError(_without_offset(at))
        at = parse_instant(text)
    except (ValueError, OverflowError):
        message = say("“{given}” is no moment; write one like 2026-09-04T10:00:00Z", given=text)
        raise argparse.ArgumentTypeError(message) from None
    if not _EARLIEST <= at < _LATEST:
        message = say("{given} lies outside the years 1970 to 2099", given=text)
        raise argparse.ArgumentTypeError(message)
    return at


def count(text: str) -> int:
    """Take a whole number of at least 1."""
    if not text.isascii() or not text.isdigit() or len(text) > 9 or int(text) < 1:  # noqa: PLR2004  # enough for all
        raise argparse.ArgumentTypeError(say("“{given}” is no whole number from 1 on", given=text))
    return int(text)


def reason(text: str) -> str:
    """Take a reason that says something; line ends become blanks."""
    words = " ".join(text.split())
    if not words:
        raise argparse.ArgumentTypeError(_("the reason is empty; whoever reads it later will want to know"))
    return words


def known_job(places: Places, job_id: str) -> str:
    """Return *job_id* when there is such a job file, valid or not.

    Raises: NoSuchJobError, with the nearest ids.
    """
    from trayapp.job.shelf import job_ids  # noqa: PLC0415  # only commands about jobs

    if job_id not in job_ids(places):
        raise no_such_job(places, job_id)
    return job_id


def state_trouble(places: Places) -> SetupError | None:
    """Tell why the state folder cannot be looked into: it is then no proof that a job is paused.

    None where it can, or where it is not there yet.
    """
    import os  # noqa: PLC0415  # only commands that look at jobs

    try:
        os.listdir(places.state)
    except FileNotFoundError:
        return None
    except OSError as error:
        return SetupError("state-folder-unusable", path=places.state, reason=error.strerror or str(error))
    return None


def job_file_of(places: Places, file: str) -> tuple[str, str]:
    """Path and short name that *file* means: a job file, or else the short name of a job."""
    import os  # noqa: PLC0415  # only commands about jobs

    from trayapp.job.shelf import job_ids  # noqa: PLC0415  # as above

    path, job_id = os.path.abspath(file), os.path.splitext(os.path.basename(file))[0]
    if not os.path.lexists(path) and file in job_ids(places):
        return places.job_file(file), file
    return path, job_id


def no_such_job(places: Places, job_id: str) -> NoSuchJobError:
    """Error for an id that no job has, with those that it may be meant for."""
    from trayapp.job.model import Job  # noqa: PLC0415  # as above
    from trayapp.job.shelf import read_all  # noqa: PLC0415  # as above

    jobs = [job for job in read_all(places) if isinstance(job, Job)]
    wanted = job_id.casefold()
    by_title = [job.id for job in jobs if job.title.casefold() == wanted]
    by_part = [job.id for job in jobs if len(wanted) >= _LEAST_PART and wanted in job.id]
    by_id = difflib.get_close_matches(wanted, [job.id for job in jobs], cutoff=_NEAR)
    near = list(dict.fromkeys((*by_title, *by_part, *by_id)))[:_MOST_NEAR]
    if near:
        return NoSuchJobError("no-such-job-near", job=job_id, near=near)
    return NoSuchJobError("no-such-job-typed" if jobs else "no-job-at-all", job=job_id)


def _without_offset(at: datetime) -> str:
    """Say how a moment without an offset can be meant: by this computer's clock, or UTC."""
    try:
        local = at.astimezone().isoformat(timespec="minutes")
    except (OverflowError, OSError, ValueError):  # far from today
        local = f"{at.isoformat(timespec='minutes')}+03:00"
    return say(
        "{given} does not say by which clock; write {local} for this computer's, or {utc} for UTC",
        given=at.isoformat(timespec="minutes"),
        local=local,
        utc=at.isoformat(timespec="minutes") + "Z",
    )
