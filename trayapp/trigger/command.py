"""The command that a scheduler keeps: words that still start the runner in a year, from anywhere.

It depends on nothing but files that stay: on no PATH, no variable, no current folder and
no version manager's shim. The home goes along as words, since a scheduler's environment is
not the person's, and a crontab may set HOME and any other variable above our lines.
"""

from __future__ import annotations

import os
import sys

import trayapp
from trayapp.errors import TriggerError
from trayapp.places import APPLICATION, user_places
from trayapp.trigger.backend import ALL_JOBS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from trayapp.places import Places

WIN32_RUNNER = "birkez-run.exe"  # of a frozen Birkez: without a console, which would flash up at each start
LAST_DAY_GUARD = "--last-day"  # read by `trayapp.__main__`, as are --home and --xdg
_POSIX_RUNNER = "birkez"
_TRAY = "birkez-tray"
_STARTED = ("--trigger", "schedule")
_STARTED_ALL = ("--all", "--trigger", "boot")
_MOUNT = ".mount_"  # how AppImage's runtime names the folder that is there while it runs


def runner_command(places: Places, job_id: str, *, guard: str = "") -> tuple[str, ...]:
    """Argv by which a scheduler starts *job_id*, or with ALL_JOBS all enabled jobs as the computer comes up.

    Absolute, isolated from the person's Python environment, and on Windows without a console.
    With LAST_DAY_GUARD it does nothing on a 28 February that is not the month's last day, for
    schedulers that cannot leave it out.

    Raises: TriggerError where this copy of Birkez, or its home, cannot be named so that it stays.
    """
    words = _STARTED_ALL if job_id == ALL_JOBS else (job_id, *_STARTED)
    return (*_program(), "run", *words, *((guard,) if guard else ()), *home_words(places))


def tray_command(places: Places) -> tuple[str, ...]:
    """Argv by which the desktop starts the tray application at log-on, its icon only.

    Raises: TriggerError as `runner_command`.
    """
    if _image() is None and getattr(sys, "frozen", False):
        words: tuple[str, ...] = (_kept(_beside(_TRAY + (".exe" if sys.platform == "win32" else ""))),)
    else:
        program = _program()
        words = (*(word for word in program if word != "-S"), "tray")  # the desktop's packages are wanted at once
    return (*words, "--hidden", *home_words(places))


def started_job(command: Sequence[str]) -> str | None:
    """Job that a scheduler's *command* starts, ALL_JOBS for all; None for a command that is none of ours."""
    for at, word in enumerate(command):
        if word != "run":
            continue
        if tuple(command[at + 1 : at + 4]) == _STARTED_ALL:
            return ALL_JOBS
        if tuple(command[at + 2 : at + 4]) == _STARTED:
            return command[at + 1]
    return None


def doubts() -> list[TriggerError]:
    """Tell which files of the command may be gone one day: a checkout or an environment in a temporary folder."""
    if _image() is not None or getattr(sys, "frozen", False):
        return []  # `runner_command` refuses these
    return [
        TriggerError("trigger-program-vanishes", path=path, folder=folder)
        for path in (sys.executable, _main_file())
        for folder in _fleeting_folders()
        if _lies_in(path, folder)
    ][:1]


def _program() -> tuple[str, ...]:
    """Words before `run`."""
    image = _image()
    if image is None and not getattr(sys, "frozen", False):
        return (_interpreter(), "-I", "-S", _existing(_main_file()))
    return (_kept(image or _frozen_runner()),)


def _kept(program: str) -> str:
    """Path of *program*, which is there and stays there."""
    for folder in _fleeting_folders():
        if _lies_in(program, folder):
            raise TriggerError("trigger-program-vanishes", path=program, folder=folder)
    return _existing(program)


def _image() -> str | None:
    """File of the AppImage that this runs from, None where it runs from none.

    APPIMAGE alone tells nothing: a terminal that came as one hands it on to all its children.
    """
    own, mount = os.path.abspath(sys.executable or __file__), os.environ.get("APPDIR", "")
    is_mounted = any(part.startswith(_MOUNT) for part in own.split(os.sep)) or (mount and _lies_in(own, mount))
    if not is_mounted:
        return None
    image = os.environ.get("APPIMAGE", "")
    if not os.path.isabs(image):
        raise TriggerError("trigger-program-vanishes", path=own, folder=os.path.dirname(own))
    return image


def _frozen_runner() -> str:
    """Program that runs jobs, beside the one that runs now: that may be the tray's."""
    return _beside(WIN32_RUNNER if sys.platform == "win32" else _POSIX_RUNNER)


def _beside(name: str) -> str:
    return os.path.join(os.path.dirname(os.path.abspath(sys.executable)), name)


def _main_file() -> str:
    return os.path.join(os.path.dirname(os.path.abspath(trayapp.__file__)), "__main__.py")


def _existing(path: str) -> str:
    if not os.path.isfile(path):
        raise TriggerError("trigger-program-missing", path=path)
    return path


def _interpreter() -> str:
    """Interpreter that runs this, or on Windows the one without a console beside it.

    A virtual environment's own is right: by its place it finds the packages. A shim is not:
    it is a script that looks for a version by the current folder, and costs 90 ms.
    """
    base: str = getattr(sys, "_base_executable", "")
    for path in (sys.executable, "/proc/self/exe", base):
        if path and os.path.isabs(path) and os.path.isfile(path) and not _is_script(path):
            found = os.path.realpath(path) if path.startswith("/proc/") else path
            return _windowless(found) if sys.platform == "win32" else found
    raise TriggerError("trigger-interpreter-unknown", path=sys.executable or "python")


def _windowless(interpreter: str) -> str:
    folder, name = os.path.split(interpreter)
    if name.lower().startswith("pythonw"):
        return interpreter
    return _existing(os.path.join(folder, name[:6] + "w" + name[6:]))  # python3.11.exe, pythonw3.11.exe


def _is_script(path: str) -> bool:
    try:
        with open(path, "rb") as file:
            return file.read(2) == b"#!"
    except OSError:  # may be started and not read
        return False


def home_words(places: Places) -> tuple[str, ...]:
    """Words by which the runner finds *places*; `trayapp.__main__` reads them.

    Raises: TriggerError `trigger-home-unsayable`.
    """
    home = os.path.dirname(places.config)
    if places == (os.path.join(home, "config"), os.path.join(home, "state")):
        return ("--home", home)
    if sys.platform not in ("win32", "darwin"):
        if os.path.basename(places.config) == os.path.basename(places.state) == APPLICATION:
            return ("--xdg", home, os.path.dirname(places.state))
    elif places == user_places():
        return ()  # no variable says where they are
    raise TriggerError("trigger-home-unsayable", config=places.config, state=places.state)


def _fleeting_folders() -> Iterator[str]:
    """Folders that are emptied: by a restart, by a cleaner, or when a program ends."""
    import tempfile  # noqa: PLC0415  # only who registers a trigger pays for it

    unpacked = getattr(sys, "_MEIPASS", "")  # of a frozen program that is one file
    if unpacked:
        yield unpacked
    yield tempfile.gettempdir()
    if os.name == "posix":
        yield from ("/tmp", "/var/tmp", "/dev/shm")  # noqa: S108  # named, not used
        yield os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")


def _lies_in(path: str, folder: str) -> bool:
    """Tell whether *path*, or what it is a link to, lies in *folder*."""
    inside = os.path.normcase(os.path.join(os.path.realpath(folder), ""))
    link = os.path.join(os.path.realpath(os.path.dirname(path)), os.path.basename(path))
    return any(os.path.normcase(place).startswith(inside) for place in (link, os.path.realpath(path)))
