"""The steps of `bootstrap.py`: a private environment inside the checkout, then the command.

Promise: nothing outside the checkout changes, but for Debian packages when root runs it.
An environment counts as made only when its stamp is written, last of all, so an
interrupted start is made anew by the next one; two starts at once wait for each other.
Standard library only: it runs before anything is installed.
"""

from __future__ import annotations

import contextlib
import hashlib
import importlib.util
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import IO, TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

CHECKOUT = Path(__file__).resolve().parent.parent
ENVIRONMENT = CHECKOUT / ".venv"
STAMP = ENVIRONMENT / "birkez-stamp"
RUNTIME_LOCK = "requirements.lock"
TEST_LOCK = "requirements-test.lock"  # holds the runtime's too

# The Python below an environment: the one that is about to be replaced may be running this.
BASE_PYTHON = os.path.realpath(getattr(sys, "_base_executable", sys.executable))

# -P: a folder that a person stands in may hold a trayapp, or a module named like one of ours.
AS_A_MODULE = ("-P", "-m", "trayapp")

FAILED = 1
USAGE = 2


class Failure(Exception):  # noqa: N818  # an outcome with its sentence in two languages, caught in main
    """A step cannot be done, and what the person can do about it."""

    def __init__(self, turkish: str, english: str) -> None:
        super().__init__(turkish, english)
        self.turkish = turkish
        self.english = english


class Tool(NamedTuple):
    """A program that some tests need, its Debian package and what is skipped without it."""

    program: str
    package: str
    skipped: str


TEST_TOOLS = (
    Tool("faketime", "faketime", "tests that set the clock"),
    Tool("strace", "strace", "tests that kill at a system call"),
    Tool("setpriv", "util-linux", "tests of permissions, as root"),
)


def main(words: Sequence[str]) -> int:
    """Do what *words* ask and return the exit status."""
    for stream in (sys.stdout, sys.stderr):
        # A Windows console in an old code page shows a question mark rather than a traceback.
        stream.reconfigure(errors="replace")  # type: ignore[union-attr]
    try:
        return _perform(words)
    except Failure as failure:
        _say(failure.turkish, failure.english, to=sys.stderr)
        return FAILED
    except KeyboardInterrupt:
        return 130


def _perform(words: Sequence[str]) -> int:
    match list(words):
        case ["demo", *rest]:
            return _call(make_environment(RUNTIME_LOCK), *AS_A_MODULE, "demo", *rest)
        case ["birkez", *rest]:
            return _call(make_environment(RUNTIME_LOCK), *AS_A_MODULE, *rest)
        case ["test", *rest]:
            install_test_tools()
            python = make_environment(TEST_LOCK)
            os.chdir(CHECKOUT)
            return _call(python, "-m", "pytest", *rest)
        case ["tools"]:
            make_environment(TEST_LOCK)
            return 0
    _say(
        "Kullanım: bootstrap.py demo | birkez SÖZCÜKLER… | test [PYTEST…] | tools",
        "Usage: bootstrap.py demo | birkez WORDS… | test [PYTEST…] | tools",
        to=sys.stderr,
    )
    return USAGE


def _say(turkish: str, english: str, to: IO[str] | None = None) -> None:
    print(turkish, english, sep="\n", file=to or sys.stdout, flush=True)


# ------------------------------------------------------------- environment


def make_environment(lock: str) -> str:
    """Return the interpreter of an environment that holds *lock*'s packages, made when there is none.

    Raises: Failure when the folder is not writable, venv is missing, or pip fails.
    """
    python = _environment_python()
    if _holds(lock, python):
        return str(python)
    with _one_at_a_time():
        if not _holds(lock, python):  # else the start that we waited for has made it
            _say(
                "Birkez hazırlanıyor (yalnızca ilk seferde)…",
                "Preparing Birkez (only the first time)…",
            )
            shutil.rmtree(ENVIRONMENT, ignore_errors=True)
            _install(_create_environment(python), lock)
            STAMP.write_text(_stamp_of(lock), encoding="utf-8")
    return str(python)


def _environment_python() -> Path:
    return ENVIRONMENT / ("Scripts/python.exe" if os.name == "nt" else "bin/python")


def _holds(lock: str, python: Path) -> bool:
    """Tell whether a finished environment of this very interpreter satisfies *lock*."""
    try:
        stamp = STAMP.read_text(encoding="utf-8")
    except OSError:
        return False
    # The link is broken when the Python that made it is gone; `exists` follows it.
    return python.exists() and stamp in {_stamp_of(lock), _stamp_of(TEST_LOCK)}


def _stamp_of(lock: str) -> str:
    digest = hashlib.sha256((CHECKOUT / "installer" / lock).read_bytes()).hexdigest()
    return f"{lock} {digest}\n{BASE_PYTHON} {sys.version}\n"


