"""`birkez log` and `birkez history`: what happened, line by line and run by run."""

from __future__ import annotations

import os
import sys

from trayapp import exit_code
from trayapp.cli.arguments import add_command, add_job, add_json, count, moment, no_such_job
from trayapp.cli.terminal import TOKEN_PAINTS, paint, plain, show
from trayapp.errors import SetupError
from trayapp.places import find_places
from trayapp.wording.speech import _

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterable

    from trayapp.cli.arguments import Subparsers
    from trayapp.places import Places

_LINES = 20
_COMMON_LINES = 10_000  # of the common log that are looked through for one job's
_OUTCOMES = ("done", "skipped", "failed", "uncertain", "stopped", "running")
_TRIGGERS = ("manual", "schedule", "boot")


def add_parsers(commands: Subparsers) -> None:
    """Offer `log` and `history`."""
    log = add_command(commands, "log", _("Show the newest lines of the log."), _handle_log)
    add_job(log, optional=True)
    log.add_argument("-n", type=count, default=_LINES, metavar=_("N"), help=_("so many lines; 20 by default"))
    log.add_argument("-f", dest="follow", action="store_true", help=_("go on with each new line, until Ctrl-C"))
    history = add_command(commands, "history", _("Show the runs, the newest first."), _handle_history)
    add_job(history, optional=True)
    history.add_argument("-n", type=count, default=None, metavar=_("N"), help=_("so many runs; 20 by default"))
    history.add_argument(
        "--outcome", action="append", choices=_OUTCOMES, default=[], help=_("only these; may be given several times")
    )
    history.add_argument(
        "--trigger", action="append", choices=_TRIGGERS, default=[], help=_("only runs that were started so")
    )
    history.add_argument("--since", type=moment, metavar=_("TIME"), help=_("only runs that started then or later"))
    history.add_argument("--until", type=moment, metavar=_("TIME"), help=_("only runs that started before"))
    history.add_argument("--text", default="", metavar=_("TEXT"), help=_("only runs with this in their name or lines"))
    history.add_argument("--run", metavar=_("RUN"), help=_("one run, with its periods and lines"))
    history.add_argument("--long", action="store_true", help=_("show the names of the runs too"))
    history.add_argument("--csv", metavar=_("FILE"), help=_("write the runs into a file that Excel opens"))
    add_json(history)


def _handle_history(words: argparse.Namespace) -> int:
    from trayapp.cli.history_command import handle  # noqa: PLC0415  # the log needs no database

    return handle(words)


def _handle_log(words: argparse.Namespace) -> int:
    from trayapp.log.follow import follow_all  # noqa: PLC0415  # history needs no log

    places = find_places()
    paths = _paths(places, words.job)
    try:
        lost = _lines_of_no_job(places, words.job) if words.job and not words.follow else []
        if not (paths or lost):
            raise no_such_job(places, words.job)
        if words.follow:
            _show_lines(follow_all(lambda: _paths(places, words.job), last=words.n))
        _show_lines(_in_time([*lost, *_newest(paths, words.n)])[-words.n :])
    except OSError as error:
        if isinstance(error, BrokenPipeError):
            raise
        path = str(error.filename or [*paths, places.common_log][0])
        raise SetupError("log-unreadable", path=path, reason=error.strerror or str(error)) from error
    return exit_code.DONE


def _paths(places: Places, job_id: str | None) -> list[str]:
    """Logs of one job or of all, those of removed jobs included; none for a job that neither exists nor has a log."""
    if job_id is not None:
        is_known = os.path.isfile(places.job_file(job_id)) or os.path.isfile(places.log_file(job_id))
        return [places.log_file(job_id)] if is_known else []
    folder = os.path.dirname(places.common_log)
    try:
        names = sorted(name for name in os.listdir(folder) if name.endswith(".log"))
    except FileNotFoundError:
        names = []
    except OSError as error:  # a file in the folder's place, or no right to look into it
        raise SetupError("log-unreadable", path=folder, reason=error.strerror or str(error)) from error
    return [os.path.join(folder, name) for name in names] or [places.common_log]


def _lines_of_no_job(places: Places, job_id: str) -> list[str]:
    """Lines of the common log about *job_id*: what still started it while there was no such job."""
    from trayapp.log.job_log import parse_line, read_tail  # noqa: PLC0415  # as above

    lines = [(line, parse_line(line)) for line in read_tail(places.common_log, _COMMON_LINES)]
    return [line for line, parsed in lines if parsed is not None and parsed.fields.get("is") == job_id]


def _newest(paths: Iterable[str], number: int) -> list[str]:
    from trayapp.log.job_log import read_tail  # noqa: PLC0415  # as above

    return _in_time([line for path in paths for line in read_tail(path, number)])[-number:]


def _in_time(lines: list[str]) -> list[str]:
    return sorted(lines, key=lambda line: line.partition(" ")[0])  # those of one moment keep their order


def _show_lines(lines: Iterable[str]) -> None:
    if sys.stdout is None:
        return
    for line in lines:
        at, token, *rest = line.split(" ", 2)
        if token in TOKEN_PAINTS:
            line = " ".join((at, paint(token, TOKEN_PAINTS[token]), *map(plain, rest)))  # noqa: PLW2901
        else:
            line = plain(line)  # noqa: PLW2901
        show(line)
