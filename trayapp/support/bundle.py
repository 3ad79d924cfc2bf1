"""`birkez support FILE`: what a helper asks for first, in one zip that the person can look through.

It is gathered here and sent nowhere. A part that cannot be read is told in its place and
keeps no other out: such a file is made when something is broken.
"""

from __future__ import annotations

import io
import json
import locale
import os
import platform
import sqlite3
import sys
import zipfile

from trayapp import clock, doctor
from trayapp.errors import BirkezError, SetupError
from trayapp.history.query import open_for_reading
from trayapp.history.run_filter import RunFilter
from trayapp.job.file import read_text
from trayapp.job.shelf import job_ids
from trayapp.log.job_log import read_tail
from trayapp.settings import read_settings
from trayapp.support.anonymous import Anonymous
from trayapp.support.job_facts import job_facts, secret_words
from trayapp.trigger.health import look
from trayapp.trigger.here import backend_here
from trayapp.value import NamedTuple
from trayapp.whole_file import create_file
from trayapp.wording.mark import N_
from trayapp.wording.speech import _, sentence

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from trayapp.places import Places

_LOG_LINES = 300  # a job: some days of an hourly one
_RUNS = 200
_BUGS = 5
_LARGEST_BUG = 64 << 10  # bytes; a traceback is far below
_COMMON = "_common"
_VARIABLES = ("LANG", "LANGUAGE", "LC_ALL", "LC_MESSAGES", "TZ", "BIRKEZ_SCHEDULER", "XDG_CURRENT_DESKTOP")
_STATE_FILES = ("ledger.db", "history.db", "tray.lock", "tray-told.json")
README = "README.txt"

# What each part is, for the person who looks before sending; in this order.
PARTS: dict[str, str] = {
    "versions.json": N_("versions of Birkez, Python and the system, languages, sizes of Birkez's own files"),
    "doctor.txt": N_("what birkez doctor says now"),
    "runs.json": N_("the last runs: when, by whom started, how they ended"),
    "scheduler.txt": N_("Birkez's own entries in the system's scheduler, and no others"),
    "settings.json": N_("the settings"),
    "jobs/": N_("job files without comments, without the values of environment and headers, of commands only options"),
    "logs/": N_("the newest log lines of each job"),
    "bugs/": N_("mistakes of Birkez's own, as it kept them"),
}


class Bundle(NamedTuple):
    """What went into the file: names inside it, and what could not be read."""

    names: tuple[str, ...]
    troubles: tuple[BirkezError, ...]


def make_bundle(places: Places, path: str, version: str) -> Bundle:
    """Write the file at *path*, whole or not at all; *version* is Birkez's own.

    Changes nothing else, takes no job's lock, and tells nobody.

    Raises: SetupError `support-exists` or `support-unwritable`.
    """
    if os.path.lexists(path):
        raise SetupError("support-exists", path=path)
    troubles: list[BirkezError] = []
    anonymous = Anonymous(_secrets(places))
    texts: dict[str, str] = {}
    for gather in (_versions(version), _doctor, _runs, _scheduler, _settings, _jobs, _logs, _bugs):
        try:
            texts |= {name: text if text.endswith("\n") else text + "\n" for name, text in gather(places, anonymous)}
        except (BirkezError, OSError, ValueError, sqlite3.Error) as error:
            trouble = error if isinstance(error, BirkezError) else SetupError("support-part", reason=str(error))
            troubles.append(trouble)
    if troubles:
        texts["troubles.txt"] = "\n".join(anonymous(sentence(trouble)) for trouble in troubles) + "\n"
    try:
        create_file(path, _zipped({README: _readme(texts), **texts}))
    except FileExistsError:
        raise SetupError("support-exists", path=path) from None
    except OSError as error:
        raise SetupError("support-unwritable", path=path, reason=error.strerror or str(error)) from error
    return Bundle(tuple(texts), tuple(troubles))


if TYPE_CHECKING:
    Gather = Callable[[Places, Anonymous], Iterator[tuple[str, str]]]


def _secrets(places: Places) -> Iterator[str]:
    try:
        ids = job_ids(places)
    except BirkezError:
        return  # told where the jobs are gathered
    for job_id in ids:
        try:
            yield from secret_words(read_text(places.job_file(job_id), job_id))
        except BirkezError:
            continue  # as above


def _readme(texts: dict[str, str]) -> str:
    lines = [
        _("This file says how Birkez stands on this computer, for whoever helps. Birkez sends it nowhere."),
        _("Look through it before you give it away: it is made of plain texts."),
        "",
        *(f"{name:<16}{_(text)}" for name, text in PARTS.items() if any(found.startswith(name) for found in texts)),
        "",
        _("Not in it: scripts, databases, what commands printed, passwords, values of the environment."),
        _("*** stands where something was left out, ~ for your home folder, <user> and <computer> for their names."),
        _("What is secret and looks like any other word cannot be known here: titles, file names and log lines stay."),
    ]
    return "\n".join(lines) + "\n"


