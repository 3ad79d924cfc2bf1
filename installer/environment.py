"""The private environment inside the checkout: `.venv`, through which everything is started.

Promise: what works is replaced only by what works. A new environment is made beside the
old one and put in its place whole, so that a start meets the one or the other, also one
by a scheduler that knows nothing of the lock here. Whatever fails or is interrupted
before leaves the old one as it was. The environment's own Python runs Birkez: one that
starts is kept, whichever Python calls.
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
from typing import TYPE_CHECKING

import debian
from step import Failure, clean_environment, do, say

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

CHECKOUT = Path(__file__).resolve().parent.parent
RUNTIME_LOCK = "requirements.lock"
TRAY_LOCK = "requirements-tray.lock"  # holds the runtime's too
TEST_LOCK = "requirements-test.lock"  # holds both
_LOCKS = (RUNTIME_LOCK, TRAY_LOCK, TEST_LOCK)  # each with all that those before it hold

# On POSIX a link to one of two folders, since only a link can be replaced while it is used.
# The one it led to before stays until the next preparation: a start may just be reading it.
ENVIRONMENT = CHECKOUT / ".venv"
FOLDERS = (CHECKOUT / ".venv-1", CHECKOUT / ".venv-2")

_STAMP = "birkez-stamp"
_PYTHON = "Scripts/python.exe" if os.name == "nt" else "bin/python"
_NEWEST = (3, 14)  # Python for which the locks' packages were seen to be there
_STARTS = "import sys, trayapp; sys.exit(sys.version_info < (3, 11))"

# The Python below an environment: the one that is about to be replaced may be running this.
_BASE_PYTHON = os.path.realpath(getattr(sys, "_base_executable", sys.executable))


def make_environment(lock: str) -> str:
    """Return the interpreter of an environment that holds *lock*'s packages, made when there is none.

    Raises: Failure when this account may not write here or not start the interpreter,
    venv is missing, or pip fails.
    """
    if not _holds(lock):
        with _one_at_a_time():
            if not _holds(lock):  # else the start that we waited for has made it
                say("Birkez hazırlanıyor (yalnızca ilk seferde)…", "Preparing Birkez (only the first time)…")
                _prepare(lock)
    return str(ENVIRONMENT / _PYTHON)


def _holds(lock: str) -> bool:
    """Tell whether the environment satisfies *lock* and starts. Raises: Failure when this account may not start it."""
    try:
        stamp = (ENVIRONMENT / _STAMP).read_text(encoding="utf-8").partition("\n")[0]
    except OSError:
        return False
    return stamp in map(_stamp_of, _LOCKS[_LOCKS.index(lock) :]) and _starts(ENVIRONMENT / _PYTHON)


def _stamp_of(lock: str) -> str:
    digest = hashlib.sha256((CHECKOUT / "installer" / lock).read_bytes()).hexdigest()
    return f"{lock} {digest}"


def _starts(python: Path) -> bool:
    """Tell whether *python* is new enough and finds Birkez: its base may be gone or another version by now."""
    try:
        done = subprocess.run(
            [python, "-I", "-c", _STARTS],
            env=clean_environment(),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            check=False,
        )
    except PermissionError as error:
        if sys.platform != "win32" and CHECKOUT.stat().st_uid == os.geteuid():
            return False  # a copy of another account's folder, which came with its environment
        # Made by another account, with a Python of its own; for that one it works.
        raise Failure(
            f"Bu klasördeki Python'u hesabınız çalıştıramıyor: {python} ({error.strerror})."
            " Klasörü kendi hesabınıza kopyalayın.",
            f"Your account cannot start the Python of this folder: {python} ({error.strerror})."
            " Copy the folder to your own account.",
        ) from error
    except OSError:
        return False
    return done.returncode == 0


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
            os.set_inheritable(file.fileno(), True)  # a step may outlive us, still writing
        yield


# ----------------------------------------------------------------- making


def _prepare(lock: str) -> None:
    """Make an environment beside the one that there is, then put it in place; nothing of a failed one is left."""
    current = os.path.realpath(ENVIRONMENT)
    beside = next(folder for folder in FOLDERS if str(folder) != current)
    shutil.rmtree(beside, ignore_errors=True)
    try:
        _install(_create(beside), lock)
        (beside / _STAMP).write_text(_stamp_of(lock) + "\n", encoding="utf-8")
        _put_in_place(beside)
    except BaseException:
        shutil.rmtree(beside, ignore_errors=True)
        raise


def _create(folder: Path) -> list[str]:
    """Create the empty environment; return the words that begin a pip command for it."""
    if not _has("venv") or not (_has("pip") or _has("ensurepip")):
        debian.install_venv()
    create = [_BASE_PYTHON, "-m", "venv", str(folder)]
    python = folder / _PYTHON
    if _has("pip"):
        # Saves the copy of pip, which takes longer than the packages; and Debian parts ensurepip from Python.
        create.insert(3, "--without-pip")
        pip = [_BASE_PYTHON, "-m", "pip", "--python", str(python)]
    else:
        pip = [str(python), "-m", "pip"]
    do(create, "Python ortamı kurulamadı", "Cannot create the Python environment")
    _add_checkout_to_path(folder)
    return pip


def _has(module: str) -> bool:
    importlib.invalidate_caches()  # apt-get may just have brought it
    return importlib.util.find_spec(module) is not None


def _add_checkout_to_path(folder: Path) -> None:
    """Let the environment find the checkout from any folder, as a scheduler starts it.

    Relative, since Python reads `.pth` files in the system's old encoding, in which the
    checkout's own name may not exist; and the folder may be moved. `.venv` and what it
    leads to lie side by side, so that the way up is the same from both.
    """
    site_packages = next(folder.glob("[Ll]ib/**/site-packages"))
    up = os.path.relpath(CHECKOUT, site_packages)
    (site_packages / "birkez-checkout.pth").write_text(up + "\n", encoding="ascii")


def _install(pip: Sequence[str], lock: str) -> None:
    turkish = "Gerekli paketler kurulamadı (internet bağlantısı var mı?)"
    english = "Cannot install the packages that are needed (is there an internet connection?)"
    if sys.version_info[:2] > _NEWEST:  # a package of the lock may not be there for it yet
        found = "{}.{}".format(*sys.version_info)
        turkish += f"; bu Python {found}, Birkez'in paketleri 3.11–3.14 içindir: python3.14 ile deneyin"
        english += f"; this is Python {found}, Birkez's packages are for 3.11 to 3.14: try with python3.14"
    do(
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
        turkish,
        english,
    )


def _put_in_place(made: Path) -> None:
    """Let `.venv` be *made* from one moment to the next.

    Where it is a folder of its own (always on Windows, elsewhere one that was not made here)
    it is moved aside first. Raises: Failure when Windows refuses, since it is running.
    """
    try:
        if os.name == "posix":
            link = CHECKOUT / ".venv.link"
            link.unlink(missing_ok=True)
            link.symlink_to(made.name)  # relative: the checkout may be moved
            _replace(link, made)
        else:
            _replace(made, made)
    except OSError as error:
        raise Failure(
            f"{ENVIRONMENT} yenilenemedi ({error.strerror}). Çalışan Birkez varsa kapatıp yeniden deneyin.",
            f"Cannot renew {ENVIRONMENT} ({error.strerror}). If Birkez is running, close it and try again.",
        ) from error


def _replace(new: Path, made: Path) -> None:
    """Move *new* to `.venv`; the folder that stands there goes back to its place when that fails."""
    is_own_folder = ENVIRONMENT.is_dir() and not ENVIRONMENT.is_symlink()
    aside = next(folder for folder in FOLDERS if folder != made)
    if is_own_folder:
        shutil.rmtree(aside, ignore_errors=True)
        ENVIRONMENT.rename(aside)
    try:
        new.replace(ENVIRONMENT)
    except OSError:
        if is_own_folder:
            aside.rename(ENVIRONMENT)
        raise