@contextlib.contextmanager
def _one_at_a_time() -> Iterator[None]:
    """Hold the checkout's lock file: the system frees it however this process ends."""
    try:
        file = open(CHECKOUT / ".venv.lock", "ab")  # noqa: SIM115  # closed below
    except OSError as error:
        raise Failure(
            f"Bu klasöre yazılamıyor: {CHECKOUT} ({error.strerror}). Klasörü kendi hesabınıza kopyalayın.",
            f"Cannot write to this folder: {CHECKOUT} ({error.strerror}). Copy it to your own account.",
        ) from error
    with file:
        if sys.platform == "win32":
            import msvcrt  # noqa: PLC0415

            while True:
                # Gives up after ten seconds; an installation may take longer.
                with contextlib.suppress(OSError):
                    msvcrt.locking(file.fileno(), msvcrt.LK_LOCK, 1)
                    break
        else:
            import fcntl  # noqa: PLC0415

            fcntl.flock(file, fcntl.LOCK_EX)
        yield


def _create_environment(python: Path) -> list[str]:
    """Create the empty environment; return the words that begin a pip command for it."""
    if not _has("venv") or not (_has("pip") or _has("ensurepip")):
        _install_debian_venv()
    create = [BASE_PYTHON, "-m", "venv", str(ENVIRONMENT)]
    if _has("pip"):
        # Saves the copy of pip, which takes longer than the packages; and Debian parts ensurepip from Python.
        create.insert(3, "--without-pip")
        pip = [BASE_PYTHON, "-m", "pip", "--python", str(python)]
    else:
        pip = [str(python), "-m", "pip"]
    _do(create, "Python ortamı kurulamadı", "Cannot create the Python environment")
    _add_checkout_to_path(python)
    return pip


def _add_checkout_to_path(python: Path) -> None:
    """Let the environment find the checkout from any folder, as a scheduler starts it.

    Relative, since Python reads `.pth` files in the system's old encoding, in which the
    checkout's own name may not exist; and the folder may be moved.
    """
    site_packages = next(python.parent.parent.glob("[Ll]ib/**/site-packages"))
    up = os.path.relpath(CHECKOUT, site_packages)
    (site_packages / "birkez-checkout.pth").write_text(up + "\n", encoding="ascii")


def _has(module: str) -> bool:
    importlib.invalidate_caches()  # apt-get may just have brought it
    return importlib.util.find_spec(module) is not None


def _install_debian_venv() -> None:
    package = f"python{sys.version_info.major}.{sys.version_info.minor}-venv"
    if not _may_install_packages():
        raise Failure(
            f"Python'un venv bölümü eksik. Şunu çalıştırıp yeniden deneyin: sudo apt-get install {package}",
            f"Python's venv part is missing. Run this and try again: sudo apt-get install {package}",
        )
    _install_debian_packages([package])


def _install(pip: Sequence[str], lock: str) -> None:
    _do(
        [
            *pip,
            "install",
            "--quiet",
            "--disable-pip-version-check",
            "--no-input",
            "--no-deps",  # the lock is whole
            "--require-hashes",
            "--requirement",
            str(CHECKOUT / "installer" / lock),
        ],
        "Gerekli paketler kurulamadı (internet bağlantısı var mı?)",
        "Cannot install the packages that are needed (is there an internet connection?)",
    )


# ---------------------------------------------------------- Debian packages


def install_test_tools() -> None:
    """Install the programs that tests need where root may; elsewhere say what will be skipped."""
    missing = [tool for tool in TEST_TOOLS if shutil.which(tool.program) is None]
    if not missing:
        return
    if _may_install_packages():
        _install_debian_packages([tool.package for tool in missing])
        return
    for tool in missing:
        _say(
            f"{tool.program} yok; ona dayanan testler atlanacak.",
            f"{tool.program} is missing; skipped: {tool.skipped}.",
        )


def _may_install_packages() -> bool:
    return sys.platform == "linux" and os.geteuid() == 0 and shutil.which("apt-get") is not None


def _install_debian_packages(packages: Sequence[str]) -> None:
    turkish, english = "Debian paketleri kurulamadı", "Cannot install Debian packages"
    _do(["apt-get", "-qq", "update"], turkish, english)
    _do(["apt-get", "-qq", "install", "--yes", "--no-install-recommends", *packages], turkish, english)


# ---------------------------------------------------------------- processes


def _do(words: Sequence[str], turkish: str, english: str) -> None:
    """Run one step quietly. Raises: Failure with the step's own last words when it fails."""
    done = subprocess.run(
        words,
        env=_clean_environment() | {"DEBIAN_FRONTEND": "noninteractive"},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        encoding="utf-8",
        errors="replace",
        check=False,
    )
    if done.returncode:
        answer = done.stdout.strip() or f"{words[0]}: {done.returncode}"
        raise Failure(f"{turkish}.", f"{english}:\n{answer}")


def _call(python: str, *words: str) -> int:
    """Run the command in front of the person's eyes and return its exit status."""
    command = [python, *words]
    if os.name == "posix":
        os.execve(python, command, _clean_environment())  # signals then reach the command itself
    return subprocess.run(command, env=_clean_environment(), check=False).returncode


def _clean_environment() -> dict[str, str]:
    """Environment without what would lead Python or pip away from the checkout's own packages."""
    astray = {"PYTHONHOME", "PYTHONPATH", "PIP_PREFIX", "PIP_TARGET", "VIRTUAL_ENV"}
    kept = {name: value for name, value in os.environ.items() if name not in astray}
    return kept | {"PIP_USER": "0", "PYTHONNOUSERSITE": "1"}