def _zipped(texts: dict[str, str]) -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in texts.items():
            archive.writestr(name, text.encode("utf-8", "backslashreplace"))
    return packed.getvalue()


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, indent=1)


# --------------------------------------------------------------------- parts


def _versions(version: str) -> Gather:
    def gather(places: Places, anonymous: Anonymous) -> Iterator[tuple[str, str]]:
        release = platform.freedesktop_os_release() if sys.platform == "linux" else {}
        facts = {
            "made_at": clock.format_instant(clock.now()),
            "birkez": version,
            "is_frozen": bool(getattr(sys, "frozen", False)),
            "python": sys.version,
            "program": sys.executable,
            "sqlite": sqlite3.sqlite_version,
            "system": f"{platform.system()} {platform.release()} {platform.version()} {platform.machine()}",
            "distribution": release.get("PRETTY_NAME", ""),
            "encoding": [sys.getfilesystemencoding(), locale.getpreferredencoding(do_setlocale=False)],
            "variables": {name: os.environ[name] for name in _VARIABLES if name in os.environ},
            "is_home_named": "BIRKEZ_HOME" in os.environ,
            "folders": {"config": places.config, "state": places.state},
            "bytes": {name: _size(os.path.join(places.state, name)) for name in _STATE_FILES},
        }
        yield "versions.json", _json(anonymous.within(facts))

    return gather


def _size(path: str) -> int | None:
    try:
        return os.stat(path).st_size
    except OSError:
        return None


def _doctor(places: Places, anonymous: Anonymous) -> Iterator[tuple[str, str]]:
    findings = doctor.examine(places)
    yield "doctor.txt", "\n".join(f"{one.weight} [{one.code}] {anonymous(sentence(one.error))}" for one in findings)


def _runs(places: Places, anonymous: Anonymous) -> Iterator[tuple[str, str]]:
    history = open_for_reading(places.history_db)
    try:
        runs = history.runs(RunFilter(), count=_RUNS).runs
    finally:
        history.close()
    yield "runs.json", _json([anonymous.within(run._asdict()) for run in runs])


def _scheduler(places: Places, anonymous: Anonymous) -> Iterator[tuple[str, str]]:
    backend = backend_here(places)
    if backend is None:
        return
    overview = look(places, backend)
    lines = [f"{backend.name}"]
    for health in (*overview.jobs, overview.boot):
        lines.append(f"\n{health.job or '*'}: {health.state}" + (f" [{health.error.code}]" if health.error else ""))
        lines += [anonymous(entry.text) for entry in health.standing]
    lines += [f"\norphan: {anonymous(entry.text)}" for entry in overview.orphans]
    lines += [f"\nobstacle: {anonymous(sentence(obstacle))}" for obstacle in overview.obstacles]
    if overview.trouble is not None:
        lines.append(f"\ntrouble: {anonymous(sentence(overview.trouble))}")
    yield "scheduler.txt", "\n".join(lines)


def _settings(places: Places, anonymous: Anonymous) -> Iterator[tuple[str, str]]:
    yield "settings.json", _json(anonymous.within(read_settings(places)._asdict()))


def _jobs(places: Places, anonymous: Anonymous) -> Iterator[tuple[str, str]]:
    for job_id in job_ids(places):
        try:
            text = job_facts(read_text(places.job_file(job_id), job_id), anonymous)
        except BirkezError as error:
            text = anonymous(sentence(error))
        except ValueError as error:
            text = anonymous(f"no TOML: {error}")  # the sentence would quote the line
        yield f"jobs/{job_id}.toml", text


def _logs(places: Places, anonymous: Anonymous) -> Iterator[tuple[str, str]]:
    for name in (_COMMON, *job_ids(places)):
        path = places.common_log if name == _COMMON else places.log_file(name)
        try:
            lines = read_tail(path, _LOG_LINES)
        except OSError as error:
            lines = [error.strerror or str(error)]
        if lines:
            yield f"logs/{name}.log", anonymous("\n".join(lines))


def _bugs(places: Places, anonymous: Anonymous) -> Iterator[tuple[str, str]]:
    try:
        names = [name for name in os.listdir(places.state) if name.startswith("bug-") and name.endswith(".txt")]
    except FileNotFoundError:
        return
    for name in sorted(names)[-_BUGS:]:
        with open(os.path.join(places.state, name), encoding="utf-8", errors="replace") as file:
            yield f"bugs/{name}", anonymous(file.read(_LARGEST_BUG))
